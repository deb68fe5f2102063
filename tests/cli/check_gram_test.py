import os
import unittest

from program import Files, run, run_json

SIMILARITY = os.path.join(os.environ["MERCER_SOURCE"], "examples", "similarity.csv")


class CheckGram(Files):
    def test_yes(self):
        K = self.file("K.csv", "0.1,0.3\n0.3,0.9\n")
        done = run("check-gram", K)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("This is a Gram matrix, exactly.", done.stdout)
        code, answer = run_json("check-gram", K)
        self.assertEqual((code, answer["gram"], answer["exactly"]), (0, True, True))

    def test_no(self):
        done = run("check-gram", SIMILARITY)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("a_1 = 0.7, a_2 = -1, a_3 = 0.7", done.stdout)
        code, answer = run_json("check-gram", SIMILARITY)
        self.assertEqual((code, answer["gram"], answer["symmetric"]), (1, False, True))
        self.assertEqual(answer["value"], "-0.442")
        crooked = self.file("crooked.csv", "1,0.5\n0.25,1\n")
        done = run("check-gram", crooked)
        self.assertEqual(done.returncode, 1)
        self.assertIn("K[1,2] and K[2,1] differ by 0.25", done.stdout)

    def test_repairs(self):
        for how in ("clip", "shift", "nearest"):
            for ending in (".csv", ".npy"):
                with self.subTest(how=how, ending=ending):
                    out = self.path(how + ending)
                    done = run("check-gram", SIMILARITY, "--repair", how, "-o", out)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertIn("in the Frobenius norm", done.stdout)
                    self.assertEqual(run("check-gram", out).returncode, 0)
        self.assertEqual(len(os.listdir(self.folder)), 6)
        code, answer = run_json("check-gram", SIMILARITY, "--repair", "shift", "-o", self.path("a.csv"))
        self.assertEqual(code, 0)
        self.assertAlmostEqual(answer["repair"]["largest_change"], -answer["smallest_eigenvalue"])

    def test_mistakes_write_nothing(self):
        there = self.file("there.csv", "kept\n")
        negative = self.file("negative.csv", "-1,0\n0,1\n")
        wide = self.file("wide.csv", "1,2,3\n4,5,6\n")
        before = sorted(os.listdir(self.folder))
        out = self.path("out.csv")
        for words, part in (
            (["/no/such/file"], "cannot be read"),
            ([wide], "is square; this one has 2 rows and 3 columns"),
            ([SIMILARITY, "--repair", "clip"], "--repair and -o go together"),
            ([SIMILARITY, "-o", out], "--repair and -o go together"),
            ([SIMILARITY, "--repair", "mend", "-o", out], "--repair"),
            ([SIMILARITY, "--repair", "clip", "-o", self.path("K.xls")], "expected .libsvm, .csv, .tsv or .npy"),
            ([SIMILARITY, "--repair", "clip", "-o", self.path("K.txt")], "expected .csv, .tsv or .npy"),
            ([SIMILARITY, "--repair", "clip", "-o", self.path("K.libsvm")], "expected .csv, .tsv or .npy"),
            ([SIMILARITY, "--repair", "clip", "-o", there], "--force"),
            ([SIMILARITY, "--repair", "clip", "-o", self.path("no/K.csv")], "there is no folder"),
            ([negative, "--repair", "nearest", "-o", out], "-1 on the diagonal"),
        ):
            with self.subTest(words=words):
                done = run("check-gram", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(part, done.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), before)
        done = run("check-gram", SIMILARITY, "--repair", "clip", "-o", there, "--force")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(run("check-gram", there).returncode, 0)


if __name__ == "__main__":
    unittest.main()
