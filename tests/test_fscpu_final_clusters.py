
import numpy as np
import pytest
from sklearn.cluster import KMeans

from puselect import FSCPU
from puselect.clustering.reference import HardMixture
from puselect.datasets import make_pu_clusters
from puselect.draws import Stream, hashes
from puselect.fscpu.settings import Settings
from puselect.report import summarise


def data(seed=0, **changes):
    sizes = {"n_negative": 800, "n_positive": 200, "n_relevant": 8, "n_irrelevant": 4}
    return make_pu_clusters("40/3/1", **{**sizes, **changes}, return_classes=True, random_state=seed)


def fitted(X, y, **changes):
    return FSCPU(**{"n_features_to_select": 8, "max_iter": 30, "random_state": 0, **changes}).fit(X, y)


@pytest.fixture(scope="module")
def example():
    X, y, _, classes = data()
    return fitted(X, y), X, y, classes


def test_final_clusterings_have_the_objective_as_their_mean_score_and_place_rows_as_the_plain_mixture(example):
    selector, X, y, _ = example
    assert selector.clusterings_.score.mean() == pytest.approx(selector.objective_, rel=1e-12)
    np.testing.assert_array_equal(selector.clusterings_.size.sum(axis=1), len(X))
    np.testing.assert_array_equal(selector.clusterings_.labelled.sum(axis=1), y.sum())
    scaled = selector.clusterings_.scaled(X[:, selector.support_])
    place = selector.clusterings_.place(X[:, selector.support_])
    entropy = np.random.RandomState(0).randint(2**31 - 1)
    seeds = hashes(entropy, Stream.FINAL_SEEDS, np.arange(place.shape[1])) >> np.uint64(32)
    spec = Settings.of(selector.get_params()).mixture
    for seed, labels in zip(seeds, place.T, strict=True):
        plain = HardMixture(spec, random_state=int(seed)).fit_predict(scaled, y == 1)
        assert (plain != labels).sum() <= 1


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"covariance_type": "diag"},
        {"covariance_type": "tied"},
        {"covariance_type": "spherical"},
        {"scale": None},
        {"preset": "published", "max_iter": 2},
        {"n_clusters": 60, "max_iter": 2},
    ],
    ids=lambda changes: " ".join(map(str, changes.items())),
)
def test_rows_are_placed_where_the_fit_counted_them(changes):
    X, y, _, _ = data()
    selector = fitted(X, y, **changes)
    final = selector.clusterings_
    place = final.place(X[:, selector.support_])
    for i, labels in enumerate(place.T):
        size, hits = (np.bincount(part, minlength=final.size.shape[1]) for part in (labels, labels[y == 1]))
        assert np.abs(size - final.size[i]).sum() <= 2, "a row on the border may fall to either side"
        assert np.abs(hits - final.labelled[i]).sum() <= 2


@pytest.mark.parametrize(("condition", "precision"), [("10/8/2", 0.5), ("10/1/1", 0.95)])
def test_most_hidden_positives_are_candidates_and_most_likely_candidates_hidden_positives(condition, precision):
    sizes = {"n_negative": 2000, "n_positive": 300, "n_relevant": 20, "n_irrelevant": 10}
    X, y, _, classes = make_pu_clusters(condition, **sizes, random_state=0, return_classes=True)
    rows, lift, _ = FSCPU(20, max_iter=50, random_state=0).fit(X, y).candidate_positives(X, y)
    hidden = (classes == 1) & (y == 0)
    assert hidden[rows].sum() > 0.6 * hidden.sum()
    assert hidden[rows].mean() > precision
    assert lift[0] > 5
    assert hidden[rows[:100]].mean() > 0.9, "the most confident come first"


def test_candidates_are_unlabelled_and_most_confident_first_and_far_rows_do_no_harm(example):
    selector, X, y, _ = example
    candidates = selector.candidate_positives(X, y)
    assert (y[candidates.rows] == 0).all()
    assert (np.diff(candidates.lift) <= 0).all()
    assert candidates.lift.min() >= 1
    everyone = selector.candidate_positives(X)
    assert (y[everyone.rows] == 1).any()
    part, scores = np.arange(0, len(X), 7), selector.row_model_.scores
    np.testing.assert_allclose(scores(X[part][:, selector.support_]), scores(X[:, selector.support_])[part])
    selector, X, _, _ = example
    far = np.vstack([X[:2], np.full((1, X.shape[1]), 1e300)])
    assert len(selector.candidate_positives(far).rows) <= 3
    with pytest.raises(ValueError, match="12 features"):
        selector.candidate_positives(X[:, :5])


