#!/usr/bin/env python3
"""mercer predict, evaluate, inspect: on models that another program wrote."""

import gzip
import json
import math
import os
import struct
import subprocess
import unittest

import model_file
from program import MERCER, Files, run

CENTRES = {"a": (0, 0), "b": (3, 0), "c": (0, 3)}


def rbf(x, z, gamma=0.5):
    return math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z)))


class Models(Files):
    def call(self, *words, **options):
        return run(*words, cwd=self.folder, **options)

    def ok(self, *words, notes="", **options):
        done = self.call(*words, **options)
        self.assertEqual((done.returncode, done.stderr), (0, notes))
        return done.stdout

    def answer(self, *words):
        return json.loads(self.ok(*words, "--json"))

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    # Three classes around three centres; each support point votes for its own.
    def classes(self, name="m.mercer", **changes):
        how = {"kernel": "rbf(0.5)", "support": list(CENTRES.values()), "dimension": 2,
               "coefficients": [(1, 0, 0), (0, 1, 0), (0, 0, 1)], "offsets": (0, 0, 0.125),
               "classes": list(CENTRES), "scheme": 1, "label": "kind",
               "training": '{"learner": "by hand", "rows": 3}',
               "encoding": model_file.encoding_text(2, ("u", "v"), "kind")}
        how.update(changes)
        self.file(name, model_file.model(**how))

    def regression(self, name="r.mercer"):
        self.file(name, model_file.model(
            map_text="[x1, x2, x1*x2]", coefficients=[(2,), (-1,), (0.5,)], offsets=(3,),
            dimension=2, encoding=model_file.encoding_text(2)))

    def two(self, name="two.mercer", **changes):
        how = {"kernel": "linear", "support": [(1, 0)], "dimension": 2, "coefficients": [(1,)],
               "offsets": (-1,), "classes": ["no", "yes"], "calibration": [(-2, 0.5)],
               "encoding": model_file.encoding_text(2, ("u", "v"), "y")}
        how.update(changes)
        self.file(name, model_file.model(**how))

    def points(self):
        return [((i * 37 % 11) / 3, (i * 53 % 13) / 3) for i in range(9000)]

    @staticmethod
    def scores(x):
        f = [rbf(x, z) for z in CENTRES.values()]
        f[2] += 0.125
        return f

    # ---- predict

    def test_predictions_are_the_rule(self):
        self.classes()
        points = self.points()
        self.file("x.csv", "u,v\n" + "".join(f"{u!r},{v!r}\n" for u, v in points))
        lines = self.ok("predict", "m.mercer", "x.csv").splitlines()
        self.assertEqual(len(lines), len(points))
        scored = self.ok("predict", "m.mercer", "x.csv", "--scores", "--precision",
                         "double").splitlines()
        self.assertEqual(scored[0], 'prediction,"score a","score b","score c"')
        for x, line, more in zip(points, lines, scored[1:]):
            f = self.scores(x)
            cells = more.split(",")
            for value, cell in zip(f, cells[1:]):
                self.assertAlmostEqual(float(cell), value, delta=1e-12)
            if sorted(f)[-1] - sorted(f)[-2] > 1e-4:
                self.assertEqual("abc"[f.index(max(f))], line)
                self.assertEqual(cells[0], line)

    def test_the_same_from_every_format_and_number_of_threads(self):
        points = self.points()[:500]
        self.classes()
        self.classes("place.mercer", encoding=model_file.encoding_text(2))
        texts = {
            "named.csv": "u,v\n" + "".join(f"{u!r},{v!r}\n" for u, v in points),
            "labelled.csv": "v,kind,u\n" + "".join(f"{v!r},?,{u!r}\n" for u, v in points),
        }
        places = {
            "plain.csv": "".join(f"{u!r},{v!r}\n" for u, v in points),
            "one_more.csv": "".join(f"{u!r},{v!r},a\n" for u, v in points),
            "x.tsv": "".join(f"{u!r}\t{v!r}\n" for u, v in points),
            "x.libsvm": "".join(f"1 1:{u!r} 2:{v!r}\n" for u, v in points),
            "bare.libsvm": "".join(f"1:{u!r} 2:{v!r}\n" for u, v in points),
        }
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (500, 2), }\n"
        places["x.npy"] = (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                           + struct.pack("<1000d", *[c for x in points for c in x]))
        expected = None
        for model, files in (("m.mercer", texts), ("place.mercer", places)):
            for name, text in files.items():
                data = text if isinstance(text, bytes) else text.encode()
                self.file(name, data)
                self.file(name + ".gz", gzip.compress(data))
                for file in (name, name + ".gz"):
                    with self.subTest(file=file):
                        out = self.ok("predict", model, file, "--threads", "1")
                        expected = expected or out
                        self.assertEqual(out, expected)
                        self.assertEqual(self.ok("predict", model, file, "--threads", "3"), out)
        with open(self.path("named.csv.gz"), "rb") as pipe:
            done = subprocess.run([MERCER, "predict", "m.mercer", "/dev/stdin"], stdin=pipe,
                                  cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, expected))

    def test_output_files(self):
        self.classes()
        self.regression()
        self.file("x.csv", "u,v\n0,0\n3,0.5\n")
        self.assertEqual(self.ok("predict", "m.mercer", "x.csv", "-o", "p.csv"),
                         "p.csv: 2 predictions\n")
        self.assertEqual(self.content("p.csv"), b"prediction\na\nb\n")
        self.ok("predict", "m.mercer", "x.csv", "-o", "p.tsv.gz", "--scores")
        lines = gzip.decompress(self.content("p.tsv.gz")).decode().splitlines()
        self.assertEqual(lines[0], 'prediction\t"score a"\t"score b"\t"score c"')
        self.assertEqual(len(lines), 3)
        self.file("y.csv", "1,2\n3,4\n0,0\n")
        self.ok("predict", "r.mercer", "y.csv", "-o", "p.npy")
        data = self.content("p.npy")
        size = struct.unpack("<H", data[8:10])[0]
        self.assertIn(b"(3, 1)", data[10:10 + size])
        self.assertEqual(struct.unpack("<3d", data[10 + size:]), (4, 11, 3))
        answer = self.answer("predict", "m.mercer", "x.csv", "-o", "q.csv")
        self.assertEqual(answer["predicted"], {"a": 1, "b": 1, "c": 0})
        self.assertEqual((answer["rows"], answer["file"]), (2, "q.csv"))

    def test_probabilities(self):
        self.two()
        self.file("x.csv", "u,v\n0,0\n3,0\n1,7\n")
        lines = self.ok("predict", "two.mercer", "x.csv", "--probabilities").splitlines()
        self.assertEqual(lines[0], 'prediction,"probability no","probability yes"')
        for line, f in zip(lines[1:], (-1, 2, 0)):
            name, no, yes = line.split(",")
            self.assertEqual(name, "yes" if f > 0 else "no")
            self.assertAlmostEqual(float(yes), 1 / (1 + math.exp(-2 * f + 0.5)), delta=1e-6)
            self.assertAlmostEqual(float(no) + float(yes), 1, delta=1e-12)

    def test_pairs_of_classes(self):
        # f_ab is rbf to a's centre less rbf to b's.
        self.classes(scheme=2, coefficients=[(1, 1), (-1, 1), (-1, -1)], offsets=(0, 0, 0),
                     counts=(1, 1, 1))
        points = self.points()[:300]
        self.file("x.csv", "u,v\n" + "".join(f"{u!r},{v!r}\n" for u, v in points))
        lines = self.ok("predict", "m.mercer", "x.csv", "--scores").splitlines()
        self.assertEqual(lines[0], 'prediction,"score a/b","score a/c","score b/c"')
        for x, line in zip(points, lines[1:]):
            k = [rbf(x, z) for z in CENTRES.values()]
            cells = line.split(",")
            for cell, f in zip(cells[1:], (k[0] - k[1], k[0] - k[2], k[1] - k[2])):
                self.assertAlmostEqual(float(cell), f, delta=1e-5)

    def test_probabilities_of_pairs(self):
        self.classes(scheme=2, coefficients=[(1, 1), (-1, 1), (-1, -1)], offsets=(0, 0, 0),
                     counts=(1, 1, 1), calibration=[(-4, 0.5), (-4, -0.5), (-4, 0)])
        points = self.points()[:300]
        self.file("x.csv", "u,v,kind\n" + "".join(f"{u!r},{v!r},a\n" for u, v in points))
        lines = self.ok("predict", "m.mercer", "x.csv", "--probabilities").splitlines()
        self.assertEqual(lines[0], 'prediction,"probability a","probability b","probability c"')
        for line in lines[1:]:
            name, *p = line.split(",")
            p = [float(v) for v in p]
            self.assertAlmostEqual(sum(p), 1, delta=1e-12)
            self.assertEqual(name, "abc"[p.index(max(p))])
        mean = sum(-math.log(float(line.split(",")[1])) for line in lines[1:]) / len(points)
        self.assertAlmostEqual(self.answer("evaluate", "m.mercer", "x.csv")["log_loss"], mean,
                               delta=1e-9)
        self.assertIn("coupled", self.ok("inspect", "m.mercer"))

    def test_notes_go_to_stderr_once(self):
        self.file("c.mercer", model_file.model(
            kernel="linear", support=[(1, 0, 2)], coefficients=[(1,)], offsets=(0,), dimension=3,
            encoding=model_file.encoding_text(3, ("colour", "n"), "y",
                                              categories={"colour": ["blue", "red"]})))
        self.file("x.csv", "colour,n\nred,1\npink,2\npink,3\nblue,1\n")
        self.assertEqual(
            self.ok("predict", "c.mercer", "x.csv",
                    notes="note: 'pink' in column 'colour' was not there in training; it counts as "
                          "none of the categories (2 rows)\n").split(),
            ["2", "4", "6", "3"])
        self.classes("s.mercer", encoding=model_file.encoding_text(2, sparse=True), sparse=True)
        self.file("x.libsvm", "1 1:1 9:4\n")
        self.ok("predict", "s.mercer", "x.libsvm",
                notes="note: 1 entries beyond the 2 columns of training are ignored\n")

    # ---- evaluate

    def test_evaluate_classes(self):
        self.classes()
        rows = [(0, 0, "a"), (0.5, 0, "a"), (3, 0, "a"), (3, 0.25, "b"), (0, 3, "c"), (0, 2, "z")]
        self.file("x.csv", "u,v,kind\n" + "".join(f"{u},{v},{k}\n" for u, v, k in rows))
        answer = self.answer("evaluate", "m.mercer", "x.csv")
        self.assertEqual(answer["confusion"], [[2, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
        self.assertAlmostEqual(answer["accuracy"], 4 / 6)
        # The unknown one was taken for c, and is a class of its own.
        self.assertAlmostEqual(answer["classes"][2]["precision"], 1 / 2)
        self.assertAlmostEqual(answer["f1"], (0.8 + 2 / 3 + 2 / 3 + 0) / 4)
        self.assertEqual(answer["unknown_labels"], {"rows": 1, "labels": {"z": 1}})
        self.assertEqual([c["name"] for c in answer["classes"]], ["a", "b", "c", "z"])
        self.assertAlmostEqual(answer["classes"][0]["recall"], 2 / 3)
        # By pairs of rows; the unknown one takes no part.
        known = rows[:5]
        parts = []
        for c, name in enumerate("abc"):
            pairs = [(self.scores(x[:2])[c], self.scores(z[:2])[c])
                     for x in known for z in known if x[2] == name and z[2] != name]
            parts.append(sum((f > g) + (f == g) / 2 for f, g in pairs) / len(pairs))
        self.assertAlmostEqual(answer["auc"], sum(parts) / 3)
        done = self.call("evaluate", "m.mercer", "x.csv")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "note: 1 row with labels that the model does not know count "
                                      "as mistakes: 'z'\n")
        for part in ("accuracy  0.6667", "true \\ predicted", "precision",
                     "the mean over the 3 classes and 1 label unknown to the model"):
            self.assertIn(part, done.stdout)

    def test_evaluate_with_weights_another_label_and_probabilities(self):
        self.two()
        self.file("x.csv", "u,v,w,truth\n3,0,2,yes\n0,0,1,yes\n0,0,1,no\n")
        answer = self.answer("evaluate", "two.mercer", "x.csv", "--label", "truth", "--weight", "w")
        self.assertAlmostEqual(answer["accuracy"], 3 / 4)
        self.assertAlmostEqual(answer["auc"], (2 + 0.5) / 3)
        p = [1 / (1 + math.exp(-2 * f + 0.5)) for f in (2, -1)]
        loss = -(2 * math.log(p[0]) + math.log(p[1]) + math.log(1 - p[1])) / 4
        self.assertAlmostEqual(answer["log_loss"], loss, delta=1e-6)

    def test_numbers_as_classes(self):
        self.two(classes=["-1", "1"], numeric=True, encoding=model_file.encoding_text(2))
        self.file("x.csv", "3,0,1.0\n0,0,-1\n0,0,+1\n")
        self.assertAlmostEqual(self.answer("evaluate", "two.mercer", "x.csv")["accuracy"], 2 / 3)
        self.file("x.libsvm", "+1 1:3\n-1 1:0\n1 2:1\n7 1:1\n")
        answer = self.answer("evaluate", "two.mercer", "x.libsvm")
        self.assertAlmostEqual(answer["accuracy"], 2 / 4)
        self.assertEqual(answer["unknown_labels"]["labels"], {"7": 1})
        self.ok("predict", "two.mercer", "x.libsvm", "-o", "p.npy")

    def test_evaluate_numbers(self):
        self.regression()
        self.file("x.csv", "1,2,5\n3,4,11\n0,0,1\n")
        answer = self.answer("evaluate", "r.mercer", "x.csv")
        errors, labels = (-1, 0, 2), (5, 11, 1)
        mean = sum(labels) / 3
        self.assertAlmostEqual(answer["rmse"], math.sqrt(5 / 3))
        self.assertAlmostEqual(answer["mae"], 1)
        self.assertAlmostEqual(answer["r2"], 1 - sum(e * e for e in errors)
                               / sum((y - mean) ** 2 for y in labels))
        self.assertIn("R²", self.ok("evaluate", "r.mercer", "x.csv"))
        self.file("same.csv", "1,2,5\n3,4,5\n")
        self.assertIsNone(self.answer("evaluate", "r.mercer", "same.csv")["r2"])

    # ---- inspect

    def test_inspect(self):
        self.classes()
        text = self.ok("inspect", "m.mercer")
        for part in ("rbf(0.5)", "3 points in R^2, dense float64", "a, b, c", "u, v", "kind",
                     "by hand", "format 1"):
            self.assertIn(part, text)
        answer = self.answer("inspect", "m.mercer")
        data = self.content("m.mercer")
        self.assertEqual(answer["file"], {
            "bytes": len(data), "format": 1,
            "checksum": f"{model_file.xxh64(data[:24] + data[32:]):016x}"})
        self.assertEqual(answer["training"], {"learner": "by hand", "rows": 3})
        self.assertEqual(answer["support"]["points"], 3)
        self.assertEqual([c["name"] for c in answer["columns"]], ["u", "v"])
        self.file("m.mercer.gz", gzip.compress(data))
        self.assertEqual(self.answer("inspect", "m.mercer.gz")["file"], answer["file"])
        self.regression()
        self.assertEqual(self.answer("inspect", "r.mercer")["map"], "[x1, x2, x1*x2]")
        self.assertIn("x1*x2", self.ok("inspect", "r.mercer"))

    # ---- mistakes

    def test_files_that_are_no_models(self):
        self.classes()
        good = self.content("m.mercer")
        newer = good[:8] + struct.pack("<I", 3) + good[12:]
        self.file("x.csv", "u,v\n0,0\n")
        os.mkdir(self.path("folder"))
        for name, content, part in [
                ("empty", b"", "empty"),
                ("text", b"u,v\n1,2\n", "not a model of mercer: it is text"),
                ("liblinear", b"solver_type L2R_LR\n", "a model of LIBLINEAR"),
                ("noise", bytes(range(200)), "not a model of mercer"),
                ("short", good[:-1], "truncated"),
                ("shorter", good[:5], "truncated"),
                ("long", good + b"x", "corrupted: 1 bytes too many"),
                ("flipped", good[:200] + bytes([good[200] ^ 1]) + good[201:], "checksum"),
                ("newer", newer, "was written by a newer mercer: format 3, this one reads up to 2"),
        ]:
            self.file(name, content)
            for command in (["predict", name, "x.csv"], ["evaluate", name, "x.csv"],
                            ["inspect", name]):
                with self.subTest(command=command):
                    done = self.call(*command)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn(part, done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertTrue(done.stderr.startswith(f"mercer {command[0]}: {name}: "))
        for name, part in (("folder", "folder"), ("absent", "No such file")):
            done = self.call("inspect", name)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)

    def test_models_that_lie(self):
        self.file("x.csv", "u,v\n0,0\n")
        for changes, part in [
                ({"kernel": "rbff(0.5)"}, "did you mean 'rbf'"),
                ({"kernel": 'user("mine")'}, "mine"),
                ({"kernel": "x7*z7"}, "makes no sense in dimension 2"),
                ({"encoding": "mercer-encoding 9"}, "encoding, line 1"),
                ({"offsets": (0,)}, "1 offset for 3 scores"),
                ({"coefficients": [(1, 0, 0)]}, "1 row of coefficients for 3 support points"),
                ({"coefficients": [(1, 0, math.nan)] * 3}, "not finite"),
                ({"classes": ["a", "a", "c"]}, "same name"),
                ({"dimension": 3}, "support values"),
                ({"training": "[" * 100000}, "corrupted"),
        ]:
            with self.subTest(changes=str(changes)[:80]):
                self.classes(**changes)
                done = self.call("predict", "m.mercer", "x.csv")
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr[:500])
                self.assertIn(part, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr[:500])

    def test_claims_that_would_need_much_memory(self):
        large = 2 ** 31 - 1
        self.file("x.csv", "1,2\n")
        self.file("x.libsvm", "1 1:1 7:2\n")
        encoding = model_file.encoding_text(large)
        self.file("map", model_file.model(map_text="[x1]", coefficients=[(1,)], offsets=(0,),
                                          dimension=large, encoding=encoding))
        self.file("none", model_file.model(kernel="linear", coefficients=[], offsets=(0.5,),
                                           dimension=large, encoding=encoding, sparse=True))
        for model, data, part in [("map", "x.libsvm", "2^24"), ("map", "x.csv", "2^24"),
                                  ("none", "x.csv", "2 columns, expected the 2147483647")]:
            done = self.call("predict", model, data)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(part, done.stderr)
        self.assertEqual(self.ok("predict", "none", "x.libsvm"), "0.5\n")
        names = [str(i) for i in range(20000)]
        self.file("many", model_file.model(
            kernel="linear", coefficients=[], offsets=[0] * len(names), dimension=2, scheme=1,
            classes=names, encoding=model_file.encoding_text(2)))
        self.file("y.csv", "1,2,0\n1,2,7\n")
        self.assertEqual(self.answer("evaluate", "many", "y.csv")["accuracy"], 0.5)
        self.assertIn("more classes", self.ok("evaluate", "many", "y.csv"))

    def test_bad_data_and_calls(self):
        self.classes()
        self.two()
        self.regression()
        self.file("good.csv", "u,v,kind\n0,0,a\n")
        self.file("there.csv", "old")
        self.file("missing.csv", "u,kind\n0,a\n")
        self.file("bad.csv", "u,v\n" + "0,0\n" * 5000 + "0,x\n")
        self.file("hole.csv", "u,v\n0,\n")
        self.file("wide.csv", "1,2,3,4\n")
        self.file("narrow.csv", "1\n")
        self.file("no_labels.csv", "u,v\n0,0\n")
        self.file("text_labels.csv", "1,2,red\n")
        self.file("numbers.csv", "1,2\n")
        for words, part in [
                (["predict", "m.mercer", "absent.csv"], "absent.csv"),
                (["predict", "m.mercer", "missing.csv"], "'v'"),
                (["predict", "m.mercer", "bad.csv", "-o", "p.csv"], "bad.csv:5002:3: "),
                (["predict", "m.mercer", "hole.csv"], "hole.csv:2:3: "),
                (["predict", "r.mercer", "wide.csv"], "4 columns, expected the 2"),
                (["predict", "r.mercer", "narrow.csv"], "column"),
                (["predict", "m.mercer", "good.csv", "--probabilities"], "not calibrated"),
                (["predict", "m.mercer", "good.csv", "-o", "p.libsvm"], ".csv, .tsv or .npy"),
                (["predict", "m.mercer", "good.csv", "-o", "p.npy"], "the classes have names"),
                (["predict", "r.mercer", "numbers.csv", "-o", "p.npy.gz"], "not packed"),
                (["predict", "m.mercer", "good.csv", "-o", "p.xyz"], "p.xyz"),
                (["predict", "m.mercer", "good.csv", "-o", "there.csv"], "--force"),
                (["predict", "m.mercer", "good.csv", "--isa", "abacus"], "this machine has"),
                (["predict", "good.csv", "m.mercer"], "not a model of mercer"),
                (["predict", "m.mercer"], "DATA"),
                (["evaluate", "m.mercer", "no_labels.csv"], "no labels in a column 'kind'"),
                (["evaluate", "m.mercer", "good.csv", "--label", "kin"], "did you mean 'kind'"),
                (["evaluate", "r.mercer", "text_labels.csv"], "'red' is text"),
                (["evaluate", "r.mercer", "numbers.csv"], "there are no labels"),
                (["inspect"], "MODEL"),
        ]:
            with self.subTest(words=words):
                done = self.call(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(part, done.stderr)
        self.assertEqual(self.content("there.csv"), b"old")
        self.assertFalse([f for f in os.listdir(self.folder) if f.startswith("p.")])
        for words, part in [(["inspect", "absent"], "absent"),
                            (["predict", "m.mercer", "good.csv"], "-o")]:
            done = self.call(*words, "--json")
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, json.loads(done.stdout)["error"]["message"])


if __name__ == "__main__":
    unittest.main()
