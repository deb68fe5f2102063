#!/usr/bin/env python3
"""Installs the build into a fresh prefix and uses it from a project outside.

Environment: MERCER_BUILD (build folder), MERCER_VERSION, CMAKE, CXX.
"""

import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
CMAKE = os.environ.get("CMAKE", "cmake")
BUILD = Path(os.environ["MERCER_BUILD"])


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **options)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {result.returncode}\n"
                             f"{result.stdout}")
    return result.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        # The prefix is moved after installing: a package that remembers where it was
        # installed, or built, does not survive that.
        first = Path(cls.folder.name) / "first"
        run(CMAKE, "--install", BUILD, "--prefix", first)
        cls.prefix = Path(cls.folder.name) / "prefix"
        first.rename(cls.prefix)

    def test_outside_project(self):
        build = Path(self.folder.name) / "outside"
        run(CMAKE, "-S", HERE / "outside", "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF",
            "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_COMPILER={os.environ.get('CXX', 'c++')}")
        run(CMAKE, "--build", build)
        text, value = run(build / "outside").splitlines()
        self.assertEqual(text, "rbf(0.5)*poly(2) + 0.1*linear")
        # x = (1, 2), z = (3, 4): exp(-|x - z|^2 / 2) (x.z + 1)^2 + 0.1 x.z
        self.assertAlmostEqual(float(value), math.exp(-4) * 144 + 1.1, delta=1e-12)

    def test_package_asks_for_nothing_else(self):
        for path in self.prefix.rglob("*.cmake"):
            text = path.read_text()
            for name in ("Boost", "nlohmann", "CLI11", str(BUILD)):
                self.assertNotIn(name, text, path)

    def test_program(self):
        self.assertIn(os.environ["MERCER_VERSION"],
                      run(self.prefix / "bin" / "mercer", "--version"))

    def test_completion(self):
        share = self.prefix / "share"
        for shell, path in (("bash", share / "bash-completion/completions/mercer"),
                            ("zsh", share / "zsh/site-functions/_mercer")):
            with self.subTest(shell=shell):
                script = run(self.prefix / "bin" / "mercer", "completion", shell)
                self.assertEqual(path.read_text(), script)


if __name__ == "__main__":
    unittest.main()
