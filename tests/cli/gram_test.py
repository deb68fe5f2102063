#!/usr/bin/env python3
"""mercer gram: values, files and mistakes."""

import gzip
import json
import math
import os
import signal
import struct
import subprocess
import time
import unittest

from program import MERCER, Files, run


class Gram(Files):
    def run_program(self, *words):
        return run(*words, cwd=self.folder)

    def ok(self, *words):
        done = self.run_program(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def points(self, name="points.csv", offset=0):
        rows = [(offset + (i * 37 % 11) / 7, offset + (i * 53 % 13) / 5) for i in range(70)]
        text = "".join(f"{a!r},{b!r}\n" for a, b in rows)
        self.file(name, text)
        return [tuple(float(v) for v in line.split(",")) for line in text.split()]

    def matrix(self, path):
        data = self.content(path)
        self.assertEqual(data[:6], b"\x93NUMPY")
        size = struct.unpack("<H", data[8:10])[0]
        header = data[10:10 + size].decode()
        kind = "f" if "<f4" in header else "d"
        width = 4 if kind == "f" else 8
        numbers = struct.unpack(f"<{(len(data) - 10 - size) // width}{kind}", data[10 + size:])
        return header, numbers

    def test_values_are_the_kernels(self):
        rows = self.points()
        self.ok("gram", "rbf(0.5)", "points.csv", "--no-labels", "-o", "K.npy")
        header, K = self.matrix("K.npy")
        self.assertIn("(70, 70)", header)
        for i in range(70):
            for j in range(70):
                exact = math.exp(-0.5 * sum((a - b) ** 2 for a, b in zip(rows[i], rows[j])))
                self.assertAlmostEqual(K[i * 70 + j], exact, delta=1e-5)

    def test_far_from_the_origin_and_in_double(self):
        rows = self.points(offset=10000)
        self.ok("gram", "laplacian(1)", "points.csv", "--no-labels", "-o", "K.npy",
                "--precision", "double")
        header, K = self.matrix("K.npy")
        self.assertIn("<f8", header)
        for i in range(70):
            exact = math.exp(-sum(abs(a - b) for a, b in zip(rows[i], rows[3])))
            self.assertAlmostEqual(K[i * 70 + 3], exact, delta=1e-12)

    def test_between_two_files_in_any_format(self):
        self.file("train.libsvm", "1 1:1 3:2\n-1 2:1\n1\n")
        self.file("test.libsvm.gz", gzip.compress(b"1 1:3\n-1 2:0.5 3:1\n"))
        done = self.ok("gram", "linear", "train.libsvm", "--with", "test.libsvm.gz", "--json")
        answer = json.loads(done.stdout)
        self.assertEqual(answer["corner"], [[3, 2], [0, 0.5], [0, 0]])
        self.assertEqual((answer["rows"], answer["columns"]), (3, 2))

    def test_the_same_on_every_instruction_set_and_number_of_threads(self):
        self.points()
        version = json.loads(self.ok("--version", "--json").stdout)
        for name in version["instructions"]["available"]:
            for threads in ("1", "2"):
                done = self.ok("gram", "rbf(1)*poly(2)", "points.csv", "--no-labels", "--json",
                               "--isa", name, "--threads", threads)
                answer = json.loads(done.stdout)
                self.assertEqual(answer["instructions"], name)
                self.assertAlmostEqual(answer["corner"][0][0], 1, delta=1e-5)

    def test_text_files(self):
        self.points()
        self.ok("gram", "linear", "points.csv", "--no-labels", "-o", "K.csv")
        lines = self.content("K.csv").decode().splitlines()
        self.assertEqual((len(lines), len(lines[0].split(","))), (70, 70))

    def test_columns_by_name(self):
        self.file("named.csv", "age,height,class\n1,2,a\n3,4,b\n")
        answer = json.loads(self.ok("gram", 'linear["height"]', "named.csv", "--json").stdout)
        self.assertEqual(answer["corner"], [[4, 8], [8, 16]])

    def test_an_interrupt_leaves_nothing_behind(self):
        self.file("many.csv", "".join(f"{i % 97},{i % 89}\n" for i in range(9000)))
        child = subprocess.Popen([MERCER, "gram", "matern(0.8)", "many.csv", "--no-labels",
                                  "-o", "K.csv"], cwd=self.folder, stderr=subprocess.PIPE)
        time.sleep(1)
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGINT)
        _, text = child.communicate(timeout=20)
        self.assertEqual((child.returncode, text), (130, b"\nmercer: interrupted\n"))
        self.assertEqual(os.listdir(self.folder), ["many.csv"])

    def test_mistakes(self):
        self.points()
        self.file("there.npy", "old")
        for words, part in [
                (["log(x.z - 5)", "points.csv", "--no-labels"], "rows 1 and"),
                (["rbf(gamma=?)", "points.csv", "--no-labels"], "open parameter"),
                (["x3*z3", "points.csv", "--no-labels"], "coordinate 3"),
                (['linear["age"]', "points.csv", "--no-labels"], "names columns"),
                (["linear", "points.csv", "--no-labels", "-o", "K.libsvm"], ".npy, .csv or .tsv"),
                (["linear", "points.csv", "--no-labels", "-o", "K.foo"],
                 "written as .npy, .csv or .tsv"),
                (["linear", "points.csv", "--no-labels", "-o", "there.npy"], "--force"),
                (["linear", "points.csv", "--no-labels", "--isa", "abacus"], "this machine has"),
                (["linear", "absent.csv"], "absent.csv"),
        ]:
            with self.subTest(words=words):
                done = self.run_program("gram", *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(part, done.stderr)
        self.assertEqual(self.content("there.npy"), b"old")
        self.assertFalse(os.path.exists(self.path("K.libsvm")))


if __name__ == "__main__":
    unittest.main()
