#!/usr/bin/env python3
"""mercer train: from data to models that predict, and mistakes."""

import json
import math
import os
import random
import signal
import subprocess
import time
import unittest

from program import MERCER, Commands


class Train(Commands):
    def made(self, kind, name, rows=300, seed=1, *more):
        self.ok("make", kind, "--n", str(rows), "--seed", str(seed), "-o", name, *more)

    def accuracy(self, model, data):
        return self.answer("evaluate", model, data)["accuracy"]

    def exists(self, name):
        return os.path.exists(self.path(name))

    def test_a_class_of_one_example(self):
        rng = random.Random(3)
        rows = [(rng.gauss(c, 0.5), rng.gauss(0, 0.5), "common other".split()[c])
                for c in (0, 1) for _ in range(30)] + [(5, 5, "rare")]
        self.file("rare.csv", "\n".join(f"{a:.4f},{b:.4f},{c}" for a, b, c in rows))
        self.assertIn("the labels have 3 values",
                      self.ok("train", "rare.csv", "-o", "rare.mercer"))
        for learner in ("svm", "ridge", "perceptron"):
            self.ok("cv", "rare.csv", "-k", "rbf(1)", "--learner", learner)

    def test_years_as_names_of_columns(self):
        lines = [f"{i},{i * i % 7},{i % 3},{i % 2}" for i in range(20)]
        self.file("years.csv", "\n".join(["2019,2020,2021,y", *lines]))
        said = self.call("train", "years.csv", "-o", "years.mercer")
        self.assertEqual(said.returncode, 2)
        self.assertIn("years.csv:1:16: the label 'y' is text", said.stderr)
        self.assertIn("--header", said.stderr)
        self.assertIn("20 rows", self.ok("train", "years.csv", "--header", "-o", "years.mercer"))

    def test_numbers_choose_their_price(self):
        rows = [(i / 20, 1e5 * math.sin(i / 20) + 2e5) for i in range(150)]
        self.file("waves.csv", "x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
        self.assertIn("in cross-validation on 150 of the points",
                      self.ok("train", "waves.csv", "--learner", "svm", "-o", "waves.mercer"))
        self.assertGreater(self.answer("evaluate", "waves.mercer", "waves.csv")["r2"], 0.95)

    def test_nothing_but_data(self):
        for kind, more in (("moons", ()), ("rings", ()), ("xor", ()), ("spirals", ()),
                           ("blobs", ("--classes", "4"))):
            self.made(kind, f"{kind}.csv", 400, 1, *more)
            self.made(kind, f"{kind}-test.csv", 400, 2, *more)
            answer = self.answer("train", f"{kind}.csv")
            self.assertEqual(answer["model"], f"{kind}.mercer")
            self.assertTrue(answer["converged"])
            self.assertGreater(self.accuracy(f"{kind}.mercer", f"{kind}-test.csv"), 0.9, kind)

    def test_every_learner_separates_rings(self):
        self.made("rings", "train.csv")
        self.made("rings", "test.csv", 300, 2)
        for learner in (("perceptron",), ("perceptron", "--averaged", "--order", "shuffled"),
                        ("perceptron", "--budget", "60", "--passes", "10"),
                        ("perceptron", "--margin", "0.5"),
                        ("gd", "--passes", "300"), ("gd", "--batch", "50", "--momentum", "0.5"),
                        ("gd", "--eigenvectors", "20"), ("gd", "--hold-out", "0.2"),
                        ("ridge",), ("ridge", "--lambda", "0.01", "--loo"),
                        ("svm",), ("svm", "-C", "10", "--tolerance", "1e-6"), ("svm", "--nu", "0.1"),
                        ("svm", "--hard-margin"), ("svm", "--no-offset", "-C", "5")):
            self.ok("train", "train.csv", "-k", "rbf(1)", "--learner", *learner, "-o", "m.mercer",
                    "--force")
            self.assertGreater(self.accuracy("m.mercer", "test.csv"), 0.95, learner)

    def test_many_classes_and_text_labels(self):
        rng = random.Random(1)
        lines = ["u,v,kind"]
        centres = {"red": (0, 0), "green": (4, 0), "blue": (0, 4), "white": (4, 4)}
        for name, (a, b) in centres.items():
            lines += [f"{rng.gauss(a, 0.5):.4f},{rng.gauss(b, 0.5):.4f},{name}"
                      for _ in range(40)]
        self.file("train.csv", "\n".join(lines))
        for learner in ("perceptron", "gd", "ridge", "svm"):
            answer = self.answer("train", "train.csv", "--learner", learner, "-o",
                                 f"{learner}.mercer")
            self.assertEqual(answer["classes"], ["blue", "green", "red", "white"])
            self.file("new.csv", "v,u\n0.1,3.9\n4.2,-0.1\n")
            self.assertEqual(self.ok("predict", f"{learner}.mercer", "new.csv").split()[-2:],
                             ["green", "blue"])

    def test_regression(self):
        rng = random.Random(2)
        rows = [(rng.uniform(-3, 3), rng.uniform(-3, 3)) for _ in range(300)]
        text = "\n".join(f"{a:.5f},{b:.5f},{100 + 3 * a - b * b + rng.gauss(0, 0.1):.5f}"
                         for a, b in rows)
        self.file("train.csv", text)
        for learner, limit in (("ridge", 0.3), ("gd", 8)):
            answer = self.answer("train", "train.csv", "--learner", learner, "-o",
                                 f"{learner}.mercer")
            self.assertEqual(answer["task"], "regression")
            measured = self.answer("evaluate", f"{learner}.mercer", "train.csv")
            self.assertLess(measured["rmse"], limit)
            self.assertAlmostEqual(measured["rmse"], answer["training_rmse"], delta=1e-4)

    def test_both_forms_make_the_same_rule(self):
        self.made("ellipse", "train.csv")
        for learner in (("ridge", "--lambda", "0.5"), ("gd", "--passes", "20"),
                        ("perceptron", "--passes", "5")):
            common = ("train", "train.csv", "--scale", "none", "--precision", "double",
                      "--learner", *learner, "--force")
            self.ok(*common, "-k", "(1 + x.z)^2", "-o", "kernel.mercer")
            self.ok(*common, "-k", "(1 + x.z)^2", "--explicit", "-o", "map.mercer")
            self.ok(*common, "--map", "[1, sqrt(2)*x1, sqrt(2)*x2, x1^2, sqrt(2)*x1*x2, x2^2]",
                    "-o", "written.mercer")
            scores = [[float(line.split(",")[-1]) for line in
                       self.ok("predict", name, "train.csv", "--scores",
                               "--precision", "double").splitlines()[1:]]
                      for name in ("kernel.mercer", "map.mercer", "written.mercer")]
            for a, b, c in zip(*scores):
                self.assertAlmostEqual(a, b, delta=1e-6 * (1 + abs(a)), msg=learner)
                self.assertAlmostEqual(a, c, delta=1e-6 * (1 + abs(a)), msg=learner)

    def test_the_same_whatever_the_threads(self):
        self.made("spirals", "spirals.csv", 700)
        self.made("blobs", "blobs.csv", 700)
        for data, *learner in (("spirals", "perceptron", "--order", "shuffled", "--passes", "3"),
                               ("spirals", "gd", "--batch", "100", "--passes", "3"),
                               ("spirals", "ridge"), ("spirals", "svm", "--probability"),
                               ("blobs", "svm", "-C", "10", "--probability"),
                               ("blobs", "svm", "-C", "10", "--multiclass", "rest")):
            models = []
            for threads in ("1", "2", "3"):
                self.ok("train", f"{data}.csv", "--learner", *learner, "--seed", "5", "--threads",
                        threads, "-o", "m.mercer", "--force")
                with open(self.path("m.mercer"), "rb") as file:
                    models.append(file.read())
            self.assertEqual(models[0], models[1])
            self.assertEqual(models[0], models[2])

    def test_weights(self):
        lines = [f"{x},{'b' if x > 50 else 'a'}" for x in range(100)] + ["20,b"] * 3
        self.file("train.csv", "\n".join(lines))
        self.file("new.csv", "20,a\n")
        call = ("train", "train.csv", "-k", "rbf(50)", "--learner", "ridge", "--lambda", "1", "--force",
                "-o", "m.mercer")
        self.file("few.csv", "\n".join([f"{x},a" for x in range(100)] + ["20,b"] * 2))
        self.ok("train", "few.csv", *call[2:], "--class-weight", "a=10")
        self.assertIn("a", self.ok("predict", "m.mercer", "new.csv").split())
        self.ok("train", "few.csv", *call[2:], "--class-weight", "balanced")
        self.assertIn("b", self.ok("predict", "m.mercer", "new.csv").split())

    def test_weights_of_any_size_make_the_same_model(self):
        rng = random.Random(4)
        rows = [(rng.uniform(-2, 2), rng.uniform(-2, 2), rng.uniform(0.5, 2)) for _ in range(80)]
        for learner in ("ridge", "svm"):
            scores = []
            for name, factor in (("one", 1), ("many", 4096), ("few", 1 / 4096)):
                self.file(f"{name}.csv", "u,v,w,y\n" + "\n".join(
                    f"{u},{v},{w * factor!r},{'a' if u * v > 0 else 'b'}"
                    for u, v, w in rows))
                self.ok("train", f"{name}.csv", "--weight", "w", "--learner", learner, "--force")
                scores.append([float(line.split(",")[1]) for line in
                               self.ok("predict", f"{name}.mercer", "one.csv", "--scores",
                                       "--precision", "double").splitlines()[1:]])
            for a, b, c in zip(*scores):
                self.assertAlmostEqual(a, b, delta=1e-6, msg=learner)
                self.assertAlmostEqual(a, c, delta=1e-6, msg=learner)

    def test_a_lambda_at_the_edge_is_told(self):
        self.file("exact.csv", "\n".join(f"{x},{0.5 + 3 * x}" for x in range(40)))
        chosen = [c for c in self.answer("train", "exact.csv", "-k", "linear", "--task",
                                         "regression")["chosen"] if c.startswith("lambda")]
        self.assertIn("the smallest that was tried", chosen[0])
        self.made("moons", "moons.csv", 300, 1, "--noise", "0.5")
        chosen = [c for c in self.answer("train", "moons.csv", "--learner", "ridge")["chosen"]
                  if c.startswith("lambda")]
        self.assertNotIn("that was tried", chosen[0])

    def test_probabilities_of_two_and_of_many_classes(self):
        for kind, more in (("moons", ("--noise", "0.4")), ("blobs", ())):
            self.made(kind, f"{kind}.csv", 300, 1, *more)
            for how in ((), ("--multiclass", "rest")):
                self.ok("train", f"{kind}.csv", "-C", "1", "--probability", "--force", *how)
                lines = self.ok("predict", f"{kind}.mercer", f"{kind}.csv",
                                "--probabilities").splitlines()
                names = [name.strip('"').split()[-1] for name in lines[0].split(",")[1:]]
                for line in lines[1:]:
                    said, *shares = line.split(",")
                    shares = [float(share) for share in shares]
                    self.assertAlmostEqual(sum(shares), 1, delta=1e-9)
                    self.assertEqual(said, names[shares.index(max(shares))])
                measured = self.answer("evaluate", f"{kind}.mercer", f"{kind}.csv")
                self.assertLess(measured["log_loss"], 0.5)

    def test_options_of_libsvm(self):
        self.made("moons", "moons.csv", 200, 1, "--noise", "0.3")
        self.ok("convert", "moons.csv", "moons.libsvm")
        ours = self.answer("train", "moons.libsvm", "-k", "rbf(0.7)", "-C", "3", "--tolerance",
                           "1e-5", "--scale", "none", "--class-weight", "1=2", "--force")
        theirs = self.answer("train", "moons.libsvm", "--libsvm-options",
                             "-s 0 -t 2 -g 0.7 -c 3 -e 1e-5 -w1 2", "--force")
        self.assertEqual(ours["training"]["dual"], theirs["training"]["dual"])
        regression = self.answer("train", "moons.libsvm", "--libsvm-options", "-s 4 -n 0.3",
                                 "--force")
        self.assertEqual(regression["training"]["problem"], "nu-regression")
        one = self.answer("train", "moons.libsvm", "--libsvm-options", "-s 2 -n 0.3 -g 2 -e 1e-5",
                          "--force", "-o", "one")
        self.assertEqual(one["training"]["problem"], "one class")
        same = self.answer("train", "moons.libsvm", "--task", "one-class", "--nu", "0.3", "-k",
                           "rbf(2)", "--tolerance", "1e-5", "--scale", "none", "--force")
        self.assertEqual(one["training"]["dual"], same["training"]["dual"])
        said = self.ok("predict", "one", "moons.libsvm").split()
        self.assertAlmostEqual(said.count("-1") / 200, 0.3, delta=0.02)

    def test_theta_is_the_rule_where_features_are_few(self):
        self.made("moons", "moons.csv", 100)
        for kernel, phi in (("linear", lambda x, y: [x, y]),
                            ("poly(2)", lambda x, y: [1, 2 ** 0.5 * x, 2 ** 0.5 * y, x * x,
                                                      2 ** 0.5 * x * y, y * y])):
            theta = self.answer("train", "moons.csv", "-k", kernel, "-C", "2", "--scale", "none",
                                "-o", "m", "--force")["theta"]
            self.assertEqual(self.answer("inspect", "m")["theta"], theta)
            scores = self.ok("predict", "m", "moons.csv", "--scores", "--precision", "double")
            with open(self.path("moons.csv"), encoding="ascii") as file:
                points = [line.split(",")[:2] for line in file.read().split()[1:]]
            for row, (x, y) in zip(scores.split()[1:], points, strict=True):
                value = sum(w * f for w, f in zip(theta["weights"][0], phi(float(x), float(y)),
                                                  strict=True)) + theta["offsets"][0]
                self.assertAlmostEqual(float(row.split(",")[-1]), value, delta=1e-9)
        text = self.ok("train", "moons.csv", "-k", "poly(2)", "-C", "2", "-o", "m", "--force")
        self.assertIn(" for φ5 = sqrt(2)*x1*x2", text)
        self.assertIn("φ5", self.ok("inspect", "m"))
        answer = self.answer("train", "moons.csv", "-k", "rbf(2)", "-C", "2", "-o", "m", "--force")
        self.assertIn("infinitely many", answer["theta"]["left_out"])
        self.assertIn("not written out", self.ok("inspect", "m"))

    def test_classes_of_few_examples(self):
        rng = random.Random(7)
        lines = [f"{rng.gauss(c, 0.4)},{rng.gauss(-c, 0.4)},{c}" for c in (0, 3) for _ in range(30)]
        self.file("rare.csv", "\n".join(lines + ["9,9,5"]))
        answer = self.answer("train", "rare.csv", "--task", "classification")
        self.assertTrue(any("cross-validation on 60" in c for c in answer["chosen"]), answer)
        self.assertEqual(answer["classes"], ["0", "3", "5"])
        self.file("two.csv", "1,2,a\n3,4,b\n")
        answer = self.answer("train", "two.csv")
        self.assertTrue(any("too few examples" in c for c in answer["chosen"]), answer)

    def test_one_class(self):
        rng = random.Random(8)
        points = [f"{rng.gauss(0, 1)},{rng.gauss(0, 1)}" for _ in range(300)]
        self.file("usual.csv", "\n".join(["u,v"] + points))
        answer = self.answer("train", "usual.csv", "--no-labels", "--task", "one-class", "--nu",
                             "0.05")
        self.assertEqual(answer["training"]["problem"], "one class")
        said = self.ok("predict", "usual.mercer", "usual.csv").split()
        self.assertLessEqual(said.count("-1"), 0.07 * 300)
        self.assertEqual(said.count("1") + said.count("-1"), 300)
        self.file("new.csv", "u,v\n-1,1\n9,9\n")
        self.assertEqual(self.ok("predict", "usual.mercer", "new.csv").split()[-2:], ["1", "-1"])

    def test_a_time_limit_is_for_all_machines_together(self):
        self.made("blobs", "train.csv", 4000, 1, "--classes", "12", "--noise", "3")
        # No time at all: each machine ends after its first round, which is not enough.
        done = self.call("train", "train.csv", "-k", "rbf(1)", "-C", "100", "--multiclass", "rest",
                         "--tolerance", "1e-9", "--time-limit", "1e-9", "--json")
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        answer = json.loads(done.stdout)
        self.assertFalse(answer["converged"])
        note = answer["training"]["message"]
        self.assertIn("stopped after 1e-09 s: optimality is violated by", note)
        self.assertIn("in 12 of 12 machines", note)
        for machine in answer["training"]["machines"]:
            self.assertGreater(machine["moves"], 0)

    def test_primal_and_dual_of_what_is_no_kernel_are_no_bounds(self):
        self.made("moons", "train.csv", 200)
        said = self.call("train", "train.csv", "-k", "rbf(-1)", "-C", "1").stdout
        objective = next(line for line in said.splitlines() if line.startswith("objective"))
        self.assertIn("no bounds, since this is not a kernel here", objective)
        said = self.ok("train", "train.csv", "-k", "rbf(1)", "-C", "1", "--force")
        self.assertIn("a gap of", said)

    def test_trace(self):
        self.made("moons", "train.csv")
        self.ok("train", "train.csv", "--learner", "gd", "--passes", "7", "--trace", "t.jsonl")
        with open(self.path("t.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual([line["pass"] for line in lines], list(range(1, len(lines) + 1)))
        losses = [line["loss"] for line in lines]
        self.assertEqual(losses, sorted(losses, reverse=True))

    def test_sparse_data_are_not_scaled_unasked(self):
        self.file("train.libsvm", "".join(f"{i % 2} {1 + i % 5}:{1 + i % 3} 9:0.5\n"
                                          for i in range(60)))
        answer = self.answer("train", "train.libsvm")
        self.assertFalse([c for c in answer["chosen"] if c.startswith("scale")])

    def test_columns_that_vanish_beside_others_are_scaled_where_no_kernel_was_said(self):
        self.file("train.libsvm", "".join(
            f"{i % 2} 1:{i * 37 % 1000 * 10} 2:{i % 2 + i % 7 / 10} 3:{i * 11 % 400 * 10} 4:{i % 5 / 5}\n"
            for i in range(200)))
        for more, scaled in (([], True), (["-k", "rbf(1)"], False), (["--scale", "none"], False),
                             (["-k", "rbf(1)", "--scale", "standard"], True),
                             (["--learner", "ridge", "--approx", "nystrom(m=20)", "--memory", "1M"], True)):
            self.answer("train", "train.libsvm", "-o", "m.mercer", "--force", *more)
            told = self.answer("inspect", "m.mercer")
            self.assertEqual(told["scaling"], "standard" if scaled else "none", more)
        self.answer("train", "train.libsvm", "-o", "m.mercer", "--force")
        self.assertGreater(self.answer("evaluate", "m.mercer", "train.libsvm")["accuracy"], 0.99)

    def test_what_has_not_converged_is_written_and_told_by_the_exit_code(self):
        self.made("moons", "train.csv", 60, 1, "--noise", "0.5")
        for words in (("-C", "100", "--moves", "1"), ("--hard-margin", "-k", "linear")):
            done = self.call("train", "train.csv", *words, "-o", "m.mercer", "--force", "--json")
            self.assertEqual((done.returncode, json.loads(done.stdout)["converged"]), (3, False), words)
            self.ok("predict", "m.mercer", "train.csv")
        for words in (("--learner", "perceptron", "--passes", "2"), ("--learner", "gd", "--passes", "2")):
            self.assertFalse(self.answer("train", "train.csv", *words, "--force")["converged"])

    def test_what_does_not_go_together_is_told(self):
        self.file("three.csv", "x,w,y\n" + "".join(f"{i},{0 if i % 3 == 2 else 1},{'abc'[i % 3]}\n" for i in range(30)))
        for words, part in (
                (("--weight", "w", "-C", "1"), "all examples of class c have the weight 0"),
                (("--class-weight", "c=0", "-C", "1"), "all examples of class c have the weight 0"),
                (("--learner", "perceptron", "--budget", "5", "--averaged"), "leave one of them out"),
                (("-o", "-"), "- would be stdout"), (("-k", ""), "it is empty"), (("-o", ""), "it is empty"),
                (("--memory", "-1"), "'-1' is no size of memory"), (("--memory", "0"), "'0' is no size of memory"),
                (("--memory", "5X"), "'5X' is no size of memory: a whole number of MiB, or like 500M, 4G")):
            done = self.call("train", "three.csv", "-o", "m.mercer", *words) if "-o" not in words else \
                self.call("train", "three.csv", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        notes = self.answer("train", "three.csv", "-C", "1", "--epsilon", "0.2", "--learner", "svm")["notes"]
        self.assertTrue(any("--epsilon is for regression" in n for n in notes), notes)

    def test_two_numbers_are_classes_however_few_rows(self):
        self.file("t.csv", "1,2,1\n3,4,-1\n5,6,1\n")
        self.assertEqual(self.answer("train", "t.csv", "-C", "1")["task"], "classification")
        self.file("u.csv", "1,2,1\n3,4,-1\n5,6,7\n")
        self.assertEqual(self.answer("train", "u.csv", "--learner", "ridge")["task"], "regression")

    def test_probabilities_are_those_of_the_data_whatever_the_price_of_a_class(self):
        rng = random.Random(5)
        self.file("two.csv", "".join(
            f"{rng.gauss(k, 1):.4f},{rng.gauss(0, 1):.4f},{'up' if k else 'down'}\n" for k in (0, 1) * 200))
        self.ok("train", "two.csv", "-k", "rbf(0.3)", "-C", "1", "--probability", "--class-weight", "up=4", "-o", "m.mercer")
        out = self.ok("predict", "m.mercer", "two.csv", "--probabilities").splitlines()
        share = sum(float(line.split(",")[-1]) for line in out[1:]) / (len(out) - 1)
        self.assertAlmostEqual(share, 0.5, delta=0.06)

    def test_ctrl_c_keeps_the_best_so_far(self):
        self.made("spirals", "train.csv", 3000)
        process = subprocess.Popen(
            [MERCER, "train", "train.csv", "--learner", "gd", "--passes", "1000000", "--scale",
             "none", "-o", "m.mercer", "--trace", "t.jsonl"], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            time.sleep(0.1)
            if self.exists("t.jsonl") and os.path.getsize(self.path("t.jsonl")) > 0:
                break
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130)
        self.assertIn("holds the best so far", err)
        self.ok("inspect", "m.mercer")

    def test_mistakes(self):
        self.made("moons", "train.csv", 50)
        self.file("one.csv", "1,2,a\n3,4,a\n")
        self.file("words.csv", "1,2,a\n3,4,b\n5,6,a\n7,8,b\n")
        self.file("there.mercer", "mine")
        table = (
            (("train", "none.csv"), "none.csv"),
            (("train", "one.csv"), "only one class"),
            (("train", "train.csv", "--no-labels"), "no labels"),
            (("train", "words.csv", "--task", "regression"), "labels that are numbers"),
            (("train", "train.csv", "-k", "rfb(1)"), "rbf"),
            (("train", "train.csv", "-k", "rbf(?)"), "open parameter"),
            (("train", "train.csv", "--map", "[x1, x7]"), "x7"),
            (("train", "train.csv", "-k", "rbf(1)", "--explicit"), "no map"),
            (("train", "train.csv", "--explicit"), "--explicit needs a kernel"),
            (("train", "train.csv", "--lambda", "0"), "lambda"),
            (("train", "train.csv", "--lambda", "x"), "--lambda"),
            (("train", "train.csv", "--learner", "gd", "--step", "1e6"), "too large"),
            (("train", "train.csv", "--learner", "gd", "--momentum", "2"), "momentum"),
            (("train", "train.csv", "--learner", "perceptron", "--passes", "0"), "pass"),
            (("train", "train.csv", "--learner", "perceptron", "--task", "regression"),
             "tells classes apart"),
            (("train", "train.csv", "--margin", "1", "--learner", "svm"),
             "--margin is for --learner perceptron"),
            (("train", "train.csv", "--margin", "1", "--lambda", "1"), "is for --learner"),
            (("train", "train.csv", "--libsvm-options", "-c"), "-c"),
            (("train", "train.csv", "--libsvm-options", "-c 1", "-k", "linear"), "together"),
            (("train", "train.csv", "--task", "one-class", "-C", "1"), "--nu"),
            (("train", "train.csv", "--task", "one-class", "--learner", "gd"), "one-class is for"),
            (("train", "train.csv", "-C", "-1"), "C must be"),
            (("train", "train.csv", "--nu", "2"), "nu must be"),
            (("train", "train.csv", "--learner", "gd", "--lambda", "1"), "--lambda is for"),
            (("train", "train.csv", "--class-weight", "3=1"), "no class `3`"),
            (("train", "train.csv", "--class-weight", "nonsense"), "CLASS=NUMBER"),
            (("train", "train.csv", "--class-weight", "1=2,1=3"), "two weights"),
            (("train", "train.csv", "-o", "there.mercer"), "--force"),
            (("train", "train.csv", "-o", "no/folder/m.mercer"), "no/folder"),
            (("train", "train.csv", "--trace", "no/folder/t"), "no/folder"),
            (("train", "train.csv", "-k", "log(x.z)"), "rows"),
        )
        for words, expected in table:
            before = sorted(os.listdir(self.folder))
            done = self.call(*words)
            self.assertEqual(done.returncode, 2, (words, done.stdout, done.stderr))
            self.assertIn(expected, done.stderr, words)
            self.assertEqual(sorted(os.listdir(self.folder)), before, words)
        with open(self.path("there.mercer"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")


if __name__ == "__main__":
    unittest.main()
