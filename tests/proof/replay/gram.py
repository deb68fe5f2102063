"""Eigenvalues of random Gram matrices."""

from __future__ import annotations

import math

from domains import Point
from language import TooLarge, Undefined, real
from mpmath import mp
from samples import CAREFUL, Expression, Failure, Pair, Samples

SMALLEST = -1e-9


def check_gram(kernel: Expression, samples: Samples, size: int) -> None:
    """No eigenvalue of the Gram matrix of random points, scaled to a diagonal of 1, is negative."""
    for d in samples.dimensions[:2]:
        points = list({samples.domain.random_point(samples.rng, d): None for _ in range(size)})
        complaint = ""
        for digits in (40, CAREFUL):
            with mp.workdps(digits):
                try:
                    complaint = negative(kernel, points)
                except TooLarge:
                    break
                except Undefined as error:
                    raise Failure(f"undefined on the domain: {error}") from None
            if not complaint:
                break
        if complaint:
            shown = "; ".join(", ".join(map(str, p)) for p in points)
            raise Failure(f"{complaint} of the Gram matrix of the points {shown}")


def negative(kernel: Expression, points: list[Point]) -> str:
    """What shows that the matrix is not positive semidefinite."""
    values = [[real(kernel(Pair(x, z, ()))) for z in points] for x in points]
    nothing = mp.mpf(10) ** -30
    for i in range(len(points)):
        if values[i][i] < -nothing:
            return f"{mp.nstr(values[i][i], 15)} on the diagonal"
    scale = [1 / mp.sqrt(v[i]) if v[i] > nothing else mp.mpf(1) for i, v in enumerate(values)]
    matrix = [[float(v * s * t) for v, t in zip(row, scale)] for row, s in zip(values, scale)]
    smallest = min(eigenvalues(matrix))
    return f"an eigenvalue {smallest:.3g}" if smallest < SMALLEST else ""


def eigenvalues(a: list[list[float]]) -> list[float]:
    """Jacobi's rotations."""
    n = len(a)
    for row in range(n):
        for column in range(row):
            if abs(a[row][column] - a[column][row]) > 1e-12 * max(1, abs(a[row][column])):
                raise Failure("the Gram matrix is not symmetric")
    for _ in range(50):
        off = sum(a[i][j] ** 2 for i in range(n) for j in range(i))
        if off < 1e-26:
            break
        for p in range(n):
            for q in range(p + 1, n):
                if abs(a[p][q]) < 1e-300:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = math.copysign(1, theta) / (abs(theta) + math.sqrt(theta * theta + 1))
                c = 1 / math.sqrt(t * t + 1)
                s = t * c
                for k in range(n):
                    u, v = a[k][p], a[k][q]
                    a[k][p], a[k][q] = c * u - s * v, s * u + c * v
                for k in range(n):
                    u, v = a[p][k], a[q][k]
                    a[p][k], a[q][k] = c * u - s * v, s * u + c * v
    return [a[i][i] for i in range(n)]
