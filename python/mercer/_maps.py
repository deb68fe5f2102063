"""Explicit feature maps as transformers."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._checks import validated
from ._kernel import Kernel
from ._kernel import kernel as parse
from ._large import centre_options
from ._machine import KernelBased, estimator, seed_from, whole
from ._points import points, table_of, thread_count
from ._sklearn import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin


@estimator
class PolynomialMap(TransformerMixin, BaseEstimator):
    """φ(x) of a kernel whose feature space is finite, written out: φ(x)·φ(z) = k(x, z).

    A linear model on it is the kernel machine, with w in place of the coefficients of the points.

    Parameters
    ----------
    kernel : a mercer.Kernel or its text: 'poly(2)', 'subsets', 'linear + linear^2', …
    limit : refuse more coordinates than this.
    n_jobs : threads.

    Attributes
    ----------
    features_ : the mercer.Features. n_features_out_ : how many.

    >>> import mercer
    >>> phi = mercer.PolynomialMap("poly(2)").fit([[1.0, 2.0]])
    >>> phi.get_feature_names_out(["a", "b"]).tolist()
    ['1', 'sqrt(2)*a', 'sqrt(2)*b', 'a^2', 'sqrt(2)*a*b', 'b^2']
    >>> phi.transform([[1.0, 2.0]]).round(2)
    array([[1.  , 1.41, 2.83, 1.  , 2.83, 4.  ]])
    """

    def __init__(
        self, kernel: Any = "poly(2)", *, limit: int = 100_000, n_jobs: int | None = None
    ) -> None:
        self.kernel = kernel
        self.limit = limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Any:
        """Find φ for points of the dimension of X."""
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C")
        k = parse(self.kernel)
        k = k._for_columns(list(getattr(self, "feature_names_in_", [])) or None)
        phi = k.features(X.shape[1], coordinates=int(self.limit))
        if phi.kind == "infinite" or phi.kind == "unknown":
            raise _core.Error(f"{k} has no finite map that is known: use it as a kernel instead")
        if phi.kind == "none":
            raise _core.Error(f"{k} has no features: {phi.reason}")
        if not phi.complete:
            raise _core.Error(
                f"{k} has {phi.count} features in dimension {X.shape[1]}, more than the limit of "
                f"{self.limit}: use it as a kernel instead, or raise the limit"
            )
        self.features_ = phi
        self.n_features_out_ = len(phi)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """φ of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C", reset=False)
        phi = self.features_
        image = _core.mapped(phi._map, phi.dim, points(X), thread_count(self.n_jobs))
        return image.astype(X.dtype, copy=False)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The coordinates in words, with the names of the columns."""
        check_is_fitted(self)
        from sklearn.utils.validation import _check_feature_names_in

        names = _check_feature_names_in(self, input_features, generate_names=False)
        texts = self.features_.coordinates
        if names is None:
            return np.asarray(texts, dtype=object)
        return np.asarray([_renamed(t, list(names)) for t in texts], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _renamed(text: str, names: list[str]) -> str:
    import re

    return re.sub(r"\bx(\d*)\b", lambda m: names[int(m.group(1) or 1) - 1], text)


@estimator
class _Features(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelBased):
    """φ with φ(x)·φ(z) near to k(x, z), for any number of rows."""

    kernel: Any = field(default="rbf", kw_only=False)
    gamma: Any = None
    random_state: Any = None

    def _gram_of(self, x: _core.Points) -> _core.GramOptions:
        gram = _core.GramOptions()
        gram.threads = thread_count(self.n_jobs)
        gram.single = self._is_single(x.single)
        return gram

    def _forget(self) -> None:
        self.__dict__.pop("_n_features_out", None)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_n_features_out")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@estimator
class Nystroem(_Features):
    """φ(x) = L⁻¹ [k(c_1, x), …, k(c_m, x)] for m centres c, with K_mm = L Lᵀ among them.

    φ(x)·φ(z) is k(x, z) but for what the centres do not explain of it; where x or z is a centre it
    is k(x, z). A linear model on it is a kernel machine for many rows.

    Parameters
    ----------
    {kernel}
    n_components : centres; all points where there are no more.
    centres : which points: 'uniform', 'leverage' (those that others do not explain) or 'kmeans'
        (each far from those before it).
    random_state : of the centres; None is 0.
    {precision}

    Attributes
    ----------
    components_ : the centres that are used; combinations of others are left out.
    component_indices_ : their places among the rows. factor_ : L. kernel_

    >>> import mercer, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> phi = mercer.Nystroem("rbf(0.1)", n_components=200).fit_transform(X)
    >>> phi.shape[1] <= 200, bool(abs(phi @ phi.T - mercer.rbf(0.1)(X)).max() < 0.02)
    (True, True)
    """

    n_components: int = 100
    centres: str = "uniform"

    def fit(self, X: Any, y: Any = None) -> Any:
        """Choose centres among the rows of X."""
        self._forget()
        X = validated(self, X)
        self._refuse_plain()
        o = centre_options(self.n_components, self.centres, self.random_state)
        task = self._task(X)
        facts = _core.nystrom_features(task.kernel, task.points, o, self._gram_of(task.points))
        self.factor_ = facts["factor"]
        self.component_indices_ = facts["rows"]
        self.components_ = table_of(facts["centres"], X)
        self._n_features_out = self.factor_.shape[0]
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """φ of each row."""
        x = points(self._for_scores(X))
        phi = _core.mapped_by_centres(
            self._kernel_here()._k, points(self.components_), self.factor_, x, self._gram_of(x)
        )
        return np.asarray(phi)


@estimator
class RandomFeatures(_Features):
    """Random Fourier features: φ(x)·φ(z) is k(x, z) up to an error that falls with their number.

    For kernels with a spectral density that is known: rbf, laplacian, matern, rq, periodic, and
    sums, products and exponentials of them. The frequencies are drawn by ``random_state`` alone,
    whatever X is.

    Parameters
    ----------
    {kernel}
    n_components : features, at most: two for each frequency, one for a constant.
    orthogonal : directions orthogonal to each other, for a smaller error.
    random_state : of the frequencies; None is 0.
    {precision}

    Attributes
    ----------
    frequencies_, amplitudes_ : φ_j(x) = amplitude_j (cos + sin)(frequency_j·x). kernel_
    spread_ : with a chance of 99 % none of N pairs has an error above √(2 spread log(200 N));
        negative where no such bound is known (orthogonal).

    >>> import mercer, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> phi = mercer.RandomFeatures("matern(1.5) + 1", n_components=20_000).fit_transform(X)
    >>> bool(abs(phi @ phi.T - mercer.kernel("matern(1.5) + 1")(X)).max() < 0.05)
    True
    """

    n_components: int = 1000
    orthogonal: bool = False

    def fit(self, X: Any, y: Any = None) -> Any:
        """Draw frequencies for points of the dimension of X."""
        self._forget()
        X = validated(self, X)
        self._refuse_plain()
        self.kernel_ = self._resolved_kernel(X)
        return self._draw(X.shape[1])

    def _for_dimension(self, dim: int) -> RandomFeatures:
        self.kernel_ = parse(self.kernel)
        return self._draw(whole("dim", dim, 1))

    def _draw(self, dim: int) -> RandomFeatures:
        o = _core.RandomFeatureOptions()
        o.count = whole("n_components", self.n_components, 1)
        o.orthogonal = bool(self.orthogonal)
        o.seed = seed_from(self.random_state)
        facts = _core.random_features(self._kernel_here()._k, dim, o)
        self._cas = Kernel._of(facts["cas"])
        self.amplitudes_ = facts["amplitudes"]
        self.spread_ = float(facts["spread"])
        self.n_features_in_ = dim
        self._n_features_out = len(self.amplitudes_)
        self.frequencies_ = table_of(facts["frequencies"])
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """φ of each row."""
        x = points(self._for_scores(X))
        phi = _core.mapped_by_frequencies(
            self._cas._k, points(self.frequencies_), self.amplitudes_, x, self._gram_of(x)
        )
        return np.asarray(phi)
