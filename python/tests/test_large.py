"""Centres and random features: right answers, the program's answers, no copies."""

import tracemalloc

import mercer
import numpy as np
import pytest
from mercer import _core
from mercer._points import points
from program import run, with_program, write_csv
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, make_moons
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

moons_X, moons_y = make_moons(400, noise=0.2, random_state=0)
numbers = np.sin(3 * moons_X[:, 0]) + moons_X[:, 1]
iris_X, iris_y = load_iris(return_X_y=True)
digits_X, digits_y = load_digits(return_X_y=True)


# ---- estimators


@pytest.mark.parametrize("offset", [False, True])
def test_all_points_as_centres_is_ridge(offset):
    k = mercer.kernel("rbf(0.3)")
    w = np.random.default_rng(0).uniform(0.5, 2, len(numbers))
    Y = np.column_stack([numbers, moons_X[:, 0] ** 2])
    near = mercer.NystroemRidge(kernel=k, alpha=0.1, offset=offset, tol=1e-7)
    near.fit(moons_X, Y, sample_weight=w)
    exact = mercer.KernelRidge(0.1, kernel=k + 1 if offset else k).fit(moons_X, Y, w)
    np.testing.assert_allclose(near.predict(moons_X), exact.predict(moons_X), atol=1e-5)


def test_the_normal_equations_hold():
    """(K_nmᵀ C K_nm + λ K_mm) α = K_nmᵀ C y, with the centres that it says."""
    w = np.random.default_rng(1).uniform(0.5, 2, len(numbers))
    r = mercer.NystroemRidge(kernel="rbf(1)", n_components=25, alpha=0.5, tol=1e-12)
    r.fit(moons_X, numbers, sample_weight=w)
    k, C = r.kernel_, r.components_
    assert k == mercer.kernel("rbf(1) + 1") and len(C) <= 25
    K = k(moons_X, C)
    left = (K.T * w) @ K + 0.5 * k(C)
    np.testing.assert_allclose(left @ r.dual_coef_[:, 0], K.T @ (w * numbers), rtol=1e-7)
    np.testing.assert_allclose(r.predict(moons_X), K @ r.dual_coef_[:, 0], rtol=1e-9, atol=1e-9)


def test_the_logistic_loss_is_least():
    c = mercer.NystroemClassifier(
        kernel="rbf(1)", n_components=25, alpha=0.5, loss="logistic", tol=1e-10
    ).fit(moons_X, moons_y)
    y = np.where(moons_y == 1, 1.0, -1.0)
    K, Kmm = c.kernel_(moons_X, c.components_), c.kernel_(c.components_)
    a = c.dual_coef_[:, 0]
    gradient = -K.T @ (y / (1 + np.exp(y * (K @ a)))) + 2 * 0.5 * Kmm @ a
    first = -K.T @ (y / 2)
    assert np.linalg.norm(gradient) < 1e-6 * np.linalg.norm(first)
    p = c.predict_proba(moons_X)
    np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-(K @ a))), rtol=1e-9)
    np.testing.assert_allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("centres", ["uniform", "leverage", "kmeans"])
def test_digits(loss, centres):
    c = mercer.NystroemClassifier(
        kernel="rbf(0.0005)", n_components=200, centres=centres, loss=loss, alpha=None
    ).fit(digits_X[:1200], digits_y[:1200])
    assert c.score(digits_X[1200:], digits_y[1200:]) > 0.93
    assert c.alpha_ in c.path_[:, 0]
    if loss == "logistic":
        p = c.predict_proba(digits_X)
        assert p.shape == (len(digits_y), 10) and np.allclose(p.sum(axis=1), 1)
        assert np.array_equal(c.classes_[p.argmax(axis=1)], c.predict(digits_X))
    else:
        assert not hasattr(c, "predict_proba")


