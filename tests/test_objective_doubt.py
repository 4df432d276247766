import numpy as np
import pytest

from puselect.objective import doubt
from puselect.objective.column_ranks import LEPAGE, NORMAL, ColumnRanks
from puselect.objective.doubt import DOUBTFUL, N_REPEATS, doubted, skipped, told_of_heldout
from puselect.objective.evidence import Evidence, rank_evidence

N_POSITIVE, N_DECOYS, N_LABELLED = 30, 200, 10


@pytest.fixture(scope="module")
def kinds():
    """Positives, rows that resemble them in ten columns but not in ten others, and all others."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 60)).astype(np.float32)
    X[: N_POSITIVE + N_DECOYS, :10] += 1
    X[:N_POSITIVE, 10:20] += 1
    X[N_POSITIVE : N_POSITIVE + N_DECOYS, 10:20] -= 1
    ranks = ColumnRanks(X, LEPAGE)
    return ranks, ranks.scored_by(NORMAL)


POSITIVE = np.arange(600) < N_LABELLED


def gathered(kinds, n_found, cotrained_weight):
    """Return evidence as it would be if so many rows had been found."""
    found = [rank_evidence(ranks, POSITIVE, 0.3, np.random.default_rng(0)) for ranks in kinds]
    return [each._replace(n_found=n_found, cotrained_weight=cotrained_weight) for each in found]


def check(kinds, evidence, rng=0):
    return doubted(evidence, kinds, POSITIVE, 0.3, np.random.default_rng(rng))


def looks_at(monkeypatch, told=None):
    """Return a list that gets an item for every look at held-out rows, which tells what is given, if anything is."""
    looks = []

    def look(*args):
        looks.append(1)
        return told_of_heldout(*args) if told is None else np.array(told, float)

    monkeypatch.setattr(doubt, "told_of_heldout", look)
    return looks


@pytest.mark.parametrize("kind", [0, 1])
def test_rows_of_another_kind_tell_less_about_heldout_rows(kinds, kind):
    few, many = (
        told_of_heldout(kinds[kind], np.arange(N_LABELLED), n, 60, np.random.default_rng(0)) for n in (15, N_DECOYS)
    )
    assert few[1] > few[0] > 0
    assert many[1] < 0.9 * many[0]


def test_rows_of_another_kind_do_not_count(kinds):
    evidence = gathered(kinds, N_DECOYS, DOUBTFUL / 2)
    for before, after in zip(evidence, check(kinds, evidence), strict=True):
        assert after.n_found == 0
        np.testing.assert_array_equal(after.cotrained, before.labelled)
        assert after.weight > 0


@pytest.mark.parametrize(("n_found", "weight"), [(15, DOUBTFUL / 2), (N_DECOYS, DOUBTFUL), (N_DECOYS, 0.0)])
def test_rows_that_are_alike_believed_or_ignored_stay(kinds, n_found, weight):
    evidence = gathered(kinds, n_found, weight)
    assert all(after is before for before, after in zip(evidence, check(kinds, evidence), strict=True))


def test_random_numbers_drawn_later_do_not_depend_on_how_soon_it_was_clear(kinds, monkeypatch):
    evidence, looks = gathered(kinds, N_DECOYS, DOUBTFUL / 2), looks_at(monkeypatch)
    ours, theirs = np.random.default_rng(1), np.random.default_rng(1)
    soon = check(kinds, evidence, ours)
    assert len(looks) < N_REPEATS * len(kinds)
    looks.clear()
    monkeypatch.setattr(doubt, "CLEAR", np.inf)
    late = check(kinds, evidence, theirs)
    assert len(looks) == N_REPEATS * len(kinds)
    assert [each.weight for each in soon] == [each.weight for each in late]
    assert ours.bit_generator.state == theirs.bit_generator.state


@pytest.mark.parametrize("n_labelled", [2, N_LABELLED])
def test_as_many_numbers_are_skipped_as_a_look_draws(kinds, n_labelled):
    rng = np.random.default_rng(2)
    own = skipped(rng, n_labelled, kinds[0].n_features)
    told_of_heldout(kinds[0], np.arange(n_labelled), 15, 60, own)
    assert own.bit_generator.state == rng.bit_generator.state


@pytest.mark.parametrize(
    ("told", "n_looks", "stays"),
    [
        ((100, 111), 8, True),
        ((100, 109), 8, False),
        ((100, 200), 2, True),
        ((200, 100), 2, False),
        ((1, 4), 8, True),  # much more, but of noise
        ((-9, -1), 8, True),
        ((0, 0), 8, True),
    ],
)
def test_rows_stay_if_they_tell_a_tenth_more_and_the_search_for_it_ends_when_that_is_clear(
    told, n_looks, stays, kinds, monkeypatch
):
    evidence, looks = gathered(kinds, N_DECOYS, DOUBTFUL / 2), looks_at(monkeypatch, told)
    after = check(kinds, evidence)
    assert all(each.n_found == (N_DECOYS if stays else 0) for each in after)
    assert len(looks) == n_looks


def test_columns_without_a_difference_do_not_hide_it():
    """Beyond the best columns both directions are noise, which in a wide table would decide."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3000)).astype(np.float32)
    X[:60, :20] += 1
    ranks, labelled = ColumnRanks(X, LEPAGE), np.arange(20)
    best, all_columns = (
        told_of_heldout(ranks, labelled, 40, n_best, np.random.default_rng(0)) for n_best in (80, 3000)
    )
    assert best[1] > 1.1 * best[0]
    assert all_columns[1] < all_columns[0]


def test_one_labelled_row_cannot_be_held_out(kinds):
    own = np.ones(60)
    evidence = [Evidence(own, own, 0.1, 0.1, 0)] * 2
    positive = np.arange(600) < 1
    assert doubted(evidence, kinds, positive, 0.3, np.random.default_rng(0)) == evidence


def test_z_scores_have_the_signs_of_differences_and_the_squares_of_the_statistic(kinds):
    rows = np.arange(N_POSITIVE)
    for ranks in kinds:
        z = ranks.z_scores(rows)
        np.testing.assert_allclose((z**2).sum(axis=0), ranks.statistic(rows), rtol=1e-12)
        assert (z[0, :20] > 0).all()
        columns, sets = np.array([3, 11]), np.stack([rows, rows])
        np.testing.assert_allclose(ranks.z_scores_each(columns, sets), z[:, columns], rtol=1e-12)
