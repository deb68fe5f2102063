"""The exercises 17 to 21 of the notes, and the derivations in their text, done by the program.

What the notes have wrong (docs/notes-errata.md) appears here only as something that is refuted.
"""

import os
import unittest
from fractions import Fraction
from math import comb

from program import run, run_json

EXAMPLES = os.path.join(os.environ["MERCER_SOURCE"], "examples")

# the rules that draw every ellipse
CONICS = "[x1, x2, x1*x2, x1^2, x2^2]"
MAPS_17 = {
    "A": "[x1, x2]",
    "B": "[x1, x2, x1*x2]",
    "C": "[x1, x2, x1^2+x2^2]",
    "D": "[x1, x2, x1^2+2*x2^2]",
    "E": "[x1, x2, x1*x2, x1^2, x2^2]",
}


def features(kernel, dim):
    """The coordinates of φ, after a look at the exit code and the check."""
    code, answer = run_json("features", kernel, "--dim", str(dim))
    assert code == 0 and answer["check"]["kind"] == "exact", answer
    return answer["coordinates"]


class Case(unittest.TestCase):
    def says(self, code, parts, *words):
        """The exit code, nothing on stderr, and these words for the reader."""
        done = run(*words)
        self.assertEqual((done.returncode, done.stderr), (code, ""), words)
        for part in parts:
            self.assertIn(part, done.stdout)

    def equal(self, first, second, *options):
        code, answer = run_json("equal", first, second, *options)
        self.assertEqual((code, answer["verdict"]), (0, "equal"), (first, second))

    def different(self, first, second, *options):
        code, answer = run_json("equal", first, second, *options)
        self.assertEqual((code, answer["verdict"]), (1, "different"), (first, second))
        one, other = (Fraction(value) for value in answer["difference"]["values"])
        self.assertNotEqual(one, other)


class Exercise17(Case):
    """Which maps have a linear rule for every ellipse?"""

    def test_only_e_contains_all_ellipses(self):
        for letter, feature_map in MAPS_17.items():
            with self.subTest(letter=letter):
                code, answer = run_json("features", "--map", feature_map, "--contains", CONICS)
                expected = (0, "yes") if letter == "E" else (1, "no")
                self.assertEqual((code, answer["contains"]), expected)

    def test_it_says_what_is_missing(self):
        self.says(1, ["No: ", "x1^2 is missing"],
                  "features", "--map", MAPS_17["B"], "--contains", CONICS)
        self.says(0, ["Yes: every rule in ψ is a rule in φ."],
                  "features", "--map", MAPS_17["E"], "--contains", CONICS)

    def test_circles_and_ellipses_of_one_shape(self):
        circle = "[(x1-1)^2 + (x2+2)^2 - 9]"
        ellipse = "[(x1-1)^2 + 2*(x2+2)^2 - 9]"
        for letter, rule, code in (("C", circle, 0), ("C", ellipse, 1),
                                   ("D", circle, 1), ("D", ellipse, 0)):
            with self.subTest(letter=letter, rule=rule):
                done = run("features", "--map", MAPS_17[letter], "--contains", rule)
                self.assertEqual(done.returncode, code)

    def test_on_data(self):
        data = os.path.join(EXAMPLES, "ellipse.csv")
        for letter, feature_map in MAPS_17.items():
            with self.subTest(letter=letter):
                done = run("separable", data, "--map", feature_map)
                self.assertEqual(done.returncode, 0 if letter == "E" else 1)
                self.assertIn("\nSeparable under" if letter == "E" else "\nNot separable under",
                              done.stdout)


class Exercise18(Case):
    """Counting: the notes give a title only."""

    def test_all_monomials_up_to_a_degree(self):
        for degree in (1, 2, 3, 5, 10):
            for dim in (1, 2, 10, 100):
                with self.subTest(degree=degree, dim=dim):
                    code, answer = run_json("features", f"(1 + x.z)^{degree}", "--dim", str(dim))
                    self.assertEqual(code, 0)
                    self.assertEqual(int(answer["count"]), comb(dim + degree, degree))

    def test_without_the_constant(self):
        code, answer = run_json("features", "x.z + (x.z)^2", "--dim", "100")
        self.assertEqual((code, answer["count"]), (0, str(100 + 100 + comb(100, 2))))

    def test_it_reads_well(self):
        self.says(0, ["features   5151, the fewest possible"],
                  "features", "(1 + x.z)^2", "--dim", "100")

    def test_second_order_in_the_plane(self):
        self.assertEqual(len(features("x.z + (x.z)^2", 2)), 5)


