from itertools import combinations

import numpy as np
from engine_contract import DEFAULT, PUBLISHED, small_table, some_masks
from sklearn.metrics import mutual_info_score

from puselect.engines import ReferenceEngine
from puselect.objective.cluster import ClusterObjective
from puselect.objective.information import PairInformation, equal_width_codes
from puselect.objective.score import cluster_score, random_labels


def test_values_are_the_scores_of_the_engines_tables():
    X, positive = small_table()
    engine = ReferenceEngine(X, positive, DEFAULT)
    masks, seeds, targets = some_masks(4, 12), np.arange(4), np.zeros(4, dtype=int)
    table = engine.cluster(masks, seeds)
    for cluster_choice in ("best", "greedy"):
        values = ClusterObjective(engine, cluster_choice)(masks, seeds, targets)
        np.testing.assert_array_equal(values[:, 0], cluster_score(table.size, table.positive, cluster_choice))


def test_pair_information_is_the_mean_over_pairs():
    X, positive = small_table()
    codes = equal_width_codes(X).astype(int)
    information = PairInformation.of(X, np.stack([positive, np.roll(positive, 5)]))
    masks = some_masks(3, 12)
    for target, labels in enumerate((positive, np.roll(positive, 5))):
        values = information(masks, np.full(3, target))
        for mask, value in zip(masks, values, strict=True):
            pairs = [
                mutual_info_score(codes[:, i] * 5 + codes[:, j], labels)
                for i, j in combinations(np.flatnonzero(mask), 2)
            ]
            np.testing.assert_allclose(value, np.mean(pairs))


def test_pair_information_of_one_or_no_feature():
    X, positive = small_table()
    information = PairInformation.of(X, positive)
    one = np.eye(12, dtype=bool)[:1]
    code = equal_width_codes(X)[:, 0]
    np.testing.assert_allclose(information(one, np.array([0])), mutual_info_score(code, positive))
    assert information(np.zeros((1, 12), dtype=bool), np.array([0])) == [0.0]


def test_degenerate_masks_are_counted():
    X, positive = small_table()
    objective = ClusterObjective(ReferenceEngine(np.zeros_like(X), positive, PUBLISHED))
    objective(some_masks(3, 12), np.arange(3), np.zeros(3, dtype=int))
    assert objective.n_degenerate == 3


def test_chance_is_drawn_for_one_mask_of_each_seed():
    X, positive = small_table()
    objective = ClusterObjective(ReferenceEngine(X, positive, DEFAULT), draws_chance=True)
    masks, seeds, targets = some_masks(4, 12), np.array([5, 5, 7, 7]), np.zeros(4, dtype=int)
    values = objective(masks, seeds, targets)
    assert values.shape == (4, 2)
    assert np.isfinite(values[:, 1]).tolist() == [True, False, True, False]
    np.testing.assert_array_equal(objective(masks[2:], seeds[2:], targets[2:]), values[2:])


def test_random_labels_score_as_shuffled_labels_do():
    rng = np.random.default_rng(0)
    size = np.array([40.0, 10, 0, 25, 5])
    hits = np.stack([random_labels(size, np.array([0.0, 6, 0, 3, 0]), seed) for seed in range(2000)])
    assert (hits.sum(axis=1) == 9).all()
    labels = np.repeat(np.arange(5), size.astype(int))
    shuffled = np.stack([np.bincount(rng.permutation(labels)[:9], minlength=5) for _ in range(2000)])
    np.testing.assert_allclose(hits.mean(axis=0), shuffled.mean(axis=0), atol=0.15)
    np.testing.assert_allclose(hits.var(axis=0), shuffled.var(axis=0), rtol=0.15)
