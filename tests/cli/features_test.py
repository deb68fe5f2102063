import unittest

from program import run, run_json


class Features(unittest.TestCase):
    def test_polynomial(self):
        done = run("features", "(1 + x.z)^2", "--dim", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("features   6, the fewest possible", "φ2 = sqrt(2)*x1\n",
                     "φ5 = sqrt(2)*x1*x2\n", "exactly"):
            self.assertIn(part, done.stdout)
        code, answer = run_json("features", "(1 + x.z)^2", "--dim", "2")
        self.assertEqual((code, answer["kind"], answer["count"], answer["minimal"]),
                         (0, "finite", "6", True))
        self.assertEqual(answer["coordinates"],
                         ["1", "sqrt(2)*x1", "sqrt(2)*x2", "x1^2", "sqrt(2)*x1*x2", "x2^2"])
        self.assertEqual(answer["check"], {"kind": "exact"})

    def test_counted_only(self):
        done = run("features", "(1+x.z)^10", "--dim", "100")
        self.assertEqual(done.returncode, 0)
        self.assertIn("46897636623981", done.stdout)
        self.assertIn("Not written out", done.stdout)
        self.assertNotIn("φ1", done.stdout)
        code, answer = run_json("features", "(1+x.z)^10", "--dim", "100")
        self.assertEqual((answer["count"], answer["coordinates"], answer["complete"]),
                         ("46897636623981", [], False))

    def test_on_request(self):
        code, answer = run_json("features", "(1+x.z)^10", "--dim", "100", "--terms", "3")
        self.assertEqual((code, answer["coordinates"]), (0, ["1", "sqrt(10)*x1", "sqrt(10)*x2"]))
        code, answer = run_json("features", "(1+x.z)^2", "--dim", "20")
        self.assertEqual((answer["count"], answer["coordinates"]), ("231", []))
        code, answer = run_json("features", "(1+x.z)^2", "--dim", "20", "--all")
        self.assertEqual((len(answer["coordinates"]), answer["complete"]), (231, True))

    def test_infinite(self):
        done = run("features", "rbf(0.5)", "--dim", "2", "--terms", "3")
        self.assertEqual(done.returncode, 0)
        for part in ("infinitely many; the series is cut after 3 terms: 6 coordinates",
                     "<= |x|^3*|z|^3/6\nfor all x and z.", "at most 0.167"):
            self.assertIn(part, done.stdout)
        code, answer = run_json("features", "1/(1 - x.z)", "--dim", "2", "--terms", "2")
        self.assertEqual((answer["kind"], answer["terms"], answer["tail_where"]),
                         ("infinite", 2, ["|x|*|z| < 1"]))
        self.assertEqual(answer["coordinates"], ["1", "x1", "x2"])

    def test_no_map(self):
        done = run("features", "x.z - 1", "--dim", "2")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("There is no φ.", done.stdout)
        self.assertIn("mercer prove", done.stdout)
        code, answer = run_json("features", "laplacian", "--dim", "2")
        self.assertEqual((code, answer["kind"], answer["infinite"]), (3, "unknown", True))

    def test_exponentials_less_a_constant(self):
        code, answer = run_json("features", "exp(x*z) - 1", "--dim", "1", "--terms", "3")
        self.assertEqual((code, answer["coordinates"]), (0, ["x", "sqrt(1/2)*x^2"]))
        code, answer = run_json("features", "(exp(x*z) - 1)^2", "--dim", "1")
        self.assertEqual((code, answer["kind"], answer["check"]["kind"]), (0, "infinite", "numeric"))
        self.assertEqual(run("features", "exp(x*z) - 1.000001", "--dim", "1").returncode, 1)

    def test_not_a_kernel_where_no_map_is_found(self):
        for expression in ("tanh(x.z)", "exp(-x.z)"):
            with self.subTest(expression=expression):
                done = run("features", expression, "--dim", "1")
                self.assertEqual((done.returncode, done.stderr), (1, ""))
                self.assertIn("is not a kernel on R in dimension 1: Σ a_i a_j k(x_i, x_j) =", done.stdout)
                self.assertEqual(run_json("features", expression, "--dim", "1")[1]["kind"], "none")

    def test_minus_sign_first(self):
        self.assertEqual(run("features", "-x.z", "--dim", "2").returncode, 1)

    def test_map(self):
        done = run("features", "--map", "[1, sqrt(2)*x1, sqrt(2)*x2, x1^2, sqrt(2)*x1*x2, x2^2]")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("(x.z + 1)^2", done.stdout)
        code, answer = run_json("features", "--map", "[x1, x2 + x3]")
        self.assertEqual((code, answer["dimension"], answer["function_of_dot"]), (0, 3, False))
        self.assertEqual(answer["formula"], "(x2 + x3)*(z2 + z3) + x1*z1")

    def test_contains(self):
        ellipses = "[x1, x2, x1*x2, x1^2, x2^2]"
        done = run("features", "--map", ellipses, "--contains", "[x1^2 + 2*x2^2 - 3]")
        self.assertEqual(done.returncode, 0)
        self.assertIn("ψ1 = x1^2 + 2*x2^2 - 3 = φ4 + 2·φ5 - 3", done.stdout)
        code, answer = run_json("features", "--map", "[x1, x2, x1^2 + x2^2]",
                                "--contains", ellipses)
        self.assertEqual((code, answer["contains"], answer["missing"]), (1, "no", "x1*x2"))
        code, answer = run_json("features", "--map", "[x1]", "--contains", "[x1, 1]")
        self.assertEqual((code, answer["combinations"], answer["offsets"]),
                         (0, [["1"], ["0"]], ["0", "1"]))
        self.assertEqual(run("features", "--map", "[x1]", "--contains", "[x1, 1]",
                             "--no-offset").returncode, 1)
        self.assertEqual(run("features", "--map", "[cos(x)^2]", "--contains",
                             "[sin(x)^2]").returncode, 3)

    def test_mistakes(self):
        for words, part in (
            ([], "EXPR is required"),
            (["x.z"], "--dim D is required"),
            (["x.z", "--dim", "0"], "--dim"),
            (["x3*z3", "--dim", "2"], "dimension"),
            (["x.z", "--dim", "2", "--terms", "0"], "--terms"),
            (["rbf(1)", "--dim", "2", "--terms", "1000"], "at most 100 terms"),
            (["rbf(?)", "--dim", "2"], "open parameters"),
            (["precomputed", "--dim", "2"], "precomputed matrix"),
            (["x.z", "--map", "[x1]"], "not both"),
            (["--map", "[x1]", "--terms", "3"], "go with an expression"),
            (["--contains", "[x1]"], "--map"),
            (["x.z", "--dim", "2", "--no-offset"], "--contains"),
            (["--map", "[x1]", "--no-offset"], "--contains"),
            (["--map", "x1"], "a list in brackets"),
            (["--map", "[]"], "the list is empty"),
            (["--map", ""], "the feature map is empty"),
            (["--map", "[x1, z1]"], "a function of x alone"),
            (["--map", "[x1, x2]", "--dim", "1"], "dimension"),
            (["--map", "[|x|]"], "--dim"),
            (["--map", "[x1, rfb]"], "did you mean 'rbf'?"),
            (["--map", "[x1]", "--contains", "[x1"], "not closed"),
        ):
            with self.subTest(words=words):
                done = run("features", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(part, done.stderr)

    def test_error_as_json(self):
        code, answer = run_json("features", "--map", "[x1, z1]")
        self.assertEqual((code, answer["error"]["column"]), (2, 6))


if __name__ == "__main__":
    unittest.main()
