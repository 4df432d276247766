import numpy as np
import pytest
from scipy.stats import chisquare

from puselect.clustering.base import draw_sample, start_rows
from puselect.clustering.mixture import MixtureSpec


def test_start_rows_are_different_and_every_row_is_as_likely():
    drawn = np.array([start_rows(40, MixtureSpec(), seed) for seed in range(2000)])
    assert all(len(set(rows)) == 10 for rows in drawn.tolist())
    assert chisquare(np.bincount(drawn.ravel(), minlength=40)).pvalue > 1e-4


def test_start_rows_when_there_are_few():
    assert sorted(start_rows(3, MixtureSpec(), 0).tolist()) == [0, 1, 2]


@pytest.mark.parametrize(("n_labelled", "n_taken"), [(5, 5), (25, 25), (80, 50), (180, 80)])
def test_a_sample_has_the_labelled_rows_up_to_half_and_as_many_others_as_there_are(n_labelled, n_taken):
    positive = np.random.default_rng(0).permutation(200) < n_labelled
    sample = draw_sample(positive, MixtureSpec(), 3, 100)
    assert (np.diff(sample.rows) > 0).all()
    assert (len(sample.rows), sample.positive.sum()) == (100, n_taken)
    np.testing.assert_array_equal(sample.positive, positive[sample.rows])
    assert sample.weight * (100 - n_taken) == pytest.approx(200 - n_labelled)
    assert sample.start.max() < 100


def test_samples_of_seeds_have_every_row_equally_often():
    positive = np.arange(60) % 2 == 0
    drawn = np.concatenate([draw_sample(positive, MixtureSpec(), seed, 20).rows for seed in range(3000)])
    counts = np.bincount(drawn, minlength=60)
    for kind in (positive, ~positive):
        assert chisquare(counts[kind]).pvalue > 1e-4


def test_without_a_limit_all_rows_are_used():
    sample = draw_sample(np.arange(30) < 4, MixtureSpec(), 0, None)
    assert (sample.rows, sample.weight, sample.positive.sum()) == (None, 1.0, 4)
    assert len(draw_sample(np.arange(30) < 4, MixtureSpec(init="kmeans"), 0, None).start) == 0
