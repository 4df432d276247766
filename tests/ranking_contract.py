"""What every ranking selector promises; subclass `RankingContract` and give `make`."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.exceptions import FewerFeaturesWarning, MissingValuesWarning


def small_table(seed=0, n_relevant=5, n_irrelevant=5):
    return make_pu_clusters(
        "40/3/1", n_negative=300, n_positive=60, n_relevant=n_relevant, n_irrelevant=n_irrelevant, random_state=seed
    )


def error_of(selector, X, y):
    """Return the kind and the text of the error, without the selector's name."""
    with pytest.raises((ValueError, TypeError)) as caught:
        selector.fit(X, y)
    return caught.type, str(caught.value).replace(type(selector).__name__, "selector")


AWKWARD = {
    "duplicate columns": lambda X: X[:, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]],
    "1e-30 and 1e30": lambda X: X * np.array([1e-30, 1e30] * 5),
    "1e-300": lambda X: X * 1e-300,
    "5e-324": lambda X: (X.mean(axis=0) < X) * 5e-324,
    "1e306": lambda X: (X - X.mean(axis=0)) * 1e306,
    "heavy zeros": lambda X: np.where(X > 5, X, 0.0),
    "half constant": lambda X: np.where(np.arange(X.shape[1]) % 2, X, 3.0),
    "few distinct rows": lambda X: np.round(X / 8),
    "wide": lambda X: X[:40, np.arange(60) % 10] + np.random.default_rng(0).normal(0, 3, (40, 60)),
}

BAD_DATA = {
    "infinity": lambda X, y: (np.where(X[3, 3] == X, np.inf, X), y),
    "complex": lambda X, y: (X + 1j, y),
    "one-dimensional": lambda X, y: (X[:, 0], y),
    "one row": lambda X, y: (X[:1], y[:1]),
    "one column": lambda X, y: (X[:, :1], y),
    "unequal lengths": lambda X, y: (X[:5], y),
    "nothing labelled": lambda X, y: (X, np.zeros_like(y)),
    "all labelled": lambda X, y: (X, np.ones_like(y)),
    "no y": lambda X, y: (X, None),
}


class RankingContract:
    def make(self, n_features_to_select=None, **options):
        raise NotImplementedError

    def test_passes_every_check_of_scikit_learn(self):
        check_estimator(self.make(), on_skip=None)

    def test_scores_ranking_and_support_fit_together(self):
        X, y, _ = small_table()
        selector = self.make(4, random_state=0).fit(X, y)
        assert sorted(selector.ranking_) == list(range(1, 11))
        assert (np.diff(selector.scores_[np.argsort(selector.ranking_)]) <= 0).all()
        np.testing.assert_array_equal(selector.get_support(), selector.ranking_ <= 4)
        np.testing.assert_array_equal(selector.transform(X), X[:, selector.support_])

    def test_half_of_the_features_are_selected_by_default(self):
        X, y, _ = small_table()
        assert self.make().fit(X[:, :9], y).get_support().sum() == 5

    def test_same_seed_same_scores_and_inputs_stay_as_they_are(self):
        X, y, _ = small_table()
        before = X.copy(), y.copy()
        one = self.make(5, random_state=3).fit(X, y)
        for other in (clone(one).fit(X, y), pickle.loads(pickle.dumps(one))):
            np.testing.assert_array_equal(other.scores_, one.scores_)
            np.testing.assert_array_equal(other.ranking_, one.ranking_)
        np.testing.assert_array_equal(X, before[0])
        np.testing.assert_array_equal(y, before[1])

    def test_labels_may_be_words(self):
        X, y, _ = small_table()
        words = np.where(y == 1, "fraud", "unknown")
        by_word = self.make(5, pos_label="fraud", random_state=0).fit(X, words)
        np.testing.assert_array_equal(by_word.scores_, self.make(5, random_state=0).fit(X, y).scores_)

    def test_constant_columns_have_the_worst_score(self):
        X, y, _ = small_table()
        X[:, [2, 6]] = 7.0
        selector = self.make(8, random_state=0).fit(X, y)
        others = np.delete(selector.scores_, [2, 6])
        assert selector.scores_[[2, 6]].max() < others.min()
        assert not selector.get_support()[[2, 6]].any()

    def test_constant_columns_are_never_selected(self):
        X, y, _ = small_table()
        X[:, [2, 6]] = 7.0
        with pytest.warns(FewerFeaturesWarning, match="8 instead of 9"):
            selector = self.make(9, random_state=0).fit(X, y)
        np.testing.assert_array_equal(np.flatnonzero(~selector.get_support()), [2, 6])
        with pytest.raises(ValueError, match="varies"):
            self.make(5).fit(np.ones_like(X), y)

    @pytest.mark.parametrize("kind", AWKWARD)
    def test_awkward_tables_give_a_result_without_warnings(self, kind):
        X, y, _ = small_table()
        X = AWKWARD[kind](X)
        y = np.arange(len(X)) % 8 == 0 if kind == "wide" else y
        selector = self.make(5, random_state=0).fit(X, y)
        assert selector.transform(X).shape == (len(X), 5)
        assert np.isfinite(selector.scores_).all()

    @pytest.mark.parametrize("kind", BAD_DATA)
    def test_bad_data_give_the_error_of_fscpu(self, kind):
        X, y = BAD_DATA[kind](*small_table()[:2])
        assert error_of(self.make(), X, y) == error_of(FSCPU(), X, y)

    @pytest.mark.parametrize("wanted", [0, 11, 2.5, True, "all"])
    def test_bad_numbers_of_features_are_told_what_may_be_given(self, wanted):
        X, y, _ = small_table()
        kind, text = error_of(self.make(wanted), X, y)
        assert kind is ValueError
        assert text.endswith(f"must be an integer in 1..10 or a share between 0 and 1, got {wanted!r}")

    def test_medians_stand_in_for_missing_values(self):
        X, y, _ = small_table()
        X[::7, 3] = np.nan
        with pytest.warns(MissingValuesWarning):
            selector = self.make(5, random_state=0).fit(X, y)
        whole = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
        np.testing.assert_array_equal(selector.scores_, self.make(5, random_state=0).fit(whole, y).scores_)
        np.testing.assert_array_equal(selector.transform(X), X[:, selector.support_])
