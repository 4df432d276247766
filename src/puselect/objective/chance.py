"""Which columns say more about the labels than chance would: p-values, a test of all columns, bounds on their number.

Random sets of rows, as many as are labelled and as many again as co-training adds, show what a column that is
independent of the labels would say. They are the same for all columns, so dependence between columns is kept.
"""

from typing import NamedTuple, Self

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.objective.column_ranks import ColumnRanks
from puselect.objective.evidence import Evidence
from puselect.row_groups import draw_sets

MOST_DRAWS, FEWEST_DRAWS = 399, 59
DRAWN_VALUES = 100_000  # of all columns together: they are pooled, so that wide tables need fewer draws
SURE = 0.95
LEVELS = np.array([0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2])
HALF = 0.5


class Chance(NamedTuple):
    """How the evidence of the columns compares with that for random rows."""

    p_values: FloatArray
    """Of each column: how often one that is independent of the labels has as much evidence, shape (n_features,)."""
    p_value: float
    """Of all columns together, from the labelled rows alone: valid whatever the columns depend on, if rows do not."""
    at_least: int
    """Columns that are related to the labels, at least, with a confidence of 95 %."""
    at_most: int
    """Columns whose relation to the labels could show here, at most, with a confidence of 95 %."""

    @classmethod
    def of(cls, evidence: Evidence, labelled: FloatArray, cotrained: FloatArray) -> Self:
        """Compare evidence with that for random sets of rows.

        Parameters
        ----------
        evidence : Evidence
        labelled, cotrained : ndarray of shape (n_draws, n_features)
            Both statistics for random sets, as `draw_statistics` gives them.
        """
        drawn = evidence._replace(labelled=labelled, cotrained=cotrained).support
        pooled = np.sort(drawn, axis=None)
        p_values, drawn_p = _tail(pooled, evidence.support), _tail(pooled, drawn)
        at_least = related_at_least(p_values, drawn_p)
        at_most = max(related_at_most(p_values, drawn_p), at_least)
        return cls(p_values, joint_p_value(evidence.labelled, labelled), at_least, at_most)

    def false_share(self, order: IntArray) -> FloatArray:
        """Return an estimate of the share of false columns among the first 1, 2, ... of `order`, never falling.

        The estimate of Benjamini and Hochberg (1995): if all columns were independent of the labels, so many of them
        would have a p-value as small as the largest one so far.
        """
        worst = np.maximum.accumulate(self.p_values[order])
        share = len(order) * worst / np.arange(1, len(order) + 1)
        return np.asarray(np.minimum(np.minimum.accumulate(share[::-1])[::-1], 1.0))


def draw_statistics(
    ranks: ColumnRanks, positive: BoolArray, n_found: int, rng: np.random.Generator, row_groups: IntArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return both statistics of all columns for random sets of rows, each of shape (n_draws, n_features)."""
    n_features = ranks.n_features
    n_draws = int(np.clip(DRAWN_VALUES // max(n_features, 1), FEWEST_DRAWS, MOST_DRAWS))
    labelled, cotrained = np.empty((2, n_draws, n_features))
    for i in range(n_draws):
        rows, more = draw_sets(positive, n_found, row_groups, rng)
        labelled[i], cotrained[i] = ranks.statistic(rows), ranks.statistic(more)
    return labelled, cotrained


def joint_p_value(statistic: FloatArray, drawn: FloatArray) -> float:
    """Return the p-value of the hypothesis that no column is related to the labels.

    The sum over the columns and the largest one are both compared with the draws; the smaller of the two p-values is
    compared with those that the draws would get, which makes it valid.

    Parameters
    ----------
    statistic : ndarray of shape (n_features,)
    drawn : ndarray of shape (n_draws, n_features)
        The same for random rows.
    """
    values = np.vstack([statistic, drawn])
    both = np.stack([values.sum(axis=1), values.max(axis=1, initial=0.0)])
    n_above = (both[:, None, :] >= both[:, :, None]).sum(axis=2)
    smaller = n_above.min(axis=0)
    return float((smaller <= smaller[0]).mean())


def related_at_least(p_values: FloatArray, drawn: FloatArray) -> int:
    """Return how many columns are related to the labels at least.

    What exceeds an envelope under which 95 % of the draws stay at all levels at once (N. Meinshausen, "False discovery
    control for multiple tests of association under general dependence", Scandinavian Journal of Statistics 33, 2006).
    """
    counts = np.stack([(drawn <= level).sum(axis=1) for level in LEVELS], axis=1)
    found = np.array([(p_values <= level).sum() for level in LEVELS])
    inside = 1.0
    for quantile in np.linspace(SURE, 1.0, 11):
        bound = np.quantile(counts, quantile, axis=0, method="higher")
        inside = float((counts <= bound).all(axis=1).mean())
        if inside >= SURE:
            break
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


def _tail(pooled: FloatArray, values: FloatArray) -> FloatArray:
    """Return how often a pooled value, the smallest first, is as large, counting each value itself."""
    n_larger = len(pooled) - np.searchsorted(pooled, values, side="left")
    return np.asarray((1 + n_larger) / (1 + len(pooled)))
