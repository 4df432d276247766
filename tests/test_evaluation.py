import sys

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from puselect.evaluation import DOWNSTREAM, downstream_auc, downstream_scores, feature_recall, models


class TestRecall:

    def test_wrong_input_is_named(self):
        with pytest.raises(ValueError, match=r"one shape, got \(2,\) and \(3,\)"):
            feature_recall([True, False], [True, False, True])
        with pytest.raises(ValueError, match="at least one feature"):
            feature_recall([True, False], [False, False])


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4 == 0
    X = np.column_stack([rng.normal(size=400) + 2 * y, rng.normal(size=(400, 2)), np.zeros(400)])
    return X, y


class TestDownstream:
    @pytest.mark.parametrize("name", DOWNSTREAM)
    def test_every_model_learns_and_repeats_itself(self, name, rows):
        X, y = rows
        auc = downstream_auc(name, X[:300], y[:300], X[300:], y[300:], random_state=0)
        assert 0.8 < auc < 1
        assert auc == downstream_auc(name, X[:300], y[:300], X[300:], y[300:], random_state=0)
        noise = downstream_auc(name, X[:300, 1:], y[:300], X[300:, 1:], y[300:], random_state=0)
        assert noise < 0.65

    def test_lightgbm_is_as_in_the_paper(self):
        model = DOWNSTREAM["lightgbm"](random_state=3)
        own = {"n_jobs": 1, "deterministic": True, "verbosity": -1, "random_state": 3}
        assert model.get_params() == {**type(model)().get_params(), **own}
        assert model.n_estimators == 100

    def test_bagged_trees_see_all_labelled_rows_and_as_many_others(self, rows, monkeypatch):
        X, y = rows
        seen = []

        class Tree(DecisionTreeClassifier):
            def fit(self, X, y):
                seen.append((X, y))
                return super().fit(X, y)

        monkeypatch.setattr(models, "DecisionTreeClassifier", Tree)
        model = DOWNSTREAM["pu-bagging"](random_state=0).fit(X, y)
        assert len(seen) == models.SMALL_LEAVES["n_estimators"]
        for table, labels in seen:
            np.testing.assert_array_equal(table[labels], X[y])
            assert (~labels).sum() == y.sum()
        assert len({table[-1, 0] for table, _ in seen}) > 50
        wanted = np.mean([tree.predict_proba(X)[:, 1] for tree in model.trees], axis=0)
        np.testing.assert_allclose(downstream_scores("pu-bagging", X, y, X, random_state=0), wanted)

    def test_an_unknown_model_is_named(self, rows):
        with pytest.raises(ValueError, match=r"one of lightgbm, .*, got 'svm'"):
            downstream_auc("svm", *rows, *rows)

    def test_without_lightgbm_the_error_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "lightgbm", None)
        with pytest.raises(ImportError, match="pip install lightgbm"):
            DOWNSTREAM["lightgbm"](random_state=0)
