import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import MinMaxScaler

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.scaling import ColumnRanges, check_unmasked, scale_columns


def test_ordinary_columns_are_scaled_as_scikit_learn_does():
    X = np.random.default_rng(0).normal(3, 5, (200, 7))
    np.testing.assert_allclose(scale_columns(X), MinMaxScaler().fit_transform(X), atol=1e-15)


def test_constant_columns_become_zero():
    assert (scale_columns(np.full((5, 2), 7.5)) == 0).all()


@pytest.mark.parametrize("unit", [1e-308, 1e-30, 1.0, 1e30, 1e308])
def test_no_unit_is_too_small_or_too_large(unit):
    column = np.array([-1.0, -0.5, 0.0, 0.5, 1.0]) * unit
    np.testing.assert_allclose(scale_columns(column[:, None])[:, 0], [0, 0.25, 0.5, 0.75, 1], rtol=1e-12)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=20))
def test_every_finite_column_ends_up_between_zero_and_one(values):
    column = np.array(values)[:, None]
    before = column.copy()
    for dtype in (np.float64, np.float32):
        scaled = scale_columns(column, dtype)
        assert scaled.min() >= 0
        assert scaled.max() <= 1
    np.testing.assert_array_equal(column, before)


def test_ranges_of_one_table_scale_it_and_others():
    X = np.random.default_rng(0).normal(3, 5, (200, 7))
    X[:, 2] = 4.0
    ranges = ColumnRanges.of(X)
    np.testing.assert_array_equal(ranges.scale(X), scale_columns(X))
    np.testing.assert_array_equal(ranges.scale(X[:50]), scale_columns(X)[:50])


def test_rows_far_from_the_ranges_stay_finite():
    ranges = ColumnRanges.of(np.array([[0.0, -1e308], [1e-30, 1e308]]))
    scaled = ranges.scale(np.array([[1e308, 0.0], [-1e308, 1e308]]))
    np.testing.assert_allclose(scaled, [[1e6, 0.5], [-1e6, 1.0]])


def test_masked_values_are_refused_not_read():
    check_unmasked(np.ma.array([[1.0, 2.0]]))
    with pytest.raises(ValueError, match="masked"):
        check_unmasked(np.ma.array([[1.0, 2.0]], mask=[[True, False]]))


def test_selectors_refuse_masked_values():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) < 5
    fitted = FSCPU(2, max_iter=1, random_state=0).fit(np.ma.array(X), y)
    masked = np.ma.array(X, mask=X > 1)
    for work in (fitted.candidate_positives, lambda table: FSCPU(2).fit(table, y), lambda t: KBest(2).fit(t, y)):
        with pytest.raises(ValueError, match="masked"):
            work(masked)
