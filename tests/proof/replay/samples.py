"""Where a statement is tested: random pairs of points of its domain, in its dimensions."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from domains import Domain, Point
from language import (
    Number, TooLarge, Undefined, WrongDimension, compiled, dust, is_exact, number, parse, real, subtract,
)
from mpmath import mp

LETTERS = "ijklmn"  # names of indices that no sum around them explains
DIGITS = 40
CAREFUL = 400  # digits where 50 leave a doubt


class Failure(Exception):
    """A step that is not what it says."""


class Pair:
    """Two points, and the coordinate that each free index stands for."""

    def __init__(self, x: Point, z: Point, index: tuple[int, ...], key: int | None = None) -> None:
        self.x = x
        self.z = z
        self.index = index
        self.key = hash((x, z)) if key is None else key  # fractions are slow to hash

    def __hash__(self) -> int:
        return hash((self.key, self.index))

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Pair) and self.key == other.key and self.index == other.index
                and (self.x is other.x or self.x == other.x)
                and (self.z is other.z or self.z == other.z))

    def swapped(self) -> Pair:
        return Pair(self.z, self.x, self.index)

    def at(self, x: Point, z: Point) -> Pair:
        return Pair(x, z, self.index)

    def with_index(self, i: int) -> Pair:
        """Inside of a sum over coordinates: i is its index, the others are one further out."""
        return Pair(self.x, self.z, (i,) + self.index[:-1], self.key)

    def names(self) -> dict[str, int]:
        return dict(zip(LETTERS, self.index))

    def __str__(self) -> str:
        def text(p: Point) -> str:
            return "(" + ", ".join(map(str, p)) + ")"

        return f"x = {text(self.x)}, z = {text(self.z)}"


@dataclass
class Expression:
    """A text, and its values at pairs."""

    text: str
    known: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.node = parse(self.text)
        self.evaluate = compiled(self.node)

    def __call__(self, pair: Pair) -> Number:
        key = (pair, mp.dps)
        if key not in self.known:
            self.known[key] = number(self.evaluate(pair.x, pair.z, pair.names()))
        return self.known[key]


def close(a: Number, b: Number) -> bool:
    if is_exact(a) and is_exact(b):
        return a == b
    size = max(1, abs(real(a)), abs(real(b)))
    return abs(real(subtract(a, b))) <= mp.mpf(10) ** -DIGITS * size


def agree(left: Callable[[], Number], right: Callable[[], Number]) -> bool:
    """Whether two values are equal to 40 digits; computed with more where that is in doubt."""
    if close(left(), right()):
        return True
    with mp.workdps(CAREFUL):
        return close(left(), right())


def sign_of(value: Callable[[], Number]) -> int:
    v = value()
    if is_exact(v):
        return (v > 0) - (v < 0)
    if abs(v) > mp.mpf(10) ** -DIGITS:
        return 1 if v > 0 else -1
    with mp.workdps(CAREFUL):
        v = value()
        return 0 if abs(v) < mp.sqrt(dust()) else 1 if v > 0 else -1


class Samples:
    def __init__(self, domain: Domain, dimension: int | None, text: str, seed: int, few: int,
                 many: int) -> None:
        self.domain = domain
        self.dimension = dimension
        self.rng = random.Random(seed)
        self.expressions: dict[str, Expression] = {}
        self.dimensions = self.sensible(text)
        self.few = self.pairs(few)
        self._many = many
        self._more: list[Pair] | None = None

    @property
    def many(self) -> list[Pair]:
        if self._more is None:
            self._more = self.few + self.pairs(self._many)
        return self._more

    def expression(self, text: str) -> Expression:
        if text not in self.expressions:
            self.expressions[text] = Expression(text)
        return self.expressions[text]

    def sensible(self, text: str) -> list[int]:
        """The dimensions in which the expression has values; at most three of them."""
        function = self.expression(text)
        found = []
        for d in [self.dimension] if self.dimension else range(1, 13):
            try:
                function(self.pair(d))
            except WrongDimension:
                continue
            except (TooLarge, Undefined):
                pass
            found.append(d)
            if len(found) == 3:
                break
        if not found:
            raise Failure("it makes sense in no dimension")
        return found

    def pair(self, d: int) -> Pair:
        x, z = (self.domain.random_point(self.rng, d) for _ in range(2))
        return Pair(x, z, tuple(self.rng.randrange(d) for _ in LETTERS))

    def pairs(self, count: int) -> list[Pair]:
        """Pairs of all dimensions, with some equal points among them and some close ones."""
        result = []
        for n in range(count):
            pair = self.pair(self.dimensions[n % len(self.dimensions)])
            if n % 5 == 3:
                pair = pair.at(pair.x, pair.x)
            elif n % 5 == 4:
                near = tuple(c + Fraction(1, 1000) for c in pair.x)
                if self.domain.contains(near):
                    pair = pair.at(pair.x, near)
            result.append(pair)
        return result

    def elsewhere(self, domain: Domain, dimension: int | None, text: str) -> Samples:
        """For a premise about other points."""
        return Samples(domain, dimension, text, self.rng.randrange(2**32), len(self.few),
                       self._many)

    def third(self, pair: Pair) -> Point:
        return self.domain.random_point(self.rng, len(pair.x))
