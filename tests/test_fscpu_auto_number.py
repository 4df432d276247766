"""The number of features is chosen: what is beyond chance, what the user is told, odd tables."""

import warnings

import numpy as np
import pytest

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.exceptions import DependentRowsWarning, NothingBeyondChanceWarning
from puselect.fscpu.problem import ChoiceCode
from puselect.fscpu.settings import Settings


def small(condition="40/3/1", seed=1, **changes):
    sizes = {"n_negative": 400, "n_positive": 120, "n_relevant": 6, "n_irrelevant": 10, "noise": "gaussian"}
    return make_pu_clusters(condition, **{**sizes, **changes}, random_state=seed)


X, y, relevant = small()


def chosen(X, y, wanted="related", **changes):
    return FSCPU(wanted, **{"max_iter": 15, "random_state": 0, **changes}).fit(X, y)


def choice(X, y, **changes):
    """What is chosen before the search."""
    selector = FSCPU("related", random_state=0, **changes)
    return selector._problem(Settings.of(selector.get_params(deep=False)), X, y).choice


@pytest.fixture(scope="module")
def found():
    return chosen(X, y), relevant


def test_relevant_features_are_selected_and_few_others_and_the_path_says_what_each_number_is_worth(found):
    selector, relevant = found
    assert selector.support_[relevant].sum() >= 5
    assert selector.support_[~relevant].sum() <= 2
    assert selector.path_.code == ChoiceCode.CHOSEN
    path = found[0].path_
    assert path.n_features == found[0].support_.sum()
    assert path.n_features in path.size
    assert path.n_enough in path.size
    assert path.size == tuple(sorted(set(path.size)))
    assert path.size[-1] == 16
    assert path.interval[0] <= 6 <= path.interval[1]
    at_most, chosen_at = path.false_share[path.size.index(path.n_features)], path.size.index(path.n_features)
    assert at_most <= 0.1
    assert path.objective[chosen_at] > path.objective[-1]
    assert path.separation[chosen_at] > path.separation[0]
    assert path.cost == tuple(map(float, path.size))
    assert str(path.n_related) in str(path)


def test_the_share_of_false_features_is_what_was_asked_for():
    """Means over 20 tables; the standard error of the first is .02."""
    false, n_found = [], []
    for seed in range(20):
        X, y, relevant = small(seed=seed)
        beyond = choice(X, y).beyond
        false.append((~relevant[beyond]).mean())
        n_found.append(relevant[beyond].sum())
    assert np.mean(false) <= 0.14
    assert np.mean(n_found) >= 4.5


def test_auto_selects_the_fewest_that_separate_as_well_as_more(found):
    selector, related = chosen(X, y, "auto"), found[0]
    path = selector.path_
    assert selector.support_.sum() == path.n_features == path.n_enough == related.path_.n_enough
    assert path.n_features <= path.n_related == related.path_.n_features
    assert (path.separation, path.interval) == (related.path_.separation, related.path_.interval)
    best = int(np.argmax(path.separation))
    assert path.separation[path.size.index(path.n_enough)] >= path.separation[best] - 2 * path.separation_error[best]
    assert path.cost_enough is None


def test_auto_buys_enough_for_what_the_best_features_cost():
    costs = np.where(relevant, 3.0, 1.0)
    selector = chosen(X, y, "auto", feature_costs=costs)
    assert 1 <= selector.support_.sum() <= selector.path_.n_related
    assert costs[selector.support_].sum() <= 3 * selector.path_.n_enough


def test_a_smaller_share_of_false_features_selects_no_more():
    X, y, _ = small(seed=2)
    counts = [choice(X, y, max_false=share).n_features for share in (0.001, 0.1, 0.5)]
    assert counts == sorted(counts)


def test_shuffled_labels_are_told_and_a_guess_is_made():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingBeyondChanceWarning)
        made = [choice(X, np.random.default_rng(seed).permutation(y)) for seed in range(16)]
    nothing = [one for one in made if one.code is ChoiceCode.NOTHING]
    assert len(nothing) >= 14
    assert all(one.n_features >= 1 and one.at_least == 0 for one in nothing)
    with pytest.warns(NothingBeyondChanceWarning, match="no column"):
        selector = chosen(X, np.random.default_rng(made.index(nothing[0])).permutation(y))
    assert selector.support_.sum() == selector.path_.n_features >= 1
    assert "guess" in str(selector.path_)


@pytest.mark.parametrize("n_labelled", [1, 4])
def test_too_few_labels_are_told_but_ranked(n_labelled):
    X, y, _ = small()
    y = np.where(np.cumsum(y) <= n_labelled, y, 0)
    with pytest.warns(NothingBeyondChanceWarning, match="too few to tell"):
        selector = chosen(X, y)
    assert selector.path_.code == ChoiceCode.TOO_FEW_LABELS
    assert sorted(selector.ranking_) == list(range(1, 17))


