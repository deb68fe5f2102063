"""Power series f(t) = Σ a_k t^k, truncated; exact where f has rational constants only."""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

from language import (
    FUNCTIONS, LanguageError, Node, Number, Undefined, add, constant, divide, function, is_exact,
    multiply, power, real, total, uses_points,
)
from mpmath import mp

Series = list[Number]


class NoSeries(Exception):
    """Not a function of t alone, or not smooth at 0."""


def zero(length: int) -> Series:
    return [Fraction(0)] * length


def times(a: Series, b: Series) -> Series:
    result = zero(len(a))
    for i, u in enumerate(a):
        if u == 0:
            continue
        for j in range(len(a) - i):
            if b[j] != 0:
                result[i + j] = add(result[i + j], multiply(u, b[j]))
    return result


def plus(a: Series, b: Series) -> Series:
    return [add(u, v) for u, v in zip(a, b)]


def scaled(c: Number, a: Series) -> Series:
    return [multiply(c, u) for u in a]


def exponential(a: Series) -> Series:
    """b = exp(a): k b_k = Σ j a_j b_{k-j}."""
    result = zero(len(a))
    result[0] = function("exp", a[0])
    for k in range(1, len(a)):
        terms = [multiply(multiply(Fraction(j), a[j]), result[k - j]) for j in range(1, k + 1)
                 if a[j] != 0]
        result[k] = divide(total(terms), Fraction(k))
    return result


def logarithm(a: Series) -> Series:
    """b = log(a): a_0 k b_k = k a_k - Σ j b_j a_{k-j}."""
    result = zero(len(a))
    result[0] = function("log", a[0])
    for k in range(1, len(a)):
        terms = [multiply(multiply(Fraction(j), result[j]), a[k - j]) for j in range(1, k)]
        value = add(multiply(Fraction(k), a[k]), -total(terms))
        result[k] = divide(value, multiply(Fraction(k), a[0]))
    return result


def to_power(a: Series, r: Number) -> Series:
    """b = a^r: a_0 k b_k = Σ (r j - (k-j)) a_j b_{k-j}."""
    if is_exact(r) and r.denominator == 1 and r >= 0:
        result = zero(len(a))
        result[0] = Fraction(1)
        n, base = r.numerator, a
        while n:
            if n & 1:
                result = times(result, base)
            n >>= 1
            if n:
                base = times(base, base)
        return result
    if a[0] == 0:
        raise NoSeries("a power at 0")
    result = zero(len(a))
    result[0] = power(a[0], r)
    for k in range(1, len(a)):
        terms = []
        for j in range(1, k + 1):
            if a[j] == 0:
                continue
            weight = add(multiply(r, Fraction(j)), Fraction(j - k))
            terms.append(multiply(multiply(weight, a[j]), result[k - j]))
        result[k] = divide(total(terms), multiply(Fraction(k), a[0]))
    return result


def integral(derivative: Series, first: Number) -> Series:
    return [first] + [divide(c, Fraction(k + 1)) for k, c in enumerate(derivative[:-1])]


def derivative(a: Series) -> Series:
    return [multiply(Fraction(k), c) for k, c in enumerate(a)][1:] + [Fraction(0)]


def sine_and_cosine(a: Series, sign: int) -> tuple[Series, Series]:
    """(sin, cos) for sign -1, (sinh, cosh) for sign 1: s' = a' c, c' = sign a' s."""
    names = ("sin", "cos") if sign < 0 else ("sinh", "cosh")
    s, c = zero(len(a)), zero(len(a))
    s[0], c[0] = (function(name, a[0]) for name in names)
    for k in range(1, len(a)):
        up = [multiply(multiply(Fraction(j), a[j]), c[k - j]) for j in range(1, k + 1) if a[j] != 0]
        down = [multiply(multiply(Fraction(j), a[j]), s[k - j]) for j in range(1, k + 1) if a[j] != 0]
        s[k] = divide(total(up), Fraction(k))
        c[k] = divide(multiply(Fraction(sign), total(down)), Fraction(k))
    return s, c


def of_function(name: str, a: Series) -> Series:
    if name == "exp":
        return exponential(a)
    if name == "log":
        return logarithm(a)
    if name == "sqrt":
        return to_power(a, Fraction(1, 2))
    if name in ("sin", "cos"):
        return sine_and_cosine(a, -1)[name == "cos"]
    if name in ("sinh", "cosh"):
        return sine_and_cosine(a, 1)[name == "cosh"]
    if name == "tanh":
        s, c = sine_and_cosine(a, 1)
        return times(s, to_power(c, Fraction(-1)))
    if name == "asin":
        one = zero(len(a))
        one[0] = Fraction(1)
        root = to_power(plus(one, scaled(Fraction(-1), times(a, a))), Fraction(-1, 2))
        return integral(times(derivative(a), root), function("asin", a[0]))
    raise NoSeries(f"no series for {name}")


