"""Points from whatever people have them in: arrays, sparse matrices, frames."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core


def points(x: Any) -> _core.Points:
    """The rows of an array or of a SciPy sparse matrix, in their own memory where that is possible.

    Arrays of float32 and float64 whose rows lie in one piece are not copied.
    """
    if hasattr(x, "indptr"):  # SciPy's compressed rows
        x.sort_indices()
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


def _scalar(dtype: Any) -> Any:
    return np.float32 if dtype == np.float32 else np.float64


def column_names(x: Any) -> list[str] | None:
    """Of a pandas or polars frame; None for what has no names."""
    names = getattr(x, "columns", None)
    if names is None or not hasattr(x, "dtypes"):
        return None
    names = list(names)
    return names if all(isinstance(n, str) for n in names) else None


def as_table(x: Any) -> Any:
    """An array of two dimensions, or a sparse matrix in compressed rows; one point may stand alone
    in neither. Raises ValueError for what holds no finite numbers."""
    if hasattr(x, "tocsr"):
        x = x.tocsr()
        if not x.has_sorted_indices:
            x = x.sorted_indices()
        _refuse_non_numbers(x.data)
        return x
    frame = hasattr(x, "to_numpy") and hasattr(x, "columns")
    a = x.to_numpy() if frame else np.asarray(x)
    if a.dtype == object:
        a = a.astype(np.float64)
    if a.dtype.kind not in "fiub":
        raise _core.Error(f"points must be real numbers, not {a.dtype}")
    if a.ndim != 2:
        raise _core.Error(
            f"points stand in the rows of a table, which has two dimensions, not {a.ndim}: "
            "use reshape(1, -1) for one point, reshape(-1, 1) for numbers"
        )
    _refuse_non_numbers(a)
    return a


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
    if n_jobs == 0:
        raise _core.Error("n_jobs must not be 0: give a number of threads, or -1 for all")
    if n_jobs > 0:
        return n_jobs
    return max(1, (os.cpu_count() or 1) + 1 + n_jobs)
