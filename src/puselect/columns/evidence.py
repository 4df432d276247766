"""Evidence of single columns for a relation to the labels, in standard errors.

Two statistics per column. One compares the labelled rows with all rows. The co-trained one compares the labelled rows
and the unlabelled rows that *other* columns find similar to them, so that no column votes for itself; it counts as far
as the rows found differ from the rest in the same columns as the labelled rows. Both are the sum
of two squared z-scores, one for location and one for spread, of normal scores of ranks: van der Waerden's and Klotz's
(Annals of Mathematical Statistics 33, 1962), which see the tails.
"""

from typing import NamedTuple, Self

import numpy as np

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.clustering.cpu.blas import one_blas_thread
from puselect.columns.inspection import CheckedRanks
from puselect.columns.ranks import LEPAGE, ColumnRanks, covariance, row_features

EVIDENCE_LIMIT = 3.0  # standard errors: beyond them, the search decides between columns
N_JUDGES = 32  # columns that score the rows: more of them add noise, see docs/internals/algorithm.md
N_ROUNDS = 2
N_FOLDS = 5
SHRINKAGE = 0.1  # of the covariance of the judges towards a multiple of the identity
SAME = 1e-6  # of the largest similarity: below it, differences are rounding
NO_DIFFERENCE_ROOT = np.sqrt(np.pi / 2)  # mean of the root of a chi-squared statistic with two degrees of freedom


class Evidence(NamedTuple):
    """Two statistics of every column, chi-squared with two degrees of freedom where there is no relation."""

    labelled: FloatArray
    """For the labelled rows, shape (n_features,)."""
    cotrained: FloatArray
    """For the labelled rows and those that other columns find, shape (n_features,)."""
    agreement: float
    """How far the rows found are like the labelled ones, in [0, 1]: the correlation, over the columns that found them,
    between the roots of the statistic of the labelled rows and of the rows found. It is 0 for scattered outliers, which
    are found again, but with other rows that differ from the rest in columns of their own."""
    n_found: int
    """Unlabelled rows that joined the labelled ones: about as many as there are hidden positives, if others differ
    enough from them."""
    picked: BoolArray | None = None
    """Columns that tell which rows were inspected, shape (n_features,); None without checked negatives."""
    found: IntArray | None = None
    """The rows found, and those as similar as the last of them; None if only a part of the table was compared."""

    @property
    def z_scores(self) -> FloatArray:
        """Evidence in standard errors, 0 for what chance gives on average, bent to stay below `EVIDENCE_LIMIT`."""
        root = (1 - self.agreement) * np.sqrt(self.labelled) + self.agreement * np.sqrt(self.cotrained)
        return np.asarray(EVIDENCE_LIMIT * np.tanh((root - NO_DIFFERENCE_ROOT) / EVIDENCE_LIMIT))

    def widened(self, columns: IntArray, n_features: int) -> Self:
        """Return the evidence for a table of `n_features`, of which these are `columns`; 0 for all others."""
        labelled, cotrained = np.zeros(n_features), np.zeros(n_features)
        labelled[columns], cotrained[columns] = self.labelled, self.cotrained
        picked = None if self.picked is None else np.isin(np.arange(n_features), columns[self.picked])
        return self._replace(labelled=labelled, cotrained=cotrained, picked=picked)

    def __repr__(self) -> str:
        return f"Evidence(n_features={len(self.labelled)}, agreement={self.agreement:.2f}, n_found={self.n_found})"


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


@one_blas_thread  # its results are to be the same for any number of threads, and small products are faster
def rank_evidence(
    ranks: ColumnRanks, positive: BoolArray, rng: np.random.Generator, negative: BoolArray | None = None
) -> Evidence:
    """Return the evidence of every column; `rng` breaks ties and draws the labelled rows that are held out.

    Where rows were checked and are `negative`, positives are compared with them, too, and they are never found.
    """
    labelled_rows = np.flatnonzero(positive)
    checked = None if negative is None else CheckedRanks(ranks, labelled_rows, np.flatnonzero(negative))
    compared, known = (ranks, positive) if checked is None or negative is None else (checked, positive | negative)
    labelled = cotrained = compared.statistic(labelled_rows)
    agreement, n_unlabelled = 0.0, len(known) - int(known.sum())
    similar: IntArray = np.empty(0, dtype=np.intp)
    n_found = rows_to_find(heldout_places(ranks, labelled_rows, rng, compared), n_unlabelled)
    for _ in range(N_ROUNDS if n_found else 0):
        judges = choose_judges(cotrained, rng)
        found, similar = found_by_judges(ranks, positive, judges, n_found, known)
        rows = with_labelled(positive, found)
        cotrained = compared.statistic(rows[-1])
        cotrained[judges] = compared.statistic_each(judges, rows[:-1])
        agreement = _correlation(np.sqrt(labelled[judges]), np.sqrt(ranks.statistic_each(judges, found[:-1])))
    picked = None if checked is None else checked.picked
    return Evidence(labelled, cotrained, max(0.0, agreement), n_found, picked, similar)


