import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csc_array

from puselect import FSCPU, Preparer
from puselect.datasets import make_pu_clusters
from puselect.exceptions import MissingValuesWarning
from puselect.selectors.diagnosis import MOST_ROWS, column_medians, filled


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_pu_clusters("40/3/1", n_negative=300, n_positive=60, n_relevant=4, n_irrelevant=4, random_state=0)
    holes = X.copy()
    holes[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    return X, holes, y


def quick(**settings):
    return FSCPU(3, max_iter=8, random_state=0, **settings)


def fitted(X, y):
    with pytest.warns(MissingValuesWarning):
        return quick().fit(X, y)


def test_medians_stand_in_for_missing_values(data, tmp_path):
    _, holes, y = data
    whole = np.where(np.isnan(holes), np.nanmedian(holes, axis=0), holes)
    before, selector, other = holes.copy(), fitted(holes, y), quick().fit(whole, y)
    np.testing.assert_array_equal(selector.probabilities_, other.probabilities_)
    np.testing.assert_allclose(selector.medians_, np.nanmedian(holes, axis=0))
    np.testing.assert_array_equal(holes, before)
    assert selector.report(tmp_path / "report.html", holes, y).exists()
    np.testing.assert_array_equal(selector.candidate_positives(holes, y).rows, other.candidate_positives(whole, y).rows)


@pytest.mark.parametrize("frame", [np.array, pd.DataFrame, pl.DataFrame])
def test_missing_and_infinite_values_pass_through_transform(data, frame):
    _, holes, y = data
    selector = fitted(holes, y)
    odd = holes.copy()
    odd[:2] = [[np.inf], [-np.inf]]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X has feature names", UserWarning)  # of frames; the fit had none
        np.testing.assert_array_equal(np.asarray(selector.transform(frame(odd))), odd[:, selector.support_])
    with pytest.raises(ValueError, match="infinity"):
        selector.candidate_positives(odd)


def test_a_table_of_pyarrow_is_a_frame(data):
    pyarrow = pytest.importorskip("pyarrow")
    X, _, y = data
    table = pyarrow.table({f"c{j}": column for j, column in enumerate(X.T)})
    np.testing.assert_array_equal(quick().fit(table, y).support_, quick().fit(X, y).support_)
    with pytest.raises(ValueError, match="text in 'word'"):
        quick().fit(table.append_column("word", [["a"] * len(y)]), y)
    with pytest.raises(ValueError, match="Table"):
        Preparer().fit_transform(table)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_the_warning_names_the_columns_and_counts_the_cells(data, frame):
    X, _, y = data
    table = {f"x{j}": X[:, j].tolist() for j in range(4)}
    table["x2"][:3] = [None] * 3
    with pytest.warns(MissingValuesWarning, match="3 missing values in 'x2'"):
        quick().fit(frame(table), y)


def test_new_rows_get_the_medians_of_a_fit_on_whole_columns(data):
    X, holes, y = data
    selector = quick().fit(X, y)
    whole = np.where(np.isnan(holes), selector.medians_, holes)
    np.testing.assert_array_equal(selector.candidate_positives(holes).rows, selector.candidate_positives(whole).rows)


def test_a_column_without_values_counts_as_constant(data):
    X, _, y = data
    empty = X.copy()
    empty[:, 2] = np.nan
    selector = fitted(empty, y)
    assert not selector.support_[2]
    assert selector.medians_[2] == 0


def test_a_fit_on_a_sparse_table_has_no_medians_for_new_rows(data):
    X, holes, y = data
    selector = fitted(holes, y).fit(csc_array(X), y)
    assert selector.medians_ is None
    for refused in (selector.candidate_positives, lambda table: quick().fit(csc_array(table), y)):
        with pytest.raises(ValueError, match="NaN"):
            refused(holes)


def test_large_values_do_not_overflow():
    table = np.array([[1.7e308], [1.7e308], [np.nan]])
    assert filled(table, column_medians(table)).tolist() == [[1.7e308]] * 3


def test_medians_of_long_columns_are_those_of_spread_rows():
    table = np.arange(10.0 * MOST_ROWS)[:, None]
    assert column_medians(table) == pytest.approx(np.median(table), rel=1e-3)
    table[0] = np.nan
    assert column_medians(table) == np.nanmedian(table)
