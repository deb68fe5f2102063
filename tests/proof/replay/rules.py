"""What each rule of proof allows, checked step by step.

A checker knows its rule and nothing of the program. It is given what a step says: the expression that
it is about, the claim, the parameters, the premises with their claims. It checks that the step is an
instance of the rule (an identity, at random points to 40 digits; the claims of the premises) and the
conditions of the rule (signs of numbers exactly, signs and monotonicity of functions at many points,
coefficients of power series up to t^40, matrices of polynomials exactly).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import polynomials
from domains import Domain, Point
from language import (
    Node, Number, TooLarge, Undefined, add, compiled, divide, function, is_exact, matern, multiply,
    number, parts_of, power, product, real, subtract, symmetric, total, uses_points,
    WrongDimension,
)
from mpmath import mp
from samples import CAREFUL, Expression, Failure, Pair, Samples, agree, sign_of
from series import NoSeries, Series, form, series, shown, value_at
from transforms import NoFunction, function_of, in_terms_of, signs_of_derivatives, spectrum

KERNEL = "is a kernel"
CONDITIONAL = "is conditionally positive definite"
DIVISIBLE = "is infinitely divisible"
# A claim, and what follows from it.
IMPLIES = {
    KERNEL: {KERNEL, CONDITIONAL},
    CONDITIONAL: {CONDITIONAL},
    DIVISIBLE: {DIVISIBLE, KERNEL, CONDITIONAL},
}
ORDER = 41  # coefficients of power series that are looked at
Value = Callable[[Pair], Number]
ONE = Fraction(1)


@dataclass
class Step:
    rule: str
    subject: Expression
    claim: str
    given: dict[str, Expression]
    premises: list[Expression]
    claims: list[str]
    samples: Samples
    below: dict[int, Samples] = field(default_factory=dict)  # premises about other points

    def require(self, condition: bool, message: str) -> None:
        if not condition:
            raise Failure(message)

    # ---- what the step says

    def concludes(self, *claims: str) -> None:
        self.require(self.claim in claims, f"the rule does not show that it {self.claim}")

    def rests_on(self, *claims: str) -> None:
        self.require(len(self.claims) == len(claims),
                     f"{len(self.claims)} premises where the rule has {len(claims)}")
        for have, need in zip(self.claims, claims):
            self.require(need in IMPLIES.get(have, set()),
                         f"a premise {have} where the rule needs one that {need}")

    def all_rest_on(self, claim: str) -> None:
        self.rests_on(*[claim] * len(self.claims))

    def parameter(self, name: str) -> Expression:
        self.require(name in self.given, f"the parameter {name} is missing")
        return self.given[name]

    def constant(self, name: str) -> Number:
        e = self.parameter(name)
        self.require(not uses_points(e.node), f"{name} is not a constant")
        return number(e.evaluate((), (), {}))

    def sign(self, name: str) -> int:
        return sign_of(lambda: self.constant(name))

    # ---- what is tested at points

    def each(self, pairs: list[Pair], test: Callable[[Pair], str | None]) -> None:
        tested = 0
        for pair in pairs:
            try:
                complaint = test(pair)
            except TooLarge:
                continue
            except Undefined as error:
                raise Failure(f"undefined at {pair}: {error}") from None
            if complaint:
                raise Failure(f"{complaint} at {pair}")
            tested += 1
        self.require(tested > 0, "no point at which it could be tested")

    def identity(self, value: Value, message: str = "it is not what the rule says") -> None:
        """The subject is this function."""

        def test(pair: Pair) -> str | None:
            if agree(lambda: self.subject(pair), lambda: value(pair)):
                return None
            return (f"{message}: {mp.nstr(real(self.subject(pair)), 15)} instead of "
                    f"{mp.nstr(real(value(pair)), 15)}")

        self.each(self.samples.few, test)

    def positive_multiple(self, value: Value) -> None:
        """The subject is this function times a constant > 0."""
        best: tuple[Number, Pair] | None = None
        for pair in self.samples.few:
            try:
                v = value(pair)
                self.subject(pair)
            except (TooLarge, Undefined):
                continue
            if best is None or abs(real(v)) > abs(real(best[0])):
                best = (v, pair)
        self.require(best is not None, "no point at which it could be tested")
        there = best[1]
        if sign_of(lambda: value(there)) == 0:
            self.identity(value)
            return

        def factor() -> Number:
            return divide(self.subject(there), value(there))

        self.require(sign_of(factor) > 0, "it is a negative multiple of what the rule says")
        self.identity(lambda pair: multiply(factor(), value(pair)))

    def at_least_zero(self, value: Value, what: str, strictly: bool = False) -> None:
        def test(pair: Pair) -> str | None:
            sign = sign_of(lambda: value(pair))
            if sign < 0 or (strictly and sign == 0):
                return f"{what} is {mp.nstr(real(value(pair)), 15)}"
            return None

        self.each(self.samples.many, test)

    def depends_on_x_only(self, e: Expression, name: str) -> None:
        def test(pair: Pair) -> str | None:
            other = pair.at(pair.x, self.samples.third(pair))
            return None if agree(lambda: e(pair), lambda: e(other)) else f"{name} depends on z"

        self.each(self.samples.few, test)

    def difference(self, name: str) -> Expression:
        """A parameter of the form f(x) - f(z): D(x,z) + D(z,w) = D(x,w), and D(x,x) = 0."""
        d = self.parameter(name)

        def test(pair: Pair) -> str | None:
            w = self.samples.third(pair)
            there, onward = pair.at(pair.x, w), pair.at(pair.z, w)
            if not agree(lambda: add(d(pair), d(onward)), lambda: d(there)):
                return "not a difference f(x) - f(z)"
            if sign_of(lambda: d(pair.at(pair.x, pair.x))) != 0:
                return "a difference that is not 0 at x = z"
            return None

        self.each(self.samples.few, test)
        return d

    def separate(self, e: Expression) -> None:
        """f(x) + f(z): symmetric, and F(x,z) + F(w,v) = F(x,v) + F(w,z)."""

        def test(pair: Pair) -> str | None:
            w, v = self.samples.third(pair), self.samples.third(pair)
            if not agree(lambda: e(pair), lambda: e(pair.swapped())):
                return "f(x) + f(z) is not symmetric"
            if not agree(lambda: add(e(pair), e(pair.at(w, v))),
                         lambda: add(e(pair.at(pair.x, v)), e(pair.at(w, pair.z)))):
                return "not of the form f(x) + f(z)"
            return None

        self.each(self.samples.few, test)

    # ---- sums and products over coordinates

    def over_coordinates(self, combine: Callable[[list[Number]], Number],
                         rest: Callable[[Number, Pair], Number] = lambda v, pair: v) -> None:
        """The subject is the premise combined over all coordinates, or over chosen columns."""
        choices: list[tuple[int, ...] | None] = [None]
        choices += sorted({part[2] for part in parts_of(self.subject.node) if part[0] == "select"})
        first: Failure | None = None
        for body, samples in self.bodies():
            for columns in choices:

                def values(pair: Pair) -> list[Number]:
                    chosen = range(1, len(pair.x) + 1) if columns is None else columns
                    return [body(pair, c - 1) for c in chosen]

                try:
                    self.identity(lambda pair: rest(combine(values(pair)), pair))
                except (Failure, WrongDimension) as failure:
                    first = first or Failure(str(failure))
                    continue
                self.below[0] = samples
                return
        raise first or Failure("nothing to sum")

    def bodies(self) -> list[tuple[Callable[[Pair, int], Number], Samples]]:
        """The first premise at a coordinate: written with a free index, or for numbers x and z."""
        body = self.premises[0]
        ways = [(lambda pair, i: body(pair.with_index(i)), self.samples)]
        if not any(part[0] == "index" for part in parts_of(body.node)):
            numbers = self.samples.elsewhere(self.samples.domain.of_coordinates(), 1, body.text)
            of_numbers = numbers.expression(body.text)
            ways.append((lambda pair, i: of_numbers(
                Pair((pair.x[i],), (pair.z[i],), (0,) * len(pair.index))), numbers))
        return ways


Checker = Callable[[Step], None]
CHECKERS: dict[str, Checker] = {}


def rule(*names: str) -> Callable[[Checker], Checker]:
    def register(checker: Checker) -> Checker:
        for name in names:
            CHECKERS[name] = checker
        return checker

    return register


def check(step: Step) -> None:
    if step.rule not in CHECKERS:
        raise Failure(f"no checker for rule {step.rule}")
    step.require(step.claim in IMPLIES, f"unknown claim: {step.claim}")
    CHECKERS[step.rule](step)


# ---- constants


def constant_subject(step: Step) -> int:
    step.rests_on()
    node = step.subject.node
    step.require(not uses_points(node), "it is not a constant")
    return sign_of(lambda: number(compiled(node)((), (), {})))


@rule("constant")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.require(constant_subject(step) >= 0, "a negative constant")


@rule("constant, conditionally")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    constant_subject(step)


@rule("positive constant")
def _(step: Step) -> None:
    step.concludes(DIVISIBLE)
    step.require(constant_subject(step) > 0, "a constant that is not positive")


# ---- sums and products


def weights(step: Step) -> list[Number]:
    names = [f"c{n + 1}" for n in range(len(step.premises))]
    for name in names:
        step.require(step.sign(name) >= 0, f"the weight {name} is negative")
    return [step.constant(name) for name in names]


def weighted(step: Step, pair: Pair) -> Number:
    c = [step.constant(f"c{n + 1}") for n in range(len(step.premises))]
    return total([multiply(w, p(pair)) for w, p in zip(c, step.premises)])


@rule("sum", "multiple")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.all_rest_on(KERNEL)
    weights(step)
    rest: Number = Fraction(0)
    if "constant" in step.given:
        step.require(step.sign("constant") >= 0, "the constant is negative")
        rest = step.constant("constant")
    step.identity(lambda pair: add(weighted(step, pair), rest))


@rule("sum, conditionally")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    step.all_rest_on(CONDITIONAL)
    weights(step)
    separate = step.given.get("f(x) + f(z)")
    if separate:
        step.separate(separate)
    step.identity(
        lambda pair: add(weighted(step, pair), separate(pair) if separate else Fraction(0)))


def with_factor(step: Step, pair: Pair) -> Number:
    f = step.given.get("f(x)")
    values = [p(pair) for p in step.premises]
    if f:
        values += [f(pair), f(pair.swapped())]
    return product(values)


@rule("product")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.all_rest_on(KERNEL)
    step.identity(lambda pair: product([p(pair) for p in step.premises]))


@rule("one feature", "f(x) k f(z)")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.all_rest_on(KERNEL)
    step.require(bool(step.premises) == (step.rule != "one feature"), "premises and rule disagree")
    step.depends_on_x_only(step.parameter("f(x)"), "f(x)")
    step.identity(lambda pair: with_factor(step, pair))


@rule("product, divisible")
def _(step: Step) -> None:
    step.concludes(DIVISIBLE)
    step.all_rest_on(DIVISIBLE)
    if "f(x)" in step.given:
        f = step.given["f(x)"]
        step.depends_on_x_only(f, "f(x)")
        step.at_least_zero(f, "f(x)", strictly=True)
    step.identity(lambda pair: with_factor(step, pair))


@rule("power")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL)
    n = step.constant("n")
    step.require(is_exact(n) and n.denominator == 1 and n >= 1, "n is not a whole number from 1")
    step.identity(lambda pair: power(step.premises[0](pair), n))


@rule("real power")
def _(step: Step) -> None:
    step.concludes(KERNEL, DIVISIBLE)
    step.rests_on(DIVISIBLE)
    step.require(step.sign("r") > 0, "r is not positive")
    step.identity(lambda pair: power(step.premises[0](pair), step.constant("r")))


@rule("normalization")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL)
    k = step.premises[0]

    def normalized(pair: Pair) -> Number:
        at_x, at_z = k(pair.at(pair.x, pair.x)), k(pair.at(pair.z, pair.z))
        if at_x == 0 or at_z == 0:
            return Fraction(0)
        return divide(k(pair), function("sqrt", multiply(at_x, at_z)))

    step.identity(normalized)


# ---- over coordinates


@rule("sum over coordinates")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL)
    step.over_coordinates(total)


@rule("product over coordinates")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL)
    step.over_coordinates(product)


@rule("product over coordinates, divisible")
def _(step: Step) -> None:
    step.concludes(DIVISIBLE)
    step.rests_on(DIVISIBLE)
    step.over_coordinates(product)


@rule("sum over sets of coordinates")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL)
    degrees = {part[1] for part in parts_of(step.subject.node) if part[0] == "anova"}
    step.require(len(degrees) == 1, "no sum over sets of one size")
    degree = degrees.pop()
    step.over_coordinates(lambda values: symmetric(values, degree))


@rule("sum over coordinates, conditionally")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    step.rests_on(CONDITIONAL)
    weights(step)
    step.over_coordinates(total, lambda v, pair: multiply(step.constant("c1"), v))


@rule("one sum over coordinates")
def _(step: Step) -> None:
    step.concludes(KERNEL, CONDITIONAL)
    step.require(len(step.premises) in (1, 2), "one sum, and what is left")
    step.all_rest_on(step.claim)
    others = step.premises[1:]
    step.over_coordinates(total, lambda v, pair: total([v] + [p(pair) for p in others]))


@rule("part of a product")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL, KERNEL)
    step.require(step.sign("c") >= 0, "c is negative")
    sizes = [step.constant(name) for name in step.given if name.startswith("p")]
    step.require(all(is_exact(p) and p.denominator == 1 and p >= 0 for p in sizes),
                 "a number of coordinates that is not whole")
    step.require(len(set(sizes)) == len(sizes), "a number of coordinates occurs twice")
    others = step.premises[1]

    def combine(values: list[Number]) -> Number:
        whole = product([add(ONE, v) for v in values])
        parts = total([symmetric(values, int(p)) for p in sizes])
        return multiply(step.constant("c"), subtract(whole, parts))

    step.over_coordinates(combine, lambda v, pair: add(v, others(pair)))


@rule("part of a power")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL, KERNEL)
    step.require(step.sign("c") >= 0, "c is negative")
    n = step.constant("n")
    step.require(is_exact(n) and n.denominator == 1 and n >= 1, "n is not a whole number from 1")
    others = step.premises[1]

    def combine(values: list[Number]) -> Number:
        whole = power(total(values), n)
        return multiply(step.constant("c"), subtract(whole, total([power(v, n) for v in values])))

    step.over_coordinates(combine, lambda v, pair: add(v, others(pair)))


@rule("shared constant")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL)
    step.require(step.sign("c") >= 0, "c is negative")
    m = step.constant("m")
    step.require(is_exact(m) and m.denominator == 1 and m >= 1, "m is not a whole number from 1")
    step.require(all(d >= m for d in step.samples.dimensions), "there are fewer coordinates")
    part = divide(step.constant("c"), m)
    step.over_coordinates(total, lambda v, pair: add(v, multiply(Fraction(len(pair.x)) - m, part)))


@rule("positive part of a product")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    f = step.parameter("f(x)")
    step.depends_on_x_only(f, "f(x)")

    def part(pair: Pair) -> Number:
        value = multiply(f(pair), f(pair.swapped()))
        return value if sign_of(lambda: multiply(f(pair), f(pair.swapped()))) > 0 else Fraction(0)

    step.positive_multiple(part)


# ---- the same function in another form


@rule("multiply out", "joined exponentials", "power of a product", "on the domain",
      "addition theorems", "products of waves", "another form")
def _(step: Step) -> None:
    step.rests_on(step.claim)
    step.identity(step.premises[0], "it is another function")


@rule("a kernel, conditionally")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    step.rests_on(KERNEL)
    step.identity(step.premises[0], "it is another function")


@rule("function of min and max")
def _(step: Step) -> None:
    step.rests_on(step.claim)
    step.identity(step.premises[0], "it is another function")


# ---- conditionally positive definite


@rule("squared difference")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    step.rests_on()
    d = step.difference("f(x) - f(z)")
    step.positive_multiple(lambda pair: -multiply(d(pair), d(pair)))


@rule("squared sine of a difference")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    step.rests_on()
    d = step.difference("f(x) - f(z)")
    step.positive_multiple(lambda pair: -power(function("sin", d(pair)), Fraction(2)))


@rule("absolute value")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    step.rests_on(CONDITIONAL)
    step.positive_multiple(lambda pair: -function("sqrt", -step.premises[0](pair)))


@rule("chi-squared distance")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    step.rests_on()
    a, b = step.parameter("a"), step.parameter("b")
    step.depends_on_x_only(a, "a")
    step.at_least_zero(a, "a")
    step.each(step.samples.few, lambda pair: None if agree(lambda: a(pair.swapped()),
                                                           lambda: b(pair)) else "b is not g(z)")

    def distance(pair: Pair) -> Number:
        u, v = a(pair), b(pair)
        if u == 0 and v == 0:
            return Fraction(0)
        return -divide(power(subtract(u, v), Fraction(2)), add(u, v))

    step.positive_multiple(distance)


@rule("power of negative type")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    step.rests_on(CONDITIONAL)
    a = step.constant("a")
    step.require(0 < a <= 1, "the exponent is not in (0,1]")
    minus_u = step.premises[0]
    step.at_least_zero(lambda pair: -minus_u(pair), "u")
    step.positive_multiple(lambda pair: -power(-minus_u(pair), a))


@rule("logarithm of negative type")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    step.rests_on(CONDITIONAL)
    minus_u = step.premises[0]
    step.at_least_zero(lambda pair: -minus_u(pair), "u", strictly=True)
    step.positive_multiple(lambda pair: -function("log", -minus_u(pair)))


@rule("logarithm of divisible")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    step.rests_on(DIVISIBLE)
    step.identity(lambda pair: function("log", step.premises[0](pair)))


# ---- from conditionally positive definite to kernels


@rule("exp")
def _(step: Step) -> None:
    step.concludes(KERNEL, DIVISIBLE)
    step.rests_on(CONDITIONAL)
    if "b" in step.given:
        step.require(step.sign("b") > 0, "b is not positive")

    def value(pair: Pair) -> Number:
        exponent = step.premises[0](pair)
        if "b" in step.given:
            exponent = multiply(exponent, abs(function("log", step.constant("b"))))
        return function("exp", exponent)

    step.identity(value)


def factor_of(step: Step) -> Number:
    """The parameter c, where it is given."""
    if "c" not in step.given:
        return ONE
    step.require(step.sign("c") > 0, "c is not positive")
    return step.constant("c")


@rule("inverse power of negative type")
def _(step: Step) -> None:
    step.concludes(KERNEL, DIVISIBLE)
    step.rests_on(CONDITIONAL)
    step.require(step.sign("r") > 0, "r is not positive")
    c, minus_u = factor_of(step), step.premises[0]
    step.at_least_zero(lambda pair: -minus_u(pair), "u", strictly=True)
    step.identity(lambda pair: multiply(c, power(-minus_u(pair), -step.constant("r"))))


@rule("Matérn of negative type")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(*(CONDITIONAL, KERNEL)[: max(1, len(step.claims))])
    step.require(step.sign("nu") > 0, "nu is not positive")
    u = step.parameter("u")
    step.at_least_zero(u, "u")
    step.each(step.samples.few, lambda pair: None if agree(lambda: -u(pair),
                                                           lambda: step.premises[0](pair))
              else "the premise is not about -u")
    if "factor" in step.given:
        step.require(step.sign("factor") >= 0, "the factor is negative")

    def value(pair: Pair) -> Number:
        v = matern(step.constant("nu"), function("sqrt", u(pair)))
        if "factor" in step.given:
            v = multiply(v, step.constant("factor"))
        return product([v] + [p(pair) for p in step.premises[1:]])

    step.identity(value)


@rule("centred")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(CONDITIONAL)
    step.identity(step.premises[0], "the premise is about another function")
    o = step.constant("o")
    step.require(step.sign("a") >= 0, "a is negative")
    step.require(is_exact(o), "o is not a rational number")

    def test(pair: Pair) -> str | None:
        point = (o,) * len(pair.x)
        if not step.samples.domain.contains(point):
            return "o is not a point of the domain"
        there = pair.at(pair.x, point)
        if not agree(lambda: step.subject(there), lambda: step.constant("a")):
            return "it is not a where z is o"
        return None

    step.each(step.samples.many, test)


@rule("pinned")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL)
    k, o = step.premises[0], step.constant("o")
    step.require(is_exact(o), "o is not a rational number")

    def points(pair: Pair) -> tuple[Number, Number, Number]:
        point = (o,) * len(pair.x)
        if not step.samples.domain.contains(point):
            raise Failure("o is not a point of the domain")
        return k(pair.at(pair.x, point)), k(pair.at(point, pair.z)), k(pair.at(point, point))

    step.at_least_zero(lambda pair: points(pair)[2], "k(o,o)", strictly=True)

    def value(pair: Pair) -> Number:
        of_x, of_z, there = points(pair)
        return subtract(k(pair), divide(multiply(of_x, of_z), there))

    step.identity(value)


@rule("odd part", "even part")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    odd = step.rule == "odd part"
    step.rests_on(CONDITIONAL if odd else KERNEL)
    samples = step.samples.elsewhere(step.samples.domain.with_opposites(), step.samples.dimension,
                                     step.premises[0].text)
    step.below[0] = samples
    k = samples.expression(step.premises[0].text)

    def opposite(point: Point) -> Point:
        return tuple(-c for c in point)

    def test(pair: Pair) -> str | None:
        turned = pair.at(opposite(pair.x), opposite(pair.z))
        return None if agree(lambda: k(pair), lambda: k(turned)) else "k(-x,-z) is not k(x,z)"

    step.each(samples.few, test)
    step.each(step.samples.few, test)
    sign = Fraction(-1 if odd else 1)
    step.identity(
        lambda pair: add(k(pair), multiply(sign, k(pair.at(pair.x, opposite(pair.z))))))


# ---- axioms


@rule("cosine of a difference")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    d = step.difference("f(x) - f(z)")
    step.identity(lambda pair: function("cos", d(pair)))


@rule("triangle")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    step.require(step.sign("a") >= 0 and step.sign("c") >= 0, "a or c is negative")
    d = step.difference("f(x) - f(z)")

    def value(pair: Pair) -> Number:
        v = subtract(step.constant("c"), multiply(step.constant("a"), abs(d(pair))))
        return v if v > 0 else Fraction(0)

    step.identity(value)
    step.at_least_zero(step.subject, "it")


def minimum(step: Step) -> None:
    step.rests_on()
    e = step.parameter("extremum")
    node: Node = e.node
    if node[0] == "over":
        node = node[3]
    step.require(node[0] == "call" and node[1] in ("min", "max"), "no minimum and no maximum")
    best = min if node[1] == "min" else max

    def test(pair: Pair) -> str | None:
        at_x, at_z = pair.at(pair.x, pair.x), pair.at(pair.z, pair.z)
        if not agree(lambda: e(pair), lambda: best(e(at_x), e(at_z), key=real)):
            return "the extremum is not one of f(x) and f(z)"
        k = step.subject
        if not agree(lambda: k(pair), lambda: min(k(at_x), k(at_z), key=real)):
            return "it is not min(g(x), g(z))"
        # It sees the points through the extremum alone.
        there = at_x if agree(lambda: e(pair), lambda: e(at_x)) else at_z
        return None if agree(lambda: k(pair), lambda: k(there)) else "not a function of the extremum"

    step.each(step.samples.many, test)


@rule("minimum")
def _(step: Step) -> None:
    step.concludes(KERNEL, DIVISIBLE)
    minimum(step)
    step.at_least_zero(step.subject, "it", strictly=step.claim == DIVISIBLE)


@rule("minimum, conditionally")
def _(step: Step) -> None:
    step.concludes(CONDITIONAL)
    minimum(step)


# ---- functions of two numbers, in order


def number_of(e: Expression, pair: Pair, point: Point) -> Number:
    """A parameter that is a function of the number x."""
    return e(pair.at(point, point))


def ordered(pair: Pair) -> tuple[Point, Point]:
    return min(pair.x, pair.z), max(pair.x, pair.z)


@rule("Green's function")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    u, v = step.parameter("u"), step.parameter("v")
    step.require(step.samples.dimensions == [1], "not about numbers")
    step.depends_on_x_only(u, "u")
    step.depends_on_x_only(v, "v")
    step.at_least_zero(u, "u")
    step.at_least_zero(v, "v")

    def value(pair: Pair) -> Number:
        low, high = ordered(pair)
        return multiply(number_of(u, pair, low), number_of(v, pair, high))

    def rise(pair: Pair) -> Number:
        low, high = ordered(pair)
        return subtract(multiply(number_of(u, pair, high), number_of(v, pair, low)), value(pair))

    step.identity(value)
    step.at_least_zero(rise, "the rise of u/v")


@rule("integrated kernel")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL)
    step.require(step.samples.dimensions == [1], "not about numbers")
    step.require(step.samples.domain.low == 0, "the numbers do not begin at 0")
    step.require(step.sign("constant") >= 0, "the constant is negative")
    jump = step.parameter("jump")
    step.depends_on_x_only(jump, "the jump")
    step.at_least_zero(jump, "the jump")
    zero = (Fraction(0),)

    def k(x: Number, z: Number) -> mp.mpf:
        return real(number(step.subject.evaluate((x,), (z,), {})))

    def test(pair: Pair) -> str | None:
        there = pair.at(zero, pair.z)
        if not agree(lambda: step.subject(there), lambda: step.constant("constant")):
            return "it is not constant where x is 0"
        low, high = (real(p[0]) for p in ordered(pair))
        if low == 0 or pair.x == pair.z:
            return None
        near = mp.mpf(10) ** -15
        mixed = mp.diff(k, (low, high), (1, 1))
        if abs(mixed - real(step.premises[0](pair))) > near * max(1, abs(mixed)):
            return "the premise is not its mixed derivative"
        slope = (mp.diff(lambda t: k(t, high), high, direction=-1)
                 - mp.diff(lambda t: k(high, t), high, direction=1))
        if abs(slope - real(number_of(jump, pair, (high,)))) > near * max(1, abs(slope)):
            return "the jump is not that of its slope"
        return None

    step.each(step.samples.few, test)


# ---- functions of distances


def of_part(step: Step, part: Expression) -> Node:
    try:
        return in_terms_of(step.subject.node, part.node)
    except NoFunction as error:
        raise Failure(f"it is not a function of {part.text} alone: {error}") from None


def nonnegative_spectrum(h: Callable[[Number], Number], d: int) -> None:
    for w, value in spectrum(h, d):
        if value < -1e-9:
            raise Failure(f"the spectral density at {w} is {value:.3g}")


@rule("rational spectral density")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    d = step.difference("f(x) - f(z)")
    h = function_of(of_part(step, d))
    step.identity(lambda pair: h(d(pair)))
    step.each(step.samples.few, lambda pair: None if agree(lambda: h(d(pair)), lambda: h(-d(pair)))
              else "it is not even")
    step.require(h(Fraction(10**4)) >= -mp.mpf(10) ** -30, "its limit is negative")
    nonnegative_spectrum(h, 1)


@rule("Gaussian spectral density")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    d = step.constant("d")
    step.require(d == step.samples.dimension or step.samples.dimensions == [d],
                 "it is about another dimension")
    s = step.parameter("s")
    squared_distance(step, s)
    h = function_of(of_part(step, s))
    step.identity(lambda pair: h(s(pair)))
    step.require(h(Fraction(10**4)) >= -mp.mpf(10) ** -30, "its limit is negative")
    nonnegative_spectrum(lambda r: h(r * r), int(d))


def squared_distance(step: Step, s: Expression) -> None:
    """A multiple of |x-z|², or of the same over some columns."""

    def test(pair: Pair) -> str | None:
        parts = []
        for i, (a, b) in enumerate(zip(pair.x, pair.z)):
            shifted = pair.x[:i] + (b,) + pair.x[i + 1:]
            parts.append((shifted, (a - b) ** 2))
        whole = s(pair)
        factors = [subtract(whole, s(pair.at(shifted, pair.z))) for shifted, _ in parts]
        slack = mp.mpf(10) ** (10 - mp.dps)  # roots that are squared again are not exact
        ratios = [real(divide(f, d)) for f, (_, d) in zip(factors, parts) if d != 0]
        ratios = [r for r in ratios if abs(r) > slack]
        if not agree(lambda: whole, lambda: total(factors)) or any(
                abs(r - ratios[0]) > slack * abs(ratios[0]) for r in ratios):
            return "not a squared distance"
        return None

    step.each(step.samples.few, test)


@rule("Laplace transform", "exponentials of a root")
def _(step: Step) -> None:
    root = step.rule == "exponentials of a root"
    step.concludes(*((KERNEL,) if root else (KERNEL, CONDITIONAL)))
    step.rests_on(CONDITIONAL)
    u = step.parameter("u")
    step.at_least_zero(u, "u")
    squared = (lambda v: multiply(v, v)) if root else (lambda v: v)
    step.each(step.samples.few, lambda pair: None if agree(lambda: -squared(u(pair)),
                                                           lambda: step.premises[0](pair))
              else "the premise is not about u")
    node = of_part(step, u)
    h = function_of(node)
    step.identity(lambda pair: h(u(pair)))
    first = 1 if step.claim == CONDITIONAL else 0
    for at in (Fraction(1, 5), Fraction(1), Fraction(4), Fraction(20)):
        with mp.workdps(80):
            signs = signs_of_derivatives(node, at, 31, root)
        for n, v in enumerate(signs[first:], first):
            if v < -mp.mpf(10) ** -40:
                raise Failure(f"the derivative of order {n} at {at} has the wrong sign")
    if step.claim == KERNEL:
        step.require(real(h(mp.mpf(10) ** 10)) > -mp.mpf(10) ** -10, "its limit is negative")


@rule("convex and falling")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    d = step.difference("f(x) - f(z)")
    h = function_of(step.parameter("h").node)
    step.identity(lambda pair: h(abs(d(pair))))
    largest = Fraction(0)
    for pair in step.samples.many:
        largest = max(largest, Fraction(mp.nstr(abs(real(d(pair))), 12)))
    rng = step.samples.rng
    grid = [largest * k / 60 for k in range(61)]
    grid = sorted(set(grid + [largest * rng.randint(0, 997) / 997 for _ in range(40)]))
    values = [real(h(r)) for r in grid]
    slack = mp.mpf(10) ** -40 * (1 + abs(values[0]))
    step.require(min(values) >= -slack, "h is negative")
    step.require(all(b <= a + slack for a, b in zip(values, values[1:])), "h rises")
    for i in range(1, len(grid) - 1):
        a, m, b = grid[i - 1: i + 2]
        part = real((m - a) / (b - a))
        line = values[i - 1] * (1 - part) + values[i + 1] * part
        step.require(values[i] <= line + slack, f"h is not convex around {m}")
    step.require(largest == 0 or values[0] >= real(h(largest / 10**12)) - slack,
                 "h jumps upwards behind 0")


@rule("Bernoulli polynomial")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    d = step.difference("f(x) - f(z)")
    length, a = step.constant("L"), step.constant("a")
    step.require(step.sign("L") > 0 and step.sign("a") >= 0, "L or a is negative")
    step.require(step.sign("constant") >= 0, "the constant is negative")
    step.at_least_zero(lambda pair: subtract(length, abs(d(pair))), "L - |f(x) - f(z)|")

    def polynomial(pair: Pair) -> Number:
        r = abs(d(pair))
        value = add(subtract(multiply(r, r), multiply(length, r)),
                    divide(multiply(length, length), Fraction(6)))
        return add(multiply(a, value), step.constant("constant"))

    step.identity(polynomial)


@rule("half the length")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    needed: Number = Fraction(0)
    constant: Number = Fraction(0)
    for sign, term in step.subject.node[1]:
        c, key = form(term)
        c = multiply(Fraction(sign), c)
        if not uses_points(term):
            constant = add(constant, c)
            continue
        step.require(c <= 0, "a distance with a positive weight")
        node, unit = shown[key]
        step.require(node[0] == "norm" or node[:2] == ("call", "abs"), "not a distance")
        inner = compiled(node[1] if node[0] == "norm" else node[2][0])
        # The values of f, up to a constant: differences from one point.
        spread: dict[int, list[mp.mpf]] = {}
        d = step.samples.dimensions[-1]
        pairs = [pair for pair in step.samples.many if len(pair.x) == d]
        for point in [pair.x for pair in pairs] + [pair.z for pair in pairs]:
            v = inner(point, pairs[0].x, pairs[0].names())
            one = node[0] == "norm" and node[2] == 1
            step.require(one or not isinstance(v, tuple) or len(v) == 1, "a Euclidean distance")
            for i, part in enumerate(v if isinstance(v, tuple) else (v,)):
                spread.setdefault(i, []).append(real(part))
        step.require(step.samples.dimension is not None or len(step.samples.dimensions) == 1
                     or len(spread) == 1, "it depends on the dimension")
        lengths = total([max(s) - min(s) for s in spread.values()])
        needed = add(needed, multiply(-divide(c, unit) / 2, lengths))
    step.require(real(needed) <= real(constant) + mp.mpf(10) ** -40, "the constant is too small")
    step.require(step.sign("needed") >= 0, "a negative length")


def hat(step: Step, shape: Callable[[Number, Number], Number]) -> None:
    """A multiple of shape(max(0, 1 - r), r) for r a multiple of |x-z|."""
    step.concludes(KERNEL)
    step.rests_on()
    step.require(step.samples.dimension is not None or len(step.samples.dimensions) == 1,
                 "it depends on the dimension")
    r = step.parameter("r")
    square = step.samples.expression(f"({r.text})^2")
    squared_distance(step, square)

    def value(pair: Pair) -> Number:
        v = r(pair)
        return shape(subtract(ONE, v) if real(v) < 1 else Fraction(0), v)

    step.positive_multiple(value)


@rule("Askey")
def _(step: Step) -> None:
    d, power_ = step.samples.dimensions[0], step.constant("l")
    step.require(power_ >= Fraction(d + 1, 2), "the power is too small for the dimension")
    hat(step, lambda top, r: power(top, power_))


@rule("Wendland")
def _(step: Step) -> None:
    d, m = step.samples.dimensions[0], step.constant("m")
    step.require(m == d // 2 + 2, "another power belongs to the dimension")
    hat(step, lambda top, r: multiply(power(top, m + 1), add(multiply(m + 1, r), ONE)))


@rule("hyperbolic secant")
def _(step: Step) -> None:
    step.concludes(KERNEL, DIVISIBLE)
    step.rests_on(CONDITIONAL)
    step.require(step.sign("r") > 0, "r is not positive")
    u = step.parameter("u")
    step.each(step.samples.few, lambda pair: None if agree(lambda: -multiply(u(pair), u(pair)),
                                                           lambda: step.premises[0](pair))
              else "the premise is not about -u^2")
    step.identity(lambda pair: power(function("cosh", u(pair)), -step.constant("r")))


@rule("shifted secant")
def _(step: Step) -> None:
    step.concludes(KERNEL, DIVISIBLE)
    step.rests_on(CONDITIONAL)
    a, b = step.constant("a"), step.constant("b")
    step.require(step.sign("r") > 0, "r is not positive")
    step.require(is_exact(a) and is_exact(b) and -a < b <= a, "b is not in (-a, a]")
    u = step.parameter("u")
    step.each(step.samples.few, lambda pair: None if agree(lambda: -multiply(u(pair), u(pair)),
                                                           lambda: step.premises[0](pair))
              else "the premise is not about -u^2")
    step.identity(lambda pair: power(add(multiply(a, function("cosh", u(pair))), b),
                                     -step.constant("r")))


@rule("mean over a period")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(CONDITIONAL)
    d, q = step.difference("f(x) - f(z)"), step.constant("q")
    samples = step.samples.elsewhere(Domain("reals"), 1, step.premises[0].text)
    step.below[0] = samples
    k = samples.expression(step.premises[0].text)

    def g(t: Number) -> Number:
        return number(k.evaluate((t,), (Fraction(0),), {}))

    step.identity(lambda pair: g(d(pair)))
    with mp.workdps(20):
        period = 2 * mp.pi / real(q)
        for t in (mp.mpf("0.3"), mp.mpf("1.9"), mp.mpf("-2.7")):
            step.require(abs(real(g(t)) - real(g(t + period))) < mp.mpf(10) ** -12,
                         "it has another period")
        count = 1500
        values = [real(g(period * (n + mp.mpf("0.5")) / count)) for n in range(count)]
    mean = sum(values) / count
    step.require(mean > -mp.mpf(10) ** -5 * max(abs(v) for v in values), "its mean is negative")


@rule("mean over the sphere")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(CONDITIONAL)
    step.identity(step.premises[0], "the premise is about another function")
    step.require(step.samples.domain.kind == "sphere", "not on the sphere")
    d = step.samples.dimension
    step.require(d is not None and d >= 2 and step.constant("d") == d, "of another dimension")
    east = (Fraction(1),) + (Fraction(0),) * (d - 1)

    def at_angle(cosine: Number) -> Number:
        sine = function("sqrt", subtract(ONE, multiply(cosine, cosine)))
        there = (cosine, sine) + (Fraction(0),) * (d - 2)
        return number(step.subject.evaluate(east, there, {}))

    step.identity(lambda pair: at_angle(total([multiply(a, b) for a, b in zip(pair.x, pair.z)])),
                  "it is not a function of x.z")
    with mp.workdps(20):
        mean = mp.quad(lambda a: real(at_angle(mp.cos(a))) * mp.sin(a) ** (d - 2),
                       [0, mp.pi / 4, mp.pi / 2, 3 * mp.pi / 4, mp.pi], maxdegree=5)
    step.require(mean > -mp.mpf(10) ** -8, f"its mean is {mp.nstr(mean, 8)}")


# ---- finitely many features


def feature_names(step: Step) -> list[str]:
    names = [name for name in step.given if name[0] == "f" and name[1:].isdigit()]
    for name in names:
        step.depends_on_x_only(step.given[name], name)
    return names


@rule("finite features")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.require(len(step.premises) <= 1, "one rest at most")
    step.all_rest_on(KERNEL)
    names = feature_names(step)
    n = len(names)

    def entry(i: int, j: int) -> Number:
        name = f"G{min(i, j) + 1},{max(i, j) + 1}"
        return step.constant(name) if name in step.given else Fraction(0)

    def value(pair: Pair) -> Number:
        left = [step.given[f](pair) for f in names]
        right = [step.given[f](pair.swapped()) for f in names]
        parts = [product([entry(i, j), left[i], right[j]]) for i in range(n) for j in range(n)]
        return total(parts + [p(pair) for p in step.premises])

    step.identity(value)
    entries = {(i, j): entry(i, j) for i in range(n) for j in range(n)}
    if all(is_exact(v) for v in entries.values()):
        good = polynomials.semidefinite(n, entries)
    else:
        values = eigenvalues_of([[entry(i, j) for j in range(n)] for i in range(n)])
        good = min(values) > -mp.mpf(10) ** -40 * (1 + max(values))
    step.require(good, "G is not positive semidefinite")


def eigenvalues_of(matrix: list[list[Number]]) -> list[mp.mpf]:
    return list(mp.eigsy(mp.matrix([[real(v) for v in row] for row in matrix]), eigvals_only=True))


@rule("one positive direction")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.require(len(step.premises) <= 1, "one rest at most")
    step.all_rest_on(KERNEL)
    r = step.constant("r")
    step.require(step.sign("r") > 0, "r is not positive")
    names = feature_names(step)
    c, u = factor_of(step), step.parameter("u")
    step.identity(lambda pair: multiply(c, power(u(pair), -r)))
    step.at_least_zero(lambda pair: u(pair.at(pair.x, pair.x)), "u(x,x)", strictly=True)
    # u + k has one positive eigenvalue at most, and the rank of its features.
    for d in step.samples.dimensions:
        base = step.samples.pair(d)
        points = [base.x, base.z] + [step.samples.third(base) for _ in range(len(names) + 2)]
        values = eigenvalues_of([[add(u(base.at(x, z)), total([p(base.at(x, z))
                                                               for p in step.premises]))
                                  for z in points] for x in points])
        slack = mp.mpf(10) ** -35 * max(abs(v) for v in values)
        step.require(sum(v > slack for v in values) <= 1, "more than one positive direction")
        step.require(sum(abs(v) > slack for v in values) <= len(names), "more features than given")


# ---- power series and polynomials


@rule("power series")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on(KERNEL)
    t = step.parameter("t")
    step.each(step.samples.few, lambda pair: None if agree(lambda: t(pair),
                                                           lambda: step.premises[0](pair))
              else "the premise is not about t")
    known: dict[int, Series] = {}

    def coefficients() -> Series:
        if mp.dps not in known:
            try:
                known[mp.dps] = series(step.subject.node, t.node, ORDER)
            except (NoSeries, Undefined) as error:
                raise Failure(f"not a power series in t: {error}") from None
        return known[mp.dps]

    for k in range(ORDER):
        if sign_of(lambda: coefficients()[k]) < 0:
            raise Failure(f"the coefficient of t^{k} is {mp.nstr(real(coefficients()[k]), 15)}")

    # With coefficients >= 0 the sum of the first is at most f(t) for t >= 0 where it converges, and
    # off by at most as much for -t.
    def complaint(pair: Pair) -> str | None:
        v, whole = real(t(pair)), real(step.subject(pair))
        part = value_at(coefficients(), v)
        slack = mp.mpf(10) ** -30 * max(1, abs(whole), abs(part))
        if v >= 0 and part > whole + slack:
            return "the first terms are more than the sum of the series"
        diagonal = pair.at(pair.x, pair.x)
        top = real(t(diagonal))
        if v < 0 and top >= -v:
            tail = real(step.subject(diagonal)) - value_at(coefficients(), top)
            if abs(whole - part) > tail + slack:
                return "the tail of the series is more than that of its absolute values"
        return None

    def test(pair: Pair) -> str | None:
        if not complaint(pair):
            return None
        with mp.workdps(CAREFUL):
            return complaint(pair)

    step.each(step.samples.many, test)


@rule("polynomial of x.z")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    terms = []
    for name in step.given:
        step.require(name[0] == "a" and name[1:].isdigit(), f"unknown parameter {name}")
        step.require(step.sign(name) >= 0, f"the coefficient {name} is negative")
        terms.append((step.constant(name), Fraction(int(name[1:]))))

    def value(pair: Pair) -> Number:
        dot = total([multiply(a, b) for a, b in zip(pair.x, pair.z)])
        return total([multiply(c, power(dot, k)) for c, k in terms])

    step.identity(value)


@rule("polynomial")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    samples = step.samples
    d = samples.dimensions[0]
    if samples.dimension is None and len(samples.dimensions) > 1:
        narrow = all(step.subject(p) == step.subject(cut(p, d)) for p in samples.few)
        step.require(narrow, "decided in one dimension, but it looks at all coordinates")
    try:
        p = polynomials.Reader(tuple(range(1, d + 1))).read(step.subject.node)
    except polynomials.NotPolynomial:
        raise Failure("not a polynomial with rational coefficients") from None
    for candidate in (p, polynomials.reduced(p, samples.domain, d)):
        monomials, entries = polynomials.gram(candidate)
        if polynomials.semidefinite(len(monomials), entries):
            return
    raise Failure("the matrix of its coefficients is not positive semidefinite")


def cut(pair: Pair, d: int) -> Pair:
    """The first coordinates alone; free indices as they are, where they are among those."""
    return Pair(pair.x[:d], pair.z[:d], tuple(i if i < d else 0 for i in pair.index))


@rule("finite domain")
def _(step: Step) -> None:
    step.concludes(KERNEL)
    step.rests_on()
    samples = step.samples
    step.require(samples.dimension is not None or len(samples.dimensions) == 1,
                 "all points, but of which dimension?")
    points = samples.domain.all_points(samples.dimensions[0])
    step.require(len(points) <= 200, "too many points")
    entries = {}
    for i, x in enumerate(points):
        for j, z in enumerate(points):
            entries[i, j] = step.subject(Pair(x, z, ()))
    if all(is_exact(v) for v in entries.values()):
        good = polynomials.semidefinite(len(points), entries)
    else:
        n = len(points)
        values = eigenvalues_of([[entries[i, j] for j in range(n)] for i in range(n)])
        # A zero that elimination sees exactly is one to all digits here.
        good = min(values) > -mp.mpf(10) ** (8 - mp.dps) * (1 + max(values))
    step.require(good, "the matrix of all points is not positive semidefinite")
