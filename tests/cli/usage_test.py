#!/usr/bin/env python3
"""Calls that are wrong: one line that names the option and what it takes, and JSON where asked."""

import json
import unittest

from program import Files, run


class Usage(Files):
    def setUp(self):
        super().setUp()
        run("make", "moons", "--n", "60", "-o", "d.csv", cwd=self.folder)

    def refused(self, *words):
        done = run(*words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertNotIn("Could not convert", done.stderr)
        return done.stderr

    def test_counts(self):
        perceptron = ("train", "d.csv", "--learner", "perceptron")
        gd = ("train", "d.csv", "--learner", "gd")
        for words, option, values in (
            (perceptron, "--passes", ("-1", "0", "1.5", "1e3", "many", "", "99999999999999999999")),
            (perceptron, "--budget", ("-1", "0", "x")),
            (gd, "--batch", ("-3", "0", "2.5")),
            (gd, "--eigenvectors", ("-2", "x")),
            (("train", "d.csv"), "--seed", ("-1", "0x10", "1.0")),
            (("train", "d.csv"), "--threads", ("-1", "0", "5000")),
            (("make", "moons"), "--n", ("-5", "0")),
            (("make", "moons"), "--seed", ("-1",)),
            (("make", "blobs"), "--classes", ("-1", "0")),
            (("make", "blobs"), "--dim", ("-1", "0")),
            (("kernel", "x.z"), "--dim", ("-1", "0")),
            (("prove", "x.z"), "--dim", ("-1", "0")),
            (("features", "x.z"), "--terms", ("-1", "0")),
            (("separable", "d.csv", "--smallest-map"), "--max-degree", ("-1", "0", "31")),
            (("gram", "x.z", "d.csv"), "--threads", ("-1", "0")),
        ):
            for value in values:
                for call in ((option, value), (f"{option}={value}",)):
                    if value == "" and len(call) == 1:
                        continue
                    self.assertIn(f"{option}: '{value}' is not a whole number",
                                  self.refused(*words, *call))

    def test_options_of_other_learners(self):
        for learner, option in (("ridge", ("--passes", "3")), ("ridge", ("--order", "cyclic")),
                                ("ridge", ("--budget", "3")), ("gd", ("--order", "shuffled")),
                                ("perceptron", ("--batch", "3"))):
            self.assertIn(f"{option[0]} is for --learner",
                          self.refused("train", "d.csv", "--learner", learner, *option))

    def test_in_words(self):
        for words, part in (
            (("train", "d.csv", "--lambda", "x"), "--lambda: 'x' is no number"),
            (("train", "d.csv", "--lambda"), "--lambda needs a value"),
            (("train", "d.csv", "--lambda", "1", "--lambda", "2"),
             "--lambda is given more than once"),
            (("train", "d.csv", "--learner", "rigde"), "did you mean 'ridge'?"),
            (("train", "d.csv", "--learner", "tree"), "'tree' is none of perceptron, gd"),
            (("train", "d.csv", "--offset", "--no-offset"), "do not go together"),
            (("prove", "x.z", "--timeout", "0"), "'0' is not a number from 0.001 to"),
            (("convert", "d.csv", "e.csv", "--to", "xls"), "'xls' is none of libsvm, csv"),
        ):
            self.assertIn(part, self.refused(*words))

    def test_json(self):
        for words in (("train",), ("train", "d.csv", "--passes", "-1"), ("kernl",),
                      ("kernel", "x.z", "--dmi", "2"), ("train", "d.csv", "--lambda", "x")):
            done = run(*words, "--json", cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            message = json.loads(done.stdout)["error"]["message"]
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
