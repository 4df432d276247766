"""What `make_pu_clusters` can add of real tables: each parameter against its law, and all of them together."""

import numpy as np
import pytest

from puselect.datasets import LAWS, make_pu_clusters
from puselect.datasets.columns import WEAK_FACTOR

KNOBS = {
    "cluster_balance": 0.5,
    "shape_spread": 0.5,
    "correlation": 0.6,
    "weak_share": 0.4,
    "discrete_share": 0.4,
    "scale_spread": 2.0,
    "label_bias": 9.0,
}


def draw(condition: str = "10/8/2", **options: object) -> tuple[np.ndarray, ...]:
    """Table, labels, relevant columns and classes of unshuffled data."""
    defaults = {"shuffle": False, "return_classes": True, "random_state": 0}
    return make_pu_clusters(condition, **{**defaults, **options})


def signal(condition: str, **options: object) -> np.ndarray:
    X, _, relevant, _ = draw(condition, **options)
    return X[:, relevant]


def test_each_cluster_has_a_share_of_the_rows_of_the_one_before():
    rows = signal("10/4/2", cluster_balance=0.5, n_relevant=400)
    near = ((rows[:-1] - rows[1:]) ** 2).sum(axis=1) < 28 * 400
    starts = np.flatnonzero(~near) + 1
    sizes = np.diff([0, *starts, 4500])
    np.testing.assert_allclose(sizes[:4], 4000 / 15 * np.array([8, 4, 2, 1]), atol=3)
    np.testing.assert_allclose(sizes[4:], 500 / 3 * np.array([2, 1]), atol=3)
    few = draw("50/8/5", cluster_balance=0.01, n_negative=9, n_positive=5)[0]
    assert few.shape == (14, 50), "even the smallest cluster has a row"


def test_shapes_spread_by_a_lognormal_factor():
    clusters = signal("10/8/2", shape_spread=0.5, n_relevant=200)[:4000].reshape(8, 500, 200)
    factors = np.log(clusters.std(axis=1) / np.sqrt(10))
    assert factors.mean() == pytest.approx(0, abs=0.06)
    assert factors.std() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("condition", ["10/1/1", "10/outlier"])
def test_relevant_columns_correlate_within_a_cluster(condition):
    negatives = signal(condition, correlation=0.6, n_positive=1)[:4000]
    pairs = np.corrcoef(negatives, rowvar=False)[np.triu_indices(25, k=1)]
    np.testing.assert_allclose(np.abs(pairs), 0.6, atol=0.06)
    assert (pairs < 0).any()
    assert (pairs > 0).any()
    assert negatives.var(axis=0).mean() == pytest.approx(10 if condition == "10/1/1" else 25, rel=0.05)


def test_weak_columns_have_small_shifts():
    means = signal("10/8/2", weak_share=0.4, n_relevant=100)[:4000].reshape(8, 500, 100).mean(axis=1)
    largest = np.sort(np.abs(means).max(axis=0))
    assert largest[:40].max() < 5 * WEAK_FACTOR + 4.5 * np.sqrt(10 / 500)
    assert largest[40] > 5 * WEAK_FACTOR + 4.5 * np.sqrt(10 / 500)
    assert largest[40:].mean() == pytest.approx(5 * 8 / 9, rel=0.1)


def test_weak_columns_count_less_among_outliers():
    X, _, relevant, classes = draw("10/outlier", weak_share=0.4)
    excess = np.sort(X[classes == 1][:, relevant].var(axis=0) / X[:, relevant].var(axis=0))
    assert excess[:10].max() < 1.25
    assert excess[10:].min() > 1.25


def test_a_share_of_both_kinds_of_columns_is_discrete():
    X, _, relevant, _ = draw(discrete_share=0.4)
    is_integer = (np.rint(X) == X).all(axis=0)
    is_binary = np.isin(X, (0, 1)).all(axis=0)
    for kind in (relevant, ~relevant):
        assert is_integer[kind].sum() == 10
        assert is_binary[kind].sum() == 5
    ones = X[:, is_binary].mean(axis=0)
    assert ((ones > 0.049) & (ones < 0.501)).all()
    assert ones.std() > 0.05
    plain = draw()[0]
    rounded = is_integer & ~is_binary
    np.testing.assert_array_equal(X[:, rounded], np.rint(plain[:, rounded]))
    np.testing.assert_array_equal(X[:, ~is_integer], plain[:, ~is_integer])


def test_scales_of_columns_spread_over_powers_of_ten():
    X, plain = draw(scale_spread=2, n_irrelevant=400)[0], draw(n_irrelevant=400)[0]
    exponents = np.log10(X / plain)
    np.testing.assert_allclose(exponents, np.broadcast_to(exponents[0], exponents.shape), atol=1e-9)
    assert -2 <= exponents.min() < -1.9
    assert 1.9 < exponents.max() <= 2
    assert exponents[0].std() == pytest.approx(4 / np.sqrt(12), rel=0.1)


@pytest.mark.parametrize(("condition", "first"), [("4/8/2", slice(4000, 4250)), ("4/outlier", None)])
def test_labels_prefer_one_cluster(condition, first):
    share = []
    for seed in range(50):
        X, y, _, _ = draw(condition, label_bias=9.0, random_state=seed, n_relevant=3, n_irrelevant=3)
        assert y.sum() == 20
        assert not y[:4000].any()
        favoured = np.flatnonzero(y)
        share.append(y[first].mean() * 250 / 20 if first else (X[favoured, 0] > 0).mean())
    # Half of the rows with nine times the weight of the others; drawing without replacement lowers it a little.
    assert np.mean(share) == pytest.approx(0.895, abs=0.03)


def test_percentage_changes_only_the_labels_with_every_knob():
    X, few, _, _ = draw("10/8/2", **KNOBS, shuffle=True)
    X_again, many, _, _ = draw("40/8/2", **KNOBS, shuffle=True)
    np.testing.assert_array_equal(X, X_again)
    assert (few <= many).all()
    assert (few.sum(), many.sum()) == (50, 200)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("condition", ["10/8/2", "40/1/1", "10/outlier"])
def test_knobs_combine_with_every_law(condition, law):
    options = {"noise": law, "n_negative": 150, "n_positive": 40, "n_irrelevant": 30, "random_state": 1}
    X, y, relevant, classes = draw(condition, **KNOBS, **options, shuffle=True)
    assert X.shape == (190, 55)
    assert np.isfinite(X).all()
    assert (X.std(axis=0) > 0).all()
    assert relevant.sum() == 25
    assert classes.sum() == 40
    assert y.sum() == (16 if condition.startswith("40") else 4)
    assert (classes[y == 1] == 1).all()
    again = draw(condition, **KNOBS, **options, shuffle=True)
    np.testing.assert_array_equal(X, again[0])


@pytest.mark.parametrize("name", KNOBS)
@pytest.mark.parametrize("value", [-0.1, float("nan"), 1e7, "much"])
def test_knobs_have_bounds(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a number in"):
        make_pu_clusters(**{name: value})
