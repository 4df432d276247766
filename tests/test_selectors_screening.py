import numpy as np
import pytest

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.selectors import screening, session
from puselect.selectors.budget import Budget
from puselect.selectors.many import Task, are_alike
from puselect.selectors.screening import screened


@pytest.fixture(scope="module")
def table():
    return make_pu_clusters(
        "40/3/1", n_negative=250, n_positive=80, n_relevant=6, n_irrelevant=54, noise="gaussian", random_state=1
    )


def search(**changes):
    return FSCPU(**{"n_features_to_select": 6, "screen": 20, "max_iter": 40, "random_state": 0, **changes})


@pytest.fixture(scope="module")
def fitted(table):
    X, y, _ = table
    return search(early_stopping=False).fit(X, y)


def test_only_the_pool_is_searched_and_the_others_are_ranked_behind_it_by_evidence(fitted):
    assert len(fitted.searched_) == len(set(fitted.searched_)) == 20
    outside = np.setdiff1d(np.arange(60), fitted.searched_)
    assert fitted.ranking_[fitted.searched_].max() == 20
    assert (np.diff(fitted.evidence_.support[outside][np.argsort(fitted.ranking_[outside])]) <= 0).all()
    assert (fitted.probabilities_[outside] == 0).all()
    assert fitted.support_[outside].sum() == 0
    assert fitted.history_.theta.shape == (40, 20)


def test_few_features_are_all_searched(table):
    X, y, _ = table
    everything = search(screen=None, max_iter=15).fit(X, y)
    automatic = search(screen="auto", max_iter=15).fit(X, y)
    assert len(automatic.searched_) == 60
    assert np.array_equal(automatic.ranking_, everything.ranking_)
    assert np.array_equal(automatic.probabilities_, everything.probabilities_)


def test_the_pool_has_the_features_of_most_support_that_can_be_paid():
    budget = Budget(np.zeros(5, dtype=bool), np.array([0, 2, 3, 4]), np.array([1.0, 9.0, 1.0, 1.0]), 2.0)
    pool = screened(budget, np.array([0.1, 99, 5.0, 3.0, 4.0]), 2)
    assert pool.free.tolist() == [3, 4]
    assert (pool.costs.tolist(), pool.limit) == ([1.0, 1.0], 2.0)
    assert screened(budget, np.zeros(5), 4) is budget


@pytest.mark.parametrize("n_searches", [1, 2])
def test_kept_features_that_use_up_the_budget_leave_nothing_to_screen(table, n_searches):
    X, y, _ = table
    selector = search(n_features_to_select=2, always_keep=[3, 7], n_searches=n_searches).fit(X, y)
    assert np.flatnonzero(selector.support_).tolist() == [3, 7]
    assert sorted(selector.ranking_) == list(range(1, 61))


def test_costs_that_fit_but_for_rounding_are_in_the_pool():
    budget = Budget(np.zeros(3, dtype=bool), np.arange(3), np.full(3, 0.1), 0.3 - 0.1 - 0.1)
    assert len(screened(budget, np.zeros(3), 2).free) == 2


def test_a_feature_that_evidence_missed_is_found_by_the_second_look(table, fitted, monkeypatch):
    X, y, relevant = table
    missed = int(np.where(relevant, fitted.evidence_.support, 0).argmax())
    first = screening.screened

    def without(budget, support, n_pool):
        hidden = support.copy()
        hidden[missed] = -9.0
        return first(budget, hidden, n_pool)

    monkeypatch.setattr("puselect.selectors.cluster_search.screened", without)
    found = search(max_iter=60, early_stopping=False).fit(X, y)
    assert missed in found.searched_
    assert len(set(found.searched_)) == 20
    place = int(np.flatnonzero(found.searched_ == missed)[0])
    assert (found.history_.theta[:29, place] == 0).all()
    assert (found.history_.theta[30:, place] > 0).all()


@pytest.mark.parametrize("steps", [10, 30])
def test_a_search_resumed_before_or_after_the_second_look_ends_as_if_never_stopped(table, fitted, tmp_path, steps):
    X, y, _ = table

    class StopError(Exception):
        pass

    path, advance = tmp_path / "state", session.run_searches

    def stopping(searches, evaluate, is_over, after_step):
        def stop():
            after_step()
            if searches[0].step == steps:
                raise StopError
            return False

        advance(searches, evaluate, is_over, stop)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "run_searches", stopping)
        patch.setattr(session, "SAVE_SECONDS", 0.0)
        with pytest.raises(StopError):
            search(early_stopping=False, checkpoint=path).fit(X, y)
    resumed = search(early_stopping=False, checkpoint=path).fit(X, y)
    assert np.array_equal(resumed.searched_, fitted.searched_)
    assert np.array_equal(resumed.probabilities_, fitted.probabilities_)
    assert np.array_equal(resumed.history_.theta, fitted.history_.theta)
    assert resumed.objective_ == fitted.objective_


@pytest.mark.parametrize("damage", [{"free": np.zeros(20)}, {"free": np.arange(20) + 50}, {"support": np.zeros(3)}])
def test_a_damaged_pool_is_refused(table, tmp_path, damage, monkeypatch):
    X, y, _ = table
    search(max_iter=12, checkpoint=tmp_path / "state").fit(X, y)
    load = session.load_state

    def damaged(path):
        state = load(path)
        return state and {**state, "pool": {**state["pool"], **damage}}

    monkeypatch.setattr(session, "load_state", damaged)
    with pytest.raises(ValueError, match="damaged"):
        search(max_iter=12, checkpoint=tmp_path / "state").fit(X, y)


def test_costs_and_kept_features_go_with_screening(table):
    X, y, _ = table
    costs = np.where(np.arange(60) % 2, 3.0, 1.0)
    found = FSCPU(feature_costs=costs, budget=7.0, always_keep=[5], never_select=[0, 2], screen=16, max_iter=20,
                  random_state=0).fit(X, y)
    assert found.support_[5]
    assert not found.support_[[0, 2]].any()
    assert costs[found.support_].sum() <= 7
    assert len(found.searched_) == 16
    assert found.ranking_[5] == 1


def test_screened_searches_do_not_run_in_lockstep(table):
    X, y, _ = table
    assert not are_alike([Task.of(search(), X, y)] * 2)
    assert are_alike([Task.of(search(screen=None), X, y)] * 2)


@pytest.mark.parametrize("bad", [0, -3, 2.5, "all", True])
def test_a_pool_that_is_no_number_is_refused(table, bad):
    X, y, _ = table
    with pytest.raises(ValueError, match="screen must be an integer of at least 1"):
        search(screen=bad).fit(X, y)
