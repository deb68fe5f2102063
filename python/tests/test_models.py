"""Files of models: from here to the program, from the program to here, the same predictions."""

import pickle

import mercer
import numpy as np
import pandas
import polars
import pytest
from program import run, with_program, write_csv
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

iris_X, iris_y = load_iris(return_X_y=True)
iris_names = np.array(["setosa", "versicolor", "virginica"])[iris_y]
cancer_X, cancer_y = load_breast_cancer(return_X_y=True)
cancer_X = StandardScaler().fit_transform(cancer_X)
moons_X, moons_y = make_moons(200, noise=0.2, random_state=0)
numbers = np.sin(3 * moons_X[:, 0]) + moons_X[:, 1]

ESTIMATORS = [
    (mercer.SVC(kernel="rbf(0.1)"), cancer_X, cancer_y),
    (mercer.SVC(kernel="rbf(0.1)", probability=True), cancer_X, cancer_y),
    (mercer.SVC(kernel="rbf(0.5)"), iris_X, iris_names),
    (mercer.SVC(kernel="rbf(0.5)", probability=True), iris_X, iris_y),
    (mercer.SVC(kernel="poly", gamma=0.3), iris_X, iris_y * 10 - 5),
    (mercer.NuSVC(nu=0.1), iris_X, iris_y * 2.0 - 1),
    (mercer.SVR(kernel="rbf(1) * poly(2)"), moons_X, numbers),
    (mercer.NuSVR(), moons_X, numbers),
    (mercer.OneClassSVM(gamma=0.5, nu=0.2), moons_X, moons_y),
    (mercer.KernelRidge(0.1, kernel="rbf(1) + 1"), moons_X, numbers),
    (mercer.KernelLeastSquares(kernel="rbf(1)"), moons_X, numbers),
    (mercer.KernelPerceptron(kernel="rbf(1)", averaged=True), moons_X, moons_y),
    (mercer.KernelPerceptron(kernel="rbf(1)"), iris_X, iris_names),
    (mercer.NystroemRidge(kernel="rbf(1)", n_components=30), moons_X, numbers),
    (mercer.NystroemClassifier(kernel="rbf(1)", n_components=30), iris_X, iris_y),
    (
        mercer.NystroemClassifier(kernel="rbf(1)", n_components=30, loss="logistic"),
        iris_X,
        iris_names,
    ),
    (
        mercer.NystroemClassifier(kernel="rbf(1)", n_components=30, loss="logistic"),
        moons_X,
        moons_y,
    ),
]
name_of = lambda v: type(v).__name__ if hasattr(v, "fit") else ""


def says_the_same(model, fitted, X):
    assert np.array_equal(model.predict(X, precision="double"), fitted.predict(X)) or (
        np.allclose(model.predict(X, precision="double"), fitted.predict(X), rtol=1e-12)
    )
    if hasattr(fitted, "predict_proba"):
        np.testing.assert_allclose(
            model.predict_proba(X, precision="double"), fitted.predict_proba(X), rtol=1e-9
        )


def is_close_to_even(fitted, X):
    """Rows of which the two best classes are as good as equal: a sigmoid may turn them around."""
    p = np.sort(fitted.predict_proba(X), axis=1)
    return p[:, -1] - p[:, -2] < 1e-2


@pytest.mark.parametrize("estimator, X, y", ESTIMATORS, ids=name_of)
def test_saved_and_loaded(estimator, X, y, tmp_path):
    fitted = estimator.fit(X, y)
    path = tmp_path / "a.mercer"
    fitted.save(path)
    model = mercer.load(str(path))
    assert model.kernel == fitted.kernel_
    if isinstance(fitted, mercer.SVC) and fitted.probability:
        # A calibrated model says the most probable class, SVC what the machines vote.
        p = model.predict_proba(X, precision="double")
        np.testing.assert_allclose(p, fitted.predict_proba(X), rtol=1e-9, atol=1e-12)
        assert np.array_equal(
            model.predict(X, precision="double"), fitted.classes_[p.argmax(axis=1)]
        )
    else:
        says_the_same(model, fitted, X)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X)) and repr(again) == repr(model)


@with_program
@pytest.mark.parametrize("estimator, X, y", ESTIMATORS, ids=name_of)
def test_the_program_predicts_the_same(estimator, X, y, tmp_path):
    estimator.fit(X, y).save(tmp_path / "a.mercer")
    write_csv(tmp_path / "d.csv", X)
    said = run("predict", "a.mercer", "d.csv", folder=tmp_path).split()
    model = mercer.load(tmp_path / "a.mercer")
    mine = model.predict(X)
    if model.task == "regression":
        assert np.array_equal(np.array(said, dtype=float), mine)
    elif mine.dtype.kind == "U":
        assert said == mine.tolist()
    else:
        assert np.array_equal(np.array(said, dtype=float), mine)
    assert "kernel" in run("inspect", "a.mercer", folder=tmp_path)


