"""X and y, checked as scikit-learn checks them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from ._points import refuse_text

how_to_read: dict[str, Any] = dict(
    dtype=[np.float64, np.float32], order="C", accept_sparse="csr", accept_large_sparse=True
)


def validated(estimator: Any, X: Any, y: Any = "no_validation", **more: Any) -> Any:
    """For fit: X, or X and y. The estimator knows from now on how many columns there are, and how
    they are named."""
    if _is_right(X) and _fits(y, X):
        estimator.n_features_in_ = X.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)
        return X if isinstance(y, str) else (X, y)
    refuse_text(X)
    return validate_data(estimator, X, y, **how_to_read, **more)


def validated_again(estimator: Any, X: Any) -> Any:
    """After fit: the same columns."""
    if _is_right(X) and not hasattr(estimator, "feature_names_in_"):
        if getattr(estimator, "n_features_in_", None) == X.shape[1]:
            return X
    refuse_text(X)
    return validate_data(estimator, X, reset=False, **how_to_read)


def one_column(y: Any) -> Any:
    """y as an array of one dimension; a table of one column is one too, with a warning."""
    return y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(y, warn=True)


def classes_of(y: Any) -> tuple[Any, Any]:
    """The classes in y, and the place of each label among them. Refuses numbers of any size."""
    y = one_column(y)
    plain = y.dtype.kind in "biuU"
    if not plain:
        check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if plain and 2 * len(classes) > len(y):
        check_classification_targets(y)  # which warns of so many classes
    return classes, codes


def refuse_lopsided(K: Any) -> None:
    """A matrix that is not symmetric, but for rounding, has no rule that is best."""
    largest = max(-float(K.min()), float(K.max()))
    if not np.isfinite(largest):
        return  # the core says where
    side = 256  # tiles that stay in the cache, since one of the two is read across
    for i in range(0, len(K), side):
        for j in range(0, i + side, side):
            a, b = K[i : i + side, j : j + side], K[j : j + side, i : i + side].T
            if np.abs(a - b).max(initial=0) > 1e-4 * largest:
                r, c = np.unravel_index(np.abs(a - b).argmax(), a.shape)
                raise ValueError(
                    f"a Gram matrix is symmetric, but K[{i + r}, {j + c}] = {a[r, c]:g} and "
                    f"K[{j + c}, {i + r}] = {b[r, c]:g}: use (K + K.T) / 2"
                )


# Where nothing has to be converted and nothing is wrong, scikit-learn's checks would say so as
# well, but take half a millisecond, as long as a small prediction. All else is theirs to judge.


def _is_right(X: Any) -> bool:
    return (
        type(X) is np.ndarray
        and (X.dtype == np.float64 or X.dtype == np.float32)
        and X.ndim == 2
        and X.size > 0
        and X.flags.c_contiguous
        and X.flags.aligned
        and _is_finite(X)
    )


def _fits(y: Any, X: Any) -> bool:
    if isinstance(y, str):
        return y == "no_validation"
    return (
        type(y) is np.ndarray
        and y.ndim == 1
        and len(y) == len(X)
        and (y.dtype.kind in "biu" or (y.dtype.kind == "f" and _is_finite(y)))
    )


def _is_finite(a: Any) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(a.sum(dtype=np.float64)))
