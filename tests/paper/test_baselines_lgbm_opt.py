
import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.utils.estimator_checks import check_estimator

from puselect.datasets import make_pu_clusters
from puselect_paper.baselines import LGBMOpt
from puselect_paper.baselines.lgbm_opt import HoldoutAUC, split_rows


def small():
    return make_pu_clusters(
        "40/1/1", n_negative=200, n_positive=50, n_relevant=3, n_irrelevant=3, n_redundant=0, random_state=0
    )


def quick(**changes):
    return LGBMOpt(**{"n_features_to_select": 3, "n_estimators": 5, "max_iter": 10, "random_state": 0, **changes})


def test_it_passes_every_check_of_scikit_learn():
    check_estimator(LGBMOpt(n_estimators=2, max_iter=2), on_skip=None)


def test_the_objective_is_lightgbms_auc_on_the_other_quarter():
    X, y, _ = small()
    positive = y == 1
    mask = np.array([True, False, True, True, False, False])
    objective = HoldoutAUC(X, positive, 7, 3, None)
    value, again = objective(np.array([mask, mask]), np.arange(2), np.zeros(2, int))[:, 0]
    train, test = train_test_split(np.arange(len(X)), test_size=0.25, stratify=positive, random_state=3)
    model = LGBMClassifier(n_estimators=7, random_state=3, verbosity=-1, n_jobs=1)
    model.fit(X[train][:, mask], positive[train])
    expected = roc_auc_score(positive[test], model.predict_proba(X[test][:, mask])[:, 1])
    assert value == again == pytest.approx(expected)
    assert len(objective.known) == 1, "values are remembered by mask"


@pytest.mark.parametrize("n_rows", [4, 5, 6, 9, 12, 30])
@pytest.mark.parametrize("n_few", [2, 3])
def test_both_parts_of_the_rows_have_both_labels_however_few_there_are(n_rows, n_few):
    for seed in range(20):
        for positive in (np.arange(n_rows) < min(n_few, n_rows // 2), np.arange(n_rows) >= min(n_few, n_rows // 2)):
            parts = split_rows(positive, seed)
            assert sorted(np.concatenate(parts)) == list(range(n_rows))
            assert all(set(positive[part]) == {True, False} for part in parts)


def test_the_search_is_the_papers_and_threads_do_not_matter():
    X, y, _ = small()
    one, two = (quick(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.probabilities_, two.probabilities_)
    assert one.n_iter_ == 10
    steps = np.abs(np.diff(one.history_.theta, axis=0))
    assert set(np.round(steps[steps > 1e-9], 9)) == {round(1 / 12, 9)}


def test_one_labelled_row_is_too_few():
    X, y, _ = small()
    single = np.zeros_like(y)
    single[np.flatnonzero(y)[0]] = 1
    with pytest.raises(ValueError, match="two labelled positives"):
        quick().fit(X, single)
