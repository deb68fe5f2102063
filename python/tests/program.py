"""The program of the same build, for tests that both say the same."""

import subprocess
from pathlib import Path

import mercer
import pytest

ROOT = Path(__file__).parents[2]
PLACES = [Path(mercer.__file__).parents[2] / "bin", ROOT / "build" / "release" / "bin"]
PROGRAM = next((p / "mercer" for p in PLACES if (p / "mercer").exists()), None)

with_program = pytest.mark.skipif(PROGRAM is None, reason="the program is not built here")


def run(*arguments, folder):
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_csv(path, X, y=None, names=None):
    """With all digits."""
    names = names or [f"x{j + 1}" for j in range(X.shape[1])]
    lines = [",".join([*names, *([] if y is None else ["y"])])]
    for i, row in enumerate(X):
        cells = [repr(float(v)) for v in row]
        if y is not None:
            cells.append(str(y[i]) if isinstance(y[i], str) else repr(y[i].item()))
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n")
