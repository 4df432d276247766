"""What single columns say about the labels, in units of their own error.

Two statistics per column. One compares the labelled rows with all rows. The co-trained one compares the labelled rows
and the unlabelled rows that *other* columns find similar to them, so that no column votes for itself. Both are the sum
of two squared z-scores, one for another location and one for another spread, from normal scores of ranks: van der
Waerden's and Klotz's (Annals of Mathematical Statistics 33, 1962), which see the tails.
"""

from typing import NamedTuple, Self

import numpy as np

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.columns.ranks import LEPAGE, ColumnRanks, covariance, row_features

N_JUDGES = 32  # columns that score the rows: more of them add noise, see docs/internals/algorithm.md
N_ROUNDS = 2
N_FOLDS = 5
MOST_FOUND = 0.25  # of the unlabelled rows
NEGLIGIBLE = 0.02  # weight of co-trained evidence; where all weights are near 0, a little of it would still decide
LEAST_WEIGHT = 1e-3  # of the labelled rows, whose order is the best guess where nothing is known
FEW_COLUMNS, FEW_VALUES = 80, 2**21  # of tables whose covariance is computed once, for all discriminants
SHRINKAGE = 0.1  # of the covariance of the judges towards a multiple of the identity
NO_DIFFERENCE = 2.0  # expected value of both statistics: chi-squared with two degrees of freedom
NO_DIFFERENCE_ROOT = np.sqrt(np.pi / 2)  # and of their square roots


class Evidence(NamedTuple):
    """How much each column says about the labels."""

    labelled: FloatArray
    """The statistic for the labelled rows, shape (n_features,)."""
    cotrained: FloatArray
    """The statistic for the labelled rows and those that other columns find, shape (n_features,)."""
    labelled_weight: float
    """How much `labelled` counts, in [0, 1]: the square of `signal_share`, times 1 - `cotrained_weight`."""
    cotrained_weight: float
    """How much `cotrained` counts: the square of `signal_share` times `heldout_share`, times the correlation of the
    roots of two statistics, of the labelled rows and of the rows found. Outliers, for instance, are found again, but
    other rows are found with them that differ from the rest in other columns."""
    n_found: int
    """Unlabelled rows that joined the labelled ones: about as many as there are hidden positives, if others differ
    enough from them."""

    @property
    def weight(self) -> float:
        """How much of what columns say is not noise, in [0, 1]."""
        return self.labelled_weight + self.cotrained_weight

    @property
    def z_scores(self) -> FloatArray:
        """Evidence for each column in standard errors; 0 for what chance alone would give."""
        labelled = self.labelled_weight * (np.sqrt(self.labelled) - NO_DIFFERENCE_ROOT)
        cotrained = self.cotrained_weight * (np.sqrt(self.cotrained) - NO_DIFFERENCE_ROOT)
        return np.asarray(labelled + cotrained)

    def widened(self, columns: IntArray, n_features: int) -> Self:
        """Return the evidence for a table of `n_features`, of which these are `columns`; 0 for all others."""
        labelled, cotrained = np.zeros(n_features), np.zeros(n_features)
        labelled[columns], cotrained[columns] = self.labelled, self.cotrained
        return self._replace(labelled=labelled, cotrained=cotrained)

    def __repr__(self) -> str:
        weights = f"labelled_weight={self.labelled_weight:.2f}, cotrained_weight={self.cotrained_weight:.2f}"
        return f"Evidence({weights}, n_features={len(self.labelled)})"


def column_evidence(X: AnyArray, positive: BoolArray) -> FloatArray:
    """Return Lepage's statistic of every column: how much labelled rows differ in location or spread.

    The sum of the squares of two standardised rank statistics, Wilcoxon's for a shift and Ansari and Bradley's for
    another spread (Lepage, Biometrika 58, 1971). Any increasing transformation of a column leaves it as it is. Without
    a difference it is about chi-squared with two degrees of freedom; a constant column gets 0.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    positive : ndarray of bool, shape (n_rows,)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> positive = np.arange(500) < 40
    >>> X = rng.normal(size=(500, 3))
    >>> X[positive, 0] += 2  # another location
    >>> X[positive, 1] *= 3  # another spread
    >>> column_evidence(X, positive).round().astype(int)
    array([114,  37,   7])
    """
    return ColumnRanks(X, LEPAGE).statistic(np.flatnonzero(positive))


