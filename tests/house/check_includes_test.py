#!/usr/bin/env python3
"""check_includes.py must fail on a bad tree, and say where."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("check_includes.py")
ROOMS = "base:\nkernel: base\nproof: kernel\ndata: base\n"
GOOD = {
    "include/mercer/kernel.hpp": "#include <vector>\n#include <mercer/error.hpp>\n",
    "src/base/text.hpp": "#include <fmt/format.h>\n",
    "src/kernel/deep/expr.cpp": '#include "kernel/expr.hpp"\n#include "base/text.hpp"\n',
    "src/proof/rules.cpp": '#include "base/text.hpp"\n',
}


class CheckIncludes(unittest.TestCase):
    def run_on(self, extra=None, rooms=ROOMS):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**GOOD, **(extra or {})}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            (root / "rooms.txt").write_text(rooms)
            result = subprocess.run([sys.executable, SCRIPT, root, root / "rooms.txt"],
                                    capture_output=True, text=True)
        return result.returncode, result.stdout

    def assert_bad(self, said, extra=None, rooms=ROOMS):
        status, output = self.run_on(extra, rooms)
        self.assertEqual(status, 1, output)
        self.assertIn(said, output)

    def test_good_tree(self):
        status, output = self.run_on()
        self.assertEqual(status, 0, output)

    def test_upwards(self):
        self.assert_bad("src/base/a.cpp:2: base may not include",
                        {"src/base/a.cpp": '\n#include "kernel/expr.hpp"\n'})

    def test_sideways(self):
        self.assert_bad("kernel does not depend on data",
                        {"src/kernel/a.hpp": '#include "data/table.hpp"\n'})

    def test_room_in_angle_brackets(self):
        self.assert_bad("a header of a room", {"src/base/a.cpp": "#include <kernel/expr.hpp>\n"})

    def test_relative_path(self):
        self.assert_bad("does not begin with a room",
                        {"src/base/a.cpp": '#include "../kernel/expr.hpp"\n'})

    def test_macro(self):
        self.assert_bad("cannot be followed", {"src/base/a.cpp": "#include HEADER\n"})

    def test_undeclared_room(self):
        self.assert_bad("src/attic/a.cpp:1: not in the folder", {"src/attic/a.cpp": ""})

    def test_file_outside_rooms(self):
        self.assert_bad("src/a.cpp:1: not in the folder", {"src/a.cpp": ""})

    def test_public_header_with_third_party(self):
        self.assert_bad("include/mercer/a.hpp:1: a public header",
                        {"include/mercer/a.hpp": "#include <fmt/format.h>\n"})

    def test_public_header_with_private_header(self):
        self.assert_bad("a public header", {"include/mercer/a.hpp": '#include "base/text.hpp"\n'})

    def test_cycle(self):
        self.assert_bad("cycle base -> kernel -> base", rooms="base: kernel\nkernel: base\n"
                        "proof: kernel\ndata: base\n")

    def test_unknown_dependency(self):
        self.assert_bad("not a room", rooms=ROOMS + "look: gram\n")

    def test_comments_do_not_count(self):
        status, output = self.run_on({
            "src/base/a.cpp": '// #include "kernel/a.hpp"\n/*\n#include "kernel/b.hpp"\n*/\n'
                              'const char* url = "http://x/*";\n'})
        self.assertEqual(status, 0, output)


if __name__ == "__main__":
    unittest.main()
