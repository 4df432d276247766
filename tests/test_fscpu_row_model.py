import copy
import io
import pickle
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from scipy.special import logit
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError

from puselect import FSCPU
from puselect.fscpu.row_model import RowModel, cluster_logit, lift_steps, row_folds


def test_lifts_fall_and_their_mean_is_one():
    ends, lifts = lift_steps(np.random.default_rng(0).random(40) ** 3)
    assert (np.diff(lifts) < 0).all()
    assert np.diff(np.concatenate([[0.0], ends, [1.0]])) @ lifts == pytest.approx(1)


def test_rows_of_a_group_share_a_fold_and_labelled_rows_are_spread():
    rng = np.random.default_rng(0)
    known, groups = np.arange(100) < 20, np.arange(100) // 2
    folds = row_folds(known, groups, rng)
    assert (folds[::2] == folds[1::2]).all()
    assert np.bincount(folds[known]).tolist() == [4] * 5


def test_a_labelled_row_does_not_count_itself():
    clusterings = SimpleNamespace(labelled=np.array([[3.0, 1.0]]), size=np.array([[10.0, 90.0]]))
    place, known = np.array([[0], [0], [1]]), np.array([True, False, True])
    expected = [(2 + 0.02) / 9.5, (3 + 0.02) / 10.5, (0 + 0.02) / 89.5]
    np.testing.assert_allclose(cluster_logit(clusterings, place, known), logit(expected))
    np.testing.assert_allclose(cluster_logit(clusterings, place)[:2], logit((3 + 0.02) / 10.5))


def table(n_labelled=60):
    rng = np.random.default_rng(0)
    X, classes = rng.normal(size=(1500, 5)), np.arange(1500) < 300
    X[classes, :3] += 3
    return X, (np.arange(1500) < n_labelled).astype(int), classes


def test_confident_rows_are_positive_and_no_more_than_the_interval_allows():
    X, y, classes = table()
    selector = FSCPU(3, max_iter=20, random_state=0).fit(X, y)
    found = selector.candidate_positives(X, y)
    low, high = selector.prior_.interval
    assert low <= 240 / 1440 <= high
    assert classes[found.rows[found.confidence >= 0.9]].mean() > 0.9
    assert found.n_likely <= len(found.rows) <= np.ceil(high * 1440)


def test_without_a_share_of_positives_there_is_a_lift_and_no_confidence():
    X, y, classes = table(n_labelled=12)
    found = FSCPU(3, max_iter=20, random_state=0).fit(X, y).candidate_positives(X, y)
    assert found.confidence is found.n_likely is None
    assert found.lift[0] > 2
    assert classes[found.rows[:50]].mean() > 0.9


def test_rows_are_ranked_within_a_long_tail():
    rng = np.random.default_rng(0)
    X = np.exp(2 * rng.normal(size=(2000, 2)))
    y = np.isin(np.arange(2000), rng.permutation(np.argsort(-X[:, 0])[:100])[:50]).astype(int)
    found = FSCPU(1, max_iter=5, random_state=0).fit(X, y).candidate_positives(X, y)
    assert (X[found.rows[:50], 0] >= np.sort(X[:, 0])[-100]).all()


def test_one_labelled_row_is_enough_for_a_ranking():
    X, y, _ = table(n_labelled=1)
    with pytest.warns(UserWarning):
        assert len(FSCPU(3, max_iter=5, random_state=0).fit(X, y).candidate_positives(X, y).rows)


def test_equal_rows_are_not_in_the_order_of_the_file():
    X, y, _ = table()
    model = FSCPU(3, max_iter=5, random_state=0).fit(X, y).row_model_
    rows = model.likeliest(np.full(200, model.cuts[0] + 1)).rows
    assert len(rows) > 20
    assert not (np.diff(rows) > 0).all()


def quick(**parameters):
    return FSCPU(3, max_iter=5, random_state=0, **parameters)


def test_the_model_is_fitted_once_on_first_use_and_again_after_another_fit(monkeypatch):
    X, y, _ = table()
    fitted, really_fit = [], RowModel.of
    monkeypatch.setattr(RowModel, "of", lambda rows: fitted.append(rows) or really_fit(rows))
    selector = quick().fit(X, y)
    selector.transform(X)
    assert not fitted
    assert selector.prior_ is selector.row_model_.prior is selector.result_.row_model.prior
    selector.candidate_positives(X, y)
    assert len(fitted) == 1
    assert fitted[0].values.shape == (1500, 3)
    assert selector.fit(X, 1 - y).prior_ != selector.fit(X, y).prior_
    assert len(fitted) == 3


def test_the_model_is_the_same_whenever_it_is_fitted():
    X, y, _ = table()
    early, late, changed = quick().fit(X, y), quick().fit(X, y), X.copy()
    prior, expected = early.prior_, early.candidate_positives(X, y)
    late.fit(changed, y).transform(X)
    changed[:], found = 0, late.set_params(random_state=1, pos_label=2).candidate_positives(X, y)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert late.prior_ == prior


def stored_by_joblib(selector):
    file = io.BytesIO()
    joblib.dump(selector, file)
    file.seek(0)
    return joblib.load(file)


@pytest.mark.parametrize("stored", [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy, stored_by_joblib])
def test_a_stored_selector_has_its_model(stored, monkeypatch):
    X, y, _ = table()
    selector = quick().fit(X, y)
    twin = stored(selector)
    monkeypatch.setattr(RowModel, "of", None)
    assert twin.prior_ == selector.prior_
    np.testing.assert_array_equal(twin.candidate_positives(X).rows, selector.candidate_positives(X).rows)


def test_a_file_of_a_selector_does_not_have_the_rows():
    X, y, _ = table()
    assert X[:, :3].nbytes > 30_000 > len(pickle.dumps(quick().fit(X, y)))


@pytest.mark.parametrize("attribute", ["row_model_", "prior_"])
def test_there_is_no_model_before_the_fit_nor_with_another_clusterer(attribute):
    X, y, _ = table()
    selector = quick(clusterer=KMeans(3, n_init=1, random_state=0)).fit(X, y)
    assert getattr(selector, attribute) is getattr(copy.deepcopy(selector), attribute) is None
    for unfitted in (clone(selector), pickle.loads(pickle.dumps(quick()))):
        assert not hasattr(unfitted, attribute)
        with pytest.raises(NotFittedError):
            getattr(unfitted, attribute)
