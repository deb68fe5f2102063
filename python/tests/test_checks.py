"""What is plainly right is not looked at for long, and nothing else comes through: the answers are
those of scikit-learn's own checks."""

import warnings

import mercer
import numpy as np
import pandas
import pytest
from mercer._checks import (
    classes_of,
    how_to_read,
    refuse_lopsided,
    validated,
    validated_again,
)
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

X = np.arange(12.0).reshape(6, 2)
y = np.array([0, 1, 0, 1, 0, 1])


def with_one(a, value):
    a = a.copy()
    a.flat[3] = value
    return a


TABLES = {
    "plain": X,
    "floats": X.astype("f4"),
    "Fortran order": np.asfortranarray(X),
    "every second row": np.repeat(X, 2, axis=0)[::2],
    "whole numbers": X.astype(int),
    "NaN": with_one(X, np.nan),
    "infinite": with_one(X, np.inf),
    "a sum too large": with_one(with_one(X, 1.7e308)[::-1].copy(), 1.7e308),
    "no rows": X[:0],
    "no columns": X[:, :0],
    "one dimension": X[:, 0],
    "three dimensions": X[None],
    "matrix": np.asmatrix(X) if hasattr(np, "asmatrix") else X,
    "big endian": X.astype(">f8"),
    "complex": X + 1j,
    "text": X.astype(str),
    "list": X.tolist(),
    "frame": pandas.DataFrame(X, columns=["a", "b"]),
    "too few rows": X[:4],
}
LABELS = {
    "plain": y,
    "text": np.array(list("ababab")),
    "objects": np.array(list("ababab"), dtype=object),
    "mixed": np.array(["a", 1, 2.5, "a", 1, 2.5], dtype=object),
    "bool": y == 1,
    "floats": y.astype(float),
    "numbers": y + 0.5 * X[:, 0],
    "NaN": with_one(y.astype(float), np.nan),
    "a column": y[:, None],
    "two columns": np.stack([y, y], axis=1),
    "many": np.arange(6),
    "list": y.tolist(),
    "nothing": None,
    "too few": y[:5],
    "bytes": np.array(list("ababab")).astype("S"),
}


class Theirs(ClassifierMixin, BaseEstimator):
    pass


def outcome(call):
    """What a call gives, or how it fails; what it warns of."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            answer = call()
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
    return answer, sorted(str(w.message) for w in said)


def assert_same(ours, theirs):
    (a, heard_a), (b, heard_b) = ours, theirs
    assert heard_a == heard_b
    if isinstance(b, str):
        assert a == b
        return
    for p, q in zip(*(v if isinstance(v, tuple) else [v] for v in (a, b)), strict=True):
        assert type(p) is type(q) and p.dtype == q.dtype and p.flags.c_contiguous
        np.testing.assert_array_equal(p, q)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_x_and_y(table, labels):
    a, b, one, other = TABLES[table], LABELS[labels], Theirs(), Theirs()
    assert_same(
        outcome(lambda: validated(one, a, b)),
        outcome(lambda: validate_data(other, a, b, **how_to_read)),
    )
    assert vars(one).keys() == vars(other).keys()
    assert getattr(one, "n_features_in_", 0) == getattr(other, "n_features_in_", 0)


@pytest.mark.parametrize("before", ["plain", "frame"])
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_x_later(table, before):
    a, e = TABLES[table], Theirs()
    validated(e, TABLES[before])
    for later in (a, np.ones((2, 3))):
        assert_same(
            outcome(lambda: validated_again(e, later)),
            outcome(lambda: validate_data(e, later, reset=False, **how_to_read)),
        )
    validated(e, X)
    assert not hasattr(e, "feature_names_in_")


@pytest.mark.parametrize("labels", [k for k, v in LABELS.items() if getattr(v, "ndim", 0) == 1])
def test_classes(labels):
    def theirs():
        check_classification_targets(LABELS[labels])
        return np.unique(LABELS[labels], return_inverse=True)

    assert_same(outcome(lambda: classes_of(LABELS[labels])), outcome(theirs))


@pytest.mark.parametrize("n", [3, 300, 513])
def test_lopsided_matrices(n):
    rng = np.random.default_rng(n)
    K = rng.normal(size=(n, n))
    K = K @ K.T
    refuse_lopsided(K * (1 + 1e-7 * rng.normal(size=K.shape)))
    labels = np.arange(n) % 2
    for i, j in [(n - 1, 0), (0, n - 1), (n - 1, 1)]:
        bad = K.copy()
        bad[i, j] += 1
        for machine in (mercer.SVC(), mercer.KernelRidge()):
            with pytest.raises(ValueError, match=rf"symmetric, but.* K\[{i}, {j}\] = "):
                machine.set_params(kernel="precomputed").fit(bad, labels)
            with pytest.raises(ValueError, match="symmetric"):
                machine.set_params(kernel=lambda a, b: bad).fit(K, labels)
