import os
import signal
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from command_line import clusters_table
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from puselect import METHODS
from puselect.evaluation import holdout
from puselect.evaluation.holdout import Holdout, compare_methods, without_interrupts
from puselect.exceptions import InterruptedSearchWarning
from puselect.methods import YARDSTICKS
from puselect.selectors.groups import best_features, feature_names


@pytest.fixture
def study(monkeypatch):
    monkeypatch.setattr(holdout, "N_RANDOM", 3)
    table = clusters_table()
    X, y = table.drop("label").to_numpy(), table["label"].to_numpy()
    return Holdout(X, y, 3, n_splits=4)


def test_scores_are_those_of_the_columns_selected_on_the_training_rows_and_frequencies_count_them(study):
    found = compare_methods(study, ["kbest"])
    for (train, test), score in zip(study.splits(), found.scores["kbest"], strict=True):
        scaled = MinMaxScaler().fit_transform(study.X[train])
        columns = SelectKBest(chi2, k=3).fit(scaled, study.y[train]).get_support()
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(study.X[train][:, columns], study.y[train])
        oracle = roc_auc_score(study.y[test], model.predict_proba(study.X[test][:, columns])[:, 1])
        assert score == pytest.approx(oracle, abs=1e-3)
    counts = np.zeros(study.X.shape[1])
    for train, _ in study.splits():
        counts += METHODS["kbest"](3, random_state=0).fit(study.X[train], study.y[train]).support_
    shares = {column: count / 4 for column, count in enumerate(counts) if count}
    assert found.frequency["kbest"] == pytest.approx(shares)


def test_medians_of_the_training_rows_stand_in_for_missing_values(study):
    X = study.X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    found = compare_methods(replace(study, X=X), ["kbest"])
    assert any("missing values" in text for text in found.warnings["kbest"])
    (train, test), score = study.splits()[0], found.scores["all"][0]
    imputer = SimpleImputer(strategy="median")
    model = make_pipeline(imputer, StandardScaler(), LogisticRegression()).fit(X[train], study.y[train])
    assert score == pytest.approx(roc_auc_score(study.y[test], model.predict_proba(X[test])[:, 1]), abs=1e-3)
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        compare_methods(replace(study, X=X), ["kbest"])


def test_splits_keep_the_share_of_labelled_rows_need_some_and_depend_on_the_seed_alone(study):
    for train, test in study.splits():
        assert study.y[test].sum() == 10
        assert len(np.union1d(train, test)) == len(study.y)
    tested = [test.tolist() for _, test in study.splits()]
    assert [test.tolist() for _, test in study.splits()] == tested
    assert [test.tolist() for _, test in Holdout(study.X, study.y, 3, n_splits=4, seed=1).splits()] != tested
    truth = study.y.copy()
    truth[0] = 0
    known = Holdout(study.X, study.y, 3, truth=truth, n_splits=2)
    assert len(known.splits()) == 2
    y = (np.arange(len(study.y)) < 3).astype(int)
    with pytest.raises(ValueError, match="at least 4 labelled rows, got 3"):
        compare_methods(Holdout(study.X, y, 3), ["kbest"])


def test_yardsticks_are_run_with_the_methods_every_fit_is_told_and_the_best_features_come_first(study):
    told = []
    found = compare_methods(study, ["lasso", "kbest", "lasso"], tell=told.append)
    assert list(found.selected) == ["lasso", "kbest", *YARDSTICKS]
    assert len(found.selected["all"]) == study.X.shape[1]
    assert len(set(found.selected["random"])) == 3
    assert all(len(scores) == 4 for scores in found.scores.values())
    assert found.scores["random"] != found.scores["all"]
    assert [(run.method, run.split) for run in told] == study.fits(["lasso", "kbest"])
    assert len(told) == 6 * 5
    selector = METHODS["lasso"](3, random_state=0).fit(study.X, study.y)
    assert selector.ranking_[found.selected["lasso"]].tolist() == [1, 2, 3]


def test_several_processes_change_nothing(study, monkeypatch):
    monkeypatch.undo()  # the others know nothing of it
    one, two = (compare_methods(study, ["lepage", "kbest"], n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one.scores == two.scores
    assert all(np.array_equal(one.selected[name], two.selected[name]) for name in one.selected)


def test_only_the_main_thread_stops_hearing_ctrl_c():
    def heard():
        with without_interrupts():
            return signal.getsignal(signal.SIGINT)

    usual = signal.getsignal(signal.SIGINT)
    assert heard() == signal.SIG_IGN
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(heard).result() == usual


def test_with_the_truth_scores_are_against_it(study):
    truth = (np.arange(len(study.y)) < 60).astype(int)  # 20 of them unlabelled
    known = Holdout(study.X, study.y, 3, truth=truth, n_splits=4)
    # Hidden positives count as negatives without the truth, and cost every method some score.
    with_truth, without = (np.mean(compare_methods(each, ["kbest"]).scores["kbest"]) for each in (known, study))
    assert with_truth > without
    assert "true classes" in known.score_name
    assert "true classes" not in study.score_name


def interrupt(monkeypatch, method, split, error):
    """Let a fit of a method on one split end with an error."""
    select = holdout.select_features

    def interrupted(name, X, y, k, seed, groups):
        if name == method and seed == 1 + split:
            raise error
        return select(name, X, y, k, seed, groups)

    monkeypatch.setattr(holdout, "select_features", interrupted)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), InterruptedSearchWarning("after 3 steps")])
