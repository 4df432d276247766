import numpy as np
import pytest
from scipy.stats import ansari, chi2, kstest, mannwhitneyu, norm, rankdata

from puselect.columns import evidence as module
from puselect.columns.evidence import (
    EVIDENCE_LIMIT,
    Evidence,
    _discriminants,
    column_evidence,
    heldout_places,
    rank_evidence,
    rows_to_find,
)
from puselect.columns.ranks import LEPAGE, NORMAL, ColumnRanks
from puselect.datasets import make_pu_clusters


def gather(X, positive):
    return rank_evidence(ColumnRanks(X), positive, np.random.default_rng(0))


def test_statistic_is_that_of_wilcoxon_plus_that_of_ansari_and_bradley():
    rng = np.random.default_rng(0)
    positive = np.arange(400) < 37
    X = rng.normal(size=(400, 4)) * np.where(positive, 1.5, 1.0)[:, None] + 0.4 * positive[:, None]
    for column, evidence in zip(X.T, column_evidence(X, positive), strict=True):
        shift = mannwhitneyu(column[positive], column[~positive], use_continuity=False, method="asymptotic").pvalue
        spread = ansari(column[positive], column[~positive]).pvalue
        expected = chi2.isf(shift, 1) + chi2.isf(spread, 1)
        np.testing.assert_allclose(evidence, expected, rtol=0.02)


def test_statistic_of_normal_scores_is_the_sum_of_two_permutation_z_scores():
    """Of a finite population the mean of a sample has a known variance; ties are ranked by their mean."""
    rng = np.random.default_rng(0)
    X, rows = np.column_stack([rng.normal(size=90), rng.integers(0, 4, 90)]), np.arange(12)
    for column, statistic in zip(X.T, ColumnRanks(X).statistic(rows), strict=True):
        score = norm.ppf((rankdata(column) - 0.5) / 90)
        expected = 0.0
        for each in (score, score**2):
            error = each.var(ddof=1) / 12 * (1 - 12 / 90)
            expected += (each[:12].mean() - each.mean()) ** 2 / error
        np.testing.assert_allclose(statistic, expected, rtol=1e-5)


@pytest.mark.parametrize("scores", [NORMAL, LEPAGE])
def test_without_a_difference_it_is_chi_squared(scores):
    rng = np.random.default_rng(1)
    evidence = ColumnRanks(rng.normal(size=(300, 800)), scores).statistic(np.arange(40))
    assert kstest(evidence, chi2(2).cdf).pvalue > 1e-3


def test_increasing_transformations_change_nothing_and_constant_columns_tell_nothing():
    rng = np.random.default_rng(2)
    X, positive = rng.normal(size=(100, 3)), np.arange(100) < 9
    np.testing.assert_allclose(column_evidence(np.exp(X) * 1e6, positive), column_evidence(X, positive))
    assert column_evidence(np.ones((20, 2)), np.arange(20) < 3).tolist() == [0.0, 0.0]
    assert ColumnRanks(np.random.default_rng(0).normal(size=(20, 2))).statistic(np.arange(20)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("n_rows", [60, 61, 3000])
def test_a_column_of_zeros_and_ones_counts_no_rounding(n_rows):
    """In one that is half 0 and half 1 all squares are the same: there is a location, and no spread to compare."""
    column = np.arange(n_rows) % 2.0
    statistic = ColumnRanks(column[:, None]).statistic(np.arange(0, 20, 2))
    location = 10 * n_rows / (n_rows - 10) * (n_rows - 1) / n_rows * column.mean() ** 2 / column.var()
    parts = 1 if n_rows % 2 == 0 else 2
    np.testing.assert_allclose(statistic, parts * location, rtol=1e-3)


def test_each_column_may_have_a_set_of_its_own():
    rng = np.random.default_rng(3)
    ranks, rows = ColumnRanks(rng.normal(size=(60, 5))), rng.permuted(np.tile(np.arange(60), (3, 1)), axis=1)[:, :9]
    each = ranks.statistic_each(np.array([4, 0, 2]), rows)
    np.testing.assert_allclose(each, [ranks.statistic(rows[i])[column] for i, column in enumerate((4, 0, 2))])


def test_a_discriminant_without_a_column_is_that_of_the_other_columns(monkeypatch):
    """A downdated inverse is the inverse of what is left, so only the ridge, a mean over all columns, must be fixed."""
    monkeypatch.setattr(module, "SHRINKAGE", 0.0)
    rng = np.random.default_rng(4)
    Z, positive = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 5)), np.arange(200) < 20
    ranks = ColumnRanks(Z)
    scores = _discriminants(ranks, np.arange(5), positive)
    for left_out in range(5):
        others = _discriminants(ranks, np.delete(np.arange(5), left_out), positive)[-1]
        np.testing.assert_allclose(scores[left_out], others, rtol=1e-6, atol=1e-8)


