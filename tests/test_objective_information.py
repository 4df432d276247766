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


def test_constant_columns_tell_nothing():
    codes, positive = some_codes()
    codes[:, 2] = 0
    np.testing.assert_allclose(PairRows(codes, positive).information(2), 0, atol=1e-12)
    table = joint_information(codes, positive)
    np.testing.assert_allclose(table[2], np.diag(table), atol=1e-12)


class TestBins:
    def test_agree_with_the_formula(self):
        X = np.random.default_rng(0).normal(size=(100, 3))
        for column, codes in zip(X.T, equal_width_codes(X, 5).T, strict=True):
            low, width = column.min(), np.ptp(column) / 5
            np.testing.assert_array_equal(codes, [min(int((x - low) / width), 4) for x in column])

    def test_few_values_stay_apart(self):
        X = np.array([[0.0, 100.0, 101.0, 102.0, 0.0]]).T
        np.testing.assert_array_equal(equal_width_codes(X, 5)[:, 0], [0, 1, 2, 3, 0])

    @pytest.mark.parametrize("n_bins", [2, 5, 200])
    def test_codes_reach_from_zero_to_the_number_of_bins(self, n_bins):
        X = np.random.default_rng(0).random((1000, 2))
        codes = equal_width_codes(X, n_bins)
        assert (codes.min(), codes.max()) == (0, n_bins - 1)


def test_the_pairs_of_one_column_are_a_line_of_the_table_of_all():
    rng = np.random.default_rng(3)
    codes, positive = rng.integers(0, 4, (300, 9)).astype(np.int8), rng.random(300) < 0.2
    pairs = PairRows(codes, positive)
    for column in (0, 8):
        np.testing.assert_array_equal(pairs.joint_information(column), joint_information(codes, positive)[column])
