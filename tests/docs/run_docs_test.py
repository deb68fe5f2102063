#!/usr/bin/env python3
"""run_docs.py must let true documents pass, and catch false ones with file and line."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("run_docs.py")
HEADER = "#pragma once\nnamespace mercer { inline int seven() { return 7; } }\n"


class RunDocs(unittest.TestCase):
    def run_on(self, document):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "include/mercer").mkdir(parents=True)
            (root / "include/mercer/mercer.hpp").write_text(HEADER)
            (root / "examples").mkdir()
            (root / "examples/data.txt").write_text("1 2\n3 4\n")
            (root / "bin").mkdir()
            (root / "bin/mercer").write_text('#!/bin/sh\necho "mercer $*"\n')
            (root / "bin/mercer").chmod(0o755)
            (root / "doc.md").write_text(document)
            result = subprocess.run(
                [sys.executable, SCRIPT, "--source", root, "--bin", root / "bin",
                 "--cxx", os.environ.get("CXX", "c++"), "--include", root / "include", "doc.md"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout

    def assert_good(self, document, said=""):
        status, output = self.run_on(document)
        self.assertEqual(status, 0, output)
        self.assertIn(said, output)

    def assert_bad(self, document, *said):
        status, output = self.run_on(document)
        self.assertEqual(status, 1, output)
        for text in said:
            self.assertIn(text, output)

    def test_nothing_to_run(self):
        self.assert_good("# Title\n\n```python\nnonsense(\n```\n", "doc.md: 0 run, 0 failed")

    def test_right_output(self):
        self.assert_good("```console\n$ mercer eval\nmercer eval\n\n$ cat examples/data.txt\n"
                         "1 2\n3 4\n```\n", "2 run")

    def test_wrong_output(self):
        self.assert_bad("text\n\n```console\n$ mercer eval\nmercer evil\n```\n",
                        "doc.md:4: $ mercer eval: the output differs",
                        "-mercer evil\n+mercer eval\n")

    def test_missing_and_surplus_output(self):
        self.assert_bad("```console\n$ mercer eval\n```\n", "+mercer eval")
        self.assert_bad("```console\n$ true\nhello\n```\n", "-hello")

    def test_stderr_counts(self):
        self.assert_bad("```console\n$ echo oops >&2\n```\n", "+oops")

    def test_any_lines(self):
        self.assert_good("```console\n$ seq 9\n1\n...\n8\n9\n$ seq 3\n...\n$ true\n...\n```\n")
        self.assert_bad("```console\n$ seq 9\n1\n...\n8\n```\n", "differs")

    def test_any_rest_of_line(self):
        self.assert_good("```console\n$ echo took 0.31 s\ntook …\n```\n")
        self.assert_bad("```console\n$ echo gave 0.31 s\ntook …\n```\n", "differs")

    def test_exit_status(self):
        self.assert_good("```console\n$ echo no; exit 2\nno\n[exit 2]\n```\n")
        self.assert_bad("```console\n$ exit 2\n```\n", "doc.md:2: $ exit 2: exit 2, documented 0")
        self.assert_bad("```console\n$ true\n[exit 1]\n```\n", "exit 0, documented 1")

    def test_shared_folder_and_cd(self):
        self.assert_good("```console\n$ mkdir a && cd a && echo hi > f\n```\ntext\n"
                         "```console\n$ cat f\nhi\n```\n")

    def test_long_commands(self):
        self.assert_good("```console\n$ echo a \\\n    b\na b\n$ cat <<E\n> x\n> y\n> E\nx\ny\n"
                         "```\n", "2 run")

    def test_indented_block(self):
        self.assert_good("1. first\n\n   ```console\n   $ printf 'a\\n  b\\n'\n   a\n     b\n"
                         "   ```\n", "1 run")

    def test_not_run_is_listed(self):
        self.assert_good("```console norun\n$ false\n```\n```console\n$ ./dev test\nall fine\n```\n"
                         "```cpp norun\nnonsense\n```\n",
                         "doc.md:1: not run: console block\ndoc.md:5: not run: ./dev test\n"
                         "doc.md:8: not run: cpp block\ndoc.md: 0 run, 0 failed, 3 not run")

    def test_unclosed_block(self):
        self.assert_bad("```console\n$ true\n", "doc.md:1: this block is never closed")

    def test_text_before_command(self):
        self.assert_bad("```console\nmercer eval\n```\n", "doc.md:2: a console block begins with")

    def test_program(self):
        body = "```cpp\n#include <mercer/mercer.hpp>\n#include <cstdio>\n" \
               'std::printf("%d\\n", seven());\n```\n\n```text output\n{}\n```\n'
        self.assert_good(body.format(7), "1 run")
        self.assert_bad(body.format(8), "doc.md:2: program: the output differs", "-8\n+7")

    def test_whole_program(self):
        self.assert_good("```cpp\n#include <mercer/mercer.hpp>\n"
                         "int main() { return mercer::seven() - 7; }\n```\n", "1 run")

    def test_program_that_does_not_compile(self):
        self.assert_bad("```cpp\n#include <mercer/mercer.hpp>\n\nint x = eight();\n```\n",
                        "doc.md:2: this does not compile", "doc.md:4:")

    def test_program_that_fails(self):
        self.assert_bad("```cpp\nint main() { return 3; }\n```\n", "the program ends with exit 3")


if __name__ == "__main__":
    unittest.main()
