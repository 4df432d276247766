import numpy as np
import pytest
from scipy.stats import kstest, norm, uniform
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.preprocessing import minmax_scale

from puselect.datasets import CONDITIONS, hide_labels, make_pu_clusters


def columns_in_order(condition: str, **options: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Relevant block, irrelevant block and classes of unshuffled data."""
    X, _, relevant, classes = make_pu_clusters(
        condition, shuffle=False, return_classes=True, random_state=0, **options
    )
    return X[:, relevant], X[:, ~relevant], classes


def group_sizes(rows: np.ndarray, squared_radius: float) -> list[int]:
    """Sizes of the groups of rows that lie within a radius of each other."""
    squared = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    return sorted(len(group) for group in {tuple(np.flatnonzero(near)) for near in squared < squared_radius})


def kbest_recall(condition: str, seed: int) -> float:
    X, y, relevant = make_pu_clusters(condition, random_state=seed)
    chosen = SelectKBest(chi2, k=25).fit(minmax_scale(X), y).get_support()
    return relevant[chosen].sum() / relevant.sum()


def test_conditions_are_the_ten_of_the_paper():
    cluster = [f"{percent}/{n}/{p}" for percent in (40, 10) for n in (8, 1) for p in (1, 2)]
    assert list(CONDITIONS) == [*cluster, "40/outlier", "10/outlier"]


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


def test_sizes_are_the_users_choice():
    X, y, relevant = make_pu_clusters(
        "50/3/2", n_negative=70, n_positive=30, n_relevant=7, n_irrelevant=175, random_state=0
    )
    assert X.shape == (100, 182)
    assert y.sum() == 15
    assert relevant.sum() == 7


def test_same_seed_gives_the_same_data():
    for one, other in zip(make_pu_clusters(random_state=5), make_pu_clusters(random_state=5), strict=True):
        np.testing.assert_array_equal(one, other)


def test_other_seeds_give_other_data():
    for one, other in zip(make_pu_clusters(random_state=0), make_pu_clusters(random_state=1), strict=True):
        assert (one != other).any()


@pytest.mark.parametrize("source", [np.random.RandomState, np.random.default_rng])
def test_generators_are_accepted_and_advance(source):
    generator = source(7)
    first, second = make_pu_clusters(random_state=generator), make_pu_clusters(random_state=generator)
    again = make_pu_clusters(random_state=source(7))
    np.testing.assert_array_equal(first[0], again[0])
    assert (first[0] != second[0]).any()


def test_global_random_state_is_left_alone():
    np.random.seed(0)  # noqa: NPY002
    expected = np.random.random_sample(3)  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    make_pu_clusters(random_state=0)
    make_pu_clusters(random_state=None)
    np.testing.assert_array_equal(np.random.random_sample(3), expected)  # noqa: NPY002


def test_percentage_changes_only_which_positives_are_labelled():
    X, few, relevant = make_pu_clusters("10/8/2", random_state=0)
    X_again, many, other_relevant = make_pu_clusters("40/8/2", random_state=0)
    np.testing.assert_array_equal(X, X_again)
    np.testing.assert_array_equal(relevant, other_relevant)
    assert (few <= many).all()


def test_clusters_follow_the_law_of_the_paper():
    signal, _, _ = columns_in_order("40/4/2", n_negative=8000, n_positive=4000, n_relevant=100)
    clusters = signal.reshape(6, 2000, 100)
    means = clusters.mean(axis=1)
    residuals = (clusters - means[:, None]).reshape(12000, 100)
    assert kstest(means.ravel(), uniform(-5, 10).cdf).pvalue > 1e-3
    assert 4.9 < np.abs(means).max() < 5 + 4.5 * np.sqrt(10 / 2000)
    assert residuals.var(axis=0).mean() == pytest.approx(10, rel=0.02)
    assert kstest(residuals[::10].ravel(), norm(0, np.sqrt(10)).cdf).pvalue > 1e-3
    correlations = np.corrcoef(residuals, rowvar=False) - np.eye(100)
    assert np.abs(correlations).max() < 0.06


def test_rows_are_split_evenly_over_the_clusters():
    signal, _, classes = columns_in_order("100/3/2", n_negative=11, n_positive=7, n_relevant=2000)
    # Expected squared distance: 20 per column within a cluster, 20 + 100 / 6 between two.
    assert group_sizes(signal[classes == 0], 28 * 2000) == [3, 4, 4]
    assert group_sizes(signal[classes == 1], 28 * 2000) == [3, 4]


def test_outliers_are_the_rows_of_largest_norm():
    X, _, relevant, classes = make_pu_clusters("40/outlier", return_classes=True, random_state=2)
    norms = np.linalg.norm(X[:, relevant], axis=1)
    assert norms[classes == 1].min() > norms[classes == 0].max()
    assert kstest(X[:, relevant].ravel(), norm(0, 5).cdf).pvalue > 1e-3
    assert X[:, relevant].var() == pytest.approx(25, rel=0.02)


def test_outliers_stand_in_no_order_of_their_norm():
    signal, _, classes = columns_in_order("40/outlier")
    for rows in (signal[classes == 0], signal[classes == 1]):
        ranks = np.argsort(np.argsort(np.linalg.norm(rows, axis=1)))
        assert abs(np.corrcoef(ranks, np.arange(len(rows)))[0, 1]) < 4.5 / np.sqrt(len(rows))


@pytest.mark.parametrize(
    ("n_irrelevant", "n_redundant", "n_copies"), [(25, None, 5), (43, None, 8), (6, 3, 3), (10, 0, 0)]
)
def test_each_redundant_column_copies_one_irrelevant_column_of_its_own(n_irrelevant, n_redundant, n_copies):
    _, noise, _ = columns_in_order("10/8/2", n_irrelevant=n_irrelevant, n_redundant=n_redundant)
    related = np.triu(np.abs(np.corrcoef(noise, rowvar=False)) > 0.5, k=1)
    copied, copies = np.nonzero(related)
    assert len(copies) == n_copies
    assert len({*copied, *copies}) == 2 * n_copies
    for column, copy in zip(copied, copies, strict=True):
        added = noise[:, copy] - noise[:, column]
        assert kstest(added, norm.cdf).pvalue > 1e-3
        assert added.var() == pytest.approx(1, rel=0.1)


def test_other_irrelevant_columns_are_uniform_and_blind_to_the_class():
    _, noise, classes = columns_in_order("10/8/2", n_irrelevant=20, n_redundant=0)
    assert kstest(noise.ravel(), uniform(-10, 20).cdf).pvalue > 1e-3
    gap = noise[classes == 1].mean(axis=0) - noise[classes == 0].mean(axis=0)
    assert np.abs(gap).max() < 4.5 * np.sqrt(100 / 3 * (1 / 500 + 1 / 4000))


def test_relevant_columns_and_positives_stand_anywhere():
    draws = [
        make_pu_clusters("50/1/1", n_negative=10, n_positive=10, return_classes=True, random_state=seed)
        for seed in range(400)
    ]
    for part in (2, 3):
        share = np.mean([draw[part] for draw in draws], axis=0)
        assert np.abs(share - 0.5).max() < 4.5 * 0.5 / np.sqrt(400)


def test_shuffling_only_moves_rows_and_columns():
    X, _, relevant, classes = make_pu_clusters(shuffle=False, return_classes=True, random_state=0)
    X_mixed, _, mixed, mixed_classes = make_pu_clusters(shuffle=True, return_classes=True, random_state=0)
    assert relevant[:25].all()
    assert classes[4000:].all()
    # A row is known by its sorted values, whatever the order of the columns.
    for kind, mixed_kind in [(relevant, mixed), (~relevant, ~mixed)]:
        original, moved = np.sort(X[:, kind], axis=1), np.sort(X_mixed[:, mixed_kind], axis=1)
        order, mixed_order = np.argsort(original[:, 0]), np.argsort(moved[:, 0])
        np.testing.assert_array_equal(original[order], moved[mixed_order])
        np.testing.assert_array_equal(classes[order], mixed_classes[mixed_order])


@pytest.mark.parametrize(("condition", "expected"), [("40/8/1", 0.86), ("40/outlier", 0.41)])
def test_chi2_filter_finds_as_many_features_as_in_the_paper(condition, expected):
    recalls = [kbest_recall(condition, seed) for seed in range(6)]
    assert np.mean(recalls) == pytest.approx(expected, abs=0.12)


@pytest.mark.parametrize(
    "condition",
    ["", "10", "10/8", "10/8/2/1", "ten/8/2", "10/8/x", "-5/8/2", "10/1.5/2", "10/outliers", "10 /8/2"],
)
def test_malformed_condition_is_refused(condition):
    with pytest.raises(ValueError, match=r"condition must look like '10/8/2'.*got"):
        make_pu_clusters(condition)


@pytest.mark.parametrize("condition", ["0/8/2", "100.5/8/2", "0/outlier", "900/outlier"])
def test_percentage_must_be_a_share(condition):
    with pytest.raises(ValueError, match=r"\(0, 100\], got"):
        make_pu_clusters(condition)


@pytest.mark.parametrize("name", ["n_negative", "n_positive", "n_relevant", "n_irrelevant"])
@pytest.mark.parametrize("count", [0, -3, 2.5])
def test_sizes_must_be_positive_integers(name, count):
    with pytest.raises(ValueError, match=f"{name} must be an integer of at least 1, got {count}"):
        make_pu_clusters(**{name: count})


@pytest.mark.parametrize("n_redundant", [13, -1, 1.0])
def test_redundant_columns_need_columns_to_copy(n_redundant):
    with pytest.raises(ValueError, match=r"n_redundant must be an integer in 0\.\.12.*got"):
        make_pu_clusters(n_redundant=n_redundant)


@pytest.mark.parametrize(
    ("condition", "kind"), [("10/0/1", "negative"), ("10/1/0", "positive"), ("10/8/6", "positive")]
)
def test_every_cluster_needs_a_row(condition, kind):
    with pytest.raises(ValueError, match=rf"{kind} clusters of condition must be an integer in 1\.\.\d+, got"):
        make_pu_clusters(condition, n_positive=5)


@pytest.mark.parametrize(("rate", "n_labelled"), [(0.03, 54), (0.15, 272), (0.5, 906), (1, 1813), (1e-6, 1)])
def test_hiding_keeps_exactly_the_rounded_share(rate, n_labelled):
    classes = np.repeat([1, 0], [1813, 2788])
    labels = hide_labels(classes, rate, random_state=0)
    assert labels.dtype == np.int64
    assert labels.sum() == n_labelled
    assert not labels[1813:].any()
    assert classes.sum() == 1813


def test_hiding_prefers_no_positive():
    classes = np.tile([0, 1], 20)
    share = np.mean([hide_labels(classes, 0.25, random_state=seed) for seed in range(1000)], axis=0)
    assert np.abs(share[1::2] - 0.25).max() < 4.5 * np.sqrt(0.25 * 0.75 / 1000)


def test_hiding_depends_on_the_seed_alone():
    classes = np.ones(100)
    np.testing.assert_array_equal(*(hide_labels(classes, 0.5, random_state=4) for _ in range(2)))
    assert (hide_labels(classes, 0.5, random_state=4) != hide_labels(classes, 0.5, random_state=5)).any()


def test_any_class_can_be_the_positive_one():
    assert hide_labels(["g", "b", "g"], 1, pos_label="b").tolist() == [0, 1, 0]
    assert hide_labels([0, 1, 1], 1, pos_label=0).tolist() == [1, 0, 0]


@pytest.mark.parametrize("rate", [0, -0.1, 1.01, 40, float("nan")])
def test_rate_must_be_a_share(rate):
    with pytest.raises(ValueError, match=r"rate must be a number in 0..1, got"):
        hide_labels([0, 1], rate)


def test_hiding_needs_a_positive():
    with pytest.raises(ValueError, match="at least one positive"):
        hide_labels([0, 2], 0.5)


def test_classes_must_be_a_vector():
    with pytest.raises(ValueError, match=r"one-dimensional, got shape \(2, 1\)"):
        hide_labels([[0], [1]], 0.5)
