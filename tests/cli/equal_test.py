import unittest

from program import run, run_json


class Equal(unittest.TestCase):
    def test_equal(self):
        done = run("equal", "(1 + x.z)^2", "1 + 2*x.z + (x.z)^2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("are equal on R in every dimension", done.stdout)
        code, answer = run_json("equal", "rbf(0.5)", "exp(x.z - 1)", "--over", "sphere")
        self.assertEqual((code, answer["verdict"], answer["domain"]), (0, "equal", "sphere"))
        self.assertIn("by rewriting", answer["reason"])

    def test_different(self):
        done = run("equal", "x1*z1 + x2*z2", "x.z")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("in dimension 3, at x = (0, 0, 1), z = (0, 0, 1)", done.stdout)
        self.assertEqual(run("equal", "x1*z1 + x2*z2", "x.z", "--dim", "2").returncode, 0)
        code, answer = run_json("equal", "rbf(1)", "rbf(1.0000000000000001)")
        self.assertEqual((code, answer["verdict"]), (1, "different"))
        self.assertFalse(answer["difference"]["exact"])
        self.assertEqual(len(answer["difference"]["values"]), 2)

    def test_unknown(self):
        code, answer = run_json("equal", "asin(sin(x))", "x", "--over", "[-1,1]")
        self.assertEqual((code, answer["verdict"]), (3, "unknown"))
        self.assertTrue(answer["tried"])

    def test_minus_sign_first(self):
        self.assertEqual(run("equal", "-x.z", "-(x.z)").returncode, 0)

    def test_mistakes(self):
        for words, part in (
            ([], "K1"),
            (["x.z"], "K2"),
            (["x/x", "1"], "a point of the domain R"),
            (["x", "x2"], "no dimension in which both make sense"),
            (["x.z", "rfb(1)"], "did you mean 'rbf'?"),
            (["x.z", "x.z", "--over", "Q"], "unknown domain"),
            (["x.z", "x.z", "--dim", "0"], "--dim"),
            (["rbf(?)", "rbf(1)"], "open parameters"),
        ):
            with self.subTest(words=words):
                done = run("equal", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(part, done.stderr)

    def test_large_dimensions(self):
        self.assertEqual(run("equal", "linear", "x.z", "--dim", "2000000000").returncode, 0)
        code, answer = run_json("equal", "linear", "linear + 1e-9", "--dim", "10000")
        self.assertEqual((code, answer["verdict"]), (1, "different"))
        done = run("equal", "linear", "linear + 1e-9", "--dim", "100000000")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("they are different in dimension 100000000, but", done.stderr)


if __name__ == "__main__":
    unittest.main()
