import json
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

    def test_large_dimensions(self):
        for words in (["linear", "--dim", "2147483647"], ["poly(100)", "--dim", "2147483647"],
                      ["poly(3)", "--dim", "1000000"], ["x2000000*z2000000"]):
            with self.subTest(words=words):
                self.assertEqual(run_json("prove", *words)[1]["verdict"], "kernel")
        code, answer = run_json("prove", "linear - 1", "--dim", "10000")
        self.assertEqual((code, answer["witness"]["dim"], answer["witness"]["value"]), (1, 10000, "-1"))
        self.assertEqual([len(p) for p in answer["witness"]["points"]], [10000])
        code, answer = run_json("prove", "tanh(x.z)", "--over", "R+", "--dim", "3000")
        self.assertEqual((code, answer["verdict"]), (1, "not-a-kernel"))
        self.assertEqual({len(p) for p in answer["witness"]["points"]}, {3000})
        done = run("prove", "linear - 1", "--dim", "1000000000")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("not a kernel in dimension 1000000000, but points", done.stderr)
        done = run("prove", "linear - 1", "--dim", "5000")
        self.assertIn("x_1 = (0, …, 0)", done.stdout)
        done = run("prove", "log(1 + x.z)", "--dim", "5000")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the other coordinates are 0", done.stderr)
        done = run("prove", "sum(i, 1/(x[i]+z[i]))", "--dim", "100")
        self.assertEqual(done.returncode, 2)
        self.assertIn("undefined where a coordinate of x and of z is 0", done.stderr)

    def test_many_terms(self):
        text = "+".join(f"rbf({i})" for i in range(1, 2000))
        code, answer = run_json("prove", text, "--timeout", "55")
        self.assertEqual((code, len(answer["derivation"]["premises"])), (0, 1999))

    def test_text_of_numbers(self):
        done = run("prove", "log(0.1+min(x,z))", "--over", "Z", "--dim", "1")
        self.assertIn("log(min(x, z) + 0.1) is undefined at", done.stderr)

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

    def batch(self, content, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "claims.tsv")
            with open(path, "wb") as out:
                out.write(content)
            return run("prove", "--batch", path, *words)

    def test_batch_errors_are_rows(self):
        done = self.batch(b"x.z\tR\tmany\nx.z\tQ\nx.z +\nrbf(1)\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("4 statements, 0 compared with a verdict, 0 different, 3 errors", done.stdout)
        for part in ("claims.tsv:1: 'many' is not a dimension", "claims.tsv:2: column 1: unknown domain",
                     "claims.tsv:3: column 6"):
            self.assertIn(part, done.stderr)
        done = self.batch(b"x.z\tR\tmany\terror\nx.z +\t\t\terror\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.batch(b"x.z +\t\t\tkernel\n", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(json.loads(done.stdout)["statements"][0]["line"], 1)

    def test_batch_files(self):
        done = self.batch(b"\xef\xbb\xbfx.z\tR\t\tkernel\r\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\n1 statement, 1 compared", done.stdout)
        for content, part in ((b"", "no statements"), (b"# x.z\n\n", "no statements"),
                              (b"\x7fELF\x00\x01", "claims.tsv:1: a control character")):
            with self.subTest(content=content):
                done = self.batch(content)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(part, done.stderr)
        done = run("prove", "--batch", tempfile.gettempdir())
        self.assertEqual(done.returncode, 2)
        self.assertIn("a folder, not a file", done.stderr)


if __name__ == "__main__":
    unittest.main()
