import unittest

from program import run, run_json


class Kernel(unittest.TestCase):
    def test_shows_form_formula_properties_and_tree(self):
        done = run("kernel", "rbf(0.5) * poly(2) + 0.1*linear")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "")
        for part in ("rbf(0.5)*poly(2) + 0.1*linear", "exp(-0.5*|x-z|^2)", "stationary", "infinite", "└─"):
            self.assertIn(part, done.stdout)

    def test_json_says_the_same(self):
        code, answer = run_json("kernel", "(1 + x.z)^2", "--dim", "2")
        self.assertEqual(code, 0)
        self.assertEqual(answer["kernel"], "poly(2)")
        self.assertEqual(answer["formula"], "(x.z + 1)^2")
        properties = answer["properties"]
        self.assertTrue(properties["symmetric"])
        self.assertTrue(properties["function_of_dot_product"])
        self.assertFalse(properties["stationary"])
        self.assertEqual(properties["degree"], "2")
        self.assertEqual(properties["features"], {"kind": "exactly", "count": "6"})
        self.assertEqual(properties["defined_on"], "R")

    def test_name_and_formula_are_told_alike(self):
        for name, formula in (
            ("linear", "x.z"),
            ("poly(2, c=3, gamma=4)", "(4*x.z + 3)^2"),
            ("rbf(sigma=2)", "exp(-|x-z|^2/8)"),
            ("laplacian(2)", "exp(-2*|x-z|_1)"),
            ("matern(1.5, 2)", "(1 + sqrt(3)*|x-z|/2)*exp(-sqrt(3)*|x-z|/2)"),
            ("rq(2, 3)", "(1 + |x-z|^2/36)^-2"),
            ("periodic(2, 3)", "exp(-2*sum(i, sin(pi*(x[i]-z[i])/2)^2)/9)"),
            ("sigmoid(2, 1)", "tanh(2*x.z + 1)"),
            ("cosine", "x.z/(|x|*|z|)"),
            ("intersection", "sum(i, min(x[i],z[i]))"),
            ("chi2(2)", "exp(-2*sum(i, (x[i]-z[i])^2/(x[i]+z[i])))"),
            ("subsets", "prod(i, 1 + x[i]*z[i])"),
        ):
            with self.subTest(name=name):
                self.assertEqual(run_json("kernel", name), run_json("kernel", formula))

    def test_open_parameters_are_listed(self):
        _, answer = run_json("kernel", "rbf(gamma=?[0.01,10]) + poly(?)")
        self.assertEqual(
            sorted((o["kernel"], o["parameter"], o.get("range")) for o in answer["open_parameters"]),
            [("poly", "degree", None), ("rbf", "gamma", [0.01, 10])],
        )

    def test_an_expression_may_begin_with_a_minus(self):
        for words in (["-x.z"], ["-x.z", "--json"], ["--json", "-x.z"], ["-(x.z)^2"], ["-1"], ["-|x-z|^2"]):
            with self.subTest(words=words):
                done = run("kernel", *words)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(run_json("kernel", "-x.z")[1]["kernel"], "-linear")

    def test_a_mistake_is_one_message_with_a_caret(self):
        done = run("kernel", "2 * rfb(1)")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertIn("column 5", lines[0])
        self.assertIn("did you mean 'rbf'?", lines[0])
        self.assertEqual(lines[1].index("rfb"), lines[2].index("^"))

    def test_a_mistake_in_json(self):
        code, answer = run_json("kernel", "2 * rfb(1)")
        self.assertEqual(code, 2)
        self.assertEqual(answer["error"]["column"], 5)
        self.assertEqual(answer["error"]["suggestion"], "rbf")

    def test_impossible_dimensions(self):
        for words in (["x3", "--dim", "2"], ["exp(x)", "--dim", "2"], ["x.z", "--dim", "0"],
                      ["x.z", "--dim", "-1"], ["x.z", "--dim", "two"], ["x.z", "--dim", "99999999999"]):
            with self.subTest(words=words):
                done = run("kernel", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr)

    def test_hostile_expressions_end_soon_and_well(self):
        for text in ("(" * 5000, "-" * 5000 + "x", "x^" * 500 + "2", "[" * 100, "|" * 301, "9" * 5000,
                     "2^(10^9)*x.z", "rbf(" * 300, "x.z+" * 3000 + "1", "x[" + "1," * 900 + "2]", "\0", ""):
            with self.subTest(text=text[:20]):
                if "\0" in text:
                    continue  # the operating system does not pass it on
                self.assertIn(run("kernel", text).returncode, (0, 2))

    def test_too_long(self):
        done = run("kernel", "x1+" * 30000 + "1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr,
                         "mercer kernel: the expression is 90001 bytes long; at most 65536 are read\n")


if __name__ == "__main__":
    unittest.main()
