import warnings

import numpy as np
import pytest
from command_line import clusters_table
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from puselect import METHODS
from puselect.evaluation import compare
from puselect.evaluation.compare import ALL, RANDOM, Trial, run_trials
from puselect.search.progress import InterruptedSearchWarning


@pytest.fixture
def trial():
    table = clusters_table()
    X, y = table.drop("label").to_numpy(), table["label"].to_numpy()
    return Trial(X, y, n_select=3, n_splits=4)


def quietly(trial, methods, n_jobs=1):
    return run_trials(trial, methods, n_jobs, lambda piece: None)


def test_scores_are_those_of_the_columns_selected_on_the_training_rows(trial):
    found = quietly(trial, ["kbest"])
    for (train, test), score in zip(trial.splits(), found.scores["kbest"], strict=True):
        scaled = MinMaxScaler().fit_transform(trial.X[train])
        columns = SelectKBest(chi2, k=3).fit(scaled, trial.y[train]).get_support()
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(trial.X[train][:, columns], trial.y[train])
        oracle = roc_auc_score(trial.y[test], model.predict_proba(trial.X[test][:, columns])[:, 1])
        assert score == pytest.approx(oracle, abs=1e-3)


def test_splits_keep_the_share_of_labelled_rows_and_depend_on_the_seed_alone(trial):
    for train, test in trial.splits():
        assert trial.y[test].sum() == 10
        assert len(np.union1d(train, test)) == len(trial.y)
    tested = [test.tolist() for _, test in trial.splits()]
    assert [test.tolist() for _, test in trial.splits()] == tested
    assert [test.tolist() for _, test in Trial(trial.X, trial.y, 3, n_splits=4, seed=1).splits()] != tested


def test_all_features_and_random_ones_are_run_beside_the_methods(trial):
    found = quietly(trial, ["lasso", "kbest", "lasso"])
    assert list(found.selected) == ["lasso", "kbest", ALL, RANDOM]
    assert len(found.selected[ALL]) == trial.X.shape[1]
    assert len(set(found.selected[RANDOM])) == 3
    assert all(len(scores) == 4 for scores in found.scores.values())
    assert np.mean(found.scores["kbest"]) > np.mean(found.scores[RANDOM])


def test_what_is_selected_on_the_whole_table_comes_best_first(trial):
    found = quietly(trial, ["lasso"])
    selector = METHODS["lasso"](3, random_state=0).fit(trial.X, trial.y)
    assert selector.ranking_[found.selected["lasso"]].tolist() == [1, 2, 3]


def test_several_processes_change_nothing(trial):
    one, two = quietly(trial, ["fscpu", "kbest"]), quietly(trial, ["fscpu", "kbest"], n_jobs=2)
    assert one.scores == two.scores
    assert all(np.array_equal(one.selected[name], two.selected[name]) for name in one.selected)


def test_with_the_truth_scores_are_against_it(trial):
    truth = (np.arange(len(trial.y)) < 60).astype(int)  # 20 of them unlabelled
    known = Trial(trial.X, trial.y, 3, truth=truth, n_splits=4)
    # Hidden positives count as negatives without the truth, and cost every method some score.
    assert np.mean(quietly(known, ["kbest"]).scores["kbest"]) > np.mean(quietly(trial, ["kbest"]).scores["kbest"])
    assert "true classes" in known.score_name
    assert "true classes" not in trial.score_name


def test_a_single_labelled_row_that_the_truth_calls_negative_can_be_split(trial):
    truth = trial.y.copy()
    truth[0] = 0
    known = Trial(trial.X, trial.y, 3, truth=truth, n_splits=2)
    assert len(known.splits()) == 2


def test_too_few_labelled_rows_are_refused(trial):
    y = (np.arange(len(trial.y)) < 3).astype(int)
    with pytest.raises(ValueError, match="at least 4 labelled rows, got 3"):
        quietly(Trial(trial.X, y, 3), ["kbest"])


@pytest.mark.parametrize("error", [KeyboardInterrupt(), InterruptedSearchWarning("after 3 steps")])
def test_ctrl_c_keeps_the_splits_that_are_finished(trial, monkeypatch, error):
    run_cell = compare.run_cell

    def interrupted(task, method, split, splits):
        if split == 2 and method == ALL:
            raise error
        return run_cell(task, method, split, splits)

    monkeypatch.setattr(compare, "run_cell", interrupted)
    found = quietly(trial, ["kbest"])
    assert all(len(scores) == 2 for scores in found.scores.values())
    assert found.notes == ("interrupted after 2 of 4 splits; the comparison rests on these",)


def test_ctrl_c_before_two_splits_are_finished_is_the_end(trial, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(compare, "run_cell", interrupted)
    with pytest.raises(KeyboardInterrupt):
        quietly(trial, ["kbest"])


def test_a_search_that_ctrl_c_has_ended_is_no_result(trial, monkeypatch):
    def interrupted(*_):
        warnings.warn("interrupted after 3 of at most 9 steps; ...", InterruptedSearchWarning, stacklevel=2)

    monkeypatch.setattr(METHODS["fscpu"], "fit", interrupted)
    with pytest.raises(InterruptedSearchWarning):
        compare.run_cell(trial, "fscpu", -1, [])


def test_what_methods_warn_of_is_noted_once(trial, monkeypatch):
    def warns(self, X, y):
        warnings.warn("careful", UserWarning, stacklevel=2)
        return fit(self, X, y)

    fit = METHODS["kbest"].fit
    monkeypatch.setattr(METHODS["kbest"], "fit", warns)
    assert quietly(trial, ["kbest"]).notes == ("kbest: careful",)


def test_pieces_are_counted(trial):
    pieces = []
    run_trials(trial, ["kbest", "lasso"], 1, pieces.append)
    assert len(pieces) == compare.n_pieces(trial, ["kbest", "lasso"]) == 20