@with_program
@pytest.mark.parametrize(
    "how",
    [
        ["-k", "rbf(0.5)", "-C", "10"],
        ["-k", "rbf(0.5)", "-C", "10", "--probability"],
        ["-k", "rbf(0.5)", "-C", "10", "--multiclass", "rest"],
        ["--learner", "perceptron", "-k", "poly(2)"],
        ["--learner", "ridge", "-k", "rbf(1)"],
        ["--learner", "ridge", "--approx", "nystrom(m=30)", "--loss", "logistic", "--lambda", "1"],
        ["--learner", "ridge", "-k", "rbf(1)", "--approx", "fourier(D=80)", "--lambda", "1"],
        ["--learner", "ridge", "-k", "poly(2)", "--explicit"],
        ["--scale", "minmax", "-k", "rbf(2)"],
    ],
    ids=lambda h: " ".join(h)[:40],
)
def test_what_the_program_trained(how, tmp_path):
    write_csv(tmp_path / "d.csv", iris_X, iris_names.tolist(), ["a", "b", "c", "d"])
    run("train", "d.csv", *how, "-o", "m.mercer", folder=tmp_path)
    said = run("predict", "m.mercer", "d.csv", folder=tmp_path).split()
    model = mercer.load(tmp_path / "m.mercer")
    assert model.predict(iris_X).tolist() == said
    frame = pandas.DataFrame(iris_X, columns=["a", "b", "c", "d"])
    assert model.predict(frame[["d", "a", "c", "b"]]).tolist() == said
    assert model.predict(polars.DataFrame(frame.to_dict("list"))).tolist() == said
    assert "learner" in model.training
    with pytest.raises(ValueError, match="the column .c. of the training data is missing"):
        model.predict(frame.drop(columns="c"))
    with pytest.raises(ValueError, match="3 columns, expected the 4 of the training data"):
        model.predict(iris_X[:, :3])


@with_program
def test_categories_and_holes(tmp_path):
    colours = np.array(["red", "green", "blue"])[np.arange(200) % 3]
    frame = pandas.DataFrame(
        {"x": moons_X[:, 0], "colour": colours, "z": moons_X[:, 1], "y": moons_y}
    )
    frame.loc[::17, "x"] = np.nan
    frame.loc[::23, "colour"] = None
    frame.to_csv(tmp_path / "d.csv", index=False)
    run("train", "d.csv", "--missing", "indicator", "-o", "m.mercer", folder=tmp_path)
    said = [int(v) for v in run("predict", "m.mercer", "d.csv", folder=tmp_path).split()]
    model = mercer.load(tmp_path / "m.mercer")
    assert [c[:2] for c in model.columns] == [("x", False), ("colour", True), ("z", False)]
    assert model.predict(frame).tolist() == said
    # What a file calls missing is missing in a frame that was read without looking.
    assert model.predict(frame.assign(colour=frame["colour"].fillna("?"))).tolist() == said
    typed = frame.astype({"colour": "category"})
    assert model.predict(typed).tolist() == said
    columns = {
        "z": moons_X[:, 1],
        "colour": [None if pandas.isna(c) else c for c in frame["colour"]],
        "x": [None if np.isnan(v) else v for v in frame["x"]],
    }
    assert model.predict(polars.DataFrame(columns)).tolist() == said
    nullable = frame.convert_dtypes()
    assert str(nullable["x"].dtype) == "Float64"
    assert model.predict(nullable).tolist() == said
    with pytest.raises(ValueError, match="columns of text"):
        model.predict(moons_X)
    with pytest.raises(ValueError, match="holds text"):
        model.predict(frame.assign(z="far"))


@with_program
def test_frames_are_matched_by_name(tmp_path):
    """The names of columns that fit saw are in the file."""
    frame = pandas.DataFrame(iris_X, columns=["a", "b", "c", "d"])
    clf = mercer.SVC(kernel='rbf(1)["c"] + linear["d"]').fit(frame, iris_names)
    clf.save(tmp_path / "m.mercer")
    write_csv(tmp_path / "d.csv", iris_X[:, ::-1], names=["d", "c", "b", "a"])
    said = run("predict", "m.mercer", "d.csv", folder=tmp_path).split()
    assert said == clf.predict(frame).tolist()


def test_sparse_models(tmp_path):
    X = sparse.csr_array(np.where(cancer_X > 0.5, cancer_X, 0))
    clf = mercer.SVC(kernel="rbf(0.1)").fit(X, cancer_y)
    clf.save(tmp_path / "m.mercer")
    model = mercer.load(tmp_path / "m.mercer")
    assert sparse.issparse(model.support_vectors_)
    assert np.array_equal(model.predict(X, precision="double"), clf.predict(X))


def test_what_cannot_be_saved(tmp_path):
    path = tmp_path / "m.mercer"
    with pytest.raises(NotFittedError):
        mercer.SVC().save(path)
    with pytest.raises(ValueError, match="cannot be saved"):
        K = mercer.rbf(1)(moons_X)
        mercer.SVC(kernel="precomputed").fit(K, moons_y).save(path)
    with pytest.raises(ValueError, match="one number"):
        mercer.KernelRidge().fit(moons_X, moons_X).save(path)
    with pytest.raises(ValueError, match="nowhere"):
        mercer.SVC().fit(moons_X, moons_y).save(tmp_path / "nowhere" / "m.mercer")
    assert not path.exists()


def test_files_that_are_none(tmp_path):
    mercer.SVC().fit(moons_X, moons_y).save(tmp_path / "m.mercer")
    whole = (tmp_path / "m.mercer").read_bytes()
    for name, content in [
        ("text", b"hello\n"),
        ("empty", b""),
        ("cut", whole[:-64]),
        ("changed", whole[:-100] + b"!" + whole[-99:]),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=name):
            mercer.load(tmp_path / name)
    with pytest.raises(ValueError, match="not.there"):
        mercer.load(tmp_path / "not.there")
