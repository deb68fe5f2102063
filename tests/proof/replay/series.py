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
ONE = Fraction(1)


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


# ---- forms that can be compared: a coefficient and a key without one

Key = tuple
UNIT: Key = ("unit",)
shown: dict[Key, tuple[Node, Number]] = {}  # a node for each key, and its coefficient


def inward(node: Node) -> Node:
    """A selection of columns stands at the points: exp(k)[1:2] is exp(k[1:2])."""
    if node[0] != "select":
        return node
    inner = inward(node[1])

    def chosen(part: Node) -> Node:
        return inward(("select", part, node[2]))

    if inner[0] in ("sum", "product"):
        return (inner[0], tuple((sign, chosen(part)) for sign, part in inner[1]))
    if inner[0] == "negate":
        return ("negate", chosen(inner[1]))
    if inner[0] == "power":
        return ("power", chosen(inner[1]), chosen(inner[2]))
    if inner[0] == "call":
        return ("call", inner[1], tuple(chosen(part) for part in inner[2]))
    if inner[0] in ("number", "pi"):
        return inner
    return ("select", inner, node[2])


def form(node: Node) -> tuple[Number, Key]:
    node = inward(node)
    coefficient, key = form_of(node)
    shown.setdefault(key, (node, coefficient))
    return coefficient, key


def form_of(node: Node) -> tuple[Number, Key]:
    if not uses_points(node):
        return constant(node), UNIT
    kind = node[0]
    if kind == "negate":
        c, key = form(node[1])
        return -c, key
    if kind == "sum":
        terms: dict[Key, Number] = {}
        for sign, part in node[1]:
            c, key = form(part)
            terms[key] = add(terms.get(key, Fraction(0)), multiply(Fraction(sign), c))
        return of_terms({key: c for key, c in terms.items() if c != 0})
    if kind == "product" or (kind == "power" and not uses_points(node[2])):
        c, powers = powers_of(node)
        if len(powers) == 1 and set(powers.values()) == {Fraction(1)}:
            return c, next(iter(powers))
        return c, ("powers", frozenset(powers.items()))
    if kind == "call":
        parts = [form(a) for a in node[2]]
        return ONE, ("call", node[1], tuple((written(c), key) for c, key in parts))
    return ONE, node


def of_terms(terms: dict[Key, Number]) -> tuple[Number, Key]:
    if not terms:
        return Fraction(0), UNIT
    if len(terms) == 1:
        key, c = next(iter(terms.items()))
        return c, key
    ordered = sorted(terms.items(), key=lambda item: repr(item[0]))
    lead = ordered[0][1]
    return lead, ("terms", tuple((key, written(divide(c, lead))) for key, c in ordered))


def written(c: Number) -> Number | str:
    """What equal numbers have in common in spite of rounding."""
    return c if is_exact(c) else mp.nstr(c, 30)


def powers_of(node: Node) -> tuple[Number, dict[Key, Fraction]]:
    """A product as a coefficient and powers of keys."""
    node = inward(node)
    if not uses_points(node):
        return constant(node), {}
    if node[0] == "product":
        coefficient: Number = ONE
        result: dict[Key, Fraction] = {}
        for inverse, part in node[1]:
            c, powers = powers_of(part)
            sign = Fraction(-1 if inverse else 1)
            coefficient = multiply(coefficient, power(c, sign))
            for key, exponent in powers.items():
                result[key] = result.get(key, Fraction(0)) + sign * exponent
        return coefficient, {key: e for key, e in result.items() if e}
    if node[0] == "power" and not uses_points(node[2]):
        exponent = constant(node[2])
        if is_exact(exponent):
            c, powers = powers_of(node[1])
            if exponent.denominator == 1 or (len(powers) == 1 and c > 0):
                return power(c, exponent), {key: e * exponent for key, e in powers.items()}
        return ONE, {node: ONE}
    if node[0] == "power":
        return ONE, {node: ONE}
    c, key = form(node)
    if key[0] == "powers":
        return c, dict(key[1])
    return c, {} if key == UNIT else {key: ONE}


def series(node: Node, t: Node, length: int) -> Series:
    """The coefficients of t^0 … t^(length-1) of an expression in t."""
    node = inward(node)
    result = zero(length)
    if not uses_points(node):
        result[0] = constant(node)
        return result
    c, key = form(node)
    unit, key_of_t = form(t)
    if key == key_of_t:
        result[1] = divide(c, unit)
        return result
    if key == UNIT:
        result[0] = c
        return result
    kind = node[0]
    if kind == "sum":
        for sign, part in node[1]:
            result = plus(result, scaled(Fraction(sign), series(part, t, length)))
        return result
    if kind == "negate":
        return scaled(Fraction(-1), series(node[1], t, length))
    if kind == "power" and not uses_points(node[2]) and powers_of(node)[1] == {node: ONE}:
        return to_power(series(node[1], t, length), constant(node[2]))
    if kind == "product" or (kind == "power" and not uses_points(node[2])):
        return of_product(node, t, length)
    if kind == "power":
        exponent = series(node[2], t, length)
        return exponential(times(exponent, logarithm(series(node[1], t, length))))
    if kind == "call" and node[1] in FUNCTIONS:
        return of_function(node[1], series(node[2][0], t, length))
    raise NoSeries("it is not a function of t alone")


def of_product(node: Node, t: Node, length: int) -> Series:
    """What belongs to a power of t is taken out first: x1*z1*exp(x1*z1)."""
    coefficient, left = powers_of(node)
    unit, of_t = powers_of(t)
    result = zero(length)
    result[0] = coefficient
    if of_t and all(key in left for key in of_t):
        n = min(int(left[key] / of_t[key]) for key in of_t)
        if n > 0:
            for key, exponent in of_t.items():
                left[key] -= n * exponent
            result = [Fraction(0)] * n + scaled(power(unit, Fraction(-n)), result)
            result = result[:length]
    for key, exponent in left.items():
        if exponent == 0:
            continue
        part, c = shown[key] if key in shown else (key, ONE)
        if part == node:
            raise NoSeries("it is not a function of t alone")
        inner = scaled(divide(ONE, c), series(part, t, length))
        result = times(result, to_power(inner, exponent))
    return result


def value_at(coefficients: Sequence[Number], t: Number) -> Number:
    result = mp.mpf(0)
    for c in reversed(coefficients):
        result = result * real(t) + real(c)
    return result


__all__ = ["NoSeries", "Series", "series", "value_at", "LanguageError", "Undefined"]
