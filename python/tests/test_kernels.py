"""Kernels as objects: algebra, text, values on every kind of table, verdicts and features."""

import copy
import inspect
import pickle
import subprocess
import sys
import tracemalloc
from fractions import Fraction

import mercer
import numpy as np
import pandas
import polars
import pytest
from mercer import _core
from mercer._points import points
from scipy import sparse

rng = np.random.default_rng(7)
X = rng.normal(size=(40, 3))
Z = rng.normal(size=(25, 3))


def plain(formula, x, z):
    return np.array([[formula(a, b) for b in z] for a in x])


# A kernel and its formula in plain NumPy.
FORMULAS = [
    (mercer.linear(), lambda a, b: a @ b),
    (mercer.rbf(0.5), lambda a, b: np.exp(-0.5 * ((a - b) ** 2).sum())),
    (mercer.rbf(sigma=2), lambda a, b: np.exp(-((a - b) ** 2).sum() / 8)),
    (mercer.poly(2, c=3), lambda a, b: (a @ b + 3) ** 2),
    (mercer.laplacian(0.3), lambda a, b: np.exp(-0.3 * np.abs(a - b).sum())),
    (mercer.sigmoid(0.1, c=-1), lambda a, b: np.tanh(0.1 * (a @ b) - 1)),
    (mercer.rbf(1)[0:2], lambda a, b: np.exp(-((a[:2] - b[:2]) ** 2).sum())),
    (mercer.linear()[2] ** 2 / 4, lambda a, b: (a[2] * b[2]) ** 2 / 4),
    (1 - 2 * mercer.linear(), lambda a, b: 1 - 2 * (a @ b)),
    (
        mercer.rbf(0.5) * mercer.poly(2) + 0.1 * mercer.linear(),
        lambda a, b: np.exp(-0.5 * ((a - b) ** 2).sum()) * (1 + a @ b) ** 2 + 0.1 * (a @ b),
    ),
]


@pytest.mark.parametrize(
    "k, formula", FORMULAS, ids=lambda v: str(v) if isinstance(v, mercer.Kernel) else ""
)
def test_values(k, formula):
    wanted = plain(formula, X, Z)
    np.testing.assert_allclose(k(X, Z), wanted, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(k(X), plain(formula, X, X), rtol=1e-10, atol=1e-12)
    single = k(X.astype("f4"), Z.astype("f4"))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, wanted, rtol=2e-3, atol=1e-4)
    assert eval(repr(k)) == k
    assert pickle.loads(pickle.dumps(k)) == k
    assert copy.deepcopy(k) == k and hash(copy.copy(k)) == hash(k)


@pytest.mark.parametrize(
    "table",
    [
        lambda a: np.asfortranarray(a),
        lambda a: np.repeat(a, 2, axis=1)[:, ::2],  # rows not in one piece
        lambda a: np.flip(np.flip(a, axis=0).copy(), axis=0),  # a negative stride
        lambda a: np.vstack([a, a])[: len(a)],
        lambda a: a.tolist(),
        lambda a: a.astype(">f8"),
        sparse.csr_matrix,
        sparse.csr_array,
        sparse.csc_array,
        sparse.coo_matrix,
        lambda a: pandas.DataFrame(a, columns=list("abc")),
        lambda a: polars.DataFrame(a, schema=list("abc")),
    ],
)
def test_every_kind_of_table(table):
    k = mercer.rbf(0.5) * mercer.poly(2)
    wanted = k(X, Z)
    np.testing.assert_allclose(k(table(X), table(Z)), wanted, rtol=1e-11)
    np.testing.assert_allclose(k(table(X)), k(X), rtol=1e-11)


def test_no_points():
    assert mercer.rbf(1)(X[:0], Z).shape == (0, 25)
    assert mercer.rbf(1)(X, Z[:0]).shape == (40, 0)
    assert mercer.rbf(1)(sparse.csr_array((0, 3)), Z).shape == (0, 25)


def test_whole_numbers_are_not_floats():
    assert mercer.linear()(np.array([[2, 3]], dtype=np.int8))[0, 0] == 13
    assert mercer.linear()(np.array([[True, False]]))[0, 0] == 1


