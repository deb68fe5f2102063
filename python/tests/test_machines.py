"""Beyond scikit-learn's own checks: right answers, kernels of every kind, in company."""

import inspect
import pickle
import tracemalloc

import joblib
import mercer
import numpy as np
import pandas
import polars
import pytest
import sklearn.kernel_ridge
from mercer import _core
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

iris_X, iris_y = load_iris(return_X_y=True)
cancer_X, cancer_y = load_breast_cancer(return_X_y=True)
cancer_X = StandardScaler().fit_transform(cancer_X)
moons_X, moons_y = make_moons(200, noise=0.2, random_state=0)
numbers = np.sin(3 * moons_X[:, 0]) + moons_X[:, 1]

CLASSIFIERS = [mercer.SVC(), mercer.NuSVC(nu=0.2), mercer.KernelPerceptron(averaged=True)]
REGRESSORS = [
    mercer.SVR(),
    mercer.NuSVR(),
    mercer.KernelRidge(kernel="rbf"),
    mercer.KernelLeastSquares(),
]
ALL = [*CLASSIFIERS, *REGRESSORS, mercer.OneClassSVM()]
name_of = lambda e: type(e).__name__


def targets(estimator, X=moons_X):
    if (
        estimator in CLASSIFIERS
        or hasattr(estimator, "break_ties")
        or isinstance(estimator, mercer.KernelPerceptron)
    ):
        return moons_y
    return numbers


def scores(fitted, X):
    f = fitted.decision_function if hasattr(fitted, "decision_function") else fitted.predict
    return f(X)


# ---- right answers, by conditions that know nothing of the solver


def dual_violation(K, y, alpha, C):
    """Of the optimality conditions of C-classification, by the definition."""
    gradient = y - K @ (alpha * y)  # y_i (1 - y_i f(x_i)), without b
    up = ((y > 0) & (alpha < C)) | ((y < 0) & (alpha > 0))
    down = ((y > 0) & (alpha > 0)) | ((y < 0) & (alpha < C))
    return gradient[up].max() - gradient[down].min()


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_svc_is_optimal(C, weighted):
    w = np.random.default_rng(0).uniform(0.1, 3, len(cancer_y)) if weighted else None
    clf = mercer.SVC(kernel="rbf(0.02)", C=C).fit(cancer_X, cancer_y, sample_weight=w)
    y = np.where(cancer_y == 1, 1.0, -1.0)
    alpha = np.zeros(len(y))
    alpha[clf.support_] = clf.dual_coef_[0] * y[clf.support_]
    limit = C * (np.ones(len(y)) if w is None else w)
    assert alpha.min() >= 0 and (alpha <= limit * (1 + 1e-12)).all()
    assert abs(alpha @ y) < 1e-9
    assert dual_violation(rbf_kernel(cancer_X, gamma=0.02), y, alpha, limit) < 2e-3
    f = rbf_kernel(cancer_X, clf.support_vectors_, gamma=0.02) @ clf.dual_coef_[0] + clf.intercept_
    np.testing.assert_allclose(clf.decision_function(cancer_X), f, rtol=1e-9, atol=1e-11)


def test_pairs_of_classes_are_machines_of_their_own():
    clf = mercer.SVC(kernel="rbf(0.5)", tol=1e-8, decision_function_shape="ovo").fit(iris_X, iris_y)
    f = clf.decision_function(iris_X)
    for column, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        two = np.isin(iris_y, (a, b))
        alone = mercer.SVC(kernel="rbf(0.5)", tol=1e-8).fit(iris_X[two], iris_y[two])
        np.testing.assert_allclose(f[:, column], -alone.decision_function(iris_X), atol=1e-6)


