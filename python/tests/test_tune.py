"""mercer.tune: the scores of GridSearchCV on the same folds, the program's choice, manners."""

import mercer
import numpy as np
import pandas
import pytest
from program import run, with_program, write_csv
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_moons
from sklearn.model_selection import GridSearchCV, KFold, PredefinedSplit, StratifiedKFold
from sklearn.preprocessing import StandardScaler

iris_X, iris_y = load_iris(return_X_y=True)
wine_X, wine_y = load_wine(return_X_y=True)
wine_X = StandardScaler().fit_transform(wine_X)
moons_X, moons_y = make_moons(300, noise=0.3, random_state=0)
diabetes_X, diabetes_y = load_diabetes(return_X_y=True)
diabetes_X = StandardScaler().fit_transform(diabetes_X)

GAMMAS, CS = [0.01, 0.1, 1.0], [0.1, 1.0, 10.0]


def fold_of_rows(splitter, X, y):
    fold = np.empty(len(X), dtype=int)
    for number, (_, test) in enumerate(splitter.split(X, y)):
        fold[test] = number
    return fold


def by_candidate(found, price):
    return {(str(c["kernel"]), c[price]): np.sort(c["by_fold"]) for c in found.candidates}


@pytest.mark.parametrize("X, y", [(moons_X, moons_y), (iris_X, iris_y), (wine_X, wine_y)])
def test_the_scores_of_grid_search(X, y):
    fold = fold_of_rows(StratifiedKFold(4, shuffle=True, random_state=1), X, y)
    grid = {"gamma": GAMMAS, "C": CS}
    found = mercer.tune(
        X, y, "rbf(gamma=?)", grid=grid, search="grid", folds=fold, tol=1e-6, refit=False
    )
    theirs = GridSearchCV(
        mercer.SVC(tol=1e-6),
        {"kernel": [f"rbf({g!r})" for g in GAMMAS], "C": CS},
        cv=PredefinedSplit(fold),
    ).fit(X, y)
    ours = by_candidate(found, "C")
    assert len(ours) == 9
    for i, how in enumerate(theirs.cv_results_["params"]):
        scores = np.sort([theirs.cv_results_[f"split{s}_test_score"][i] for s in range(4)])
        key = str(mercer.kernel(how["kernel"])), how["C"]
        # A row on the boundary may fall to either side.
        np.testing.assert_allclose(ours[key], scores, atol=1.01 / np.bincount(fold).min())
        assert np.mean(ours[key]) == pytest.approx(np.mean(scores), abs=0.005)
    assert found.score == pytest.approx(theirs.best_score_, abs=0.01)


def test_the_scores_of_grid_search_for_ridge():
    fold = fold_of_rows(KFold(3, shuffle=True, random_state=0), diabetes_X, diabetes_y)
    found = mercer.tune(
        *(diabetes_X, diabetes_y, ["rbf(0.01)", "rbf(0.1)"]),
        grid={"alpha": [0.01, 0.1, 1]},
        search="grid",
        folds=fold,
        metric="r2",
        learner="ridge",
    )
    theirs = GridSearchCV(
        mercer.KernelRidge(),
        {"kernel": ["rbf(0.01) + 1", "rbf(0.1) + 1"], "alpha": [0.01, 0.1, 1]},
        cv=PredefinedSplit(fold),
    ).fit(diabetes_X, diabetes_y)
    ours = by_candidate(found, "alpha")
    for i, how in enumerate(theirs.cv_results_["params"]):
        scores = np.sort([theirs.cv_results_[f"split{s}_test_score"][i] for s in range(3)])
        np.testing.assert_allclose(ours[how["kernel"], how["alpha"]], scores, atol=1e-6)
    assert str(found.kernel) == theirs.best_params_["kernel"]
    assert found.alpha == theirs.best_params_["alpha"] and found.C is None
    assert isinstance(found.estimator, mercer.KernelRidge)
    np.testing.assert_allclose(
        found.estimator.predict(diabetes_X), theirs.best_estimator_.predict(diabetes_X), rtol=1e-6
    )


def test_the_machine_of_the_best():
    found = mercer.tune(moons_X, moons_y, ["rbf(gamma=?)", "linear"])
    assert isinstance(found.estimator, mercer.SVC)
    assert found.estimator.C == found.C and found.estimator.kernel == found.kernel
    alone = mercer.SVC(C=found.C, kernel=found.kernel).fit(moons_X, moons_y)
    assert np.array_equal(
        found.estimator.decision_function(moons_X), alone.decision_function(moons_X)
    )
    assert found.best in found.candidates and found.ranked[0] is found.best
    assert found.parameters.keys() == {"gamma"}
    assert mercer.rbf(found.parameters["gamma"]) == found.kernel


def test_deterministic():
    say = lambda **how: mercer.tune(moons_X, moons_y, refit=False, **how)
    once = say(n_jobs=1)
    for again in (say(n_jobs=2), say(), say(random_state=0)):
        assert repr(again) == repr(once)
        assert [c["score"] for c in again.candidates] == [c["score"] for c in once.candidates]
    others = say(random_state=5)
    assert [c["score"] for c in others.candidates] != [c["score"] for c in once.candidates]


def test_groups_stay_together():
    groups = np.repeat(np.arange(60), 5)
    found = mercer.tune(
        moons_X, moons_y, "rbf(1)", groups=groups, folds=60, grid={"C": [1]}, refit=False
    )
    assert len(found.best["by_fold"]) == 60
    with pytest.raises(ValueError, match="cannot be cut into 61 parts"):
        mercer.tune(moons_X, moons_y, "rbf(1)", groups=groups, folds=61)