def test_no_column_votes_for_itself():
    """Columns of noise, each of which would look good if it chose the rows it is judged by."""
    rng = np.random.default_rng(5)
    found = [gather(rng.normal(size=(400, 30)), np.arange(400) < 30).cotrained for _ in range(20)]
    assert 1.8 < np.mean(found) < 2.2
    assert kstest(np.concatenate(found), chi2(2).cdf).pvalue > 1e-3


@pytest.mark.parametrize("n_irrelevant", [25, 175])
def test_cotrained_evidence_finds_more_than_labels_alone(n_irrelevant):
    recall = []
    for seed in range(3):
        X, y, relevant = make_pu_clusters("10/1/2", n_irrelevant=n_irrelevant, random_state=seed)
        evidence = gather(X, y == 1)
        recall.append([relevant[np.argsort(-e)[:25]].mean() for e in (evidence.labelled, evidence.cotrained)])
    labelled, cotrained = np.mean(recall, axis=0)
    assert cotrained > labelled + 0.05


def test_as_many_rows_are_found_as_there_are_hidden_positives():
    for condition, n_hidden in (("10/1/2", 450), ("40/1/2", 300)):
        X, y, _ = make_pu_clusters(condition, random_state=0)
        assert gather(X, y == 1).n_found == pytest.approx(n_hidden, rel=0.25)


def test_rows_to_find_stay_within_bounds():
    assert rows_to_find(np.empty(0), 100) == 0
    assert rows_to_find(np.zeros(7), 1000) == 7  # no fewer than there are labels
    assert rows_to_find(np.full(5, 900.0), 1000) == 500
    assert rows_to_find(np.arange(20.0), 8) == 4


def test_places_of_held_out_rows_are_counts_of_unlabelled_rows():
    X, positive = np.random.default_rng(9).normal(size=(120, 3)), np.arange(120) < 10
    X[positive] += 20
    ranks = ColumnRanks(X)
    above = heldout_places(ranks, np.flatnonzero(positive), np.random.default_rng(0), ranks)
    assert above.tolist() == [0.0] * 10
    flat = ColumnRanks(np.ones((30, 2)))
    same = heldout_places(flat, np.arange(6), np.random.default_rng(0), flat)
    assert same.tolist() == [12.0] * 6  # of 24 unlabelled rows, all tied


def test_z_scores_are_near_zero_where_chance_is_all_there_is():
    X, positive = np.random.default_rng(6).normal(size=(300, 4)), np.arange(300) < 40
    X[positive, 0] += 50
    z_scores = gather(X, positive).z_scores
    assert EVIDENCE_LIMIT - 0.5 < z_scores[0] < EVIDENCE_LIMIT
    assert (np.abs(z_scores[1:]) < 2).all()


@pytest.mark.parametrize("n_labelled", [1, 2, 4, 19])
def test_any_number_of_labels_and_rows_gives_finite_evidence(n_labelled):
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.normal(size=(20, 30)), np.ones(20), rng.integers(0, 2, 20), rng.random(20) < 0.05])
    X = np.hstack([X, X[:, :3]])
    evidence = gather(X, np.arange(20) < n_labelled)
    assert np.isfinite(evidence.z_scores).all()
    assert evidence.cotrained[30] == 0
    np.testing.assert_allclose(evidence.labelled[:3], evidence.labelled[-3:])


def test_both_statistics_are_weighed_by_their_agreement_and_bent():
    evidence = Evidence(np.array([np.pi / 2, 1e6, 25.0]), np.array([np.pi / 2, np.pi / 2, 9.0]), 0.25, 0)
    root = 0.75 * 5 + 0.25 * 3 - np.sqrt(np.pi / 2)
    np.testing.assert_allclose(evidence.z_scores, [0, EVIDENCE_LIMIT, EVIDENCE_LIMIT * np.tanh(root / EVIDENCE_LIMIT)])


@pytest.mark.parametrize(("condition", "n_irrelevant"), [("10/8/2", 25), ("10/1/1", 1975)])
def test_rows_found_agree_with_the_labelled_ones_where_positives_form_clusters(condition, n_irrelevant):
    X, y, _ = make_pu_clusters(condition, n_irrelevant=n_irrelevant, random_state=0)
    assert gather(X, y == 1).agreement > 0.6


@pytest.mark.parametrize("condition", ["10/outlier", "40/outlier"])
def test_rows_found_with_scattered_outliers_do_not_agree(condition):
    X, y, _ = make_pu_clusters(condition, random_state=0)
    assert gather(X, y == 1).agreement < 0.2
