"""Times scikit-learn's KernelRidge: sklearn_ridge.py POINTS.f64 LABELS.f64 N D GAMMA LAMBDA. Prints the best
of two times, the BLAS, then some of the coefficients, for comparison."""

import sys
import time

import numpy
from sklearn.kernel_ridge import KernelRidge
from threadpoolctl import threadpool_info

n, d, gamma, penalty = int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6])
x = numpy.fromfile(sys.argv[1], dtype=numpy.float64).reshape(n, d)
y = numpy.fromfile(sys.argv[2], dtype=numpy.float64)
best = None
for _ in range(2):
    start = time.perf_counter()
    model = KernelRidge(kernel="rbf", gamma=gamma, alpha=penalty).fit(x, y)
    seconds = time.perf_counter() - start
    best = seconds if best is None else min(best, seconds)
blas = [f"{p['internal_api']}-{p.get('architecture', '?')}-{p['num_threads']}" for p in threadpool_info()
        if p["user_api"] == "blas"]
print(best, blas[0] if blas else "reference-BLAS")
print(" ".join(repr(float(v)) for v in model.dual_coef_[:: max(1, n // 50)]))
