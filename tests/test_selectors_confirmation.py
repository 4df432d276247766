import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.mixture import GaussianMixture

from puselect import FSCPU
from puselect.engines import make_engine
from puselect.selectors import confirmation
from puselect.selectors.confirmation import clustered_support, confirmed_support
from puselect.selectors.many import Task, fit_together
from puselect.selectors.problem import problem_engine
from puselect.selectors.weights import Weights


@pytest.fixture(scope="module")
def table():
    """One cluster of 100 positives, 40 of them labelled, that differs in the first 8 of 16 columns."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 16))
    X[:100, :8] += rng.choice([-2.0, 2.0], 8)
    return X, (np.arange(500) < 40).astype(int)


def support_of(X, y, scores, k=8, **changes):
    task = Task.of(FSCPU(k, random_state=0, **changes), X, y)
    engine = problem_engine(task.settings, task.problem)
    return clustered_support(task.settings, task.problem, task.problem.budget, scores, engine)


def test_clusters_tell_a_wrong_feature_and_a_missing_one(table):
    X, y = table
    scores = np.where(np.arange(16) < 7, 2.0, 0.0)
    scores[15] = 1.0  # a column of noise instead of the eighth relevant one
    support = support_of(X, y, scores)
    assert support.shape == (16,)
    assert support[15] < 2
    assert (support[:8] > support[8:].max()).all()


def test_no_feature_votes_for_itself():
    """Columns of noise: each would stand out in rows that it found."""
    rng = np.random.default_rng(0)
    found = [
        support_of(rng.normal(size=(300, 12)), np.arange(300) < 40, np.arange(12.0), k=6, n_clusters=6)
        for _ in range(12)
    ]
    assert np.abs(np.mean(found, axis=0)).max() < 1


def test_what_the_clusters_say_is_repeatable_and_the_same_for_sparse_tables(table):
    X, y = table
    scores = -np.arange(16.0)
    dense = support_of(X, y, scores)
    np.testing.assert_array_equal(dense, support_of(X, y, scores))
    sparse = support_of(csr_array(X), y, scores, scale=None)
    np.testing.assert_allclose(sparse, support_of(X, y, scores, scale=None), rtol=1e-5)


def test_a_group_is_judged_as_one(table):
    X, y = table
    groups = {"pair": [0, 8]}
    support = support_of(X, y, np.arange(15.0), groups=groups)
    assert support.shape == (15,)
    assert support[0] > 1  # by its relevant column


def test_features_that_are_always_kept_help_to_judge(table):
    X, y = table
    assert support_of(X, y, np.arange(14.0), k=3, always_keep=[0, 1]) is None  # one free feature, no folds
    assert support_of(X, y, -np.arange(14.0), k=4, always_keep=[0, 1])[:4].min() > 2


@pytest.mark.parametrize("changes", [{"k": 1}, {"clusterer": GaussianMixture(4, random_state=0)}])
def test_one_feature_and_foreign_clusters_confirm_nothing(table, changes):
    X, y = table
    assert support_of(X, y, np.arange(16.0), **changes) is None


def test_the_default_is_ranked_by_it_and_says_so(table, monkeypatch):
    X, y = table
    asked = []

    def noted(settings, problem, session, evidence, *rest):
        support = confirmed_support(settings, problem, session, evidence, *rest)
        asked.append(session.search.optimizer.ranked_by(support + evidence.beyond_doubt))
        return support

    monkeypatch.setattr("puselect.selectors.fscpu.confirmed_support", noted)
    selector = FSCPU(8, max_iter=40, random_state=0).fit(X, y)
    np.testing.assert_array_equal(np.argsort(-asked[0]), np.argsort(selector.ranking_))
    weights, evidence = selector.weights_, selector.evidence_
    assert weights.clustered == pytest.approx(weights.search * evidence.weight)
    assert weights.clustered > 0.3
    assert weights.labelled == pytest.approx((1 - weights.clustered) * evidence.labelled_weight)
    assert "positive clusters of other features" in str(weights)


def test_what_counts_nothing_is_not_clustered(table, monkeypatch):
    """A search at chance, one without evidence, and the paper's."""
    X, y = table
    monkeypatch.setattr(confirmation, "clustered_support", None)
    shuffled = np.random.default_rng(1).permutation(y)
    at_chance = FSCPU(8, max_iter=5, random_state=0).fit(X, shuffled)
    assert (at_chance.weights_.search, at_chance.weights_.clustered) == (0, None)
    for changes in ({"criterion": "cluster"}, {"optimizer": "igo"}):
        FSCPU(8, max_iter=3, random_state=0, **changes).fit(X, y)


def test_searches_that_share_an_engine_are_confirmed_by_their_own_labels(table):
    X, y = table
    other = np.random.default_rng(0).permutation(y)
    alone = [FSCPU(8, max_iter=30, random_state=0, engine="cpu").fit(X, labels) for labels in (y, other)]
    together = [FSCPU(8, max_iter=30, random_state=0, engine="cpu") for _ in alone]
    tasks = [Task.of(selector, X, labels) for selector, labels in zip(together, (y, other), strict=True)]
    positive = np.stack([task.problem.positive for task in tasks])
    engine = make_engine("cpu", tasks[0].problem.table, positive, tasks[0].settings.mixture, n_jobs=1)
    fit_together(tasks, engine)
    for one, same in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.ranking_, same.ranking_)
        assert one.weights_ == same.weights_


def test_weights_of_a_confirmed_search_add_up():
    assert Weights.of(None, 0.7, False).clustered is None
    assert str(Weights(0.1, 0.2, 0.3)).count("(") == 3