def test_sparse_points_are_the_same_points():
    X = np.where(np.abs(digits_X) > 8, digits_X, 0)[:500]
    dense = mercer.NystroemClassifier(kernel="rbf(0.001)", n_components=60, tol=1e-8)
    thin = mercer.NystroemClassifier(kernel="rbf(0.001)", n_components=60, tol=1e-8)
    f = dense.fit(X, digits_y[:500]).decision_function(X)
    S = sparse.csr_array(X)
    g = thin.fit(S, digits_y[:500]).decision_function(S)
    assert isinstance(thin.components_, sparse.csr_array)
    np.testing.assert_allclose(thin.components_.toarray(), dense.components_)
    np.testing.assert_allclose(f, g, atol=1e-6)


def test_class_weights_are_weights():
    weighted = mercer.NystroemClassifier(n_components=40, class_weight={0: 3, 1: 0.5})
    plain = mercer.NystroemClassifier(n_components=40)
    f = weighted.fit(moons_X, moons_y).decision_function(moons_X)
    g = plain.fit(moons_X, moons_y, np.where(moons_y == 0, 3, 0.5)).decision_function(moons_X)
    assert np.array_equal(f, g)


def test_the_answer_does_not_depend_on_threads():
    fit = lambda n: mercer.NystroemClassifier(n_components=50, alpha=None, n_jobs=n).fit(
        digits_X, digits_y
    )
    assert np.array_equal(fit(1).dual_coef_, fit(2).dual_coef_)


def test_callback_watches_and_stops():
    steps = []
    r = mercer.NystroemRidge(
        n_components=50, tol=1e-14, callback=lambda s: steps.append(s) or len(steps) < 3
    ).fit(moons_X, numbers)
    assert len(steps) == 3 and steps[0]["unit"] == "pass" and r.message_.startswith("interrupted")


DEFAULTS = [
    (mercer.NystroemRidge, "NystromOptions", {"tol": "tolerance", "max_iter": "iterations"}),
    (mercer.NystroemRidge, "NystromOptions", {"n_components": "centres", "centres": "choice"}),
    (mercer.NystroemClassifier, "NystromOptions", {"loss": "loss", "n_components": "centres"}),
    (mercer.RandomFeatures, "RandomFeatureOptions", {"n_components": "count"}),
    (mercer.RandomFeatures, "RandomFeatureOptions", {"orthogonal": "orthogonal"}),
    (mercer.Nystroem, "NystromOptions", {"centres": "choice"}),
]


@pytest.mark.parametrize("made, options, names", DEFAULTS)
def test_defaults_are_those_of_the_core(made, options, names):
    core = getattr(_core, options)()
    for ours, theirs in names.items():
        assert getattr(made(), ours) == getattr(core, theirs)