class Exercise19(Case):
    """φ = [x1, x2, x1², √2·x1·x2, x2²]: which kernel?"""

    def test_answer_b(self):
        self.says(0, ["(x.z)^2 + x.z", "function of x.z  yes"],
                  "features", "--map", "[x1, x2, x1^2, sqrt(2)*x1*x2, x2^2]")
        code, answer = run_json("features", "--map", "[x1, x2, x1^2, sqrt(2)*x1*x2, x2^2]")
        self.assertEqual((code, answer["function_of_dot"]), (0, True))
        self.equal(answer["kernel"], "x.z + (x.z)^2", "--dim", "2")
        for wrong in ("x.z", "(x.z)^2", "2*(x.z)^2"):  # A, C, D
            self.different(answer["kernel"], wrong, "--dim", "2")

    def test_the_expansion(self):
        self.equal("x1*z1 + x2*z2 + x1^2*z1^2 + 2*x1*z1*x2*z2 + x2^2*z2^2", "x.z + (x.z)^2",
                   "--dim", "2")

    def test_the_root_of_two_is_needed(self):
        code, answer = run_json("features", "--map", "[x1, x2, x1^2, x1*x2, x2^2]")
        self.assertEqual((code, answer["function_of_dot"]), (0, False))

    def test_and_back(self):
        self.assertEqual(features("x.z + (x.z)^2", 2),
                         ["x1", "x2", "x1^2", "sqrt(2)*x1*x2", "x2^2"])


class Exercise20(Case):
    """Which φ has this kernel?"""

    KERNEL = "x1*z1 + x2*z2 + x3*z3 + x2*z3 + x3*z2"

    def test_each_answer(self):
        for letter, feature_map in (("A", "[x1, x2, x3]"), ("B", "[x1 + x2 + x3]"),
                                    ("C", "[x1, x2 + x3]"), ("D", "[x1 + x3, x1 + x2]")):
            with self.subTest(letter=letter):
                code, answer = run_json("features", "--map", feature_map)
                self.assertEqual(code, 0)
                compare = self.equal if letter == "C" else self.different
                compare(self.KERNEL, answer["kernel"], "--dim", "3")

    def test_found_from_the_kernel(self):
        self.assertEqual(features(self.KERNEL, 3), ["x1", "x2 + x3"])
        self.says(0, ["features   2, the fewest possible", "φ2 = x2 + x3\n"],
                  "features", self.KERNEL, "--dim", "3")


class Exercise21(Case):
    """Which are kernels?"""

    def test_a_to_e(self):
        for kernel in ("1", "x.z", "1 + x.z", "(1 + x.z)^2", "exp(x+z)"):
            with self.subTest(kernel=kernel):
                code, answer = run_json("prove", kernel)
                self.assertEqual((code, answer["verdict"]), (0, "kernel"))
                self.assertEqual(answer["derivation"]["claim"], "is a kernel")

    def test_the_rules_of_the_notes_are_named(self):
        self.says(0, ["is a kernel on R in every dimension", "rules (0) and (1)", "rule (2)",
                      "rule (3)"], "prove", "(1 + x.z)^2")

    def test_e_has_one_feature(self):
        code, answer = run_json("features", "exp(x+z)", "--dim", "1")
        self.assertEqual((code, answer["coordinates"]), (0, ["exp(x)"]))

    def test_f_fails_at_a_negative_number(self):
        code, answer = run_json("prove", "min(x,z)", "--over", "Z", "--dim", "1")
        self.assertEqual((code, answer["verdict"]), (1, "not-a-kernel"))
        points = [Fraction(point[0]) for point in answer["witness"]["points"]]
        a = [Fraction(value) for value in answer["witness"]["coefficients"]]
        self.assertTrue(all(point.denominator == 1 for point in points))
        self.assertLess(sum(a[i] * a[j] * min(points[i], points[j])
                            for i in range(len(a)) for j in range(len(a))), 0)
        self.says(1, ["is not a kernel on Z", "< 0", "x_1 = "], "prove", "min(x,z)", "--over", "Z")

    def test_min_where_it_is_a_kernel(self):
        for domain in ("R+", "N", "[0,1]", "{1,2,3}"):
            with self.subTest(domain=domain):
                self.says(0, ["is a kernel on " + domain, "∫"],
                          "prove", "min(x,z)", "--over", domain)

    def test_all_at_once(self):
        self.says(0, ["7 statements, 7 compared with a verdict, 0 different"],
                  "prove", "--batch", os.path.join(EXAMPLES, "exercise-21.tsv"))

    def test_for_a_solution_sheet(self):
        self.says(0, [r"\paragraph{Proof.}", r"by \emph{power}", r"\square"],
                  "prove", "(1 + x.z)^2", "--latex")
        self.says(1, ["is not a kernel", r"\begin{tabular}", "< 0"],
                  "prove", "min(x,z)", "--over", "Z", "--latex")


