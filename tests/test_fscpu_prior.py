import numpy as np
import pytest

from puselect.fscpu.row_model import Places, PriorCode, best_ratio, checked_prior, class_prior, corrected_auc


def test_the_best_ratio_ignores_positives_among_negatives():
    rng = np.random.default_rng(0)
    among_positives = rng.random(500) / 10  # the best tenth of the rows is positive
    assert best_ratio(among_positives, 10_000) == pytest.approx(0.1, abs=0.02)
    assert best_ratio(np.append(among_positives, rng.random(100)), 10_000) == pytest.approx(0.12, abs=0.02)
    assert best_ratio(np.ones(3), 50) == 1


def test_hidden_positives_are_counted_among_all_unlabelled_rows_of_which_some_were_scored():
    rng = np.random.default_rng(0)
    found = class_prior(rng.random(500) / 10, rng.random(1000), 5000)
    assert found.code == PriorCode.ESTIMATED
    assert found.share == pytest.approx(0.1, abs=0.03)
    assert found.n_hidden == round(found.share * 5000)


def test_few_unlabelled_rows_are_no_proof_that_none_is_positive():
    found = class_prior(np.zeros(300), np.arange(60.0), 60)
    assert found.code == PriorCode.TOO_FEW_ROWS
    assert found.interval is None


def test_places_all_over_tell_nothing():
    rng = np.random.default_rng(0)
    assert class_prior(rng.random(100), rng.random(1000), 1000).code == PriorCode.NOT_SEPARATED


def test_rows_that_are_the_same_tell_nothing():
    rng = np.random.default_rng(0)
    places, scores = rng.random(500) / 10, rng.random(1000)
    low, high = class_prior(places, scores, 1000).interval
    assert low < 0.1 < high
    assert class_prior(places, scores.round(2), 1000).code == PriorCode.NOT_SEPARATED


def test_the_corrected_auc_is_that_against_negatives():
    rng = np.random.default_rng(0)
    positives, negatives = rng.normal(1, 1, 4000), rng.normal(0, 1, 3000)
    labelled, unlabelled = positives[1000:], np.append(positives[:1000], negatives)
    against = [(labelled[:, None] > other).mean() for other in (unlabelled, negatives)]
    assert corrected_auc(against[0], 0.25) == pytest.approx(against[1], abs=0.01)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_the_share_is_told_from_checked_negatives_and_its_interval_holds(share):
    """Positives score 2 higher; unlabelled rows are a mixture."""
    rng, held, shares = np.random.default_rng(0), [], []
    for _ in range(60):
        unlabelled = np.sort(rng.normal(size=2000) + 2 * (rng.random(2000) < share))
        labelled, checked = rng.normal(2, 1, 80), rng.normal(0, 1, 80)
        places = [1 - np.searchsorted(unlabelled, scores) / 2000 for scores in (labelled, checked)]
        found = checked_prior(Places(*places, 0.5), 2000, rng)
        assert found.code == PriorCode.ESTIMATED
        held.append(found.interval[0] <= share <= found.interval[1])
        shares.append(found.share)
    assert np.mean(held) >= 0.88
    assert np.mean(shares) == pytest.approx(share, abs=0.03)


def test_too_few_or_inseparable_inspected_rows_tell_nothing():
    rng = np.random.default_rng(0)
    few = Places(rng.random(19) / 4, rng.random(100), 0.5)
    same = Places(rng.random(50), rng.random(50), 0.5)
    assert checked_prior(few, 1000, rng).code == PriorCode.TOO_FEW_LABELS
    assert checked_prior(same, 1000, rng).code == PriorCode.NOT_SEPARATED


@pytest.mark.parametrize(("times", "code"), [(1, PriorCode.NOT_SEPARATED), (50, PriorCode.ESTIMATED)])
def test_an_interval_that_is_too_wide_is_no_estimate(times, code):
    labelled = np.repeat([0.0, 1.0], [14 * times, 6 * times])
    assert checked_prior(Places(labelled, 1 - labelled, 0.5), 1000, np.random.default_rng(0)).code == code
