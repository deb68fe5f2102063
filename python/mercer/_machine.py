"""What all estimators share: which kernel, on which points, by how many threads."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
)

from . import _core
from ._checks import classes_of, refuse_lopsided, validated_again
from ._kernel import Kernel, kernel
from ._model import Model, Rule, model_of
from ._points import points, thread_count
from ._sklearn import BaseEstimator, ClassifierMixin

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:  # of Python 3.11; it is for those who check types alone

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        return lambda function: function


#: In ``precision="auto"``: up to so many points, float64 input is learned from in doubles.
FEW_POINTS = 5000

_precomputed = kernel("precomputed")
_linear = kernel("linear")

Callback = Callable[[dict[str, Any]], Any]


class Task(NamedTuple):
    """What the core learns from: a kernel on points, or the user's matrix."""

    kernel: _core.Kernel
    points: _core.Points
    matrix: NDArray[np.float64] | None


_kernel_said = inspect.cleandoc(
    """
    kernel : scikit-learn's words 'linear', 'poly', 'rbf', 'sigmoid' (with gamma, degree and
        coef0){matrix}; any text of the kernel language, as in
        'rbf(0.5)*poly(2)'; a mercer.Kernel{function}.
    gamma : 'scale' (1 / (columns · variance of X)), 'auto' or None (1 / columns), or a number.
    degree, coef0 : of 'poly', (gamma x·z + coef0)^degree, and of 'sigmoid'.
    """
)
_precision_said = inspect.cleandoc(
    """
    precision : of kernel values; 'single', 'double', or 'auto': single where X is float32{many}.
    n_jobs : threads; None: all, or as OMP_NUM_THREADS says. The answer does not depend on it.
    """
)
_callback_said = inspect.cleandoc(
    """
    callback : a function that is called with a dictionary after each round, pass or iteration;
        what returns False ends the training with what there is.
    """
)
_many = ", and in\n    the training of more than 5000 points"
#: What stands for words in braces in docstrings.
_said = {
    "common": "\n".join(
        [
            _kernel_said.format(
                matrix=" and 'precomputed' (X is the Gram matrix)",
                function="; or a function of two tables that returns a matrix",
            ),
            _precision_said.format(many=_many),
            _callback_said,
        ]
    ),
    "centred": "\n".join(
        [
            _kernel_said.format(matrix="", function=""),
            _precision_said.format(many=_many),
            _callback_said,
        ]
    ),
    "kernel": _kernel_said.format(matrix="", function=""),
    "precision": _precision_said.format(many=""),
}

Made = TypeVar("Made")


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
def estimator(cls: type[Made]) -> type[Made]:
    """An estimator whose parameters are the attributes that its class and those before it declare.

    They make its ``__init__``, which is where scikit-learn looks for them. Words in braces in its
    docstring stand for what several say.
    """
    made = dataclass(kw_only=True, eq=False, repr=False, match_args=False)(cls)
    made.__doc__ = inspect.cleandoc(made.__doc__ or "")
    for word, meaning in _said.items():
        made.__doc__ = made.__doc__.replace("{" + word + "}", meaning)
    return made


