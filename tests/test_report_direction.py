import numpy as np
import pytest

from puselect.report.direction import Direction, Where, compare, compare_shares, rank_shares

RNG = np.random.default_rng(0)
OTHERS = RNG.normal(size=2000)


@pytest.mark.parametrize(("values", "code", "phrase"), [
    (lambda n: RNG.normal(0, 1, n), Where.SIMILAR, "no clear difference"),
    (lambda n: RNG.normal(0.4, 1, n), Where.HIGH, "slightly high"),
    (lambda n: RNG.normal(0.8, 1, n), Where.HIGH, "high"),
    (lambda n: RNG.normal(-3, 1, n), Where.LOW, "very low"),
    (lambda n: RNG.choice([-3, 3], n) + RNG.normal(0, 0.2, n), Where.ENDS, "very low or very high"),
])  # fmt: skip
def test_a_phrase_says_where_values_lie(values, code, phrase):
    found = compare(values(150), OTHERS)
    assert (found.code, str(found)) == (code, phrase)
    assert found.is_clear == (code is not Where.SIMILAR)


def test_a_part_that_is_more_frequent_has_its_bounds():
    half, rest = RNG.uniform(0.63, 0.74, 60), RNG.uniform(0, 1, 100)
    assert compare(RNG.normal(0, 0.2, 150), OTHERS).code == Where.RANGE
    found = compare(np.concatenate([half, rest]), RNG.uniform(0, 1, 3000))
    assert found.code == Where.RANGE
    assert (found.low, found.high) == pytest.approx((0.625, 0.75), abs=0.02)
    lowest = compare(np.concatenate([RNG.uniform(0, 0.1, 70), RNG.uniform(0.3, 1, 90)]), RNG.uniform(0, 1, 3000))
    assert (lowest.code, lowest.low) == (Where.RANGE, None)
    assert "below" in str(lowest)


@pytest.mark.parametrize(("n_have", "share", "phrase"), [
    (30, 0.1, "more often: 30 of 60 known"),
    (3, 0.5, "less often: 3 of 60 known"),
    (0, 0.5, "0 of 60 known have it"),
    (60, 0.5, "all 60 known have it"),
    (30, 0.5, "no clear difference"),
    (0, 0.02, "no clear difference"),  # so would chance
])  # fmt: skip
def test_zeros_and_ones_are_counted_and_never_in_the_middle(n_have, share, phrase):
    inside = np.arange(60) < n_have
    outside = np.arange(1000) < 1000 * share
    assert str(compare(inside.astype(float), outside.astype(float))) == phrase


def test_other_two_values_and_few_values_go_by_their_names():
    inside, outside = np.repeat([1.0, 2.0], [50, 10]), np.repeat([1.0, 2.0], [100, 900])
    assert str(compare(inside, outside)) == "more often 1"
    spiky = np.concatenate([np.zeros(600), RNG.lognormal(1, 1, 1400)])
    mostly_zero = np.concatenate([np.zeros(45), RNG.lognormal(1, 1, 25)])
    assert compare(mostly_zero, spiky).code in (Where.MORE, Where.LOW)


def test_few_rows_prove_nothing():
    assert not compare(np.array([0.1, 0.2, 0.9]), np.linspace(0, 1, 500)).is_clear
    assert not compare(np.array([1.0, 1.0]), (np.arange(100) < 30).astype(float)).is_clear


def test_of_categories_the_one_that_differs_most_is_named():
    more = compare_shares(np.array([40, 10, 10]), 60, np.array([0.2, 0.4, 0.4]), ["web", "shop", "app"])
    assert (str(more), more.n_inside, more.n_rows) == ("more often web", 40, 60)
    less = compare_shares(np.array([0, 30, 30]), 60, np.array([0.5, 0.25, 0.25]), ["web", "shop", "app"])
    assert str(less) == "never web: 0 of 60 known have it"
    assert not compare_shares(np.array([20, 20, 20]), 60, np.full(3, 1 / 3), ["a", "b", "c"]).is_clear


def test_rank_shares_are_those_of_all_pairs():
    a, b = RNG.integers(0, 9, 50).astype(float), RNG.integers(0, 9, 70).astype(float)
    pairs = (a[:, None] > b).mean(axis=1) + (a[:, None] == b).mean(axis=1) / 2
    np.testing.assert_allclose(rank_shares(a, b), pairs)


def test_bounds_of_dates_are_dates():
    assert str(Direction("range", low=19753.0, high=19760.0, is_date=True)) == "more often 2024-01-31 to 2024-02-07"
