"""Data as people have them: every kind of table, and one clear ValueError for what is none."""

import multiprocessing
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import joblib
import mercer
import numpy as np
import pandas
import polars
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_moons

iris_X, iris_y = load_iris(return_X_y=True)
moons_X, moons_y = make_moons(300, noise=0.2, random_state=0)


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def wide_indices(a):
    s = sparse.csr_array(a)
    s.indices, s.indptr = s.indices.astype(np.int64), s.indptr.astype(np.int64)
    return s


def unsorted(a):
    """Rows backwards, and one entry in two halves."""
    s = sparse.coo_array(a)
    order = np.lexsort((-s.col, s.row))
    row, col, data = s.row[order], s.col[order], s.data[order]
    row, col = np.append(row, row[-1]), np.append(col, col[-1])
    data = np.append(data, data[-1] / 2)
    data[-2] /= 2
    counts = np.bincount(row, minlength=a.shape[0])
    return sparse.csr_array((data, col, np.append(0, np.cumsum(counts))), shape=a.shape)


KINDS = {
    "read-only": read_only,
    "big endian": lambda a: a.astype(">f8"),
    "little endian": lambda a: a.astype("<f8"),
    "long double": lambda a: a.astype(np.longdouble),
    "objects": lambda a: a.astype(object),
    "lists": lambda a: a.tolist(),
    "64-bit indices": wide_indices,
    "not canonical": unsorted,
    "block": lambda a: sparse.bsr_array(a),
    "matrix": lambda a: sparse.csc_matrix(a),
    "pandas": lambda a: pandas.DataFrame(a, columns=list("abcd")),
    "pandas, nullable": lambda a: pandas.DataFrame(a, columns=list("abcd")).astype("Float64"),
    "polars": lambda a: polars.DataFrame(a, schema=list("abcd")),
    "polars, two types": lambda a: polars.DataFrame(a, schema=list("abcd")).with_columns(
        polars.col("a").cast(polars.Float32)
    ),
    "memory map": lambda a: a,  # see below
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "estimator",
    [
        mercer.SVC(kernel="rbf(0.5)"),
        mercer.NystroemClassifier(kernel="rbf(0.5)", n_components=40),
        mercer.Nystroem("rbf(0.5)", n_components=40),
        mercer.RandomFeatures("rbf(0.5)", n_components=40),
        mercer.kernel("rbf(0.5)"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_every_kind_of_table(kind, estimator, tmp_path):
    if kind == "memory map":
        np.save(tmp_path / "x.npy", iris_X)
        table = np.load(tmp_path / "x.npy", mmap_mode="r")
    else:
        table = KINDS[kind](iris_X)

    def use(X):
        if isinstance(estimator, mercer.Kernel):
            return estimator(X)
        fitted = estimator.fit(X, iris_y)
        return fitted.transform(X) if hasattr(fitted, "transform") else fitted.decision_function(X)

    loose = {"atol": 2e-4} if kind == "polars, two types" else {"atol": 2e-6}
    np.testing.assert_allclose(use(table), use(iris_X), **loose)


def test_the_users_matrix_stays_as_it_is():
    s = unsorted(iris_X)
    before = s.indices.copy(), s.data.copy()
    mercer.SVC().fit(s, iris_y).predict(s)
    mercer.rbf(1)(s)
    assert np.array_equal(s.indices, before[0]) and np.array_equal(s.data, before[1])


frame = pandas.DataFrame(iris_X, columns=list("abcd"))
BAD = {
    "one row alone": (iris_X[0], "2D|two dimensions"),
    "three dimensions": (iris_X[None], "dim"),
    "a number": (3.0, "2D|two dimensions"),
    "nothing": (None, "NoneType|two dimensions|array"),
    "text": ([["a"], ["b"]], "numbers|could not convert|dtype"),
    "complex": (iris_X + 1j, "[Cc]omplex"),
    "complex, sparse": (sparse.csr_array(iris_X + 1j), "[Cc]omplex"),
    "NaN": (np.where(iris_X > 5, np.nan, iris_X), "NaN"),
    "infinity": (np.where(iris_X > 5, np.inf, iris_X), "infinity"),
    "NaN, sparse": (sparse.csr_array(np.where(iris_X > 5, np.nan, iris_X)), "NaN"),
    "masked": (np.ma.masked_greater(iris_X, 5), "masked"),
    "ragged": ([[1.0, 2.0], [3.0]] * 75, "inhomogeneous|all of one length"),
    "None inside": (np.where(iris_X > 5, None, iris_X), "NaN|NoneType"),
    "text in objects": (np.where(iris_X > 5, "far", iris_X.astype(object)), "far"),
    "dates": (
        np.full((150, 2), "2026-01-01", dtype="M8[D]"),
        "real numbers, not datetime64",
    ),
    "a date in a frame": (frame.assign(d=pandas.Timestamp(0)), "column 'd' holds datetime"),
    "pandas, text": (frame.assign(c="red"), "column 'c' holds str"),
    "pandas, categories": (
        frame.assign(c=pandas.Categorical(["red"] * 150)),
        "column 'c' holds category.*OneHotEncoder",
    ),
    "pandas, a hole": (frame.astype("Float64").mask(frame > 5), "NaN|NA"),
    "polars, text": (
        polars.DataFrame({"a": iris_X[:, 0], "b": ["x"] * 150}),
        "column 'b' holds str",
    ),
    "polars, categories": (
        polars.DataFrame({"b": polars.Series(["x"] * 150, dtype=polars.Categorical)}),
        "column 'b' holds categorical",
    ),
    "polars, a hole": (polars.DataFrame({"a": [1.0, None] * 75}), "NaN"),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize(
    "use",
    [
        lambda X: mercer.SVC().fit(X, iris_y),
        lambda X: mercer.KernelRidge().fit(X, iris_y),
        lambda X: mercer.NystroemRidge().fit(X, iris_y),
        lambda X: mercer.SVC(kernel="rbf(1)").fit(iris_X, iris_y).predict(X),
        lambda X: mercer.Nystroem().fit(X),
        lambda X: mercer.rbf(1)(X),
        lambda X: mercer.tune(X, iris_y),
    ],
    ids=["SVC", "KernelRidge", "NystroemRidge", "predict", "Nystroem", "kernel", "tune"],
)
def test_one_clear_error(kind, use):
    table, message = BAD[kind]
    with pytest.raises(ValueError, match=message) as caught:
        use(table)
    assert len(str(caught.value).strip()) > 10


@pytest.mark.parametrize(
    "use",
    [
        lambda: mercer.SVC().fit(iris_X[:0], iris_y[:0]),
        lambda: mercer.NystroemRidge().fit(iris_X[:0], iris_y[:0]),
        lambda: mercer.SVC().fit(iris_X[:, :0], iris_y),
        lambda: mercer.RandomFeatures().fit(iris_X[:0]),
        lambda: mercer.tune(iris_X[:0], iris_y[:0]),
        lambda: mercer.SVC().fit(iris_X, iris_y).predict(iris_X[:0]),
    ],
)
def test_empty_tables(use):
    with pytest.raises(ValueError, match="0 sample|0 feature"):
        use()


@pytest.mark.parametrize(
    "y, message",
    [
        (iris_y[:-1], "inconsistent"),
        (np.where(iris_y == 0, np.nan, iris_y), "NaN"),
        (iris_y[:, None] * [1, 1], "1d array"),
        (np.zeros(150, dtype=int), "one"),
        (None, "y"),
    ],
)
@pytest.mark.parametrize("made", [mercer.SVC, mercer.KernelPerceptron, mercer.NystroemClassifier])
def test_labels_that_are_none(made, y, message):
    with pytest.raises(ValueError, match=message):
        made().fit(iris_X, y)


def test_a_series_of_labels_with_another_index():
    y = pandas.Series(iris_y, index=np.arange(150)[::-1])
    said = mercer.SVC().fit(frame, y).predict(frame)
    assert np.array_equal(said, mercer.SVC().fit(frame, iris_y).predict(frame))


# ---- in company


def fit_and_score(seed):
    X, y = make_moons(400, noise=0.3, random_state=seed)
    f = mercer.SVC(kernel="rbf(1)").fit(X, y).decision_function(X)
    r = mercer.NystroemRidge(kernel="rbf(1)", n_components=50).fit(X, y).predict(X)
    g = mercer.rbf(1)(X)
    return float(f.sum()), float(r.sum()), float(g.sum())


def test_threads_of_python():
    alone = [fit_and_score(s) for s in range(6)]
    with ThreadPoolExecutor(6) as pool:
        for _ in range(3):
            assert list(pool.map(fit_and_score, range(6))) == alone


def test_joblib_workers():
    alone = [fit_and_score(s) for s in range(4)]
    said = joblib.Parallel(n_jobs=2)(joblib.delayed(fit_and_score)(s) for s in range(4))
    assert said == alone


FORK = """
import multiprocessing, sys
sys.path.insert(0, {folder!r})
from test_inputs import fit_and_score
alone = [fit_and_score(s) for s in range(4)]   # the library's threads are there now
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(fit_and_score, range(4)) == alone
assert fit_and_score(0) == alone[0]
print("done")
"""


def test_fork_after_use():
    """A child that was forked off has none of the threads, and must not wait for them."""
    assert "fork" in multiprocessing.get_all_start_methods()
    from pathlib import Path

    script = FORK.format(folder=str(Path(__file__).parent))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "done\n", done.stderr
