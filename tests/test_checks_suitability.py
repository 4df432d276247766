"""Does a table suit the method: verdicts, valid p-values, honest intervals."""

import numpy as np
import pytest

from puselect import check_suitability
from puselect.checks import suitability
from puselect.checks.suitability import Suitability, Verdict, judge, mean_bounds
from puselect.datasets import make_pu_clusters
from puselect.exceptions import DependentRowsWarning


def small(condition, seed=0, **changes):
    sizes = {"n_negative": 300, "n_positive": 100, "n_relevant": 5, "n_irrelevant": 5, **changes}
    return make_pu_clusters(condition, **sizes, random_state=seed)[:2]


@pytest.fixture(scope="module")
def clustered():
    X, y = small("40/3/1", n_negative=600, n_positive=150)
    return X, y, check_suitability(X, y)


def test_clusters_are_found_and_the_same_again(clustered):
    X, y, found = clustered
    assert found.code == Verdict.HOLDS
    assert found.suits
    assert found.p_value == 1 / 40
    assert found.n_shuffles == 39
    assert found.interval[0] < found.lift < found.interval[1]
    assert found.ratio == pytest.approx(found.objective / found.null_objective)
    assert 1 < found.n_features <= X.shape[1] / 2
    assert check_suitability(X, np.where(y == 1, "yes", "?"), pos_label="yes", n_jobs=2) == found
    assert check_suitability(X, y, random_state=1, n_shuffles=5) != found


def test_outliers_do_not_form_clusters():
    """In many columns: in a few, the outer rows of a table do share clusters."""
    X, y = small("40/outlier", n_negative=800, n_positive=200, n_relevant=25, n_irrelevant=15)
    found = check_suitability(X, y)
    assert found.code == Verdict.DOES_NOT_HOLD
    assert found.interval[1] < 1.5


def test_p_values_of_shuffled_labels_are_uniform(monkeypatch):
    """benchmarks/trust.py does this 200 times."""
    monkeypatch.setattr(suitability, "heldout_lift", lambda *_: (1.0, (0.0, 1.0)))  # says nothing about the p-value
    X, y = small("40/3/1", n_negative=50, n_positive=30, n_relevant=3, n_irrelevant=2)
    p_values = []
    for seed in range(40):
        shuffled = np.random.default_rng(seed).permutation(y)
        found = check_suitability(X, shuffled, 3, n_shuffles=9, early_stopping=False, random_state=seed)
        p_values.append(found.p_value)
    assert np.mean(np.array(p_values) <= 0.1) <= 0.25  # three standard errors
    assert 0.26 <= np.mean(np.array(p_values) <= 0.5) <= 0.74
    assert {round(10 * p) for p in p_values} <= set(range(1, 11))


def test_shuffled_labels_stop_early():
    X, y = small("40/3/1", n_negative=120, n_positive=60)
    found = check_suitability(X, np.random.default_rng(1).permutation(y), 4, n_shuffles=200)
    assert found.n_shuffles < 200
    assert found.p_value == 5 / found.n_shuffles
    assert not found.suits


@pytest.mark.parametrize("n_labelled", [1, 2, 4])
def test_a_few_labels_are_too_few(n_labelled):
    X, y = small("40/3/1")
    found = check_suitability(X, np.where(np.cumsum(y) <= n_labelled, y, 0), n_shuffles=9)
    assert found.code == Verdict.TOO_FEW_LABELS
    assert found.interval[0] <= found.lift <= found.interval[1]


def test_wrong_calls_are_refused():
    X, y = small("40/3/1")
    with pytest.raises(ValueError, match="n_shuffles must be an integer"):
        check_suitability(X, y, n_shuffles=0)
    with pytest.raises(ValueError, match="n_features_to_select"):
        check_suitability(X, y, 11)
    with pytest.raises(ValueError, match="early_stopping"):
        check_suitability(X, y, early_stopping="no")
    with pytest.raises(ValueError, match="labelled positive"):
        check_suitability(X, np.zeros(len(X)))


@pytest.mark.parametrize(
    ("n_labelled", "p_value", "interval", "code"),
    [
        (50, 0.025, (1.3, 4.0), Verdict.HOLDS),
        (50, 0.025, (1.1, 4.0), Verdict.WEAK),
        (50, 0.025, (1.3, 1.4), Verdict.DOES_NOT_HOLD),
        (50, 0.5, (0.8, 1.2), Verdict.DOES_NOT_HOLD),
        (50, 0.5, (0.8, 1.9), Verdict.TOO_FEW_LABELS),
        (4, 0.025, (2.0, 4.0), Verdict.TOO_FEW_LABELS),
    ],
)
def test_verdict_follows_p_value_and_interval(n_labelled, p_value, interval, code):
    assert judge(n_labelled, p_value, interval) is code


