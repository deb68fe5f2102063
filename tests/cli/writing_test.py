#!/usr/bin/env python3
"""Outputs never destroy inputs, nor each other, whatever they are called and whatever --force says."""

import os
import unittest

from program import Files, run


class Writing(Files):
    def call(self, *words):
        return run(*words, cwd=self.folder)

    def ok(self, *words):
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def contents(self):
        found = {}
        for name in sorted(os.listdir(self.folder)):
            if os.path.isfile(self.path(name)):
                with open(self.path(name), "rb") as file:
                    found[name] = file.read()
        return found

    def refused(self, words, part):
        before = self.contents()
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.assertIn(part, done.stderr, words)
        self.assertEqual(len(done.stderr.splitlines()), 1, words)
        self.assertEqual(self.contents(), before, words)

    def test_outputs_that_are_inputs(self):
        self.ok("make", "moons", "--n", "60", "-o", "d.csv")
        self.ok("train", "d.csv", "-o", "m.mercer")
        self.file("labels.csv", "1\n" * 60)
        self.file("K.csv", "1,2\n2,1\n")
        os.symlink("d.csv", self.path("link.csv"))
        os.link(self.path("d.csv"), self.path("hard.csv"))
        os.mkdir(self.path("sub"))
        os.symlink(self.folder, self.path("sub/up"))
        for name in ("d.csv", "./d.csv", "link.csv", "hard.csv", "sub/../d.csv", "sub/up/d.csv",
                     self.path("d.csv")):
            for words in (("train", "d.csv", "--trace", name), ("train", "d.csv", "-o", name),
                          ("predict", "m.mercer", "d.csv", "-o", name),
                          ("convert", "d.csv", name), ("gram", "rbf(1)", "d.csv", "-o", name),
                          ("gram", "rbf(1)", "hard.csv", "--with", "d.csv", "-o", name)):
                self.refused((*words, "--force"), "is read, so it cannot be written")
        for words in (("predict", "m.mercer", "d.csv", "-o", "m.mercer", "--to", "csv"),
                      ("train", "d.csv", "--labels", "labels.csv", "-o", "labels.csv"),
                      ("convert", "d.csv", "labels.csv", "--labels", "labels.csv"),
                      ("check-gram", "K.csv", "--repair", "clip", "-o", "K.csv")):
            self.refused((*words, "--force"), "is read, so it cannot be written")

    def test_outputs_that_are_each_other(self):
        self.ok("make", "moons", "--n", "60", "-o", "d.csv")
        os.symlink("x.mercer", self.path("link"))
        for trace in ("x.mercer", "./x.mercer", "link"):
            self.refused(("train", "d.csv", "-o", "x.mercer", "--trace", trace, "--force"),
                         "would be written twice")
        self.refused(("train", "d.csv", "--trace", "d.mercer"), "would be written twice")

    def test_what_is_no_file(self):
        self.ok("make", "moons", "--n", "60", "-o", "d.csv")
        os.mkdir(self.path("folder.csv"))
        os.mkfifo(self.path("pipe.csv"))
        for name in ("folder.csv", "pipe.csv"):
            self.refused(("convert", "d.csv", name, "--force"), "not an ordinary file")

    def test_a_trace_replaces_another_when_it_is_whole(self):
        self.ok("make", "moons", "--n", "60", "-o", "d.csv")
        self.file("t.jsonl", "mine")
        train = ("train", "d.csv", "--learner", "gd", "--trace", "t.jsonl", "--force")
        self.refused((*train, "--label", "nothing"), "nothing")
        self.refused((*train, "-k", "log(x.z)"), "rows")
        before = self.contents()
        self.assertIn("diverged", self.call(*train, "--step", "1e9").stderr)
        self.assertEqual(self.contents(), before)
        self.ok(*train)
        self.assertIn(b'{"pass":1,', self.contents()["t.jsonl"])
        self.assertEqual(sorted(self.contents()), ["d.csv", "d.mercer", "t.jsonl"])

    def test_what_is_replaced_keeps_its_mode_and_links_stay_links(self):
        self.ok("make", "moons", "--n", "60", "-o", "d.csv")
        self.ok("train", "d.csv", "-C", "1", "-o", "m.mercer")
        os.chmod(self.path("m.mercer"), 0o600)
        os.symlink("m.mercer", self.path("latest.mercer"))
        before = self.contents()["m.mercer"]
        self.ok("train", "d.csv", "-C", "2", "-o", "latest.mercer", "--force")
        self.assertTrue(os.path.islink(self.path("latest.mercer")))
        self.assertEqual(os.stat(self.path("m.mercer")).st_mode & 0o777, 0o600)
        self.assertNotEqual(self.contents()["m.mercer"], before)

    def test_a_new_trace_is_there_with_or_without_steps(self):
        self.ok("make", "moons", "--n", "60", "-o", "d.csv")
        self.refused(("train", "d.csv", "-k", "log(x.z)", "--trace", "t.jsonl"), "rows")
        self.ok("train", "d.csv", "--trace", "t.jsonl")
        self.assertIn("t.jsonl", self.contents())


if __name__ == "__main__":
    unittest.main()