def _variance(X: NDArray[Any]) -> float:
    """Of all entries, without a second table of the size of a large X."""
    if X.size <= 1 << 16:
        return float(X.var(dtype=np.float64))
    mean = X.mean(dtype=np.float64)
    rows = max(1, (1 << 15) // max(1, X.shape[1]))
    total = 0.0
    for begin in range(0, X.shape[0], rows):
        apart = np.subtract(X[begin : begin + rows], mean, dtype=np.float64)
        total += float(np.vdot(apart, apart))
    return total / X.size


@estimator
class KernelBased(BaseEstimator):
    """An estimator with a kernel, which it has values of."""

    kernel: Any = "rbf"
    gamma: Any = "scale"
    degree: int = 3
    coef0: float = 1.0
    precision: str = "auto"
    n_jobs: int | None = None

    # ---- the kernel

    def _has_matrix(self) -> bool:
        """Whether X is the Gram matrix itself."""
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _has_function(self) -> bool:
        """Whether the kernel is a Python function of two tables."""
        return callable(self.kernel) and not isinstance(self.kernel, Kernel)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._has_matrix()
        tags.input_tags.sparse = not self._has_matrix()
        return tags

    def _resolved_gamma(self, X: Any) -> float:
        gamma = self.gamma
        if isinstance(gamma, str):
            if gamma == "auto":
                return 1.0 / float(X.shape[1])
            if gamma != "scale":
                raise ValueError(f"gamma must be a number, 'scale' or 'auto', not {gamma!r}")
            if hasattr(X, "indptr"):
                variance = float(X.multiply(X).mean() - X.mean() ** 2)
            else:
                with np.errstate(over="ignore", invalid="ignore"):
                    variance = _variance(X)
            if not np.isfinite(variance):
                raise ValueError(
                    "gamma='scale' needs the variance of X, and that is too large for a number: "
                    "scale the columns first"
                )
            return 1.0 / (float(X.shape[1]) * variance) if variance != 0 else 1.0
        if gamma is None:
            return 1.0 / float(X.shape[1])
        if not isinstance(gamma, Real) or not 0 <= float(gamma) < np.inf:
            raise ValueError(f"gamma must be a number >= 0, 'scale' or 'auto', not {gamma!r}")
        return float(gamma)

    def _resolved_kernel(self, X: Any) -> Kernel:
        """The kernel with its parameters. scikit-learn's words take gamma, degree and coef0 of the
        estimator; any other text is in the kernel language."""
        k = self.kernel
        if isinstance(k, Kernel):
            return k
        if not isinstance(k, str):
            raise ValueError(
                "kernel must be text, a mercer kernel or a function of two tables, "
                f"not {type(k).__name__}"
            )
        if k == "linear":
            return _linear
        word = _words.get(k)
        if word is None:
            return kernel(k, dim=X.shape[1])  # in one dimension, x and z are numbers
        self._gamma = self._resolved_gamma(X)
        return word(self._gamma, self._checked_degree(), self._checked_coef0())

    def _checked_degree(self) -> int:
        if not isinstance(self.degree, Integral) or self.degree < 0:
            raise ValueError(f"degree must be a whole number >= 0, not {self.degree!r}")
        return int(self.degree)

    def _checked_coef0(self) -> float:
        if not isinstance(self.coef0, Real) or not np.isfinite(float(self.coef0)):
            raise ValueError(f"coef0 must be a number, not {self.coef0!r}")
        return float(self.coef0)

    # ---- points

    def _task(self, X: Any) -> Task:
        if self._has_function():
            self._X_fit = X
            K = self._function_values(X, X)
            if K.shape != (_num_samples(X),) * 2:
                raise ValueError(
                    f"the kernel must return a row and a column for each of the {_num_samples(X)} "
                    f"samples, not a matrix of shape {K.shape}"
                )
            return self._matrix_task(K)
        if self._has_matrix():
            if hasattr(X, "indptr"):
                raise TypeError("Sparse precomputed kernels are not supported.")
            K = np.ascontiguousarray(X, dtype=np.float64)
            if K.shape[0] != K.shape[1]:
                raise ValueError(
                    "Precomputed matrix must be a square matrix. "
                    f"Input is a {K.shape[0]}x{K.shape[1]} matrix."
                )
            return self._matrix_task(K)
        self.kernel_ = self._resolved_kernel(X)
        return Task(self._kernel_here()._k, points(X), None)

    def _matrix_task(self, K: NDArray[np.float64]) -> Task:
        refuse_lopsided(K)
        self._n_fit: int = K.shape[0]
        nowhere = np.zeros((K.shape[0], 1))  # the points themselves are not known
        return Task(_precomputed._k, points(nowhere), K)

    def _function_values(self, X: Any, Z: Any) -> NDArray[np.float64]:
        K = self.kernel(X, Z)
        if hasattr(K, "toarray"):
            K = K.toarray()
        return np.ascontiguousarray(K, dtype=np.float64)

    def _kernel_here(self) -> Kernel:
        """With the names of columns resolved: they are those that fit has seen."""
        names = getattr(self, "feature_names_in_", None)
        return self.kernel_._for_columns(None if names is None else list(names))

    def _gram_options(self, task: Task, *, exact: bool = False) -> _core.GramOptions:
        gram = _core.GramOptions()
        gram.threads = thread_count(self.n_jobs)
        gram.single = self._is_single(
            task.matrix is None
            and (task.points.single or task.points.rows > FEW_POINTS)
            and not exact
        )
        return gram

    def _is_single(self, where_possible: bool) -> bool:
        if self.precision == "auto":
            return where_possible
        if self.precision not in ("single", "double"):
            raise ValueError(
                f"precision must be 'auto', 'single' or 'double', not {self.precision!r}"
            )
        return self.precision == "single"

    # ---- scores

    def _plain(self) -> bool:
        """Whether the points themselves are not known, but only their kernel values."""
        return self._has_matrix() or self._has_function()

    def _refuse_plain(self) -> None:
        if self._plain():
            raise ValueError(
                f"{type(self).__name__} computes kernel values at points of its own choice: kernel "
                "must be text or a mercer kernel (a function of two points is one by mercer.user)"
            )

    def _scores(
        self,
        X: Any,
        support: Any,
        coefficients: NDArray[np.float64],
        offsets: NDArray[np.float64],
        counts: list[int] | None = None,
    ) -> NDArray[np.float64]:
        """Σ_i coefficients[i] k(s_i, x) + offsets of each row of X. `support`: the support points,
        or for a matrix or a function their places among the points of the training."""
        if self._plain():
            K = np.asarray(X if self._has_matrix() else self._function_values(X, self._X_fit))
            if K.ndim != 2 or K.shape[1] != self._n_fit:
                raise ValueError(
                    f"X.shape[1] = {K.shape[-1]} should be equal to {self._n_fit}, "
                    "the number of samples at training time"
                )
            if counts:
                coefficients = _of_pairs(coefficients, counts)
            return np.asarray(K[:, support] @ coefficients + offsets)
        x, s = points(X), points(support)
        single = self._is_single(x.single and s.single)
        return _core.scores(
            self._kernel_here()._k,
            s,
            np.ascontiguousarray(coefficients),
            np.ascontiguousarray(offsets),
            counts or [],
            x,
            single,
            thread_count(self.n_jobs),
        )

    def _for_scores(self, X: Any) -> Any:
        check_is_fitted(self)
        if self._has_function():
            return X
        return validated_again(self, X)


@estimator
class KernelMachine(KernelBased):
    """A rule f(x) = Σ_i α_i k(s_i, x) + b."""

    callback: Callback | None = None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "dual_coef_")

    def _forget(self) -> None:
        """What an earlier fit has left: a later one that fails leaves nothing to predict with."""
        self.__dict__.pop("dual_coef_", None)

    def _weights(self, sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        return np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64))

    def _warn_unless_converged(self, facts: dict[str, Any]) -> None:
        self.message_: str = facts["message"]
        self.converged_: bool = facts["converged"]
        if not self.converged_ and not self._stopped_by_callback():
            warnings.warn(self.message_, ConvergenceWarning, stacklevel=3)

    def _stopped_by_callback(self) -> bool:
        return self.message_.startswith("interrupted")

    # ---- models

    def save(self, path: Any) -> None:
        """Write the rule in the program's own format, for ``mercer predict`` and ``mercer.load``.

        Columns are those that X had: by name where it was a frame.
        """
        self._model().save(path)

    def _model(self) -> Model:
        check_is_fitted(self)
        if self._plain():
            raise ValueError(
                "a kernel that is a matrix or a function of tables cannot be saved: only Python "
                "knows its values"
            )
        names = getattr(self, "feature_names_in_", None)
        return model_of(self._rule(), self._kernel_here(), names, type(self).__name__)

    def _rule(self) -> Rule:
        raise NotImplementedError


