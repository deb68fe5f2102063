import os
import random
import struct
import time
import unittest
from fractions import Fraction

from program import Files, run, run_json

EXAMPLES = os.path.join(os.environ["MERCER_SOURCE"], "examples")
XOR = os.path.join(EXAMPLES, "xor.csv")
ELLIPSE = os.path.join(EXAMPLES, "ellipse.csv")


def npy(rows):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}\n"
    values = [v for row in rows for v in row]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(values)}d", *values))


class Separable(Files):
    def test_not_separable(self):
        done = run("separable", XOR, "--map", "[x1, x2]")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        for part in ("4 points in R^2", "Not separable under [x1, x2].", "a = 1/2", "Checked exactly"):
            self.assertIn(part, done.stdout)
        code, answer = run_json("separable", ELLIPSE, "--map", "[x1, x2, x1^2+x2^2]")
        self.assertEqual((code, answer["verdict"]), (1, "not-separable"))
        # The certificate, checked by hand.
        with open(ELLIPSE) as lines:
            rows = [line.strip().split(",") for line in lines][1:]
        total = [Fraction(0)] * 4
        for row, weight in zip(answer["balance"]["rows"], answer["balance"]["weights"]):
            a, b, label = rows[row - 1]
            sign = 1 if label == answer["positive"] else -1
            for j, feature in enumerate((1, int(a), int(b), int(a) ** 2 + int(b) ** 2)):
                total[j] += Fraction(weight) * sign * feature
        self.assertEqual(total, [0, 0, 0, 0])

    def test_separable(self):
        done = run("separable", XOR, "--map", "[x1, x2, x1*x2]")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("f(x) = -4*x1*x2 + 2*x1 + 2*x2 - 1", done.stdout)
        code, answer = run_json("separable", XOR, "--map", "[x1, x2, x1*x2]")
        self.assertEqual((code, answer["verdict"]), (0, "separable"))
        self.assertEqual(answer["features"], ["x1", "x2", "x1*x2"])
        self.assertEqual(answer["separator"]["weights"], ["2", "2", "-4"])
        self.assertAlmostEqual(answer["margin"], 24 ** -0.5)
        self.assertTrue(answer["separator"]["exact"])

    def test_kernels(self):
        code, answer = run_json("separable", XOR, "-k", "rbf(1)")
        self.assertEqual((code, answer["separator"]["rows"]), (0, [1, 2, 3, 4]))
        self.assertFalse(answer["separator"]["exact"])
        self.assertEqual(run("separable", XOR, "-k", "linear").returncode, 1)
        self.assertEqual(run("separable", XOR, "--kernel", "poly(2)").returncode, 0)
        done = run("separable", XOR, "-k", "-x.z")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("is not a kernel", done.stderr)

    def test_weights_keep_their_signs(self):
        path = self.file("line.csv", "x,y\n" + "".join(
            f"{i + 1},{'ab'[i % 2]}\n" for i in range(6)))
        said = run("separable", path, "-k", "rbf(0.000001)").stdout
        shown = [line.split("c ≈ ")[1].split()[0] for line in said.splitlines() if "  c ≈" in line]
        self.assertEqual(len(shown), 6)
        self.assertEqual([s.startswith("-") for s in shown], [True, False] * 3)

    def test_undecided(self):
        code, answer = run_json("separable", XOR, "--map", "[x1, exp(x2)]")
        self.assertEqual((code, answer["verdict"]), (3, "undecided"))
        self.assertTrue(answer["reason"])

    def test_the_time_limit_is_kept(self):
        rng = random.Random(1)
        rows = [",".join(f"{rng.gauss(0, 1):.4f}" for _ in range(30)) + "," + rng.choice("ab")
                for _ in range(1500)]
        start = time.monotonic()
        code, answer = run_json("separable", self.file("random.csv", "\n".join(rows)),
                                "-k", "poly(2)", "--timeout", "2")
        self.assertEqual((code, answer["verdict"]), (3, "undecided"))
        self.assertIn("time", answer["reason"])
        self.assertLess(time.monotonic() - start, 120)  # alone: a little more than 2

    def test_the_smallest_map(self):
        done = run("separable", ELLIPSE, "--smallest-map")
        self.assertEqual(done.returncode, 0)
        self.assertIn('--map "[x1, x1^2, x1*x2, x2^2]"', done.stdout)
        code, answer = run_json("separable", ELLIPSE, "--smallest-map")
        self.assertEqual((code, answer["degree"], answer["fewest"]), (0, 2, True))
        self.assertEqual(run("separable", ELLIPSE, "--map", answer["map"]).returncode, 0)
        code, answer = run_json("separable", ELLIPSE, "--smallest-map", "--max-degree", "1")
        self.assertEqual((code, answer["found"], answer["verdict"]), (1, False, "not-separable"))
        same = self.file("same.csv", "1,2,a\n3,4,b\n1,2,b\n")
        done = run("separable", same, "--smallest-map")
        self.assertEqual(done.returncode, 1)
        self.assertIn("No map can separate the classes: rows 1 and 3", done.stdout)
        self.assertEqual(run_json("separable", same, "--smallest-map")[1]["same_point"], [1, 3])

    def test_data_of_all_kinds(self):
        for name, content, words in (
            ("semicolons.csv", "a;b;y\n0;1;no\n1;0;yes\n", []),
            ("tabs.tsv", "0\t1\tno\n1\t0\tyes\n", []),
            ("first.csv", "y,a,b\nno,0,1\nyes,1,0\n", ["--label", "y"]),
            ("numbered.csv", "no,0,1\nyes,1,0\n", ["--label", "1"]),
            ("years.csv", "2019,2020,y\n0,1,no\n1,0,yes\n", ["--header"]),
            ("array.npy", npy([[0, 1, -1], [1, 0, 1]]), []),
            ("three.csv", "0,1,a\n1,0,b\n1,0,c\n", ["--positive", "a"]),
        ):
            with self.subTest(name=name):
                done = run("separable", self.file(name, content), "--map", "[x]", *words)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        points = self.file("points.npy", npy([[0, 1], [1, 0]]))
        labels = self.file("labels.txt", "no\nyes\n")
        self.assertEqual(run("separable", points, "--labels", labels, "-k", "linear").returncode, 0)
        named = self.file("named.csv", "age,height,y\n30,180,no\n40,170,yes\n")
        self.assertEqual(run("separable", named, "-k", 'rbf(1)["age"]').returncode, 0)

    def test_mistakes(self):
        points = self.file("points.npy", npy([[0, 1], [1, 0]]))
        short = self.file("short.txt", "no\n")
        for words, part in (
            ([XOR], "under which φ?"),
            ([XOR, "--map", "[x1]", "-k", "linear"], "only one of"),
            ([XOR, "--map", "x1, x2"], "column 1: a feature map is a list in brackets"),
            ([XOR, "--map", "[x1, x3]"], "column 6: there is no coordinate 3"),
            ([XOR, "--map", "[z1]"], "a function of x alone"),
            ([XOR, "--map", "[log(x1)]"], "the feature log(x1) in row 1"),
            ([XOR, "-k", "rbf(?)"], "open parameters"),
            ([XOR, "--map", "[x]", "--positive", "maybe"], "no row has the label 'maybe'"),
            ([XOR, "--map", "[x]", "--label", "klass"], "did you mean 'class'?"),
            ([XOR, "--map", "[x]", "--label", "9"], "there is no column 9"),
            (["/no/such/file", "--map", "[x]"], "/no/such/file: cannot be read"),
            ([self.folder, "--map", "[x]"], "a folder, not a file"),
            ([points, "--labels", short, "--map", "[x]"], "1 labels for the 2 rows"),
            ([self.file("e.csv", ""), "--map", "[x]"], "the file is empty"),
            ([self.file("m.csv", "1,,a\n"), "--map", "[x]"], "m.csv:1:3: column 2: a value is missing"),
            ([self.file("o.csv", "1,a\n2,a\n"), "--map", "[x]"], "one class only"),
            ([self.file("t.csv", "1,a\n2,b\n3,c\n"), "--map", "[x]"], "--positive"),
            ([self.file("b.csv", b"1,\x00\n"), "--map", "[x]"], "b.csv:1:3: a control character"),
            ([self.file("q.csv", "u,y\n1,a\n2,?\n3,b\n"), "--map", "[x]"], "q.csv:3:3: "),
            ([self.file("n.csv", "1,a\n2,NaN\n3,b\n"), "--map", "[x]"], "n.csv:2:3: "),
            ([points, "--labels", self.file("na.txt", "no\nNA\n"), "--map", "[x]"], "the label is missing"),
        ):
            with self.subTest(words=words):
                done = run("separable", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
