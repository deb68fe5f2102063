#!/usr/bin/env python3
"""What is no kernel, or none on these data, is told by train and gram."""

import json
import unittest

from program import Files, run


class KernelNotes(Files):
    def setUp(self):
        super().setUp()
        run("make", "moons", "--n", "60", "-o", "d.csv", cwd=self.folder)

    def train(self, kernel, *more):
        done = run("train", "d.csv", "-k", kernel, "-o", "m.mercer", "--force", *more,
                   cwd=self.folder)
        self.assertNotIn("were not found", done.stderr)
        return done

    def test_kernels_have_none(self):
        for kernel in ("rbf(1)", "linear", "poly(3) + 0.1*laplacian(1)", "cosine", "sigmoid(1)*0+1"):
            done = self.train(kernel)
            self.assertEqual((done.returncode, done.stderr), (0, ""), kernel)

    def test_what_is_none(self):
        for kernel, part in (("x1*z2", "it is not symmetric: k(x,z) = "),
                             ("-x.z", "k(x,x) = "), ("tanh(x.z) - 0.5", "k(x,x) = "),
                             ("-|x-z|^2", "k(x,z)² > k(x,x) k(z,z) for rows "),
                             ("|x-z|", "k(x,z)² > k(x,x) k(z,z) for rows ")):
            for learner in ("ridge", "perceptron"):
                done = self.train(kernel, "--learner", learner)
                self.assertIn(done.returncode, (0, 3), (kernel, done.stderr))
                self.assertIn("is not a kernel on these points: " + part, done.stderr)
            self.assertIn(part, self.train(kernel, "--learner", "gd", "--step", "1e6").stderr)
            notes = json.loads(run("gram", kernel, "d.csv", "--json", cwd=self.folder).stdout)["notes"]
            self.assertIn(part, notes[0])

    def test_ridge_names_cause_and_remedy(self):
        done = self.train("tanh(x.z) - 0.5", "--lambda", "0.1")
        self.assertIn("K has the eigenvalue -", done.stdout)
        self.assertIn("lambda above", done.stdout)

    def test_a_domain_that_the_data_leave(self):
        for kernel in ("chi2", "intersection"):
            for words in (("train", "d.csv", "-k", kernel, "-o", "m.mercer", "--force"),
                          ("gram", kernel, "d.csv")):
                done = run(*words, cwd=self.folder)
                self.assertIn("is a kernel where no coordinate is negative", done.stderr)
            done = self.train(kernel, "--scale", "minmax")
            self.assertEqual((done.returncode, done.stderr), (0, ""), kernel)

    def test_values_that_are_too_large_name_their_rows(self):
        for learner in ("ridge", "perceptron", "gd"):
            done = self.train("exp(900 + x.z)", "--learner", learner)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"rows \d+ and \d+: .* is too large for a double at x = ")


if __name__ == "__main__":
    unittest.main()