def test_features_beyond_chance_are_bought_within_the_budget():
    costs = np.where(relevant, 3.0, 1.0)
    selector = chosen(X, y, feature_costs=costs, budget=10)
    assert costs[selector.support_].sum() <= 10
    assert relevant[selector.support_].mean() >= 0.6
    assert selector.path_.cost[0] == 9.0  # of three
    path = selector.path_
    assert path.cost_enough == path.cost[path.size.index(path.n_enough)]
    assert f"for {path.cost_enough:g} " in str(path)
    assert path.size[-1] <= path.n_related  # features that are not beyond chance are not looked at
    free = chosen(X, y, feature_costs=costs)
    assert relevant[free.support_].sum() >= 5


def test_only_what_can_be_bought_is_chosen():
    costs = np.where(relevant, 5.0, 1.0)
    with pytest.warns(NothingBeyondChanceWarning, match="no column that may be selected"):
        selector = chosen(X, y, feature_costs=costs, budget=3)
    assert 1 <= selector.support_.sum() <= 3
    assert not relevant[selector.support_].any()
    kept = chosen(X, y, feature_costs=costs, budget=3, always_keep=np.flatnonzero(~relevant)[:3].tolist())
    assert np.flatnonzero(kept.support_).tolist() == np.flatnonzero(~relevant)[:3].tolist()
    assert kept.path_ is None


def test_kept_features_are_selected_others_never_and_groups_count_as_one():
    never, kept = np.flatnonzero(relevant)[0], np.flatnonzero(~relevant)[0]
    selector = chosen(X, y, always_keep=[kept], never_select=[never])
    assert selector.support_[kept]
    assert not selector.support_[never]
    assert selector.support_[relevant].sum() >= 4
    good, bad = np.flatnonzero(relevant), np.flatnonzero(~relevant)
    selector = chosen(X, y, groups={"good": good[:3].tolist(), "bad": bad[:4].tolist()})
    assert selector.support_[good[:3]].all()
    assert selector.path_.size[-1] == 11
    assert selector.path_.n_features == selector.support_.sum() - 2 - 3 * selector.support_[bad[0]]


def test_any_share_of_relevant_constant_or_copied_columns_is_judged():
    X, y, relevant = small("40/1/1")
    assert chosen(X[:, relevant], y).support_.sum() >= 4
    with pytest.warns(NothingBeyondChanceWarning):
        assert chosen(X[:, ~relevant], y).path_.code == ChoiceCode.NOTHING
    twins = X[:, relevant][:, :1] + 0.01 * np.random.default_rng(0).normal(size=(len(X), 6))
    assert chosen(twins, y).support_.sum() in (1, 6)
    X, y, relevant = small()
    X[:, np.flatnonzero(~relevant)[:3]] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector = chosen(X, y)
    assert not selector.support_[np.flatnonzero(~relevant)[:3]].any()


@pytest.mark.parametrize("share", [0, -0.1, 1.5, "some", None])
def test_wrong_shares_are_refused(share):
    with pytest.raises(ValueError, match="max_false"):
        chosen(X, y, max_false=share)


def test_one_clear_feature_of_two_is_one_at_least():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(300, 2)), np.arange(300) < 30
    X[:60, 0] += 2.5
    found = choice(X, y)
    assert (found.n_features, found.at_least) == (1, 1)


def test_groups_of_rows_are_drawn_as_a_whole():
    """Without groups, copies of rows that have nothing to do with the labels are beyond chance."""
    told, untold = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        patient = np.repeat(np.arange(80), 5)
        X, y = rng.normal(size=(80, 10))[patient], np.isin(patient, rng.permutation(80)[:12])
        selector = FSCPU("auto", random_state=0)
        with warnings.catch_warnings(action="ignore"):
            for groups, found in ((patient, told), (None, untold)):
                settings = Settings.of(selector.get_params(deep=False))
                found.append(selector._problem(settings, X, y, row_groups=groups).choice)
    assert sum(each.p_value <= 0.05 for each in untold) >= 9
    assert sum(each.p_value <= 0.05 for each in told) <= 3
    assert {each.code for each in told} <= {ChoiceCode.TOO_FEW_LABELS, ChoiceCode.CHOSEN}  # 12 labels, not 60


def test_rows_that_seem_to_depend_are_told_unless_their_groups_are_known():
    X, y, _ = small()
    patient = np.arange(len(X)) // 2
    X[1::2] = X[::2]
    with pytest.warns(DependentRowsWarning, match="Many rows are copies"):
        chosen(X, y)
    selector = FSCPU("auto", max_iter=5, n_searches=2, random_state=0).fit(X, y, row_groups=patient)
    assert selector.path_ is not None
