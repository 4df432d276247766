import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.preprocessing import MinMaxScaler

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.scaling import BLOCK, SCALES, ColumnRanges, RobustScaling, fit_scaling, scale_columns


def test_ordinary_columns_are_scaled_as_scikit_learn_does():
    X = np.random.default_rng(0).normal(3, 5, (200, 7))
    X[:, 2] = 4.0  # becomes 0
    scaling = fit_scaling("minmax", X)
    np.testing.assert_allclose(scaling.scale(X), MinMaxScaler().fit_transform(X), atol=1e-12)
    np.testing.assert_array_equal(scaling.scale(X[:50]), scaling.scale(X)[:50])


@pytest.mark.parametrize("unit", [1e-308, 1e-30, 1.0, 1e30, 1e308])
def test_no_unit_is_too_small_or_too_large(unit):
    column = np.array([-1.0, -0.5, 0.0, 0.5, 1.0]) * unit
    np.testing.assert_allclose(scale_columns(column[:, None])[:, 0], [0, 0.25, 0.5, 0.75, 1], rtol=1e-12)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=20))
def test_every_finite_column_can_be_scaled_in_every_way(values):
    column = np.array(values)[:, None]
    before = column.copy()
    for name in SCALES:
        for dtype in (np.float64, np.float32):
            scaled = fit_scaling(name, column).scale(column, dtype)
            assert np.isfinite(scaled).all()
            assert ((scaled >= 0) & (scaled <= 1)).all()
    np.testing.assert_array_equal(column, before)


def test_rows_far_from_the_ranges_stay_finite():
    ranges = ColumnRanges.of(np.array([[0.0, -1e308], [1e-30, 1e308]]))
    scaled = ranges.scale(np.array([[1e308, 0.0], [-1e308, 1e308]]))
    np.testing.assert_allclose(scaled, [[1e6, 0.5], [-1e6, 1.0]])


def test_selectors_refuse_masked_values():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) < 5
    fitted = FSCPU(2, max_iter=1, random_state=0).fit(np.ma.array(X), y)
    masked = np.ma.array(X, mask=X > 1)
    for work in (fitted.candidate_positives, lambda table: FSCPU(2).fit(table, y), lambda t: KBest(2).fit(t, y)):
        with pytest.raises(ValueError, match="masked"):
            work(masked)


def columns_of_every_kind(n_rows=2000):
    rng = np.random.default_rng(1)
    return np.column_stack([
        rng.normal(size=n_rows),
        rng.uniform(size=n_rows),
        rng.standard_t(2, size=n_rows),
        np.exp(2 * rng.normal(size=n_rows)),
        rng.random(n_rows) < 0.03,
        rng.random(n_rows) < 0.002,
        rng.poisson(0.3, n_rows),
        np.full(n_rows, 3.0),
    ])  # fmt: skip


@pytest.mark.parametrize(("scale", "shift"), [(1e-8, 3.0), (-4.0, 1e3), (1e6, -1e9)])
def test_the_default_scaling_is_the_same_behind_any_affine_scaler(scale, shift):
    X = columns_of_every_kind()
    moved = X * scale + shift
    expected = RobustScaling.of(X).scale(X)
    found = RobustScaling.of(moved).scale(moved)
    varies = np.ptp(moved, axis=0) > 0
    np.testing.assert_allclose((found if scale > 0 else 1 - found)[:, varies], expected[:, varies], atol=1e-5)


def test_long_tails_do_not_squeeze_a_column_and_columns_without_are_left_alone():
    X = columns_of_every_kind()
    scaling = RobustScaling.of(X)
    scaled, plain = scaling.scale(X), scale_columns(X)
    for heavy in (2, 3):
        assert scaled[:, heavy].std() > 0.15 > 3 * plain[:, heavy].std()
        np.testing.assert_allclose(np.quantile(scaled[:, heavy], [0.005, 0.5, 0.995]), [0, 0.5, 1], atol=0.01)
    others = np.setdiff1d(np.arange(8), [2, 3])
    assert ((scaled[:, others] >= 0) & (scaled[:, others] <= 1)).all()
    low, high = np.quantile(X[:, 0], [0.005, 0.995])
    np.testing.assert_allclose(scaled[:, 0], np.clip((X[:, 0] - low) / (high - low), 0, 1), atol=1e-12)
    np.testing.assert_allclose(scaled[:, 1], plain[:, 1], atol=0.01)
    for dummy in (4, 5):
        np.testing.assert_array_equal(scaled[:, dummy], plain[:, dummy])
    assert (scaled[:, 7] == 0.5).all()
    ends = np.array([[-1e308], [1e308]])
    assert scaling.of_columns(np.arange(8) == 0).scale(ends).ravel().tolist() == [0.0, 1.0]
    heavy = scaling.of_columns(np.array([3])).scale(ends)
    assert heavy.ravel().tolist() == [scaled[:, 3].min(), scaled[:, 3].max()]


