"""scikit-learn's own tests of sklearn.svm, with our machines in place of theirs."""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# The package as this process found it, and the plugin beside this file.
PATH = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(HERE)])


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=250,
        check=False,
    )


def test_their_tests(tmp_path):
    answer = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "their_tests",
            "--tb=short",
        ]
        + ["--pyargs", "sklearn.svm.tests.test_svm", "sklearn.svm.tests.test_sparse"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": PATH},
        timeout=280,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout[-20000:] + answer.stderr
    passed = int(re.search(r"(\d+) passed", answer.stdout).group(1))
    assert passed > 240, answer.stdout[-2000:]


def test_differences_are_told():
    """Every reason why a test of theirs is different stands in the documentation."""
    document = " ".join((HERE.parents[1] / "docs" / "python.md").read_text().split())
    names = run(
        "import their_tests as t; print('\\n'.join(set(t.DIFFERENT.values())))", PYTHONPATH=PATH
    )
    reasons = names.stdout.strip().splitlines()
    assert reasons, names.stderr
    for reason in reasons:
        assert reason in document, reason


def test_sklearn_svm_is_not_imported():
    answer = run(
        """
import sys
import numpy as np
import mercer
X = np.arange(12.0).reshape(6, 2)
y = [0, 0, 1, 1, 2, 2]
mercer.SVC().fit(X, y).predict(X)
for name in mercer.__all__:
    getattr(mercer, name)
theirs = [m for m in sys.modules if m == 'sklearn.svm' or m.startswith('sklearn.svm.')]
assert not theirs, theirs
"""
    )
    assert answer.returncode == 0, answer.stderr
