"""Where a Gram matrix is too large: a few centres instead of all points (Nyström)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._checks import validated
from ._kernel import Kernel
from ._machine import KernelMachine, WithClasses, estimator, number, seed_from, whole
from ._model import Rule
from ._points import table_of
from ._sklearn import MultiOutputMixin, RegressorMixin

Facts = dict[str, Any]


def centre_options(
    n_components: Any, centres: Any, random_state: Any, loss: str = "squared"
) -> _core.NystromOptions:
    o = _core.NystromOptions()
    o.centres = whole("n_components", n_components, 1)
    if not isinstance(centres, str):
        raise ValueError(f"centres must be 'uniform', 'leverage' or 'kmeans', not {centres!r}")
    o.choice = centres
    if not isinstance(loss, str):
        raise ValueError(f"loss must be 'squared' or 'logistic', not {loss!r}")
    o.loss = loss
    o.seed = seed_from(random_state)
    return o


@estimator
class _Centres(KernelMachine):
    n_components: int = 2000
    centres: str = "uniform"
    alpha: float | None = 1.0
    offset: bool
    tol: float = 1e-4
    max_iter: int = 200
    random_state: Any = None

    def _resolved_kernel(self, X: Any) -> Kernel:
        k = super()._resolved_kernel(X)
        return k + 1 if self.offset else k

    def _fit_centres(self, X: Any, Y: NDArray[np.float64], weights: Any, loss: str) -> Facts:
        o = centre_options(self.n_components, self.centres, self.random_state, loss)
        o.price = None if self.alpha is None else number("alpha", self.alpha)
        o.tolerance = number("tol", self.tol)
        o.iterations = whole("max_iter", self.max_iter, 1)
        self._refuse_plain()
        task = self._task(X)
        facts = _core.nystrom(
            task.kernel,
            task.points,
            np.ascontiguousarray(Y),
            weights,
            o,
            self._gram_options(task),
            self.callback,
        )
        self.components_ = table_of(facts["centres"], X)
        self.dual_coef_: NDArray[np.float64] = facts["alpha"]
        self.alpha_ = float(facts["price"])
        self.path_ = facts["path"]
        self.loss_ = float(facts["loss"])
        self.residual_ = float(facts["residual"])
        self.n_iter_ = max(1, int(facts["iterations"]))  # the start is the answer of a sample
        return facts

    def _values(self, X: Any) -> NDArray[np.float64]:
        X = self._for_scores(X)
        zero = np.zeros(self.dual_coef_.shape[1])
        return self._scores(X, self.components_, self.dual_coef_, zero)

    def _rule(self) -> Rule:
        scores = self.dual_coef_.shape[1]
        return Rule(self.components_, self.dual_coef_, np.zeros(scores))


@estimator
class NystroemRidge(MultiOutputMixin, RegressorMixin, _Centres):
    """Ridge regression for many rows: f is a sum over a few centres, and all rows decide about it.

    min Σ_i c_i (f(x_i) - y_i)² + alpha |w|² for f = w·φ = Σ_j α_j k(c_j, ·). With all points as
    centres this is KernelRidge. Memory is that of centres × centres numbers.

    Parameters
    ----------
    {centred}
    n_components : centres; all points where there are no more.
    centres : which points: 'uniform', 'leverage' (those that others do not explain) or 'kmeans'
        (each far from those before it).
    alpha : the price of |w|², > 0. None: the power of ten with the least loss on rows that are
        held out, a fifth of them; then all rows are used.
    offset : add 1 to the kernel.
    tol, max_iter : of conjugate gradients: the relative residual, and iterations at most.
    random_state : of centres, and of what is held out; None is 0.

    Attributes
    ----------
    components_ : the centres that are used; combinations of others are left out.
    dual_coef_ : their coefficients. alpha_ : the price. path_ : prices tried, and their losses.
    loss_, residual_, n_iter_, kernel_, converged_, message_

    >>> import mercer, numpy as np
    >>> X = np.linspace(0, 6, 5000).reshape(-1, 1)
    >>> r = mercer.NystroemRidge(kernel="rbf(1)", n_components=20, alpha=1e-3)
    >>> round(float(r.fit(X, np.sin(X[:, 0])).predict([[1.5]])[0]), 3)
    0.997
    """

    offset: bool = True

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn from the rows of X with numbers y, in one column or several."""
        self._forget()
        X, y = validated(self, X, y, multi_output=True, y_numeric=True)
        self._one_column = np.ndim(y) == 1
        Y = np.asarray(y, dtype=np.float64)
        Y = Y.reshape(Y.shape[0], -1)
        facts = self._fit_centres(X, Y, self._weights(sample_weight, X), "squared")
        self._warn_unless_converged(facts)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number of each row, or the numbers if y had several columns."""
        scores = self._values(X)
        return scores.ravel() if self._one_column else scores

    def _rule(self) -> Rule:
        if not self._one_column:
            raise ValueError("a model in a file says one number: fit a column of y at a time")
        return super()._rule()


@estimator
class NystroemClassifier(WithClasses, _Centres):
    """Classes for many rows: scores are sums over a few centres, and all rows decide about them.

    The squared loss towards +1 and -1, or the logistic loss, with a price on |w|²; of more than
    two classes each against the rest, all at once.

    Parameters
    ----------
    {centred}
    loss : 'squared' or 'logistic'; the latter has predict_proba.
    class_weight : {class: weight} or 'balanced'.
    n_components, centres, alpha, offset, tol, max_iter, random_state : as of NystroemRidge.

    Attributes
    ----------
    classes_, components_, dual_coef_, alpha_, path_, loss_, residual_, n_iter_, kernel_,
    converged_, message_

    >>> import mercer
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(5000, noise=0.1, random_state=0)
    >>> c = mercer.NystroemClassifier(kernel="rbf(2)", n_components=50, loss="logistic", alpha=0.1)
    >>> float(c.fit(X, y).score(X, y)) > 0.98, c.predict_proba(X).shape
    (True, (5000, 2))
    """

    offset: bool = False
    loss: str = "squared"
    class_weight: Any = None

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn from the rows of X with classes y."""
        self._forget()
        X, y = validated(self, X, y)
        codes = self._codes(y)
        weights = self._class_weighted(self._weights(sample_weight, X), codes)
        self._warn_unless_converged(self._fit_centres(X, self._signs(codes), weights, self.loss))
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores: of two classes positive for the second, of more a column for each."""
        scores = self._values(X)
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        check_is_fitted(self)
        return self._by_score(self.decision_function(X))

    def _has_probabilities(self) -> bool:
        if self.loss != "logistic":
            raise AttributeError("predict_proba is not available when loss is not 'logistic'")
        return True

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes: 1/(1 + exp(-f)), of more than two divided by their sum."""
        check_is_fitted(self)
        f = self.decision_function(X)
        p = np.exp(-np.logaddexp(0, -f))
        if p.ndim == 1:
            return np.column_stack([np.exp(-np.logaddexp(0, f)), p])
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Their logarithms."""
        return np.asarray(np.log(self.predict_proba(X)))

    def _rule(self) -> Rule:
        rule = super()._rule()
        scores = len(rule.offsets)
        return rule._replace(
            classes=self.classes_,
            scheme="one" if scores == 1 else "per_class",
            calibration=np.tile([-1.0, 0.0], (scores, 1)) if self.loss == "logistic" else None,
        )
