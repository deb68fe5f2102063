"""Squared loss: ridge regression and gradient descent."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from . import _core
from ._checks import validated
from ._kernel import Kernel
from ._kernel import kernel as parse
from ._machine import KernelMachine, Task, estimator, number, seed_from, whole
from ._model import Rule
from ._sklearn import MultiOutputMixin, RegressorMixin


class _SquaredLoss(MultiOutputMixin, RegressorMixin, KernelMachine):
    """f = Σ_i α_i k(x_i, ·) over all points of the training."""

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[np.float64]]:
        if self._has_function():
            check_consistent_length(X, y)
            y = check_array(y, ensure_2d=False, dtype=np.float64)
        else:
            X, y = validated(self, X, y, multi_output=True, y_numeric=True)
        self._one_column = np.ndim(y) == 1
        columns = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        return X, np.ascontiguousarray(columns)

    def _keep(self, X: Any, task: Task, alpha: NDArray[np.float64]) -> None:
        self._n_fit = task.points.rows
        self.dual_coef_ = alpha[:, 0] if self._one_column else alpha
        self.X_fit_ = X

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number of each row, or the numbers if y had several columns."""
        X = self._for_scores(X)
        alpha = self.dual_coef_.reshape(self._n_fit, -1)
        support = np.arange(self._n_fit) if self._plain() else self.X_fit_
        scores = self._scores(X, support, alpha, np.zeros(alpha.shape[1]))
        return scores.ravel() if self._one_column else scores

    def _rule(self) -> Rule:
        if not self._one_column:
            raise ValueError("a model in a file says one number: fit a column of y at a time")
        return Rule(self.X_fit_, self.dual_coef_[:, None], np.zeros(1))


