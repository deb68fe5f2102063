"""mercer data, make and convert, and bad input of all kinds."""

import gzip
import json
import os
import struct
import subprocess
import unittest

from program import MERCER, Files, run, run_json

PEOPLE = "age,colour,class\n30,red,yes\n?,blue,no\n50,,yes\n40,red,no\n"


class DataFiles(Files):
    def text(self, name):
        with open(self.path(name)) as file:
            return file.read()


class Data(DataFiles):
    def test_describes(self):
        path = self.file("people.csv", PEOPLE)
        done = run("data", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("rows      4", "2 cells in 2 rows", '2 classes in "class"', "2 levels, 1 missing"):
            self.assertIn(part, done.stdout)
        code, answer = run_json("data", path)
        self.assertEqual((code, answer["format"], answer["rows"], answer["columns"]), (0, "csv", 4, 2))
        self.assertEqual(answer["labels"]["classes"], [{"name": "no", "rows": 2}, {"name": "yes", "rows": 2}])
        self.assertEqual(answer["missing"], {"cells": 2, "rows": 2})

    def test_formats_by_content(self):
        libsvm = b"1 1:2 3:1\n-1 2:1\n"
        for name, content, expected in (
            ("a.csv", libsvm, ("libsvm", False)),
            ("a.npy", gzip.compress(libsvm), ("libsvm", True)),
            ("a.libsvm", b"1\t2\ta\n3\t4\tb\n", ("tsv", False)),
        ):
            _, answer = run_json("data", self.file(name, content))
            self.assertEqual((answer["format"], answer["gzip"]), expected)

    def test_suspicions(self):
        rows = "".join(f"{i},5,{i % 3},{i % 3},{'ab'[i % 2]}\n" for i in range(30))
        _, answer = run_json("data", self.file("s.csv", rows))
        self.assertEqual([s["kind"] for s in answer["suspicions"]], ["constant", "duplicate", "id"])
        self.assertEqual(answer["suspicions"][1]["columns"], [3, 4])

    def test_more_than_fits_into_memory_is_told(self):
        if os.environ.get("MERCER_SANITIZE"):
            self.skipTest("sanitizers need memory of their own")
        path = self.file("wide.libsvm", "1 2147483647:2\n-1 5:1\n")
        limited = subprocess.run(["bash", "-c", 'ulimit -v 4000000; "$0" data "$1"', MERCER, path],
                                 capture_output=True, text=True, timeout=60)
        self.assertEqual((limited.returncode, limited.stdout), (2, ""))
        self.assertEqual(limited.stderr, "mercer data: there is not enough memory for this\n")
        done = run("convert", path, self.path("out.csv"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("write .libsvm", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["wide.libsvm"])

    def test_a_million_columns(self):
        path = self.file("wide.libsvm", "1 1:1 1000000:2\n-1 500000:1\n")
        done = run("data", path)
        self.assertEqual(done.returncode, 0)
        self.assertIn("columns   1000000", done.stdout)


class Make(DataFiles):
    def test_all(self):
        for kind in ("moons", "rings", "xor", "spirals", "ellipse", "blobs"):
            for ending in ("csv", "libsvm", "tsv.gz", "npy"):
                out = self.path(f"{kind}.{ending}")
                done = run("make", kind, "--n", "31", "-o", out)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                _, answer = run_json("data", out)
                self.assertEqual((answer["rows"], answer["columns"]), (31, 2))
        self.assertEqual(run("make", "moons").stdout, run("make", "moons", "--seed", "0").stdout)
        self.assertNotEqual(run("make", "moons").stdout, run("make", "moons", "--seed", "1").stdout)
        self.assertEqual(len(run("make", "blobs", "--classes", "3", "--dim", "5", "--n", "9").stdout.splitlines()), 10)

    def test_the_same_everywhere(self):
        self.assertEqual(run("make", "xor", "--n", "2").stdout.splitlines()[0], "x1,x2,label")

    def test_the_ellipse_is_separable_by_its_monomials(self):
        out = self.path("e.csv")
        run("make", "ellipse", "--n", "40", "-o", out)
        self.assertEqual(run("separable", out, "--map", "[x1,x2,x1*x2,x1^2,x2^2]").returncode, 0)
        self.assertEqual(run("separable", out, "--map", "[x1,x2]").returncode, 1)

    def test_mistakes(self):
        there = self.file("there.csv", "kept\n")
        for words, part in (
            (["moon"], "did you mean 'moons'?"),
            (["moons", "--classes", "3"], "3 classes are not made"),
            (["moons", "--noise", "-1"], "the noise is -1"),
            (["moons", "-o", there], "--force"),
            (["moons", "-o", self.path("a.json")], "expected .libsvm, .csv"),
            (["moons", "--json"], "--json needs a file"),
        ):
            done = run("make", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(part, done.stderr)
        self.assertEqual(self.text("there.csv"), "kept\n")


class Convert(DataFiles):
    def test_there_and_back(self):
        source = self.path("a.csv")
        run("make", "blobs", "--classes", "3", "--dim", "4", "--n", "50", "-o", source)
        chain = ["a.libsvm", "b.tsv.gz", "c.npy", "d.libsvm.gz", "e.npy.gz", "f.csv"]
        before = source
        for name in chain:
            done = run("convert", before, self.path(name))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            before = self.path(name)
        rows = self.text("a.csv").splitlines()[1:]
        self.assertEqual(self.text("f.csv").splitlines(), rows)

    def test_missing(self):
        path = self.file("people.csv", PEOPLE)
        done = run("convert", path, "-")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("people.csv:3:1: column 'age': a value is missing", done.stderr)
        self.assertEqual(run("convert", path, "-", "--missing", "drop").stdout,
                         "age,colour=red,class\n30,1,yes\n40,1,no\n")
        self.assertEqual(run("convert", path, "-", "--missing", "mean", "--to", "libsvm").stdout,
                         "1 1:30 3:1\n-1 1:40 2:1\n1 1:50 3:1\n-1 1:40 3:1\n")
        self.assertEqual(run("convert", path, "-", "--missing", "indicator").stdout.splitlines()[0],
                         'age,"age missing",colour=blue,colour=red,"colour missing",class')
        code, answer = run_json("convert", path, self.path("p.libsvm"), "--missing", "mean")
        self.assertEqual((code, answer["filled"], answer["classes"]), (0, 2, {"no": "-1", "yes": "1"}))

    def test_columns(self):
        path = self.file("c.csv", "id,zone,n,y\n7,1,2.5,a\n8,2,4.5,b\n")
        done = run("convert", path, "-", "--ignore", "id", "--categorical", "zone", "--scale", "minmax")
        self.assertEqual(done.stdout, "zone=1,zone=2,n,y\n1,0,0,a\n0,1,1,b\n")
        done = run("convert", path, "-", "--label", "n", "--ignore", "y,id")
        self.assertEqual(done.stdout, "zone,n\n1,2.5\n2,4.5\n")
        done = run("convert", path, "-", "--weight", "n", "--ignore", "id")
        self.assertEqual(done.stdout, "zone,weight,y\n1,2.5,a\n2,4.5,b\n")

    def test_what_the_format_has_no_place_for_is_told(self):
        weights = self.file("w.csv", "a,w,y\n1,2,3\n4,5,6\n")
        groups = self.file("g.libsvm", "1 qid:3 1:2\n-1 qid:4 1:3\n")
        for path, to, part in ((weights, "libsvm", "the weights are left out"),
                               (weights, "npy", "the weights are left out"), (weights, "csv", ""),
                               (groups, "csv", "the groups (qid) are left out"),
                               (groups, "libsvm", "")):
            more = ("--weight", "w") if path == weights else ()
            out = self.path("out." + to)
            done = run("convert", path, out, "--force", *more)
            self.assertEqual(done.returncode, 0)
            if part:
                self.assertIn("note: " + part, done.stderr)
            else:
                self.assertEqual(done.stderr, "")
            _, answer = run_json("convert", path, out, "--force", *more)
            self.assertEqual(len(answer["notes"]), 1 if part else 0)
        done = run("convert", groups, "-")
        self.assertEqual(done.stdout, "2,1\n3,-1\n")
        self.assertIn("qid", done.stderr)

    def test_names_of_columns_in_kernels(self):
        path = self.file("k.csv", "size,colour,y\n1,red,a\n2,blue,b\n3,green,a\n")
        done = run("separable", path, "-k", 'linear["colour"]')
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_nothing_half_written(self):
        path = self.file("t.csv", "1,a\n2,b\n")
        self.assertEqual(run("convert", path, self.path("t.npy")).returncode, 2)
        self.assertEqual(run("convert", path, self.path("no/t.csv")).returncode, 2)
        self.assertEqual(os.listdir(self.folder), ["t.csv"])


def npy(shape, numbers, descr="<f8"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(numbers)}d", *numbers)


class BadInput(DataFiles):
    # name, content, what is told; {} is the path
    TABLE = (
        ("nan.csv", "1,2,a\n3,nan,b\n", "{}:2:3: column 2: a value is missing"),
        ("inf.csv", "1,2,a\n3,inf,b\n", "{}:2:3: column 2: 'inf' is not a finite number"),
        ("nan.libsvm", "1 1:2\n1 1:2 2:nan\n", "{}:2:9: 'nan' is not a finite number"),
        ("inf.libsvm", "1 1:-inf\n", "{}:1:5: '-inf' is not a finite number"),
        ("nan.npy", npy("(2, 2)", [1, 2, float("nan"), 4]), "{}: row 2, column 1: nan is not"),
        ("order.libsvm", "1 2:1 1:1\n", "{}:1:7: '1:1': indices ascend within a line"),
        ("twice.libsvm", "1 2:1 2:1\n", "{}:1:7: '2:1': this index was there already"),
        ("zero.libsvm", "1 0:1 1:1\n", "{}:1:3: '0:1': indices begin at 1"),
        ("beyond.libsvm", "1 1:1 2147483648:1\n", "{}:1:7: '2147483648:1': the index is beyond"),
        ("ragged.csv", "1,2,a\n3,b\n", "{}:2:1: 2 cells in this line, 3 in the first"),
        ("long.csv", "1,2,a\n3,4,5,b\n", "{}:2:1: 4 cells in this line, 3 in the first"),
        ("empty.csv", "", "{}: the file is empty"),
        ("blank.csv", "\n\n", "{}: the file holds no data"),
        ("names.csv", "a,b,c\n", "{}: there are names of columns, but no rows"),
        ("comments.libsvm", "# 1:2\n", "{}"),
        ("junk.bin", bytes(range(256)), "{}:1:1: a control character (byte 0)"),
        ("cut.csv.gz", gzip.compress(b"1,2,a\n3,4,b\n")[:-9], "{}: the gzip data end early"),
        ("bad.csv.gz", b"\x1f\x8b\x08" + b"\x00" * 40, "{}: the gzip data are damaged"),
        ("cut.npy", npy("(2, 2)", [1, 2, 3]), "{}: the header promises 2 by 2 numbers"),
        ("label.csv", "1,2,a\n3,4,\n", "{}:2:5: column 3: the label is missing"),
        ("label.libsvm", "1 1:1\n1:2 2:3\n", "{}:2:1: the label is missing"),
        ("mixed.csv", "1,2,a\n3,x,b\n", "{}:2:3: column 2: 'x' is not a number, and 1 cell of this column is"),
        ("quote.csv", '1,"a\n2,b\n', "{}:1:3: a quote that is never closed"),
        ("zip.csv", b"PK\x03\x04....", "{}: this is a zip archive"),
        ("model.csv", b"\x89mercer\n\x01\x00\x00\x00", "{}: this is a model of mercer, where data"),
        ("utf16.csv", "1,2\n".encode("utf-16"), "{}: this is UTF-16 text"),
    )

    def test_one_line_and_exit_2(self):
        for name, content, told in self.TABLE:
            with self.subTest(name=name):
                path = self.file(name, content)
                out = self.path("out.csv")
                done = run("convert", path, out)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(told.format(path), done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertFalse(os.path.exists(out))

    def test_other_names_and_formats(self):
        text = self.file("a.csv", "1,2,a\n3,4,b\n")
        for words, told in ((("-",), "standard input is /dev/stdin"),
                            ((text, "--format", "npy"), "a.csv: this is not a .npy file")):
            done = run("data", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(told, done.stderr)

    def test_where_the_task_needs_labels(self):
        one = self.file("one.libsvm", "1 1:1\n1 1:2\n")
        done = run("separable", one, "-k", "linear")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is one class only, '1'", done.stderr)
        done = run("separable", one, "-k", "linear", "--no-labels")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there are no labels", done.stderr)


class Suspicions(DataFiles):
    def test_sizes_in_sparse_files(self):
        text = "".join(f"{i % 2} 1:{0.01 * (1 + i % 7)} {2 + i % 3}:{90 + i % 11}\n"
                       for i in range(60))
        done = run("data", self.file("a.libsvm", text))
        self.assertIn("columns 1 and 2 differ much in size (up to 0.07 and 100): scale them",
                      done.stdout)
        rare = "".join(f"{i % 2} 1:{1 + i % 7}" + (" 2:3" if i == 30 else "") + "\n"
                       for i in range(6000))
        self.assertIn("Nothing looks suspicious", run("data", self.file("b.libsvm", rare)).stdout)

    def test_many_of_a_kind_are_counted(self):
        text = "".join(f"{i % 2} " + " ".join(f"{2 * j + s}:{(i * j) % 47 + j}"
                                              for j in range(1, 31) for s in (0, 1)) + "\n"
                       for i in range(40))
        done = run("data", self.file("a.libsvm", text))
        self.assertEqual(done.stdout.count("is the same as column"), 5)
        self.assertIn('… and 25 more of the kind "duplicate"', done.stdout)
        answer = json.loads(run("data", self.path("a.libsvm"), "--json").stdout)
        self.assertEqual(len([s for s in answer["suspicions"] if s["kind"] == "duplicate"]), 30)

    def test_noise_that_leaves_no_number(self):
        for noise in ("1e308", "inf", "nan", "-1"):
            done = run("make", "moons", "--noise", noise)
            self.assertEqual((done.returncode, done.stdout), (2, ""), noise)
            self.assertIn("noise", done.stderr)
        self.assertNotIn("inf", run("make", "moons", "--noise", "1e300").stdout)


class OtherCommands(DataFiles):
    def test_separable_reads_every_format(self):
        csv = self.file("xor.csv", "0,0,-1\n0,1,1\n1,0,1\n1,1,-1\n")
        for name in ("xor.libsvm", "xor.npy", "xor.tsv.gz"):
            run("convert", csv, self.path(name))
            self.assertEqual(run("separable", self.path(name), "--map", "[x1,x2,x1*x2]").returncode, 0)
            self.assertEqual(run("separable", self.path(name), "--map", "[x1,x2]").returncode, 1)

    def test_check_gram_reads_numbers_alone(self):
        self.assertEqual(run("check-gram", self.file("K.csv.gz", gzip.compress(b"2,1\n1,2\n"))).returncode, 0)
        done = run("check-gram", self.file("K.csv", "2,red\n1,blue\n"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("K.csv:1:3: column 2: 'red' is not a number", done.stderr)


if __name__ == "__main__":
    unittest.main()
