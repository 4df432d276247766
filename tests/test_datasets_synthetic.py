"""Artificial tables: the paper's bit for bit, each law of irrelevant columns, labels."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import kstest, lognorm, norm, t, uniform

from puselect.datasets import CONDITIONS, LAWS, hide_labels, make_pu_clusters


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_condition_has_the_size_and_labels_of_the_paper(condition):
    X, y, relevant, classes = make_pu_clusters(condition, return_classes=True, random_state=3)
    assert X.shape == (4500, 50)
    assert X.dtype == np.float64
    assert relevant.dtype == bool
    assert relevant.sum() == 25
    assert classes.sum() == 500
    assert y.sum() == (200 if condition.startswith("40") else 50)
    assert set(np.unique(y)) == {0, 1}
    assert (classes[y == 1] == 1).all()


@pytest.mark.parametrize(
    ("condition", "n_labelled"),
    [("2/8/2", 10), ("0.6/3/1", 3), ("0.01/1/1", 1), ("100/2/2", 500), ("12.5/outlier", 62)],
)
def test_any_percentage_labels_that_share_of_the_positives(condition, n_labelled):
    assert make_pu_clusters(condition, random_state=0)[1].sum() == n_labelled


@pytest.mark.parametrize("source", [np.random.RandomState, np.random.default_rng])
def test_generators_are_accepted_and_advance_and_the_global_one_is_left_alone(source):
    generator = source(7)
    first, second = make_pu_clusters(random_state=generator), make_pu_clusters(random_state=generator)
    again = make_pu_clusters(random_state=source(7))
    np.testing.assert_array_equal(first[0], again[0])
    assert (first[0] != second[0]).any()
    np.random.seed(0)  # noqa: NPY002
    expected = np.random.random_sample(3)  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    make_pu_clusters(random_state=0)
    make_pu_clusters(random_state=None)
    np.testing.assert_array_equal(np.random.random_sample(3), expected)  # noqa: NPY002


@pytest.mark.parametrize("label_bias", [1, 9])
def test_percentage_changes_only_which_positives_are_labelled(label_bias):
    X, few, _ = make_pu_clusters("10/8/2", label_bias=label_bias, random_state=0)
    X_again, many, _ = make_pu_clusters("40/8/2", label_bias=label_bias, random_state=0)
    np.testing.assert_array_equal(X, X_again)
    assert (few <= many).all()


def test_outliers_are_the_rows_of_largest_norm_in_no_order():
    X, _, relevant, classes = make_pu_clusters("40/outlier", return_classes=True, random_state=2)
    norms = np.linalg.norm(X[:, relevant], axis=1)
    assert norms[classes == 1].min() > norms[classes == 0].max()
    assert kstest(X[:, relevant].ravel(), norm(0, 5).cdf).pvalue > 1e-3
    assert X[:, relevant].var() == pytest.approx(25, rel=0.02)
    X, _, relevant, classes = make_pu_clusters("40/outlier", shuffle=False, return_classes=True, random_state=0)
    for rows in (X[classes == 0], X[classes == 1]):
        ranks = np.argsort(np.argsort(np.linalg.norm(rows[:, relevant], axis=1)))
        assert abs(np.corrcoef(ranks, np.arange(len(rows)))[0, 1]) < 4.5 / np.sqrt(len(rows))


@pytest.mark.parametrize(
    ("n_irrelevant", "n_redundant", "n_copies"), [(25, None, 5), (43, None, 8), (6, 3, 3), (10, 0, 0)]
)
def test_each_redundant_column_copies_one_irrelevant_column_of_its_own(n_irrelevant, n_redundant, n_copies):
    columns = {"n_irrelevant": n_irrelevant, "n_redundant": n_redundant}
    X, _, relevant = make_pu_clusters("10/8/2", **columns, shuffle=False, random_state=0)
    noise = X[:, ~relevant]
    related = np.triu(np.abs(np.corrcoef(noise, rowvar=False)) > 0.5, k=1)
    copied, copies = np.nonzero(related)
    assert len(copies) == n_copies
    assert len({*copied, *copies}) == 2 * n_copies


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(
            ({"condition": name}, r"condition must look like '10/8/2'.*got")
            for name in ("", "10", "10/8", "10/8/2/1", "ten/8/2", "10/8/x", "-5/8/2", "10/1.5/2", "10/outliers")
        ),
        *(({"condition": name}, r"\(0, 100\], got") for name in ("0/8/2", "100.5/8/2", "0/outlier", "900/outlier")),
        *(
            ({name: count}, f"{name} must be an integer of at least 1, got {count}")
            for name in ("n_negative", "n_positive", "n_relevant", "n_irrelevant")
            for count in (0, 2.5)
        ),
        *(({"n_redundant": n}, r"n_redundant must be an integer in 0\.\.12.*got") for n in (13, -1, 1.0)),
        ({"condition": "10/0/1"}, r"negative clusters of condition must be an integer in 1\.\.\d+, got"),
        ({"condition": "10/8/6", "n_positive": 5}, r"positive clusters of condition must be an integer in 1\.\.5, got"),
        ({"label_bias": 0.5}, "label_bias must be a number in"),
        ({"noise": "cauchy"}, r"noise must be one of 'uniform', .*'cauchy'"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_pu_clusters(**options)


@pytest.mark.parametrize(("rate", "n_labelled"), [(0.03, 54), (0.15, 272), (0.5, 906), (1, 1813), (1e-6, 1)])
def test_hiding_keeps_exactly_the_rounded_share(rate, n_labelled):
    classes = np.repeat([1, 0], [1813, 2788])
    labels = hide_labels(classes, rate, random_state=0)
    assert labels.dtype == np.int64
    assert labels.sum() == n_labelled
    assert not labels[1813:].any()
    assert classes.sum() == 1813


def test_hiding_prefers_no_positive_and_any_class_can_be_the_positive_one():
    classes = np.tile([0, 1], 20)
    share = np.mean([hide_labels(classes, 0.25, random_state=seed) for seed in range(1000)], axis=0)
    assert np.abs(share[1::2] - 0.25).max() < 4.5 * np.sqrt(0.25 * 0.75 / 1000)
    assert hide_labels(["g", "b", "g"], 1, pos_label="b").tolist() == [0, 1, 0]
    assert hide_labels([0, 1, 1], 1, pos_label=0).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("classes", "rate", "message"),
    [
        *(([0, 1], rate, r"rate must be a number in 0..1, got") for rate in (0, -0.1, 1.01, float("nan"))),
        ([0, 2], 0.5, "at least one positive"),
        ([[0], [1]], 0.5, r"one-dimensional, got shape \(2, 1\)"),
    ],
)
def test_what_cannot_be_hidden_is_refused(classes, rate, message):
    with pytest.raises(ValueError, match=message):
        hide_labels(classes, rate)


@pytest.mark.parametrize(("condition", "first"), [("4/8/2", slice(4000, 4250)), ("4/outlier", None)])
def test_labels_prefer_one_cluster(condition, first):
    share = []
    for seed in range(50):
        options = {"label_bias": 9.0, "n_relevant": 3, "n_irrelevant": 3, "shuffle": False}
        X, y, _ = make_pu_clusters(condition, **options, random_state=seed)
        assert y.sum() == 20
        assert not y[:4000].any()
        share.append(y[first].mean() * 250 / 20 if first else (X[y == 1, 0] > 0).mean())
    # Half of the rows with nine times the weight of the others; drawing without replacement lowers it a little.
    assert np.mean(share) == pytest.approx(0.895, abs=0.03)


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


@pytest.mark.parametrize("condition", [f"{percent}/{n}/{p}" for percent in (40, 10) for n in (8, 1) for p in (1, 2)])
def test_uniform_law_gives_the_data_of_the_paper_bit_for_bit(condition):
    assert condition in CONDITIONS
    percent, *clusters = map(int, condition.split("/"))
    expected = paper_table(percent, tuple(clusters), seed=7)
    for made, plain in zip(make_pu_clusters(condition, random_state=7), expected, strict=True):
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
