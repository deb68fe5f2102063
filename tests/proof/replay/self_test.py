"""The replay notices what is wrong: derivations that were tampered with, steps that break the
conditions of their rules, witnesses that are none."""

from __future__ import annotations

import copy
import unittest
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from domains import Domain
from language import TooLarge, Undefined, WrongDimension, compiled, number, parse, real
from mpmath import mp
from polynomials import semidefinite
from program import judge_lines, replayed
from rules import CHECKERS, CONDITIONAL, DIVISIBLE, KERNEL, Step, check
from samples import Failure, Samples
from series import series

SOUND = [
    "rbf(0.5)*poly(2) + 0.1*linear", "exp(-|x-z|)", "laplacian(2)", "matern(0.7)", "rq(2,3)",
    "periodic(2)", "cosine", "chi2(1)\tR+", "anova(3)", "intersection\tR+", "subsets - 1 - x.z",
    "1/log(2+|x-z|^2)", "min(x,z)/max(x,z)\tR++\t1", "|x| + |z| - |x-z|", "cosh(x.z) - 1",
    "2*x1*z1 - x1*z2 - x2*z1 + 2*x2*z2\tR\t2", "(1+|x-z|)*exp(-|x-z|)", "max(0,1-|x-z|)\tR\t1",
    "cos(x-z)^2\tR\t1", "exp(-|x|^2)*exp(x.z)*exp(-|z|^2)", "1/(x+z)\tR++\t1", "2^(x.z)",
    "min(x,z)^2*(3*max(x,z)-min(x,z))/6\tR+\t1", "exp(-|x-z|)-exp(-|x+z|)\tR\t1",
    "exp(-|x-z|) - 0.5*exp(-2*|x-z|)\tR\t1", "1/(1+|x-z|) - 1/(2+|x-z|)", "1/cosh(x-z)\tR\t1",
    "rbf(2) - 0.2*rbf(1)\tR\t3", "1 - tanh(|x-z|)\tR\t1", "1 - |x-z|\t[0,2]\t1",
    "max(0, 1-|x-z|)^2\tR\t3", "0.64 - abs(sin(x-z))\tR\t1", "exp(x.z) - 1.17\tsphere\t3",
    "1/(1+x^2+z^2-x*z)\tR\t1", "exp(-|x-z|)-exp(-|x|)*exp(-|z|)",
    "min(x,z) - x*z\t[0,1]\t1", "1 - (x-z)^2\t{0,1}\t1", "exp(-max(x,z))\tR+\t1",
]

