import numpy as np
import pytest
from scipy.stats import chisquare

from puselect.clustering.base import ClusterTable, draw_sample, start_rows
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
    assert (len(sample.rows), sample.known.sum()) == (100, n_taken)
    np.testing.assert_array_equal(sample.known, positive[sample.rows])
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
    assert (sample.rows, sample.weight, sample.known.sum()) == (None, 1.0, 4)
    assert len(draw_sample(np.arange(30) < 4, MixtureSpec(em_steps=100), 0, None).start) == 0


@pytest.mark.parametrize(
    ("counts", "n_expected"),
    [((40, 20, 940), (40, 20)), ((30, 600, 870), (30, 25)), ((80, 600, 820), (37, 25)), ((5, 98, 7), (5, 88))],
)
def test_a_sample_holds_checked_negatives_but_never_more_than_a_quarter_unless_others_are_lacking(counts, n_expected):
    known = np.random.default_rng(0).permutation(np.repeat([1, -1, 0], counts))
    sample = draw_sample(known, MixtureSpec(), 3, 100)
    n_positive, n_negative = n_expected
    assert len(sample.rows) == 100
    np.testing.assert_array_equal(sample.known, known[sample.rows])
    assert ((sample.known > 0).sum(), (sample.known < 0).sum()) == (n_positive, n_negative)
    assert sample.checked_weight == pytest.approx(counts[1] / n_negative)
    assert sample.weight * (sample.known == 0).sum() == pytest.approx(counts[2])


def test_labels_without_negatives_give_the_same_sample_whatever_their_type():
    positive = np.random.default_rng(0).random(400) < 0.2
    first, second = (draw_sample(labels, MixtureSpec(), 5, 60) for labels in (positive, positive.astype(np.int8)))
    for ours, theirs in zip(first, second, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_checked_negatives_stand_for_unlabelled_rows_where_they_lie():
    size, positive = np.array([[50.0, 50.0]]), np.array([[10.0, 10.0]])
    plain = ClusterTable(size, positive, np.zeros(1, dtype=bool), *np.zeros((2, 1, 2)))
    assert plain.evident_size is size
    checked = plain._replace(negative=np.array([[0.0, 4.0]]))
    weight = 0.05 / 0.95
    np.testing.assert_allclose(checked.evident_size, [[50, 50 + 76 * weight]])  # of 100 rows, 76 are unlabelled
    many = plain._replace(size=size + 80, negative=np.array([[0.0, 80.0]]))
    np.testing.assert_allclose(many.evident_size, [[130, 130 + 3 * 160]])  # three quarters of what is against them


def test_likely_rows_count_together_as_much_as_the_labelled_ones_times_the_agreement():
    positive, likely = np.array([[6.0, 2.0], [6.0, 2.0], [6.0, 2.0]]), np.array([[0.0, 40.0], [0.0, 40.0], [0.0, 0.0]])
    table = ClusterTable(10 * positive, positive, np.zeros(3, dtype=bool), np.zeros((3, 2)), likely)
    found = table.evident_positive(np.array([0.0, 0.5, 0.5]))
    np.testing.assert_allclose(found / found.sum(axis=1, keepdims=True), [[0.75, 0.25], [0.5, 0.5], [0.75, 0.25]])
    assert (found == np.rint(found)).all()


def test_likely_rows_are_sampled_like_other_unlabelled_ones():
    known = np.random.default_rng(0).permutation(np.repeat([1, 2, 0], [5, 40, 155]))
    samples = [draw_sample(known, MixtureSpec(), seed, 100) for seed in range(300)]
    plain = [draw_sample(known == 1, MixtureSpec(), seed, 100) for seed in range(300)]
    for sample, other in zip(samples, plain, strict=True):
        np.testing.assert_array_equal(sample.rows, other.rows)
        assert sample.weight == other.weight
    assert np.mean([(sample.known == 2).sum() for sample in samples]) == pytest.approx(40 * 95 / 195, rel=0.03)
