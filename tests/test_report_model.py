import numpy as np
import pytest

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.report import Selection, summarise
from puselect.report.model import Model


@pytest.mark.parametrize("scale", ["auto", "minmax", None])
@pytest.mark.parametrize("offset", [0.0, 123_456_789.0])
def test_a_saved_model_finds_the_rows_that_the_selector_finds(scale, offset):
    X, y, _ = make_pu_clusters("10/2/1", random_state=0)
    X = X + offset
    selector = FSCPU(3, scale=scale, max_iter=5, random_state=0).fit(X, y)
    saved = Selection.from_json(summarise(selector, X, y).to_json()).model
    found = selector.candidate_positives(X, y)
    again = saved.restore().candidates(X[:, selector.support_], y == 1)
    assert np.array_equal(again.rows, found.rows)
    assert np.array_equal(again.lift, found.lift)


def test_a_saved_model_has_the_curves_of_selected_features_with_long_tails():
    X, y, _ = make_pu_clusters("10/2/1", random_state=0)
    X[:, 1:] = np.exp(X[:, 1:])
    selector = FSCPU(4, always_keep=[0], max_iter=5, random_state=0).fit(X, y)
    saved = Selection.from_json(summarise(selector, X, y).to_json()).model
    assert [len(curve) for curve in saved.curves] == [0, 2, 2, 2]
    columns = np.vstack([X, X + 0.01, 2 * X - X[::-1]])[:, selector.support_]
    ours, theirs = saved.restore(), selector.row_model_
    np.testing.assert_array_equal(ours.clusterings.scaled(columns), theirs.clusterings.scaled(columns))
    np.testing.assert_array_equal(ours.candidates(columns).rows, theirs.candidates(columns).rows)


def test_as_many_clusterings_are_saved_as_are_not_too_large(monkeypatch):
    X, y, _ = make_pu_clusters("10/2/1", n_negative=300, n_positive=60, random_state=0)
    model = FSCPU(3, n_clusters=4, max_iter=5, random_state=0).fit(X, y).row_model_
    for most, n_saved in ((35, 0), (36, 1), (107, 2)):  # 4 clusters of 3 means and 6 numbers of a factor
        monkeypatch.setattr("puselect.report.model.MOST_NUMBERS", most)
        saved = Model.of(model, ("a", "b", "c"))
        assert (0 if saved is None else len(saved.size)) == n_saved
