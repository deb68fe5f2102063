"""Runs the program the way a user does."""

import json
import os
import subprocess
import tempfile
import unittest

MERCER = os.environ["MERCER"]


class Files(unittest.TestCase):
    """With a folder of its own for each test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, content):
        with open(self.path(name), "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)


class Commands(Files):
    """Commands in that folder."""

    def call(self, *words, **options):
        return run(*words, cwd=self.folder, **options)

    def ok(self, *words):
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def answer(self, *words):
        return json.loads(self.ok(*words, "--json"))


def run(*words, **options):
    """The finished process, with text output; never raises for an exit code."""
    return subprocess.run([MERCER, *words], capture_output=True, text=True, timeout=60, **options)


def run_json(*words):
    """The exit code and the parsed answer of a call with --json."""
    done = run(*words, "--json")
    return done.returncode, json.loads(done.stdout)
