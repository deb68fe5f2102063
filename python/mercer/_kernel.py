"""Kernels as values."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._points import as_table, column_names, in_order, points, thread_count

if TYPE_CHECKING:
    from ._features import Features
    from ._maps import RandomFeatures
    from ._verdict import Verdict

#: What can stand where a kernel is wanted in arithmetic: ``k + 1``, ``0.5 * k``.
Operand = Union["Kernel", float, int]


class Kernel:
    """A kernel k(x, z), as an immutable expression.

    It is built from text by :func:`kernel`, or from the named kernels (``mercer.rbf``,
    ``mercer.poly``, …) with ``+ - * / **``. Two kernels are equal when their expressions are the
    same after exact simplification.

    >>> import mercer
    >>> k = mercer.rbf(0.5) * mercer.poly(2)
    >>> k == mercer.kernel("exp(-|x-z|^2/2) * (1 + x.z)^2")
    True
    >>> k.formula
    'exp(-0.5*|x-z|^2)*(x.z + 1)^2'
    """

    __slots__ = ("_k",)
    _k: _core.Kernel

    def __init__(self, text: str | Kernel | float, *, dim: int | None = None) -> None:
        if isinstance(text, Kernel):
            core = text._k
        elif isinstance(text, str):
            core = _core.Kernel.parse(text, None if dim is None else _dimension(dim))
        elif isinstance(text, (int, float, np.integer, np.floating)):
            core = _core.Kernel(float(text))
        else:
            raise TypeError(f"a kernel is made from text or a number, not {type(text).__name__}")
        object.__setattr__(self, "_k", core)

    @classmethod
    def _of(cls, core: _core.Kernel) -> Kernel:
        k = object.__new__(cls)
        object.__setattr__(k, "_k", core)
        return k

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("kernels are immutable: build another one")

    # ---- text

    def __str__(self) -> str:
        return self._k.text()

    def __repr__(self) -> str:
        return f"mercer.kernel({self._k.text()!r})"

    @property
    def formula(self) -> str:
        """The expression without names of kernels."""
        return self._k.formula()

    @property
    def latex(self) -> str:
        """The formula for TeX, in math mode."""
        return self._k.latex()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle k(x,z) = {self.latex}$"

    def __reduce__(self) -> tuple[Any, ...]:
        return kernel, (str(self),)

    # ---- algebra

    def __add__(self, other: Operand) -> Kernel:
        return self._with(other, _core.Kernel.add)

    def __radd__(self, other: Operand) -> Kernel:
        return self._with(other, _core.Kernel.add)

    def __sub__(self, other: Operand) -> Kernel:
        return self._with(other, _core.Kernel.subtract)

    def __rsub__(self, other: Operand) -> Kernel:
        return self._with(other, lambda a, b: b.subtract(a))

    def __mul__(self, other: Operand) -> Kernel:
        return self._with(other, _core.Kernel.multiply)

    def __rmul__(self, other: Operand) -> Kernel:
        return self._with(other, _core.Kernel.multiply)

    def __truediv__(self, other: Operand) -> Kernel:
        return self._with(other, _core.Kernel.divide)

    def __rtruediv__(self, other: Operand) -> Kernel:
        return self._with(other, lambda a, b: b.divide(a))

    def __neg__(self) -> Kernel:
        return Kernel._of(self._k.negative())

    def __pow__(self, exponent: float) -> Kernel:
        if not isinstance(exponent, (int, float, np.integer, np.floating)):
            return NotImplemented
        return Kernel._of(self._k.power(float(exponent)))

    def _with(
        self, other: object, combine: Callable[[_core.Kernel, _core.Kernel], _core.Kernel]
    ) -> Kernel:
        if isinstance(other, (int, float, np.integer, np.floating)):
            other = Kernel(float(other))
        if not isinstance(other, Kernel):
            return NotImplemented  # type: ignore[no-any-return]
        return Kernel._of(combine(self._k, other._k))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kernel):
            return NotImplemented
        return self._k.same(other._k)

    def __hash__(self) -> int:
        return self._k.hash()

    # k[0], k[1], … would never end: a kernel is no sequence.
    __iter__ = None
    __contains__ = None

    def __getitem__(self, columns: str | int | slice | Iterable[str] | Iterable[int]) -> Kernel:
        """The kernel on some columns only: names, or positions from 0 as in Python.

        (In the text of a kernel, positions are from 1: ``rbf(1)[1:2]``.)

        >>> import mercer
        >>> mercer.rbf(1)[0:2]
        mercer.kernel('rbf(1)[1:2]')
        >>> mercer.rbf(1)["age"]
        mercer.kernel('rbf(1)["age"]')
        """
        if isinstance(columns, str):
            return Kernel._of(self._k.on(columns))
        if isinstance(columns, slice):
            if columns.stop is None or columns.stop < 0 or (columns.start or 0) < 0:
                raise _core.Error("a slice of columns needs an end, and counts from 0")
            columns = range(columns.stop)[columns]
        chosen: list[Any] = list(columns) if isinstance(columns, Iterable) else [columns]
        if chosen and all(isinstance(c, str) for c in chosen):
            quoted = (c.replace("\\", "\\\\").replace('"', '\\"') for c in chosen)
            return kernel(f"({self})[" + ",".join(f'"{c}"' for c in quoted) + "]")
        if not all(isinstance(c, (int, np.integer)) for c in chosen):
            raise TypeError(f"columns are names or positions, not {columns!r}")
        places = [int(c) for c in chosen]
        if any(c < 0 for c in places):
            raise _core.Error("columns are counted from 0: there are no negative ones")
        return Kernel._of(self._k.on([c + 1 for c in places]))

    # ---- values

    def __call__(self, X: Any, Z: Any = None, *, n_jobs: int | None = None) -> NDArray[Any]:
        """The Gram matrix: ``K[i, j] = k(X[i], Z[j])``, without Z ``k(X[i], X[j])``.

        X and Z may be arrays of any real dtype and order, SciPy sparse matrices, or pandas and
        polars frames, whose columns the kernel may then name. Of two float32 tables the values are
        float32, else float64; float32 in C order is not copied.

        >>> import mercer
        >>> mercer.linear()([[1.0, 2.0], [3.0, 4.0]])
        array([[ 5., 11.],
               [11., 25.]])
        """
        x = as_table(X)
        names = column_names(X)
        k = self._for_columns(names)
        if Z is None or Z is X:
            z = x
        else:
            Z = in_order(Z, names)
            z = as_table(Z)
            if self._k.has_named_columns() and column_names(Z) != names:
                raise _core.Error("X and Z have different columns")
        xs = points(x)
        zs = xs if z is x else points(z)
        single = xs.single and zs.single
        return np.asarray(_core.gram(k._k, xs, zs, single, thread_count(n_jobs)))

    def _for_columns(self, names: list[str] | None) -> Kernel:
        if not self._k.has_named_columns():
            return self
        if names is None:
            raise _core.Error(
                f"{self} names columns, but the points have no names: give a frame of pandas or "
                "polars"
            )
        return Kernel._of(self._k.with_columns(names))

    # ---- knowledge

    def prove(self, over: str = "R", dim: int | None = None, *, timeout: float = 10.0) -> Verdict:
        """Is it a kernel on the domain? A derivation, or points and coefficients against it.

        ``over`` is a domain: ``"R"``, ``"R+"``, ``"[0,1]"``, ``"ball(1)"``, …; without ``dim`` the
        statement is about every dimension in which the expression makes sense.

        >>> import mercer
        >>> print(mercer.kernel("min(x,z)").prove(over="R+", dim=1))
        intersection is a kernel on R+ in dimension 1.
        ...
        """
        from ._verdict import Verdict

        # In dimension 1, x and z are numbers.
        dim = None if dim is None else _dimension(dim)
        k = self if dim is None else kernel(str(self), dim=dim)
        return Verdict(k, _core.prove(k._k, over, dim, timeout), dim)

    def features(self, dim: int, *, terms: int = 4, coordinates: int = 1000) -> Features:
        """The feature map behind it, for points of dimension ``dim``.

        >>> import mercer
        >>> mercer.poly(2).features(dim=2).coordinates
        ['1', 'sqrt(2)*x1', 'sqrt(2)*x2', 'x1^2', 'sqrt(2)*x1*x2', 'x2^2']
        """
        from ._features import Features

        return Features(self, dim, _core.features(self._k, _dimension(dim), terms, coordinates))

    def random_features(
        self,
        D: int = 1000,
        dim: int | None = None,
        *,
        orthogonal: bool = False,
        random_state: Any = None,
    ) -> RandomFeatures:
        """D random Fourier features of it, as a transformer; drawn already if ``dim`` is given.

        >>> import mercer
        >>> phi = mercer.rbf(0.5).random_features(2000, dim=2)
        >>> (phi.transform([[1.0, 2.0]]) @ phi.transform([[2.0, 2.0]]).T).round(1)
        array([[0.6]])
        """
        from ._maps import RandomFeatures

        made = RandomFeatures(
            self, n_components=D, orthogonal=orthogonal, random_state=random_state
        )
        return made if dim is None else made._for_dimension(dim)

    def properties(self, dim: int | None = None) -> dict[str, Any]:
        """What the form of the expression shows: symmetric, stationary, its degree, …"""
        return _core.properties(self._k, None if dim is None else _dimension(dim))

    @property
    def open_parameters(self) -> list[tuple[str, str]]:
        """The open ones, as in ``rbf(gamma=?)``: pairs of kernel and parameter."""
        return self._k.open_parameters()

    def with_parameters(self, *values: float) -> Kernel:
        """The kernel with its open parameters set, in the order of ``open_parameters``."""
        return Kernel._of(self._k.with_parameters([float(v) for v in values]))


def kernel(text: str | Kernel | float, *, dim: int | None = None) -> Kernel:
    """A kernel from its text in the kernel language.

    >>> import mercer
    >>> mercer.kernel("exp(-|x-z|^2/2)")
    mercer.kernel('rbf(0.5)')
    >>> mercer.kernel("2 * rfb(1)")
    Traceback (most recent call last):
        ...
    mercer._core.ParseError: column 5: unknown name 'rfb'; ...; did you mean 'rbf'?
      2 * rfb(1)
          ^~~
    """
    return Kernel(text, dim=dim)


def _dimension(dim: Any) -> int:
    if isinstance(dim, bool) or not isinstance(dim, Integral) or int(dim) < 1:
        raise _core.Error(f"there is no dimension {dim!r}: a point has coordinates")
    return int(dim)


def user(name: str, function: Callable[[NDArray[Any], NDArray[Any]], float]) -> Kernel:
    """A Python function k(x, z) of two points as a kernel, which prints as ``user("name")``.

    It is called for every pair of points, one at a time: for large data say it in the language.
    The name stands for this function until :func:`forget_user`; unpickling needs it registered.

    >>> import mercer
    >>> k = 2 * mercer.user("overlap", lambda x, z: float(sum(x == z)))
    >>> k([[1, 2, 3]], [[1, 0, 3]])
    array([[4.]])
    >>> mercer.forget_user("overlap")
    """
    return Kernel._of(_core.user(name, function))


def forget_user(name: str) -> None:
    """Lets the name of a user's function be given again."""
    _core.forget_user(name)


# A function knows the module that it stands in, and so the kernels there that know it: the circle
# is broken before Python takes modules apart.
atexit.register(_core.let_go_of_user_functions)


def kernel_of(features: str, dim: int | None = None) -> Kernel:
    """From a feature map back to its kernel.

    >>> import mercer
    >>> mercer.kernel_of("[x1^2, sqrt(2)*x1*x2, x2^2]")
    mercer.kernel('linear^2')
    """
    return Kernel._of(_core.kernel_of(features, None if dim is None else _dimension(dim)))
