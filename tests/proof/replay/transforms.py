"""Functions of one number that expressions hide, and what makes kernels of them: Fourier transforms
that are not negative, complete monotonicity, convexity."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from language import Node, Number, compiled, is_exact, number, real, uses_points
from mpmath import fp, mp, mpf
from series import form, inward, series

VARIABLE: Node = ("coordinate", "x", 1)


class NoFunction(Exception):
    """Not a function of that part alone."""


def in_terms_of(node: Node, part: Node) -> Node:
    """The expression with x1 in the place of the part."""
    unit, wanted = form(part)

    def as_power(n: Node) -> Node | None:
        """D^4 for the part D², D² for the part |D|: whole powers of it."""
        if part[0] == "power" and part[2][0] == "number":
            base, exponent = part[1], part[2][1]
        elif part[:2] == ("call", "abs"):
            base, exponent = part[2][0], Fraction(1)
        else:
            return None
        if n[0] != "power" or n[2][0] != "number":
            return None
        (a, key), (b, same) = form(base), form(n[1])
        power = n[2][1] / exponent
        if key != same or power.denominator != 1 or power <= 0 or n[2][1] % 2 != 0:
            return None
        if not (is_exact(a) and is_exact(b)):
            return None
        factor = ("number", (b / a) ** int(n[2][1]))
        return ("product", ((False, factor), (False, ("power", VARIABLE, ("number", power)))))

    def replace(n: Node) -> Node:
        if not isinstance(n, tuple) or not n:
            return n
        if isinstance(n[0], str):
            if not uses_points(n):
                return n
            if (power := as_power(n)) is not None:
                return power
            n = inward(n)
            c, key = form(n)
            if key == wanted and is_exact(c) and is_exact(unit):
                factor = ("number", c / unit)
                return ("product", ((False, factor), (False, VARIABLE)))
            if n[0] == "sum":  # a constant and a multiple of the part
                constants = tuple(term for term in n[1] if not uses_points(term[1]))
                others = tuple(term for term in n[1] if uses_points(term[1]))
                if constants and len(others) > 1:
                    return ("sum", constants + ((1, replace(("sum", others))),))
            if n[0] in ("point", "coordinate", "index", "dot", "over", "matern", "anova"):
                raise NoFunction(str(n))
        return tuple(replace(p) for p in n)

    return replace(node)


def function_of(node: Node) -> Callable[[Number], Number]:
    at = compiled(node)
    return lambda v: number(at((v,), (Fraction(0),), {}))


def wave(d: int, v: float) -> float:
    """The mean of cos(v·e) over the unit sphere of dimension d."""
    if d == 1:
        return math.cos(v)
    if d == 3:
        return math.sin(v) / v if v else 1.0
    return float(fp.hyp0f1(d / 2, -v * v / 4))


# Gauss and Legendre's nodes and weights on [-1,1].
NODES = ((0.1834346424956498, 0.3626837833783620), (0.5255324099163290, 0.3137066458778873),
         (0.7966664774136267, 0.2223810344533745), (0.9602898564975363, 0.1012285362903763))


def spectrum(h: Callable[[Number], Number], d: int) -> list[tuple[float, float]]:
    """The Fourier transform of h(|x|) in dimension d at some frequencies, relative to that of |h|."""
    frequencies = (0.0, 0.3, 0.8, 1.3, 2.0, 3.1, 5.0, 9.0, 20.0)
    with mp.workdps(20):
        limit = real(h(mpf(10) ** 4))

        def f(r: mpf) -> float:
            return float((real(h(r)) - limit) * r ** (d - 1))

        end = mpf(2)
        while end < 500 and abs(f(end)) + abs(f(end * mpf("1.3"))) > 1e-13:
            end *= mpf("1.4")
        pieces = int(12 + 4 * end + frequencies[-1] * end / 2)
        terms = []
        for k in range(pieces):
            low, high = end * (mpf(k) / pieces) ** 2, end * (mpf(k + 1) / pieces) ** 2
            for node, weight in NODES:
                for side in (-1, 1):
                    r = (low + high) / 2 + side * (high - low) / 2 * mpf(node)
                    terms.append((float(r), f(r) * weight * float(high - low) / 2))
    size = sum(abs(v) for _, v in terms)
    return [(w, sum(v * wave(d, w * r) for r, v in terms) / size) for w in frequencies if size]


def signs_of_derivatives(node: Node, at: Fraction, order: int, root: bool) -> list[mpf]:
    """(-1)^n f^(n)(at)/n! for the function of x1, or of the root of its square."""
    inside: Node = ("sum", ((1, ("number", at)), (1, VARIABLE)))
    if root:
        inside = ("call", "sqrt", (inside,))

    def replace(n: Node) -> Node:
        if n == VARIABLE:
            return inside
        return tuple(replace(p) if isinstance(p, tuple) else p for p in n)

    coefficients = series(replace(node), VARIABLE, order)
    return [real(c) * (-1) ** n for n, c in enumerate(coefficients)]