X = "x*z"
# Steps that their rules do not allow: rule, subject, claim, parameters, premises, domain.
# One for each rule at least.
Bad = tuple[str, str, str, dict[str, str], list[tuple[str, str]], str]
BAD: list[Bad] = [
    ("constant", "1 - sqrt(2)", KERNEL, {}, [], "R"),
    ("constant", "x", KERNEL, {}, [], "R"),
    ("constant, conditionally", "x", CONDITIONAL, {}, [], "R"),
    ("positive constant", "sqrt(2)^2 - 2", DIVISIBLE, {}, [], "R"),
    ("sum", f"{X} - 1e-30", KERNEL, {"c1": "1", "constant": "-1e-30"}, [(X, KERNEL)], "R"),
    ("sum", f"{X} + 1", KERNEL, {"c1": "1"}, [(X, KERNEL)], "R"),
    ("multiple", f"-{X}", KERNEL, {"c1": "-1"}, [(X, KERNEL)], "R"),
    ("multiple", f"2*{X}", KERNEL, {"c1": "2"}, [(X, CONDITIONAL)], "R"),
    ("sum, conditionally", f"-2*{X}", CONDITIONAL, {"c1": "-2"}, [(X, CONDITIONAL)], "R"),
    ("sum, conditionally", "x + 2*z", CONDITIONAL, {"f(x) + f(z)": "x + 2*z"}, [], "R"),
    ("sum, conditionally", "-x*z", CONDITIONAL, {"f(x) + f(z)": "-x*z"}, [], "R"),
    ("product", f"{X}*({X}+1)", KERNEL, {}, [(X, KERNEL), (X, KERNEL)], "R"),
    ("one feature", "(x+z)^2", KERNEL, {"f(x)": "x+z"}, [], "R"),
    ("one feature", "x*z^2", KERNEL, {"f(x)": "x"}, [], "R"),
    ("f(x) k f(z)", f"x*{X}*z", KERNEL, {"f(x)": "x"}, [(X, CONDITIONAL)], "R"),
    ("product, divisible", f"x*z*({X})", DIVISIBLE, {"f(x)": "x"}, [(X, DIVISIBLE)], "R"),
    ("power", f"({X})^0.5", KERNEL, {"n": "0.5"}, [(X, KERNEL)], "R+"),
    ("real power", "(1+x*z)^0.5", KERNEL, {"r": "0.5"}, [("1+x*z", KERNEL)], "R+"),
    ("normalization", "normalize(2+x*z)", KERNEL, {}, [("1+x*z", KERNEL)], "R"),
    ("sum over coordinates", "x.z", KERNEL, {}, [("2*x[i]*z[i]", KERNEL)], "R"),
    ("product over coordinates", "prod(i, 1+x[i]*z[i])", KERNEL, {}, [("x[i]*z[i]", KERNEL)], "R"),
    ("product over coordinates, divisible", "prod(i, 1+x[i]*z[i])", DIVISIBLE, {},
     [("1+x[i]*z[i]", KERNEL)], "R+"),
    ("sum over sets of coordinates", "anova(2)", KERNEL, {}, [("x[i]+z[i]", KERNEL)], "R"),
    ("sum over coordinates, conditionally", "-x.z", CONDITIONAL, {"c1": "-1"},
     [("x[i]*z[i]", CONDITIONAL)], "R"),
    ("one sum over coordinates", "x.z + |x|^2*|z|^2", KERNEL, {}, [("x*z + x^2*z^2", KERNEL)], "R"),
    ("part of a product", "-subsets", KERNEL, {"c": "-1"},
     [("x[i]*z[i]", KERNEL), ("-1-x.z", KERNEL)], "R"),
    ("part of a product", "subsets - 2*x.z - 1", KERNEL, {"c": "1", "p1": "0", "p2": "1", "p3": "1"},
     [("x[i]*z[i]", KERNEL), ("0", KERNEL)], "R"),
    ("part of a power", "(x.z)^2 - 1.000001*sum(i, x[i]^2*z[i]^2)", KERNEL, {"c": "1", "n": "2"},
     [("x[i]*z[i]", KERNEL), ("0", KERNEL)], "R"),
    ("part of a power", "-(x.z)^2 + sum(i, x[i]^2*z[i]^2)", KERNEL, {"c": "-1", "n": "2"},
     [("x[i]*z[i]", KERNEL), ("0", KERNEL)], "R"),
    ("shared constant", "intersection - 2", KERNEL, {"c": "2", "m": "2"},
     [("min(x,z) - 1", KERNEL)], "N"),
    ("shared constant", "intersection + 1", KERNEL, {"c": "-1", "m": "1"},
     [("min(x,z) + 1", KERNEL)], "N"),
    ("positive part of a product", "max(0, -x*z)", KERNEL, {"f(x)": "x"}, [], "R"),
    ("positive part of a product", "max(0, x + z)", KERNEL, {"f(x)": "x + z"}, [], "R"),
    ("another form", "exp(2*log(1+x*z))", KERNEL, {}, [("(1+x*z)^3", KERNEL)], "R+"),
    ("Bernoulli polynomial", "0.166666 - abs(x-z) + (x-z)^2", KERNEL,
     {"f(x) - f(z)": "x-z", "L": "1", "a": "1", "constant": "-1/1500000"}, [], "[0,1]"),
    ("Bernoulli polynomial", "1/6 - abs(x-z) + (x-z)^2", KERNEL,
     {"f(x) - f(z)": "x-z", "L": "1", "a": "1", "constant": "0"}, [], "[0,2]"),
    ("multiply out", "(x*z+1)^2", KERNEL, {}, [("x^2*z^2 + x*z + 1", KERNEL)], "R"),
    ("joined exponentials", "exp(x)*exp(z)", KERNEL, {}, [("exp(x*z)", KERNEL)], "R"),
    ("power of a product", "(x*z)^2", KERNEL, {}, [("x^2*z", KERNEL)], "R"),
    ("on the domain", "abs(x*z)", KERNEL, {}, [(X, KERNEL)], "R"),
    ("a kernel, conditionally", X, KERNEL, {}, [(X, KERNEL)], "R"),
    ("function of min and max", "min(x,z)*max(x,z)", KERNEL, {}, [("x+z", KERNEL)], "R"),
    ("squared difference", "(x-z)^2", CONDITIONAL, {"f(x) - f(z)": "x-z"}, [], "R"),
    ("squared difference", "-(x-2*z)^2", CONDITIONAL, {"f(x) - f(z)": "x-2*z"}, [], "R"),
    ("squared sine of a difference", "-sin(x+z)^2", CONDITIONAL, {"f(x) - f(z)": "x+z"}, [], "R"),
    ("absolute value", "abs(x-z)", CONDITIONAL, {}, [("-(x-z)^2", CONDITIONAL)], "R"),
    ("chi-squared distance", "-(x-z)^2/(x+z)", CONDITIONAL, {"a": "x", "b": "z"}, [], "[-3,-1]"),
    ("power of negative type", "-abs(x-z)^2.1", CONDITIONAL, {"a": "1.05"},
     [("-(x-z)^2", CONDITIONAL)], "R"),
    ("power of negative type", "-(x+z)^0.5", CONDITIONAL, {"a": "0.5"}, [("-x-z", CONDITIONAL)],
     "R"),
    ("logarithm of negative type", "log(1+(x-z)^2)", CONDITIONAL, {},
     [("-1-(x-z)^2", CONDITIONAL)], "R"),
    ("logarithm of divisible", "log(1+x*z)", CONDITIONAL, {}, [("1+x*z", KERNEL)], "R+"),
    ("exp", "exp(-x*z)", KERNEL, {}, [(X, CONDITIONAL)], "R"),
    ("exp", "0.5^(x*z)", KERNEL, {"b": "0.5"}, [(X, CONDITIONAL)], "R"),
    ("inverse power of negative type", "1/(x+z)", KERNEL, {"r": "1"}, [("-x-z", CONDITIONAL)],
     "R"),
    ("Matérn of negative type", "(1+abs(x-z))*exp(-abs(x-z))", KERNEL, {"nu": "0.5", "u": "(x-z)^2"},
     [("-(x-z)^2", CONDITIONAL)], "R"),
    ("centred", "1-(x-z)^2+x+z", KERNEL, {"o": "0", "a": "1"},
     [("1-(x-z)^2+x+z", CONDITIONAL)], "R"),
    ("centred", "x*z - 1", KERNEL, {"o": "0", "a": "-1"}, [("x*z - 1", CONDITIONAL)], "R"),
    ("centred", "x*z", KERNEL, {"o": "0", "a": "0"}, [("x*z", CONDITIONAL)], "[1,2]"),
    ("pinned", "x*z + 1 - 2", KERNEL, {"o": "0"}, [("1+x*z", KERNEL)], "R"),
    ("pinned", "x*z", KERNEL, {"o": "0"}, [("1+x*z", KERNEL)], "[1,2]"),
    ("odd part", "(x+1)*(z+1) - (x+1)*(1-z)", KERNEL, {}, [("(x+1)*(z+1)", KERNEL)], "R"),
    ("even part", "2 - 2*x^2 - 2*z^2", KERNEL, {}, [("1-(x-z)^2", CONDITIONAL)], "R"),
    ("cosine of a difference", "cos(x+z)", KERNEL, {"f(x) - f(z)": "x+z"}, [], "R"),
    ("triangle", "1-abs(x-z)", KERNEL, {"c": "1", "a": "1", "f(x) - f(z)": "x-z"}, [], "R"),
    ("minimum", "-min(x,z)", KERNEL, {"extremum": "min(x+0,z)", "g": "-x"}, [], "[-1,0]"),
    ("minimum", "min(x+0,z)", KERNEL, {"extremum": "min(x+0,z)", "g": "x"}, [], "R"),
    ("minimum, conditionally", "max(x,z)", CONDITIONAL, {"extremum": "max(x,z)", "g": "x"}, [],
     "R"),
    ("Green's function", "(3-min(x,z))*max(x,z)", KERNEL, {"u": "3-x", "v": "x"}, [], "[1,2]"),
    ("integrated kernel", "max(x,z)*min(x,z)", KERNEL, {"constant": "0", "jump": "1"},
     [("1", KERNEL)], "[0,1]"),
    ("power series", "exp(x*z) - 0.51*(x*z)^2", KERNEL, {"t": X}, [(X, KERNEL)], "R"),
    ("power series", "1/(1-x*z)", KERNEL, {"t": X}, [(X, KERNEL)], "[2,3]"),
    ("power series", "x*exp(x*z)", KERNEL, {"t": X}, [(X, KERNEL)], "R"),
    ("polynomial of x.z", "(x.z)^2 - x.z", KERNEL, {"a2": "1", "a1": "-1"}, [], "R"),
    ("polynomial", "x^2*z^2 - 1e-20*x*z", KERNEL, {}, [], "R"),
    ("polynomial", "x + z", KERNEL, {}, [], "{0,1}"),
    ("finite domain", "x + z", KERNEL, {}, [], "{0,1}"),
    ("addition theorems", "cos(x+z)", KERNEL, {},
     [("cos(x)*cos(z) + sin(x)*sin(z)", KERNEL)], "R"),
    ("products of waves", "cos(x-z)^2", KERNEL, {}, [("cos(2*x-2*z)", KERNEL)], "R"),
    ("rational spectral density", "exp(-abs(x-z)) - 0.51*exp(-2*abs(x-z))", KERNEL,
     {"f(x) - f(z)": "x-z"}, [], "R"),
    ("rational spectral density", "abs(x-z)*exp(-abs(x-z))", KERNEL, {"f(x) - f(z)": "x-z"}, [],
     "R"),
    ("Gaussian spectral density", "exp(-2*(x-z)^2) - 0.72*exp(-(x-z)^2)", KERNEL,
     {"s": "(x-z)^2", "d": "1"}, [], "R"),
    ("Gaussian spectral density", "exp(-2*(x-z)^2) - 0.6*exp(-(x-z)^2)", KERNEL,
     {"s": "(x-z)^2", "d": "2"}, [], "R"),
    ("Laplace transform", "1/(1+abs(x-z)) - 1.1/(2+abs(x-z))", KERNEL, {"u": "abs(x-z)"},
     [("-abs(x-z)", CONDITIONAL)], "R"),
    ("exponentials of a root", "exp(-2*abs(x-z)) - 0.1*exp(-abs(x-z))", KERNEL,
     {"u": "abs(x-z)"}, [("-(x-z)^2", CONDITIONAL)], "R"),
    ("convex and falling", "exp(-(x-z)^2)", KERNEL, {"f(x) - f(z)": "x-z", "h": "exp(-x^2)"}, [],
     "R"),
    ("convex and falling", "1 - abs(x-z)", KERNEL, {"f(x) - f(z)": "x-z", "h": "1-x"}, [], "R"),
    ("half the length", "0.9 - abs(x-z)", KERNEL, {"needed": "0.9"}, [], "[0,2]"),
    ("Askey", "max(0,1-abs(x-z))^0.9", KERNEL, {"r": "abs(x-z)", "l": "0.9"}, [], "R"),
    ("Wendland", "max(0,1-abs(x-z))^3*(2*abs(x-z)+1)", KERNEL, {"r": "abs(x-z)", "m": "2"}, [],
     "R"),
    ("shifted secant", "1/(cosh(x-z)+1.000001)", KERNEL,
     {"u": "x-z", "a": "1", "b": "1.000001", "r": "1"}, [("-(x-z)^2", CONDITIONAL)], "R"),
    ("shifted secant", "1/(cosh(x-z)+0.5)", KERNEL, {"u": "x-z", "a": "1", "b": "1", "r": "1"},
     [("-(x-z)^2", CONDITIONAL)], "R"),
    ("hyperbolic secant", "1/cosh(x*z)", KERNEL, {"u": "x*z", "r": "1"},
     [("-x*z", CONDITIONAL)], "R"),
    ("hyperbolic secant", "cosh(x-z)", KERNEL, {"u": "x-z", "r": "-1"},
     [("-(x-z)^2", CONDITIONAL)], "R"),
    ("mean over a period", "0.63 - abs(sin(x-z))", KERNEL, {"f(x) - f(z)": "x-z", "q": "1"},
     [("0.63 - abs(sin(x-z))", CONDITIONAL)], "R"),
    ("mean over the sphere", "exp(x.z) - 1.3", KERNEL, {"t": "x.z", "d": "2"},
     [("exp(x.z) - 1.3", CONDITIONAL)], "sphere"),
    ("finite features", "x*z + 1.1*x^2*z + 1.1*x*z^2 + x^2*z^2", KERNEL,
     {"f1": "x", "f2": "x^2", "G1,1": "1", "G1,2": "1.1", "G2,2": "1"}, [], "R"),
    ("one positive direction", "1/(1 + x*z)", KERNEL, {"r": "1", "u": "1 + x*z", "f1": "1", "f2": "x"},
     [], "R+"),
]


