"""Choosing a kernel, its parameters and the price by cross-validation, with the work shared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, column_or_1d

from . import _core
from ._checks import how_to_read
from ._kernel import Kernel, kernel
from ._machine import number, seed_from, whole
from ._points import column_names, points, refuse_text, thread_count

Step = dict[str, Any]


class Tuned:
    """What a search has found: see :func:`mercer.tune`.

    Attributes
    ----------
    kernel : the best one, a mercer.Kernel without open parameters.
    parameters : what stands in the place of those that were open, by name.
    C, alpha : the best price: C of support vectors, alpha of ridge; the other one is None.
    score, metric : the mean over the folds that it was chosen by.
    estimator : the machine with them, learned from all rows (``refit=True``), else not fitted.
    candidates : all that was tried, in this order: dictionaries.
    best_index : the place of the best one.
    task, learner : "classification" or "regression"; "svm" or "ridge".
    rows : that took part in the last comparison. kernel_values : computed in all.
    interrupted : ended by the callback or a budget. story, notes : what was tried, in words.

    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.tune(X, y, "rbf(gamma=?)", grid={"gamma": [0.01, 0.1], "C": [1, 10]})
    >>> sorted(found.candidates[0])[:4], len(found.candidates)
    (['C', 'by_fold', 'converged', 'deviation'], 4)
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        self.metric: str = facts["metric"]
        self.more_is_better: bool = facts["more_is_better"]
        self.task: str = facts["task"]
        self.learner: str = facts["learner"]
        self.rows: int = facts["rows"]
        self.kernel_values: float = facts["kernel_values"]
        self.interrupted: bool = facts["interrupted"]
        self.story: list[str] = facts["story"]
        self.notes: list[str] = facts["notes"]
        self.best_index: int = facts["chosen"]
        price = self.price_name
        self.candidates: list[dict[str, Any]] = [
            {
                "kernel": Kernel._of(c["kernel"]),
                "parameters": dict(c["parameters"]),
                price: c["price"],
                "score": c["score"],
                "deviation": c["deviation"],
                "by_fold": np.asarray(c["by_fold"]),
                "rows": c["rows"],
                "support": c["support"],
                "converged": c["converged"],
            }
            for c in facts["candidates"]
        ]
        self.estimator: Any = None

    @property
    def price_name(self) -> str:
        """ "C" or "alpha"."""
        return "alpha" if self.learner == "ridge" else "C"

    @property
    def best(self) -> dict[str, Any]:
        """The best candidate."""
        return self.candidates[self.best_index]

    @property
    def kernel(self) -> Kernel:
        k: Kernel = self.best["kernel"]
        return k

    @property
    def parameters(self) -> dict[str, float]:
        found: dict[str, float] = self.best["parameters"]
        return found

    @property
    def C(self) -> float | None:
        return self.best.get("C")

    @property
    def alpha(self) -> float | None:
        return self.best.get("alpha")

    @property
    def score(self) -> float:
        return float(self.best["score"])

    @property
    def ranked(self) -> list[dict[str, Any]]:
        """The candidates of the last comparison, the best first."""
        sign = -1 if self.more_is_better else 1
        last = [c for c in self.candidates if c["rows"] == self.best["rows"]]
        ordered = sorted(last, key=lambda c: sign * c["score"])
        ordered.remove(self.best)
        return [self.best, *ordered]

    @property
    def cv_results_(self) -> dict[str, Any]:
        """All candidates in columns, with the names that GridSearchCV gives them."""
        all_ = self.candidates
        sign = 1 if self.more_is_better else -1
        scores = np.array([c["score"] for c in all_])
        columns: dict[str, Any] = {
            "params": [
                {"kernel": str(c["kernel"]), self.price_name: c[self.price_name]} for c in all_
            ],
            "param_kernel": np.array([str(c["kernel"]) for c in all_], dtype=object),
            f"param_{self.price_name}": np.array([c[self.price_name] for c in all_]),
            "mean_test_score": sign * scores,
            "std_test_score": np.array([c["deviation"] for c in all_]),
            "rank_test_score": np.array(
                [1 + int((sign * scores > sign * s).sum()) for s in scores]
            ),
            "n_resources": np.array([c["rows"] for c in all_]),
            "n_support": np.array([c["support"] for c in all_]),
            "converged": np.array([c["converged"] for c in all_]),
        }
        for fold in range(max((len(c["by_fold"]) for c in all_), default=0)):
            columns[f"split{fold}_test_score"] = np.array(
                [sign * c["by_fold"][fold] if fold < len(c["by_fold"]) else np.nan for c in all_]
            )
        return columns

    def to_pandas(self) -> Any:
        """A pandas frame with a row for each candidate, in the order in which they were tried."""
        import pandas

        rows = [
            {
                "kernel": str(c["kernel"]),
                **{name: value for name, value in c["parameters"].items()},
                self.price_name: c[self.price_name],
                self.metric: c["score"],
                "deviation": c["deviation"],
                "rows": c["rows"],
                "support": c["support"],
                "converged": c["converged"],
            }
            for c in self.candidates
        ]
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        price = f"{self.price_name} = {self.best[self.price_name]:g}"
        return (
            f"{self.kernel} with {price}: {self.metric} {self.score:.4g} ± "
            f"{self.best['deviation']:.2g}, the best of {len(self.candidates)} scores"
        )

    def _repr_html_(self) -> str:
        from html import escape

        head = ["kernel", self.price_name, self.metric, "±", "support"]
        cells = [
            [
                escape(str(c["kernel"])),
                f"{c[self.price_name]:g}",
                f"{c['score']:.4f}",
                f"{c['deviation']:.4f}",
                str(c["support"]),
            ]
            for c in self.ranked[:10]
        ]
        body = "".join(f"<tr>{''.join(f'<td>{v}</td>' for v in row)}</tr>" for row in cells)
        more = len(self.ranked) - len(cells)
        foot = f"<caption>… and {more} more</caption>" if more > 0 else ""
        names = "".join(f"<th>{h}</th>" for h in head)
        return f"<table>{foot}<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def tune(
    X: Any,
    y: ArrayLike,
    kernels: str | Kernel | Iterable[str | Kernel] = "rbf(gamma=?)",
    *,
    learner: str | None = None,
    task: str | None = None,
    metric: str | None = None,
    folds: int | ArrayLike = 5,
    groups: ArrayLike | None = None,
    grid: Mapping[str, Iterable[float]] | None = None,
    search: str = "halving",
    budget: int | str | None = None,
    compose: bool = False,
    rows: int | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: Any = None,
    epsilon: float = 0.1,
    tol: float = 1e-2,
    refit: bool = True,
    memory: float = 1792,
    random_state: Any = None,
    n_jobs: int | None = None,
    callback: Callable[[Step], Any] | None = None,
) -> Tuned:
    """Choose a kernel, its open parameters and C or alpha together, by cross-validation.

    All folds and prices share the kernel values, which makes it much faster than GridSearchCV.
    The same data, parameters and random_state give the same choice, whatever n_jobs is.

    Parameters
    ----------
    X, y : rows and their labels.
    kernels : one or several, as text or mercer.Kernel; ``?`` is a parameter to choose, and
        ``?[0.01,10]`` one within a range: ``["rbf(gamma=?)", "poly(degree=?)", "linear"]``.
    learner : 'svm' (of classes if None) or 'ridge' (of numbers if None).
    task : 'classification' or 'regression'; None: numbers that are whole and have few values, and
        all that are no numbers, are classes.
    metric : 'accuracy' (if None), 'balanced_accuracy', 'f1', 'auc'; of numbers 'rmse' (if None),
        'mae', 'r2'.
    folds : how many; or the fold of each row, to be compared with others on the same ones.
    groups : of each row; rows of a group are never apart.
    grid : values of parameters by name, and of 'C' or 'alpha': {'gamma': [0.1, 1], 'C': [1, 10]}.
    search : 'halving': all on a small sample, the better ones on larger ones, finer around the
        best; 'grid': all on all rows.
    budget : a number of scores; or a time, '60s', '5m' or '2h', which makes the choice depend on
        the machine. The best so far is taken.
    compose : also sums and products of the best kernel with the others, while that helps.
    rows : take part in the search, at most.
    sample_weight : of rows, in learning and in the scores. class_weight : {class: weight} or
        'balanced', in learning.
    epsilon : of 'svm' for numbers. tol : of machines in the search; the estimator has its own.
    refit : learn an estimator from all rows with what was chosen.
    memory : megabytes for kernel values.
    random_state : of folds and samples; None is 0. n_jobs : threads.
    callback : called with a dictionary after each kernel ('number' of scores so far, and the last:
        'kernel', 'price', 'rows', 'score'); what returns False ends the search with the best so
        far.

    >>> import mercer
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(300, noise=0.2, random_state=0)
    >>> found = mercer.tune(X, y, ["rbf(gamma=?)", "linear"])
    >>> found.metric, found.score > 0.95, float(found.estimator.score(X, y)) > 0.95
    ('accuracy', True, True)
    """
    refuse_text(X)
    names = column_names(X)
    given, X = X, check_array(X, **how_to_read)
    check_consistent_length(X, y)
    numbers, classes = _labels(y, task)
    for name, said in dict(learner=learner, task=task, metric=metric, search=search).items():
        if said is not None and not isinstance(said, str):
            raise ValueError(f"{name} must be a word, not {said!r}")
    o = _core.TuneOptions()
    o.kernels = [k._for_columns(names)._k for k in _kernels(kernels, X.shape[1])]
    o.learner = learner
    o.task = "classification" if classes is not None else task
    o.metric = metric or ""
    o.folds, o.groups = _folds(folds, groups, len(numbers))
    o.search = search
    o.grid = _grid(grid)
    _set_budget(o, budget)
    o.compose = bool(compose)
    o.rows = 0 if rows is None else whole("rows", rows, 10)
    o.epsilon = number("epsilon", epsilon)
    o.tolerance = number("tol", tol)
    o.memory = max(1, int(number("memory", memory) * 2**20))
    o.seed = seed_from(random_state)
    gram = _core.GramOptions()
    gram.threads = thread_count(n_jobs)
    o.gram = gram
    weights = None
    if sample_weight is not None:
        weights = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
    by_class: list[float] = []
    if class_weight is not None:
        all_classes = np.unique(numbers) if classes is None else classes
        labels = numbers if classes is None else classes[numbers.astype(np.intp)]
        by_class = [
            float(w) for w in compute_class_weight(class_weight, classes=all_classes, y=labels)
        ]
    if learner == "ridge" and (task == "classification" or classes is not None):
        raise ValueError(_no_ridge_of_classes)
    found = Tuned(_core.tune(points(X), numbers, weights, by_class, o, callback))
    if found.learner == "ridge" and found.task == "classification":
        raise ValueError(_no_ridge_of_classes)
    found.estimator = _machine(found, class_weight, epsilon, n_jobs)
    if refit:
        labels = np.asarray(y) if classes is not None or found.task == "classification" else numbers
        found.estimator.fit(X if names is None else given, labels, sample_weight=weights)
    return found


