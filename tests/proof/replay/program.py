"""Runs `mercer prove` and replays what it says."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import Any

from replay import Replay

LONG = bool(os.environ.get("MERCER_LONG"))  # thousands of random kernels, and more points


def judge(path: str, timeout: float = 10) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the answers to a file of statements."""
    done = subprocess.run(
        [os.environ["MERCER"], "prove", "--batch", path, "--json", "--timeout", str(timeout)],
        capture_output=True, text=True, timeout=1500, check=False)
    if done.returncode not in (0, 1, 2) or not done.stdout.startswith("{"):  # 2: a row in error
        raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
    return done.returncode, json.loads(done.stdout)["statements"]


def judge_lines(lines: list[str], timeout: float = 10) -> list[dict[str, Any]]:
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        return judge(file.name, timeout)[1]


def replayed(answers: list[dict[str, Any]], gram: int = 6) -> Replay:
    replay = Replay(*((15, 60) if LONG else (7, 18)), gram)
    for answer in answers:
        replay.statement(answer)
    return replay
