"""Pictures: what is drawn, looked at through matplotlib's objects."""

import os
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import mercer
import numpy as np
import pandas
import pytest
from sklearn.datasets import make_blobs, make_moons

X, y = make_moons(80, noise=0.1, random_state=0)


@pytest.fixture(autouse=True)
def fresh():
    plt.close("all")
    yield
    plt.close("all")


def zero_line(ax):
    """Points on the contour of score 0."""
    for drawn in ax.collections:
        levels = list(getattr(drawn, "levels", []))
        if 0 in levels and len(levels) <= 3:
            return np.vstack([p.vertices for p in [drawn.get_paths()[levels.index(0)]]])
    raise AssertionError("no boundary was drawn")


def test_boundary():
    model = mercer.SVC(C=10).fit(X, y)
    ax = mercer.plot.boundary(model, X, y)
    assert ax is plt.gca()
    assert np.abs(model.decision_function(zero_line(ax))).max() < 0.1
    circles = ax.collections[-1].get_offsets()
    assert np.array_equal(np.asarray(circles), X[model.support_])


def test_boundary_of_named_columns():
    table = pandas.DataFrame(X, columns=["width", "height"])
    ax = mercer.plot.boundary(mercer.SVC(kernel='rbf(1)["width"] + linear').fit(table, y), table, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "height")


def test_regions():
    B, b = make_blobs(60, centers=4, random_state=1)
    model = mercer.SVC().fit(B, b)
    ax = mercer.plot.boundary(model, B, b, resolution=30)
    drawn = np.asarray(ax.images[0].get_array())
    assert drawn.shape == (30, 30) and set(np.unique(drawn)) == {0, 1, 2, 3}


def test_regression_and_lift():
    model = mercer.KernelRidge(kernel="rbf(1)").fit(X, X[:, 0] * X[:, 1])
    mercer.plot.boundary(model, X, X[:, 0])
    plt.close("all")
    ax = mercer.plot.lift(mercer.SVC().fit(X, y), X, y)
    assert ax.name == "3d" and ax.get_zlabel() == "score"
    with pytest.raises(ValueError, match="two classes"):
        mercer.plot.lift(mercer.SVC().fit(*make_blobs(60, centers=3)), X)


def test_gram():
    ax = mercer.plot.gram("rbf(2)", X, y)
    order = np.argsort(y, kind="stable")
    np.testing.assert_allclose(ax.images[0].get_array(), mercer.rbf(2)(X[order]))
    assert ax.get_title() == "rbf(2)"


def test_path():
    numbers = X[:, 0] ** 2
    alphas = [1e-3, 1e-1, 10.0]
    ax = mercer.plot.path("rbf(1)", X, numbers, alphas)
    for line, of in zip(ax.lines[:2], ("training", "leave one out"), strict=True):
        assert line.get_label() == of
        for alpha, error in zip(*line.get_data(), strict=True):
            r = mercer.KernelRidge(alpha, kernel="rbf(1)", leave_one_out=True).fit(X, numbers)
            e = numbers - r.predict(X) if of == "training" else r.leave_one_out_
            assert error == pytest.approx((e**2).mean(), rel=1e-6)


def test_mistakes():
    with pytest.raises(ValueError, match="2 columns, not 3"):
        mercer.plot.boundary(mercer.SVC(), np.zeros((3, 3)))


def test_matplotlib_is_optional():
    code = """
import sys
sys.modules["matplotlib"] = None
sys.modules["matplotlib.pyplot"] = None
import mercer
mercer.SVC
try:
    mercer.plot.gram("rbf(1)", [[1.0]])
except ImportError as error:
    print(error)
"""
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True
    )
    assert answer.stdout == "mercer.plot needs matplotlib: pip install matplotlib\n"
