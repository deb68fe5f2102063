#!/usr/bin/env python3
"""mercer with LIBSVM's models: predict, evaluate, inspect, import, export."""

import csv
import gzip
import json
import math
import os
import random
import unittest

import libsvm
import model_file
from program import Commands

CLASSES = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 3
total_sv 3
rho 0.25 -0.5 0
label 7 -1 4
nr_sv 1 1 1
SV
1 0.5 1:1 3:2
-1 1 2:1
-0.5 -1 1:-1 3:0.5
"""
TWO = """svm_type c_svc
kernel_type linear
nr_class 2
total_sv 2
rho 0.5
label 1 -1
probA -2
probB 0.25
nr_sv 1 1
SV
1 1:1
-0.5 1:-1 2:1
"""
ONE = """svm_type one_class
kernel_type polynomial
degree 2
gamma 1
coef0 1
nr_class 2
total_sv 1
rho 2
SV
1 1:1
"""
NUMBERS = """svm_type nu_svr
kernel_type sigmoid
gamma 0.5
coef0 -0.25
nr_class 2
total_sv 1
rho -3
probA 0.75
SV
2 1:1 2:-1
"""


def line(label, row):
    return f"{label} " + " ".join(f"{j}:{v!r}" for j, v in sorted(row.items())) + "\n"


class Libsvm(Commands):
    def content(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def table(self, *words):
        """The rows of a prediction, by the names of the columns."""
        return list(csv.DictReader(self.ok("predict", *words, "--scores", "--precision",
                                           "double").splitlines()))


class LibsvmFiles(Libsvm):
    def setUp(self):
        super().setUp()
        for name, text in (("classes", CLASSES), ("two", TWO), ("one", ONE),
                           ("numbers", NUMBERS)):
            self.file(f"{name}.model", text)
        # Column 5 is beyond those of the support vectors, and counts in distances.
        self.rows = [{1: 1.0, 3: 2.0}, {2: 1.0}, {1: 0.5, 5: 1.0}, {}]
        self.file("x.libsvm", "".join(line(label, row)
                                      for label, row in zip((7, -1, 4, 7), self.rows)))

    def test_they_are_models_everywhere(self):
        support = [{1: 1, 3: 2}, {2: 1}, {1: -1, 3: 0.5}]
        alpha = [(1, 0.5), (-1, 1), (-0.5, -1)]
        found = self.table("classes.model", "x.libsvm")
        for row, x in zip(found, self.rows):
            k = [math.exp(-0.5 * sum((x.get(j, 0) - s.get(j, 0)) ** 2 for j in range(1, 6)))
                 for s in support]
            values = {"7/-1": alpha[0][0] * k[0] + alpha[1][0] * k[1] - 0.25,
                      "7/4": alpha[0][1] * k[0] + alpha[2][0] * k[2] + 0.5,
                      "-1/4": alpha[1][1] * k[1] + alpha[2][1] * k[2]}
            votes = {"7": 0, "-1": 0, "4": 0}
            for pair, f in values.items():
                self.assertAlmostEqual(float(row["score " + pair]), f, delta=1e-12)
                votes[pair.split("/")[0 if f > 0 else 1]] += 1
            self.assertEqual(row["prediction"], max(votes, key=votes.get))
        for row, x in zip(self.table("two.model", "x.libsvm", "--probabilities"), self.rows):
            f = x.get(1, 0) * 1.5 - 0.5 * x.get(2, 0) - 0.5
            p = 1 / (1 + math.exp(-2 * f + 0.25))
            self.assertAlmostEqual(float(row["score"]), f, delta=1e-12)
            self.assertAlmostEqual(float(row["probability 1"]), p, delta=1e-12)
            self.assertEqual(row["prediction"], "1" if p > 0.5 else "-1")
        for row, x in zip(self.table("one.model", "x.libsvm"), self.rows):
            f = (x.get(1, 0) + 1) ** 2 - 2
            self.assertAlmostEqual(float(row["score"]), f, delta=1e-12)
            self.assertEqual(row["prediction"], "1" if f > 0 else "-1")
        for row, x in zip(self.table("numbers.model", "x.libsvm"), self.rows):
            f = 2 * math.tanh(0.5 * (x.get(1, 0) - x.get(2, 0)) - 0.25) + 3
            self.assertAlmostEqual(float(row["prediction"]), f, delta=1e-12)
        answer = self.answer("evaluate", "classes.model", "x.libsvm")
        right = sum(row["prediction"] == str(label) for row, label in zip(found, (7, -1, 4, 7)))
        self.assertEqual(answer["accuracy"], right / 4)
        self.file("packed", gzip.compress(CLASSES.encode()))
        self.assertEqual(self.table("packed", "x.libsvm"), found)

    def test_inspect(self):
        text = self.ok("inspect", "classes.model")
        for part in ("7, -1, 4", "rbf(0.5)", "3 points in R^3, sparse float64", "3 pairs",
                     "3 columns of numbers, or more", "LIBSVM", "c_svc", "bytes, of LIBSVM"):
            self.assertIn(part, text)
        answer = self.answer("inspect", "two.model")
        self.assertEqual(answer["file"], {"bytes": len(TWO), "of": "LIBSVM"})
        self.assertEqual((answer["classes"], answer["scheme"], answer["calibrated"], answer["open"]),
                         (["-1", "1"], "one", True, True))
        self.assertIn("most probable", self.ok("inspect", "two.model"))

    def test_import_and_export(self):
        self.assertEqual(
            self.ok("import", "classes.model", "-o", "c.mercer"),
            "c.mercer: 3 classes, rbf(0.5), 3 support points of 3 columns or more\n")
        self.assertEqual(self.table("c.mercer", "x.libsvm"),
                         self.table("classes.model", "x.libsvm"))
        answer = self.answer("import", "two.model", "-o", "t.mercer")
        self.assertEqual((answer["classes"], answer["support"], answer["calibrated"]),
                         (["-1", "1"], 2, True))
        self.ok("import", "numbers.model", "-o", "n.mercer", "--columns", "4")
        self.assertEqual(self.answer("inspect", "n.mercer")["dimension"], 4)
        self.file("x.csv", "1,0,0,9\n0,1,0,9\n")
        self.assertEqual(len(self.ok("predict", "n.mercer", "x.csv").splitlines()), 2)

        self.assertEqual(self.ok("export", "c.mercer", "-o", "c.model"),
                         "c.model: 3 support vectors\n")
        words = [text.replace(" \n", "\n").split("\n") for text in (self.content("c.model"), CLASSES)]
        self.assertEqual(*words)
        self.assertEqual(self.ok("export", "c.mercer"), self.content("c.model"))
        answer = self.answer("export", "t.mercer", "-o", "t.model")
        self.assertEqual(answer["classes"], {"-1": "-1", "1": "1"})
        self.assertEqual(self.content("t.model").replace(" \n", "\n"), TWO)

    def test_names_become_numbers(self):
        self.file("m.mercer", model_file.model(
            kernel="2*rbf(0.5) + 1", support=[(1, 0), (0, 1)], dimension=2,
            coefficients=[(-1,), (0.5,)], offsets=(0.25,), classes=["ham", "spam"],
            encoding=model_file.encoding_text(2, ("u", "v"), "y")))
        self.assertEqual(self.ok("export", "m.mercer", "-o", "m.model"),
                         "m.model: 2 support vectors\nclass 'ham' is written as -1\n"
                         "class 'spam' is written as 1\n")
        self.assertEqual(self.content("m.model").replace(" \n", "\n"),
                         "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\n"
                         "rho 0.25\nlabel 1 -1\nnr_sv 1 1\nSV\n1 2:1\n-2 1:1\n")
        self.file("x.csv", "u,v\n1,1\n0,1\n1,0\n")
        self.file("x.libsvm", "0 1:1 2:1\n0 2:1\n0 1:1\n")
        ours = [r["score"] for r in self.table("m.mercer", "x.csv")]
        for a, b in zip(ours, self.table("m.model", "x.libsvm")):
            self.assertAlmostEqual(float(a), float(b["score"]), delta=1e-12)

    def test_mistakes(self):
        self.file("per_class.mercer", model_file.model(
            kernel="linear", support=[(1, 0)], dimension=2, coefficients=[(1, 2)],
            offsets=(0, 0), classes=["a", "b"], scheme=1, encoding=model_file.encoding_text(2)))
        self.file("scaled.mercer", model_file.model(
            kernel="linear", support=[(1, 0)], dimension=2, coefficients=[(1,)], offsets=(0,),
            encoding=model_file.encoding_text(2, ("u", "v"), scales=((0, 1), (1, 2)))))
        self.file("categories.mercer", model_file.model(
            kernel="linear", support=[(1, 0)], dimension=2, coefficients=[(1,)], offsets=(0,),
            encoding=model_file.encoding_text(2, ("colour",), categories={"colour": ("a", "b")})))
        self.file("map.mercer", model_file.model(
            map_text="[x1]", dimension=2, coefficients=[(1,)], offsets=(0,),
            encoding=model_file.encoding_text(2)))
        self.file("matern.mercer", model_file.model(
            kernel="matern(1.5)", support=[(1, 0)], dimension=2, coefficients=[(1,)], offsets=(0,),
            encoding=model_file.encoding_text(2)))
        self.file("short.model", CLASSES[:-20])
        self.file("order.model", CLASSES.replace("1:1 3:2", "3:2 1:1"))
        self.file("there.mercer", "old")
        self.file("six.csv", "1,2,3,4,5,6\n")
        for words, part in [
                (["predict", "short.model", "x.libsvm"], "short.model:11: "),
                (["evaluate", "order.model", "x.libsvm"], "order.model:10: '1:1': indices ascend"),
                (["inspect", "order.model"], "order.model:10: "),
                (["import", "order.model", "-o", "o.mercer"], "order.model:10: "),
                (["import", "x.libsvm", "-o", "o.mercer"], "begins with svm_type"),
                (["import", "absent", "-o", "o.mercer"], "absent"),
                (["import", "classes.model", "-o", "there.mercer"], "--force"),
                (["import", "classes.model", "-o", "no/o.mercer"], "there is no folder no"),
                (["import", "classes.model", "-o", "o.mercer", "--columns", "2"], "beyond 2"),
                (["import", "classes.model", "-o", "o.mercer", "--columns", "0"], "--columns"),
                (["import", "classes.model"], "--out"),
                (["predict", "classes.model", "six.csv"], "mercer import --columns"),
                (["predict", "classes.model", "x.libsvm", "--probabilities"], "not calibrated"),
                (["export", "per_class.mercer", "-o", "o.model"], "a score for each class"),
                (["export", "scaled.mercer", "-o", "o.model"], "convert --scale standard"),
                (["export", "categories.mercer", "-o", "o.model"], "'colour', for its categories"),
                (["export", "map.mercer", "-o", "o.model"], "feature map"),
                (["export", "matern.mercer", "-o", "o.model"], "is none of LIBSVM's"),
                (["export", "classes.model", "-o", "there.mercer"], "--force"),
                (["export", "x.libsvm", "-o", "o.model"], "not a model of mercer"),
                (["export"], "MODEL"),
        ]:
            with self.subTest(words=words):
                done = self.call(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(part, done.stderr)
        self.assertFalse([f for f in os.listdir(self.folder) if f.startswith("o.")])
        self.assertEqual(self.content("there.mercer"), "old")
        self.ok("import", "classes.model", "-o", "there.mercer", "--force")
        done = self.call("export", "classes.model", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("-o", json.loads(done.stdout)["error"]["message"])


@unittest.skipUnless(libsvm.IS_THERE, libsvm.WHY_NOT)
class BesideLibsvm(Libsvm):
    """The same decision values, classes and probabilities, from what svm-train wrote."""

    def data(self, classes, rows=120, seed=1):
        """Points around centres, sparse; those of the test have a column more."""
        chance = random.Random(seed)
        centres = [[chance.uniform(-1, 1) for _ in range(6)] for _ in range(max(classes, 2))]
        result = {}
        for name, columns in (("train", 6), ("test", 7)):
            result[name] = []
            for i in range(rows):
                c = i * 7 % len(centres)
                row = {j + 1: round((centres[c] + [0])[j] + chance.gauss(0, 0.6), 6)
                       for j in range(columns) if chance.random() < 0.8}
                label = 3 * c - 1 if classes else round(sum(row.values()), 4)
                result[name].append((label, row))
            self.file(name, "".join(line(*r) for r in result[name]))
        return [row for _, row in result["test"]]

    def compare(self, model, x, theirs=None):
        """Our answers for `model` with LIBSVM's for `theirs`."""
        theirs = theirs or model
        peer = libsvm.Model(self.path(theirs))
        extra = ["--probabilities"] if peer.calibrated else []
        found = self.table(model, "test", *extra)
        said = libsvm.predict(self.path("test"), self.path(theirs), self.path("out"),
                              peer.calibrated)
        self.assertEqual(len(found), len(x))
        for row, point, class_ in zip(found, x, said):
            scores = [float(v) for name, v in row.items() if name.startswith("score")]
            for f, g in zip(scores, peer.decisions(point)):
                self.assertAlmostEqual(f, g, delta=1e-9)
            if peer.calibrated:
                for label, p in peer.probabilities(point).items():
                    self.assertAlmostEqual(float(row["probability " + label]), p, delta=1e-6)
            self.assertAlmostEqual(float(row["prediction"]), float(class_), delta=1e-5)

    def test_the_same_answers_both_ways(self):
        kernels = {"linear": ["-t", "0"], "poly": ["-t", "1", "-g", "0.3", "-r", "0.7", "-d", "4"],
                   "rbf": [], "sigmoid": ["-t", "3", "-g", "0.05", "-r", "-0.1"]}
        types = {"c_svc": (4, ["-s", "0", "-c", "3"]), "two": (2, ["-b", "1"]),
                 "pairs": (5, ["-b", "1"]), "nu_svc": (3, ["-s", "1", "-n", "0.2"]),
                 "one_class": (1, ["-s", "2", "-n", "0.3"]), "epsilon_svr": (0, ["-s", "3", "-b", "1"]),
                 "nu_svr": (0, ["-s", "4"])}
        for kind, (classes, options) in types.items():
            x = self.data(classes, seed=len(kind))
            for name, kernel in kernels.items():
                with self.subTest(kind=kind, kernel=name):
                    libsvm.train(self.path("train"), self.path("m.model"), *options, *kernel)
                    self.compare("m.model", x)
                    self.ok("import", "m.model", "-o", "m.mercer", "--force")
                    self.compare("m.mercer", x, "m.model")
                    self.ok("export", "m.mercer", "-o", "w.model", "--force")
                    self.compare("m.model", x, "w.model")

    def test_models_of_ours_in_svm_predict(self):
        for classes, kernel, learner in [
                (2, "linear", ["--lambda", "0.1"]), (2, "rbf(0.4)", []), (4, "rbf(0.4)", []),
                (2, "0.5*poly(2, gamma=0.3) + 1", ["--lambda", "0.1"]), (3, "poly(2) + 1", []),
                (0, "rbf(0.4) + 1", ["--lambda", "0.1"])]:
            with self.subTest(classes=classes, kernel=kernel):
                # It has the columns of the training data: the one more of the test is passed over.
                x = [{j: v for j, v in row.items() if j < 7} for row in self.data(classes)]
                self.file("test", "".join(line(0, row) for row in x))
                how = ["--learner", "ridge" if learner else "svm", *learner]
                self.ok("train", "train", "-k", kernel, *how, "-o", "m.mercer", "--scale", "none",
                        "--force")
                self.ok("export", "m.mercer", "-o", "m.model", "--force")
                self.compare("m.mercer", x, "m.model")


if __name__ == "__main__":
    unittest.main()
