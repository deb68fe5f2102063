"""The feature map behind a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._points import as_table, points, thread_count

if TYPE_CHECKING:
    from ._kernel import Kernel


class Features:
    """φ with φ(x)·φ(z) = k(x, z), coordinate by coordinate.

    Attributes
    ----------
    kernel, dim : the kernel, and the dimension of its points
    kind : "finite", "infinite" (``coordinates`` are those of a series that was cut),
        "none" (it is not a kernel, see ``reason``) or "unknown"
    count : the number of coordinates, as text: it may be very large
    coordinates : texts of the first of them, in the kernel language
    complete : whether these are all that ``count`` counts
    exact : whether φ(x)·φ(z) = k(x, z) was checked for every coefficient
    tail : a text with |k(x,z) - φ(x)·φ(z)| <= tail(x,z), of an infinite one that was cut

    >>> import mercer
    >>> phi = mercer.poly(2).features(dim=1)
    >>> phi
    3 features: 1, sqrt(2)*x, x^2
    >>> phi([[2.0]])
    array([[1.        , 2.82842712, 4.        ]])
    """

    def __init__(self, kernel: Kernel, dim: int, facts: dict[str, Any]) -> None:
        self.kernel = kernel
        self.dim = dim
        self.kind: str = facts["kind"]
        self.count: str = facts["count"]
        self.coordinates: list[str] = facts["coordinates"]
        self.complete: bool = facts["complete"]
        self.minimal: bool = facts["minimal"]
        self.exact: bool = facts["exact"]
        self.tail: str | None = facts["tail"]
        self.where: list[str] = facts["where"]
        self.tail_on_unit_ball: float | None = facts["tail_on_unit_ball"]
        self.notes: list[str] = facts["notes"]
        self.reason: str = facts["reason"]
        self._map: str = facts["map"]
        self._latex: list[str] = facts["latex"]

    def __call__(self, X: Any, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """φ of each row of X."""
        if self.kind not in ("finite", "infinite"):
            raise _core.Error(f"{self.kernel} has no features to compute: {self.reason}")
        if not self.complete:
            raise _core.Error(
                f"{len(self.coordinates)} of {self.count} features are written out: "
                "ask features() for more coordinates"
            )
        x = as_table(X)
        if x.shape[1] != self.dim:
            raise _core.Error(f"these features are of dimension {self.dim}, not {x.shape[1]}")
        return _core.mapped(self._map, self.dim, points(x), thread_count(n_jobs))

    def __len__(self) -> int:
        return len(self.coordinates)

    def __repr__(self) -> str:
        if self.kind in ("none", "unknown"):
            what = "no features" if self.kind == "none" else "unknown features"
            return f"{what}: {self.reason}"
        shown = ", ".join(self.coordinates[:20]) + (", …" if len(self) > 20 else "")
        if self.kind == "infinite":
            return f"infinitely many features, the first {self.count}: {shown}"
        return f"{self.count} feature{'' if self.count == '1' else 's'}: {shown}"

    def _repr_latex_(self) -> str | None:
        if self.kind in ("none", "unknown"):
            return None
        shown = self._latex[:20] + (
            [r"\ldots"] if len(self) > 20 or self.kind == "infinite" else []
        )
        return f"$\\displaystyle \\varphi(x) = \\left[{', '.join(shown)}\\right]$"
