import numpy as np
import pytest

from puselect.datasets import make_pu_clusters
from puselect.engines import row_blocks
from puselect.engines.row_blocks import RowBlocks
from puselect.objective import vast_evidence as vast_evidence_module
from puselect.objective.column_ranks import LEPAGE, NORMAL, ColumnRanks
from puselect.objective.evidence import gather_evidence
from puselect.objective.vast_evidence import N_BINS, BinnedRanks, bins_of, count_bins, vast_evidence
from puselect.scaling import fit_scaling

X, Y, RELEVANT = make_pu_clusters(
    "40/3/1", n_negative=1500, n_positive=150, n_relevant=6, n_irrelevant=8, noise="gaussian", random_state=0
)
TABLE = fit_scaling("auto", X).scale(X, np.float32)
TABLE[:, 3] = np.round(TABLE[:, 3] * 4) / 4  # few values
POSITIVE, COLUMNS = Y == 1, np.arange(X.shape[1])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(row_blocks, "ROWS", 100)


def everything(table, n_others=1000):
    sample = np.concatenate([np.flatnonzero(POSITIVE), np.flatnonzero(~POSITIVE)[:n_others]])
    return vast_evidence(table, POSITIVE, COLUMNS, sample, 0.5, np.random.default_rng(0))


@pytest.mark.parametrize("scores", [LEPAGE, NORMAL])
def test_ranks_of_bins_are_those_of_values_that_share_a_bin(scores):
    bins = bins_of(TABLE.T)
    (counts,) = RowBlocks(TABLE).sums(count_bins, COLUMNS)
    assert counts.shape == (len(COLUMNS), N_BINS)
    ours, theirs = BinnedRanks(counts, scores), ColumnRanks(bins.T.astype(np.float32), scores)
    np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-9)
    np.testing.assert_allclose(ours.variance, theirs.variance)
    rows = np.arange(7, 60)
    np.testing.assert_allclose(ours.statistic_of(ours.sums_of(bins[:, rows]), 53), theirs.statistic(rows), rtol=1e-4)


@pytest.mark.parametrize("scores", [LEPAGE, NORMAL])
def test_evidence_is_about_that_of_exact_ranks_in_one_place(scores):
    exact = gather_evidence(TABLE, POSITIVE, 0.5, np.random.default_rng(0), scores)
    found = everything(RowBlocks(TABLE), n_others=1500)
    ours = found if scores is LEPAGE else found.tails
    assert exact.cotrained_weight > 0.4
    assert abs(ours.cotrained_weight - exact.cotrained_weight) < 0.15
    assert abs(ours.labelled_weight - exact.labelled_weight) < 0.15
    assert 0.5 < ours.n_found / exact.n_found < 2  # the covariance is that of a sample
    assert np.corrcoef(np.sqrt(ours.labelled), np.sqrt(exact.labelled))[0, 1] > 0.999
    assert np.corrcoef(ours.support, exact.support)[0, 1] > 0.99


def test_evidence_does_not_depend_on_blocks_or_threads(monkeypatch):
    first = everything(RowBlocks(TABLE, 2))
    monkeypatch.setattr(row_blocks, "ROWS", 10**6)
    second = everything(RowBlocks(TABLE))
    for one, other in ((first, second), (first.tails, second.tails)):
        np.testing.assert_allclose(one.labelled, other.labelled, rtol=1e-6)
        np.testing.assert_allclose(one.cotrained, other.cotrained, rtol=0.02)  # a row at the threshold may differ
        assert one.n_found == other.n_found


def test_rows_beyond_a_sample_make_evidence_more_precise_but_not_stronger(monkeypatch):
    whole = everything(RowBlocks(TABLE))
    monkeypatch.setattr(vast_evidence_module, "COUNTED", 500)
    scaled = everything(RowBlocks(TABLE))
    n_labelled, n_unlabelled = POSITIVE.sum(), (~POSITIVE).sum()
    n_there = max(n_labelled, whole.n_found * 500 / n_unlabelled)
    share = (n_labelled + n_there) / (n_labelled + whole.n_found)
    assert share < 1
    np.testing.assert_allclose(scaled.cotrained, share * whole.cotrained)
    assert scaled[2:5] == whole[2:5]


def test_one_labelled_row_finds_no_others():
    positive = np.arange(len(X)) == np.flatnonzero(POSITIVE)[0]
    sample = np.arange(600)
    found = vast_evidence(RowBlocks(TABLE), positive, COLUMNS, sample, 0.5, np.random.default_rng(0))
    assert (found.n_found, found.cotrained_weight) == (0, 0.0)
    assert np.array_equal(found.cotrained, found.labelled)


def test_constant_columns_say_nothing():
    table = TABLE.copy()
    table[:, 0] = 0.5
    found = vast_evidence(RowBlocks(table), POSITIVE, COLUMNS, np.arange(len(X)), 0.5, np.random.default_rng(0))
    assert found.labelled[0] == 0
    assert found.cotrained[0] == 0
    assert np.isfinite(found.support).all()
