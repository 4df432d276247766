import numpy as np
import pytest

from puselect.fscpu import projection
from puselect.fscpu.final_clusters import Candidates
from puselect.fscpu.projection import CANDIDATE, LABELLED, UNLABELLED, principal_axes, row_kinds
from puselect.scaling import RobustScaling


@pytest.mark.parametrize("many", [500, 3])
def test_components_are_the_singular_vectors_up_to_sign(many, monkeypatch):
    monkeypatch.setattr(projection, "MANY_COLUMNS", many)
    X = np.random.default_rng(0).normal(size=(100, 5))
    points, explained = principal_axes(X)
    scaled = RobustScaling.of(X).scale(X)
    left, values, _ = np.linalg.svd(scaled - scaled.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(points), np.abs(left * values)[:, :2], atol=1e-8)
    np.testing.assert_allclose(explained, (values**2 / (values**2).sum())[:2])


def test_one_column_and_constant_columns_survive():
    points, explained = principal_axes(np.arange(4.0)[:, None])
    assert (points[:, 1] == 0).all()
    assert explained.tolist() == [1, 0]
    for table in (np.ones((4, 3)), np.array([[0.0], [5e-324], [-5e-324], [0.0]])):  # too small to be scaled apart
        points, explained = principal_axes(table)
        assert not points.any()
        assert not explained.any()


def test_a_labelled_row_is_labelled_whatever_else_it_is():
    found = Candidates(np.array([1, 2]), np.array([0.9, 0.8]), None)
    kinds = row_kinds(4, np.array([False, True, False, False]), found)
    assert kinds.tolist() == [UNLABELLED, LABELLED, CANDIDATE, UNLABELLED]


def test_a_category_has_no_more_weight_than_another_column():
    rng = np.random.default_rng(0)
    category = np.eye(4)[rng.integers(0, 4, 400)]
    table = np.column_stack([rng.normal(size=(400, 4)), category])
    table[:, 1] += table[:, 0]
    share = [
        abs(np.corrcoef(principal_axes(table, groups)[0][:, 0], table[:, 0])[0, 1]) for groups in ([], [[4, 5, 6, 7]])
    ]
    assert share[0] < 0.5 < 0.8 < share[1]
    np.testing.assert_array_equal(principal_axes(category, [[0, 1, 2, 3]])[0], principal_axes(category)[0])