@pytest.mark.parametrize(
    "how, message",
    [
        (dict(n_components=0), "n_components must be a whole number >= 1, not 0"),
        (dict(centres="far"), "centres must be one of 'uniform', 'leverage', 'kmeans', not 'far'"),
        (dict(centres=None), "centres must be 'uniform', 'leverage' or 'kmeans', not None"),
        (dict(alpha=-1), "lambda is a number > 0"),
        (dict(alpha="much"), "alpha must be a number, not 'much'"),
        (dict(tol=0), "the tolerance is a number > 0"),
        (dict(kernel="precomputed"), "kernel must be text or a mercer kernel"),
        (dict(kernel=lambda X, Z: X @ Z.T), "kernel must be text or a mercer kernel"),
        (dict(kernel="-linear", offset=False), "is not a kernel on the centres"),
    ],
)
def test_errors(how, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        mercer.NystroemRidge(**how).fit(moons_X, numbers)


# ---- transformers


@pytest.mark.parametrize("centres", ["uniform", "leverage", "kmeans"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_nystroem_explains_its_centres(centres, dtype):
    """φ(x)·φ(z) = K_xm K_mm⁻¹ K_mz, by the definition."""
    X = moons_X.astype(dtype)
    phi = mercer.Nystroem("rbf(1)", n_components=30, centres=centres).fit(X)
    assert phi.transform(X).dtype == X.dtype
    k, C = mercer.rbf(1), phi.components_
    assert np.array_equal(C, X[phi.component_indices_])
    K = k(X.astype("f8"), C.astype("f8"))
    near = K @ np.linalg.solve(k(C.astype("f8")), K.T)
    image = phi.transform(X).astype("f8")
    np.testing.assert_allclose(image @ image.T, near, atol=1e-6 if dtype == "f8" else 2e-2)
    names = phi.get_feature_names_out()
    assert len(names) == image.shape[1] and names[0] == "nystroem0"


def test_ridge_on_nystroem_is_nystroem_ridge():
    machine = mercer.NystroemRidge(
        kernel="rbf(1)", n_components=30, alpha=0.2, offset=False, tol=1e-12
    )
    steps = make_pipeline(
        mercer.Nystroem("rbf(1)", n_components=30), Ridge(alpha=0.2, fit_intercept=False)
    )
    f = machine.fit(moons_X, numbers).predict(moons_X)
    np.testing.assert_allclose(steps.fit(moons_X, numbers).predict(moons_X), f, atol=1e-6)


@pytest.mark.parametrize("orthogonal", [False, True])
@pytest.mark.parametrize("k", ["rbf(0.5)", "rbf(0.3) + 2", "matern(1.5)", "laplacian(0.3)"])
def test_random_features_are_near(k, orthogonal):
    if k.startswith("laplacian") and orthogonal:
        pytest.skip("a product over coordinates has no directions to make orthogonal")
    phi = mercer.RandomFeatures(k, n_components=20_000, orthogonal=orthogonal, random_state=3)
    image = phi.fit_transform(moons_X)
    off = abs(image @ image.T - mercer.kernel(k)(moons_X)).max()
    assert off < 0.15
    if not orthogonal:
        assert off < np.sqrt(2 * phi.spread_ * np.log(200 * len(moons_X) ** 2))
    assert (phi.spread_ < 0) == orthogonal
    again = mercer.kernel(k).random_features(20_000, 2, orthogonal=orthogonal, random_state=3)
    assert np.array_equal(again.transform(moons_X), image)
    assert np.array_equal(again.fit(moons_X).transform(moons_X), image)


def test_random_features_of_kernels_without_a_density():
    with pytest.raises(ValueError, match="no spectral density that is known"):
        mercer.RandomFeatures("poly(2)").fit(moons_X)
    with pytest.raises(ValueError, match="1 features are too few"):
        mercer.RandomFeatures("rbf(1) + laplacian(1)", n_components=1).fit(moons_X)
    # The mean over many seeds is k, also of single features.
    draws = [
        mercer.rbf(1).random_features(1, 2, random_state=s).transform(moons_X[:2])
        for s in range(2000)
    ]
    mean = np.mean([d[0, 0] * d[1, 0] for d in draws])
    assert abs(mean - mercer.rbf(1)(moons_X[:2])[0, 1]) < 0.15  # six times its deviation


@pytest.mark.parametrize(
    "made",
    [mercer.Nystroem("rbf(1)", n_components=50), mercer.RandomFeatures("rbf(1)", n_components=50)],
)
def test_columns_by_name(made):
    import pandas

    frame = pandas.DataFrame(moons_X, columns=["a", "b"])
    made.set_params(kernel='rbf(1)["b"]')
    image = made.fit_transform(frame)
    near = mercer.rbf(1)(moons_X[:, 1:])
    assert abs(image @ image.T - near).max() < 0.8
    assert np.array_equal(made.transform(frame.assign(a=0.0)), image)  # a has no part in it


# ---- no copies


@pytest.mark.parametrize(
    "estimator",
    [
        mercer.NystroemRidge(kernel="rbf(0.1)", n_components=10),
        mercer.NystroemClassifier(kernel="rbf(0.1)", n_components=10),
        mercer.Nystroem("rbf(0.1)", n_components=10),
        mercer.RandomFeatures("rbf(0.1)", n_components=10),
    ],
    ids=lambda e: type(e).__name__,
)
def test_float32_is_not_copied(estimator, monkeypatch):
    X = np.random.default_rng(0).normal(size=(20_000, 50)).astype("f4")
    y = (X[:, 0] > 0).astype(int)
    seen = []

    def spy(x):
        made = points(x)
        seen.append(made.address)
        return made

    for module in ("_machine", "_maps"):
        monkeypatch.setattr(f"mercer.{module}.points", spy, raising=False)
    tracemalloc.start()
    estimator.fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    use = estimator.transform if hasattr(estimator, "transform") else estimator.predict
    use(X)
    assert X.ctypes.data in seen, "the points are those of the user"
    assert peak < X.nbytes / 2, "nor did NumPy copy them on the way"


# ---- the program


@with_program
@pytest.mark.parametrize("centres", ["uniform", "leverage", "kmeans"])
def test_the_program_has_the_same_ridge(tmp_path, centres):
    write_csv(tmp_path / "d.csv", moons_X, numbers)
    run(
        *("train", "d.csv", "-k", "rbf(1)", "--learner", "ridge", "--scale", "none"),
        *("--approx", f"nystrom(m=40, centres={centres})", "--lambda", "0.3", "--seed", "7"),
        *("--task", "regression", "-o", "m.mercer"),
        folder=tmp_path,
    )
    model = mercer.load(tmp_path / "m.mercer")
    ours = mercer.NystroemRidge(
        kernel="rbf(1)",
        n_components=40,
        centres=centres,
        alpha=0.3,
        random_state=7,
        precision="single",
    ).fit(moons_X, numbers)
    assert np.array_equal(model.support_vectors_, ours.components_)
    assert np.array_equal(model.coefficients, ours.dual_coef_)
    assert np.array_equal(model.predict(moons_X), ours.predict(moons_X))


@with_program
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_the_program_has_the_same_classes(tmp_path, loss):
    names = np.array(["setosa", "versicolor", "virginica"])[iris_y]
    write_csv(tmp_path / "d.csv", iris_X, names.tolist())
    run(
        *("train", "d.csv", "-k", "rbf(0.2)", "--scale", "none", "--approx", "nystrom(m=30)"),
        *("--loss", loss, "-o", "m.mercer"),
        folder=tmp_path,
    )
    model = mercer.load(tmp_path / "m.mercer")
    ours = mercer.NystroemClassifier(
        kernel="rbf(0.2)", n_components=30, alpha=None, loss=loss, precision="single"
    ).fit(iris_X, names)
    assert np.array_equal(model.coefficients, ours.dual_coef_)
    assert np.array_equal(model.scores(iris_X), ours.decision_function(iris_X))
    assert np.array_equal(model.predict(iris_X), ours.predict(iris_X))
    if loss == "logistic":
        np.testing.assert_allclose(
            model.predict_proba(iris_X), ours.predict_proba(iris_X), rtol=1e-12
        )


@with_program
@pytest.mark.parametrize("orthogonal", [False, True])
def test_the_program_has_the_same_random_features(tmp_path, orthogonal):
    write_csv(tmp_path / "d.csv", moons_X, moons_y)
    run(
        *("features", "--random", "101", "matern(1.5) + 1", "d.csv", "--seed", "5"),
        *(["--orthogonal"] if orthogonal else []),
        *("-o", "phi.npy"),
        folder=tmp_path,
    )
    theirs = np.load(tmp_path / "phi.npy")
    ours = mercer.RandomFeatures(
        "matern(1.5) + 1",
        n_components=101,
        orthogonal=orthogonal,
        random_state=5,
        precision="single",
    ).fit_transform(moons_X)
    assert ours.shape[1] == 101
    assert np.array_equal(theirs[:, : ours.shape[1]], ours)