@pytest.mark.parametrize(
    "labels", [np.array(["no", "yes"]), np.array([False, True]), np.array([-1.0, 7.0])]
)
def test_labels_of_every_kind(labels):
    found = mercer.tune(moons_X, labels[moons_y], "rbf(1)", task="classification")
    assert found.task == "classification" and found.score > 0.85
    assert set(found.estimator.predict(moons_X)) == set(labels)


def test_whole_numbers_with_many_values_are_numbers():
    found = mercer.tune(diabetes_X, diabetes_y, "rbf(gamma=?)", budget=20)
    assert (found.task, found.learner, found.metric) == ("regression", "ridge", "rmse")
    tube = mercer.tune(diabetes_X, diabetes_y, "rbf(0.02)", learner="svm", epsilon=5.0)
    assert isinstance(tube.estimator, mercer.SVR) and tube.estimator.epsilon == 5.0


def test_class_weights():
    rare = np.flatnonzero((moons_y == 0) | (np.arange(300) % 10 == 0))
    X, y = moons_X[rare], moons_y[rare]
    found = mercer.tune(
        X, y, "rbf(1)", class_weight="balanced", grid={"C": [1.0]}, metric="balanced_accuracy"
    )
    plain = mercer.tune(X, y, "rbf(1)", grid={"C": [1.0]}, metric="balanced_accuracy")
    assert found.score > plain.score and found.estimator.class_weight == "balanced"


def test_frames_and_their_columns():
    frame = pandas.DataFrame(iris_X, columns=["a", "b", "c", "d"])
    found = mercer.tune(frame, iris_y, 'rbf(gamma=?)["c"] + linear["d"]')
    assert found.score > 0.93
    assert list(found.estimator.feature_names_in_) == ["a", "b", "c", "d"]
    table = found.to_pandas()
    assert len(table) == len(found.candidates)
    assert {"kernel", "gamma", "C", "accuracy", "rows"} <= set(table.columns)
    assert "<table>" in found._repr_html_() and str(found.kernel) in repr(found)


def test_results_in_the_words_of_grid_search():
    found = mercer.tune(diabetes_X, diabetes_y, "rbf(gamma=?)", refit=False)
    r = found.cv_results_
    best = int(np.argmax(np.where(r["n_resources"] == found.rows, r["mean_test_score"], -np.inf)))
    assert r["params"][best]["kernel"] == str(found.kernel)
    assert -r["mean_test_score"][best] == found.score  # an error: less is better
    splits = np.stack([r[f"split{i}_test_score"] for i in range(5)])
    np.testing.assert_allclose(splits.mean(axis=0), r["mean_test_score"], rtol=1e-6)
    pandas.DataFrame(r)


def test_callback_and_budget():
    steps = []
    found = mercer.tune(
        moons_X, moons_y, callback=lambda s: steps.append(s) or len(steps) < 2, refit=False
    )
    assert len(steps) == 2 and found.interrupted and len(found.candidates) == steps[-1]["number"]
    assert steps[0]["unit"] == "score" and steps[0]["kernel"].startswith("rbf(")
    few = mercer.tune(moons_X, moons_y, budget=4, refit=False)
    assert few.interrupted and any("budget was used up" in line for line in few.story)
    timed = mercer.tune(moons_X, moons_y, budget="0.000001s", refit=False)
    assert timed.interrupted

    def fails(step):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        mercer.tune(moons_X, moons_y, callback=fails)


def test_log_loss():
    found = mercer.tune(moons_X, moons_y, metric="log_loss", budget=4)
    assert 0 < found.score < np.log(2)


@pytest.mark.parametrize(
    "how, message",
    [
        (dict(kernels=[]), "kernels is empty"),
        (dict(kernels="rfb(gamma=?)"), "did you mean 'rbf'"),
        (dict(folds=1), "folds must be a whole number >= 2"),
        (dict(folds=[0, 1]), "an entry for each of the 300 rows"),
        (dict(folds=np.arange(300) % 3, groups=np.arange(300)), "not both"),
        (dict(grid={"width": [1]}), "no kernel has an open parameter width"),
        (dict(grid={"C": []}), "no values to try for C"),
        (dict(grid={"C": [-1]}), "C must be a number > 0"),
        (dict(y=moons_X[:, 0], task="classification"), "Unknown label type: continuous"),
        (dict(metric="rmse"), "rmse"),
        (dict(metric=len), "metric must be a word"),
        (dict(learner="perceptron"), "learner must be one of 'svm', 'ridge'"),
        (dict(learner="ridge", task="classification"), "ridge learns numbers here"),
        (dict(search="random"), "search must be one of 'halving', 'grid'"),
        (dict(budget="soon"), "budget must be"),
        (dict(budget=-3), "budget must be"),
    ],
)
def test_errors(how, message):
    with pytest.raises(ValueError, match=message):
        mercer.tune(**{"X": moons_X, "y": moons_y, **how})


@with_program
def test_the_program_chooses_the_same(tmp_path):
    write_csv(tmp_path / "d.csv", wine_X, wine_y)
    run(
        *("tune", "d.csv", "--scale", "none", "--kernels", "rbf(gamma=?), linear"),
        *("--seed", "3", "-o", "m.mercer"),
        folder=tmp_path,
    )
    model = mercer.load(tmp_path / "m.mercer")
    found = mercer.tune(wine_X, wine_y, ["rbf(gamma=?)", "linear"], random_state=3)
    assert found.kernel == model.kernel
    assert np.array_equal(found.estimator.predict(wine_X), model.predict(wine_X))
