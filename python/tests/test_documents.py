"""Examples in docstrings and documents do what they say; types are what the stubs say."""

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import mercer
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
MODULES = [
    "",
    *(
        f".{p.stem}"
        for p in sorted((ROOT / "python" / "mercer").glob("*.py"))
        if p.stem != "__init__"
    ),
]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture(autouse=True)
def shown_as_by_numpy_2():
    with np.printoptions(legacy=False):
        yield


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module("mercer" + name)
    assert doctest.testmod(module, optionflags=OPTIONS).failed == 0


def test_public_names_have_examples():
    missing = []
    for name in mercer.__all__:
        thing = getattr(mercer, name)
        if (
            isinstance(thing, type)
            and not issubclass(thing, Exception)
            and ">>>" not in thing.__doc__
        ):
            missing.append(name)
    assert not missing


@pytest.mark.parametrize("document", ["README.md", "docs/python.md"])
def test_documents(document, tmp_path, monkeypatch):
    """The blocks ```pycon of a document, one session from the first to the last."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = (ROOT / document).read_text()
    # Each block on the lines where it stands, so that a failure names them.
    blocks = [
        (text[: m.start()].count("\n") + 1, m.group(1))
        for m in re.finditer(r"```pycon\n(.*?)```", text, re.S)
    ]
    assert blocks, "there is nothing to run"
    lines = []
    for line, block in blocks:
        lines += [""] * (line - len(lines)) + block.splitlines()
    parsed = doctest.DocTestParser().get_doctest("\n".join(lines) + "\n", {}, document, document, 0)
    assert parsed.examples
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    assert runner.run(parsed).failed == 0


USES = """
import mercer
import numpy as np

k: mercer.Kernel = mercer.rbf(0.5) * mercer.poly(2) + 0.1 * mercer.linear()
verdict: mercer.Verdict = k.prove(over="R+", dim=2)
said: str = verdict.sentence
names: list[str] = k.features(dim=2).coordinates
mercer.rbf(gamma=[1])        # error
mercer.SVC(C=1.0, kernel=k, callback=lambda step: None).fit(np.eye(2), [0, 1])
mercer.SVC(D=1.0)            # error
k.prove(dim="two")           # error
k + "1"                      # error
mercer.KernelRidge(0.5).predict(np.eye(2)).mean()
mercer.plot.gram(k, np.eye(2))
mercer.nothing               # error
mercer.NystroemRidge(alpha=None, centres="kmeans").fit(np.eye(2), [0, 1]).save("a.mercer")
mercer.NystroemRidge(centers="kmeans")  # error
found: mercer.Tuned = mercer.tune(np.eye(4), [0, 1, 0, 1], ["rbf(gamma=?)", k], budget="5m")
mercer.tune(np.eye(4), [0, 1, 0, 1], fold=3)  # error
best: mercer.Kernel = found.kernel
model: mercer.Model = mercer.load("a.mercer")
model.predict(np.eye(2), precision="double")
mercer.load(3)               # error
phi: mercer.RandomFeatures = k.random_features(100, dim=2)
k.random_features("many")    # error
"""


def test_types(tmp_path):
    """mypy is content with the package, strictly, and finds the mistakes in a use of it."""
    package = Path(mercer.__file__).parent
    use = tmp_path / "use.py"
    use.write_text(USES)
    config = tmp_path / "mypy.ini"
    config.write_text(
        "[mypy]\nstrict = True\n"
        "[mypy-mercer._core]\ndisallow_any_generics = False\n"  # nanobind says `dict`
        "[mypy-sklearn.*,scipy.*,matplotlib.*,pandas.*]\n"
        "ignore_missing_imports = True\nfollow_imports = skip\n"
    )
    # Installed, it is found without being named, and mypy looks at the use alone.
    installed = "site-packages" in package.parts
    answer = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", config, "--cache-dir", tmp_path / "cache"]
        + ["--no-error-summary", *([] if installed else [package]), use],
        capture_output=True,
        text=True,
        env=os.environ if installed else {**os.environ, "MYPYPATH": str(package.parent)},
        check=False,
        timeout=280,
    )
    found = [line for line in answer.stdout.splitlines() if ": error:" in line]
    in_use = sorted(int(line.split(":")[1]) for line in found if "use.py" in line)
    wanted = [n for n, line in enumerate(USES.splitlines(), 1) if "# error" in line]
    assert not [line for line in found if "use.py" not in line], answer.stdout + answer.stderr
    assert in_use == wanted, answer.stdout + answer.stderr
