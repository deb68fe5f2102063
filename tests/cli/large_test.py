"""mercer train --approx: rules for data that are too many for a Gram matrix."""

import os
import random
import unittest

from program import Commands


def line(numbers):
    return ",".join(f"{v:.6f}" for v in numbers)


class Nystrom(Commands):
    def setUp(self):
        super().setUp()
        rng = random.Random(1)
        rows = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(900)]
        self.file("y.csv", "a,b,c,y\n" + "".join(
            f"{line(r)},{r[0] * r[1] + r[2]:.6f}\n" for r in rows))
        self.file("classes.csv", "a,b,c,kind\n" + "".join(
            f"{line(r)},{'out' if sum(v * v for v in r) > 3 else 'in' if r[0] > 0 else 'left'}\n" for r in rows))
        self.file("two.csv", "a,b,c,kind\n" + "".join(
            f"{line(r)},{'yes' if r[0] * r[1] > 0 else 'no'}\n" for r in rows))

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def train(self, *arguments):
        return self.answer("train", *arguments, "--force")

    def test_regression_with_all_points_is_ridge(self):
        self.train("y.csv", "-k", "rbf(0.3)", "--lambda", "0.1", "--approx", "nystrom(m=900)", "-o", "a.mercer",
                   "--precision", "double")
        self.train("y.csv", "-k", "rbf(0.3)", "--lambda", "0.1", "--learner", "ridge", "-o", "b.mercer")
        values = [[float(v) for v in self.ok("predict", m, "y.csv").split()]
                  for m in ("a.mercer", "b.mercer")]
        self.assertEqual(len(values[0]), 900)
        for a, b in zip(*values):
            self.assertAlmostEqual(a, b, places=3)

    def test_every_choice_of_centres(self):
        self.file("centres.csv", "c,a,b\n" + "".join(f"{i % 5 - 2},{i % 7 - 3},{i % 3 - 1}\n" for i in range(60)))
        for centres in ("uniform", "leverage", "kmeans", "centres.csv"):
            said = self.train("y.csv", "--approx", f"nystrom(m=60, centres={centres})", "-o", "m.mercer")
            self.assertTrue(said["converged"], centres)
            self.assertLess(said["training_rmse"], 0.3, centres)
            self.assertLessEqual(said["training"]["approx"]["centres"], 60)
            again = self.train("y.csv", "--approx", f"nystrom(m=60, centres={centres})", "-o", "n.mercer", "--threads",
                               "1")
            self.assertEqual(said["training"], again["training"])
            self.assertEqual(self.bytes("m.mercer"), self.bytes("n.mercer"))

    def test_classes_by_both_losses(self):
        for data, classes in (("classes.csv", 3), ("two.csv", 2)):
            for loss in ("squared", "logistic"):
                said = self.train(data, "--approx", "nystrom(100)", "--loss", loss, "-o", "m.mercer")
                self.assertEqual(len(said["classes"]), classes)
                self.assertGreater(said["training_accuracy"], 0.9, (data, loss))
                scores = self.answer("evaluate", "m.mercer", data)
                self.assertEqual(scores["log_loss"] is not None, loss == "logistic", scores)

    def test_random_features(self):
        for approx in ("fourier(D=400)", "orthogonal(400)"):
            for data, loss in (("y.csv", "squared"), ("two.csv", "logistic"), ("classes.csv", "squared")):
                said = self.train(data, "-k", "rbf(0.2)", "--approx", approx, "--loss", loss, "-o", "m.mercer")
                good = said.get("training_accuracy", 0) > 0.9 or said.get("training_rmse", 1) < 0.2
                self.assertTrue(said["converged"] and good, (approx, data, said))
                how = said["training"]["approx"]
                self.assertIn(how["kernel"], ("rbf(0.2)", "rbf(0.2) + 1"))
                self.assertLess(how["error"], how.get("bound", 1))
                self.assertEqual(self.answer("inspect", "m.mercer")["kernel"], "cos(linear) + sin(linear)")
                scores = self.answer("evaluate", "m.mercer", data)
                key = "accuracy" if "training_accuracy" in said else "rmse"
                self.assertAlmostEqual(scores[key], said["training_" + key], places=6)

    def test_random_features_written_out(self):
        said = self.answer("features", "--random", "300", "matern(1.5) + 1", "y.csv", "-o", "phi.csv")
        self.assertEqual((said["features"], said["rows"]), (299, 900))
        self.assertLess(said["error"]["largest"], said["error"]["bound"])
        with open(self.path("phi.csv")) as file:
            rows = [[float(v) for v in line.split(",")] for line in file if "f" not in line and "x" not in line]
        self.assertEqual(len(rows), 900)
        value = sum(a * b for a, b in zip(rows[3][:-1], rows[5][:-1]))
        with open(self.path("y.csv")) as file:
            points = [line.split(",")[:3] for line in file][1:]
        k = self.answer("eval", "matern(1.5) + 1", "--x", ",".join(points[3]), "--z", ",".join(points[5]))
        self.assertLess(abs(value - k["value"]), said["error"]["bound"])
        for arguments, message in (
                (["poly(2)", "y.csv", "-o", "a.npy"], "no spectral density"),
                (["rbf(1)", "y.csv"], "--random needs EXPR, DATA and -o"),
                (["rbf(1)", "y.csv", "-o", "phi.csv"], "phi.csv"),
                (["rbf(1)", "y.csv", "-o", "y.csv", "--force"], "y.csv")):
            result = self.call("features", "--random", "10", *arguments)
            self.assertEqual((result.returncode, message in result.stderr), (2, True), result.stderr)

    def test_what_is_refused(self):
        for arguments, message in (
                (["--approx", "nystroem(5)"], "`nystroem` is unknown"),
                (["--approx", "nystrom(m=0)"], "m is a whole number from 1"),
                (["--approx", "nystrom(m=5"], "wants a `)`"),
                (["--approx", "nystrom(k=5)"], "nystrom has m and centres, and no `k`"),
                (["--approx", "nystrom(5, leverage)"], "`leverage` needs a name"),
                (["--approx", "nystrom(centres=there-is-none.csv)"], "there-is-none.csv"),
                (["--approx", "nystrom(5)", "--learner", "svm"], "--approx is for --learner ridge"),
                (["--approx", "nystrom(5)", "--loss", "logistic"], "the logistic loss is for classes"),
                (["--approx", "nystrom(5)", "--loo"], "leave-one-out errors need the exact"),
                (["--approx", "fourier(100)", "-k", "poly(2)"], "no spectral density that is known"),
                (["--approx", "fourier(m=100)"], "fourier has D, and no `m`"),
                (["--loss", "logistic"], "the logistic loss needs an approximation"),
                (["--approx", "nystrom(5)", "--map", "[x1]"], "an approximation is of a kernel"),
                (["--approx", "nystrom(5)", "-k", "-linear"], "is not a kernel on the centres"),
                (["--approx", "nystrom(5)", "--lambda", "0"], "lambda is a number > 0")):
            with self.subTest(arguments):
                result = self.call("train", "y.csv", *arguments, "-o", "no.mercer")
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn(message, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertFalse(os.path.exists(self.path("no.mercer")))


if __name__ == "__main__":
    unittest.main()
