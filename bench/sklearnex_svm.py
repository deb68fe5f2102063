"""Times scikit-learn-intelex' SVC: sklearnex_svm.py TRAIN TEST C GAMMA COLUMNS. Prints the seconds of the fit alone, how
many test examples are right, the number of support vectors and, for two classes, the dual value."""

import sys
import time

import numpy
from sklearn.datasets import load_svmlight_file
from sklearnex.svm import SVC

C, gamma, columns = float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
x, y = load_svmlight_file(sys.argv[1], n_features=columns)
test, truth = load_svmlight_file(sys.argv[2], n_features=columns)
if x.nnz > 0.3 * x.shape[0] * x.shape[1]:  # as its users would
    x, test = x.toarray(), test.toarray()
start = time.perf_counter()
model = SVC(C=C, gamma=gamma, kernel="rbf", cache_size=4000).fit(x, y)
fit = time.perf_counter() - start
right = int((model.predict(test) == truth).sum())
dual = float("nan")
if len(model.classes_) == 2:
    alpha = model.dual_coef_
    alpha = numpy.asarray(alpha.todense() if hasattr(alpha, "todense") else alpha).ravel()
    s = x[model.support_]
    squares = numpy.asarray(s.multiply(s).sum(axis=1)).ravel() if hasattr(s, "multiply") else (s * s).sum(axis=1)
    dual = numpy.abs(alpha).sum()
    for i in range(0, len(alpha), 1000):
        part = s[i:i + 1000]
        dots = part @ s.T
        dots = dots.toarray() if hasattr(dots, "toarray") else dots
        distances = numpy.maximum(0, squares[i:i + 1000, None] + squares[None, :] - 2 * dots)
        dual -= 0.5 * alpha[i:i + 1000] @ (numpy.exp(-gamma * distances) @ alpha)
print(fit, right, len(truth), len(model.support_), dual)
