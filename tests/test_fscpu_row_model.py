from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import logit

from puselect import FSCPU
from puselect.fscpu.row_model import cluster_logit, lift_steps, row_folds


def test_lifts_fall_and_their_mean_is_one():
    ends, lifts = lift_steps(np.random.default_rng(0).random(40) ** 3)
    assert (np.diff(lifts) < 0).all()
    assert np.diff(np.concatenate([[0.0], ends, [1.0]])) @ lifts == pytest.approx(1)


def test_rows_of_a_group_share_a_fold_and_labelled_rows_are_spread():
    rng = np.random.default_rng(0)
    known, groups = np.arange(100) < 20, np.arange(100) // 2
    folds = row_folds(known, groups, rng)
    assert (folds[::2] == folds[1::2]).all()
    assert np.bincount(folds[known]).tolist() == [4] * 5


def test_a_labelled_row_does_not_count_itself():
    clusterings = SimpleNamespace(labelled=np.array([[3.0, 1.0]]), size=np.array([[10.0, 90.0]]))
    place, known = np.array([[0], [0], [1]]), np.array([True, False, True])
    expected = [(2 + 0.02) / 9.5, (3 + 0.02) / 10.5, (0 + 0.02) / 89.5]
    np.testing.assert_allclose(cluster_logit(clusterings, place, known), logit(expected))
    np.testing.assert_allclose(cluster_logit(clusterings, place)[:2], logit((3 + 0.02) / 10.5))


def table(n_labelled=60):
    rng = np.random.default_rng(0)
    X, classes = rng.normal(size=(1500, 5)), np.arange(1500) < 300
    X[classes, :3] += 3
    return X, (np.arange(1500) < n_labelled).astype(int), classes


def test_confident_rows_are_positive_and_no_more_than_the_interval_allows():
    X, y, classes = table()
    selector = FSCPU(3, max_iter=20, random_state=0).fit(X, y)
    found = selector.candidate_positives(X, y)
    low, high = selector.prior_.interval
    assert low <= 240 / 1440 <= high
    assert classes[found.rows[found.confidence >= 0.9]].mean() > 0.9
    assert found.n_likely <= len(found.rows) <= np.ceil(high * 1440)


def test_without_a_share_of_positives_there_is_a_lift_and_no_confidence():
    X, y, classes = table(n_labelled=12)
    found = FSCPU(3, max_iter=20, random_state=0).fit(X, y).candidate_positives(X, y)
    assert found.confidence is found.n_likely is None
    assert found.lift[0] > 2
    assert classes[found.rows[:50]].mean() > 0.9


def test_rows_are_ranked_in_the_tails_that_the_clusters_cut_off():
    rng = np.random.default_rng(0)
    X = np.exp(2 * rng.normal(size=(2000, 2)))
    y = np.isin(np.arange(2000), rng.permutation(np.argsort(-X[:, 0])[:100])[:50]).astype(int)
    found = FSCPU(1, max_iter=5, random_state=0).fit(X, y).candidate_positives(X, y)
    assert (X[found.rows[:50], 0] >= np.sort(X[:, 0])[-100]).all()


def test_one_labelled_row_is_enough_for_a_ranking():
    X, y, _ = table(n_labelled=1)
    with pytest.warns(UserWarning):
        assert len(FSCPU(3, max_iter=5, random_state=0).fit(X, y).candidate_positives(X, y).rows)


def test_equal_rows_are_not_in_the_order_of_the_file():
    X, y, _ = table()
    model = FSCPU(3, max_iter=5, random_state=0).fit(X, y).row_model_
    rows = model.likeliest(np.full(200, model.cuts[0] + 1)).rows
    assert len(rows) > 20
    assert not (np.diff(rows) > 0).all()
