"""Polynomial kernels as m(x)ᵀ G m(z), and whether a rational matrix is positive semidefinite."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from domains import Domain
from language import Node, constant, is_exact, uses_points, whole_point

Variable = tuple[str, object]  # side and coordinate: a number from 1, or the name of an index
Monomial = tuple[tuple[Variable, int], ...]
Polynomial = dict[Monomial, Fraction]


class NotPolynomial(Exception):
    pass


def variable(side: str, name: object) -> Polynomial:
    return {(((side, name), 1),): Fraction(1)}


def number(c: Fraction) -> Polynomial:
    return {(): c} if c else {}


def plus(a: Polynomial, b: Polynomial, c: Fraction = Fraction(1)) -> Polynomial:
    result = dict(a)
    for m, v in b.items():
        result[m] = result.get(m, Fraction(0)) + c * v
        if not result[m]:
            del result[m]
    return result


def merged(a: Monomial, b: Monomial) -> Monomial:
    powers = dict(a)
    for v, n in b:
        powers[v] = powers.get(v, 0) + n
    return tuple(sorted(powers.items(), key=repr))


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for m, u in a.items():
        for n, v in b.items():
            key = merged(m, n)
            result[key] = result.get(key, Fraction(0)) + u * v
    return {m: v for m, v in result.items() if v}


def to_power(a: Polynomial, n: int) -> Polynomial:
    result = number(Fraction(1))
    for _ in range(n):
        result = times(result, a)
    return result


class Reader:
    """Expressions as polynomials in the coordinates of x and z in one dimension."""

    def __init__(self, columns: tuple[int, ...], index: Mapping[str, int] | None = None) -> None:
        self.columns = columns  # coordinates that are looked at, counted from 1
        self.index = dict(index or {})

    def vector(self, node: Node) -> list[Polynomial]:
        if whole_point(node):
            columns = self.columns
            if node[0] == "select":
                return Reader(tuple(columns[c - 1] for c in node[2]), self.index).vector(node[1])
            return [variable(node[1], c) for c in columns]
        if node[0] == "sum":
            result = [number(Fraction(0))] * len(self.columns)
            for sign, part in node[1]:
                result = [plus(a, b, Fraction(sign)) for a, b in zip(result, self.vector(part))]
            return result
        if node[0] == "negate":
            return [plus({}, p, Fraction(-1)) for p in self.vector(node[1])]
        if node[0] == "product":
            vectors = [n for inverse, n in node[1] if not inverse and self.is_vector(n)]
            if len(vectors) != 1:
                raise NotPolynomial
            rest = number(Fraction(1))
            for inverse, part in node[1]:
                if part is not vectors[0]:
                    rest = times(rest, self.inverse(part) if inverse else self.read(part))
            return [times(rest, p) for p in self.vector(vectors[0])]
        return [self.read(node)]

    def is_vector(self, node: Node) -> bool:
        if node[0] == "sum":
            return all(self.is_vector(n) for _, n in node[1])
        if node[0] == "negate":
            return self.is_vector(node[1])
        if node[0] == "product":
            return sum(self.is_vector(n) for _, n in node[1]) == 1
        return whole_point(node)

    def inverse(self, node: Node) -> Polynomial:
        p = self.read(node)
        if set(p) != {()}:
            raise NotPolynomial
        return number(1 / p[()])

    def read(self, node: Node) -> Polynomial:
        if not uses_points(node):
            value = constant(node)
            if not is_exact(value):
                raise NotPolynomial
            return number(value)
        return getattr(self, "read_" + node[0], self.refuse)(*node[1:])

    def refuse(self, *_: object) -> Polynomial:
        raise NotPolynomial

    def read_point(self, side: str) -> Polynomial:
        if len(self.columns) != 1:
            raise NotPolynomial
        return variable(side, self.columns[0])

    def read_coordinate(self, side: str, index: int) -> Polynomial:
        return variable(side, self.columns[index - 1])

    def read_index(self, side: str, name: str) -> Polynomial:
        return variable(side, self.index.get(name, name))

    def read_sum(self, terms: tuple) -> Polynomial:
        result: Polynomial = {}
        for sign, part in terms:
            result = plus(result, self.read(part), Fraction(sign))
        return result

    def read_negate(self, node: Node) -> Polynomial:
        return plus({}, self.read(node), Fraction(-1))

    def read_product(self, factors: tuple) -> Polynomial:
        result = number(Fraction(1))
        for inverse, part in factors:
            result = times(result, self.inverse(part) if inverse else self.read(part))
        return result

    def read_power(self, base: Node, exponent: Node) -> Polynomial:
        n = constant(exponent) if not uses_points(exponent) else None
        if n is None or not is_exact(n) or n.denominator != 1 or n < 0:
            raise NotPolynomial
        if base[0] == "norm" and n % 2 == 0:
            square: Polynomial = {}
            for p in self.vector(base[1]):
                square = plus(square, times(p, p))
            if base[2] == 2 or len(self.vector(base[1])) == 1:
                return to_power(square, n.numerator // 2)
        return to_power(self.read(base), n.numerator)

    def read_dot(self, left: Node, right: Node) -> Polynomial:
        result: Polynomial = {}
        for a, b in zip(self.vector(left), self.vector(right)):
            result = plus(result, times(a, b))
        return result

    def read_select(self, node: Node, columns: tuple[int, ...]) -> Polynomial:
        return Reader(tuple(self.columns[c - 1] for c in columns), self.index).read(node)

    def read_over(self, name: str, index: str, body: Node) -> Polynomial:
        result = number(Fraction(0 if name == "sum" else 1))
        for c in self.columns:
            part = Reader(self.columns, {**self.index, index: c}).read(body)
            result = plus(result, part) if name == "sum" else times(result, part)
        return result

    def read_anova(self, degree: int) -> Polynomial:
        result: Polynomial = {}
        for columns in combinations(self.columns, degree):
            part = number(Fraction(1))
            for c in columns:
                part = times(part, times(variable("x", c), variable("z", c)))
            result = plus(result, part)
        return result


def reduced(p: Polynomial, domain: Domain, dimension: int) -> Polynomial:
    """The same function on the domain, in monomials that are independent there."""
    changed = True
    while changed:
        changed = False
        result: Polynomial = {}
        for m, c in p.items():
            replacement = replace(m, domain, dimension)
            if replacement is None:
                result = plus(result, {m: c})
            else:
                changed = True
                result = plus(result, replacement, c)
        p = result
    return p


def replace(m: Monomial, domain: Domain, dimension: int) -> Polynomial | None:
    for v, n in m:
        side, name = v
        rest = {tuple(f for f in m if f[0] != v): Fraction(1)}
        if domain.kind == "sphere" and name == dimension and n >= 2:
            square = number(Fraction(1))
            for i in range(1, dimension):
                square = plus(square, to_power(variable(side, i), 2), Fraction(-1))
            return times(times(rest, to_power(variable(side, name), n - 2)), square)
        if domain.kind == "finite":
            values = sorted(set(domain.values))
            if n >= len(values):
                vanishing = number(Fraction(1))
                for value in values:
                    vanishing = times(vanishing, plus(variable(side, name), number(value),
                                                      Fraction(-1)))
                k = len(values)
                high = to_power(variable(side, name), k)
                lower = plus(high, vanishing, Fraction(-1))  # t^k as lower powers
                return times(times(rest, to_power(variable(side, name), n - k)), lower)
    return None


def gram(p: Polynomial) -> tuple[list[Monomial], dict[tuple[int, int], Fraction]]:
    """The monomials m and the entries of G."""
    place: dict[Monomial, int] = {}
    entries: dict[tuple[int, int], Fraction] = {}
    for m, c in p.items():
        sides = []
        for side in ("x", "z"):
            key = tuple((("t", v[1]), n) for v, n in m if v[0] == side)
            sides.append(place.setdefault(key, len(place)))
        entries[sides[0], sides[1]] = c
    return list(place), entries


def semidefinite(n: int, entries: Mapping[tuple[int, int], Fraction]) -> bool:
    """Exact elimination, one block of connected rows at a time; False where it is not symmetric."""
    rows: list[dict[int, Fraction]] = [{} for _ in range(n)]
    for (i, j), c in entries.items():
        if not c:
            continue
        if entries.get((j, i), 0) != c:
            return False
        rows[i][j] = c
    for i in range(n):
        pivot = rows[i].get(i, Fraction(0))
        if pivot < 0:
            return False
        if pivot == 0:
            if any(c for c in rows[i].values()):
                return False
            continue
        others = [(j, c) for j, c in rows[i].items() if j > i and c]
        for j, c in others:
            for k, e in others:
                rows[j][k] = rows[j].get(k, Fraction(0)) - c * e / pivot
            rows[j].pop(i, None)
    return True
