import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from puselect.objective import information
from puselect.objective.information import PairRows, equal_width_codes, joint_information


def some_codes(seed=0, n_rows=200, n_columns=5, n_codes=4):
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_codes, size=(n_rows, n_columns)).astype(np.int8)
    codes[:, 1] = (codes[:, 0] + (rng.random(n_rows) < 0.2)) % n_codes
    positive = rng.random(n_rows) < 0.1 + 0.2 * (codes[:, 0] == 1)
    return codes, positive


def test_pairs_agree_with_scikit_learn():
    codes, positive = some_codes()
    pairs = PairRows(codes, positive)
    for column, a in enumerate(codes.T):
        expected = [mutual_info_score(a, b) for b in codes.T]
        np.testing.assert_allclose(pairs.information(column), expected, atol=1e-12)


def test_information_of_pairs_about_the_labels_agrees_with_scikit_learn():
    codes, positive = some_codes()
    joined = [[mutual_info_score(10 * a.astype(int) + b, positive) for b in codes.T] for a in codes.T]
    table = joint_information(codes, positive)
    np.testing.assert_allclose(table, joined, atol=1e-12)
    np.testing.assert_allclose(np.diag(table), [mutual_info_score(a, positive) for a in codes.T], atol=1e-12)


def test_rows_are_counted_in_chunks(monkeypatch):
    codes, positive = some_codes()
    whole = joint_information(codes, positive)
    monkeypatch.setattr(information, "CHUNK", 7)
    np.testing.assert_array_equal(joint_information(codes, positive), whole)


class TestBins:
    @pytest.mark.parametrize("n_bins", [2, 5, 200])
    def test_agree_with_the_formula(self, n_bins):
        X = np.random.default_rng(0).normal(size=(1000, 3))
        for column, codes in zip(X.T, equal_width_codes(X, n_bins).T, strict=True):
            low, width = column.min(), np.ptp(column) / n_bins
            np.testing.assert_array_equal(codes, [min(int((x - low) / width), n_bins - 1) for x in column])

    def test_few_values_stay_apart(self):
        X = np.array([[0.0, 100.0, 101.0, 102.0, 0.0]]).T
        np.testing.assert_array_equal(equal_width_codes(X, 5)[:, 0], [0, 1, 2, 3, 0])



def test_the_pairs_of_one_column_are_a_line_of_the_table_of_all():
    rng = np.random.default_rng(3)
    codes, positive = rng.integers(0, 4, (300, 9)).astype(np.int8), rng.random(300) < 0.2
    pairs = PairRows(codes, positive)
    for column in (0, 8):
        np.testing.assert_array_equal(pairs.joint_information(column), joint_information(codes, positive)[column])