def rank_evidence(ranks: ColumnRanks, positive: BoolArray, share: float, rng: np.random.Generator) -> Evidence:
    """Return the evidence of every column.

    Parameters
    ----------
    ranks : ColumnRanks
    positive : ndarray of bool, shape (n_rows,)
    share : float
        Share of the features that are wanted; the best ones decide how much the evidence counts.
    rng : numpy.random.Generator
        Breaks ties.
    """
    labelled_rows = np.flatnonzero(positive)
    labelled = ranks.statistic(labelled_rows)
    above = heldout_places(ranks, labelled_rows, rng)
    n_unlabelled = len(positive) - len(labelled_rows)
    n_found = rows_to_find(above, n_unlabelled)
    cotrained = found = labelled
    if n_found:
        for _ in range(N_ROUNDS):
            cotrained, found = _cotrained(ranks, positive, choose_judges(cotrained, rng), n_found)
    return weighed(Evidence(labelled, cotrained, 0.0, 0.0, n_found), found, above, n_unlabelled, ranks, share)


def weighed(
    evidence: Evidence, found: FloatArray, above: FloatArray, n_unlabelled: int, ranks: ColumnRanks, share: float
) -> Evidence:
    """Return evidence with its weights.

    Parameters
    ----------
    evidence : Evidence
        Without weights yet.
    found : ndarray of shape (n_features,)
        The statistic for the rows found alone.
    above : ndarray of shape (n_labelled,)
        What `heldout_places` returns.
    n_unlabelled : int
    ranks : ColumnRanks
    share : float
        Share of the features that are wanted.
    """
    labelled, cotrained, *_ = evidence
    varies = ranks.variance[0] > 0
    cotrained_share = signal_share(cotrained[varies], share) * heldout_share(above, n_unlabelled)
    agreement = _correlation(np.sqrt(labelled[varies]), np.sqrt(found[varies]))
    cotrained_weight = cotrained_share**2 * max(0.0, agreement)
    if cotrained_weight < NEGLIGIBLE:
        cotrained_weight = 0.0
    labelled_weight = max(signal_share(labelled[varies], share) ** 2, LEAST_WEIGHT) * (1 - cotrained_weight)
    return evidence._replace(labelled_weight=labelled_weight, cotrained_weight=cotrained_weight)


