from itertools import combinations

import numpy as np
from engine_contract import DEFAULT, PUBLISHED, small_table, some_masks
from sklearn.metrics import mutual_info_score

from puselect.clustering import ReferenceEngine
from puselect.objective.cluster import ClusterObjective
from puselect.objective.information import PairInformation, equal_width_codes
from puselect.objective.score import best_clusters


def test_values_are_the_scores_of_the_engines_tables():
    X, positive = small_table()
    engine = ReferenceEngine(X, positive, DEFAULT)
    masks, seeds, targets = some_masks(4, 12), np.arange(4), np.zeros(4, dtype=int)
    table = engine.cluster(masks, seeds)
    for cluster_choice, smoothing in (("best", 0.0), ("greedy", 0.0), ("best", 0.5)):
        values = ClusterObjective(engine, cluster_choice, smoothing)(masks, seeds, targets)
        expected = best_clusters(table.size, table.positive, cluster_choice, smoothing).score
        np.testing.assert_allclose(values[:, 0], expected)


def test_likely_rows_count_as_far_as_their_target_agrees():
    X, positive = small_table()
    known = positive.astype(np.int8)
    known[np.flatnonzero(~positive)[::3]] = 2
    engine = ReferenceEngine(X, np.stack([known, known]), DEFAULT)
    masks, seeds, targets = np.repeat(some_masks(2, 12), 2, axis=0), np.array([3, 3, 8, 8]), np.array([0, 1, 0, 1])
    table = engine.cluster(masks, seeds, targets)
    values = ClusterObjective(engine, smoothing=0.5, agreement=np.array([0.0, 0.75]))(masks, seeds, targets)
    hits = table.positive.copy()
    total = table.positive[1].sum()
    hits[1::2] = (hits[1::2] + 0.75 * total / table.likely[1].sum() * table.likely[1::2]) / 1.75
    np.testing.assert_allclose(values[:, 0], best_clusters(table.size, hits, smoothing=0.5).score)
    assert (values[::2] != values[1::2]).any()


def test_pair_information_is_the_mean_over_pairs():
    X, positive = small_table()
    codes = equal_width_codes(X).astype(int)
    parts = [PairInformation.of(X, labels).tables for labels in (positive, np.roll(positive, 5))]
    information = PairInformation(np.concatenate(parts))
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
    assert objective.n_degenerate.tolist() == [3]
