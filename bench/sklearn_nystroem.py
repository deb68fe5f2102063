"""Times scikit-learn's Nystroem + Ridge: sklearn_nystroem.py POINTS.f32 LABELS.f64 N D TESTS M GAMMA LAMBDA CENTRES.i64. The last
TESTS rows are not trained on; a column of labels for each class, or one of numbers. Prints the error on them (RMSE, or the share
of wrong classes), the time, and the BLAS; writes which rows it took for centres."""

import sys
import time

import numpy
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_info

n, d, tests, m = (int(a) for a in sys.argv[3:7])
gamma, penalty = float(sys.argv[7]), float(sys.argv[8])
x = numpy.fromfile(sys.argv[1], dtype=numpy.float32).reshape(n, d)
y = numpy.fromfile(sys.argv[2], dtype=numpy.float64).reshape(n, -1)
start = time.perf_counter()
features = Nystroem(kernel="rbf", gamma=gamma, n_components=m, random_state=0).fit(x[: n - tests])
model = Ridge(alpha=penalty, fit_intercept=False).fit(features.transform(x[: n - tests]), y[: n - tests])
seconds = time.perf_counter() - start
features.component_indices_.astype(numpy.int64).tofile(sys.argv[9])
scores, truth = model.predict(features.transform(x[n - tests :])), y[n - tests :]
if y.shape[1] == 1:
    error = numpy.sqrt(numpy.mean((scores - truth) ** 2))
else:
    error = numpy.mean(scores.argmax(axis=1) != truth.argmax(axis=1))
blas = [f"{p['internal_api']}-{p.get('architecture', '?')}-{p['num_threads']}" for p in threadpool_info()
        if p["user_api"] == "blas"]
print(float(error), seconds, blas[0] if blas else "reference-BLAS")