def test_unsorted_sparse_rows():
    a = sparse.csr_array((np.array([1.0, 2.0]), np.array([2, 0]), np.array([0, 2])), shape=(1, 3))
    assert mercer.linear()[0](a)[0, 0] == 4
    assert a.indices.tolist() == [2, 0]  # the user's own stays as it was


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_columns_by_name(frame):
    table = frame({"age": X[:, 0], "income": X[:, 1]})
    k = mercer.rbf(1)["age"] * mercer.linear()["income"]
    wanted = mercer.rbf(1)(X[:, :1]) * mercer.linear()(X[:, 1:2])
    np.testing.assert_allclose(k(table), wanted, rtol=1e-11)
    with pytest.raises(ValueError, match="size"):
        mercer.rbf(1)["size"](table)
    # The same columns in another order, also where the kernel does not name them.
    other = frame({"income": X[:, 1], "age": X[:, 0]})
    np.testing.assert_array_equal(k(table, other), k(table))
    both = mercer.poly(2) * mercer.rbf(1)[0]
    np.testing.assert_array_equal(both(table, other), both(table))
    with pytest.raises(ValueError, match="different columns"):
        k(table, frame({"age": X[:, 0], "size": X[:, 1]}))
    with pytest.raises(ValueError, match="different columns"):
        k(table, X)
    with pytest.raises(ValueError, match="names columns.*give a frame"):
        k(X)
    with pytest.raises(ValueError, match="names columns.*give a frame"):
        mercer.SVC(kernel=k).fit(X, X[:, 0] > 0)


def test_several_columns():
    assert mercer.rbf(1)[["a", "b"]] == mercer.kernel('rbf(1)["a","b"]')
    assert mercer.rbf(1)[[0, 2]] == mercer.kernel("rbf(1)[1,3]")
    for bad in (["a", 1], [1.5], 1.5, None):
        with pytest.raises(TypeError, match="columns are names or positions"):
            mercer.rbf(1)[bad]


def test_a_kernel_is_no_sequence():
    """Although it has columns: k[0], k[1], … would never end."""
    k = mercer.rbf(1)
    with pytest.raises(TypeError):
        list(k)
    with pytest.raises(TypeError):
        1 in k  # noqa: B015


def test_float32_in_c_order_is_not_copied():
    a = rng.normal(size=(1000, 16)).astype("f4")
    assert points(a).address == a.ctypes.data
    assert points(a[::3]).address == a.ctypes.data  # every third row: seen in place
    assert points(a[10:]).address == a[10:].ctypes.data
    b = a.astype("f8")
    assert points(b).address == b.ctypes.data
    assert points(np.asfortranarray(a)).address != a.ctypes.data
    s = sparse.random_array((50, 8), density=0.3, format="csr", dtype="f4", random_state=0)
    assert points(s).address == s.data.ctypes.data
    # Nor on the way there, by a kernel or by an estimator: NumPy reports what it allocates.
    large = rng.normal(size=(20_000, 64)).astype("f4")
    y = np.sign(large[:, 0]) + 0.0
    few = large[:4]
    machine = mercer.SVC(max_iter=1, kernel="linear")
    with pytest.warns():
        machine.fit(large[:200], y[:200])
    for call in (lambda: mercer.rbf(1)(few, large), lambda: machine.decision_function(large)):
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < large.nbytes / 8, (peak, large.nbytes)


@pytest.mark.parametrize(
    "bad, words",
    [
        ([1.0, 2.0], "two dimensions, not 1"),
        ([[np.nan]], "finite"),
        ([[1j]], "real numbers"),
        ([["a"]], "real numbers"),
        (sparse.csr_array(np.array([[np.inf]])), "finite"),
        ([[1.0, 2.0], [3.0]], "rows of a table.*one has 2 coordinates and another 1"),
    ],
)
def test_bad_points(bad, words):
    with pytest.raises(ValueError, match=words):
        mercer.rbf(1)(bad)


