"""The sets that points are taken from: membership, decided exactly, and random points."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class Domain:
    kind: str  # reals, integers, naturals, interval, finite, ball, sphere
    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False
    values: tuple[Fraction, ...] = ()

    @staticmethod
    def parse(text: str) -> Domain:
        text = text.replace(" ", "")
        simple = {
            "R": Domain("reals"),
            "R+": Domain("interval", low=Fraction(0)),
            "R++": Domain("interval", low=Fraction(0), low_open=True),
            "Z": Domain("integers"),
            "N": Domain("naturals"),
            "sphere": Domain("sphere"),
        }
        if text in simple:
            return simple[text]
        if found := re.fullmatch(r"ball\((.+)\)", text):
            return Domain("ball", high=Fraction(found.group(1)))
        if found := re.fullmatch(r"\{(.+)\}", text):
            return Domain("finite", values=tuple(Fraction(v) for v in found.group(1).split(",")))
        if found := re.fullmatch(r"([\[(])([^,]+),([^,]+)([\])])", text):
            opening, low, high, closing = found.groups()
            return Domain("interval", Fraction(low), Fraction(high), opening == "(", closing == ")")
        raise ValueError(f"unknown domain {text}")

    def contains(self, point: Point) -> bool:
        if self.kind == "ball":
            return sum(c * c for c in point) <= self.high * self.high
        if self.kind == "sphere":
            return sum(c * c for c in point) == 1
        return all(self.contains_number(c) for c in point)

    def contains_number(self, c: Fraction) -> bool:
        if self.kind == "integers":
            return c.denominator == 1
        if self.kind == "naturals":
            return c.denominator == 1 and c >= 1
        if self.kind == "finite":
            return c in self.values
        if self.low is not None and (c < self.low or (c == self.low and self.low_open)):
            return False
        return self.high is None or c < self.high or (c == self.high and not self.high_open)

    def of_coordinates(self) -> Domain:
        """A set in which each coordinate of a point lies."""
        if self.kind == "sphere":
            return Domain("interval", Fraction(-1), Fraction(1))
        return Domain("interval", -self.high, self.high) if self.kind == "ball" else self

    def with_opposites(self) -> Domain:
        """A set with these points and their opposites."""
        if self.kind == "naturals":
            return Domain("integers")
        if self.kind == "finite":
            return Domain("finite", values=self.values + tuple(-v for v in self.values))
        if self.kind != "interval":
            return self
        if self.low is None or self.high is None:
            return Domain("reals")
        reach = max(abs(self.low), abs(self.high))
        return Domain("interval", -reach, reach)

    def random_number(self, rng: random.Random) -> Fraction:
        if self.kind == "finite":
            return rng.choice(self.values)
        if self.kind == "integers":
            return Fraction(rng.choice((0, 1, -1, rng.randint(-9, 9))))
        if self.kind == "naturals":
            return Fraction(rng.choice((1, 2, rng.randint(1, 12))))
        if self.low is not None and self.high is not None:
            width = self.high - self.low
            part = rng.choice(
                (Fraction(0), Fraction(1), Fraction(1, 1000), Fraction(999, 1000))
                + 6 * (Fraction(rng.randint(1, 96), 97),)
            )
            value = self.low + part * width
            return value if self.contains_number(value) else self.low + width / 2
        value = rng.choice(
            (Fraction(0), Fraction(1), Fraction(1, 100), Fraction(7))
            + 8 * (Fraction(rng.randint(-30, 30), rng.choice((7, 8, 9, 10))),)
        )
        if self.low is not None:
            value = self.low + abs(value)
            return value if self.contains_number(value) else self.low + Fraction(1, 3)
        return value * rng.choice((1, -1))

    def random_point(self, rng: random.Random, dimension: int) -> Point:
        if self.kind == "sphere":
            return self.random_direction(rng, dimension)
        if self.kind == "ball":
            length = self.high * rng.choice((Fraction(1), Fraction(rng.randint(0, 50), 50)))
            return tuple(length * c for c in self.random_direction(rng, dimension))
        return tuple(self.random_number(rng) for _ in range(dimension))

    @staticmethod
    def random_direction(rng: random.Random, dimension: int) -> Point:
        """A rational point of the unit sphere, by stereographic projection."""
        if rng.randint(1, 6) == 1:
            axis = rng.randrange(dimension)
            return tuple(Fraction(rng.choice((1, -1)) if i == axis else 0) for i in range(dimension))
        t = [Fraction(rng.randint(-12, 12), rng.choice((3, 4, 5))) for _ in range(dimension - 1)]
        square = sum(c * c for c in t)
        point = [2 * c / (square + 1) for c in t] + [(square - 1) / (square + 1)]
        rng.shuffle(point)
        return tuple(Fraction(c) for c in point)

    def all_points(self, dimension: int) -> list[Point]:
        """All points of a finite set."""
        if self.kind == "sphere" and dimension == 1:
            return [(Fraction(-1),), (Fraction(1),)]
        if self.kind == "interval" and self.low is not None and self.low == self.high:
            return [(self.low,) * dimension]
        if self.kind != "finite":
            raise ValueError("not a finite set")
        return list(product(sorted(set(self.values)), repeat=dimension))
