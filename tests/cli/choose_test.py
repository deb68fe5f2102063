"""mercer cv, tune and auto, as a user calls them."""

import csv
import json
import os
import signal
import subprocess
import time
import unittest

from program import MERCER, Commands


class Choosing(Commands):
    def setUp(self):
        super().setUp()
        self.ok("make", "moons", "--n", "300", "--seed", "1", "-o", "moons.csv")

    def refused(self, *words):
        done = self.call(*words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr


class CrossValidation(Choosing):
    def test_figures_are_those_of_the_predictions(self):
        found = self.answer("cv", "moons.csv", "-k", "rbf(2)", "-C", "10", "-o", "out.csv")
        with open(self.path("moons.csv"), encoding="utf-8") as file:
            truth = [row[-1] for row in csv.reader(file)][1:]
        with open(self.path("out.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 300)
        self.assertEqual([int(row["row"]) for row in rows], list(range(1, 301)))
        by_part = []
        for part in range(1, 6):
            own = [r["predicted"] == y for r, y in zip(rows, truth) if int(r["part"]) == part]
            by_part.append(sum(own) / len(own))
        measured = found["measures"]["accuracy"]
        for a, b in zip(measured["by_part"], by_part):
            self.assertAlmostEqual(a, b)
        self.assertAlmostEqual(measured["mean"], sum(by_part) / 5)
        self.assertGreater(measured["mean"], 0.9)

    def test_categories_that_are_only_in_one_part(self):
        lines = ["colour,size,y"] + [f"{'abcdefghij'[i % 10]},{i % 7},{'yes' if i % 7 > 3 else 'no'}"
                                     for i in range(60)]
        lines += ["once,3,yes", "twice,5,no"]
        self.file("c.csv", "\n".join(lines) + "\n")
        found = self.answer("cv", "c.csv", "-k", 'rbf(1)["size"] + rbf(1)["colour"]', "-C", "10")
        self.assertGreater(found["measures"]["accuracy"]["mean"], 0.8)

    def test_groups_stay_together(self):
        lines = ["x,who,y"] + [f"{i % 13},p{i % 9},{(i % 13) * 2 + 0.5}" for i in range(90)]
        self.file("g.csv", "\n".join(lines) + "\n")
        self.ok("cv", "g.csv", "--groups", "who", "--folds", "3", "-o", "g-out.csv")
        with open(self.path("g-out.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        parts = {}
        for i, row in enumerate(rows):
            parts.setdefault(i % 9, set()).add(row["part"])
        self.assertTrue(all(len(p) == 1 for p in parts.values()))
        self.assertIn("cannot be cut into 10", self.refused("cv", "g.csv", "--groups", "who", "--folds", "10"))
        self.assertIn("no column", self.refused("cv", "g.csv", "--groups", "whom"))
        self.assertIn("qid", self.refused("cv", "moons.csv", "--groups", "qid"))

    def test_leave_one_out(self):
        lines = ["x,y"] + [f"{i / 10},{(i / 10) ** 2}" for i in range(40)]
        self.file("r.csv", "\n".join(lines) + "\n")
        found = self.answer("cv", "r.csv", "--learner", "ridge", "--task", "regression", "--leave-one-out")
        self.assertTrue(found["closed_form"])
        self.assertLess(found["measures"]["rmse"]["mean"], 0.5)

    def test_repeated(self):
        found = self.answer("cv", "moons.csv", "-k", "rbf(2)", "-C", "1", "--folds", "3", "--repeat", "2")
        self.assertEqual(len(found["parts"]), 6)
        again = self.answer("cv", "moons.csv", "-k", "rbf(2)", "-C", "1", "--folds", "3", "--repeat", "2",
                            "--threads", "1")
        self.assertEqual(found["measures"], again["measures"])

    def test_imbalance_is_mentioned(self):
        lines = ["x,z,y"] + [f"{i % 10},{i % 3},{'rare' if i % 20 == 0 else 'usual'}" for i in range(200)]
        self.file("i.csv", "\n".join(lines) + "\n")
        done = self.call("cv", "i.csv", "-k", "rbf(1)", "-C", "1")
        self.assertIn("95.0 % of the rows are of class usual", done.stderr)

    def test_mistakes(self):
        self.assertIn("two", self.refused("cv", "moons.csv", "-k", "rbf(2)", "--folds", "1").replace("2", "two"))
        self.assertIn("cannot be cut", self.refused("cv", "moons.csv", "-k", "rbf(2)", "-C", "1", "--folds", "301"))
        self.assertIn("mercer tune", self.refused("cv", "moons.csv", "-k", "rbf(gamma=?)"))
        self.assertIn("moons.csv", self.refused("cv", "moons.csv", "-o", "moons.csv", "--force"))
        self.assertIn("--groups nosuch", self.refused("cv", "moons.csv", "--groups", "nosuch"))
        self.assertIn("--leave-one-out", self.refused("cv", "moons.csv", "--learner", "ridge", "--loo"))


class Tune(Choosing):
    def test_chooses_a_model_that_is_good_elsewhere(self):
        self.ok("make", "moons", "--n", "500", "--seed", "2", "-o", "test.csv")
        found = self.answer("tune", "moons.csv", "--kernels", "rbf(gamma=?), linear", "--record", "r.json")
        self.assertIn("rbf", found["search"]["best"]["kernel"])
        self.assertGreater(self.answer("evaluate", "moons.mercer", "test.csv")["accuracy"], 0.9)
        with open(self.path("r.json"), encoding="utf-8") as file:
            record = json.load(file)
        self.assertTrue(record["complete"])
        self.assertEqual(record["candidates"][record["chosen"]], record["best"])
        self.assertIn("C", record["best"]["parameters"])
        self.assertIn("gamma", record["best"]["parameters"])

    def test_goes_on_where_it_was_interrupted(self):
        whole = self.answer("tune", "moons.csv", "-o", "whole.mercer", "--record", "whole.json")
        self.answer("tune", "moons.csv", "-o", "part.mercer", "--record", "part.json", "--budget", "20")
        with open(self.path("part.json"), encoding="utf-8") as file:
            part = json.load(file)
        self.assertLess(len(part["candidates"]), len(whole["search"]["candidates"]))
        rest = self.answer("tune", "moons.csv", "-o", "rest.mercer", "--record", "part.json", "--resume")
        self.assertEqual(rest["search"]["best"], whole["search"]["best"])
        self.assertLess(rest["search"]["kernel_values"], whole["search"]["kernel_values"])
        with open(self.path("whole.mercer"), "rb") as a, open(self.path("rest.mercer"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_a_killed_search_leaves_a_record_to_go_on_with(self):
        self.ok("make", "moons", "--n", "4000", "--noise", "0.4", "--seed", "3", "-o", "big.csv")
        words = ["tune", "big.csv", "--search", "grid", "--record", "k.json", "-o", "k.mercer"]
        process = subprocess.Popen([MERCER, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            for _ in range(600):
                if os.path.exists(self.path("k.json")) or process.poll() is not None:
                    break
                time.sleep(0.05)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.assertFalse(os.path.exists(self.path("k.mercer")))
        with open(self.path("k.json"), encoding="utf-8") as file:
            record = json.load(file)
        self.assertFalse(record["complete"])
        done = self.answer(*words, "--resume", "--budget", "1")
        self.assertGreaterEqual(len(done["search"]["candidates"]), len(record["candidates"]))

    def test_a_record_of_another_search_is_refused(self):
        self.answer("tune", "moons.csv", "--record", "r.json", "--budget", "5")
        for words in (["--seed", "1"], ["--folds", "4"], ["--metric", "auc"], ["--scale", "none"]):
            error = self.refused("tune", "moons.csv", "-o", "b.mercer", "--record", "r.json", "--resume", *words)
            self.assertIn("another search", error)
        self.file("junk.json", "{")
        self.assertIn("not the record", self.refused("tune", "moons.csv", "-o", "b.mercer", "--record",
                                                     "junk.json", "--resume"))
        self.assertIn("r.json", self.refused("tune", "moons.csv", "-o", "b.mercer", "--record", "r.json"))

    def test_grid_and_nested(self):
        found = self.answer("tune", "moons.csv", "--search", "grid", "--grid", "C=1,10", "--grid",
                            "gamma=0.1:10:3", "--folds", "3", "--nested", "3")
        self.assertEqual(len(found["search"]["candidates"]), 6)
        self.assertEqual(len(found["nested"]["parts"]), 3)
        self.assertEqual(found["search"]["kernel_values"], 3 * 300 * 300)

    def test_regression(self):
        lines = ["x,y"] + [f"{i / 20},{(i / 20) ** 3 - i / 9}" for i in range(120)]
        self.file("r.csv", "\n".join(lines) + "\n")
        for learner in ("ridge", "svm"):
            found = self.answer("tune", "r.csv", "--task", "regression", "--learner", learner, "-o",
                                learner + ".mercer")
            self.assertLess(found["search"]["best"]["score"], 3)
            self.assertGreater(self.answer("evaluate", learner + ".mercer", "r.csv")["r2"], 0.99)

    def test_by_log_loss_the_model_has_probabilities(self):
        found = self.answer("tune", "moons.csv", "--metric", "log_loss", "-o", "p.mercer")
        self.assertLess(found["search"]["best"]["score"], 0.2)
        self.assertIn("log_loss", self.answer("evaluate", "p.mercer", "moons.csv"))

    def test_mistakes(self):
        for words, text in ((["--kernels", "rbf(gamma=?),,linear"], "between the commas"),
                            (["--grid", "C=1,x"], "not a number"),
                            (["--grid", "C=-1"], "> 0"),
                            (["--grid", "delta=1"], "delta"),
                            (["--budget", "soon"], "60s"),
                            (["--metric", "rmse"], "regression"),
                            (["--metric", "log_loss", "--learner", "ridge"], "probabilities"),
                            (["--folds", "301"], "301 folds of 300 rows"),
                            (["--resume"], "--record"),
                            (["--learner", "perceptron"], "svm")):
            self.assertIn(text, self.refused("tune", "moons.csv", *words))
        done = self.call("tune", "moons.csv", "--kernels", "rbf(gama=?)")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'gamma'?", done.stderr)
        self.assertFalse(os.path.exists(self.path("moons.mercer")))


class Auto(Choosing):
    def test_says_how_good_it_is_elsewhere(self):
        self.ok("make", "rings", "--n", "500", "--seed", "1", "-o", "rings.csv")
        found = self.answer("auto", "rings.csv")
        self.assertEqual(found["held_out"]["parts"][0]["test"], 100)
        self.ok("make", "rings", "--n", "500", "--seed", "2", "-o", "test.csv")
        elsewhere = self.answer("evaluate", "rings.mercer", "test.csv")["accuracy"]
        self.assertAlmostEqual(found["held_out"]["measures"]["accuracy"]["mean"], elsewhere, delta=0.06)
        self.assertGreater(elsewhere, 0.9)

    def test_missing_values_are_no_obstacle(self):
        lines = ["a,b,y"]
        for i in range(200):
            a = (i * 37 % 200) / 100 - 1
            lines.append("%s,%s,%s" % ("" if i % 9 == 0 else a, (i * 53 % 200) / 100 - 1, "p" if a > 0 else "n"))
        self.file("holes.csv", "\n".join(lines) + "\n")
        done = self.ok("auto", "holes.csv", "-o", "holes.mercer")
        self.assertIn("missing", done)
        self.assertIn("23 values", done)
        self.assertIn("--missing", self.refused("auto", "holes.csv", "--missing", "error", "-o", "x.mercer"))

    def test_few_rows_are_measured_in_parts(self):
        text = self.ok("auto", "moons.csv")
        self.assertIn("each fifth of the rows in turn", text)
        self.assertIn("why", text)


if __name__ == "__main__":
    unittest.main()
