import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.selectors.result import FitResult

X = np.random.default_rng(0).normal(size=(60, 6))
y = np.arange(60) < 20
X[y, :2] += 2


@pytest.mark.parametrize("selector", [FSCPU(), KBest()])
def test_there_is_none_before_the_fit(selector):
    with pytest.raises(NotFittedError):
        selector.result_  # noqa: B018


def test_of_a_ranking_has_scores_and_no_search():
    selector = KBest(2, random_state=0).fit(X, y)
    found = selector.result_
    assert found.scores is selector.scores_
    assert (found.search, found.clusterings, found.path, found.stability) == (None,) * 4
    assert found.names == ("x0", "x1", "x2", "x3", "x4", "x5")


def test_of_a_search_has_its_course_and_the_clusters():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    selector = FSCPU("auto", max_iter=3, n_searches=2, random_state=0).fit(frame, y)
    found = selector.result_
    assert found.scores is selector.probabilities_
    assert (found.search.n_iter, found.search.follows_effects) == (3, True)
    assert found.row_model.clusterings is found.clusterings is selector.clusterings_
    assert (found.path, found.stability) == (selector.path_, selector.stability_)
    assert found.names == tuple("abcdef")
    assert not FSCPU.published(2, max_iter=2, random_state=0).fit(X, y).result_.search.follows_effects


def test_a_group_is_one_feature_named_by_itself():
    support, ranking = np.array([False, True, True, False, False]), np.array([2, 1, 1, 3, 3])
    groups = {"city": [1, 2], "day": [3, 4]}
    found = FitResult(support, ranking, ranking.astype(float), tuple("abcde"), {}, groups=groups)
    assert [unit.name for unit in found.units()] == ["city", "a", "day"]
    (city,) = found.selected_units()
    assert (city.column, city.columns, city.members) == (1, (1, 2), ("b", "c"))
    with pytest.raises(ValueError, match="each of the 5 features, got 2 names"):
        found.renamed(["a", "b"])