def test_large_tables_are_sampled_and_cluster_sizes_are_estimates():
    X, y, _, classes = data()
    selector = fitted(X, y, max_samples=300)
    rows = selector.candidate_positives(X, y).rows
    np.testing.assert_allclose(selector.clusterings_.size.sum(axis=1), len(X))
    assert classes[rows].mean() > 0.5, "six times the share among the unlabelled rows"


def test_rows_that_were_checked_are_no_candidates():
    X, y, *_ = data()
    selector = fitted(X, y)
    likely = selector.candidate_positives(X, y).rows[:20]
    labels = y.astype(float)
    labels[likely[:10]] = -1
    again = fitted(X, labels, neg_label=-1)
    assert again.result_.n_negative == 10
    assert not set(again.candidate_positives(X, labels).rows) & set(likely[:10])
    assert selector.result_.n_negative == 0


def test_a_reference_engine_has_candidates_too():
    X, y, _, _ = data(n_negative=300, n_positive=60)
    slow, fast = (fitted(X, y, engine=name, max_iter=2) for name in ("reference", "cpu"))
    assert slow.objective_ == pytest.approx(fast.objective_)
    rows, same = slow.candidate_positives(X).rows, fast.candidate_positives(X).rows
    n_both = min(len(rows), len(same))
    assert max(len(rows), len(same)) - n_both <= 1, "the last one is at the cut, but for rounding"
    np.testing.assert_array_equal(rows[:n_both], same[:n_both])


def test_a_clusterer_of_ones_own_cannot_place_rows():
    X, y, _, _ = data(n_negative=100, n_positive=30)
    selector = fitted(X, y, clusterer=KMeans(3, n_init=1), max_iter=2)
    with pytest.raises(ValueError, match="without clusterer=, got clusterer=KMeans"):
        selector.candidate_positives(X)


def test_values_beyond_float32_are_placed_by_the_reference_engine():
    X, y, _, _ = data(n_negative=100, n_positive=30)
    large = X * 2.0**200
    selector = fitted(large, y, engine="reference", scale=None, max_iter=2)
    final = selector.clusterings_
    assert not final.degenerate.any()
    for size, labels in zip(final.size, final.place(large[:, selector.support_]).T, strict=True):
        assert np.abs(np.bincount(labels, minlength=len(size)) - size).sum() <= 2


def test_labels_are_read_as_in_fit_but_none_or_all_may_be_positive(example):
    _, X, y, _ = example
    words = np.where(y == 1, "fraud", "?")
    selector = fitted(X, words, pos_label="fraud")
    assert (words[selector.candidate_positives(X, words).rows] == "?").all()
    assert len(selector.candidate_positives(X, np.full(len(X), "fraud")).rows) == 0
    assert len(selector.candidate_positives(X, np.full(len(X), np.nan)).rows) > 0
    column = selector.candidate_positives(X, words[:, None])
    np.testing.assert_array_equal(column.rows, selector.candidate_positives(X, words).rows)
    with pytest.raises(ValueError, match=r"one label for each of the 1000 rows of X, got shape \(3,\)"):
        selector.candidate_positives(X, ["?"] * 3)


@pytest.mark.parametrize("engine", ["cpu", "reference"])
def test_clusterings_of_constant_columns_stay_finite(engine):
    selector = FSCPU.published(2, max_iter=1, engine=engine, random_state=0)
    assert np.isfinite(selector.fit(np.ones((10, 4)), np.arange(10) < 3).clusterings_.factor).all()


def test_fewer_clusterings_are_kept_of_very_many_features(monkeypatch):
    X, y, _, _ = data()
    monkeypatch.setattr("puselect.fscpu.final_clusters.KEPT_BYTES", 2 * 10 * 8**2 * 3)
    assert len(fitted(X, y, max_iter=2).clusterings_.size) == 3
    monkeypatch.setattr("puselect.fscpu.final_clusters.KEPT_BYTES", 1)
    assert len(fitted(X, y, max_iter=2).clusterings_.size) == 1


def test_a_table_of_fewer_rows_than_clusters_is_summarised():
    X, y = np.random.default_rng(0).normal(size=(4, 3)), [1, 0, 0, 0]
    selector = FSCPU.published(1, engine="reference", n_clusters=9, max_iter=1, random_state=0).fit(X, y)
    assert selector.clusterings_ is None
    assert summarise(selector, X, y).n_labelled == 1
