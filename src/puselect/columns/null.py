"""Columns related to the labels beyond chance: p-values, a test of all columns, bounds on their number.

Random sets of rows, as many as are labelled, show the statistic of a column that is independent of the labels. The sets
are the same for all columns, so dependence between columns is kept; each column has its own null, so ties are, too.
"""

from typing import NamedTuple, Self

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.columns.ranks import ColumnRanks
from puselect.row_groups import draw_labelled

MOST_DRAWS, FEWEST_DRAWS = 2000, 400
DRAWN_VALUES = 2_000_000  # of all columns together
TAIL = 0.1  # share of the draws of a column that the tail of its null is fitted to
FEWEST_IN_TAIL = 10
SURE = 0.95
LEVELS = np.array([0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2])
HALF = 0.5


class Chance(NamedTuple):
    """How the statistics of the columns compare with those for random rows."""

    p_values: FloatArray
    """Of each column: how often one that is independent of the labels has as large a statistic, (n_features,)."""
    p_value: float
    """Of all columns together: valid whatever the columns depend on, if rows do not."""
    at_least: int
    """Columns that are related to the labels, at least, with a confidence of 95 %."""
    at_most: int
    """Columns whose relation to the labels could show here, at most, with a confidence of 95 %."""

    @classmethod
    def of(cls, statistic: FloatArray, drawn: FloatArray) -> Self:
        """Compare the statistics of the labelled rows, (n_features,), with those of `draw_statistics`."""
        # Rounded, so that sums of the same values in another order are ties.
        roots, drawn = (np.sqrt(each).round(4) for each in (statistic, drawn))
        both = [null_p_values(*each) for each in zip(roots, drawn.T, strict=True)]
        p_values, drawn_p = np.array([p for p, _ in both]), np.stack([p for _, p in both], axis=1)
        at_least = related_at_least(p_values, drawn_p)
        at_most = max(related_at_most(p_values, drawn_p), at_least)
        return cls(p_values, joint_p_value(-np.log(p_values), -np.log(drawn_p)), at_least, at_most)

    def false_share(self, order: IntArray) -> FloatArray:
        """Return an estimate of the share of false columns among the first 1, 2, ... of `order`, never falling.

        The estimate of Benjamini and Hochberg (1995): the number of columns that would have a p-value as small as the
        largest one so far if all columns were independent of the labels.
        """
        worst = np.maximum.accumulate(self.p_values[order])
        share = len(order) * worst / np.arange(1, len(order) + 1)
        return np.asarray(np.minimum(np.minimum.accumulate(share[::-1])[::-1], 1.0))


def draw_statistics(
    ranks: ColumnRanks, positive: BoolArray, rng: np.random.Generator, row_groups: IntArray | None = None
) -> FloatArray:
    """Return the statistics of all columns for random sets of rows, shape (n_draws, n_features)."""
    n_draws = int(np.clip(DRAWN_VALUES // max(ranks.n_features, 1), FEWEST_DRAWS, MOST_DRAWS))
    drawn = np.empty((n_draws, ranks.n_features))
    for each in drawn:
        each[:] = ranks.statistic(draw_labelled(positive, row_groups, rng))
    return drawn


def null_p_values(value: float, drawn: FloatArray) -> tuple[float, FloatArray]:
    """Return the p-value of the root of a statistic, and those of the draws among each other.

    The share of draws that are as large, but at least the share above the value of an exponential tail, fitted to the
    largest tenth of them. The tails of roots of rank statistics are lighter than that.

    Examples
    --------
    >>> drawn = np.sqrt(np.random.default_rng(0).chisquare(2, 2000))
    >>> [round(null_p_values(value, drawn)[0], 5) for value in (1.2, 2.4, 3.7, 5.5)]  # exact: .487 .056 .00106 2.7e-7
    [0.4895, 0.0595, 0.00284, 5e-05]
    """
    n_draws, ordered = len(drawn), np.sort(drawn)
    first = ordered[int((1 - TAIL) * n_draws) - 1]
    excess = ordered[ordered > first] - first
    mean = excess.mean() if len(excess) >= FEWEST_IN_TAIL else np.inf
    values = np.append(drawn, value)
    n_above = n_draws - np.searchsorted(ordered, values)
    n_above[:-1] -= 1  # without the draw itself
    tail = max(len(excess), 1) / n_draws * np.exp(-np.maximum(values - first, 0.0) / mean)
    p_values = np.maximum(n_above / n_draws, np.where(values > first, tail, 1 / n_draws)).clip(np.finfo(float).tiny)
    return float(p_values[-1]), p_values[:-1]


def joint_p_value(statistic: FloatArray, drawn: FloatArray) -> float:
    """Return the p-value of the hypothesis that no column is related to the labels.

    The sum over the columns and the largest one are both compared with the draws (n_draws, n_features); the smaller of
    the two p-values is compared with those that the draws would get, which makes it valid.
    """
    values = np.vstack([statistic, drawn])
    both = np.stack([values.sum(axis=1), values.max(axis=1, initial=0.0)])
    n_above = (both[:, None, :] >= both[:, :, None]).sum(axis=2)
    smaller = n_above.min(axis=0)
    return float((smaller <= smaller[0]).mean())


def related_at_least(p_values: FloatArray, drawn: FloatArray) -> int:
    """Return how many columns are related to the labels at least.

    The excess over an envelope that covers 95 % of the draws at all levels at once (N. Meinshausen, "False discovery
    control for multiple tests of association under general dependence", Scandinavian Journal of Statistics 33, 2006).
    """
    counts = np.stack([(drawn <= level).sum(axis=1) for level in LEVELS], axis=1)
    found = np.array([(p_values <= level).sum() for level in LEVELS])
    bounds = (np.quantile(counts, share, axis=0, method="higher") for share in np.linspace(SURE, 1.0, 11))
    bound = next(bound for bound in bounds if (counts <= bound).all(axis=1).mean() >= SURE)
    return int(max(0, (found - bound).max()))


def related_at_most(p_values: FloatArray, drawn: FloatArray) -> int:
    """Return how many columns can be related to the labels at most, judged by how many p-values are above one half.

    About half of the unrelated columns are there; as many unrelated ones are needed as make that count plausible.
    """
    n_features = len(p_values)
    n_high = int((p_values > HALF).sum())
    shares = (drawn > HALF).mean(axis=1)
    centre, spread = shares.mean(), np.quantile(shares, SURE) - shares.mean()
    n_unrelated = np.arange(1, n_features + 1)
    plausible = n_high <= n_unrelated * (centre + spread * np.sqrt(n_features / n_unrelated))
    least = 0 if n_high == 0 else int(n_unrelated[plausible][0]) if plausible.any() else n_features
    return n_features - least
