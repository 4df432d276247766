"""Irrelevant columns of `make_pu_clusters`: each law, and that the uniform one is the paper's, bit for bit."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import kstest, lognorm, norm, t, uniform

from puselect.datasets import CONDITIONS, LAWS, make_pu_clusters

PLAIN = {"gaussian": norm(0, 4), "heavy": t(3, 0, 3), "uniform": uniform(-10, 20), "skewed": lognorm(1.2)}


def draw(law: str, **options: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Relevant block, irrelevant block and classes of unshuffled data."""
    X, _, relevant, classes = make_pu_clusters(
        "10/8/2", noise=law, shuffle=False, return_classes=True, random_state=0, **options
    )
    return X[:, relevant], X[:, ~relevant], classes


def paper_table(percent: float, clusters: tuple[int, int], seed: int) -> tuple[np.ndarray, ...]:
    """The paper's data with clusters, written down plainly."""
    rng = np.random.default_rng(seed)
    blocks = []
    for n_rows, n_clusters in zip((4000, 500), clusters, strict=True):
        means = rng.uniform(-5, 5, (n_clusters, 25))
        blocks.append(means[np.arange(n_rows) * n_clusters // n_rows] + rng.normal(0, np.sqrt(10), (n_rows, 25)))
    noise = rng.uniform(-10, 10, (4500, 20))
    copied = rng.permutation(20)[:5]
    X = np.hstack([np.vstack(blocks), noise, noise[:, copied] + rng.normal(0, 1, (4500, 5))])
    rows, columns = rng.permutation(4500), rng.permutation(50)
    y = np.zeros(4500, dtype=int)
    y[rng.permutation(np.flatnonzero(rows >= 4000))[: round(percent * 5)]] = 1
    return X[np.ix_(rows, columns)], y, columns < 25


@pytest.mark.parametrize("options", [{}, {"noise": "uniform"}])
@pytest.mark.parametrize("condition", [name for name in CONDITIONS if "outlier" not in name])
def test_uniform_law_gives_the_data_of_the_paper_bit_for_bit(condition, options):
    percent, *clusters = map(int, condition.split("/"))
    expected = paper_table(percent, tuple(clusters), seed=7)
    for made, plain in zip(make_pu_clusters(condition, random_state=7, **options), expected, strict=True):
        np.testing.assert_array_equal(made, plain)


@pytest.mark.parametrize("law", LAWS)
def test_laws_change_only_the_irrelevant_columns(law):
    relevant, irrelevant, classes = draw(law)
    paper, _, _ = draw("uniform")
    np.testing.assert_array_equal(relevant, paper)
    assert irrelevant.shape == (4500, 25)
    assert np.isfinite(irrelevant).all()
    ranks = np.argsort(np.argsort(irrelevant, axis=0), axis=0) / 4500
    assert np.abs(ranks[classes == 1].mean(axis=0) - 0.5).max() < 4.5 / np.sqrt(12 * 500)


@pytest.mark.parametrize("law", [law for law in LAWS if law not in ("uniform", "correlated")])
def test_only_the_uniform_law_has_redundant_columns_unless_asked_for(law):
    for n_redundant, expected in [(None, 0), (4, 4)]:
        _, columns, _ = draw(law, n_redundant=n_redundant)
        differences = columns[:, None, :-4] - columns[:, -4:, None]
        assert (np.abs(differences.var(axis=0) - 1) < 0.15).sum() == expected


@pytest.mark.parametrize("law", PLAIN)
def test_independent_laws_have_their_distribution(law):
    _, columns, _ = draw(law, n_redundant=0)
    assert kstest(columns[::3].ravel(), PLAIN[law].cdf).pvalue > 1e-3
    assert np.abs(np.corrcoef(columns, rowvar=False) - np.eye(25)).max() < 0.3


def test_nuisance_columns_share_six_clusters_that_ignore_the_class():
    _, columns, classes = draw("nuisance", n_irrelevant=2000, n_negative=150, n_positive=150)
    # Squared distance between two rows: 20 per column within a cluster, 20 + 100 / 6 on average between clusters.
    squared = squareform(pdist(columns, "sqeuclidean")) / 2000
    groups = [list(group) for group in {tuple(np.flatnonzero(near)) for near in squared < 28}]
    assert len(groups) == 6
    assert sum(map(len, groups)) == 300
    within = [columns[group] - columns[group].mean(axis=0) for group in groups]
    assert sum((part**2).sum() for part in within) / (294 * 2000) == pytest.approx(10, rel=0.02)
    for group in groups:
        assert classes[group].mean() == pytest.approx(0.5, abs=4.5 * 0.5 / np.sqrt(len(group)))


def test_correlated_columns_have_five_factors_and_noise_of_variance_four():
    _, columns, _ = draw("correlated", n_irrelevant=200)
    values = np.sort(np.linalg.eigvalsh(np.cov(columns, rowvar=False)))[::-1]
    assert values[4] > 10 * values[5]
    assert values[5:].mean() == pytest.approx(4, rel=0.05)
    # Five loadings of variance 4 and the noise.
    assert columns.var() == pytest.approx(24, rel=0.1)


@pytest.mark.parametrize("n_irrelevant", [10, 25, 60])
def test_permuted_columns_are_relevant_ones_in_another_order(n_irrelevant):
    relevant, columns, _ = draw("permuted", n_irrelevant=n_irrelevant)
    values = {tuple(column): number for number, column in enumerate(np.sort(relevant, axis=0).T)}
    origins = [values[tuple(column)] for column in np.sort(columns, axis=0).T]
    counts = np.bincount(origins, minlength=25)
    assert counts.max() - counts.min() <= 1
    pairs = zip(relevant[:, origins].T, columns.T, strict=True)
    correlation = [np.corrcoef(*pair)[0, 1] for pair in pairs]
    assert np.abs(correlation).max() < 4.5 / np.sqrt(4500)
