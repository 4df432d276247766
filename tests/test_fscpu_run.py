import numpy as np
import pytest

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.exceptions import InterruptedSearchWarning
from puselect.fscpu import search_run
from puselect.fscpu.fit_many import PendingFit, are_alike
from puselect.fscpu.problem import problem_engine
from puselect.fscpu.run import pool_size, screened, search_problems
from puselect.report.findings import Code, find_problems
from puselect.search import BernoulliIGO, EffectSearch
from puselect.search.progress import Deadline, watching
from puselect.selectors.budget import Budget

X, y, _ = make_pu_clusters(
    "40/3/1", n_negative=250, n_positive=80, n_relevant=6, n_irrelevant=54, noise="gaussian", random_state=1
)


def search(**changes):
    return FSCPU(**{"n_features_to_select": 6, "screen": 20, "max_iter": 40, "random_state": 0, **changes})


@pytest.fixture(scope="module")
def fitted():
    return search().fit(X, y)


def test_only_the_pool_is_searched_and_the_others_are_ranked_behind_it_by_evidence(fitted):
    assert len(fitted.searched_) == len(set(fitted.searched_)) == 20
    outside = np.setdiff1d(np.arange(60), fitted.searched_)
    assert fitted.ranking_[fitted.searched_].max() == 20
    assert (np.diff(fitted.evidence_.z_scores[outside][np.argsort(fitted.ranking_[outside])]) <= 0).all()
    assert (fitted.probabilities_[outside] == 0).all()
    assert fitted.support_[outside].sum() == 0
    assert fitted.history_.theta.shape == (40, 20)


@pytest.mark.parametrize(
    ("changes", "n_pool"),
    [
        ({"screen": "auto"}, 400),
        ({"screen": "auto", "n_features_to_select": 120}, 480),
        ({"screen": "auto", "n_features_to_select": 450}, 600),
        ({"screen": 20}, 20),
        ({"screen": 3}, 7),  # more than are wanted, so that there is a choice
        ({"screen": 9999}, 600),
        ({"screen": None}, 600),
        ({"criterion": "cluster"}, 600),  # without evidence there is nothing to screen by
        ({"preset": "published"}, 600),
        ({"groups": ["a", "a"] + [None] * 598}, 599),
        ({"n_features_to_select": 1, "always_keep": [0]}, 599),  # no choice
    ],
)
def test_the_size_of_the_pool(changes, n_pool):
    task = PendingFit.of(search(**changes), np.random.default_rng(0).normal(size=(30, 600)), np.arange(30) < 10)
    assert pool_size(task.settings, task.problem.budget) == n_pool


def test_few_features_are_all_searched():
    everything = search(screen=None, max_iter=15).fit(X, y)
    automatic = search(screen="auto", max_iter=15).fit(X, y)
    assert len(automatic.searched_) == 60
    assert np.array_equal(automatic.ranking_, everything.ranking_)
    assert np.array_equal(automatic.probabilities_, everything.probabilities_)


def test_the_pool_has_the_features_of_most_support_that_can_be_paid_but_for_rounding():
    budget = Budget(np.zeros(5, dtype=bool), np.array([0, 2, 3, 4]), np.array([1.0, 9.0, 1.0, 1.0]), 2.0)
    pool = screened(budget, np.array([0.1, 99, 5.0, 3.0, 4.0]), 2)
    assert pool.free.tolist() == [3, 4]
    assert (pool.costs.tolist(), pool.limit) == ([1.0, 1.0], 2.0)
    assert screened(budget, np.zeros(5), 4) is budget
    budget = Budget(np.zeros(3, dtype=bool), np.arange(3), np.full(3, 0.1), 0.3 - 0.1 - 0.1)
    assert len(screened(budget, np.zeros(3), 2).free) == 2


@pytest.mark.parametrize("n_searches", [1, 2])
def test_kept_features_that_use_up_the_budget_leave_nothing_to_screen(n_searches):
    selector = search(n_features_to_select=2, always_keep=[3, 7], n_searches=n_searches).fit(X, y)
    assert np.flatnonzero(selector.support_).tolist() == [3, 7]
    assert sorted(selector.ranking_) == list(range(1, 61))