@pytest.mark.parametrize(
    "kernel", ["linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "chi2"]
)
@pytest.mark.parametrize("gamma", [None, 0.3])
def test_kernel_ridge_is_theirs(kernel, gamma):
    """With the same words for kernels, on data where all of them are defined."""
    if kernel == "chi2" and gamma is None:
        pytest.skip("theirs takes no gamma=None for chi2")
    X = np.abs(iris_X)
    y = np.column_stack([iris_X[:, 0] ** 2, iris_X[:, 1]])
    w = np.random.default_rng(0).uniform(0.5, 2, len(X))
    ours = mercer.KernelRidge(alpha=[0.7, 2.0], kernel=kernel, gamma=gamma).fit(
        X, y, sample_weight=w
    )
    theirs = sklearn.kernel_ridge.KernelRidge(alpha=[0.7, 2.0], kernel=kernel, gamma=gamma)
    theirs.fit(X, y, sample_weight=w)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6, atol=1e-7)


def test_leave_one_out():
    X, y = moons_X[:40], numbers[:40]
    ridge = mercer.KernelRidge(alpha=0.1, kernel="rbf(1)", leave_one_out=True).fit(X, y)
    for i in (0, 17, 39):
        rest = np.arange(40) != i
        without = mercer.KernelRidge(alpha=0.1, kernel="rbf(1)").fit(X[rest], y[rest])
        assert ridge.leave_one_out_[i] == pytest.approx(
            y[i] - without.predict(X[i : i + 1])[0], abs=1e-8
        )


def test_perceptron_is_the_plain_one():
    y = np.where(moons_y == 1, 1.0, -1.0)
    K = rbf_kernel(moons_X, gamma=2.0)
    alpha = np.zeros(len(y))
    mistakes = []
    for _ in range(20):
        wrong = 0
        for i in range(len(y)):
            if y[i] * (K[i] @ (alpha * y)) <= 0:
                alpha[i] += 1
                wrong += 1
        mistakes.append(wrong)
        if wrong == 0:
            break
    p = mercer.KernelPerceptron(kernel="rbf(2)", passes=20).fit(moons_X, moons_y)
    assert p.mistakes_.tolist() == mistakes
    assert np.array_equal(p.alpha_[0], alpha)


