"""Artificial tables; `test_datasets_noise` has the paper's data written down plainly, to compare bit for bit."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

from puselect.datasets import CONDITIONS, hide_labels, make_pu_clusters


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


def test_the_seed_decides():
    first, again, other = (make_pu_clusters(random_state=seed) for seed in (5, 5, 6))
    for one, same, different in zip(first, again, other, strict=True):
        np.testing.assert_array_equal(one, same)
        assert (one != different).any()


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


def test_outliers_are_the_rows_of_largest_norm():
    X, _, relevant, classes = make_pu_clusters("40/outlier", return_classes=True, random_state=2)
    norms = np.linalg.norm(X[:, relevant], axis=1)
    assert norms[classes == 1].min() > norms[classes == 0].max()
    assert kstest(X[:, relevant].ravel(), norm(0, 5).cdf).pvalue > 1e-3
    assert X[:, relevant].var() == pytest.approx(25, rel=0.02)


def test_outliers_stand_in_no_order_of_their_norm():
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