@pytest.mark.parametrize("n_steps", [10, 30])
def test_a_screened_search_that_is_resumed_ends_as_if_never_stopped(fitted, tmp_path, n_steps, monkeypatch):
    def stop(step):
        if step.number == n_steps:
            raise KeyboardInterrupt

    monkeypatch.setattr(search_run, "SAVE_SECONDS", 0.0)
    with watching(stop), pytest.warns(InterruptedSearchWarning):
        search(checkpoint=tmp_path / "state").fit(X, y)
    resumed = search(checkpoint=tmp_path / "state").fit(X, y)
    assert np.array_equal(resumed.searched_, fitted.searched_)
    assert np.array_equal(resumed.probabilities_, fitted.probabilities_)
    assert np.array_equal(resumed.history_.theta, fitted.history_.theta)
    assert resumed.objective_ == fitted.objective_


def test_costs_and_kept_features_go_with_screening():
    costs = np.where(np.arange(60) % 2, 3.0, 1.0)
    found = FSCPU(feature_costs=costs, budget=7.0, always_keep=[5], never_select=[0, 2], screen=16, max_iter=20,
                  random_state=0).fit(X, y)
    assert found.support_[5]
    assert not found.support_[[0, 2]].any()
    assert costs[found.support_].sum() <= 7
    assert len(found.searched_) == 16
    assert found.ranking_[5] == 1


def test_each_preset_has_its_optimizer_and_the_evidence_enters_it():
    made = {}
    for make in (FSCPU, FSCPU.published):
        selector = make(6, max_iter=1, random_state=0, engine="cpu")
        task = PendingFit.of(selector, X, y)
        engine = problem_engine(task.settings, task.problem)
        (made[make],) = search_problems([task.settings], [task.problem], [Deadline(None)], engine, task.callbacks)
    ours, theirs = made[FSCPU].search.optimizer, made[FSCPU.published].search.optimizer
    assert (type(ours), type(theirs)) == (EffectSearch, BernoulliIGO)
    assert (ours.population_size, theirs.population_size) == (8, 2)
    evidence = PendingFit.of(FSCPU(6, random_state=0), X, y).problem.evidence
    np.testing.assert_allclose(ours.evidence, evidence.z_scores)
    assert (theirs.learning_rate, theirs.margin) == (1 / 120, 1 / 60)


def test_screened_searches_do_not_run_in_lockstep():
    assert not are_alike(*[PendingFit.of(search(), X, y)] * 2)
    assert are_alike(*[PendingFit.of(search(screen=None), X, y)] * 2)


def test_a_column_by_which_rows_were_picked_is_not_selected_and_named_in_the_report():
    rng = np.random.default_rng(0)
    table, _, _, classes = make_pu_clusters(
        "40/3/1", n_negative=900, n_positive=300, n_relevant=5, n_irrelevant=5, random_state=0, return_classes=True
    )
    dealer = rng.normal(size=len(table))
    order = np.argsort(-1.5 * dealer - rng.gumbel(size=len(table)))[:150]
    labels = np.zeros(len(table))
    labels[order] = np.where(classes[order] == 1, 1, -1)
    table = np.column_stack([table, dealer])
    ignored = FSCPU(5, random_state=0).fit(table, labels)
    checked = FSCPU(5, random_state=0, neg_label=-1).fit(table, labels)
    assert ignored.support_[10]
    assert not checked.support_[10]
    assert checked.result_.picked == ["x10"]
    (finding,) = [each for each in find_problems(checked.result_, None, None) if each.code == Code.PICKED_BY]
    assert "x10 tells which rows were inspected, not which were positive" in finding.text
    assert not ignored.result_.picked
    assert FSCPU("related", random_state=0, max_iter=5).fit(table, labels).support_[10]
    assert not FSCPU("related", random_state=0, max_iter=5, neg_label=-1).fit(table, labels).support_[10]
    everything = FSCPU(11, random_state=0, max_iter=5, neg_label=-1).fit(table, labels)
    assert everything.support_.all()
    assert everything.ranking_[10] == 11


def test_engines_select_the_same_with_checked_negatives():
    labels = np.where(y == 1, 1, 0)
    labels[np.flatnonzero(y != 1)[::10]] = -1
    options = {"max_iter": 8, "n_features_to_select": 6, "random_state": 0, "neg_label": -1}
    expected = FSCPU(**options, engine="cpu").fit(X, labels)
    found = FSCPU(**options, engine="reference").fit(X, labels)
    np.testing.assert_array_equal(found.support_, expected.support_)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-6)
    assert not np.array_equal(FSCPU(**{**options, "neg_label": None}).fit(X, labels).ranking_, expected.ranking_)