def test_gradient_descent_steps():
    X, y = moons_X[:30], numbers[:30]
    K = rbf_kernel(X, gamma=1.0) + 1
    alpha = np.zeros(30)
    for _ in range(5):
        alpha = alpha - 0.01 * 2 * (K @ alpha - y)
    g = mercer.KernelLeastSquares(kernel="rbf(1)", step=0.01, passes=5).fit(X, y)
    np.testing.assert_allclose(g.dual_coef_, alpha, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("table", [np.asarray, sparse.csr_array])
def test_no_support_vectors(table):
    """Where all y are the same, nothing supports the rule: it is its offset."""
    X = table(moons_X)
    assert mercer.SVR().fit(X, np.full(200, 7.0)).predict(X[:3]).tolist() == [7, 7, 7]


def test_numbers_as_points():
    """In one dimension x and z are numbers in the language."""
    X = moons_X[:, :1]
    wanted = mercer.SVC(kernel=mercer.kernel("cos(x - z) + 2", dim=1)).fit(X, moons_y)
    said = mercer.SVC(kernel="cos(x - z) + 2").fit(X, moons_y)
    assert np.array_equal(said.decision_function(X), wanted.decision_function(X))
    with pytest.raises(mercer.ParseError, match="a vector of dimension 2"):
        mercer.SVC(kernel="cos(x - z) + 2").fit(moons_X, moons_y)


def test_many_threads_of_python():
    from concurrent.futures import ThreadPoolExecutor

    fit = lambda C: mercer.SVC(C=C).fit(moons_X, moons_y).decision_function(moons_X)
    with ThreadPoolExecutor(4) as pool:
        for C, f in zip([1, 2] * 8, pool.map(fit, [1, 2] * 8), strict=True):
            assert np.array_equal(f, fit(C))


def test_probabilities():
    clf = mercer.SVC(probability=True, random_state=1).fit(iris_X, iris_y)
    p = clf.predict_proba(iris_X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (np.argmax(p, axis=1) == iris_y).mean() > 0.95
    again = mercer.SVC(probability=True, random_state=1, n_jobs=1).fit(iris_X, iris_y)
    assert np.array_equal(again.predict_proba(iris_X), p)
    two = mercer.SVC(probability=True).fit(cancer_X, cancer_y)
    f, q = two.decision_function(cancer_X), two.predict_proba(cancer_X)[:, 1]
    np.testing.assert_allclose(q, 1 / (1 + np.exp(two.probA_[0] * f + two.probB_[0])))
    assert (np.diff(q[np.argsort(f)]) >= 0).all()


# ---- kernels of every kind


@pytest.mark.parametrize("estimator", ALL, ids=name_of)
def test_a_kernel_in_five_ways(estimator):
    """As a word, in the language, as an object, as a function, as a matrix: the same rule."""
    y = targets(estimator)
    if "tol" in estimator.get_params():
        estimator = clone(estimator).set_params(tol=1e-8)
    split = 150
    X, T = moons_X[:split], moons_X[split:]
    fit = lambda **how: clone(estimator).set_params(**how).fit(how.pop("X", X), y[:split])
    wanted = scores(fit(kernel="rbf", gamma=0.8), T)
    function = lambda a, b: rbf_kernel(a, b, gamma=0.8)
    for kernel in ("rbf(0.8)", "exp(-0.8*|x-z|^2)", mercer.rbf(0.8), function):
        np.testing.assert_allclose(scores(fit(kernel=kernel), T), wanted, rtol=1e-5, atol=1e-6)
    matrix = clone(estimator).set_params(kernel="precomputed").fit(function(X, X), y[:split])
    np.testing.assert_allclose(scores(matrix, function(T, X)), wanted, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="150"):
        scores(matrix, function(T, X)[:, :20])


@pytest.mark.parametrize("estimator", ALL, ids=name_of)
@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_columns_by_name(estimator, frame):
    y = targets(estimator)
    table = frame({"age": moons_X[:, 0], "size": moons_X[:, 1]})
    named = clone(estimator).set_params(kernel='rbf(1)["size"]').fit(table, y)
    alone = clone(estimator).set_params(kernel="rbf(1)").fit(moons_X[:, 1:], y)
    np.testing.assert_allclose(
        scores(named, table), scores(alone, moons_X[:, 1:]), rtol=1e-6, atol=1e-8
    )
    with pytest.raises(ValueError, match="names columns"):
        clone(estimator).set_params(kernel='rbf(1)["size"]').fit(moons_X, y)


@pytest.mark.parametrize("estimator", ALL, ids=name_of)
def test_sparse_and_single(estimator):
    y = targets(estimator)
    estimator = clone(estimator).set_params(kernel="rbf(1)")
    wanted = scores(clone(estimator).fit(moons_X, y), moons_X)
    thin = clone(estimator).fit(sparse.csr_array(moons_X), y)
    np.testing.assert_allclose(
        scores(thin, sparse.csr_array(moons_X)), wanted, rtol=1e-6, atol=1e-8
    )
    single = clone(estimator).fit(moons_X.astype("f4"), y)
    np.testing.assert_allclose(
        scores(single, moons_X.astype("f4")), wanted, atol=0.02 * np.abs(wanted).max()
    )


def test_digits_with_a_product_of_kernels():
    X, y = load_digits(return_X_y=True)
    clf = mercer.SVC(kernel="rbf(0.0005) * poly(2, c=100)", C=10).fit(X[:1200] / 1.0, y[:1200])
    assert clf.score(X[1200:], y[1200:]) > 0.95
    assert clf.n_support_.sum() == len(clf.support_) and len(clf.n_iter_) == 45


# ---- in company


@pytest.mark.parametrize("estimator", ALL, ids=name_of)
def test_pickle_joblib_clone(estimator, tmp_path):
    y = targets(estimator)
    kernel = mercer.rbf(1) * mercer.poly(2)
    fitted = clone(estimator).set_params(kernel=kernel).fit(moons_X, y)
    wanted = scores(fitted, moons_X)
    assert np.array_equal(scores(pickle.loads(pickle.dumps(fitted)), moons_X), wanted)
    joblib.dump(fitted, tmp_path / "model")
    assert np.array_equal(scores(joblib.load(tmp_path / "model"), moons_X), wanted)
    copied = clone(fitted)
    assert copied.kernel == kernel and not hasattr(copied, "kernel_")
    with pytest.raises(NotFittedError):
        scores(copied, moons_X)


@pytest.mark.parametrize("estimator", ALL, ids=name_of)
def test_deterministic(estimator):
    """The same bits, whatever the number of threads."""
    y = targets(estimator)
    first = scores(clone(estimator).set_params(n_jobs=1).fit(moons_X, y), moons_X)
    second = scores(clone(estimator).set_params(n_jobs=2).fit(moons_X, y), moons_X)
    assert np.array_equal(first, second)


def test_pipeline_and_search():
    pipe = make_pipeline(StandardScaler(), mercer.SVC())
    grid = {"svc__kernel": ["rbf(0.1)", mercer.rbf(1), "rbf(1)*poly(2)"], "svc__C": [1, 10]}
    search = GridSearchCV(pipe, grid, cv=3, n_jobs=2).fit(iris_X, iris_y)
    assert search.best_score_ > 0.93
    assert (
        cross_val_score(mercer.SVC(kernel="precomputed"), rbf_kernel(iris_X), iris_y).mean() > 0.93
    )


def test_polynomial_map_is_the_kernel():
    phi = mercer.PolynomialMap("poly(3)").fit(moons_X)
    image = phi.transform(moons_X)
    np.testing.assert_allclose(image @ image.T, mercer.poly(3)(moons_X), rtol=1e-10, atol=1e-12)
    kernel = mercer.KernelRidge(kernel="poly(3)", alpha=0.5).fit(moons_X, numbers)
    linear = mercer.KernelRidge(kernel="linear", alpha=0.5).fit(image, numbers)
    np.testing.assert_allclose(kernel.predict(moons_X), linear.predict(image), rtol=1e-6, atol=1e-8)
    with pytest.raises(ValueError, match="no finite map"):
        mercer.PolynomialMap("rbf(1)").fit(moons_X)
    with pytest.raises(ValueError, match="more than the limit of 3"):
        mercer.PolynomialMap("poly(3)", limit=3).fit(moons_X)
    with pytest.raises(ValueError, match="no features"):
        mercer.PolynomialMap("x.z - 1").fit(moons_X)


# ---- parameters and mistakes

# What is not said is as in the core.
DEFAULTS = [
    (mercer.SVC, _core.SvmOptions, {"C": "C", "tol": "tolerance", "shrinking": "shrinking"}),
    (mercer.NuSVC, _core.SvmOptions, {"nu": "nu"}),
    (mercer.SVR, _core.SvmOptions, {"C": "C", "epsilon": "epsilon", "tol": "tolerance"}),
    (mercer.KernelRidge, _core.RidgeOptions, {"alpha": "price", "tol": "tolerance"}),
    (mercer.KernelPerceptron, _core.PerceptronOptions,
     {n: n for n in ("passes", "shuffle", "margin", "averaged", "budget")}),
    (mercer.KernelLeastSquares, _core.GradientDescentOptions,
     {"tol": "tolerance"}
     | {n: n for n in "passes step momentum batch held_out patience eigenvectors".split()}),
]  # fmt: skip


@pytest.mark.parametrize(
    "estimator, options, names", DEFAULTS, ids=lambda v: getattr(v, "__name__", "")
)
def test_defaults_are_those_of_the_core(estimator, options, names):
    parameters = inspect.signature(estimator).parameters
    for ours, theirs in names.items():
        assert parameters[ours].default == getattr(options(), theirs), ours
    if "cache_size" in parameters:
        assert parameters["cache_size"].default * 2**20 == options().memory


@pytest.mark.parametrize(
    "estimator, words",
    [
        (mercer.SVC(C=-1), "C must be a number > 0"),
        (mercer.SVC(C="a"), "C must be a number, not 'a'"),
        (mercer.SVC(tol=0), "tolerance must be a number > 0"),
        (mercer.SVC(kernel="rfb"), "did you mean 'rbf'"),
        (mercer.SVC(kernel="rbf(?)"), "open parameter"),
        (mercer.SVC(kernel="x3*z3"), "dimension"),
        (mercer.SVC(kernel=3), "kernel must be text"),
        (mercer.SVC(gamma="wide"), "gamma must be"),
        (mercer.SVC(gamma=-1), "gamma must be"),
        (mercer.SVC(degree=1.5, kernel="poly"), "degree must be"),
        (mercer.SVC(max_iter=0), "max_iter must be"),
        (mercer.SVC(cache_size=0), "cache_size must be"),
        (mercer.SVC(precision="half"), "precision must be"),
        (mercer.SVC(n_jobs=0), "n_jobs must be a number of threads"),
        (mercer.SVC(decision_function_shape="x"), "decision_function_shape must be"),
        (mercer.SVC(random_state=-1), "random_state must not be negative"),
        (mercer.SVC(kernel=lambda a, b: np.ones((2, 2))), "200 samples"),
        (mercer.NuSVC(nu=0), r"nu must be in \(0, 1\]"),
        (mercer.NuSVC(nu=1, class_weight={0: 10}), "too large"),
        (mercer.SVR(epsilon=-1), "epsilon must be a number >= 0"),
        (mercer.KernelRidge(alpha=0), "lambda"),
        (mercer.KernelRidge(alpha=[1, 2, 3]), "one for each of the 1 columns"),
        (mercer.KernelLeastSquares(passes=0), "passes must be"),
        (mercer.KernelLeastSquares(momentum=1), "momentum"),
        (mercer.KernelLeastSquares(step=100), "."),
        (mercer.KernelPerceptron(passes=1.5), "passes must be"),
        (mercer.KernelPerceptron(margin=np.nan), "margin"),
    ],
    ids=lambda v: repr(v)[:60],
)
def test_mistakes(estimator, words):
    with pytest.raises(ValueError, match=words):
        estimator.fit(moons_X, moons_y)
    with pytest.raises(NotFittedError):
        estimator.predict(moons_X)


def test_not_converged_is_said():
    with pytest.warns(ConvergenceWarning, match="stopped after 3 moves"):
        clf = mercer.SVC(max_iter=3).fit(cancer_X, cancer_y)
    assert clf.fit_status_ == 1 and not clf.converged_ and clf.n_iter_.tolist() == [3]


def test_joblib_workers_share_the_machine(monkeypatch):
    from mercer._points import thread_count

    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert thread_count(None) == 3 and thread_count(2) == 2
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert thread_count(None) == 0 and thread_count(-1) >= 1


@pytest.mark.parametrize(
    "machine",
    [
        mercer.SVC(),
        mercer.NuSVC(nu=0.02),
        mercer.SVR(),
        mercer.OneClassSVM(nu=0.02),
        mercer.KernelRidge(),
        mercer.KernelLeastSquares(),
        mercer.KernelPerceptron(),
    ],
    ids=lambda machine: type(machine).__name__,
)
def test_training_and_predicting_do_not_copy_float32_in_c_order(machine):
    # Two clouds far apart: few points are support vectors, which are the user's to keep.
    labels = np.arange(2000) % 2
    wide = 0.1 * np.random.default_rng(3).normal(size=(2000, 800)) + labels[:, np.newaxis]
    wide = wide.astype(np.float32)
    for call in (lambda: machine.fit(wide, labels), lambda: machine.predict(wide)):
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < wide.nbytes / 3, (peak, wide.nbytes)