def test_bad_kernels():
    with pytest.raises(mercer.ParseError, match=r"(?s)column 5: unknown name 'rfb'.*\n.*\^~~"):
        mercer.kernel("2 * rfb(1)")
    with pytest.raises(ValueError, match="dimension 3 and of dimension 2"):
        mercer.rbf(1)(X, Z[:, :2])
    with pytest.raises(mercer.EvaluationError, match="rows 1 and 1"):
        mercer.kernel("log(x.z)")(np.array([[0.0]]))
    with pytest.raises(ValueError, match="open parameter"):
        mercer.rbf("?")(X)
    with pytest.raises(ValueError, match="nu must be > 0"):
        mercer.matern(nu=-1)
    with pytest.raises(TypeError):
        mercer.kernel([1])
    with pytest.raises(TypeError):
        mercer.rbf(1) + "1"
    with pytest.raises(AttributeError, match="immutable"):
        mercer.rbf(1).name = "a"
    for jobs in (0, 1.5, "two", True):
        with pytest.raises(ValueError, match="n_jobs"):
            mercer.rbf(1)(X, n_jobs=jobs)


@pytest.mark.parametrize("dim", [0, -1, 1.5, "two"])
def test_bad_dimensions(dim):
    k = mercer.poly(2)
    for call in (
        lambda: mercer.kernel("poly(2)", dim=dim),
        lambda: k.prove(dim=dim),
        lambda: k.features(dim=dim),
        lambda: k.properties(dim),
        lambda: mercer.kernel_of("[x1]", dim=dim),
    ):
        with pytest.raises(ValueError, match="dimension"):
            call()


def test_open_parameters():
    k = mercer.rbf("?") + mercer.poly(degree=2, c="?[0,1]")
    assert k.open_parameters == [("poly", "c"), ("rbf", "gamma")]  # in the order of the text
    assert k.with_parameters(1, 0.5) == mercer.rbf(0.5) + mercer.poly(2)
    assert eval(repr(k)) == k


def test_catalogue():
    """Functions, their signatures and the stub are those of the catalogue."""
    for name, parameters, formula, _, summary in _core.catalogue():
        function = getattr(mercer, {"const": "constant"}.get(name, name))
        assert list(inspect.signature(function).parameters) == [p[0] for p in parameters]
        assert function() == mercer.kernel(name)
        assert formula in function.__doc__ and summary[1:] in function.__doc__
    module = sys.modules["mercer._named"]
    stub = (__import__("pathlib").Path(module.__file__).with_suffix(".pyi")).read_text()
    assert stub == module.stub()


def test_threads_do_not_matter():
    k = mercer.kernel("rbf(0.5)*poly(2)")
    a = rng.normal(size=(700, 5)).astype("f4")
    assert np.array_equal(k(a, n_jobs=1), k(a, n_jobs=2))


def test_user_functions():
    def overlap(x, z):
        return float((x == z).sum())

    k = 3 * mercer.user("test overlap", overlap)
    try:
        a = rng.integers(0, 2, size=(30, 4)).astype(float)
        np.testing.assert_allclose(k(a), 3 * plain(overlap, a, a))
        assert eval(repr(k)) == k
        with pytest.raises(ValueError, match="registered already"):
            mercer.user("test overlap", overlap)
        clf = mercer.SVC(kernel=k).fit(a, a[:, 0])
        assert clf.score(a, a[:, 0]) > 0.8
        stored = pickle.dumps(k)
    finally:
        mercer.forget_user("test overlap")
    with pytest.raises(ValueError, match="test overlap"):
        pickle.loads(stored)