def heldout_places(ranks: ColumnRanks, labelled_rows: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return how many unlabelled rows look more like labelled ones than each labelled row does, in ascending order.

    Labelled rows are held out in turn, and all rows are scored by a discriminant of the others. Ties count half. Empty
    with fewer than two labelled rows.
    """
    n_labelled = len(labelled_rows)
    if n_labelled < 2:
        return np.empty(0)
    unlabelled = np.ones(ranks.n_rows, dtype=bool)
    unlabelled[labelled_rows] = False
    above = np.empty(n_labelled)
    for fold in np.array_split(rng.permutation(n_labelled), min(N_FOLDS, n_labelled)):
        positive = ~unlabelled
        positive[labelled_rows[fold]] = False
        judges = choose_judges(ranks.statistic(np.flatnonzero(positive)), rng)
        score = _discriminant(ranks, judges, positive)
        others, heldout = np.sort(score[unlabelled]), score[labelled_rows[fold]]
        below = np.searchsorted(others, heldout, "left") + np.searchsorted(others, heldout, "right")
        above[fold] = len(others) - below / 2
    return np.sort(above)


def heldout_share(above: FloatArray, n_unlabelled: int) -> float:
    """Return how much of the similarity between labelled rows is not noise.

    With z the standardised mean of their places among the unlabelled rows (`heldout_places`), the share is
    z^2 / (1 + z^2); 0 if they are not found. Columns that depend on each other agree on rows even if the labels are
    random, so co-trained evidence counts no more than this.
    """
    if not len(above) or not n_unlabelled:
        return 0.0
    z = (0.5 - above.mean() / n_unlabelled) * np.sqrt(12 * len(above))
    return float(z**2 / (1 + z**2)) if z > 0 else 0.0


def rows_to_find(above: FloatArray, n_unlabelled: int) -> int:
    """Return how many unlabelled rows should join the labelled ones.

    If the first C unlabelled rows have A of the labelled rows among them, as far as held-out ones tell, A^2 / C is
    proportional to recall times precision (W. S. Lee and B. Liu, ICML 2003). The best C is taken, but at least as many
    as there are labelled rows, below which A is mostly chance, and at most a quarter of the unlabelled rows.

    Examples
    --------
    >>> rows_to_find(np.array([1.0, 3.0, 8.0, 9.0, 70.0]), 400)  # four of five among the first nine
    9
    """
    if not len(above):
        return 0
    first = np.maximum(above, len(above))
    n_among = np.searchsorted(above, first, side="right")
    return int(min(first[np.argmax(n_among**2 / first)], MOST_FOUND * n_unlabelled))


def signal_share(statistic: FloatArray, share: float) -> float:
    """Return how much of the best statistics is not noise: 1 - what chance alone would give / their mean.

    Parameters
    ----------
    statistic : ndarray of shape (n_features,)
        Chi-squared with two degrees of freedom where there is no difference.
    share : float
        Share of the features that count as the best.

    Examples
    --------
    >>> float(round(signal_share(np.array([1.0, 2.0, 20.0, 30.0]), 0.5), 2))
    0.86
    """
    if not 0 < share <= 1 or not len(statistic):
        return 0.0
    n_best = max(1, round(share * len(statistic)))
    mean = float(np.sort(statistic)[::-1][:n_best].mean())
    chance = NO_DIFFERENCE * (1 - np.log(share))  # mean of the best of independent exponentials
    return float(max(0.0, 1 - chance / mean)) if mean > 0 else 0.0


def _correlation(a: FloatArray, b: FloatArray) -> float:
    """Return Pearson's correlation, 0 where one of the two does not vary."""
    deviation = a.std() * b.std() if len(a) else 0.0
    return float(np.mean((a - a.mean()) * (b - b.mean())) / deviation) if deviation > 0 else 0.0


def choose_judges(evidence: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return the columns that score the rows: those with most evidence, ties in random order."""
    return np.lexsort((rng.random(len(evidence)), -evidence))[:N_JUDGES]


def _cotrained(
    ranks: ColumnRanks, positive: BoolArray, judges: IntArray, n_found: int
) -> tuple[FloatArray, FloatArray]:
    """Return the statistic of every column for the labelled rows and those found, and for those found alone.

    Rows are found by the judges; for a judge itself, by the other judges.
    """
    found = found_by_judges(ranks, positive, judges, n_found)
    both = with_labelled(positive, found)
    return _statistic_by_judge(ranks, judges, both), _statistic_by_judge(ranks, judges, found)


def found_by_judges(ranks: ColumnRanks, positive: BoolArray, judges: IntArray, n_found: int) -> IntArray:
    """Return the unlabelled rows found without each of the judges, and last by all, shape (n_judges + 1, n_found)."""
    from puselect.columns.kernels import highest  # compiled code is loaded only when it is used

    score = _discriminants(ranks, judges, positive)
    found, is_sure = np.empty((len(score), n_found), dtype=np.intp), np.empty(len(score), dtype=bool)
    highest(score, positive, found, is_sure)
    for line in np.flatnonzero(~is_sure):
        unlike = np.where(positive, np.inf, -score[line])
        found[line] = np.argpartition(unlike, n_found - 1)[:n_found]
    return found


def with_labelled(positive: BoolArray, found: IntArray) -> IntArray:
    """Return sets of rows with the labelled ones added to each."""
    labelled = np.broadcast_to(np.flatnonzero(positive), (len(found), int(positive.sum())))
    return np.concatenate([labelled, found], axis=1)


def _statistic_by_judge(ranks: ColumnRanks, judges: IntArray, rows: IntArray) -> FloatArray:
    """Return the statistic of every column for the last set of rows; of judges for the set of each of them."""
    statistic = ranks.statistic(rows[-1])
    statistic[judges] = ranks.statistic_each(judges, rows[:-1])
    return statistic


def _discriminant(ranks: ColumnRanks, columns: IntArray, positive: BoolArray) -> FloatArray:
    """Return how similar each row is to the labelled ones, by some columns.

    Each column enters twice, by its normal scores and by their squares, which tell another spread.
    """
    if not _has_few_columns(ranks):
        return linear_discriminant(ranks.places(columns), positive)
    from puselect.columns.kernels import weighted_sum  # compiled code is loaded only when it is used

    both, inverse, shift = _kept_parts(ranks, columns, positive)
    score = np.empty(ranks.n_rows)
    weighted_sum(ranks.row_features[0], both, inverse @ shift, score)
    return score


def _discriminants(ranks: ColumnRanks, columns: IntArray, positive: BoolArray) -> FloatArray:
    """Return what `_discriminant` does without each of the columns, and last with all, (n_columns + 1, n_rows)."""
    if _has_few_columns(ranks):
        both, inverse, shift = _kept_parts(ranks, columns, positive)
        weights = np.zeros((len(columns) + 1, 2 * ranks.n_features))
        weights[:, both] = weights_without_each(inverse, shift).T
        return np.asarray(weights @ ranks.row_features[0])
    features, inverse, shift = _discriminant_parts(ranks.places(columns), positive)
    return np.ascontiguousarray((features @ weights_without_each(inverse, shift)).T)


def weights_without_each(inverse: FloatArray, shift: FloatArray) -> FloatArray:
    """Return the weights of discriminants without each of the columns, and last of that with all, as columns.

    A column has two features, the second one as far behind the first as there are columns. Leaving them out is a
    rank-two downdate of the inverse covariance.
    """
    first, second = pair = np.arange(len(shift)).reshape(2, -1)
    weights = np.repeat((inverse @ shift)[:, None], len(first) + 1, axis=1)
    own = weights[:, :-1]
    own -= inverse[:, first] * shift[first] + inverse[:, second] * shift[second]
    change = np.linalg.solve(inverse[pair.T[:, :, None], pair.T[:, None, :]], own[pair, first].T[:, :, None])
    own -= inverse[:, first] * change[:, 0, 0] + inverse[:, second] * change[:, 1, 0]
    return weights


def linear_discriminant(Z: FloatArray, positive: BoolArray) -> FloatArray:
    """Return how similar each row is to the labelled ones, by normal scores `Z`."""
    features, inverse, shift = _discriminant_parts(Z, positive)
    return np.asarray(features @ (inverse @ shift))


def _has_few_columns(ranks: ColumnRanks) -> bool:
    return ranks.n_features <= FEW_COLUMNS and ranks.n_features * ranks.n_rows <= FEW_VALUES


def _kept_parts(
    ranks: ColumnRanks, columns: IntArray, positive: BoolArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return what `_discriminant_parts` does, from what is kept of all columns, with numbers of lines for features."""
    from puselect.columns.kernels import line_means  # compiled code is loaded only when it is used

    lines, mean, cov = ranks.row_features
    both = np.concatenate([columns, columns + ranks.n_features])
    labelled = np.empty(len(both))
    line_means(lines, both, np.flatnonzero(positive), labelled)
    return both, _shrunken(cov[np.ix_(both, both)]), labelled - mean[both]


def _discriminant_parts(Z: FloatArray, positive: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return normal scores and their squares, the inverse of their covariance, and their mean difference."""
    features = row_features(Z)
    return features, _shrunken(covariance(features)), features[positive].mean(axis=0) - features.mean(axis=0)


def _shrunken(cov: FloatArray) -> FloatArray:
    """Return the inverse of a covariance that is shrunken towards a multiple of the identity."""
    ridge = SHRINKAGE * np.trace(cov) / len(cov) + 1e-6
    return np.asarray(np.linalg.inv((1 - SHRINKAGE) * cov + ridge * np.eye(len(cov))))