def bad_step(rule: str, subject: str, claim: str, given: dict[str, str],
             premises: list[tuple[str, str]], domain: str) -> Step:
    many = "[i]" in "".join(p[0] for p in premises) or ".z" in subject
    dimension = 2 if domain == "sphere" else None if many else 1
    samples = Samples(Domain.parse(domain), dimension, subject, 1, 7, 18)
    return Step(rule, samples.expression(subject), claim,
                {name: samples.expression(text) for name, text in given.items()},
                [samples.expression(s) for s, _ in premises], [c for _, c in premises], samples)


def steps(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield step
    for premise in step["premises"]:
        yield from steps(premise)


class Tampering(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.answers = judge_lines(SOUND)

    def test_what_is_sound_passes(self) -> None:
        self.assertEqual([a["expression"] for a in self.answers if a["verdict"] != "kernel"], [])
        self.assertEqual(replayed(self.answers).failures, [])

    def tampered(self, change: Any) -> None:
        """Each step in turn is changed, and each change is noticed."""
        for original in self.answers:
            for n, _ in enumerate(steps(original["derivation"])):
                changed = copy.deepcopy(original)
                step = list(steps(changed["derivation"]))[n]
                if not change(step):
                    continue
                with self.subTest(expression=original["expression"], rule=step["rule"]):
                    self.assertTrue(replayed([changed], gram=0).failures)

    def test_another_subject(self) -> None:
        def change(step: dict[str, Any]) -> bool:
            step["subject"] = f"{step['subject']} + 1e-12"
            return True

        self.tampered(change)

    def test_another_rule(self) -> None:
        def change(step: dict[str, Any]) -> bool:
            step["rule"] = "because"
            return True

        self.tampered(change)

    def test_a_weaker_premise(self) -> None:
        def change(step: dict[str, Any]) -> bool:
            weaker = {DIVISIBLE: KERNEL, KERNEL: CONDITIONAL}
            allowed = ("a kernel, conditionally", "odd part")
            for premise in step["premises"]:
                if premise["claim"] == KERNEL and step["claim"] == CONDITIONAL:
                    continue
                if premise["claim"] in weaker and step["rule"] not in allowed:
                    premise["claim"] = weaker[premise["claim"]]
                    return True
            return False

        self.tampered(change)

    def test_a_premise_left_out(self) -> None:
        def change(step: dict[str, Any]) -> bool:
            if not step["premises"]:
                return False
            step["premises"].pop()
            return True

        self.tampered(change)


class Rules(unittest.TestCase):
    def test_what_they_do_not_allow(self) -> None:
        for bad in BAD:
            with self.subTest(rule=bad[0], subject=bad[1]):
                with self.assertRaises(Failure) as raised:
                    check(bad_step(*bad))
                self.assertNotIn("no checker", str(raised.exception))

    def test_each_has_a_bad_step(self) -> None:
        for name in CHECKERS:
            self.assertIn(name, {bad[0] for bad in BAD}, f"add a bad step for the rule {name}")


class Witnesses(unittest.TestCase):
    def test_tampering(self) -> None:
        answers = judge_lines(["x.z - 1", "tanh(x.z)", "min(x,z)\tZ\t1", "sin(x)*cos(z)\tR\t1",
                               "max(x,z)\tR+\t1", "exp(-|x-z|^3)\tR\t1"])
        self.assertEqual({a["verdict"] for a in answers}, {"not-a-kernel"})
        self.assertEqual(replayed(answers).failures, [])
        for original in answers:
            witness = original["witness"]
            for change in ({"points": [["7/3"] * witness["dim"]] * len(witness["points"])},
                           {"value": "-123"}, {"bound": "-1e9"}, {"bound": "0"}, {"dim": 7},
                           {"coefficients": ["1"] * (len(witness["points"]) + 1)},
                           {"values": ["1", "2"]}):
                if not set(change) <= set(witness):
                    continue
                changed = copy.deepcopy(original)
                changed["witness"].update(change)
                with self.subTest(expression=original["expression"], change=change):
                    self.assertTrue(replayed([changed]).failures)

    def test_outside_of_the_domain(self) -> None:
        witness = {"dim": 1, "points": [["-1"]], "coefficients": ["1"], "value": "-1",
                   "bound": "-1", "exact": True}
        for domain, failures in (("R", 0), ("R+", 1), ("Z", 0), ("(-1,1)", 1), ("sphere", 0)):
            statement = {"verdict": "not-a-kernel", "kernel": "min(x1,z1)", "domain": domain,
                         "dimension": 1, "witness": witness}
            with self.subTest(domain=domain):
                self.assertEqual(len(replayed([statement]).failures), failures)


class Language(unittest.TestCase):
    def value(self, text: str, x: str, z: str) -> Any:
        points = [tuple(Fraction(c) for c in point.split()) for point in (x, z)]
        return number(compiled(parse(text))(*points, {}))

    def test_values(self) -> None:
        for text, x, z, value in (
            ("-x.z^2", "1 2", "3 4", -121), ("2^3^2", "1", "1", 512), ("<x,z> + dot(x,z)", "2", "3", 12),
            ("|x-z|_1 + norm1(x+z)", "1 -2", "3 1", 10), ("|x|^2", "1 2", "0 0", 5),
            ("||x1|-|z1||", "-1", "3", 2), ("x'1*x2", "1 2", "5 7", 10), ("linear[2:3]", "1 2 3", "1 1 1", 5),
            ("poly(2)[2,1]", "1 2", "1 1", 16), ("anova(2)", "1 2 3", "1 1 1", 11),
            ("subsets", "1 2", "3 4", 36), ("chi2(1)", "0 0", "0 0", 1), ("cosine", "0 0", "1 2", 0),
            ("normalize(x.z)", "2", "3", 1), ("min(x,z)", "1 5", "2 3", 4), ("max(x,z)", "1", "2", 2),
            ("sum(i, x[i]*prod(j, z[j]))", "1 2", "3 4", 36), ("rbf(sigma=2)", "1", "1", 1),
            ("rq(2,3)", "0", "6", Fraction(1, 4)), ("0.1 + 1e-1", "0", "0", Fraction(1, 5)),
            ("(x-z)^2/(x+z)", "0", "0", 0), ("2*x - z", "5", "3", 7), ("sqrt(x*z)", "4", "9", 6),
        ):
            with self.subTest(text=text):
                self.assertEqual(self.value(text, x, z), value)
        # K_nu(t) = ∫ exp(-t cosh s) cosh(nu s) ds over s >= 0, with t = sqrt(2 nu)/length
        nu, t = mp.mpf("0.8"), mp.sqrt(1.6) / 2
        bessel = mp.quad(lambda s: mp.exp(-t * mp.cosh(s)) * mp.cosh(nu * s), [0, 2, 5, 9])
        self.assertAlmostEqual(float(self.value("matern(0.8, 2)", "0", "1")),
                               float(2 ** (1 - nu) / mp.gamma(nu) * t**nu * bessel), 12)
        self.assertAlmostEqual(float(self.value("matern(1.5)", "0", "1")), 0.4833577245, 9)

    def test_no_values(self) -> None:
        for text, x, z, error in (("1/x1", "0", "1", Undefined), ("log(x1)", "0", "0", Undefined),
                                  ("exp(x)", "1 2", "0 0", WrongDimension), ("x3", "1", "1", WrongDimension),
                                  ("sqrt(x1)", "-1", "1", Undefined), ("exp(exp(x1))", "99", "1", TooLarge),
                                  ("asin(x1)", "2", "1", Undefined)):
            with self.subTest(text=text), self.assertRaises(error):
                self.value(text, x, z)

    def test_series(self) -> None:
        t = parse("x.z")
        for text in ("exp(x.z)*x.z", "log((2+x.z)/(2-x.z))", "cos(x.z)^2", "(1-x.z/3)^(-2.5)",
                     "asin(x.z/2)", "tanh(sinh(x.z))", "2^(x.z)", "1/(3+cosh(x.z))"):
            ours = series(parse(text), t, 9)
            at = compiled(parse(text))
            theirs = mp.taylor(lambda v: real(number(at((v,), (mp.mpf(1),), {}))), 0, 8)
            for a, b in zip(ours, theirs):
                self.assertAlmostEqual(float(a), float(b), 12, text)

    def test_semidefinite(self) -> None:
        for entries, answer_ in (({(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 1}, True),
                                 ({(0, 0): 1, (0, 1): 2, (1, 0): 2, (1, 1): 3}, False),
                                 ({(0, 1): 1, (1, 0): 1}, False), ({(0, 1): 1}, False), ({}, True)):
            self.assertEqual(semidefinite(2, {k: Fraction(v) for k, v in entries.items()}), answer_)

    def test_domains(self) -> None:
        for text, inside, outside in (("R+", "0", "-1"), ("R++", "1/9", "0"), ("N", "1", "0"),
                                      ("(0,1]", "1", "0"), ("{-1,1/2}", "1/2", "0"),
                                      ("ball(1/2)", "1/2", "2/3"), ("sphere", "-1", "0"), ("Z", "-7", "1/2")):
            domain = Domain.parse(text)
            self.assertTrue(domain.contains((Fraction(inside),)), text)
            self.assertFalse(domain.contains((Fraction(outside),)), text)


if __name__ == "__main__":
    unittest.main()
