#!/usr/bin/env python3
"""mercer train --checkpoint: killed at any moment, the same command goes on, and the model is the same
to the last byte. MERCER_LONG=1: more kills."""

import os
import random
import signal
import subprocess
import time
import unittest

from program import MERCER, Commands

KILLS = 12 if os.environ.get("MERCER_LONG") else 2


class Checkpoints(Commands):
    def setUp(self):
        super().setUp()
        self.rows(2100)
        self.classes = ["data.csv", "--label", "class", "--ignore", "value"]
        self.numbers = ["data.csv", "--label", "value", "--ignore", "class"]

    def rows(self, count):
        rng = random.Random(1)
        lines = ["a,b,c,class,value"]
        for _ in range(count):
            point = [rng.gauss(0, 1) for _ in range(3)]
            ring = int(sum(v * v for v in point) * 0.7) if rng.random() < 0.8 else rng.randrange(4)
            value = sum(point) + rng.gauss(0, 0.3)
            lines.append(",".join(f"{v:.6f}" for v in point) + f",{'wxyz'[min(ring, 3)]},{value:.6f}")
        self.file("data.csv", "\n".join(lines) + "\n")

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def there(self, name):
        return os.path.exists(self.path(name))

    def stamp(self, name):
        try:
            facts = os.stat(self.path(name))
        except FileNotFoundError:
            return None
        return facts.st_ino, facts.st_mtime_ns

    def killed_after(self, writings, words, most=60):
        """Runs, and kills it once the checkpoint was written so often; whether it had to be killed."""
        with subprocess.Popen([MERCER, *words], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            seen, count, end = self.stamp("state"), 0, time.monotonic() + most
            while process.poll() is None and count < writings and time.monotonic() < end:
                now = self.stamp("state")
                if now is not None and now != seen:
                    seen, count = now, count + 1
            process.send_signal(signal.SIGKILL)
            out, err = process.communicate()
            self.assertIn(process.returncode, (0, -signal.SIGKILL), err)
            return process.returncode != 0

    def goes_on(self, *words):
        """Kills after the first writing, the second, …, then lets it end."""
        for file in ("plain", "model", "state"):
            if self.there(file):
                os.remove(self.path(file))
        words = ["train", *words]
        self.ok(*words, "-o", "plain")
        with_it = [*words, "--checkpoint", "state", "--checkpoint-every", "0.005", "-o", "model"]
        resumed = 0
        for kill in range(KILLS):
            if self.there("model"):
                break
            resumed += self.killed_after(kill % 5 + 1, with_it) and self.there("state")
        if not self.there("model"):
            self.assertEqual("resumed" in self.ok(*with_it), resumed > 0)
        self.assertEqual(self.bytes("plain"), self.bytes("model"))
        # A kill may have fallen between the model and the end of its checkpoint.
        leftover = {"state"} if resumed and self.there("state") else set()
        self.assertEqual(set(os.listdir(self.folder)) - leftover, {"data.csv", "plain", "model"})
        return resumed

    def test_it_is_written_once_a_minute_where_nothing_is_said(self):
        words = ["train", *self.classes, "-k", "rbf(1)", "-C", "10", "--checkpoint", "state", "-o", "model"]
        # Not killed: it ends by itself, after far less than a minute.
        self.assertFalse(self.killed_after(1, words, most=50))
        self.assertTrue(self.there("model"))

    def test_the_model_is_the_same_after_any_kill(self):
        problems = {
            "pairs": [*self.classes, "-k", "rbf(1)", "-C", "10"],
            "rest": [*self.classes, "-k", "rbf(1)", "-C", "10", "--multiclass", "rest"],
            "probabilities": [*self.classes, "-k", "rbf(1)", "-C", "10", "--probability"],
            "nu": [*self.classes, "-k", "rbf(1)", "--nu", "0.2"],
            "regression": [*self.numbers, "--learner", "svm", "-k", "rbf(1)", "--tolerance", "1e-6"],
            "one class": [*self.classes, "--task", "one-class", "-k", "rbf(1)"],
            "chosen": self.classes,
        }
        for name, words in problems.items():
            with self.subTest(name):
                self.rows(2100)
                resumed = self.goes_on(*words)
                if name in ("pairs", "rest", "chosen"):
                    # The faster the machine, the more it takes for a kill to come in time.
                    for count in (4200, 8400, 16800, 33600):
                        if resumed > 0:
                            break
                        self.rows(count)
                        resumed = self.goes_on(*words)
                    self.assertGreater(resumed, 0, "it was never killed: the test is too small")

    def test_any_moment(self):
        words = ["train", *self.classes]
        self.ok(*words, "-o", "plain")
        with_it = [*words, "--checkpoint", "state", "--checkpoint-every", "0.01", "-o", "model"]
        rng = random.Random()
        for _ in range(KILLS):
            with subprocess.Popen([MERCER, *with_it], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                time.sleep(0.3 * rng.random())
                process.kill()
                process.communicate()
            if self.there("model"):
                break
        if not self.there("model"):
            self.ok(*with_it)
        self.assertEqual(self.bytes("plain"), self.bytes("model"))

    def begun(self):
        """A checkpoint that a training out of time has left."""
        words = ["train", *self.classes, "-k", "rbf(1)", "-C", "100", "--multiclass", "rest",
                 "--checkpoint", "state", "-o", "model"]
        done = self.call(*words, "--time-limit", "1e-9")
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        out = done.stdout
        self.assertIn("stopped after 1e-09 s: optimality is violated by", out)
        self.assertIn("checkpoint  state: the same command with --force goes on", out)
        return words

    def test_out_of_time_it_goes_on_later(self):
        words = self.begun()
        self.ok("train", *self.classes, "-k", "rbf(1)", "-C", "100", "--multiclass", "rest",
                "-o", "plain")
        self.assertNotEqual(self.bytes("plain"), self.bytes("model"))
        self.assertIn("is there already; --force", self.call(*words).stderr)
        answer = self.answer(*words, "--force")
        self.assertTrue(answer["resumed"])
        self.assertEqual(self.bytes("plain"), self.bytes("model"))
        self.assertFalse(self.there("state"))

    def refused(self, words, *texts):
        before = self.bytes("state")
        done = self.call(*words)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertEqual(self.bytes("state"), before)

    def test_of_another_training_it_is_refused(self):
        words = [*self.begun(), "--force"]
        for more, text in [(["--tolerance", "0.01"], "tolerance: '0.001', now '0.01'"),
                           (["--seed", "3"], "seed"), (["--scale", "none"], "other data"),
                           (["--class-weight", "w=2"], "other class weights"),
                           (["--memory", "7"], "memory"), (["--probability"], "probability"),
                           (["--precision", "double"], "precision"), (["--moves", "9"], "moves")]:
            self.refused([*words, *more], "state: is the checkpoint of another training", text,
                         "remove this one")
        words[words.index("rest")] = "pairs"
        self.refused(words, "multiclass: 'rest', now 'pairs'")
        words[words.index("100")] = "10"
        self.refused(words, "C: '100', now '10'")
        words[words.index("rbf(1)")] = "rbf(2)"
        self.refused(words, "kernel: 'rbf(1)', now 'rbf(2)'")
        with open(self.path("data.csv"), "a", encoding="ascii") as file:
            file.write("1,2,3,w,4\n")
        self.refused(words, "C: '100', now '10'; other data; other encoding; and 2 more")

    def test_what_is_no_checkpoint_is_refused_and_stays(self):
        words = [*self.begun(), "--force"]
        whole = self.bytes("state")
        self.file("state", whole[:-5])
        self.refused(words, "state: the checkpoint is truncated")
        self.file("state", whole[:-5] + b"12345")
        self.refused(words, "state: the checkpoint is corrupted: its checksum is another")
        self.file("state", "my diary\n")
        self.refused(words, "state: this is not a checkpoint of mercer")
        self.file("state", b"")
        self.refused(words, "state: the file is empty")
        self.file("state", self.bytes("model"))
        self.refused(words, "state: this is not a checkpoint of mercer")

    def test_options_that_do_not_go_together(self):
        for words, text in [(["--checkpoint-every", "3"], "--checkpoint"),
                            (["--checkpoint", "s", "--learner", "ridge"],
                             "--checkpoint is for --learner svm, and this is ridge"),
                            (["--checkpoint", "data.csv"], "data.csv is read"),
                            (["--checkpoint", "m", "-o", "m"], "would be written twice"),
                            (["--checkpoint", "."], "not an ordinary file"),
                            (["--checkpoint", "none/s"], "there is no folder none"),
                            (["--checkpoint", "s", "--checkpoint-every", "-1"], "-1")]:
            done = self.call("train", *self.classes, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(text, done.stderr)
            self.assertEqual(os.listdir(self.folder), ["data.csv"])


if __name__ == "__main__":
    unittest.main()