class Derivations(Case):
    def test_sum_is_concatenation(self):
        for first, second in (("x.z", "(x.z)^2"), ("1", "x.z"), ("x1*z1", "(x2 + x3)*(z2 + z3)")):
            with self.subTest(first=first, second=second):
                together = features(f"{first} + {second}", 3)
                self.assertEqual(sorted(together),
                                 sorted(features(first, 3) + features(second, 3)))
                code, answer = run_json("features", "--map", "[" + ", ".join(together) + "]")
                self.equal(answer["kernel"], f"{first} + {second}", "--dim", "3")

    def test_inner_product_by_the_rules(self):
        code, answer = run_json("prove", "x.z")
        derivation = answer["derivation"]
        self.assertEqual((code, derivation["rule"]), (0, "sum over coordinates"))
        self.assertEqual(derivation["premises"][0]["rule"], "one feature")

    def test_rbf_is_f_exp_f(self):
        product = "exp(-|x|^2/2)*exp(x.z)*exp(-|z|^2/2)"
        self.equal("exp(-|x-z|^2/2)", product)
        self.says(0, ["are equal on R in every dimension"], "equal", "exp(-|x-z|^2/2)", product)
        code, answer = run_json("prove", product)
        derivation = answer["derivation"]
        self.assertEqual((code, derivation["rule"]), (0, "f(x) k f(z)"))
        self.assertEqual(derivation["premises"][0]["subject"], "exp(x.z)")
        self.says(0, ["is a kernel on R in every dimension"], "prove", "exp(-|x-z|^2/2)")

    def test_rbf_has_infinitely_many_features(self):
        code, answer = run_json("features", "exp(-|x-z|^2/2)", "--dim", "1", "--terms", "3")
        self.assertEqual((code, answer["kind"]), (0, "infinite"))
        self.assertEqual(answer["coordinates"],
                         ["exp(-0.5*x^2)", "exp(-0.5*x^2)*x", "sqrt(1/2)*exp(-0.5*x^2)*x^2"])
        self.says(0, ["infinitely many", "|k(x,z) - φ(x)·φ(z)| <="],
                  "features", "exp(-|x-z|^2/2)", "--dim", "1")

    def test_rbf_separates_what_differs(self):
        xor = os.path.join(EXAMPLES, "xor.csv")
        self.says(1, ["Not separable"], "separable", xor, "--map", "[x1, x2]")
        for offset in ([], ["--no-offset"]):
            self.says(0, ["\nSeparable"], "separable", xor, "-k", "exp(-|x-z|^2/2)", *offset)

    def test_subsets(self):
        kernel = "prod(i, 1 + x[i]*z[i])"
        self.assertEqual(features(kernel, 3), ["1", "x1", "x2", "x3", "x1*x2", "x1*x3", "x2*x3",
                                               "x1*x2*x3"])
        for dim in (1, 2, 5, 10, 100):
            code, answer = run_json("features", kernel, "--dim", str(dim))
            self.assertEqual((code, int(answer["count"])), (0, 2**dim))
        self.says(0, ["2^d"], "kernel", kernel)
        self.says(0, ["is a kernel on R in every dimension", "by product over coordinates"],
                  "prove", kernel)
        self.assertEqual(len(features(kernel + " - 1", 3)), 7)  # without the empty set

    def test_min_is_no_kernel_with_negative_numbers_and_max_is_none_at_all(self):
        self.says(1, ["is not a kernel on R."], "prove", "min(x,z)")
        self.says(1, ["is not a kernel on R+.", "a_2 ="], "prove", "max(x,z)", "--over", "R+")

    def test_a_millionth_decides(self):
        for c, code in (("1", 0), ("0.999999", 0), ("1.000001", 1)):
            done = run("prove", f"x1*z1 + x2*z2 + {c}*(x1*z2 + x2*z1)", "--dim", "2")
            self.assertEqual(done.returncode, code, c)


class Slips(Case):
    """What the notes have wrong is not what the program says."""

    def test_sum_of_powers(self):
        for p in (1, 2, 3):
            powers = " + ".join(f"(x.z)^{n}" for n in range(1, p + 1))
            self.different(f"(1 + x.z)^{p}", powers)

    def test_six_entries(self):
        for wrong in ("[x1^2, x2^2, x1, x2, x1, x2]", "[x1^2, x2^2, x1*x2, x1, x2]"):
            code, answer = run_json("features", "--map", wrong)
            self.assertEqual(code, 0)
            self.different(answer["kernel"], "(x.z)^2 + x.z", "--dim", "2")

    def test_symmetry_is_needed(self):
        for kernel in ("x1*z1 + x2*z2 + x1*z2 - x2*z1", "x*z^2/2"):
            self.says(1, ["It is not symmetric"], "prove", kernel)

    def test_sum_with_itself(self):
        self.different("x.z + (x.z)^2", "x.z + x.z")

    def test_infinitely_many_features_that_do_not_separate(self):
        code, answer = run_json("features", "exp(x1*z1)", "--dim", "2")
        self.assertEqual((code, answer["kind"]), (0, "infinite"))
        self.says(1, ["Not separable"],
                  "separable", os.path.join(EXAMPLES, "xor.csv"), "-k", "exp(x1*z1)")


if __name__ == "__main__":
    unittest.main()
