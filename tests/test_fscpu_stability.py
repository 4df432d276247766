"""Would the same features be selected again: intervals cover, twins are found, any selector can be asked."""

import numpy as np
import pytest

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.checks.stability import assess_stability
from puselect.datasets import make_pu_clusters
from puselect.exceptions import DependentRowsWarning, FewLabelsWarning
from puselect.fscpu.settings import Settings
from puselect.fscpu.stability import halves, nogueira, search_halves, summarise_selections
from puselect.search.callbacks import FitCallbacks
from puselect.search.progress import Deadline

SIZES = {"n_negative": 300, "n_positive": 100, "n_relevant": 5, "n_irrelevant": 5}
X, y, relevant = make_pu_clusters("40/3/1", **SIZES, random_state=1)


@pytest.fixture(scope="module")
def fitted():
    selector = FSCPU(5, max_iter=12, random_state=0).fit(X, y)
    return selector, assess_stability(selector, X, y, n_searches=4)


def test_relevant_features_are_selected_more_often_and_the_same_again_with_the_selector_left_alone(fitted):
    selector, found = fitted
    frequency = np.array(found.frequency)
    assert selector.stability_ is found
    assert frequency[relevant].mean() > frequency[~relevant].mean() + 0.3
    assert frequency.sum() == 5
    assert all(low <= share <= high for low, share, high in zip(found.low, found.frequency, found.high, strict=True))
    assert found.interval[0] <= found.index <= found.interval[1]
    assert f"{found.index:.2f}" in str(found)
    before = selector.support_.copy(), selector.get_params()
    assert assess_stability(selector, X, y, n_searches=4) == found
    assert np.array_equal(before[0], selector.support_)
    assert before[1] == selector.get_params()
    both = FSCPU(5, max_iter=12, n_searches=4, random_state=0).fit(X, y)
    assert both.stability_ == found
    assert np.array_equal(both.support_, selector.support_)
    assert selector.set_params(n_searches=1).fit(X, y).stability_ is None


def test_a_search_does_not_depend_on_its_company():
    selector = FSCPU(5, max_iter=12, random_state=0)
    settings = Settings.of(selector.get_params())
    problems = halves(settings, selector._problem(settings, X, y), 3)
    assert [int(problem.positive.sum()) for problem in problems] == [20, 20, 20]
    for problem, (run, chosen, _) in zip(problems, search_halves(settings, problems, Deadline(None)), strict=True):
        ((alone, chosen_alone, _),) = search_halves(settings, [problem], Deadline(None))
        assert np.array_equal(run.search.optimizer.theta, alone.search.optimizer.theta)
        assert np.array_equal(chosen, chosen_alone)


def test_a_repeated_search_selects_what_a_fit_does():
    selector = FSCPU(5, max_iter=20, random_state=0)
    noisy, labels, _ = make_pu_clusters("40/3/1", **SIZES, noise="heavy", random_state=0)
    settings = Settings.of(selector.get_params())
    problems = halves(settings, selector._problem(settings, noisy, labels), 4)
    repeats = search_halves(settings, problems, Deadline(None))
    for problem, (_, chosen, first_third) in zip(problems, repeats, strict=True):
        selector._fit_problem(settings, problem, FitCallbacks(selector, noisy, labels), Deadline(None))
        assert np.array_equal(chosen, selector.support_)
        assert np.array_equal(np.sort(selector.ranking_[first_third]), [1, 2]), "a third of five, rounded up"


@pytest.mark.parametrize(
    "options",
    [
        {"n_features_to_select": "auto"},
        {"feature_costs": np.arange(1.0, 11.0), "budget": 12.0},
        {"groups": {"pair": [0, 1]}, "n_features_to_select": 4},
        {"criterion": "cluster+mi", "n_features_to_select": 4},
        {"n_features_to_select": 3, "screen": 6},
        {"n_features_to_select": 10},
    ],
    ids=["auto", "costs", "groups", "mi", "screen", "all"],
)
def test_any_search_can_be_repeated(options):
    selector = FSCPU(**options, max_iter=20, n_searches=2, random_state=0).fit(X, y)
    assert len(selector.stability_.frequency) == 10
    if options.get("n_features_to_select") == 10:
        assert selector.stability_.index == 1
    if "groups" in options:
        assert selector.stability_.frequency[0] == selector.stability_.frequency[1]


def test_time_or_labels_may_be_too_few():
    one = (np.arange(len(y)) == np.flatnonzero(y)[0]).astype(int)
    with pytest.warns(FewLabelsWarning, match="two labelled rows"):
        assert FSCPU(3, max_iter=3, n_searches=2, random_state=0).fit(X, one).stability_ is None
    late = FSCPU(3, max_time=1e-3, n_searches=2, random_state=0).fit(X, y)
    assert late.timed_out_
    assert late.stability_ is None


def test_any_selector_with_any_labels_and_a_number_that_was_found_is_kept():
    named = np.where(y == 1, "yes", "no")
    for selector in (KBest(4, pos_label="yes"), FSCPU("auto", pos_label="yes", max_iter=10, random_state=0)):
        n_selected = selector.fit(X, named).support_.sum()
        found = assess_stability(selector, X, named, n_searches=2)
        assert np.sum(found.frequency) == pytest.approx(n_selected)


