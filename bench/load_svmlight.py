"""scikit-learn's reader: rows, entries, checksum and the best of three times, for read_bench."""

import sys
import time

from sklearn.datasets import load_svmlight_file

best = float("inf")
for _ in range(3):
    start = time.perf_counter()
    points, labels = load_svmlight_file(sys.argv[1])
    best = min(best, time.perf_counter() - start)
checksum = float((points.data * (points.indices % 97 + 1)).sum()) + float(labels.sum())
print(points.shape[0], points.nnz, repr(checksum), best)
