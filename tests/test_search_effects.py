import numpy as np
import pytest
from scipy.special import ndtr

from puselect.search.effects import DECIDED, DRAWN_LIMIT, LEAST_WEIGHT, EffectSearch, chance_share, cut_at, effect_share
from puselect.search.igo import rank_utilities


def optimizer(support, budget, costs=None, population_size=8, margin=0.02, seed=0):
    support = np.asarray(support, dtype=float)
    costs = np.ones(len(support)) if costs is None else np.asarray(costs, dtype=float)
    return EffectSearch(support, costs, budget, population_size, margin, np.random.default_rng(seed))


def run(search, value, steps):
    for _ in range(steps):
        masks = search.ask()
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


def test_support_decides_where_the_search_finds_nothing():
    support = np.linspace(-2, 4, 10)
    search = run(optimizer(support, 4.0), lambda masks: np.zeros(len(masks)), 30)
    assert (np.diff(search.scores) > 0).all()
    assert (np.abs(search.drawing.drawn_by) < DRAWN_LIMIT).all()
    assert search.weight == 0


def test_tails_count_as_far_as_effects_do_not():
    support, tails = np.array([0.0, 1.0, 2.0]), np.array([2.0, 1.0, 0.0])
    search = EffectSearch(support, np.ones(3), 1.0, 8, 0.02, np.random.default_rng(0), tails)
    np.testing.assert_array_equal(search.ranked_support, support)  # nothing is known yet
    search.tell(search.ask(), np.arange(8.0))
    assert search.weight == 0
    np.testing.assert_array_equal(search.ranked_support, tails)
    search.drawing = search.drawing._replace(weight=0.75)
    np.testing.assert_allclose(search.ranked_support, [0.5, 1.0, 1.5])
    np.testing.assert_array_equal(search.drawn_support, optimizer(support, 1.0).drawn_support)


def test_effects_guide_the_search_but_not_the_ranking_where_values_are_those_of_chance():
    """Some features raise the value, but random labels would score as much."""
    weights, rng = np.arange(12.0), np.random.default_rng(5)
    for excess, low, high in ((0.0, 0.0, 0.1), (300.0, 0.3, 1.0)):
        search = optimizer(np.zeros(12), 6.0)
        for _ in range(60):
            masks = search.ask()
            values = masks @ weights
            search.tell(masks, values + excess, np.where(np.arange(8) == 0, values + rng.normal(), np.nan))
        assert low <= search.weight <= high
        assert search.theta[-1] > 0.8 > 0.2 > search.theta[0]


def test_chance_is_compared_in_its_own_standard_deviations():
    rng = np.random.default_rng(6)
    chance = rng.normal(10, 2, 5000)
    values = chance.mean() + 2 * 3.0  # three standard deviations above
    share = chance_share(len(chance), values * len(chance), chance.sum(), chance @ chance)
    assert share == pytest.approx(0.9, abs=0.01)
    assert chance_share(5000, 9 * 5000, chance.sum(), chance @ chance) == 0
    assert chance_share(2, 8.0, 6.0, 18.0) == 1  # chance does not vary
    assert chance_share(0, 0.0, 0.0, 0.0) == 1  # nothing was compared


def test_features_are_drawn_as_often_as_the_budget_allows():
    rng = np.random.default_rng(3)
    costs = rng.uniform(0.5, 3, 30)
    search = optimizer(rng.normal(size=30), 12.5, costs, margin=1e-12)
    np.testing.assert_allclose(search.theta @ costs, 12.5, rtol=1e-6)
    np.testing.assert_allclose(search.theta, ndtr(search.drawing.drawn_by - search.drawing.cut))
    assert (search.decided == (np.abs(search.drawing.drawn_by - search.drawing.cut) >= DECIDED)).all()


@pytest.mark.parametrize("dearest", [1.0, 1e20, 1e60, 1e100])
@pytest.mark.parametrize("budget", [1e-3, 5.0, 15.9, 1e300])
def test_costs_of_any_range_have_a_cut(dearest, budget):
    search = optimizer(np.linspace(-3, 3, 5), budget, [1, 10, dearest, 2, 3])
    assert np.isfinite(search.drawing.cut)
    assert ((search.theta >= 0.02) & (search.theta <= 0.98)).all()


def test_a_cut_among_no_features_is_harmless():
    assert cut_at(np.empty(0), np.empty(0), 1.0) == 0
    assert effect_share(np.empty(0), 0.5) == 0


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.9])
def test_noise_has_no_share_whatever_is_wanted(share):
    noise = np.random.default_rng(4).normal(size=20_000)
    assert effect_share(noise, share) < 0.05
    assert effect_share(5 * noise, share) == pytest.approx(0.96, abs=0.01)


def test_effects_that_are_almost_noise_count_nothing_in_the_ranking(monkeypatch):
    search = optimizer(np.arange(12.0) / 1e3, 5.0)
    run(search, by_place, 40)
    assert search.weight > LEAST_WEIGHT
    monkeypatch.setattr("puselect.search.effects.effect_share", lambda effects, share: 0.9 * LEAST_WEIGHT**0.5)
    search._forget_drawing()
    assert search.weight == 0
    np.testing.assert_array_equal(np.argsort(search.scores), np.arange(12))


def test_a_restored_search_goes_on_as_if_nothing_had_happened():
    one = run(optimizer(np.zeros(12), 5.0), by_place, 7)
    other = optimizer(np.zeros(12), 5.0, seed=99)
    other.restore(one.state())
    for search in (one, other):
        run(search, by_place, 5)
    np.testing.assert_array_equal(one.theta, other.theta)
    np.testing.assert_array_equal(one.scores, other.scores)


def test_what_is_drawn_follows_a_restored_state_and_exchanged_features():
    """Also if it was looked at before."""
    one, other = run(optimizer(np.zeros(12), 5.0), by_place, 40), optimizer(np.zeros(12), 5.0)
    assert not np.array_equal(one.theta, other.theta)
    other.restore(one.state())
    np.testing.assert_array_equal(one.theta, other.theta)
    fresh = np.arange(12.0) / 4
    one.exchange(np.ones(12), fresh, fresh, np.arange(12))
    np.testing.assert_array_equal(one.theta, optimizer(fresh, 5.0).theta)


@pytest.mark.parametrize(
    "damage",
    [
        {"gain": np.zeros(3)},
        {"variance": np.full(12, np.nan)},
        {"variance": -np.ones(12)},
        {"compared": np.zeros(3)},
        {"compared": np.full(4, np.nan)},
    ],
)
def test_a_damaged_state_is_refused(damage):
    search = optimizer(np.zeros(12), 5.0)
    with pytest.raises(ValueError):
        search.restore({**search.state(), **damage})