def test_index_is_that_of_nogueira():
    rng = np.random.default_rng(0)
    random = rng.permuted(np.tile(np.arange(20) < 5, (2000, 1)), axis=1)
    assert abs(nogueira(random).value) < 0.02
    same = nogueira(np.tile(np.arange(20) < 5, (8, 1)))
    assert same.value == same.high == 1
    assert same.low == pytest.approx(1 - 2.365 / (8 * 20 * 0.25 * 0.75), abs=1e-3)
    assert nogueira(np.ones((3, 4), dtype=bool)).value == 1
    assert nogueira(np.eye(2, dtype=bool)) == (pytest.approx(-1), -1, 1)
    values = [nogueira(np.delete(random[:5], i, axis=0)).value for i in range(5)]
    parts = 5 * nogueira(random[:5]).value - 4 * np.array(values)
    error = np.hypot(np.std(parts, ddof=1) / np.sqrt(5), 1 / (5 * 20 * 0.25 * 0.75))
    assert nogueira(random[:5]).high == pytest.approx(nogueira(random[:5]).value + 2.776 * error, abs=1e-3)


@pytest.mark.parametrize("often", [0.95, 0.995])
def test_intervals_cover_as_they_say(often):
    """Eight selections with known frequencies: 95 % intervals hold the truth in 93 % or more of 400 simulations."""
    rng = np.random.default_rng(0)
    truth = np.array([often] * 5 + [0.6] * 4 + [0.1] * 11) if often < 0.99 else np.array([often] * 9 + [0.02] * 11)
    exact = nogueira(rng.random((200_000, 20)) < truth).value
    inside, frequencies = [], []
    for _ in range(400):
        found = summarise_selections(rng.random((8, 20)) < truth)
        inside.append(found.interval[0] <= exact <= found.interval[1])
        frequencies.append(np.mean((np.array(found.low) <= truth) & (truth <= np.array(found.high))))
    assert np.mean(inside) >= 0.93
    assert np.mean(frequencies) >= 0.95


def test_twins_are_found_and_told_from_each_other():
    rng = np.random.default_rng(0)
    table, labels = rng.normal(size=(200, 8)), np.arange(200) < 20
    table[:, 5] = np.exp(table[:, 1]) * np.exp(0.1 * rng.normal(size=200))
    table[:, 6] = -table[:, 2] + 0.1 * rng.normal(size=200)
    assert assess_stability(KBest(2).fit(table, labels), table, labels, 2).twins == ((1, 5), (2, 6))
    selected = np.array([[True, False, True], [False, True, True]])
    found = summarise_selections(selected, ((0, 1),))
    assert found.frequency == (0.5, 0.5, 1.0)
    assert found.twin_frequency == (1.0, 1.0, 1.0)


def test_the_core_is_in_the_first_third_of_eight_searches_or_more():
    first_third = np.array([[True, True, False]] * 7 + [[True, False, False]])
    assert summarise_selections(first_third | True, (), first_third).core == (0,)
    assert summarise_selections(first_third[1:] | True, (), first_third[1:]).core == ()
    found = FSCPU(7, max_iter=20, n_searches=8, random_state=0).fit(X, y).stability_
    assert found.core
    assert set(found.core) < set(np.flatnonzero(np.array(found.frequency) == 1))


@pytest.mark.parametrize(
    ("labels", "n_searches", "message"),
    [
        (np.arange(400) == 0, 4, "two labelled"),
        (np.arange(400) > 0, 4, "two labelled"),
        (y, 1, "n_searches"),
        (y[:10], 4, "one label for each"),
    ],
)
def test_wrong_calls_are_refused(fitted, labels, n_searches, message):
    with pytest.raises(ValueError, match=message):
        assess_stability(fitted[0], X, np.asarray(labels).astype(int), n_searches)
    with pytest.raises(ValueError, match="10 columns"):
        assess_stability(fitted[0], X[:, :3], y)


@pytest.mark.parametrize("selector", [FSCPU(3, max_iter=5, random_state=0), KBest(3)])
def test_a_limit_that_is_too_short_is_an_error(selector):
    with pytest.raises(TimeoutError):
        assess_stability(selector.fit(X, y), X, y, 2, max_time=1e-6)
    assert selector.stability_ is None


@pytest.mark.parametrize("selector", [FSCPU(3, max_iter=5, random_state=0), KBest(3)])
def test_any_selector_is_assessed_by_group(selector):
    groups = np.arange(len(X)) // 4 % 50
    assert len(assess_stability(selector.fit(X, y), X, y, 2, row_groups=groups).frequency) == X.shape[1]
    with pytest.warns(DependentRowsWarning), pytest.raises(ValueError, match="or row groups"):
        assess_stability(selector, X, y, 2, row_groups=y)


def test_labels_of_a_half_are_those_of_whole_groups():
    groups = np.arange(len(X)) // 4
    selector = FSCPU(5, random_state=0)
    settings = Settings.of(selector.get_params(deep=False))
    for half in halves(settings, selector._problem(settings, X, y, row_groups=groups), 4):
        kept = np.unique(groups[half.positive])
        assert half.positive.tolist() == ((y == 1) & np.isin(groups, kept)).tolist()
        assert len(kept) == (len(np.unique(groups[y == 1])) + 1) // 2


def test_searches_are_repeated_with_the_checked_negatives():
    labels = np.where(y == 1, 5, 0)
    labels[np.flatnonzero(y != 1)[::9]] = -3
    selector = FSCPU(5, max_iter=12, n_searches=4, pos_label=5, neg_label=-3, random_state=0).fit(X, labels)
    assert assess_stability(selector, X, labels, n_searches=4) == selector.fit(X, labels).stability_
