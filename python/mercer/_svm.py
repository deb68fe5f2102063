"""Support vector machines with scikit-learn's parameters and attributes."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _core
from ._checks import one_column, validated
from ._machine import (
    Callback,
    KernelMachine,
    Task,
    WithClasses,
    estimator,
    number,
    pairs_of,
    seed_from,
    whole,
)
from ._machine import _linear as linear
from ._model import Rule
from ._sklearn import OutlierMixin, RegressorMixin

# What stands for C = inf.
_large_C = 1e10


@estimator
class _SupportVectors(KernelMachine):
    """One solver, five problems."""

    _problem: ClassVar[str]
    coef0: float = 0.0
    tol: float = 1e-3
    shrinking: bool = True
    cache_size: float = 1024
    max_iter: int = -1
    verbose: bool = False

    def _options(self) -> _core.SvmOptions:
        o = _core.SvmOptions()
        o.problem = self._problem
        for ours, theirs in (
            ("C", "C"),
            ("nu", "nu"),
            ("epsilon", "epsilon"),
            ("tolerance", "tol"),
        ):
            if hasattr(self, theirs):
                setattr(o, ours, number(theirs, getattr(self, theirs)))
        if o.C == np.inf:
            o.C = _large_C
        moves = whole("max_iter", self.max_iter, -1)
        if moves == 0:
            raise ValueError("max_iter must be a number of moves > 0, or -1 for any number")
        o.moves = max(0, moves)
        o.shrinking = bool(self.shrinking)
        megabytes = number("cache_size", self.cache_size)
        if not 0 < megabytes < np.inf:
            raise ValueError(f"cache_size must be a number of megabytes > 0, not {megabytes}")
        o.memory = max(1, int(megabytes * 2**20))
        return o

    def _watcher(self) -> Callback | None:
        if not self.verbose:
            return self.callback
        inner = self.callback

        def say(step: dict[str, Any]) -> Any:
            print("[mercer]", ", ".join(f"{k} {v:g}" for k, v in step.items() if k != "unit"))
            return None if inner is None else inner(step)

        return say

    def _read_xy(self, X: Any, y: Any) -> tuple[Any, Any]:
        self._sparse = hasattr(X, "tocsr") and not self._has_function()
        if self._sparse and self._has_matrix():
            raise TypeError("Sparse precomputed kernels are not supported.")
        one_class = self._problem == "one_class"
        if not self._has_function():
            return (validated(self, X), None) if one_class else validated(self, X, y)
        if not one_class:
            check_consistent_length(X, y)
        return X, y

    def _tolerant(self, options: _core.SvmOptions, task: Task) -> _core.GramOptions:
        # Below this, floats cannot tell violations apart.
        return self._gram_options(task, exact=options.tolerance < 1e-4)

    # Weights that are not positive leave an example out.
    def _positive_weights(self, sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
        w = self._weights(sample_weight, X)
        return None if w is None else np.maximum(w, 0.0)

    def _keep(self, X: Any, n: int, support: NDArray[Any], dual: NDArray[np.float64]) -> None:
        self._n_fit = n
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (n,)
        self.support_ = support.astype(np.int32)
        if self._plain():
            self.support_vectors_: Any = np.empty((0, 0))
        else:
            self.support_vectors_ = X[support]
        self.dual_coef_: Any = dual
        if self._sparse:
            from scipy.sparse import csr_array, csr_matrix, issparse, sparray

            made = csr_array if issparse(X) and isinstance(X, sparray) else csr_matrix
            self.dual_coef_ = made(dual)

    def _dual(self) -> NDArray[np.float64]:
        dual = self._dual_coef_
        return np.asarray(dual.toarray() if hasattr(dual, "toarray") else dual, dtype=np.float64)

    def _scores_at(self, X: Any, counts: list[int] | None = None) -> NDArray[np.float64]:
        """With the signs of the private attributes, which are those of LIBSVM."""
        X = self._for_scores(X)
        plain = self._plain()
        if hasattr(X, "indptr") and not self._sparse and not plain:
            raise ValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data"
            )
        support = self.support_ if plain else self.support_vectors_
        if not plain and self.n_support_.sum() != support.shape[0]:
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return self._scores(X, support, self._dual().T, self._intercept_, counts)

    @property
    def coef_(self) -> Any:
        """w, where the kernel is linear: a row for each machine."""
        if getattr(self, "kernel_", None) != linear or self._plain():
            raise AttributeError("coef_ is only available when using a linear kernel")
        w = self._w()
        (w.data if self._sparse else w).flags.writeable = False
        return w

    def _w(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """The number of support vectors; of each class, where there are classes."""
        if not hasattr(self, "_n_support"):
            raise AttributeError("n_support_ is there after fit")
        return self._n_support

    # ---- one machine: regression and one class

    def _fit_one(self, X: Any, y: Any, sample_weight: Any) -> Any:
        self._forget()
        options = self._options()
        X, y = self._read_xy(X, y)
        targets = np.empty(0) if self._problem == "one_class" else one_column(y).astype(np.float64)
        task = self._task(X)
        weights = self._positive_weights(sample_weight, X)
        facts = _core.svm(
            task.kernel,
            task.points,
            task.matrix,
            targets,
            weights,
            options,
            self._tolerant(options, task),
            self._watcher(),
        )
        beta = facts["coefficients"]
        support = np.flatnonzero(beta)
        self._n_support = np.array([support.size], dtype=np.int32)
        self._keep(X, task.points.rows, support, beta[None, support])
        self.intercept_ = np.array([facts["offset"]])
        self._dual_coef_, self._intercept_ = self.dual_coef_, self.intercept_
        self.n_iter_: Any = int(facts["moves"])
        self.fit_status_ = 0 if facts["converged"] else 1
        self._warn_unless_converged(facts)
        return self

    def _rule(self) -> Rule:
        dual = self.dual_coef_
        dual = dual.toarray() if hasattr(dual, "toarray") else dual
        return Rule(self.support_vectors_, dual.T, self.intercept_)


@estimator
class _SupportVectorClassifier(WithClasses, _SupportVectors):
    class_weight: Any = None
    probability: bool = False
    decision_function_shape: str = "ovr"
    break_ties: bool = False
    random_state: Any = None

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn from the rows of X with classes y. A weight multiplies C; 0 leaves a row out."""
        self._forget()
        options = self._options()
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(
                "decision_function_shape must be 'ovr' or 'ovo', "
                f"not {self.decision_function_shape!r}"
            )
        X, y = self._read_xy(X, y)
        codes = self._codes(y)
        task = self._task(X)
        weights = self._class_weighted(self._positive_weights(sample_weight, X), codes)
        facts = _core.svm_of_classes(
            task.kernel,
            task.points,
            task.matrix,
            codes.astype(np.float64),
            weights,
            options,
            self._tolerant(options, task),
            bool(self.probability),
            seed_from(self.random_state),
            self._watcher(),
        )
        self._take(X, task.points.rows, codes, facts)
        self._warn_unless_converged(facts)
        return self

    def _take(self, X: Any, n: int, codes: NDArray[Any], facts: dict[str, Any]) -> None:
        # By classes, as LIBSVM has them. Short numbers are sorted by their digits, which is faster.
        short = np.min_scalar_type(len(self.classes_))
        order = np.argsort(codes[facts["support"]].astype(short), kind="stable")
        support = facts["support"][order]
        dual = np.ascontiguousarray(facts["coefficients"][order].T)
        self._n_support = np.bincount(codes[support], minlength=len(self.classes_)).astype(np.int32)
        self._keep(X, n, support, dual)
        self.intercept_ = facts["offsets"]
        sign = -1 if len(self.classes_) == 2 else 1
        self._dual_coef_, self._intercept_ = sign * self.dual_coef_, sign * self.intercept_
        machines = json.loads(facts["training"])["machines"]
        self.n_iter_ = np.array([m["moves"] for m in machines], dtype=np.int32)
        self.fit_status_ = 0 if facts["converged"] else 1
        self._calibration = facts["calibration"]

    def _rule(self) -> Rule:
        two = len(self.classes_) == 2
        return (
            super()
            ._rule()
            ._replace(
                classes=self.classes_,
                scheme="one" if two else "pairs",
                counts=() if two else [int(c) for c in self._n_support],
                calibration=self._calibration,
            )
        )

    def _pair_scores(self, X: Any) -> NDArray[np.float64]:
        """A column for each pair of classes: positive for the first of the two."""
        two = len(self.classes_) == 2
        return self._scores_at(X, None if two else [int(c) for c in self._n_support])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores: of two classes positive for the second; of more by decision_function_shape a
        column for each class ('ovr') or for each pair of them ('ovo')."""
        check_is_fitted(self)
        scores = self._pair_scores(X)
        if len(self.classes_) == 2:
            return -scores.ravel()
        if self.decision_function_shape == "ovr":
            return np.asarray(_ovr_decision_function(scores < 0, -scores, len(self.classes_)))
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the one with the most votes of pairs, the first of equal ones."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        classes = len(self.classes_)
        if self.break_ties and classes > 2:
            return np.asarray(self.classes_[np.argmax(self.decision_function(X), axis=1)])
        scores = self._pair_scores(X)
        votes = np.zeros((scores.shape[0], classes), dtype=np.int32)
        for p, (a, b) in enumerate(pairs_of(classes)):
            first = scores[:, p] > 0
            votes[first, a] += 1
            votes[~first, b] += 1
        return np.asarray(self.classes_[np.argmax(votes, axis=1)])

    def _has_probabilities(self) -> bool:
        if not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, by sigmoids fitted on scores that were held out."""
        check_is_fitted(self)
        if self._calibration.size == 0:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False"
            )
        scores = self._pair_scores(X)
        if len(self.classes_) == 2:
            scores = -scores
        return _core.probabilities(
            np.ascontiguousarray(scores), self._calibration, len(self.classes_)
        )

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Their logarithms."""
        return np.asarray(np.log(self.predict_proba(X)))

    @property
    def probA_(self) -> NDArray[np.float64]:
        """The slopes of the sigmoids, with the signs of LIBSVM; empty without probabilities."""
        return np.asarray(self._calibration[:, 0])

    @property
    def probB_(self) -> NDArray[np.float64]:
        """Their offsets."""
        return np.asarray(self._calibration[:, 1])

    def _w(self) -> Any:
        if len(self.classes_) == 2:
            return super()._w()
        ends = np.cumsum([0, *self._n_support])
        rows = []
        for a, b in pairs_of(len(self.classes_)):
            of_a, of_b = slice(ends[a], ends[a + 1]), slice(ends[b], ends[b + 1])
            s = self.support_vectors_
            dual = self._dual()
            rows.append(dual[b - 1, of_a] @ s[of_a] + dual[a, of_b] @ s[of_b])
        w = np.vstack(rows)
        if not self._sparse:
            return w
        return type(self.dual_coef_)(w)


@estimator
class SVC(_SupportVectorClassifier):
    """Classes told apart with the widest margin; errors cost C.

    scikit-learn's parameters and attributes, so that replacing the import is enough; what differs
    is listed in docs/python.md.

    Parameters
    ----------
    C : the price of falling short of the margin, > 0; inf counts as 1e10.
    {common}
    shrinking, tol, max_iter : of the solver; max_iter counts moves of two variables.
    probability : fit sigmoids on held-out scores, for predict_proba.
    cache_size : megabytes for kernel values that are kept.
    class_weight : {class: weight} or 'balanced'; multiplies C.
    decision_function_shape : 'ovr' or 'ovo'. break_ties : predict by decision_function ('ovr').
    random_state : of the folds behind probabilities; None is 0.
    verbose : print a line for each round.

    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> float(mercer.SVC(kernel="rbf(0.1) * poly(2)", C=10).fit(X, y).score(X, y)) > 0.97
    True
    """

    _problem = "classification"
    C: float = 1.0


@estimator
class NuSVC(_SupportVectorClassifier):
    """Classes told apart, with nu in place of C: it bounds the share of margin errors from above
    and the share of support vectors from below.

    Parameters
    ----------
    nu : in (0, 1]; not too large for the sizes of the classes.
    {common}
    shrinking, probability, tol, cache_size, class_weight, verbose, max_iter,
    decision_function_shape, break_ties, random_state : as of SVC.

    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> float(mercer.NuSVC(nu=0.1).fit(X, y).score(X, y)) > 0.95
    True
    """

    _problem = "nu_classification"
    nu: float = 0.5


class _SupportVectorRegressor(RegressorMixin, _SupportVectors):
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn from the rows of X with numbers y. A weight multiplies C; 0 leaves a row out."""
        return self._fit_one(X, y, sample_weight)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number of each row."""
        check_is_fitted(self)
        return self._scores_at(X).ravel()


@estimator
class SVR(_SupportVectorRegressor):
    """Regression with a tube: errors up to epsilon are free, beyond they cost C.

    Parameters
    ----------
    C : the price of errors, > 0. epsilon : half the width of the tube.
    {common}
    tol, shrinking, cache_size, verbose, max_iter : as of SVC.

    >>> import mercer, numpy as np
    >>> X = np.linspace(0, 6, 50).reshape(-1, 1)
    >>> y = np.sin(X[:, 0])
    >>> float(mercer.SVR(C=100, epsilon=0.01).fit(X, y).score(X, y)) > 0.99
    True
    """

    _problem = "regression"
    C: float = 1.0
    epsilon: float = 0.1


@estimator
class NuSVR(_SupportVectorRegressor):
    """Regression with a tube whose width is found: nu bounds the share of points outside of it.

    Parameters
    ----------
    nu : in (0, 1]. C : the price of errors, > 0.
    {common}
    shrinking, tol, cache_size, verbose, max_iter : as of SVC.

    >>> import mercer, numpy as np
    >>> X = np.linspace(0, 6, 50).reshape(-1, 1)
    >>> float(mercer.NuSVR(C=100).fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0]))) > 0.99
    True
    """

    _problem = "nu_regression"
    nu: float = 0.5
    C: float = 1.0


@estimator
class OneClassSVM(OutlierMixin, _SupportVectors):
    """What is like the training points (1), and what is not (-1).

    Parameters
    ----------
    nu : in (0, 1]; bounds the share of training points that are left outside.
    {common}
    tol, shrinking, cache_size, verbose, max_iter : as of SVC.

    >>> import mercer
    >>> mercer.OneClassSVM(gamma=0.5, nu=0.5).fit([[0], [0.1], [0.2], [0.1]]).predict([[0.1], [9]])
    array([ 1, -1])
    """

    _problem = "one_class"
    nu: float = 0.5

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Learn what the rows of X are like; y is ignored."""
        self._fit_one(X, None, sample_weight)
        self.offset_ = -self._intercept_
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Positive inside."""
        check_is_fitted(self)
        return self._scores_at(X).ravel()

    def _rule(self) -> Rule:
        return super()._rule()._replace(classes=np.array([-1, 1]))

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """The same without the offset."""
        return np.asarray(self.decision_function(X) + self.offset_)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """1 for what is like the training points, -1 for the others."""
        return np.where(self.decision_function(X) > 0, 1, -1).astype(np.intp)
