import numpy as np
import pytest
from scipy.stats import skew

from puselect.datasets.fraud import FRAUD_COLUMNS, fraud_arrays


@pytest.fixture(scope="module")
def table():
    """Unshuffled: relevant columns and positive rows come first."""
    return fraud_arrays(np.random.default_rng(0), shuffle=False)[:4]


def columns_named(table, kind):
    return table[0][:, [name.startswith(kind) for name in FRAUD_COLUMNS]]


def test_table_has_the_size_and_labels_it_promises(table):
    X, y, relevant, classes = table
    assert X.shape == (30_000, len(set(FRAUD_COLUMNS))) == (30_000, 40)
    assert np.isfinite(X).all()
    assert (y.sum(), classes.sum(), relevant.sum(), relevant[:8].sum()) == (60, 900, 8, 8)
    assert (classes[y == 1] == 1).all()


def test_columns_have_the_shapes_of_real_ones(table):
    amounts, counts, imputed = (columns_named(table, kind) for kind in ("amount", "count", "imputed"))
    assert amounts.shape[1] == 11
    assert (skew(amounts) > 3).all()
    assert (counts == np.rint(counts)).all()
    assert (counts >= 0).all()
    most_common = [np.unique(column, return_counts=True)[1].max() for column in imputed.T]
    np.testing.assert_allclose(most_common, 0.15 * 30_000, rtol=0.05)
    dummies = columns_named(table, "dummy")
    assert np.isin(dummies, (0, 1)).all()
    np.testing.assert_allclose(dummies.mean(axis=0), 0.03, atol=0.005)


def test_three_clusters_of_positives_differ_in_five_columns_each(table):
    X, _, _, _ = table
    ranks = np.argsort(np.argsort(X[:, :8], axis=0), axis=0) / 30_000
    for cluster, columns in enumerate([(0, 1, 2, 3, 4), (2, 3, 4, 5, 6), (4, 5, 6, 7, 0)]):
        shift = np.abs(ranks[cluster:900:3].mean(axis=0) - 0.5)
        assert set(np.flatnonzero(shift > 0.15)) == set(columns)


def test_other_columns_say_nothing_about_the_class(table):
    X, _, relevant, classes = table
    Z = X[:, ~relevant]
    gap = Z[classes == 1].mean(axis=0) - Z[classes == 0].mean(axis=0)
    assert np.abs(gap / Z.std(axis=0)).max() < 4.5 / np.sqrt(900)
