import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.datasets import make_pu_clusters
from puselect.selectors.groups import group_statistic, leaders, read_groups

NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"]
GROUPS = {"pair": ["b", "e"], "triple": ["d", "g", "h"]}


@pytest.fixture(scope="module")
def data():
    X, y, relevant = make_pu_clusters(
        "40/3/1", n_negative=300, n_positive=60, n_relevant=5, n_irrelevant=3, n_redundant=0, random_state=0
    )
    return pd.DataFrame(X, columns=NAMES), y, relevant


def fit(data, *parameters, **settings):
    return FSCPU(*parameters, **{"max_iter": 8, "random_state": 0, **settings}).fit(data[0], data[1])


def is_whole(selector):
    return all(len(set(selector.support_[columns])) == 1 for columns in selector.groups_.values())


@pytest.mark.parametrize("settings", [{}, {"criterion": "cluster"}, {"criterion": "cluster+mi", "preset": "published"}],
                         ids=["default", "cluster", "published"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_groups_are_selected_as_a_whole_and_count_once(data, settings, k):
    selector = fit(data, k, groups=GROUPS, **settings)
    assert is_whole(selector)
    units = {next((g for g, cols in GROUPS.items() if name in cols), name) for name in selector.get_feature_names_out()}
    assert len(units) == k
    assert selector.groups_ == {"pair": [1, 4], "triple": [3, 6, 7]}


def test_a_group_has_one_rank_and_one_probability(data):
    selector = fit(data, 3, groups=GROUPS)
    assert sorted(set(selector.ranking_)) == [1, 2, 3, 4, 5]
    for columns in selector.groups_.values():
        assert len(set(selector.ranking_[columns])) == len(set(selector.probabilities_[columns])) == 1
    assert set(selector.ranking_[selector.support_]) == {1, 2, 3}
    assert len(selector.history_.theta[0]) == len(selector.searched_) == 5


def test_a_ranking_gives_a_group_the_rank_of_its_best_column(data):
    alone, grouped = KBest(8).fit(*data[:2]), KBest(3).fit(*data[:2], groups=GROUPS)
    for columns in grouped.groups_.values():
        assert set(grouped.scores_[columns]) == {alone.scores_[columns].max()}
    assert sorted(set(grouped.ranking_)) == [1, 2, 3, 4, 5]
    assert is_whole(grouped)
    np.testing.assert_array_equal(grouped.support_, grouped.ranking_ <= 3)


def test_labels_without_repetition_change_nothing(data):
    plain, labelled = fit(data, 4), fit(data, 4, groups=NAMES)
    assert labelled.groups_ == {}
    np.testing.assert_array_equal(plain.probabilities_, labelled.probabilities_)
    np.testing.assert_array_equal(plain.ranking_, labelled.ranking_)


def test_half_of_the_units_and_shares_of_them(data):
    assert len(set(fit(data, groups=GROUPS).ranking_[fit(data, groups=GROUPS).support_])) == 3
    assert len(set(fit(data, 0.4, groups=GROUPS).ranking_[fit(data, 0.4, groups=GROUPS).support_])) == 2


def test_keeping_one_column_or_the_group_keeps_the_whole(data):
    for name in ("g", "triple"):
        assert fit(data, 2, groups=GROUPS, always_keep=[name]).support_[[3, 6, 7]].all()
    assert not fit(data, 3, groups=GROUPS, never_select=["pair"]).support_[[1, 4]].any()


def test_a_group_with_a_constant_column_is_kept_or_left_out_as_a_whole(data):
    table = data[0].assign(d=1.0)
    selector = FSCPU(2, groups=GROUPS, always_keep=["triple"], never_select=["d"], max_iter=2, random_state=0)
    with pytest.raises(ValueError, match="share"):
        selector.fit(table, data[1])
    support = FSCPU(2, groups=GROUPS, always_keep=["g"], max_iter=2, random_state=0).fit(table, data[1]).support_
    assert support[[6, 7]].all()
    assert not support[3]
    selector = fit((data[0].assign(d=1.0), data[1]), 4, groups=GROUPS, never_select=["d"])
    assert not selector.support_[[3, 6, 7]].any()


@pytest.mark.parametrize(("item", "selected"), [("triple", [3, 6, 7]), ("d", [3, 6, 7]), ("g", [6, 7])])
def test_a_kept_group_with_a_constant_column_counts_once(data, item, selected):
    table = data[0].assign(d=1.0)
    one, two = (fit((table, data[1]), k, groups=GROUPS, always_keep=[item]) for k in (1, 2))
    assert np.flatnonzero(one.support_).tolist() == selected
    assert len(set(two.ranking_[two.support_])) == 2


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=str)
def test_columns_without_a_label_have_no_group(data, missing):
    assert fit(data, 2, groups=["x", "x", *[missing] * 6]).groups_ == {"x": [0, 1]}


def test_costs_of_groups(data):
    by_group = {"a": 1, "c": 1, "f": 1, "pair": 2, "triple": 3}
    by_column = [1, 2, 1, 3, 2, 1, 3, 3]
    settings = {"budget": 4, "groups": GROUPS, "max_iter": 30}
    first, second = (fit(data, feature_costs=costs, **settings) for costs in (by_group, by_column))
    np.testing.assert_array_equal(first.support_, second.support_)
    assert is_whole(first)
    spent = sum({"pair": 2, "triple": 3}.get(next((g for g, c in GROUPS.items() if n in c), n), 1)
                for n in {next((g for g, c in GROUPS.items() if n in c), n) for n in first.get_feature_names_out()})
    assert spent <= 4


@pytest.mark.parametrize(("groups", "costs", "named"), [
    ({"pair": ["b"]}, None, "'b' in 'pair'"),
    ({"pair": []}, None, "none in 'pair'"),
    ({"pair": ["b", "zz"]}, None, "'zz' in 'pair'"),
    ({"pair": ["b", 99]}, None, "99 in 'pair'"),
    ({"pair": "bc"}, None, "'bc' for 'pair'"),
    ({"pair": ["b", "e"], "other": ["e", "f"]}, None, "'e' in 'pair' and 'other'"),
    (["x"] * 3, None, "each of 8 features, got 3"),
    (GROUPS, {"a": 1, "b": 2, "c": 1, "f": 1, "triple": 3}, "got none for e"),
    (GROUPS, {"a": 1, "b": 5, "pair": 2, "c": 1, "f": 1, "triple": 3}, "'pair' must have one cost, got 2 and 5"),
    (GROUPS, [1, 2, 1, 3, 5, 1, 3, 3], "'pair' must have one cost, got 2 and 5"),
])  # fmt: skip
def test_wrong_groups_are_refused_by_name(data, groups, costs, named):
    with pytest.raises(ValueError, match=named):
        fit(data, groups=groups, feature_costs=costs, budget=None if costs is None else 4)


def test_one_hot_groups_of_a_sparse_table_are_searched_as_those_of_a_dense_one():
    rng = np.random.default_rng(0)
    city = np.eye(3)[rng.integers(0, 3, 300)]
    X, y = np.column_stack([rng.normal(size=(300, 3)), city]), np.arange(300) < 50
    groups = ["a", "b", "c", "city", "city", "city"]
    dense, sparse = (FSCPU(2, groups=groups, max_iter=8, random_state=0).fit(table, y) for table in (X, csr_array(X)))
    np.testing.assert_array_equal(dense.ranking_, sparse.ranking_)
    assert dense.objective_ == sparse.objective_


def test_leaders_are_the_first_that_can_be_selected():
    selectable = np.array([True, False, True, True])
    assert leaders(read_groups(["x", "y", "y", "y"], None, 4), selectable).tolist() == [0, 1, 2, 2]


def test_the_best_of_many_noisy_columns_is_no_more_evidence_than_one():
    rng = np.random.default_rng(0)
    statistic = rng.chisquare(2, size=(2000, 13))
    leader = np.array([0, *[1] * 12])
    roots = np.sqrt([group_statistic(row, leader)[:2] for row in statistic])
    assert roots[:, 1].mean() == pytest.approx(roots[:, 0].mean(), abs=0.15)
