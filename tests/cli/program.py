"""Runs the program the way a user does."""

import json
import os
import subprocess

MERCER = os.environ["MERCER"]


def run(*words, **options):
    """The finished process, with text output; never raises for an exit code."""
    return subprocess.run([MERCER, *words], capture_output=True, text=True, timeout=60, **options)


def run_json(*words):
    """The exit code and the parsed answer of a call with --json."""
    done = run(*words, "--json")
    return done.returncode, json.loads(done.stdout)