@estimator
class KernelRidge(_SquaredLoss):
    """min_w Σ_i c_i (w·φ(x_i) - y_i)² + alpha |w|², solved to a residual that is stated.

    scikit-learn's parameters and attributes. There is no offset: center y, or add 1 to the kernel.

    Parameters
    ----------
    alpha : the price of |w|², > 0; or one for each column of y.
    {common}
        Also 'polynomial', 'laplacian', 'chi2' and 'cosine' are read as scikit-learn's KernelRidge
        reads them; gamma None is 1 / columns (of 'chi2' it is 1).
    tol : the relative residual to be reached.
    leave_one_out : compute leave_one_out_, what y_i - f(x_i) is without x_i.

    Attributes
    ----------
    dual_coef_, X_fit_, kernel_, residual_, solver_, converged_, message_, leave_one_out_

    >>> import mercer, numpy as np
    >>> X = np.linspace(0, 6, 50).reshape(-1, 1)
    >>> r = mercer.KernelRidge(alpha=1e-3, kernel="rbf(1) + 1").fit(X, np.sin(X[:, 0]))
    >>> bool(r.residual_ < 1e-9), round(float(r.predict([[1.5]])[0]), 3)
    (True, 0.998)
    """

    alpha: Any = field(default=1.0, kw_only=False)
    kernel: Any = "linear"
    gamma: Any = None
    tol: float = 1e-9
    leave_one_out: bool = False

    def _resolved_kernel(self, X: Any) -> Kernel:
        if isinstance(self.kernel, str):
            if self.kernel == "laplacian":
                return parse(f"exp(-({self._resolved_gamma(X)!r})*|x-z|_1)")
            if self.kernel == "chi2" and self.gamma is not None:
                return parse(f"chi2({self._resolved_gamma(X)!r})")
            if self.kernel == "polynomial":
                said = dict(gamma=self.gamma, degree=self.degree, coef0=self.coef0)
                return KernelRidge(kernel="poly", **said)._resolved_kernel(X)
        return super()._resolved_kernel(X)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn from the rows of X with numbers y, in one column or several."""
        self._forget()
        X, Y = self._read(X, y)
        task = self._task(X)
        weights = self._weights(sample_weight, X)
        prices = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if prices.ndim != 1 or len(prices) not in (1, Y.shape[1]):
            raise ValueError(
                f"alpha must be a number, or one for each of the {Y.shape[1]} columns of y, "
                f"not {np.shape(self.alpha)}"
            )
        groups = (
            [(prices[0], slice(None))]
            if len(prices) == 1
            else [(price, slice(c, c + 1)) for c, price in enumerate(prices)]
        )
        alpha = np.empty_like(Y)
        left_out = np.empty_like(Y)
        worst: dict[str, Any] = {}
        for price, columns in groups:
            o = _core.RidgeOptions()
            o.price = float(price)
            o.tolerance = number("tol", self.tol)
            o.leave_one_out = bool(self.leave_one_out)
            facts = _core.ridge(
                task.kernel,
                task.points,
                task.matrix,
                np.ascontiguousarray(Y[:, columns]),
                weights,
                o,
                self._ridge_gram(task),
                self.callback,
            )
            alpha[:, columns] = facts["alpha"]
            if self.leave_one_out:
                left_out[:, columns] = facts["leave_one_out"]
            if not worst or facts["residual"] > worst["residual"]:
                worst = facts
        self._keep(X, task, alpha)
        if self.leave_one_out:
            self.leave_one_out_ = left_out[:, 0] if self._one_column else left_out
        self.residual_ = float(worst["residual"])
        self.solver_ = worst["solver"]
        self._warn_unless_converged(worst)
        return self

    def _ridge_gram(self, task: Task) -> _core.GramOptions:
        # Residuals are computed in doubles whatever this says: it is about the factor.
        gram = self._gram_options(task)
        gram.single = self._is_single(task.matrix is None)
        return gram


@estimator
class KernelLeastSquares(_SquaredLoss):
    """Gradient descent on Σ_i (f(x_i) - y_i)² in the coefficients of the points: α_i ← α_i - s γ_i,
    γ_i = 2 (f(x_i) - y_i).

    Parameters
    ----------
    {common}
    offset : add 1 to the kernel.
    passes : over the points, at most.
    step : s; None: from the largest eigenvalue of K.
    momentum : in [0, 1): so much of the last step is taken again.
    batch : points per step, 0 for all of them.
    tol : ends when a pass lowers the loss by less than this share of it.
    held_out, patience : early stopping: a share of the points is held out, and the coefficients
        with the least loss there win; ends after so many passes without a lesser one.
    eigenvectors : of the preconditioner (EigenPro), 0 for none.
    random_state : of batches, of what is held out, of the preconditioner's sample; None is 0.

    Attributes
    ----------
    dual_coef_, X_fit_, kernel_, losses_ (of each pass), held_out_losses_, step_, n_iter_,
    converged_, message_

    >>> import mercer, numpy as np
    >>> X = np.linspace(0, 6, 50).reshape(-1, 1)
    >>> g = mercer.KernelLeastSquares(kernel="rbf(1)").fit(X, np.sin(X[:, 0]))
    >>> bool(g.losses_[-1] < g.losses_[0]), round(float(g.predict([[1.5]])[0]), 2)
    (True, 1.0)
    """

    offset: bool = True
    passes: int = 200
    step: float | None = None
    momentum: float = 0.0
    batch: int = 0
    tol: float = 1e-6
    held_out: float = 0.0
    patience: int = 10
    eigenvectors: int = 0
    random_state: Any = None

    def _resolved_kernel(self, X: Any) -> Kernel:
        k = super()._resolved_kernel(X)
        return k + 1 if self.offset else k

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn from the rows of X with numbers y, in one column or several."""
        self._forget()
        o = _core.GradientDescentOptions()
        o.passes = whole("passes", self.passes, 1)
        o.step = None if self.step is None else number("step", self.step)
        o.momentum = number("momentum", self.momentum)
        o.batch = whole("batch", self.batch)
        o.tolerance = number("tol", self.tol)
        o.held_out = number("held_out", self.held_out)
        o.patience = whole("patience", self.patience, 1)
        o.eigenvectors = whole("eigenvectors", self.eigenvectors)
        o.seed = seed_from(self.random_state)
        X, Y = self._read(X, y)
        task = self._task(X)
        if task.matrix is not None and self.offset:
            task = task._replace(kernel=(parse("precomputed") + 1)._k)
        facts = _core.gradient_descent(
            task.kernel,
            task.points,
            task.matrix,
            Y,
            self._weights(sample_weight, X),
            o,
            self._gram_options(task),
            self.callback,
        )
        self._keep(X, task, facts["alpha"])
        self.losses_ = facts["losses"]
        self.held_out_losses_ = facts["held_out"]
        self.step_ = float(facts["step"])
        self.n_iter_ = len(self.losses_)
        # Stopping after `passes` is a choice, as early stopping is.
        self.message_ = facts["message"]
        self.converged_ = facts["converged"]
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number of each row, or the numbers if y had several columns."""
        check_is_fitted(self)
        scores = super().predict(X)
        if self.offset and self._plain():
            scores = scores + self.dual_coef_.sum(axis=0)  # of the constant kernel 1
        return scores