_no_ridge_of_classes = (
    "ridge learns numbers here: for classes use learner='svm', or mercer.NystroemClassifier"
)


def _machine(found: Tuned, class_weight: Any, epsilon: float, n_jobs: int | None) -> Any:
    from ._regression import KernelRidge
    from ._svm import SVC, SVR

    if found.learner == "ridge":
        return KernelRidge(alpha=found.alpha, kernel=found.kernel, n_jobs=n_jobs)
    assert found.C is not None
    if found.task == "regression":
        return SVR(C=found.C, kernel=found.kernel, epsilon=epsilon, n_jobs=n_jobs)
    return SVC(C=found.C, kernel=found.kernel, class_weight=class_weight, n_jobs=n_jobs)


def _labels(y: ArrayLike, task: str | None) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """Numbers that the core reads as quantities or classes; or codes, and the classes."""
    labels = column_or_1d(y, warn=True)
    if task == "classification":
        check_classification_targets(labels)
    if labels.dtype.kind in "fiu":
        numbers = np.ascontiguousarray(labels, dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError("y must not have a NaN or an infinity")
        return numbers, None
    if task == "regression":
        raise ValueError(f"regression needs labels that are numbers, not {labels.dtype}")
    classes, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.float64), classes


def _kernels(kernels: Any, dim: int) -> list[Kernel]:
    if isinstance(kernels, (str, Kernel)):
        kernels = [kernels]
    made = [k if isinstance(k, Kernel) else kernel(k, dim=dim) for k in kernels]
    if not made:
        raise ValueError("kernels is empty: give one at least, as in 'rbf(gamma=?)'")
    return made


