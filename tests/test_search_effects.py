import numpy as np
import pytest
from scipy.special import ndtr

from puselect.columns.evidence import EVIDENCE_LIMIT
from puselect.search.effects import DECIDED, EffectSearch, effect_share
from puselect.search.loop import rank_utilities
from puselect.search.repair import Repair


def optimizer(evidence, budget, costs=None, population_size=8, seed=0):
    evidence = np.asarray(evidence, dtype=float)
    costs = np.ones(len(evidence)) if costs is None else np.asarray(costs, dtype=float)
    return EffectSearch(evidence, Repair(costs, budget), population_size, seed)


def run(search, value, steps, first=0):
    for step in range(first, first + steps):
        masks = search.ask(step)
        search.tell(masks, value(masks))
    return search


def by_place(masks):
    """Return values to which a feature adds its place."""
    return masks @ np.arange(12.0)


def test_effects_are_those_of_a_regression_within_steps():
    rng = np.random.default_rng(0)
    search = optimizer(np.zeros(6), 3.0)
    gain, variance = np.zeros(6), np.zeros(6)
    for _ in range(5):
        masks, values = rng.random((8, 6)) < 0.5, rng.normal(size=8)
        search.tell(masks, values)
        shuffles = np.array([rng.permutation(rank_utilities(values)) for _ in range(4000)])
        centred = masks - masks.mean(axis=0)
        gain += rank_utilities(values) @ centred
        variance += (shuffles @ centred).var(axis=0)
    expected = gain / np.sqrt(variance)
    np.testing.assert_allclose(search.effects, expected - np.median(expected), atol=0.1)


def test_without_an_effect_they_are_standard_normal_and_do_not_count():
    rng = np.random.default_rng(1)
    search = run(optimizer(np.zeros(400), 200.0, seed=1), lambda masks: rng.normal(size=len(masks)), 60)
    assert 0.85 < search.effects.std() < 1.15
    assert search.weight < 0.1


@pytest.mark.parametrize("n_wanted", [3, 20])
def test_features_that_raise_the_value_are_found(n_wanted):
    rng = np.random.default_rng(2)
    wanted = np.arange(40) < n_wanted
    noisy = lambda masks: masks @ wanted.astype(float) + rng.normal(size=len(masks))  # noqa: E731
    search = run(optimizer(np.zeros(40), float(n_wanted)), noisy, 400)
    assert set(np.argsort(-search.scores)[:n_wanted]) == set(np.flatnonzero(wanted))
    assert search.weight > 0.5
    assert search.theta[wanted].mean() > 0.9
    assert search.decided.any()


def test_the_search_overrules_evidence_which_decides_where_it_finds_nothing():
    search = run(optimizer(np.linspace(-2, 40, 10), 4.0), lambda masks: np.zeros(len(masks)), 30)
    assert (np.diff(search.scores) >= 0).all()
    assert (np.diff(search.scores[:6]) > 0).all()
    assert search.weight == 0
    wrong = np.where(np.arange(12) < 4, EVIDENCE_LIMIT, 0.0)
    search = run(optimizer(wrong, 4.0), by_place, 400)
    assert set(np.argsort(-search.scores)[:4]) == {8, 9, 10, 11}


def test_features_are_drawn_as_often_as_their_noisy_scores_are_the_best():
    evidence, n_masks = np.array([-1.0, 0.0, 0.5, 1.0]), 40_000
    masks = optimizer(evidence, 2.0, population_size=n_masks).ask(3)
    assert (masks.sum(axis=1) == 2).all()
    noisy = evidence + np.random.default_rng(0).normal(size=(n_masks, 4))
    expected = (noisy.argsort(axis=1).argsort(axis=1) >= 2).mean(axis=0)
    np.testing.assert_allclose(masks.mean(axis=0), expected, atol=5 * np.sqrt(0.5 / n_masks))


def test_masks_of_a_step_are_the_same_whenever_they_are_asked_for():
    search = optimizer(np.zeros(30), 10.0)
    later = search.ask(7)
    assert not np.array_equal(search.ask(6), later)
    np.testing.assert_array_equal(search.ask(7), later)
    np.testing.assert_array_equal(optimizer(np.zeros(30), 10.0, population_size=3).ask(7), later[:3])
    assert not np.array_equal(optimizer(np.zeros(30), 10.0, seed=1).ask(7), later)


def test_masks_stay_within_the_budget_and_probabilities_follow_the_cut():
    rng = np.random.default_rng(3)
    costs = rng.uniform(0.5, 3, 30)
    search = run(optimizer(rng.normal(size=30), 12.5, costs), lambda masks: masks @ costs, 20)
    spent = search.ask(20) @ costs
    assert (spent <= 12.5 * (1 + 1e-9)).all()
    assert (spent > 12.5 - costs.max()).all()
    np.testing.assert_allclose(search.theta, ndtr(search.scores - search.cut))
    assert (search.decided == (np.abs(search.scores - search.cut) >= DECIDED)).all()


def test_the_cut_is_between_the_best_mask_and_the_rest_and_no_features_are_harmless():
    search = optimizer([3.0, -1.0, 0.5, -2.0], 2.0)
    assert ((search.theta > 0.5) == [True, False, True, False]).all()
    assert search.cut == pytest.approx((search.scores[2] + search.scores[1]) / 2)
    assert (optimizer([3.0, -1.0], 2.0).theta > 0.99).all()  # all can be had
    assert (optimizer([3.0, -1.0], 0.5).theta <= 0.5).all()  # none can
    search = optimizer(np.empty(0), 1.0)
    search.tell(search.ask(0), np.zeros(8))
    assert np.isfinite(search.cut)
    assert (search.weight, search.theta.size) == (0, 0)


@pytest.mark.parametrize("dearest", [1.0, 1e20, 1e60, 1e100])
@pytest.mark.parametrize("budget", [1e-3, 5.0, 15.9, 1e300])
def test_costs_of_any_range_have_a_cut(dearest, budget):
    search = optimizer(np.linspace(-3, 3, 5), budget, [1, 10, dearest, 2, 3])
    assert np.isfinite(search.cut)
    assert ((search.theta >= 0) & (search.theta <= 1)).all()
    assert search.ask(0).shape == (8, 5)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.9])
def test_noise_has_no_share_whatever_is_wanted(share):
    noise = np.random.default_rng(4).normal(size=20_000)
    assert effect_share(noise, share) < 0.05
    assert effect_share(5 * noise, share) == pytest.approx(0.96, abs=0.01)
    assert effect_share(5 * noise, 0.0) == effect_share(5 * noise, 1.0) == 0, "there is nothing to choose"
