"""Rules in the program's own files: saved by estimators here, or trained by ``mercer train``."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._kernel import Kernel
from ._points import as_table, column_names, points, table_of, thread_count

Path = str | os.PathLike[str]


class Model:
    """A rule and the encoding of its columns, as it stands in a file: see :func:`mercer.load`.

    Attributes
    ----------
    task : "classification" or "regression". classes_ : of classification.
    kernel : a mercer.Kernel; None for a rule in explicit features, whose ``map`` is text.
    support_vectors_, coefficients, offsets : f_c(x) = Σ_i coefficients[i, c] k(s_i, x) +
        offsets[c]; of rules that decide between each two classes see docs/model-format.md.
    columns : (name, is categorical, levels) of those that X has; empty where they have no names.
    training : how it was trained.

    >>> import mercer, tempfile, os
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.mercer")
    >>> mercer.SVC(kernel="rbf(0.5)").fit(X, y).save(path)
    >>> model = mercer.load(path)
    >>> model
    <mercer.Model: classification by rbf(0.5), 3 classes, ... support points in dimension 4>
    >>> float((model.predict(X) == y).mean()) > 0.97
    True
    """

    def __init__(self, core: _core.Model) -> None:
        self._m = core
        self.task: str = core.task
        self.training: dict[str, Any] = json.loads(core.training) if core.training else {}
        self.columns: list[tuple[str, bool, list[str]]] = core.columns
        self.classes_: NDArray[Any] | None = None
        if self.task == "classification":
            self.classes_ = _classes(core.classes, core.numeric_classes)

    @property
    def kernel(self) -> Kernel | None:
        k = self._m.kernel
        return None if k is None else Kernel._of(k)

    @property
    def map(self) -> str | None:
        return self._m.map

    @property
    def support_vectors_(self) -> Any:
        return table_of(self._m.support)

    @property
    def coefficients(self) -> NDArray[np.float64]:
        return self._m.coefficients

    @property
    def offsets(self) -> NDArray[np.float64]:
        return self._m.offsets

    def scores(self, X: Any, *, precision: str = "single", n_jobs: int | None = None) -> Any:
        """A column for each score of the rule, as ``mercer predict --scores`` writes them."""
        return self._said(X, precision, n_jobs)["scores"]

    def predict(self, X: Any, *, precision: str = "single", n_jobs: int | None = None) -> Any:
        """The class or the number of each row.

        A frame is encoded as the training data were: columns by name, categories and missing
        values as the model knows them. An array has the columns in their order.
        """
        said = self._said(X, precision, n_jobs)
        if self.classes_ is None:
            return said["scores"][:, 0]
        return self.classes_[said["classes"]]

    def predict_proba(self, X: Any, *, precision: str = "single", n_jobs: int | None = None) -> Any:
        """Probabilities of the classes, where the model knows them."""
        if not self._m.calibrated:
            raise AttributeError("this model knows no probabilities: train it with them")
        return self._said(X, precision, n_jobs)["probabilities"]

    def save(self, path: Path) -> None:
        """Write it: as a whole or not at all."""
        self._m.save(os.fspath(path))

    def _said(self, X: Any, precision: str, n_jobs: int | None) -> dict[str, Any]:
        if precision not in ("single", "double"):
            raise ValueError(f"precision must be 'single' or 'double', not {precision!r}")
        x = self._encoded(X)
        return self._m.predict(x, precision == "single", thread_count(n_jobs))

    def _encoded(self, X: Any) -> _core.Points:
        names = column_names(X)
        if names is None or not self._m.named:
            return self._m.encoded_points(points(as_table(X)))
        categorical = {name: by_levels for name, by_levels, _ in self.columns}
        cells = [_column(X, n, categorical[n]) for n in names if n in categorical]
        return self._m.encoded_frame(cells, len(X))

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_bytes, (self._m.bytes(),)

    def __repr__(self) -> str:
        by = f"by {self.kernel}" if self.map is None else f"in features {self.map}"
        classes = "" if self.classes_ is None else f" {len(self.classes_)} classes,"
        count = self.coefficients.shape[0]
        what = "features" if self._m.kernel is None else "support points"
        dim = self._m.dimension
        return f"<mercer.Model: {self.task} {by},{classes} {count} {what} in dimension {dim}>"


def load(path: Path) -> Model:
    """A model from a file of ``mercer train``, ``mercer tune``, …, or of an estimator's ``save``.

    >>> import mercer
    >>> mercer.load("nothing.mercer")
    Traceback (most recent call last):
        ...
    mercer._core.Error: nothing.mercer: ...
    """
    return Model(_core.Model.load(os.fspath(path)))


def _from_bytes(data: bytes) -> Model:
    return Model(_core.Model.parse(data))


def _classes(names: list[str], numeric: bool) -> NDArray[Any]:
    if not numeric:
        return np.asarray(names)
    numbers = np.asarray([float(n) for n in names])
    whole = numbers.astype(np.int64)
    return whole if np.array_equal(whole, numbers) else numbers


def _column(frame: Any, name: str, categorical: bool) -> tuple[str, Any, list[int], list[str]]:
    """A column of a frame: numbers with NaN where there are none, or codes of levels."""
    array = np.asarray(frame[name].to_numpy())
    # Truth values that are categories were text in the file, "True" and "False".
    if array.dtype.kind in "fiu" or (array.dtype.kind == "b" and not categorical):
        return name, np.ascontiguousarray(array, dtype=np.float64), [], []
    cells = [None if _is_missing(v) else v for v in array.tolist()]
    if all(v is None or (isinstance(v, Real) and not isinstance(v, bool)) for v in cells):
        numbers = [np.nan if v is None else float(v) for v in cells]
        return name, np.asarray(numbers, dtype=np.float64), [], []
    texts = [None if v is None else str(v) for v in cells]
    levels = sorted({t for t in texts if t is not None})
    place = {t: i for i, t in enumerate(levels)}
    return name, None, [-1 if t is None else place[t] for t in texts], levels


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


# ---- from estimators


class Rule(NamedTuple):
    """What an estimator has learned, in the words of <mercer/model.hpp>."""

    support: Any
    coefficients: NDArray[np.float64]  # a row for each support point
    offsets: NDArray[np.float64]
    classes: NDArray[Any] | None = None
    scheme: str = "one"
    counts: Sequence[int] = ()
    calibration: NDArray[np.float64] | None = None


def model_of(rule: Rule, k: Kernel, columns: Any, learner: str) -> Model:
    """A model of points as they are; `columns`: their names, or None."""
    names: list[str] = []
    numeric = rule.classes is not None and rule.classes.dtype.kind in "fiu"
    if rule.classes is not None:
        names = (
            _core.names_of_numbers(rule.classes.astype(np.float64))
            if numeric
            else [str(c) for c in rule.classes]
        )
    if len(set(names)) < len(names):
        raise ValueError("classes that are written in the same way cannot be saved")
    core = _core.model(
        k._k,
        points(rule.support),
        np.ascontiguousarray(rule.coefficients, dtype=np.float64),
        np.ascontiguousarray(rule.offsets, dtype=np.float64),
        rule.scheme,
        names,
        numeric,
        [int(c) for c in rule.counts],
        np.empty((0, 2)) if rule.calibration is None else np.ascontiguousarray(rule.calibration),
        [] if columns is None else [str(c) for c in columns],
        json.dumps({"learner": learner, "mercer": _core.version}),
    )
    return Model(core)
