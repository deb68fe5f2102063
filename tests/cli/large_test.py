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
                (["rbf(1)", "y.csv", "--sketch", "-o", "a.npy"], "no sum of products"),
                (["rbf(1)", "y.csv"], "--random needs EXPR, DATA and -o"),
                (["rbf(1)", "y.csv", "-o", "phi.csv"], "phi.csv"),
                (["rbf(1)", "y.csv", "-o", "y.csv", "--force"], "y.csv")):
            result = self.call("features", "--random", "10", *arguments)
            self.assertEqual((result.returncode, message in result.stderr), (2, True), result.stderr)

    def test_a_sketch_that_is_exact_is_the_kernel(self):
        self.train("y.csv", "-k", "poly(2)", "--lambda", "0.1", "--approx", "sketch(D=100)", "-o", "a.mercer",
                   "--precision", "double", "--tolerance", "1e-8")
        self.assertEqual(self.answer("inspect", "a.mercer")["training"]["options"]["tolerance"], 1e-8)
        result = self.call("train", "y.csv", "--learner", "perceptron", "--approx", "nystrom(10)", "--tolerance", "1e-3", "-o", "c.mercer")
        self.assertEqual((result.returncode, "--tolerance is for" in result.stderr), (2, True), result.stderr)
        self.train("y.csv", "-k", "poly(2)", "--lambda", "0.1", "--learner", "ridge", "-o", "b.mercer")
        values = [[float(v) for v in self.ok("predict", m, "y.csv").split()] for m in ("a.mercer", "b.mercer")]
        for a, b in zip(*values):
            self.assertAlmostEqual(a, b, places=5)
        said = self.answer("inspect", "a.mercer")
        self.assertEqual((said["file"]["format"], said["sketch"][0]["exact"], said["sketch"][0]["factors"]),
                         (2, True, 2))
        self.assertNotIn("kernel", said)
        self.assertEqual(self.answer("inspect", "b.mercer")["file"]["format"], 1)

    def test_sketches_that_are_not(self):
        for data, learner, k in (("y.csv", "ridge", "poly(3)"), ("two.csv", "svm", "poly(2) + 0.1*poly(3)"),
                                 ("classes.csv", "perceptron", "poly(4)")):
            words = [data, "-k", k, "--approx", "sketch(D=40)", "--learner", learner]
            words += ["-C", "1", "--tolerance", "0.05"] if learner == "svm" else []
            said = self.train(*words, "-o", "m.mercer", "--threads", "1")
            how = said["training"]["approx"]
            self.assertEqual(how["kind"], "sketch")
            self.assertLessEqual(how["features"], 40)
            self.assertLess(how["rms_error"], how["rms_bound"])
            scores = self.answer("evaluate", "m.mercer", data)
            key = "accuracy" if "training_accuracy" in said else "rmse"
            self.assertAlmostEqual(scores[key], said["training_" + key], places=6)
            again = self.train(*words, "-o", "n.mercer", "--threads", "2", "--memory", "4000")
            self.assertEqual(said["training"], again["training"])
            self.assertEqual(self.bytes("m.mercer"), self.bytes("n.mercer"))

    def test_support_vectors_with_all_points_are_the_exact_ones(self):
        for name in ("two.csv", "classes.csv"):
            with open(self.path(name)) as file:
                rows = file.readlines()
            self.file(name, "".join(rows[:251]))
        common = ["-k", "rbf(0.3)", "--learner", "svm", "-C", "5", "--precision", "double", "--threads", "1"]
        for data, tolerance, extra in (("two.csv", 1e-5, []), ("classes.csv", 3e-3, ["--multiclass", "rest"]),
                                       ("two.csv", 1e-5, ["--no-offset"]), ("two.csv", 1e-5, ["--class-weight", "yes=3"])):
            a = self.train(data, *common, *extra, "--approx", "nystrom(m=900)", "--tolerance", str(tolerance), "-o",
                           "a.mercer")
            b = self.train(data, *common, *extra, "--tolerance", "1e-5", "-o", "b.mercer")
            self.assertTrue(a["converged"], a)
            self.assertLess(a["training"]["gap"], tolerance)
            self.assertLess(abs(a["training"]["primal"] / b["training"]["primal"] - 1), tolerance + 1e-5)
            self.assertAlmostEqual(a["training_accuracy"], b["training_accuracy"], places=1)

    def test_support_vectors_on_few_centres(self):
        for data, approx, extra in (("classes.csv", "nystrom(80)", ["-C", "5"]), ("two.csv", "nystrom(40)", []),
                                    ("two.csv", "fourier(D=300)", ["-C", "5"])):
            said = self.train(data, "-k", "rbf(0.3)", "--learner", "svm", "--approx", approx, *extra, "-o", "m.mercer",
                              "--threads", "1", "--tolerance", "0.01")
            self.assertTrue(said["converged"], said)
            self.assertGreater(said["training_accuracy"], 0.9, (data, approx))
            self.assertLessEqual(said["training"]["gap"], 0.01)
            self.assertEqual(any(c.startswith("C: ") for c in said["chosen"]), not extra, said["chosen"])

    def test_perceptron_with_all_points_makes_the_same_mistakes(self):
        for data, order in (("classes.csv", "cyclic"), ("two.csv", "shuffled")):
            common = ["-k", "rbf(0.3)", "--learner", "perceptron", "--passes", "4", "--order", order, "--averaged",
                      "--precision", "double"]
            a = self.train(data, *common, "--approx", "nystrom(m=900)", "-o", "a.mercer")
            b = self.train(data, *common, "-o", "b.mercer")
            self.assertEqual(a["training"]["mistakes"], b["training"]["mistakes"], (data, order))
            c = self.train(data, *common, "--approx", "nystrom(m=900)", "-o", "c.mercer", "--memory", "1")
            self.assertEqual(a["training"], c["training"])  # mapped once, or in blocks

    def test_centres_of_the_user_in_cross_validation(self):
        self.file("centres.csv", "c,a,b\n" + "".join(f"{i % 5 - 2},{i % 7 - 3},{i % 3 - 1}\n" for i in range(60)))
        said = self.answer("cv", "y.csv", "-k", "rbf(0.2)", "--lambda", "0.1", "--folds", "3", "--approx",
                           "nystrom(centres=centres.csv)")
        self.assertLess(said["measures"]["rmse"]["mean"], 0.4)
        result = self.call("cv", "y.csv", "--approx", "nystrom(centres=none.csv)")
        self.assertEqual((result.returncode, "none.csv" in result.stderr), (2, True), result.stderr)

    def test_memory_is_one_matrix_of_centres(self):
        if os.environ.get("MERCER_SANITIZE"):
            self.skipTest("sanitizers need memory of their own")
        rng = random.Random(2)
        self.file("many.csv", "a,b,c,y\n" + "".join(
            f"{line(r)},{r[0] - r[1]:.6f}\n" for r in ([rng.gauss(0, 1) for _ in range(3)] for _ in range(14000))))
        peaks = {}
        for m in (100, 2200):
            said = self.train("many.csv", "-k", "laplacian(1)", "--lambda", "1", "--approx", f"nystrom({m})", "--memory",
                              "1M", "--threads", "1", "-o", "m.mercer")
            self.assertGreater(said["training"]["approx"]["centres"], m - 20)
            peaks[m] = said["peak_memory"][0]
        matrix = 2200**2 * 8 / 2**20
        # Blocks of 256 rows of it, a few at a time, and half a matrix of room.
        self.assertLess(peaks[2200] - peaks[100], 1.5 * matrix + 10 * 256 * 2200 * 8 / 2**20, peaks)

    def test_plan(self):
        for words in (["y.csv"], ["two.csv", "--learner", "svm", "-C", "1"], ["two.csv", "--learner", "perceptron"],
                      ["y.csv", "-k", "poly(2)", "--lambda", "1", "--approx", "sketch(50)"], ["y.csv", "--learner", "gd"]):
            said = self.answer("plan", *words)
            self.assertEqual((said["rows"], said["columns"], said["routes"][0]["name"]), (900, 3, "exact"))
            for route in said["routes"]:
                self.assertGreater(route["seconds"], 0)
                self.assertGreater(route["bytes"], 1e6)
            self.assertEqual(said["takes"], "sketch(D=50)" if "--approx" in words else "exact")
        self.assertFalse([f for f in os.listdir(self.folder) if f.endswith(".mercer")])

    def test_plan_counts_the_factors_of_a_machine_with_many_classes(self):
        rng = random.Random(4)
        rows = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(3000)]
        def name(row):
            return f"class {sum((v > 0) << i for i, v in enumerate(row))}"
        self.file("many.csv", "a,b,c,kind\n" + "".join(f"{line(r)},{name(r)}\n" for r in rows))
        words = ["many.csv", "-k", "rbf(1)", "-C", "10", "--approx", "nystrom(m=300)", "--learner"]
        machine = self.answer("plan", *words, "svm")["routes"][1]
        self.assertRegex(machine["how"], "passes over the rows.*, and [0-9]+ steps of Newton's")
        self.answer("train", *words, "svm", "-o", "many.mercer")
        told = self.answer("inspect", "many.mercer")["training"]
        steps = int(machine["how"].split()[-4])
        self.assertGreater(told["factors"], 0.2 * steps)
        self.assertLess(told["factors"], 5 * steps)
        self.assertLessEqual(told["factor_rows"], 4 * 300 * told["factors"])

    def test_rows_that_do_not_fit_are_learned_with_centres_aloud(self):
        rng = random.Random(3)
        rows = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(22000)]
        self.file("big.csv", "a,b,c,kind\n" + "".join(f"{line(r)},{'yes' if r[0] > r[1] else 'no'}\n" for r in rows))
        words = ["big.csv", "-k", "linear", "--lambda", "1", "--memory", "1M", "--json"]
        result = self.call("train", *words, "-o", "a.mercer")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--approx 'nystrom(m=2000)' is chosen", result.stderr)
        said = self.answer("inspect", "a.mercer")["training"]
        self.assertEqual((said["learner"], said["approx"]["automatic"]), ("ridge", True))
        self.assertEqual(self.answer("plan", *words[:-1])["takes"], "nystrom(m=2000)")
        pinned = self.call("train", *words, "--approx", "nystrom(m=2000)", "-o", "b.mercer")
        self.assertEqual((pinned.returncode, pinned.stderr), (0, ""))

    def test_what_is_refused(self):
        for arguments, message in (
                (["--approx", "nystroem(5)"], "`nystroem` is unknown"),
                (["--approx", "nystrom(m=0)"], "m is a whole number from 1"),
                (["--approx", "nystrom(m=5"], "wants a `)`"),
                (["--approx", "nystrom(k=5)"], "nystrom has m and centres, and no `k`"),
                (["--approx", "nystrom(5, leverage)"], "`leverage` needs a name"),
                (["--approx", "nystrom(centres=there-is-none.csv)"], "there-is-none.csv"),
                (["--approx", "nystrom(5)", "--learner", "gd"], "--approx is for --learner ridge, svm or perceptron"),
                (["--approx", "nystrom(5)", "--learner", "svm"], "support vectors are for classes"),
                (["--approx", "nystrom(5)", "--learner", "perceptron"], "a perceptron tells classes apart"),
                (["--approx", "nystrom(5)", "--nu", "0.2"], "support vectors have no nu"),
                (["--approx", "nystrom(5)", "--probability"], "support vectors have no probabilities"),
                (["--approx", "nystrom(5)", "--hard-margin"], "support vectors have no hard margin"),
                (["--approx", "nystrom(5)", "--multiclass", "pairs"], "each class is told from the rest"),
                (["--approx", "nystrom(5)", "--learner", "svm", "--loss", "logistic"], "--loss is for --learner ridge"),
                (["--approx", "sketch(100)", "-k", "rbf(1)"], "rbf(1) is no sum of products"),
                (["--approx", "sketch(m=100)"], "sketch has D, and no `m`"),
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
