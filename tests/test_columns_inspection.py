import numpy as np
import pytest
from scipy.sparse import csc_array

from puselect.columns.evidence import rank_evidence
from puselect.columns.inspection import CheckedRanks
from puselect.columns.ranks import ColumnRanks, column_ranks
from puselect.sparse_table import SparseTable


def inspected_table(seed=0, n_rows=3000, share=0.3, n_inspected=300, by_dealer=0.0):
    """Columns: two of the class, one that decides what is inspected, and three of noise."""
    rng = np.random.default_rng(seed)
    classes = rng.random(n_rows) < share
    X = rng.normal(size=(n_rows, 6))
    X[classes, 0] += 1.0
    X[classes, 1] -= 0.5
    weight = np.exp(by_dealer * X[:, 2])
    rows = rng.choice(n_rows, n_inspected, replace=False, p=weight / weight.sum())
    is_inspected = np.isin(np.arange(n_rows), rows)
    return X, is_inspected & classes, is_inspected & ~classes


def checked_ranks(X, positive, negative):
    return CheckedRanks(ColumnRanks(X), np.flatnonzero(positive), np.flatnonzero(negative))


def test_without_weight_for_negatives_the_statistic_is_that_of_the_positives():
    X, positive, negative = inspected_table()
    found, rows = checked_ranks(X, positive, negative), np.flatnonzero(positive)
    plain = found.ranks.statistic(rows)
    found.share = 0.0
    np.testing.assert_allclose(found.statistic(rows), plain, rtol=1e-9)
    columns = np.array([0, 4])
    np.testing.assert_allclose(found.statistic_each(columns, np.stack([rows, rows])), plain[columns], rtol=1e-9)


def test_checked_negatives_add_to_the_evidence_for_the_class_if_positives_are_frequent():
    gains, shares = {0.1: [], 0.4: []}, {0.1: [], 0.4: []}
    for share, own in gains.items():
        for seed in range(10):
            X, positive, negative = inspected_table(seed, share=share)
            found, rows = checked_ranks(X, positive, negative), np.flatnonzero(positive)
            own.append(found.statistic(rows)[0] / found.ranks.statistic(rows)[0])
            shares[share].append(found.share)
    assert np.mean(gains[0.4]) > 1.3 > np.mean(gains[0.1]) > 1  # at most 1 / (1 - share)
    assert np.mean(shares[0.4]) > 1.5 * np.mean(shares[0.1])


def test_under_chance_the_statistic_has_two_degrees_of_freedom():
    drawn = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        ranks, rows = ColumnRanks(rng.normal(size=(400, 2))), rng.permutation(400)
        drawn.append(CheckedRanks(ranks, rows[:30], rows[30:70]).statistic(rows[:30]))
    assert np.mean(drawn) == pytest.approx(2.0, abs=0.3)
    assert np.mean(np.array(drawn) > 5.99) == pytest.approx(0.05, abs=0.03)


def test_a_column_by_which_rows_are_picked_is_named_and_loses_its_evidence():
    X, positive, negative = inspected_table(by_dealer=1.0)
    ranks, rng = ColumnRanks(X), np.random.default_rng
    ignored, found = rank_evidence(ranks, positive, rng(0)), rank_evidence(ranks, positive, rng(0), negative)
    assert ignored.z_scores[2] > 2.5
    assert found.z_scores[2] < 1
    assert found.picked.tolist() == [False, False, True, False, False, False]
    assert (found.z_scores[:2] > 2).all()
    assert ignored.picked is None
    wide = found.widened(np.arange(1, 7), 8)
    assert np.flatnonzero(wide.picked).tolist() == [3]


@pytest.mark.parametrize("within_class", [False, True])
def test_columns_of_the_class_are_not_named_whatever_the_shares_of_inspected_rows(within_class):
    named = []
    for seed in range(100):
        X, positive, negative = inspected_table(seed)
        if within_class:  # as many of either class
            kept = np.flatnonzero(negative)[: positive.sum() // 2]
            negative = np.isin(np.arange(len(X)), kept)
        named.append(checked_ranks(X, positive, negative).picked)
    assert not np.any(named, axis=0)[:2].any()
    assert np.any(named, axis=1).mean() <= 0.05


def test_a_column_that_tells_the_class_as_well_is_not_named_and_negatives_are_never_found():
    X, positive, negative = inspected_table(by_dealer=1.0)
    X[positive, 2] += 2
    assert not checked_ranks(X, positive, negative).picked.any()
    X, positive, negative = inspected_table(seed=3)
    X[negative] = X[positive].mean(axis=0)  # they look like positives
    found = rank_evidence(ColumnRanks(X), positive, np.random.default_rng(0), negative)
    assert 0 < found.n_found <= (~(positive | negative)).sum() / 2


def test_a_sparse_table_gives_the_same():
    X, positive, negative = inspected_table(by_dealer=1.0)
    X = np.where(X > 0.5, X, 0.0)
    dense = checked_ranks(X, positive, negative)
    ranks = column_ranks(SparseTable.of(csc_array(X)))
    sparse = CheckedRanks(ranks, np.flatnonzero(positive), np.flatnonzero(negative))
    assert sparse.picked.tolist() == dense.picked.tolist() == [False, False, True, False, False, False]
    rows = np.flatnonzero(positive)
    np.testing.assert_allclose(sparse.statistic(rows), dense.statistic(rows), rtol=1e-4)
