"""Times scikit-learn's GridSearchCV(SVC): sklearn_grid.py DATA.libsvm FOLDS C,C,… GAMMA,GAMMA,… Two processes;
prints the seconds, then the mean accuracy of every candidate, gamma after gamma."""

import sys
import time

from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

x, y = load_svmlight_file(sys.argv[1])
x = x.toarray()
prices = [float(v) for v in sys.argv[3].split(",")]
gammas = [float(v) for v in sys.argv[4].split(",")]
start = time.perf_counter()
search = GridSearchCV(SVC(cache_size=2000), {"gamma": gammas, "C": prices},
                      cv=StratifiedKFold(int(sys.argv[2]), shuffle=True, random_state=0), n_jobs=2, refit=False)
search.fit(x, y)
print(time.perf_counter() - start)
scores = {(p["gamma"], p["C"]): s for p, s in
          zip(search.cv_results_["params"], search.cv_results_["mean_test_score"])}
print(" ".join(repr(scores[(g, c)]) for g in gammas for c in prices))
