"""Random statements about kernels, the same for the same seed: expression, domain, dimension.

    python3 random_kernels.py --count 2000 --seed 1 > statements.tsv

Kernels and functions that are none are both common: sums and products of kernels of the catalogue and
of what rules of proof are about, with weights and signs that are sometimes wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable

LINE = ["R", "R+", "R++", "Z", "N", "[0,1]", "(0,1)", "[-1,1]", "[1,2]", "{0,1}", "{-1,0,2}",
        "ball(1/2)", "sphere", "[0,2]", "(0,1]"]
SPACE = ["R", "R", "R+", "R++", "[0,1]", "[-1,1]", "{0,1}", "ball(1/2)", "ball(0.9)", "sphere", "Z"]

# Functions of the number x, for f(x) k f(z), distances and changes of variables.
OF_NUMBER = ["x", "x^2", "exp(x)", "exp(-x)", "x^3", "cos(x)", "sin(x)", "1+x^2", "abs(x)", "2*x",
             "1/(1+x^2)", "tanh(x)", "1", "x-1", "sqrt(abs(x))", "log(1+x^2)", "cosh(x)",
             "max(x,0)", "min(x,1)", "abs(x-1)"]
POSITIVE_NUMBER = ["sqrt(x)", "log(x)", "1/x", "x^1.5", "log(1+x)", "x/(1+x)", "1/(1+x)", "x^x"]
OF_POINT = ["|x|", "|x|^2", "|x|_1", "exp(-|x|^2)", "exp(-|x|)", "1/(1+|x|^2)", "x1", "1+|x|",
            "cos(x1)", "sqrt(1+|x|^2)", "x1^2", "sin(|x|)", "log(1+|x|^2)", "sum(i, x[i])",
            "sum(i, x[i]^3)", "prod(i, 1 + x[i]^2)"]

NUMBER_KERNELS = ["x*z", "min(x,z)", "max(x,z)", "1+x*z", "exp(x*z)", "cos(x-z)", "exp(-|x-z|)",
                  "exp(-(x-z)^2)", "1/(x+z)", "1/(1+x*z)", "1/(1+x+z)", "exp(-max(x,z))",
                  "exp(min(x,z))", "1-|x-z|", "max(0,1-|x-z|)", "min(x,z)/max(x,z)", "x+z", "x*z/(x+z)",
                  "1/max(x,z)", "log(1+min(x,z))", "min(x,z)^2", "min(x,z)-x*z", "sqrt(x*z)",
                  "1/(1-x*z)", "exp(-x-z)", "abs(x+z)-abs(x-z)", "(x-z)^2", "-log(1-x*z)",
                  "x^2*z^2", "(x*z+1)^3", "1/(2-cos(x-z))", "sin(x)*sin(z)", "min(x^2,z^2)",
                  "1/cosh(x-z)", "(1+|x-z|)*exp(-|x-z|)", "min(x,z,1)", "exp(-sin(x-z)^2)",
                  "min(x,z)*(2-max(x,z))", "min(x,z)^2*(3*max(x,z)-min(x,z))/6", "x*z*min(x,z)",
                  "sinh(min(x,z))*cosh(max(x,z))", "1/(x^2+z^2)", "2^(x*z)", "log(1+x*z)",
                  "exp(-|x-z|)-0.4*exp(-2*|x-z|)", "exp(-|x-z|)*cos(x-z)", "1-tanh(|x-z|)",
                  "0.64-abs(sin(x-z))", "2*cos(x-z)^2-1", "log(2+|x-z|)-log(1+|x-z|)",
                  "1/(1+x^2+z^2-x*z)", "cos(x+z)", "max(0,1-sqrt(|x-z|))", "2-|x-z|", "cosh(x+z)",
                  "cosh(min(x,z))", "tanh(x*z)", "1/(1+max(x,z))", "exp(x+z)",
                  "max(0,x*z)", "max(min(x,z),0)", "exp(-|x-z|*|x+z|)", "exp(2*log(1+x*z))",
                  "1-|x-z|/(x+z)", "exp(-|x-z|/(x+z))", "exp(-(x-z)^2)*(1-2*(x-z)^2)",
                  "exp(-(x-z)^2)*(3-12*(x-z)^2+4*(x-z)^4)", "log(1+1/(x+z))",
                  "exp(-min(|x-z|,1))", "1/(cosh(x-z)+1)", "1/6-|x-z|+(x-z)^2",
                  "exp(-|x-z|)*(1+|x-z|+(x-z)^2/3)", "cos(2*pi*(x+z))", "1-max(x,z)+x*z"]
KERNELS = ["x.z", "linear", "poly(2)", "poly(3,0.5)", "poly(2,-1)", "rbf(1)", "rbf(sigma=2)",
           "laplacian", "laplacian(0.3)", "matern(0.5)", "matern(1.5,2)", "matern(2.5)",
           "matern(0.8)", "rq(2)", "rq(0.5,3)", "periodic(2)", "sigmoid(0.1,1)", "cosine",
           "intersection", "chi2(1)", "subsets", "anova(2)", "anova(3)", "const(2)", "exp(x.z)",
           "exp(-|x-z|)", "exp(-|x-z|^1.5)", "exp(-|x-z|^3)", "1/(1+|x-z|)", "1/(1+|x-z|^2)",
           "1/log(2+|x-z|^2)", "cosh(x.z)", "sinh(x.z)", "asin(x.z)", "1/(1-x.z)", "-log(1-x.z)",
           "(1-x.z)^(-0.5)", "|x-z|", "|x-z|^2", "|x-z|_1", "|x|*|z|", "x1*z1", "x1*z2+x2*z1",
           "cos(x1-z1)", "min(x1,z1)", "prod(i, 1+x[i]*z[i]/2)", "sum(i, cos(x[i]-z[i]))",
           "prod(i, exp(-|x[i]-z[i]|))", "sum(i, min(x[i],z[i])^2)", "prod(i, cos(x[i]-z[i]))",
           "rbf(1)[1]", "linear[1:2]", "|x|+|z|-|x-z|", "|x|^2+|z|^2-|x-z|^2", "|x+z|^2-|x-z|^2",
           "normalize(poly(2))", "normalize(1+x.z)", "1", "0.5", "2^(x.z)", "tanh(x.z)", "(x.z)^2",
           "(x.z)^3", "(x.z)^2-sum(i, x[i]^2*z[i]^2)", "subsets-anova(2)", "intersection-1",
           "exp(-|x-z|^2)-exp(-|x|^2-|z|^2)", "exp(-|x-z|)-exp(-|x|-|z|)",
           "sqrt(1-(x.z)^2)+x.z*asin(x.z)", "exp(3*log(2+x.z))", "sum(i, sum(j, x[i]*z[i]*x[j]*z[j]))", "sqrt(1+x.z)", "log(1+x.z)",
           "sum(i, x[i]*z[i]/(x[i]+z[i]))", "prod(i, min(x[i],z[i]))", "sum(i, x[i]+z[i])",
           "sum(i, (x[i]-z[i])^2/(x[i]+z[i]))", "sum(i, exp(x[i]*z[i]))", "x1*z1*x2*z2",
           "1/(1+|x-z|)-0.5/(2+|x-z|)", "rbf(2)-0.3*rbf(1)", "max(0,1-|x-z|)^2",
           "2*exp(-|x-z|)-exp(-2*|x-z|)", "x.z/(|x|^2+|z|^2-x.z)", "exp(x.z)-1.1", "2-|x-z|",
           "1/cosh(|x-z|)", "(1-|x-z|)*exp(-|x-z|)", "max(0,1-|x-z|)^4*(4*|x-z|+1)",
           "exp(-|x-z|)-exp(-|x|)*exp(-|z|)", "exp(-|x-z|)+exp(-|x+z|)", "rbf(1)-exp(-|x+z|^2)",
           "|x+z|_1-|x-z|_1", "sum(i, 1-(x[i]-z[i])^2)", "intersection-linear", "|x+z|-|x-z|",
           "sum(i, sum(j, cos(x[i]-x[j])*cos(z[i]-z[j])))", "prod(i, 1 + sum(j, x[j]*z[j])*x[i]*z[i])"]


class Generator:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def weight(self) -> str:
        return self.rng.choice(("0.1", "0.25", "0.5", "1", "2", "3", "1.5", "0.01", "0.999"))

    def one_sided(self, numbers: bool) -> tuple[str, str]:
        """f(x) and f(z)."""
        f = self.rng.choice((OF_NUMBER + POSITIVE_NUMBER) if numbers else OF_POINT)
        if self.rng.randint(1, 40) == 1:
            f = f"normalize(1+{f}^2)"
        return f, swapped(f)

    def leaf(self, numbers: bool) -> str:
        return self.rng.choice(NUMBER_KERNELS if numbers and self.rng.random() < 0.7 else KERNELS)

    def polynomial(self, numbers: bool) -> str:
        terms = []
        variables = ["x", "z"] if numbers else ["x1", "x2", "z1", "z2"]
        for _ in range(self.rng.randint(1, 4)):
            c = self.rng.choice((1, 1, 2, 3, -1))
            p = "*".join(f"{v}^{self.rng.randint(1, 3)}" for v in variables
                         if self.rng.random() < 0.6) or "1"
            terms.append(f"{c}*{p}")
            if swapped(p) != p and self.rng.random() < 0.9:
                terms.append(f"{c}*{swapped(p)}")
        return "(" + " + ".join(terms) + ")"

    def expression(self, depth: int, numbers: bool) -> str:
        if depth == 0 or self.rng.random() < 0.15:
            return self.leaf(numbers)
        makers: list[Callable[[int, bool], str]] = [
            self.plus, self.plus, self.minus, self.times, self.times, self.whole_power,
            self.exponential, self.inverse, self.sides, self.distance, self.series, self.normalized,
            self.restricted, self.logarithm, self.real_power, self.centred, self.extremum,
            self.of_function,
        ]
        return self.rng.choice(makers)(depth - 1, numbers)

    def two(self, depth: int, numbers: bool) -> tuple[str, str]:
        return self.expression(depth, numbers), self.expression(depth, numbers)

    def plus(self, depth: int, numbers: bool) -> str:
        a, b = self.two(depth, numbers)
        return f"{a} + {self.weight()}*({b})"

    def minus(self, depth: int, numbers: bool) -> str:
        a, b = self.two(depth, numbers)
        if self.rng.random() < 0.3:
            b = self.rng.choice(("1", "0.1", a))
        return f"({a}) - {self.weight()}*({b})"

    def times(self, depth: int, numbers: bool) -> str:
        a, b = self.two(depth, numbers)
        return f"({a})*({b})"

    def whole_power(self, depth: int, numbers: bool) -> str:
        return f"({self.expression(depth, numbers)})^{self.rng.choice((2, 2, 3, 4))}"

    def real_power(self, depth: int, numbers: bool) -> str:
        return f"({self.expression(depth, numbers)})^{self.rng.choice((0.5, 1.5, 0.3, 2.5))}"

    def exponential(self, depth: int, numbers: bool) -> str:
        sign = self.rng.choice(("", "-", "2*"))
        return f"exp({sign}({self.expression(depth, numbers)}))"

    def logarithm(self, depth: int, numbers: bool) -> str:
        sign = self.rng.choice(("", "-"))
        return f"{sign}log({self.rng.choice('123')} {self.rng.choice('+-')} ({self.expression(depth, numbers)}))"

    def inverse(self, depth: int, numbers: bool) -> str:
        r = self.rng.choice(("", "^2", "^0.5"))
        sign = self.rng.choice("+-")
        return f"1/({self.rng.choice('1235')} {sign} ({self.expression(depth, numbers)})){r}"

    def sides(self, depth: int, numbers: bool) -> str:
        f, g = self.one_sided(numbers)
        return f"({f})*({self.expression(depth, numbers)})*({g})"

    def distance(self, depth: int, numbers: bool) -> str:
        f, g = self.one_sided(numbers)
        form = self.rng.choice((
            "exp(-({f}-({g}))^2)", "exp(-abs({f}-({g})))", "cos({f}-({g}))", "1/(1+abs({f}-({g})))",
            "max(0, 1-abs({f}-({g})))", "1-abs({f}-({g}))", "exp(-abs({f}-({g}))^1.7)",
            "exp(-({f})-({g}))", "exp(-sin({f}-({g}))^2)", "1/(1+({f}-({g}))^2)^0.7",
            "({f}-({g}))^2/({f}+({g}))", "exp(-({f}-({g}))^2/({f}+({g})))", "1/({f}+({g}))",
            "log(1+({f}-({g}))^2)", "min({f},{g})", "1/max({f},{g})",
            "(1+abs({f}-({g})))*exp(-abs({f}-({g})))"))
        return form.format(f=f, g=g)

    def series(self, depth: int, numbers: bool) -> str:
        t = f"({self.expression(0, numbers)})"
        a, b = self.weight(), self.weight()
        form = self.rng.choice((
            "exp({t}) - 1 - {a}*{t}", "cosh({t}) - {a}", "1/(1-{t}) - {a}*exp({t})", "{t}*exp({t})",
            "exp({t}) - {a}*{t}^2", "exp(2*{t}) - {a}*exp({t})", "cosh({t}) - cos({t})",
            "-log(1-{t}/2) + {a}*{t}", "1/(1-{t}/3)^2", "asin({t}/2) - {a}*{t}", "3^{t} - 2^{t}",
            "1 - sqrt(1-{t}/3)", "sinh({t}) + {a}*{t}^2", "{a}*{t}^4 - {t}^2 + {b}*exp({t})",
            "log((2+{t})/(2-{t}))", "{t}^2/(2-{t})", "exp({t}) + sin({t})", "1/cos({t}/2)"))
        return form.format(t=t, a=a, b=b)

    def normalized(self, depth: int, numbers: bool) -> str:
        return f"normalize({self.expression(depth, numbers)})"

    def restricted(self, depth: int, numbers: bool) -> str:
        if numbers:
            return self.polynomial(True)
        return f"({self.expression(depth, False)}){self.rng.choice(('[1]', '[1:2]', '[2]', '[2,1]'))}"

    def centred(self, depth: int, numbers: bool) -> str:
        k = self.leaf(numbers)
        f, g = self.one_sided(numbers)
        return self.rng.choice((f"{f} + {g} - ({k})", f"{k} - ({f}) - ({g})", f"{k} - ({f})*({g})"))

    def extremum(self, depth: int, numbers: bool) -> str:
        if not numbers:
            return self.polynomial(False)
        f = self.rng.choice(OF_NUMBER + POSITIVE_NUMBER)
        low = f.replace("exp", "EXP").replace("max", "MAX").replace("x", "(min(x,z)+0)")
        high = f.replace("exp", "EXP").replace("max", "MAX").replace("x", "max(x,z)")
        one = self.rng.choice((low, high, f"({low})*({high})", f"({low})*({self.leaf(True)})"))
        return one.replace("EXP", "exp").replace("MAX", "max")

    def of_function(self, depth: int, numbers: bool) -> str:
        name = self.rng.choice(("cos", "sin", "tanh", "sqrt", "abs", "sinh"))
        return f"{name}({self.expression(depth, numbers)})"

    def statement(self) -> str:
        numbers = self.rng.random() < 0.45
        text = self.expression(self.rng.choice((0, 1, 1, 2, 2, 3)), numbers)
        domain = self.rng.choice(LINE if numbers else SPACE)
        dimension = "1" if numbers else self.rng.choice(("", "", "1", "2", "3"))
        return f"{text}\t{domain}\t{dimension}"


def swapped(text: str) -> str:
    """x for z and z for x; the x of exp and max stays."""
    for a, b in (("exp", "<E>"), ("max", "<M>"), ("x", "\0"), ("z", "x"), ("\0", "z"),
                 ("normalixe", "normalize"), ("<E>", "exp"), ("<M>", "max")):
        text = text.replace(a, b)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = Generator(options.seed)
    seen: set[str] = set()
    while len(seen) < options.count:
        line = generator.statement()
        if line not in seen:
            seen.add(line)
            sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