def heldout_places(
    ranks: ColumnRanks, labelled_rows: IntArray, rng: np.random.Generator, compared: ColumnRanks | CheckedRanks
) -> FloatArray:
    """Return how many unlabelled rows look more like labelled ones than each labelled row does, in ascending order.

    Labelled rows are held out in turn, and all rows are scored by a discriminant of the others. Ties count half. Empty
    with fewer than two labelled rows. `compared` chooses the columns.
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
        judges = choose_judges(compared.statistic(np.flatnonzero(positive)), rng)
        score = linear_discriminant(ranks.places(judges), positive)
        others, heldout = np.sort(score[unlabelled]), score[labelled_rows[fold]]
        below = np.searchsorted(others, heldout, "left") + np.searchsorted(others, heldout, "right")
        above[fold] = len(others) - below / 2
    return np.sort(above)


def rows_to_find(above: FloatArray, n_unlabelled: int) -> int:
    """Return how many unlabelled rows should join the labelled ones.

    If the first C unlabelled rows have A of the labelled rows among them, as far as held-out ones tell, A^2 / C is
    proportional to recall times precision (W. S. Lee and B. Liu, ICML 2003). The best C is taken, but at least as many
    as there are labelled rows, below which A is mostly chance, and at most half of the unlabelled rows.

    Examples
    --------
    >>> rows_to_find(np.array([1.0, 3.0, 8.0, 9.0, 70.0]), 400)  # four of five among the first nine
    9
    """
    if not len(above):
        return 0
    first = np.maximum(above, len(above))
    n_among = np.searchsorted(above, first, side="right")
    return int(min(first[np.argmax(n_among**2 / first)], n_unlabelled // 2))


def _correlation(a: FloatArray, b: FloatArray) -> float:
    """Return Pearson's correlation, 0 where one of the two does not vary."""
    deviation = a.std() * b.std()
    return float(np.mean((a - a.mean()) * (b - b.mean())) / deviation) if deviation > 0 else 0.0


def choose_judges(evidence: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return the columns that score the rows: those with most evidence, ties in random order."""
    return np.lexsort((rng.random(len(evidence)), -evidence))[:N_JUDGES]


def found_by_judges(
    ranks: ColumnRanks, positive: BoolArray, judges: IntArray, n_found: int, known: BoolArray
) -> tuple[IntArray, IntArray]:
    """Return the rows found without each of the judges, and last by all, shape (n_judges + 1, n_found).

    They are none of the `known` ones. Also returns the rows found by all judges with those as similar as the last one.
    """
    unlike = np.where(known, np.inf, -_discriminants(ranks, judges, positive))
    found = np.argpartition(unlike, n_found - 1, axis=1)[:, :n_found]
    by_all, last = unlike[-1], unlike[-1, found[-1]].max()
    return found, np.flatnonzero(by_all <= last + SAME * np.abs(by_all[~known]).max())


def with_labelled(positive: BoolArray, found: IntArray) -> IntArray:
    """Return sets of rows with the labelled ones added to each."""
    labelled = np.broadcast_to(np.flatnonzero(positive), (len(found), int(positive.sum())))
    return np.concatenate([labelled, found], axis=1)


def _discriminants(ranks: ColumnRanks, columns: IntArray, positive: BoolArray) -> FloatArray:
    """Return the discriminants without each of the columns, and last with all, shape (n_columns + 1, n_rows)."""
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
    """Return how similar each row is to the labelled ones, by normal scores `Z` of some columns.

    Each column enters twice, by its scores and by their squares, which tell another spread.
    """
    features, inverse, shift = _discriminant_parts(Z, positive)
    return np.asarray(features @ (inverse @ shift))


def _discriminant_parts(Z: FloatArray, positive: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return normal scores and their squares, the inverse of their covariance, and their mean difference."""
    features = row_features(Z)
    return features, _shrunken(covariance(features)), features[positive].mean(axis=0) - features.mean(axis=0)


def _shrunken(cov: FloatArray) -> FloatArray:
    """Return the inverse of a covariance that is shrunken towards a multiple of the identity."""
    ridge = SHRINKAGE * np.trace(cov) / len(cov) + 1e-6
    return np.asarray(np.linalg.inv((1 - SHRINKAGE) * cov + ridge * np.eye(len(cov))))
