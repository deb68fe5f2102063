"""Points from whatever people have them in: arrays, sparse matrices, frames."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

import numpy as np

from . import _core


def points(x: Any) -> _core.Points:
    """The rows of an array or of a SciPy sparse matrix, in their own memory where that is possible.

    Arrays of float32 and float64 whose rows lie in one piece are not copied.
    """
    if hasattr(x, "indptr"):  # SciPy's compressed rows
        x = _canonical(x)
        if x.shape[1] > np.iinfo(np.int32).max:
            raise _core.Error(
                f"a sparse matrix may have {np.iinfo(np.int32).max} columns, not {x.shape[1]}"
            )
        return _core.Points.sparse(
            np.ascontiguousarray(x.indptr, dtype=np.int64),
            np.ascontiguousarray(x.indices, dtype=np.int32),
            np.ascontiguousarray(x.data, dtype=_scalar(x.dtype)),
            x.shape[1],
        )
    scalar = _scalar(x.dtype)
    rows_in_one_piece = (
        x.dtype == scalar
        and x.flags.aligned
        and (x.shape[1] <= 1 or x.strides[1] == x.itemsize)
        and (x.shape[0] <= 1 or x.strides[0] >= x.itemsize * x.shape[1])
        and (x.strides[0] % x.itemsize == 0)
    )
    if not rows_in_one_piece:
        x = np.ascontiguousarray(x, dtype=scalar)
    return _core.Points.dense(x)


def table_of(arrays: Any, like: Any = None) -> Any:
    """The core's points as an array, or as a sparse matrix of the kind of `like`."""
    if not isinstance(arrays, tuple):
        return arrays
    from scipy.sparse import csr_array, csr_matrix, sparray

    offsets, indices, values, columns = arrays
    made = csr_array if like is None or isinstance(like, sparray) else csr_matrix
    return made((values, indices, offsets), shape=(len(offsets) - 1, columns))


def _scalar(dtype: Any) -> Any:
    return np.float32 if dtype.kind == "f" and dtype.itemsize == 4 else np.float64


def _canonical(x: Any) -> Any:
    """Indices ascend, each is there once; the user's own matrix stays as it is."""
    if x.has_canonical_format:
        return x
    x = x.copy()
    x.sum_duplicates()
    return x


def column_names(x: Any) -> list[str] | None:
    """Of a pandas or polars frame; None for what has no names."""
    names = getattr(x, "columns", None)
    if names is None or not hasattr(x, "dtypes"):
        return None
    names = list(names)
    return names if all(isinstance(n, str) for n in names) else None


def in_order(x: Any, names: list[str] | None) -> Any:
    """A frame with these columns, in this order; whatever else is left as it is."""
    own = column_names(x)
    if own is None or names is None or own == names or sorted(own) != sorted(names):
        return x
    return x[names]


def as_table(x: Any) -> Any:
    """An array of two dimensions, or a sparse matrix in compressed rows; one point may stand alone
    in neither. Raises ValueError for what holds no finite numbers."""
    if hasattr(x, "tocsr"):
        x = x.tocsr()
        _refuse_other_types(x.dtype)
        _refuse_non_numbers(x.data)
        return _canonical(x)
    refuse_text(x)
    frame = hasattr(x, "to_numpy") and hasattr(x, "columns")
    a = x.to_numpy() if frame else _array(x)
    if a.dtype == object:
        try:
            a = a.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise _core.Error(f"points must be real numbers: {error}") from None
    _refuse_other_types(a.dtype)
    if a.ndim != 2:
        raise _core.Error(
            f"points stand in the rows of a table, which has two dimensions, not {a.ndim}: "
            "use reshape(1, -1) for one point, reshape(-1, 1) for numbers"
        )
    _refuse_non_numbers(a)
    return a


def _array(x: Any) -> Any:
    try:
        return np.asarray(x)
    except ValueError:
        lengths = sorted({len(row) for row in x if hasattr(row, "__len__")}, reverse=True)
        if len(lengths) < 2:
            raise
        raise _core.Error(
            "points stand in the rows of a table, all of one length: one has "
            f"{lengths[0]} coordinates and another {lengths[-1]}"
        ) from None


def refuse_text(x: Any) -> None:
    """Names the first column of a frame that holds no numbers; refuses arrays of dates, and masked
    ones. What else is no number, scikit-learn refuses in words of its own."""
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise _core.Error("points must have all their coordinates: some are masked")
    names = getattr(x, "columns", None)
    if names is None or not hasattr(x, "dtypes"):
        if getattr(getattr(x, "dtype", None), "kind", "f") in "mM":
            raise _core.Error(f"points must be real numbers, not {x.dtype}")
        return
    for name, kind in zip(names, list(x.dtypes), strict=True):
        text = str(kind).lower()
        if text.startswith(_not_numbers):
            raise _core.Error(
                f"column {str(name)!r} holds {text}, not numbers: encode it first, categories by "
                "scikit-learn's OneHotEncoder, or leave it out"
            )


# How pandas and polars name the types of what is no number.
_not_numbers = (
    "category",
    "categorical",
    "enum",
    "str",
    "utf8",
    "date",
    "time",
    "duration",
    "list",
)


def _refuse_other_types(dtype: Any) -> None:
    if dtype.kind not in "fiub":
        raise _core.Error(f"points must be real numbers, not {dtype}")


def _refuse_non_numbers(a: Any) -> None:
    if a.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        finite = bool(np.isfinite(a.sum(dtype=np.float64)))  # in most cases this is enough
    if not finite and not np.isfinite(a).all():
        raise _core.Error("points must have finite coordinates: there is a NaN or an infinity")


def thread_count(n_jobs: int | None) -> int:
    """Threads for a call; 0: as many as the machine has.

    Without ``n_jobs``, OMP_NUM_THREADS is obeyed: joblib sets it in its workers, so that several of
    them share the machine.
    """
    if n_jobs is None:
        text = os.environ.get("OMP_NUM_THREADS", "")
        return int(text) if text.isdigit() else 0
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise _core.Error(f"n_jobs must be a number of threads, or -1 for all, not {n_jobs!r}")
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