@pytest.mark.parametrize("code", list(Verdict))
def test_a_table_suits_only_if_the_verdict_is_that_clusters_hold(code):
    found = Suitability(0.2, 0.1, 2.0, 39, code.value, 0.025, 3.0, (2.0, 4.0), 5)
    assert found.suits == (code is Verdict.HOLDS)
    assert "p = 0.025" in str(found)


@pytest.mark.parametrize(("a", "b"), [(0.05, 0.05), (0.5, 4.5), (2.0, 2.0), (50.0, 50.0), (9.0, 0.2)])
def test_bounds_of_the_share_of_held_out_rows_hold_as_they_say(a, b):
    """From rows that are always in or always out to rows that clusterings place at random."""
    rng = np.random.default_rng(0)
    bounds = np.array([mean_bounds(rng.binomial(12, rng.beta(a, b, 40)) / 12) for _ in range(1000)])
    assert np.mean(bounds[:, 0] <= a / (a + b)) >= 0.93
    assert np.mean(bounds[:, 1] >= a / (a + b)) >= 0.93


def patients(seed=0, n_patients=60, n_labelled=8, size=3):
    """Rows of a patient are nearly the same, and labels, which have nothing to do with them, are those of patients."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), size)
    X = rng.normal(size=(n_patients, 6))[patient] + 0.1 * rng.normal(size=(len(patient), 6))
    shuffled = rng.permutation(len(patient))
    return X[shuffled], np.isin(patient, rng.permutation(n_patients)[:n_labelled])[shuffled], patient[shuffled]


def test_groups_of_rows_are_shuffled_as_a_whole(monkeypatch):
    monkeypatch.setattr(suitability, "heldout_lift", lambda *_: (1.0, (0.0, 1.0)))
    p_values = {True: [], False: []}
    for seed in range(20):
        X, y, patient = patients(seed)
        for is_told, found in p_values.items():
            groups = patient if is_told else np.arange(len(y)) // 2 * 2  # pairs of strangers
            found.append(check_suitability(X, y, 3, n_shuffles=19, random_state=seed, row_groups=groups).p_value)
    assert np.mean(np.array(p_values[False]) <= 0.05) >= 0.5
    assert np.mean(np.array(p_values[True]) <= 0.05) <= 0.2


def test_groups_that_are_held_out_count_once_and_labels_of_one_prove_nothing():
    X, y, patient = patients(n_labelled=4)
    found = check_suitability(X, y, 3, n_shuffles=5, row_groups=patient)
    assert found.code == Verdict.TOO_FEW_LABELS  # four groups, although twelve rows
    assert found.dependence == ""
    with pytest.warns(DependentRowsWarning, match="row_groups="):
        alone = check_suitability(X, y, 3, n_shuffles=5)
    assert alone.dependence == "near_copies"
    assert alone.interval[1] - alone.interval[0] < found.interval[1] - found.interval[0]
    X, y, patient = patients()
    y = patient == 7
    with pytest.warns(DependentRowsWarning, match="all 3 labels in one group, 7"):
        found = check_suitability(X, y, 3, n_shuffles=5, row_groups=patient)
    assert found.code == Verdict.TOO_FEW_LABELS


def test_columns_of_a_group_are_clustered_as_one_feature():
    rng = np.random.default_rng(0)
    known = np.arange(300) < 40
    colour = np.where(known, 0, rng.integers(0, 4, 300))
    X = np.column_stack([np.eye(4)[colour], rng.normal(size=(300, 4)), rng.normal(3.0 * known)])
    found = check_suitability(X, known.astype(int), 2, n_shuffles=5, groups={"colour": [0, 1, 2, 3]})
    assert found.n_features == 2
    assert check_suitability(X, known.astype(int), 6, n_shuffles=5, groups={"colour": [0, 1, 2, 3]}).n_features == 6


def test_checked_negatives_are_left_out():
    X, y = small("40/3/1", n_negative=600, n_positive=150)
    checked = np.arange(len(y)) % 5 == 0
    labels = np.where(y == 1, 1, np.where(checked, -1, 0))
    kept = labels >= 0
    found, without = check_suitability(X, labels, neg_label=-1), check_suitability(X[kept], labels[kept])
    assert found.code == without.code == Verdict.HOLDS
    assert found.lift == pytest.approx(without.lift, rel=0.2)
