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


def run(*words, **options):
    """The finished process, with text output; never raises for an exit code."""
    return subprocess.run([MERCER, *words], capture_output=True, text=True, timeout=60, **options)


def run_json(*words):
    """The exit code and the parsed answer of a call with --json."""
    done = run(*words, "--json")
    return done.returncode, json.loads(done.stdout)
