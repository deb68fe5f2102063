import os
import tempfile
import unittest

from program import run, run_json


class Prove(unittest.TestCase):
    def test_a_kernel(self):
        done = run("prove", "rbf(0.5)*poly(2) + 0.1*linear")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("is a kernel on R in every dimension", "by product", "Rules:"):
            self.assertIn(part, done.stdout)
        code, answer = run_json("prove", "min(x,z)", "--over", "R+", "--dim", "1")
        self.assertEqual((code, answer["verdict"], answer["domain"]), (0, "kernel", "R+"))
        self.assertEqual(answer["derivation"]["claim"], "is a kernel")

    def test_not_a_kernel(self):
        code, answer = run_json("prove", "min(x,z)", "--over", "Z", "--dim", "1")
        self.assertEqual((code, answer["verdict"]), (1, "not-a-kernel"))
        witness = answer["witness"]
        self.assertEqual(witness["dim"], 1)
        self.assertEqual(len(witness["points"]), len(witness["coefficients"]))
        self.assertLess(float(witness["bound"]), 0)

    def test_asymmetry(self):
        code, answer = run_json("prove", "sin(x)*cos(z)")
        self.assertEqual(code, 1)
        self.assertEqual(len(answer["witness"]["points"]), 2)
        self.assertEqual(len(answer["witness"]["values"]), 2)

    def test_minus_sign_first(self):
        self.assertEqual(run("prove", "-x.z").returncode, 1)

    def test_mistakes(self):
        for words, part in (
            (["log(x)"], "a point of the domain R"),
            (["x.z", "--over", "Q"], "unknown domain"),
            (["x.z", "--dim", "0"], "--dim"),
            (["rfb(1)"], "did you mean 'rbf'?"),
            (["rbf(?)"], "open parameters"),
            ([], "EXPR is required"),
            (["--batch", "/no/such/file"], "cannot read"),
        ):
            with self.subTest(words=words):
                done = run("prove", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(part, done.stderr)

    def test_batch(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "claims.tsv")
            with open(path, "w") as out:
                out.write("# expression\tdomain\tdim\tverdict\nx.z\tR\t\tkernel\n"
                          "min(x,z)\tZ\t1\tnot-a-kernel\nlog(x)\tR\t1\terror\nrbf(1)\n")
            done = run("prove", "--batch", path)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("4 statements, 3 compared with a verdict, 0 different", done.stdout)
            with open(path, "a") as out:
                out.write("tanh(x.z)\tR\t\tkernel\n")
            done = run("prove", "--batch", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("expected kernel", done.stdout)
            with open(path, "w") as out:
                out.write("x.z\tR\tmany\n")
            done = run("prove", "--batch", path)
            self.assertEqual(done.returncode, 2)
            self.assertIn("claims.tsv:1: 'many' is not a dimension", done.stderr)


if __name__ == "__main__":
    unittest.main()