def long_tails(n_rows):
    rng = np.random.default_rng(2)
    amounts = np.exp(2 * rng.normal(size=n_rows))
    return {
        "log-normal": amounts,
        "Pareto": rng.pareto(0.5, n_rows),
        "t": -rng.standard_t(2, size=n_rows),
        "two thirds zero, or one": np.where(np.arange(n_rows) % 3, np.arange(n_rows) % 3 - 1, amounts),
        "rounded": np.floor(5 * amounts),
    }


@pytest.mark.parametrize("n_rows", [60, 2000, 40_000])
def test_columns_with_a_long_tail_become_the_normal_scores_of_their_ranks(n_rows):
    columns = long_tails(n_rows)
    X = np.column_stack(list(columns.values()))
    scaling = RobustScaling.of(X)
    assert None not in scaling.curves.tolist()
    expected = 0.5 + ndtri((rankdata(X, axis=0) - 0.5) / n_rows) / (2 * ndtri(0.995))
    found = scaling.scale(X)
    np.testing.assert_allclose(found, expected, atol=0.02)  # of 1.7 to 2.6 in all
    assert np.abs(found - expected).mean(axis=0).max() < 0.002
    for line, want, own in zip(X.T, expected.T, found.T, strict=True):
        values, first, number = np.unique(line, return_index=True, return_counts=True)
        often = np.flatnonzero(number > n_rows / 20)
        exact = first[np.clip([0, len(values) - 1, *often - 1, *often, *often + 1], 0, len(values) - 1)]
        np.testing.assert_allclose(own[exact], want[exact], atol=1e-9)
        assert (np.diff(own[first]) > 0).all()


def test_rows_of_a_table_are_scaled_as_the_table():
    X = np.column_stack([columns_of_every_kind(BLOCK + 500), *long_tails(BLOCK + 500).values()])
    rows = np.arange(0, len(X), 7)
    for table in (X, X.astype(np.float32)):
        scaling = RobustScaling.of(table)
        scaled = scaling.scale(table)
        np.testing.assert_array_equal(scaling.scale(table[rows]), scaled[rows])
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(scaling)).scale(table), scaled)
        np.testing.assert_array_equal(scaling.of_columns(np.array([9, 0])).scale(table[:, [9, 0]]), scaled[:, [9, 0]])
        np.testing.assert_array_equal(RobustScaling.of(table, 2).scale(table, n_threads=2), scaled)
        np.testing.assert_array_equal(RobustScaling.of(table.astype(np.float64)).scale(table), scaled)


@pytest.mark.parametrize(
    ("body", "far"),
    [
        (np.linspace(-1, 1, 200), [-1e300, 1e300]),
        (np.linspace(-1e-300, 1e-300, 200), [-1e308, 1e308]),
        (np.linspace(-1e-320, 1e-320, 200), [1e-310, 1e-300]),
        (np.linspace(-1e306, 1e306, 200), [-1.79e308, 1.79e308]),
        (np.concatenate([np.linspace(-1, -0.1, 80), np.arange(-20, 20) * 1e-320, np.linspace(0.1, 1, 80)]), [50, 60]),
    ],
)
def test_tails_of_any_length_stay_finite_and_in_order(body, far):
    column = np.sort(np.concatenate([body, np.repeat(far, 5)]))[:, None]
    scaling = RobustScaling.of(column)
    assert np.isfinite(scaling.curves[0].knots).all(), "a saved model cannot hold others"
    between = np.sort(np.concatenate([column / 2, column, column * 0.999]), axis=0)
    for table in (column, between):
        scaled = scaling.scale(table)
        assert (np.abs(scaled - 0.5) < 1).all()
        assert (np.diff(scaled[:, 0]) >= 0).all()
    assert len(np.unique(scaling.scale(column))) > 150
