"""Witnesses, recomputed: Σ a_i a_j k(x_i, x_j) < 0, or k(x,z) != k(z,x)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from domains import Domain
from language import Number, is_exact, multiply, real, total
from mpmath import mp
from samples import Expression, Failure, Pair

DIGITS = 60


def check_witness(kernel: Expression, domain: Domain, dimension: int | None,
                  witness: dict[str, Any]) -> None:
    """With more digits where the witness does not hold: cos(exp(128)) needs 56 before the point."""
    for digits in (DIGITS, 4 * DIGITS, 16 * DIGITS):
        try:
            return check_with(digits, kernel, domain, dimension, witness)
        except Failure:
            if digits == 16 * DIGITS:
                raise


def check_with(digits: int, kernel: Expression, domain: Domain, dimension: int | None,
               witness: dict[str, Any]) -> None:
    with mp.workdps(digits):
        points = [tuple(Fraction(c) for c in point) for point in witness["points"]]
        for point in points:
            require(len(point) == witness["dim"], "a point of another dimension")
            require(domain.contains(point), f"{show(point)} is not in the domain")
        require(dimension in (None, witness["dim"]), "a witness in another dimension")
        if "values" in witness:
            check_asymmetry(kernel, points, witness)
        else:
            check_form(kernel, points, witness)


def check_form(kernel: Expression, points: list, witness: dict[str, Any]) -> None:
    a = [Fraction(c) for c in witness["coefficients"]]
    require(len(a) == len(points), "as many coefficients as points are needed")
    value = total([
        multiply(a[i] * a[j], kernel(Pair(x, z, ())))
        for i, x in enumerate(points)
        for j, z in enumerate(points)
    ])
    require(value < 0, f"the sum is {mp.nstr(real(value), 20)}")
    matches(value, witness["value"], witness["exact"])
    bound = Fraction(witness["bound"])
    require(bound < 0, "the bound is not below 0")
    # The bound is a double, rounded upwards, or the value itself.
    require(real(value) <= real(bound) * (1 - mp.mpf(10) ** -15), "the bound is below the value")


def check_asymmetry(kernel: Expression, points: list, witness: dict[str, Any]) -> None:
    require(len(points) == 2, "an asymmetry has two points")
    x, z = points
    values = [kernel(Pair(x, z, ())), kernel(Pair(z, x, ()))]
    difference = abs(real(values[0]) - real(values[1]))
    require(difference > mp.mpf(10) ** (10 - DIGITS), "k(x,z) and k(z,x) are equal")
    for value, text in zip(values, witness["values"]):
        matches(value, text, witness["exact"])


def matches(value: Number, text: str, exact: bool) -> None:
    """The value is the number in the text, or in the ball that it gives."""
    if found := re.fullmatch(r"\[(.*?) ?\+/- (.+)\]", text):
        require(not exact, f"a ball is not exact: {text}")
        middle, radius = (mp.mpf(part or 0) for part in found.groups())
    else:
        if is_exact(value):
            require(value == Fraction(text), f"the value is {value}, not {text}")
            return
        f = Fraction(text)
        middle, radius = mp.mpf(f.numerator) / f.denominator, mp.mpf(0)
    slack = mp.mpf(10) ** (15 - DIGITS) * max(1, abs(middle))
    require(abs(real(value) - middle) <= radius + slack,
            f"the value is {mp.nstr(real(value), 30)}, not {text}")


def show(point: tuple) -> str:
    return "(" + ", ".join(map(str, point)) + ")"


def require(condition: bool, message: str) -> None:
    if not condition:
        raise Failure(message)
