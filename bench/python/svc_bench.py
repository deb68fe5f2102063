"""Fit and predict of mercer.SVC beside scikit-learn's, in one process; what the binding costs.

    ./dev bench python [--rows N] [--picture FILE]

Answers are compared before times are printed: the share of predictions that agree, and the dual
objective of both. scikit-learn-intelex takes part where it is installed.
"""

import argparse
import time

import mercer
import numpy as np
import sklearn.svm
from mercer import _core
from mercer._points import points
from sklearn.datasets import load_digits, make_classification, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import train_test_split


def data_sets(rows):
    digits = load_digits(return_X_y=True)
    yield "digits", digits[0] / 16, digits[1], 0.05, 10.0
    yield "moons", *make_moons(rows, noise=0.3, random_state=0), 1.0, 1.0
    noisy = make_classification(rows, 20, n_informative=10, flip_y=0.1, random_state=0)
    yield "noisy", *noisy, 0.05, 1.0
    many = make_classification(rows, 30, n_informative=15, n_classes=8, random_state=0)
    yield "eight classes", *many, 0.02, 1.0


def best(call, times=3):
    """The shortest of some: what else the machine does only adds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        answer = call()
        taken.append(time.perf_counter() - start)
    return min(taken), answer


def dual_objective(machine, X, y, gamma):
    """Of two classes: Σ α - ½ Σ β_i β_j k(x_i, x_j)."""
    beta = machine.dual_coef_[0]
    K = rbf_kernel(X[machine.support_], gamma=gamma)
    return np.abs(beta).sum() - 0.5 * beta @ K @ beta


def peers():
    yield "scikit-learn", sklearn.svm.SVC
    try:
        from sklearnex.svm import SVC
    except ImportError:
        return
    yield "sklearnex", SVC


def binding():
    """What Python adds to the library's own work: validation, threads, arrays back."""
    X, y = make_classification(2000, 20, flip_y=0.1, random_state=0)
    machine = mercer.SVC(kernel="rbf(0.1)", C=10)
    whole, _ = best(lambda: machine.fit(X, y), 7)
    task = machine._task(X)
    options, gram = machine._options(), machine._gram_options(task)
    codes = y.astype(float)
    inner, _ = best(
        lambda: _core.svm_of_classes(
            task.kernel, task.points, None, codes, None, options, gram, False, 0, None
        ),
        7,
    )
    one = X[:1]
    empty, _ = best(lambda: _core.gram(task.kernel, points(one), points(one), False, 0), 200)
    print(f"\nSVC.fit of 2000 points: {1e3 * whole:.1f} ms, in the library {1e3 * inner:.1f} ms")
    print(
        f"a call for one kernel value: {1e6 * empty:.0f} µs, {empty / 0.1:.3%} of a call of 100 ms"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=4000, help="of the made data sets")
    parser.add_argument("--picture", help="a file for a picture of the table")
    arguments = parser.parse_args()
    others = list(peers())
    table = []
    head = f"{'data':13} {'rows':>6} {'machine':13} {'fit':>9} {'predict':>9}"
    print(head, f"{'agree':>7} {'dual':>14}")
    for name, X, y, gamma, C in data_sets(arguments.rows):
        X, test, y, _ = train_test_split(X, y, random_state=0, test_size=0.3)
        said = None
        for peer, SVC in [("mercer", mercer.SVC), *others]:
            fit, machine = best(lambda SVC=SVC: SVC(gamma=gamma, C=C).fit(X, y))
            predict, answer = best(lambda machine=machine: machine.predict(test))
            said = answer if said is None else said
            agree = np.mean(said == answer)
            dual = (
                f"{dual_objective(machine, X, y, gamma):14.6f}"
                if len(machine.classes_) == 2
                else ""
            )
            print(
                f"{name:13} {len(X):6} {peer:13} {1e3 * fit:6.1f} ms {1e3 * predict:6.1f} ms "
                f"{agree:7.2%} {dual:>14}"
            )
            table.append((name, peer, fit, predict))
            if agree < 0.97:
                raise SystemExit(f"{name}: {peer} and mercer do not agree; no times then")
    binding()
    if arguments.picture:
        draw(table, arguments.picture)


def draw(table, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    names = list(dict.fromkeys(row[0] for row in table))
    machines = list(dict.fromkeys(row[1] for row in table))
    for ax, title, column in zip(axes, ("fit", "predict"), (2, 3), strict=True):
        for i, machine in enumerate(machines):
            values = [row[column] for row in table if row[1] == machine]
            ax.barh(np.arange(len(names)) + 0.25 * i, values, height=0.25, label=machine)
        ax.set_yticks(np.arange(len(names)) + 0.125, names)
        ax.set_xscale("log")
        ax.set_xlabel("seconds")
        ax.set_title(title)
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    main()