def test_ctrl_c_in_the_only_method_keeps_the_splits_that_are_finished(study, monkeypatch, error):
    interrupt(monkeypatch, "kbest", 2, error)
    found = compare_methods(study, ["kbest"])
    assert all(len(scores) == 2 for scores in found.scores.values())
    assert found.n_splits == 2
    assert found.unfinished == ()


def test_ctrl_c_in_a_slow_method_keeps_the_quick_ones_with_all_their_splits(study, monkeypatch):
    interrupt(monkeypatch, "fscpu", 3, KeyboardInterrupt())
    found = compare_methods(study, ["fscpu", "kbest"])
    assert list(found.selected) == ["kbest", *YARDSTICKS]
    assert found.unfinished == ("fscpu",)
    assert found.n_splits == 4


def test_random_features_are_the_mean_of_several_sets(study, monkeypatch):
    monkeypatch.undo()
    found = compare_methods(study, ["kbest"])
    train, test = study.splits()[0]
    oracle = []
    for i in range(holdout.N_RANDOM):
        mask = np.random.default_rng([1, i]).permutation(study.X.shape[1]) < 3
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(study.X[train][:, mask], study.y[train])
        oracle.append(roc_auc_score(study.y[test], model.predict_proba(study.X[test][:, mask])[:, 1]))
    assert np.ptp(oracle) > 0.05
    assert found.scores["random"][0] == pytest.approx(np.mean(oracle), abs=2e-3)


def test_a_search_that_ctrl_c_has_ended_is_no_result(study, monkeypatch):
    def interrupted(*_):
        warnings.warn("interrupted after 3 of at most 9 steps; ...", InterruptedSearchWarning, stacklevel=2)

    monkeypatch.setattr(METHODS["fscpu"], "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare_methods(study, ["fscpu"])


def test_an_error_of_a_method_ends_the_comparison(study, monkeypatch):
    def fails(*_):
        raise ValueError("no")

    monkeypatch.setattr(METHODS["kbest"], "fit", fails)
    with pytest.raises(ValueError, match="no"):
        compare_methods(study, ["kbest"])


def test_what_methods_warn_of_is_noted_once(study, monkeypatch):
    def warns(self, X, y):
        warnings.warn("careful", UserWarning, stacklevel=2)
        return fit(self, X, y)

    fit = METHODS["kbest"].fit
    monkeypatch.setattr(METHODS["kbest"], "fit", warns)
    assert compare_methods(study, ["kbest"]).warnings == {"kbest": ("careful",)}


def kill_this_process(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed_ends_the_comparison(study, monkeypatch):
    monkeypatch.setattr(holdout, "fit_and_score", kill_this_process)
    with pytest.raises(MemoryError):
        compare_methods(study, ["kbest"], n_jobs=2)


def test_columns_of_a_group_are_one_feature_of_every_method(study):
    groups = {"pair": [0, 4], "triple": [1, 2, 5]}
    grouped = Holdout(study.X, study.y, 2, n_splits=2, groups=groups)
    found = compare_methods(grouped, ["kbest", "fscpu"])
    names = feature_names(groups, range(study.X.shape[1]))
    for method in ("kbest", "fscpu", "random", "lepage"):
        columns = found.selected[method]
        assert len({names[column] for column in columns}) == 2, method
        for members in groups.values():
            assert len(set(members) & set(columns)) in (0, len(members)), method
    ranking = METHODS["kbest"](2, random_state=0).fit(study.X, study.y).ranking_
    np.testing.assert_array_equal(np.sort(found.selected["kbest"]), np.flatnonzero(best_features(ranking, groups, 2)))


def test_splits_keep_groups_of_rows_whole(study):
    groups = np.arange(len(study.y)) // 5
    split = replace(study, row_groups=groups).splits()
    for train, test in split:
        assert not set(groups[train]) & set(groups[test])
        assert len(np.union1d(train, test)) == len(study.y)
        assert len(set(groups[test][study.y[test] == 1])) == 2, "of 8 groups with labels"
    with pytest.raises(ValueError, match="at least 4 labelled row groups, got 1"):
        replace(study, row_groups=study.y).splits()
