import numpy as np
from scipy.stats import multivariate_normal

from puselect.clustering.mixture import Mixture, MixtureSpec, group_moments, shape_covariances
from puselect.clustering.reference import HardMixture


def blobs(seed=0, n=300, n_features=4):
    rng = np.random.default_rng(seed)
    centres = rng.uniform(0, 1, (3, n_features))
    return centres[np.arange(n) % 3] + rng.normal(0, 0.05, (n, n_features))


def test_rows_are_placed_in_the_cluster_of_the_highest_weight_times_density():
    X = blobs(1)
    size, means, cov = group_moments(X, np.arange(len(X)) % 3, X[:3])
    density = [size[c] / size.sum() * multivariate_normal(means[c], cov[c]).pdf(X) for c in range(3)]
    mixture = Mixture.of(size, means, np.linalg.inv(np.linalg.cholesky(cov)))
    np.testing.assert_array_equal(mixture.place(X), np.argmax(density, axis=0))


def test_full_covariance_is_numpys():
    X = blobs(2)
    labels = np.arange(len(X)) % 3
    size, _, cov = group_moments(X, labels, X[:3])
    np.testing.assert_array_equal(shape_covariances(cov, size, MixtureSpec(em_steps=1)), cov)
    for c in range(3):
        np.testing.assert_allclose(cov[c], np.cov(X[labels == c].T, bias=True))


def test_a_cluster_with_fewer_rows_than_features_gets_the_pooled_variances():
    X = blobs(3)
    size, _, cov = group_moments(X, (np.arange(len(X)) < 2).astype(int), X[:2])
    cov = shape_covariances(cov, size, MixtureSpec())
    off = cov[1] - np.diag(np.diag(cov[1]))
    assert (off == 0).all()
    assert np.diag(cov[1]).min() > 1e-3
    assert np.linalg.cond(cov[1]) < 100


def test_separated_blobs_are_found_in_one_step():
    X = blobs(4)
    seeds = (HardMixture(MixtureSpec(n_clusters=3), seed).fit(X).labels_ for seed in range(20))
    assert any(len({*zip(labels, np.arange(len(X)) % 3, strict=True)}) == len(set(labels)) == 3 for labels in seeds)
