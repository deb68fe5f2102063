"""The perceptron, through the kernel alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _core
from ._checks import validated
from ._machine import KernelMachine, WithClasses, estimator, number, seed_from, whole
from ._model import Rule


@estimator
class KernelPerceptron(WithClasses, KernelMachine):
    """On a mistake, y_i f(x_i) <= margin, f becomes f + y_i k(x_i, ·), until a pass has none.

    Two classes are one perceptron; more are one for each class against the rest, and the largest
    score wins.

    Parameters
    ----------
    passes : at most; fewer where one is without a mistake.
    shuffle : visit the points in another order in each pass, by random_state.
    margin : a score up to it is a mistake, too.
    averaged : keep the mean of all f on the way, which mostly predicts better.
    budget : support points at most, 0 for any number; one more drops one at random.
    class_weight : {class: weight} or 'balanced': a mistake counts so much.
    {common}

    Attributes
    ----------
    mistakes_ : of each pass. alpha_ : of each point, those on it (weighted), a row for each score.
    support_, support_vectors_, dual_coef_ : points with some coefficient, and these.
    margins_, radius_ : the least y_i f(x_i)/|w| of each perceptron, and max |φ(x_i)|.
    converged_, message_, n_iter_, classes_, kernel_

    >>> import mercer
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> p = mercer.KernelPerceptron(kernel="poly(2)").fit(X, y)
    >>> p.predict(X), p.mistakes_[-1]
    (array([0, 1, 1, 0]), np.int64(0))
    """

    passes: int = 100
    shuffle: bool = False
    margin: float = 0.0
    averaged: bool = False
    budget: int = 0
    class_weight: Any = None
    random_state: Any = None

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn from the rows of X with classes y."""
        self._forget()
        o = _core.PerceptronOptions()
        o.passes = whole("passes", self.passes, 1)
        o.shuffle = bool(self.shuffle)
        o.margin = number("margin", self.margin)
        o.averaged = bool(self.averaged)
        o.budget = whole("budget", self.budget)
        o.seed = seed_from(self.random_state)
        if self._has_function():
            check_consistent_length(X, y)
        else:
            X, y = validated(self, X, y)
        codes = self._codes(y)
        weights = self._class_weighted(self._weights(sample_weight, X), codes)
        task = self._task(X)
        facts = _core.perceptron(
            task.kernel,
            task.points,
            task.matrix,
            self._signs(codes),
            weights,
            o,
            self._gram_options(task),
            self.callback,
        )
        self._n_fit = task.points.rows
        self.alpha_ = facts["alpha"].T
        self.support_ = np.flatnonzero(np.any(facts["coefficients"] != 0, axis=1)).astype(np.int32)
        self.dual_coef_ = np.ascontiguousarray(facts["coefficients"][self.support_].T)
        self.support_vectors_ = np.empty((0, 0)) if self._plain() else X[self.support_]
        self.mistakes_ = facts["mistakes"]
        self.margins_ = facts["margins"]
        self.radius_ = float(facts["radius"])
        self.n_iter_ = len(self.mistakes_)
        self.message_ = facts["message"]
        # A pass with mistakes at the end is nothing to warn of: many data are not separable.
        self.converged_ = facts["converged"]
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores: of two classes positive for the second, of more a column for each."""
        X = self._for_scores(X)
        support = self.support_ if self._plain() else self.support_vectors_
        zero = np.zeros(self.dual_coef_.shape[0])
        scores = self._scores(X, support, self.dual_coef_.T, zero)
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        check_is_fitted(self)
        return self._by_score(self.decision_function(X))

    def _rule(self) -> Rule:
        scores = self.dual_coef_.shape[0]
        scheme = "one" if scores == 1 else "per_class"
        return Rule(
            self.support_vectors_, self.dual_coef_.T, np.zeros(scores), self.classes_, scheme
        )
