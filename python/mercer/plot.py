"""Pictures with matplotlib, which is imported only here.

Each function draws into ``ax``, or into the current axes, and returns the axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._kernel import Kernel, kernel
from ._points import as_table, column_names, points, thread_count

__all__ = ["boundary", "gram", "lift", "path"]


def _axes(ax: Any, **how: Any) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("mercer.plot needs matplotlib: pip install matplotlib") from error
    if ax is not None:
        return ax
    return plt.subplot(**how) if how else plt.gca()


def _plane(X: Any) -> NDArray[np.float64]:
    x = as_table(X)
    x = np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=np.float64)
    if x.shape[1] != 2:
        raise _core.Error(f"a picture of the plane needs points with 2 columns, not {x.shape[1]}")
    if x.shape[0] == 0:
        raise _core.Error("there are no points to draw")
    return x


def _grid(x: NDArray[np.float64], resolution: int) -> tuple[NDArray[Any], NDArray[Any]]:
    low, high = x.min(axis=0), x.max(axis=0)
    room = 0.1 * np.where(high > low, high - low, 1.0)
    across = [np.linspace(low[j] - room[j], high[j] + room[j], resolution) for j in (0, 1)]
    first, second = np.meshgrid(*across)
    return first, second


def _at(model: Any, like: Any, first: NDArray[Any], second: NDArray[Any], method: str) -> Any:
    """What the model says on the grid, given in what it was trained on."""
    table = np.column_stack([first.ravel(), second.ravel()])
    names = column_names(like)
    return getattr(model, method)(
        table if names is None else type(like)(dict(zip(names, table.T, strict=True)))
    )


def _codes(y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    return classes, codes


def boundary(model: Any, X: Any, y: Any = None, *, ax: Any = None, resolution: int = 200) -> Any:
    """The regions of a classifier, or the values of a regression, on points of two columns.

    Two classes are shown by their score, with the boundary and both margins; support vectors are
    circled. Any fitted estimator with ``decision_function`` or ``predict`` will do.
    """
    ax = _axes(ax)
    x = _plane(X)
    first, second = _grid(x, resolution)
    classes = getattr(model, "classes_", None)
    scored = hasattr(model, "decision_function")
    if scored and (classes is None or len(classes) == 2):
        score = _at(model, X, first, second, "decision_function").reshape(first.shape)
        most = float(np.abs(score).max()) or 1.0
        ax.contourf(
            first, second, score, levels=np.linspace(-most, most, 21), cmap="RdBu", alpha=0.6
        )
        levels = [v for v in (-1, 0, 1) if score.min() < v < score.max()]
        if levels:
            styles = [{-1: "dashed", 0: "solid", 1: "dashed"}[v] for v in levels]
            ax.contour(first, second, score, levels=levels, colors="k", linestyles=styles)
    elif classes is not None:
        said = _at(model, X, first, second, "predict")
        codes = np.searchsorted(classes, said).reshape(first.shape)
        edges = (first.min(), first.max(), second.min(), second.max())
        colours = dict(cmap="tab10", vmin=0, vmax=9, alpha=0.3, interpolation="nearest")
        ax.imshow(codes, extent=edges, origin="lower", aspect="auto", **colours)
    else:
        values = _at(model, X, first, second, "predict").reshape(first.shape)
        ax.figure.colorbar(ax.contourf(first, second, values, levels=20), ax=ax)
    _scatter(ax, x, y, two=classes is not None and len(classes) == 2)
    support = getattr(model, "support_", None)
    if support is not None and len(support) and max(support) < len(x):
        ax.scatter(*x[support].T, s=70, facecolors="none", edgecolors="k", linewidths=0.8)
    _name_axes(ax, X)
    return ax


def _scatter(ax: Any, x: NDArray[Any], y: Any, *, two: bool) -> None:
    if y is None:
        ax.scatter(*x.T, s=15, color="k")
        return
    classes, codes = _codes(y)
    if len(classes) > 10:  # numbers
        ax.scatter(*x.T, c=np.asarray(y, dtype=np.float64), s=15, edgecolors="k", linewidths=0.3)
        return
    colours = ["#b2182b", "#2166ac"] if two else [f"C{c}" for c in range(10)]
    for c, name in enumerate(classes):
        ax.scatter(
            *x[codes == c].T,
            s=15,
            color=colours[c],
            label=str(name),
            edgecolors="w",
            linewidths=0.3,
        )
    ax.legend(loc="best", fontsize="small")


def _name_axes(ax: Any, X: Any) -> None:
    names = column_names(X) or ["$x_1$", "$x_2$"]
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])


def gram(k: Kernel | str, X: Any, y: Any = None, *, ax: Any = None) -> Any:
    """The Gram matrix as a picture; with y, the points are put in the order of their labels."""
    ax = _axes(ax)
    K = kernel(k)(X)
    if y is not None:
        order = np.argsort(np.asarray(y), kind="stable")
        K = K[np.ix_(order, order)]
        _, counts = np.unique(np.asarray(y), return_counts=True)
        for end in np.cumsum(counts)[:-1] - 0.5 if len(counts) <= 20 else []:
            ax.axhline(end, color="w", linewidth=0.6)
            ax.axvline(end, color="w", linewidth=0.6)
    ax.figure.colorbar(ax.imshow(K, interpolation="nearest"), ax=ax)
    ax.set_title(str(kernel(k)), fontsize="medium")
    return ax


def lift(model: Any, X: Any, y: Any = None, *, ax: Any = None, resolution: int = 40) -> Any:
    """Points of two columns lifted to the height of their score w·φ(x) + b, over the surface of all
    scores: in that height the classes are cut apart by a plane. For two classes or a regression."""
    ax = _axes(ax, projection="3d")
    x = _plane(X)
    method = "decision_function" if hasattr(model, "decision_function") else "predict"
    if len(getattr(model, "classes_", [0, 1])) != 2:
        raise _core.Error("lift is for two classes: each of more has a height of its own")
    first, second = _grid(x, resolution)
    surface = _at(model, X, first, second, method).reshape(first.shape)
    ax.plot_surface(first, second, surface, cmap="RdBu", alpha=0.4, linewidth=0)
    if method == "decision_function":
        ax.plot_surface(first, second, np.zeros_like(surface), color="0.5", alpha=0.2)
    height = np.asarray(getattr(model, method)(X))
    codes = np.zeros(len(x), dtype=int) if y is None else _codes(y)[1]
    few = codes.max() < 10
    ax.scatter(
        x[:, 0], x[:, 1], height, c=codes if few else height, cmap="tab10" if few else None, s=12
    )
    _name_axes(ax, X)
    ax.set_zlabel("score")
    return ax


def path(
    k: Kernel | str,
    X: Any,
    y: Any,
    alphas: Any = None,
    *,
    ax: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """Ridge regression for all prices alpha, from one decomposition of K: the error on the training
    points and the leave-one-out error, with the best alpha marked."""
    ax = _axes(ax)
    alphas = np.logspace(-6, 3, 28) if alphas is None else np.sort(np.asarray(alphas, dtype=float))
    here = kernel(k)._for_columns(column_names(X))
    targets = np.ascontiguousarray(np.asarray(y, dtype=np.float64).reshape(len(as_table(X)), -1))
    gram_options = _core.GramOptions()
    gram_options.threads = thread_count(n_jobs)
    facts = _core.ridge_path(here._k, points(as_table(X)), targets, alphas, gram_options)
    best = facts["best"]
    ax.loglog(alphas, facts["training"], label="training")
    ax.loglog(alphas, facts["leave_one_out"], label="leave one out")
    ax.axvline(alphas[best], color="0.6", linestyle="dotted")
    ax.annotate(f"alpha = {alphas[best]:.2g}", (alphas[best], facts["leave_one_out"][best]))
    ax.set_xlabel("alpha")
    ax.set_ylabel("mean squared error")
    ax.legend()
    return ax