def factors_of(node: Node) -> dict[Node, Fraction] | None:
    """A product as powers of bases; none where there is a number or another exponent in it."""
    if node[0] == "product":
        result: dict[Node, Fraction] = {}
        for inverse, part in node[1]:
            inner = factors_of(part)
            if inner is None:
                return None
            for base, exponent in inner.items():
                result[base] = result.get(base, Fraction(0)) + (-exponent if inverse else exponent)
        return result
    if node[0] == "power" and not uses_points(node[2]):
        exponent = constant(node[2])
        if not is_exact(exponent):
            return {node: Fraction(1)}
        inner = factors_of(node[1])
        if inner is None:
            return None
        if len(inner) > 1 and exponent.denominator != 1:
            return {node: Fraction(1)}
        return {base: e * exponent for base, e in inner.items()}
    if node[0] == "call" and node[1] == "sqrt":
        return factors_of(("power", node[2][0], ("number", Fraction(1, 2))))
    if node[0] == "norm" and node[2] == 2:  # |v| = (|v|^2)^(1/2) with |v| as the base
        return {node: Fraction(1)}
    return {node: Fraction(1)}


def series(node: Node, t: Node, length: int) -> Series:
    """The coefficients of t^0 … t^(length-1) of an expression in t."""
    result = zero(length)
    if node == t:
        result[1] = Fraction(1)
        return result
    if not uses_points(node):
        result[0] = constant(node)
        return result
    kind = node[0]
    if kind == "sum":
        for sign, part in node[1]:
            result = plus(result, scaled(Fraction(sign), series(part, t, length)))
        return result
    if kind == "negate":
        return scaled(Fraction(-1), series(node[1], t, length))
    whole = whole_power_of(node, t)
    if whole is not None:
        if whole >= length:
            return result
        result[whole] = Fraction(1)
        return result
    if kind == "product":
        return of_product(node, t, length)
    if kind == "power":
        if not uses_points(node[2]):
            return to_power(series(node[1], t, length), constant(node[2]))
        exponent = series(node[2], t, length)
        return exponential(times(exponent, logarithm(series(node[1], t, length))))
    if kind == "call" and node[1] in FUNCTIONS:
        return of_function(node[1], series(node[2][0], t, length))
    raise NoSeries("it is not a function of t alone")


def whole_power_of(node: Node, t: Node) -> int | None:
    """n where the node is t^n."""
    a, b = factors_of(node), factors_of(t)
    if not a or not b or set(a) != set(b):
        return None
    ratios = {a[base] / b[base] for base in a}
    if len(ratios) != 1:
        return None
    n = ratios.pop()
    return n.numerator if n.denominator == 1 and n > 0 else None


def of_product(node: Node, t: Node, length: int) -> Series:
    result = zero(length)
    result[0] = Fraction(1)
    # What belongs to a power of t is taken out first: x1*z1*exp(x1*z1).
    left: dict[Node, Fraction] = {}
    for inverse, part in node[1]:
        if not uses_points(part):
            result = scaled(power(constant(part), Fraction(-1 if inverse else 1)), result)
            continue
        for base, exponent in (factors_of(part) or {}).items():
            left[base] = left.get(base, Fraction(0)) + (-exponent if inverse else exponent)
    of_t = factors_of(t) or {}
    if t not in left and all(base in left for base in of_t):
        n = min(int(left[base] / of_t[base]) for base in of_t)
        if n > 0:
            for base, exponent in of_t.items():
                left[base] -= n * exponent
            shifted = zero(length)
            shifted[n:] = result[: max(0, length - n)]
            result = shifted[:length]
    for base, exponent in left.items():
        if exponent == 0:
            continue
        if not uses_points(base):
            result = scaled(power(constant(base), exponent), result)
        else:
            result = times(result, to_power(series(base, t, length), exponent))
    return result


def value_at(coefficients: Sequence[Number], t: Number) -> Number:
    result = mp.mpf(0)
    for c in reversed(coefficients):
        result = result * real(t) + real(c)
    return result


__all__ = ["NoSeries", "Series", "series", "value_at", "LanguageError", "Undefined"]