class WithClasses(ClassifierMixin):
    """For machines with classes: ``classes_``, and the weights of these."""

    class_weight: Any

    def _codes(self, y: Any) -> NDArray[np.intp]:
        """The place of each label among the classes, which are those of y from now on."""
        self.classes_, codes = classes_of(y)
        if len(self.classes_) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(self.classes_)} class"
            )
        return np.asarray(codes)

    def _class_weighted(
        self, weights: NDArray[np.float64] | None, codes: NDArray[np.intp]
    ) -> NDArray[np.float64] | None:
        """Weights of rows times those of their classes."""
        if self.class_weight is None:
            self.class_weight_ = np.ones(len(self.classes_))
            return weights
        self.class_weight_ = compute_class_weight(
            self.class_weight, classes=self.classes_, y=self.classes_[codes]
        )
        each: NDArray[np.float64] = self.class_weight_[codes]
        return each if weights is None else weights * each

    def _signs(self, codes: NDArray[np.intp]) -> NDArray[np.float64]:
        """+1 for a class and -1 for the others: a column for each, or for the second of two."""
        scores = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return np.stack([np.where(codes == c, 1.0, -1.0) for c in scores], axis=1)

    def _by_score(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """The class with the largest of such scores; of two the second where it is positive."""
        best = (scores > 0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return np.asarray(self.classes_[best])


def _rbf(gamma: float, degree: int, coef0: float) -> Kernel:
    return kernel(f"exp(-({gamma!r})*|x-z|^2)")


def _poly(gamma: float, degree: int, coef0: float) -> Kernel:
    return kernel(f"(({gamma!r})*x.z + ({coef0!r}))^{degree}")


def _sigmoid(gamma: float, degree: int, coef0: float) -> Kernel:
    return kernel(f"tanh(({gamma!r})*x.z + ({coef0!r}))")


# scikit-learn's words; the other parameters stand in the estimator.
_words: dict[str, Callable[[float, int, float], Kernel]] = {
    "rbf": _rbf,
    "poly": _poly,
    "sigmoid": _sigmoid,
}


def pairs_of(classes: int) -> list[tuple[int, int]]:
    """(0,1), (0,2), …, (1,2), …"""
    return [(a, b) for a in range(classes) for b in range(a + 1, classes)]


def _of_pairs(coefficients: NDArray[np.float64], counts: list[int]) -> NDArray[np.float64]:
    """From a column for each other class to a column for each pair of classes."""
    ends = np.cumsum([0, *counts])
    of_class = [slice(ends[c], ends[c + 1]) for c in range(len(counts))]
    out = np.zeros((coefficients.shape[0], len(pairs_of(len(counts)))))
    for p, (a, b) in enumerate(pairs_of(len(counts))):
        out[of_class[a], p] = coefficients[of_class[a], b - 1]
        out[of_class[b], p] = coefficients[of_class[b], a]
    return out


def seed_from(random_state: Any) -> int:
    """Without a random_state always the same."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral):
        if not 0 <= int(random_state) < 2**64:
            raise ValueError(f"random_state must not be negative, or 2**64 or more: {random_state}")
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def number(name: str, value: Any) -> float:
    """A parameter that must be a number; the core says which ones it takes."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{name} must be a number, not {value!r}")
    return float(value)


def whole(name: str, value: Any, least: int = 0) -> int:
    if (
        isinstance(value, bool)
        or not isinstance(value, Integral)
        or not least <= int(value) < 2**63
    ):
        raise ValueError(f"{name} must be a whole number >= {least}, not {value!r}")
    return int(value)
