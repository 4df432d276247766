"""Checked negatives: what the inspected rows say about the class, and how rows were picked for inspection.

Positives against negatives say what belongs to the class. The mean of a column over all rows lies between its means in
the two classes; if the means of both kinds of inspected rows lie on one side of it, further than by chance, the column
says how rows were picked.
"""

import numpy as np
from scipy.stats import chi2

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.columns.ranks import ROUNDING, ColumnRanks

# Constants were chosen on the evidence of 24 real tables, without a search.
SHARES = np.linspace(0, 1, 21)  # of positives among all rows
MINORITY = 6.0  # before the table is looked at, a share s has the density (1 - s)^6
DEPENDENCE = 4.0  # times the root of the number of columns: how many columns repeat each other
PICKED = 0.05  # largest p-value, times the number of columns, of a column that says how rows were picked
UNRELATED = 0.01  # smallest p-value of such a column for positives against negatives, if it says nothing else
SUSPECTED = 0.01  # largest p-value of a column that is judged by the inspected rows alone


class CheckedRanks:
    """Statistics of sets of positives that are compared with checked negatives, too.

    Has the methods `statistic` and `statistic_each` of `ColumnRanks`, and the same values without negatives.
    """

    def __init__(self, ranks: ColumnRanks, positive: IntArray, negative: IntArray) -> None:
        self.ranks = ranks
        self.n_negative = len(negative)
        self.gap = ranks.means(negative) - ranks.mean
        """Mean scores of the checked negatives less those of all rows, shape (2, n_features)."""
        known, m = ranks.means(positive) - ranks.mean, len(positive)
        errors = self._variance(known) / m, self._variance(self.gap) / self.n_negative
        self.among_inspected = _ratio((known[0] - self.gap[0]) ** 2, errors[0] + errors[1])
        """Squared z-score of the locations of positives and negatives, shape (n_features,)."""
        p_values = chi2.sf(self._picking(known, *errors), 1)
        self.suspected: BoolArray = p_values <= SUSPECTED
        """Columns that may say how rows were picked, shape (n_features,)."""
        totals = np.array([self._contrast(known, m, share)[~self.suspected].sum() for share in SHARES])
        self.share = likely_share(totals, ranks.n_features)
        """Of positives among all rows."""
        is_unrelated = chi2.sf(self.among_inspected, 1) > UNRELATED
        self.picked: BoolArray = (p_values * ranks.n_features <= PICKED) & is_unrelated
        """Columns that do, and say nothing about the class."""

    def statistic(self, rows: IntArray) -> FloatArray:
        """Return the statistic of every column for a set of positives."""
        return self._statistic(self.ranks.means(rows), len(rows), slice(None))

    def statistic_each(self, columns: IntArray, rows: IntArray) -> FloatArray:
        """Return the statistic of `columns`, each for its own set of positives: ``rows`` (n_columns, n_set)."""
        return self._statistic(self.ranks.means_each(columns, rows), rows.shape[1], columns)

    def _statistic(self, means: FloatArray, m: int, columns: IntArray | slice) -> FloatArray:
        found = self._contrast(means - self.ranks.mean[:, columns], m, self.share, columns)
        return np.where(self.suspected[columns], self.among_inspected[columns], found)

    def _contrast(
        self, gap: FloatArray, m: int, share: float, columns: IntArray | slice = slice(None)
    ) -> FloatArray:
        """Return the statistic of columns if each of `m` positives counts 1 - share and each negative -share.

        It is most powerful with the share of positives among all rows.
        """
        of_positive, of_negative = (1 - share) * m, share * self.n_negative
        total = of_positive * gap - of_negative * self.gap[:, columns]
        squares = (1 - share) * of_positive + share * of_negative
        n_counted = squares - (of_positive - of_negative) ** 2 / self.ranks.n_rows
        return np.asarray(_ratio(total**2, n_counted * self.ranks.variance[:, columns]).sum(axis=0))

    def _picking(self, known: FloatArray, of_positive: FloatArray, of_negative: FloatArray) -> FloatArray:
        """Return the squared z-score of the location of inspected among all rows: the smallest over shares up to ½.

        `of_positive` and `of_negative` are the squared errors of the mean scores.
        """
        found, of_all = [], self.ranks.variance[0] / self.ranks.n_rows
        for share in SHARES[: len(SHARES) // 2 + 1]:
            error = share**2 * of_positive + (1 - share) ** 2 * of_negative - of_all
            found.append(_ratio((share * known[0] + (1 - share) * self.gap[0]) ** 2, error))
        return np.asarray(np.min(found, axis=0))

    def _variance(self, gap: FloatArray) -> FloatArray:
        """Return the variance of the first score among some rows, or among all rows if that is larger."""
        location, square = gap + self.ranks.mean
        return np.asarray(np.maximum(self.ranks.variance[0], square - location**2))


def likely_share(totals: FloatArray, n_features: int) -> float:
    """Return the expected share of positives from the sums of the statistics of all columns at each of `SHARES`.

    Examples
    --------
    >>> round(likely_share(-500 * (SHARES - 0.3) ** 2, 25), 2), round(likely_share(np.zeros(21), 25), 2)
    (0.2, 0.1)
    """
    weight = np.exp((totals - totals.max()) / (DEPENDENCE * np.sqrt(n_features))) * (1 - SHARES) ** MINORITY
    return float(weight @ SHARES / weight.sum())


def _ratio(square: FloatArray, error: FloatArray) -> FloatArray:
    """Return squares over their expected values, 0 for columns that do not vary."""
    return np.asarray(np.divide(square, error, out=np.zeros_like(square), where=error > ROUNDING))
