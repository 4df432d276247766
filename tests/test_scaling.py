import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import MinMaxScaler

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.scaling import SCALES, ColumnRanges, RobustScaling, fit_scaling, scale_columns


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
    scaled = RobustScaling.of(X).scale(X)
    assert ((scaled >= 0) & (scaled <= 1)).all()
    for heavy in (2, 3):
        assert scaled[:, heavy].std() > 0.15 > 3 * scale_columns(X)[:, heavy].std()
    # the long side ends at two and a half of its own spreads, the other one where it is cut off
    np.testing.assert_allclose(np.quantile(scaled[:, 3], [0.005, 0.5, 0.84]), [0.0, 0.5, 0.7], atol=0.01)
    scaled, plain = RobustScaling.of(X).scale(X), scale_columns(X)
    np.testing.assert_allclose(scaled[:, 1], plain[:, 1], atol=0.01)
    for dummy in (4, 5):
        np.testing.assert_array_equal(scaled[:, dummy], plain[:, dummy])
    assert (scaled[:, 7] == 0.5).all()
    scaling = RobustScaling.of(columns_of_every_kind()).of_columns(np.arange(8) == 0)
    assert scaling.scale(np.array([[-1e308], [1e308]])).ravel().tolist() == [0.0, 1.0]
