#!/usr/bin/env python3
"""Files that are read as an earlier one says: columns by name or place, categories, holes, scales."""

import json
import math
import random
import struct
import unittest

from program import Files, run


class LaterFiles(Files):
    def call(self, *words):
        return run(*words, cwd=self.folder)

    def ok(self, *words):
        done = self.call(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def answer(self, *words):
        return json.loads(self.ok(*words, "--json"))

    def refused(self, words, part):
        done = self.call(*words)
        self.assertEqual(done.returncode, 2, (words, done.stdout))
        self.assertIn(part, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        return done.stderr

    def gram(self, *words):
        self.ok("gram", *words, "-o", "K.csv", "--force", "--precision", "double")
        with open(self.path("K.csv"), encoding="utf-8") as file:
            return [[float(cell) for cell in line.split(",")] for line in file]

    def model(self, *more):
        """a is +1 where u is large, whatever v says."""
        rng = random.Random(3)
        lines = ["u,v,class"]
        for _ in range(40):
            u = rng.uniform(-1, 1)
            lines.append(f"{u:.3f},{rng.uniform(-9, 9):.3f},{'high' if u > 0 else 'low'}")
        self.file("train.csv", "\n".join(lines))
        self.ok("train", "train.csv", "-k", "linear", "-o", "m.mercer", "--force", *more)

    def test_a_label_in_front_without_names(self):
        rng = random.Random(4)
        rows = [(u, rng.uniform(-1, 1)) for u in (rng.uniform(-1, 1) for _ in range(60))]
        cells = [("high" if u > v else "low", f"{u:.3f}", f"{v:.3f}") for u, v in rows]
        self.file("named.csv", "\n".join(["class,u,v"] + [",".join(c) for c in cells]))
        self.file("first.csv", "\n".join(",".join(c) for c in cells))
        self.file("last.csv", "\n".join(",".join((*c[1:], c[0])) for c in cells))
        self.file("bare.csv", "\n".join(",".join(c[1:]) for c in cells))
        self.ok("train", "first.csv", "--label", "1", "-k", "rbf(1)", "-o", "f.mercer")
        self.ok("train", "named.csv", "--label", "class", "-k", "rbf(1)", "-o", "n.mercer")
        expected = self.answer("evaluate", "n.mercer", "named.csv")
        self.assertGreater(expected["accuracy"], 0.9)
        predicted = self.ok("predict", "n.mercer", "named.csv")
        for model in ("f.mercer", "n.mercer"):
            for name in ("first.csv", "last.csv"):
                for command in ("evaluate", "predict"):
                    self.refused((command, model, name), "--label 1 if the file is like these, "
                                 "or --label 3 if it is the last here")
            for name, label in (("first.csv", "1"), ("last.csv", "3")):
                found = self.answer("evaluate", model, name, "--label", label)
                self.assertEqual(found["accuracy"], expected["accuracy"])
                self.assertEqual(self.ok("predict", model, name, "--label", label), predicted)
            self.assertEqual(self.ok("predict", model, "bare.csv"), predicted)
            for command in ("evaluate", "predict"):
                self.refused((command, model, "first.csv", "--label", "4"),
                             "there is no column 4 for the label")
                self.refused((command, "f.mercer", "first.csv", "--label", "class"),
                             "for the label")

    # --- gram --with

    def test_gram_with_matches_names_and_categories(self):
        self.file("a.csv", "age,colour,y\n1,red,0\n2,blue,1\n")
        self.file("b.csv", "y,colour,id,age\n1,red,7,3\n0,green,8,4\n")
        # blue, red: x·z = age·age + [same colour]; green is none of them.
        self.assertEqual(self.gram("linear", "a.csv", "--with", "b.csv"),
                         [[1 * 3 + 1, 1 * 4], [2 * 3, 2 * 4]])
        notes = self.answer("gram", "linear", "a.csv", "--with", "b.csv")["notes"]
        self.assertIn("'green'", notes[0])
        self.refused(("gram", "linear", "b.csv", "--label", "y", "--with", "a.csv"), "'id'")
        self.file("c.csv", "colour,age\nblue,5\n")
        self.assertEqual(self.gram("linear", "a.csv", "--with", "c.csv"), [[5], [11]])

    def test_gram_with_by_place(self):
        self.file("a.csv", "1,2,x\n3,4,y\n")
        self.file("b.csv", "5,6\n")
        self.assertEqual(self.gram("linear", "a.csv", "--with", "b.csv"), [[17], [39]])
        self.file("c.csv", "9,1,red\n8,3,blue\n")
        self.file("d.csv", "7,2,blue\n")
        self.assertEqual(self.gram("linear", "c.csv", "--label", "1", "--with", "d.csv"),
                         [[2], [7]])
        self.assertEqual(self.gram("linear", "c.csv", "--no-labels", "--ignore", "1", "--with",
                                   "d.csv"), [[2], [7]])

    def test_gram_with_libsvm_of_other_widths(self):
        self.file("a.libsvm", "1 1:1 2:2\n-1 1:3\n")
        self.file("b.libsvm", "1 1:5 2:1 7:4\n")
        self.assertEqual(self.gram("linear", "a.libsvm", "--with", "b.libsvm"), [[7], [15]])
        self.assertEqual(self.gram("linear", "b.libsvm", "--with", "a.libsvm"), [[7, 15]])
        self.assertEqual(self.gram("|x-z|^2", "b.libsvm", "--with", "a.libsvm"),
                         [[16 + 1 + 16, 4 + 1 + 16]])

    # --- scaling

    def many_levels(self):
        rng = random.Random(5)
        rows = [(rng.uniform(50, 60), f"town{i % 90}", "yes" if i % 3 else "no")
                for i in range(270)]
        self.file("towns.csv", "age,town,class\n" +
                  "\n".join(f"{a:.4f},{t},{c}" for a, t, c in rows))

    def test_numbers_beside_many_categories_are_scaled(self):
        self.many_levels()
        for how in ("standard", "minmax"):
            out = self.ok("convert", "towns.csv", "-", "--scale", how).splitlines()
            ages = [float(line.split(",")[0]) for line in out[1:]]
            towns = {cell for line in out[1:] for cell in line.split(",")[1:-1]}
            self.assertEqual(towns, {"0", "1"})
            mean = sum(ages) / len(ages)
            if how == "standard":
                self.assertAlmostEqual(mean, 0, delta=1e-9)
                self.assertAlmostEqual(sum(a * a for a in ages) / len(ages), 1, delta=1e-9)
            else:
                self.assertEqual((min(ages), max(ages)), (0, 1))

    def test_train_tells_the_scale(self):
        self.many_levels()
        chosen = self.answer("train", "towns.csv")["chosen"]
        self.assertIn("scale: standard, numbers to mean 0 and deviation 1; categories stay 0 and 1",
                      chosen)
        self.file("s.libsvm", "".join(f"{i % 2} {1 + i % 5}:{1 + i % 3} 9:0.5\n"
                                      for i in range(60)))
        chosen = self.answer("train", "s.libsvm", "--scale", "standard")["chosen"]
        self.assertTrue([c for c in chosen if "zero stays zero" in c], chosen)

    def test_a_centred_model_on_sparse_data(self):
        self.file("d.csv", "".join(f"{i % 4},{7 + i % 3},{'a' if i % 4 > 1 else 'b'}\n"
                                   for i in range(40)))
        self.ok("train", "d.csv", "-k", "rbf(1)", "--lambda", "0.1")
        self.ok("convert", "d.csv", "d.libsvm")
        scores = [[float(line.split(",")[1]) for line in
                   self.ok("predict", "d.mercer", name, "--scores", "--precision",
                           "double").splitlines()[1:]] for name in ("d.csv", "d.libsvm")]
        for a, b in zip(*scores):
            self.assertAlmostEqual(a, b, delta=1e-9)

    # --- names and places

    def test_a_file_without_names(self):
        self.model()
        self.file("named.csv", "v,u\n5,0.9\n5,-0.9\n")
        self.file("bare.csv", "0.9,5\n-0.9,5\n")
        self.file("labelled.csv", "0.9,5,high\n-0.9,5,high\n")
        self.file("one.csv", "0.9,5\n")
        for name in ("named.csv", "bare.csv", "labelled.csv"):
            self.assertEqual(self.ok("predict", "m.mercer", name), "high\nlow\n", name)
        self.assertEqual(self.ok("predict", "m.mercer", "one.csv"), "high\n")
        self.assertEqual(self.ok("predict", "m.mercer", "bare.csv", "--no-header"), "high\nlow\n")
        self.assertIn("by place", self.call("predict", "m.mercer", "bare.csv").stderr)
        self.assertEqual(self.call("predict", "m.mercer", "named.csv").stderr, "")
        self.assertEqual(self.answer("evaluate", "m.mercer", "labelled.csv")["accuracy"], 0.5)
        self.file("first.csv", "high,0.9,5\nhigh,-0.9,5\n")
        self.assertEqual(self.answer("evaluate", "m.mercer", "first.csv", "--label", "1")
                         ["accuracy"], 0.5)
        self.file("wide.csv", "0.9,5,6,7\n")
        self.refused(("predict", "m.mercer", "wide.csv"), "'u'")
        self.refused(("predict", "m.mercer", "wide.csv", "--no-header"), "expected the 2")
        self.refused(("predict", "m.mercer", "bare.csv", "--header"), "'u'")
        self.file("other.csv", "a,b\n0.9,5\n")
        self.refused(("predict", "m.mercer", "other.csv"), "'u'")

    def test_names_that_are_numbers(self):
        self.file("train.csv", "2019,2020,y\n" + "".join(f"{i},{-i},{'ab'[i % 2]}\n"
                                                         for i in range(20)))
        self.ok("train", "train.csv", "--header")
        self.file("new.csv", "2020,2019\n-3,3\n")
        done = self.call("predict", "train.mercer", "new.csv")
        self.assertEqual((len(done.stdout.split()), done.stderr), (1, ""))

    def test_columns_with_two_uses(self):
        self.model()
        for option, what in (("--weight", "the weights"), ("--label", "the label")):
            for column in ("v", "2"):
                self.refused(("evaluate", "m.mercer", "train.csv", option, column),
                             f"column 'v' is one of those that the model learned from; "
                             f"it cannot also be {what}")
        self.refused(("data", "train.csv", "--ignore", "class"), "is the label")
        self.refused(("data", "train.csv", "--ignore", "3"), "is the label")
        self.refused(("data", "train.csv", "--weight", "v", "--ignore", "v"), "the weights")
        self.ok("data", "train.csv", "--ignore", "class", "--no-labels")

    # --- missing values

    def test_every_row_has_a_prediction_or_an_empty_one(self):
        self.model("--missing", "drop")
        self.file("new.csv", "u,v\n?,1\n0.9,5\n,\n-0.9,5\n0.8,\n")
        done = self.call("predict", "m.mercer", "new.csv")
        self.assertEqual(done.stdout, "\nhigh\n\nlow\n\n")
        self.assertIn("3 rows with missing values have no prediction: 1, 3, 5", done.stderr)
        self.assertEqual([line.count(",") for line in
                          self.ok("predict", "m.mercer", "new.csv", "--scores").splitlines()],
                         [1] * 6)
        answer = self.answer("predict", "m.mercer", "new.csv", "-o", "p.csv")
        self.assertEqual((answer["rows"], answer["without_prediction"]), (5, 3))
        with open(self.path("p.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), 'prediction\n""\nhigh\n""\nlow\n""\n')
        self.file("holes.csv", "u,v\n?,1\n1,?\n")
        self.assertEqual(self.ok("predict", "m.mercer", "holes.csv"), "\n\n")
        self.refused(("evaluate", "m.mercer", "holes.csv"), "")

    def test_empty_predictions_in_arrays_and_long_files(self):
        lines = [f"{u},{'' if u % 7 == 3 else 1},{int(u > 4999)}" for u in range(10000)]
        self.file("d.csv", "\n".join(lines))
        self.ok("train", "d.csv", "--missing", "drop", "--learner", "gd", "--passes", "1", "-k",
                "linear")
        self.ok("predict", "d.mercer", "d.csv", "-o", "p.npy")
        with open(self.path("p.npy"), "rb") as file:
            data = file.read()[-80000:]
        values = struct.unpack("<10000d", data)
        self.assertEqual([u for u, v in enumerate(values) if math.isnan(v)],
                         list(range(3, 10000, 7)))

    def test_a_missing_value_names_the_remedy_that_there_is(self):
        self.model()
        self.file("new.csv", "u,v\n0.9,?\n")
        for words in (("predict", "m.mercer", "new.csv"), ("evaluate", "m.mercer", "new.csv")):
            self.refused(words, "train with --missing")


if __name__ == "__main__":
    unittest.main()
