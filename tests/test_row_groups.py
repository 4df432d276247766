"""Rows that belong together: whole groups are shuffled, drawn, halved and held out; odd groups are told."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from puselect.exceptions import DependentRowsWarning
from puselect.row_groups import (
    count_labels,
    draw_groups,
    draw_labelled,
    read_row_groups,
    shuffle_labels,
    split_rows,
)

GROUPS = np.repeat(np.arange(30), 4)
POSITIVE = np.isin(GROUPS, [3, 8, 20])


def whole(rows, groups=GROUPS):
    """Whether rows are those of some groups, all of them."""
    return len(rows) == np.isin(groups, groups[rows]).sum()


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
def test_groups_of_any_kind_are_numbered(kind):
    found = read_row_groups(kind(["Ann", "Bob", "Ann", "Cid"]), np.array([True, True, False, False]))
    assert found.tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (pl.Series("ward", ["a"] * 4), r"row_groups \('ward'\) must hold two groups or more, got 'a' for all 4 rows"),
        (pl.Series("ward", ["a", None, "b", None]), r"\('ward'\) must hold a group for every row, got none for 2"),
        ([1.0, np.nan, 2.0, 2.0], "got none for 1, first row 1"),
        ([1, 2, 2], r"one group for each of the 4 rows, got shape \(3,\)"),
    ],
)
def test_groups_that_tell_nothing_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        read_row_groups(groups, np.array([True, True, False, False]))


def test_groups_of_one_row_are_no_groups_and_one_that_holds_all_labels_is_told():
    with pytest.warns(DependentRowsWarning, match=r"row_groups \('id'\) has 4 groups of one row each"):
        assert read_row_groups(pd.Series([1, 2, 3, 4], name="id"), np.array([True, True, False, False])) is None
    with pytest.warns(DependentRowsWarning, match="all 2 labels in one group, 'a'"):
        assert read_row_groups(["a", "a", "b", "b"], np.array([True, True, False, False])) is not None


def test_labels_of_a_group_move_together_in_their_pattern_and_count_once():
    rng = np.random.default_rng(0)
    chosen = [np.unique(GROUPS[shuffle_labels(POSITIVE, GROUPS, rng)]) for _ in range(500)]
    assert {len(groups) for groups in chosen} == {3}
    often = np.bincount(np.concatenate(chosen), minlength=30)
    assert often.min() >= 25  # 50 expected: every group is labelled as often
    assert often.max() <= 80
    positive = np.zeros(120, dtype=bool)
    positive[[12, 15]] = True  # the first and the last row of a group
    found = shuffle_labels(positive, GROUPS, np.random.default_rng(1)).reshape(30, 4)
    assert found[found.any(axis=1)].tolist() == [[True, False, False, True]]
    groups = np.array([0, 0, 0, 1, 1])
    positive = np.array([False, True, False, False, False])
    assert all(shuffle_labels(positive, groups, np.random.default_rng(seed)).any() for seed in range(20))
    assert (count_labels(POSITIVE, None), count_labels(POSITIVE, GROUPS)) == (12, 3)


def test_groups_exchange_labels_with_groups_of_similar_size():
    sizes = np.array([1, 1, 1, 2, 3, 2, 3, 8, 9, 15])
    groups = np.repeat(np.arange(10), sizes)
    positive = np.isin(groups, [0, 4, 8])
    for seed in range(50):
        found = shuffle_labels(positive, groups, np.random.default_rng(seed))
        labelled = np.unique(groups[found])
        assert whole(np.flatnonzero(found), groups)
        assert [int(np.isin(labelled, part).sum()) for part in ([0, 1, 2], [3, 4, 5, 6], [7, 8, 9])] == [1, 1, 1]


def test_parts_and_samples_have_whole_groups():
    rng = np.random.default_rng(0)
    parts = split_rows(np.flatnonzero(POSITIVE), 5, GROUPS, rng)
    assert len(parts) == 3
    assert all(whole(part) for part in parts)
    drawn = draw_groups(POSITIVE, GROUPS, rng, 20)
    assert whole(drawn)
    assert POSITIVE[drawn].sum() == 12
    assert len(drawn) == 32
    labelled = draw_labelled(POSITIVE, GROUPS, rng)
    assert whole(labelled)
    assert len(np.unique(labelled)) == len(labelled) == len(draw_labelled(POSITIVE, None, rng)) == 12