def test_user_functions_end_with_python():
    """A function that sees its kernel is let go of in time: nothing is said of leaks."""
    code = """
import mercer
def double(x, z):
    return 2 * float(x @ z) + 0 * len(str(k))
k = mercer.user("double", double) + mercer.rbf(1)
machine = mercer.SVC(kernel=k).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_an_error_in_a_user_function_arrives():
    def fails(x, z):
        raise KeyError("my own")

    k = mercer.user("test fails", fails)
    try:
        with pytest.raises(KeyError, match="my own"):
            k(X)
        with pytest.raises(KeyError, match="my own"):
            mercer.SVC(kernel=k).fit(X, X[:, 0] > 0)
    finally:
        mercer.forget_user("test fails")


# ---- verdicts


def test_kernel():
    v = mercer.kernel("rbf(1)*poly(2)").prove()
    assert v.verdict == "kernel" and v
    assert v.derivation["rule"] and {r[0] for r in v.rules} >= {v.derivation["rule"]}
    assert str(v).startswith("rbf(1)*poly(2) is a kernel on R.")


def test_not_a_kernel():
    """The witness is one: recomputed here in fractions."""
    v = mercer.kernel("(1 - x.z)^3").prove(dim=2)
    assert v.verdict == "not a kernel" and not v
    xs = [[Fraction(c) for c in p] for p in v.witness["points"]]
    a = [Fraction(c) for c in v.witness["coefficients"]]
    k = lambda x, z: (1 - sum(s * t for s, t in zip(x, z, strict=True))) ** 3
    total = sum(a[i] * a[j] * k(xs[i], xs[j]) for i in range(len(a)) for j in range(len(a)))
    assert total < 0 and Fraction(v.witness["value"]) == total


def test_domains_and_dimensions():
    assert mercer.kernel("min(x,z)").prove(over="R+")
    assert not mercer.kernel("min(x,z)").prove(over="R")
    assert mercer.kernel("cos(x - z)", dim=1).prove(dim=1)
    with pytest.raises(mercer.ParseError):
        mercer.rbf(1).prove(over="somewhere")
    with pytest.raises(ValueError):
        mercer.kernel("x3*z3").prove(dim=2)


def test_asymmetric():
    v = mercer.kernel("x1").prove()
    assert v.witness["coefficients"] == [] and "not symmetric" in str(v)
    assert r"\ne" in v._repr_latex_()


def test_unknown_is_neither():
    v = mercer.rbf(1).prove(timeout=1e-9)
    assert v.verdict == "unknown" and v.derivation is None and v.witness is None
    with pytest.raises(ValueError, match="unknown"):
        bool(v)
    assert v.tried and all(f"- {t}" in str(v) for t in v.tried)
    v.tried = ["<a guess>"]
    assert "&lt;a guess&gt;" in v._repr_html_()
    assert "unknown" in v._repr_latex_()


@pytest.mark.parametrize("text", ["rbf(1)*poly(2)", "tanh(x.z)", "x1", "x.z - 1"])
def test_notebooks(text):
    from html.parser import HTMLParser

    k = mercer.kernel(text)
    v = k.prove()
    open_tags = []

    class Balanced(HTMLParser):
        def handle_starttag(self, tag, attributes):
            open_tags.append(tag)

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Balanced().feed(v._repr_html_())
    assert not open_tags
    latex = v._repr_latex_()
    assert latex.count("$") % 2 == 0 and latex.count("{") == latex.count("}")
    assert latex.count(r"\begin") == latex.count(r"\end")
    assert latex.count("quad ") == latex.count(r"\quad ")
    from matplotlib.mathtext import MathTextParser

    MathTextParser("path").parse(k._repr_latex_().replace(r"\displaystyle", ""))


# ---- features


@pytest.mark.parametrize(
    "text, dim", [("poly(3)", 2), ("subsets", 3), ("linear + linear^2", 2), ("anova(2)", 4)]
)
def test_features_multiply_to_the_kernel(text, dim):
    k = mercer.kernel(text)
    phi = k.features(dim=dim)
    assert phi.kind == "finite" and phi.exact and len(phi) == int(phi.count)
    a = rng.normal(size=(10, dim))
    np.testing.assert_allclose(phi(a) @ phi(a).T, k(a), rtol=1e-10, atol=1e-12)
    b = mercer.kernel_of("[" + ", ".join(phi.coordinates) + "]", dim)
    np.testing.assert_allclose(b(a), k(a), rtol=1e-9, atol=1e-12)
    assert phi._repr_latex_().count("{") == phi._repr_latex_().count("}")


def test_other_features():
    infinite = mercer.rbf(0.5).features(dim=1, terms=6)
    assert infinite.kind == "infinite" and "infinitely many" in repr(infinite)
    a = np.array([[0.3], [0.5]])
    assert np.abs(infinite(a) @ infinite(a).T - mercer.rbf(0.5)(a)).max() < 1e-5
    none = mercer.kernel("x.z - 1").features(dim=2)
    assert none.kind == "none"
    with pytest.raises(ValueError, match="no features"):
        none([[1, 2]])
    many = mercer.poly(9).features(dim=9, coordinates=10)
    assert not many.complete and len(many) == 10
    with pytest.raises(ValueError, match="10 of 48620"):
        many(np.zeros((1, 9)))
