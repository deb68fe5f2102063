"""The kernel language, read and evaluated a second time.

Written from the description of the language alone, and in another way than the program: an expression
is evaluated at two concrete points, and whether `x` is a vector or a number shows when it is used.
Values are exact fractions as long as that is possible, and real numbers of `mp.dps` digits after that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, Union

from mpmath import mp, mpf

Number = Union[Fraction, mpf]
Node = tuple  # ("kind", ...): what parse() returns
Evaluator = Callable[[tuple, tuple, Mapping[str, int]], Any]

mp.dps = 50
LARGEST_EXPONENT = 10**12  # exp of more than this is not computed
SMALLEST_EXPONENT = 10**40


class LanguageError(Exception):
    """The text is not an expression."""


class Undefined(Exception):
    """There is no value at this point."""


class WrongDimension(Exception):
    """The expression makes no sense in this dimension."""


class TooLarge(Exception):
    """A value too large to compute with."""


class Vector(tuple):
    """A point, or a combination of points."""


# ---- numbers


def real(value: Number) -> mpf:
    if isinstance(value, Fraction):
        return mpf(value.numerator) / value.denominator
    return value


def is_exact(value: Number) -> bool:
    return isinstance(value, Fraction)


def add(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    return real(a) + real(b)


def subtract(a: Number, b: Number) -> Number:
    return add(a, -b)


def multiply(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction):
        if isinstance(b, Fraction):
            return a * b
        if a == 0:
            return a
        return b * a.numerator / a.denominator
    if isinstance(b, Fraction):
        return multiply(b, a)
    return a * b


def divide(a: Number, b: Number) -> Number:
    if b == 0:
        raise Undefined("division by zero")
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a / b
    return real(a) / real(b)


def total(values: Sequence[Number]) -> Number:
    result: Number = Fraction(0)
    for v in values:
        result = add(result, v)
    return result


def product(values: Sequence[Number]) -> Number:
    result: Number = Fraction(1)
    for v in values:
        result = multiply(result, v)
    return result


def dust() -> mpf:
    """What rounding leaves of a zero."""
    return mpf(10) ** (5 - mp.dps)


def root_of(value: Fraction) -> Fraction | None:
    """The exact square root, where there is one."""
    up, down = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if up * up == value.numerator and down * down == value.denominator:
        return Fraction(up, down)
    return None


def power(base: Number, exponent: Number) -> Number:
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        n = exponent.numerator
        if base == 0:
            if n < 0:
                raise Undefined("0 to a negative power")
            return Fraction(1 if n == 0 else 0)
        if isinstance(base, Fraction):
            bits = base.numerator.bit_length() + base.denominator.bit_length()
            if bits * abs(n) < 20000:
                return base**n
        if abs(n) * abs(mp.log(abs(real(base)))) > LARGEST_EXPONENT:
            raise TooLarge
        return real(base) ** n
    if base == 0 or (not is_exact(base) and -dust() < base < 0):
        if exponent <= 0:
            raise Undefined("0 to a power that is not positive")
        return Fraction(0)
    if base < 0:
        raise Undefined("a power of a negative number")
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 2:
        root = root_of(base)
        if root is not None:
            return power(root, Fraction(exponent.numerator))
    return function("exp", multiply(exponent, mp.log(real(base))))


def function(name: str, v: Number) -> Number:
    """The functions of one number."""
    if name == "abs":
        return abs(v)
    if name == "sqrt":
        return power(v, Fraction(1, 2))
    if v == 0 and name != "log":
        return Fraction(1 if name in ("exp", "cos", "cosh") else 0)
    if name == "log":
        if v == 1:
            return Fraction(0)
        if v <= 0:
            raise Undefined("the logarithm of a number that is not positive")
        return mp.log(real(v))
    if name in ("exp", "cosh", "sinh") and abs(v) > LARGEST_EXPONENT:
        if name == "exp" and -SMALLEST_EXPONENT < v < 0:
            return mp.exp(real(v))  # next to nothing, but a number
        raise TooLarge
    if name == "asin":
        if abs(v) > 1:
            if abs(real(v)) - 1 > dust():
                raise Undefined("asin beyond [-1,1]")
            return mp.asin(mp.sign(real(v)))
    return getattr(mp, name)(real(v))


FUNCTIONS = ("exp", "log", "sqrt", "cos", "sin", "cosh", "sinh", "tanh", "asin", "abs")


def matern(nu: Number, t: Number) -> Number:
    """2^(1-nu)/Gamma(nu) t^nu K_nu(t), 1 at t = 0."""
    nu, t = real(nu), real(t)
    if abs(t) < dust():
        return Fraction(1)
    if nu * 2 == int(nu * 2) and int(nu * 2) % 2 == 1:  # a half: a polynomial times exp(-t)
        n = int(nu - mpf(1) / 2)
        terms = (
            mpf(math.factorial(n + k)) / (math.factorial(k) * math.factorial(n - k))
            * (2 * t) ** (n - k)
            for k in range(n + 1)
        )
        return mp.exp(-t) * math.factorial(n) / math.factorial(2 * n) * sum(terms)
    return mp.power(2, 1 - nu) / mp.gamma(nu) * t**nu * mp.besselk(nu, t)


# ---- text to syntax

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<name>x'\d*|[A-Za-z_][A-Za-z_0-9]*|π)|(?P<sign>[-+*/^()\[\],:|.·<>=]))"
)

# The named kernels as they are defined: parameters with defaults, formula.
KERNELS: dict[str, tuple[dict[str, str], str]] = {
    "linear": ({}, "x.z"),
    "poly": ({"degree": "3", "c": "1", "gamma": "1"}, "(gamma*x.z + c)^degree"),
    "rbf": ({"gamma": "0.5"}, "exp(-gamma*|x-z|^2)"),
    "laplacian": ({"gamma": "1"}, "exp(-gamma*|x-z|_1)"),
    "rq": ({"alpha": "1", "length": "1"}, "(1 + |x-z|^2/(2*alpha*length^2))^(-alpha)"),
    "periodic": (
        {"period": "1", "length": "1"},
        "exp(-2*sum(i, sin(pi*(x[i]-z[i])/period)^2)/length^2)",
    ),
    "sigmoid": ({"gamma": "1", "c": "0"}, "tanh(gamma*x.z + c)"),
    "cosine": ({}, "x.z/(|x|*|z|)"),
    "intersection": ({}, "sum(i, min(x[i], z[i]))"),
    "chi2": ({"gamma": "1"}, "exp(-gamma*sum(i, (x[i]-z[i])^2/(x[i]+z[i])))"),
    "subsets": ({}, "prod(i, 1 + x[i]*z[i])"),
    "const": ({"c": "1"}, "c"),
    "matern": ({"nu": "1.5", "length": "1"}, ""),
    "anova": ({"degree": "2"}, ""),
}


class Parser:
    def __init__(self, text: str, parameters: Mapping[str, Node] | None = None) -> None:
        self.text = text
        self.parameters = parameters or {}
        self.tokens: list[tuple[str, str]] = []
        at = 0
        stripped = text.rstrip()
        while at < len(stripped):
            found = TOKEN.match(stripped, at)
            if not found:
                raise LanguageError(f"unreadable at column {at + 1}: {text}")
            self.tokens.append((str(found.lastgroup), found.group(str(found.lastgroup))))
            at = found.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, wanted: str | None = None) -> str:
        token = self.peek()
        if not token or (wanted is not None and token != wanted):
            raise LanguageError(f"expected '{wanted}' instead of '{token}': {self.text}")
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def run(self) -> Node:
        node = self.sum()
        if self.peek():
            raise LanguageError(f"'{self.peek()}' is left over: {self.text}")
        return node

    def sum(self) -> Node:
        terms = [(1, self.product())]
        while self.peek() in ("+", "-") and self.peek():
            sign = 1 if self.take() == "+" else -1
            terms.append((sign, self.product()))
        return terms[0][1] if len(terms) == 1 else ("sum", tuple(terms))

    def product(self) -> Node:
        factors = [(False, self.signed())]
        while self.peek() in ("*", "/") and self.peek():
            inverse = self.take() == "/"
            factors.append((inverse, self.signed()))
        return factors[0][1] if len(factors) == 1 else ("product", tuple(factors))

    def signed(self) -> Node:
        if self.accept("-"):
            return ("negate", self.signed())
        return self.power()

    def power(self) -> Node:
        base = self.dot()
        if self.accept("^"):
            return ("power", base, self.exponent())
        return base

    def exponent(self) -> Node:
        return ("negate", self.exponent()) if self.accept("-") else self.power()

    def dot(self) -> Node:
        left = self.selected()
        while self.peek() in (".", "·") and self.peek():
            self.take()
            left = ("dot", left, self.selected())
        return left

    def selected(self) -> Node:
        node = self.atom()
        while self.accept("["):
            kind = self.tokens[self.at][0]
            if kind == "name":
                if node[0] != "point":
                    raise LanguageError(f"only x and z have coordinates: {self.text}")
                node = ("index", node[1], self.take())
            else:
                columns: list[int] = []
                while True:
                    first = last = int(self.take())
                    if self.accept(":"):
                        last = int(self.take())
                    columns.extend(range(first, last + 1))
                    if not self.accept(","):
                        break
                node = ("select", node, tuple(columns))
            self.take("]")
        return node

    def atom(self) -> Node:
        if self.at >= len(self.tokens):
            raise LanguageError(f"the text ends too early: {self.text}")
        kind = self.tokens[self.at][0]
        token = self.take()
        if kind == "number":
            return ("number", Fraction(token))
        if token == "(":
            node = self.sum()
            self.take(")")
            return node
        if token == "|":
            node = self.sum()
            self.take("|")
            return ("norm", node, 1 if self.accept("_1") else 2)
        if token == "<":
            left = self.sum()
            self.take(",")
            right = self.sum()
            self.take(">")
            return ("dot", left, right)
        if kind == "name":
            return self.name(token)
        raise LanguageError(f"'{token}' is not expected here: {self.text}")

    def name(self, name: str) -> Node:
        if name in self.parameters:
            return self.parameters[name]
        if name in ("pi", "π"):
            return ("pi",)
        if name in ("x", "z"):
            return ("point", name)
        if name == "x'":
            return ("point", "z")
        if found := re.fullmatch(r"(x'|x|z)_?(\d+)", name):
            return ("coordinate", "x" if found.group(1) == "x" else "z", int(found.group(2)))
        if name in KERNELS:
            return self.kernel(name)
        self.take("(")
        if name in ("sum", "prod"):
            index = self.take()
            self.take(",")
            body = self.sum()
            self.take(")")
            return ("over", name, index, body)
        arguments = [self.sum()]
        while self.accept(","):
            arguments.append(self.sum())
        self.take(")")
        if name == "dot":
            return ("dot", *arguments)
        if name in ("norm", "norm1"):
            return ("norm", arguments[0], 1 if name == "norm1" else 2)
        if name not in FUNCTIONS and name not in ("min", "max", "normalize"):
            raise LanguageError(f"unknown name '{name}': {self.text}")
        return ("call", name, tuple(arguments))

    def kernel(self, name: str) -> Node:
        defaults, formula = KERNELS[name]
        given: dict[str, Node] = {}
        if self.accept("("):
            position = 0
            while not self.accept(")"):
                if position:
                    self.take(",")
                if self.at + 1 < len(self.tokens) and self.tokens[self.at + 1][1] == "=":
                    key = self.take()
                    self.take("=")
                else:
                    key = list(defaults)[position]
                given[key] = self.sum()
                position += 1
        if name == "rbf" and "sigma" in given:
            sigma = given.pop("sigma")
            given["gamma"] = ("product", ((False, ("number", Fraction(1, 2))),
                                          (True, ("power", sigma, ("number", Fraction(2))))))
        values = {key: given.get(key, parse(text)) for key, text in defaults.items()}
        if name == "matern":
            return ("matern", values["nu"], values["length"])
        if name == "anova":
            return ("anova", int(constant(values["degree"])))
        return Parser(formula, values).run()


@lru_cache(maxsize=20000)
def parse(text: str) -> Node:
    return Parser(text).run()


def constant(node: Node) -> Number:
    """The value of an expression without points."""
    return number(compiled(node)((), (), {}))


# ---- syntax to values


def number(value: Any) -> Number:
    if isinstance(value, Vector):
        if len(value) != 1:
            raise WrongDimension("a vector where a number is needed")
        return value[0]
    return value


def vector(value: Any) -> Vector:
    return value if isinstance(value, Vector) else Vector((value,))


@lru_cache(maxsize=20000)
def compiled(node: Node) -> Evaluator:
    return globals()["compile_" + node[0]](*node[1:])


def compile_number(value: Fraction) -> Evaluator:
    return lambda x, z, e: value


def compile_pi() -> Evaluator:
    return lambda x, z, e: +mp.pi


def compile_point(side: str) -> Evaluator:
    if side == "x":
        return lambda x, z, e: Vector(map(present, x))
    return lambda x, z, e: Vector(map(present, z))


def compile_coordinate(side: str, index: int) -> Evaluator:
    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Number:
        if index > len(x):
            raise WrongDimension(f"no coordinate {index}")
        return present((x if side == "x" else z)[index - 1])

    return run


def compile_index(side: str, name: str) -> Evaluator:
    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Number:
        if name not in e:
            raise LanguageError(f"'{name}' is not an index")
        return present((x if side == "x" else z)[e[name]])

    return run


def compile_sum(terms: tuple) -> Evaluator:
    parts = [(sign, compiled(node)) for sign, node in terms]

    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Any:
        values = [(sign, part(x, z, e)) for sign, part in parts]
        if all(isinstance(v, Vector) for _, v in values) and len({len(v) for _, v in values}) == 1:
            return Vector(
                total([c if sign > 0 else -c for sign, c in column])
                for column in zip(*([(sign, c) for c in v] for sign, v in values))
            )
        return total([number(v) if sign > 0 else -number(v) for sign, v in values])

    return run


def zero_by_convention(factors: tuple) -> bool:
    """Whether 0/0 is 0: x.z/(|x|*|z|) and (a-b)^2/(a+b)."""
    above = [node[1] if node[0] == "negate" else node for inverse, node in factors if not inverse]
    below = [node for inverse, node in factors if inverse]
    for node in below:
        if node[0] == "product" and all(not inverse for inverse, _ in node[1]):
            below = below + [part for _, part in node[1]]
    for node in above:
        if node[0] == "dot" and {n[0] for n in node[1:]} == {"point"}:
            if {("norm", n, 2) for n in node[1:]} <= set(below):
                return True
        if node[0] == "power" and node[2] == ("number", 2) and node[1][0] == "sum":
            terms = node[1][1]
            if len(terms) == 2 and [s for s, _ in terms] == [1, -1]:
                if ("sum", tuple((1, t) for _, t in terms)) in below:
                    return True
    return False


def compile_product(factors: tuple) -> Evaluator:
    parts = [(inverse, compiled(node)) for inverse, node in factors]
    zero = zero_by_convention(factors)

    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Any:
        above: list[Number] = []
        below: list[Number] = []
        point: Vector | None = None
        for inverse, part in parts:
            v = part(x, z, e)
            if inverse:
                below.append(number(v))
            elif not isinstance(v, Vector):
                above.append(v)
            elif point is None:
                point = v
            else:
                above += [number(point), number(v)]
                point = None
        if any(v == 0 for v in below):
            if zero and any(v == 0 for v in above):
                return Fraction(0)
            raise Undefined("division by zero")
        value = product(above)
        if below:
            value = divide(value, product(below))
        if point is None:
            return value
        return Vector(multiply(value, c) for c in point)

    return run


def compile_negate(node: Node) -> Evaluator:
    part = compiled(node)

    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Any:
        v = part(x, z, e)
        return Vector(-c for c in v) if isinstance(v, Vector) else -v

    return run


def compile_power(base: Node, exponent: Node) -> Evaluator:
    up = compiled(exponent)
    if base[0] == "norm" and base[2] == 2:  # |v|^p = (|v|^2)^(p/2), which is exact for even p
        inner = compiled(base[1])

        def of_norm(x: tuple, z: tuple, e: Mapping[str, int]) -> Number:
            v = inner(x, z, e)
            p = number(up(x, z, e))
            if not isinstance(v, Vector):
                return power(abs(v), p)
            return power(total([multiply(c, c) for c in v]), multiply(p, Fraction(1, 2)))

        return of_norm
    down = compiled(base)
    return lambda x, z, e: power(number(down(x, z, e)), number(up(x, z, e)))


def compile_dot(left: Node, right: Node) -> Evaluator:
    a, b = compiled(left), compiled(right)

    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Number:
        u, v = vector(a(x, z, e)), vector(b(x, z, e))
        if len(u) != len(v):
            raise WrongDimension("an inner product of vectors of different lengths")
        return total([multiply(s, t) for s, t in zip(u, v)])

    return run


def compile_norm(node: Node, order: int) -> Evaluator:
    inner = compiled(node)

    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Number:
        v = inner(x, z, e)
        if not isinstance(v, Vector):
            return abs(v)
        if order == 1:
            return total([abs(c) for c in v])
        return function("sqrt", total([multiply(c, c) for c in v]))

    return run


def chosen(point: tuple, columns: tuple) -> tuple:
    """Some coordinates; one that the point does not have is missed when it is used."""
    return tuple(point[c - 1] if c <= len(point) else None for c in columns)


def present(value: Number | None) -> Number:
    if value is None:
        raise WrongDimension("a coordinate that the points do not have")
    return value


def compile_select(node: Node, columns: tuple) -> Evaluator:
    inner = compiled(node)

    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Any:
        return inner(chosen(x, columns), chosen(z, columns), e)

    return run


def compile_over(name: str, index: str, body: Node) -> Evaluator:
    inner = compiled(body)
    combine = total if name == "sum" else product

    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Number:
        return combine([number(inner(x, z, {**e, index: i})) for i in range(len(x))])

    return run


def compile_call(name: str, arguments: tuple) -> Evaluator:
    if name == "normalize":
        return compile_normalize(arguments[0])
    parts = [compiled(a) for a in arguments]
    if name in ("min", "max"):
        best = min if name == "min" else max
        points = name == "min" and all(whole_point(a) for a in arguments)

        def extremum(x: tuple, z: tuple, e: Mapping[str, int]) -> Number:
            values = [part(x, z, e) for part in parts]
            if points:
                return total([pick(best, column) for column in zip(*map(vector, values))])
            return pick(best, [number(v) for v in values])

        return extremum
    inner = parts[0]
    return lambda x, z, e: function(name, number(inner(x, z, e)))


def pick(best: Callable, values: Sequence[Number]) -> Number:
    if all(is_exact(v) for v in values):
        return best(values)
    return best(values, key=real)


def whole_point(node: Node) -> bool:
    return node[0] == "point" or (node[0] == "select" and whole_point(node[1]))


def compile_normalize(node: Node) -> Evaluator:
    inner = compiled(node)

    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Number:
        at_x, at_z = number(inner(x, x, e)), number(inner(z, z, e))
        if at_x == 0 or at_z == 0:
            return Fraction(0)
        return divide(number(inner(x, z, e)), function("sqrt", multiply(at_x, at_z)))

    return run


def compile_matern(nu: Node, length: Node) -> Evaluator:
    def run(x: tuple, z: tuple, e: Mapping[str, int]) -> Number:
        order, scale = constant(nu), constant(length)
        squared = total([multiply(a - b, a - b) for a, b in zip(map(present, x), map(present, z))])
        t = multiply(2 * order, divide(squared, multiply(scale, scale)))
        return matern(order, function("sqrt", t))

    return run


def symmetric(values: Sequence[Number], degree: int) -> Number:
    """The sum over all sets of `degree` of the values of their products."""
    return total([product(chosen_values) for chosen_values in combinations(values, degree)])


def compile_anova(degree: int) -> Evaluator:
    return lambda x, z, e: symmetric([multiply(a, b) for a, b in zip(map(present, x), map(present, z))],
                                     degree)


# ---- looking at syntax


def parts_of(node: Any) -> list[Node]:
    """The node and all nodes in it."""
    if not isinstance(node, tuple):
        return []
    found = [node] if node and isinstance(node[0], str) else []
    for part in node:
        found += parts_of(part)
    return found


def uses_points(node: Node) -> bool:
    kinds = ("point", "coordinate", "index", "over", "matern", "anova")
    return any(part[0] in kinds for part in parts_of(node))