def _folds(folds: Any, groups: Any, rows: int) -> tuple[int, list[int]]:
    """Folds that are given are groups, each of which is a fold."""
    if isinstance(folds, Integral):
        count = whole("folds", folds, 2)
        if groups is None:
            return count, []
        codes = np.unique(_of_rows("groups", groups, rows), return_inverse=True)[1]
        return count, [int(c) for c in codes]
    if groups is not None:
        raise ValueError("give groups, or the fold of each row, not both")
    values, codes = np.unique(_of_rows("folds", folds, rows), return_inverse=True)
    return len(values), [int(c) for c in codes]


def _of_rows(name: str, values: Any, rows: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != (rows,):
        raise ValueError(
            f"{name} must have an entry for each of the {rows} rows, not {array.shape}"
        )
    return array


def _grid(grid: Mapping[str, Iterable[float]] | None) -> dict[str, list[float]]:
    if grid is None:
        return {}
    return {
        "lambda" if name == "alpha" else name: [number(name, v) for v in values]
        for name, values in grid.items()
    }


def _set_budget(o: _core.TuneOptions, budget: int | str | None) -> None:
    if budget is None:
        return
    if isinstance(budget, Integral) and not isinstance(budget, bool) and budget > 0:
        o.candidates = int(budget)
        return
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    if isinstance(budget, str) and budget[-1:] in units:
        try:
            seconds = float(budget[:-1]) * units[budget[-1]]
        except ValueError:
            seconds = 0
        if 0 < seconds < np.inf:
            o.seconds = seconds
            return
    raise ValueError(
        f"budget must be a number of scores, or a time as '60s', '5m' or '2h', not {budget!r}"
    )
