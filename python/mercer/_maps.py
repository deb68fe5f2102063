"""Explicit feature maps as transformers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._kernel import kernel as parse
from ._points import points, thread_count


class PolynomialMap(TransformerMixin, BaseEstimator):  # type: ignore[misc]
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
