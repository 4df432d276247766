"""PUlasso: logistic regression with an L1 penalty on positive and unlabelled rows, by EM."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from puselect.arrays import BoolArray, FloatArray
from puselect.selectors.base import RandomSeed
from puselect.selectors.ranking import RankingSelector, RankingTask
from puselect_paper.baselines.class_prior import known_prior

N_PENALTIES = 20
WEAKEST = 0.01  # of the penalty from which all weights are 0
MOST_STEPS = 1000  # at each penalty; the next one goes on from there
TOLERANCE = 1e-4  # of the weights of standardised columns


class PULasso(RankingSelector):
    """Select the first features that enter a logistic regression of the true classes as its L1 penalty is lowered.

    The classes of unlabelled rows are hidden. EM alternates between their expectation and a step towards the weights
    that fit them, by a quadratic bound as in the article, with Nesterov's momentum. Columns are standardised.

    Parameters
    ----------
    n_features_to_select, pos_label, random_state
        As in `RankingSelector`.
    prior : float, optional
        Share of positives among all rows. By default estimated by `puselect.checks.prior.estimate_prior`.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        At how many penalties the feature has a weight, plus a part below 1 that grows with the last weight; -1 for
        constant columns.

    References
    ----------
    H. Song and G. Raskutti, "PUlasso: High-Dimensional Variable Selection with Presence-Only Data", JASA 115, 2020.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> selector = PULasso(25, prior=0.1, random_state=0).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    18
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        prior: float | None = None,
        pos_label: object = 1,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.prior = prior

    def _score_columns(self, task: RankingTask) -> FloatArray:
        return entry_scores(task.X, task.positive, task.n_select, known_prior(self.prior, task))


class Line(NamedTuple):
    """Weights of the columns, and the intercept."""

    weights: FloatArray
    intercept: float

    def plus(self, factor: float, other: "Line") -> "Line":
        """Return this line and so many times another one."""
        return Line(self.weights + factor * other.weights, self.intercept + factor * other.intercept)

    def product(self, other: "Line") -> float:
        """Return the inner product with another line."""
        return float(self.weights @ other.weights + self.intercept * other.intercept)


class HiddenClasses:
    """Standardised rows, some of which are labelled, and the likelihood of the labels.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    positive : ndarray of bool, shape (n_rows,)
        The labelled rows.
    prior : float
        Share of positives among all rows.
    """

    def __init__(self, X: FloatArray, positive: BoolArray, prior: float) -> None:
        self.X, self.positive = X, positive
        self.label_rate = min(1.0, positive.sum() / (prior * len(X)))
        gram = X @ X.T if len(X) < X.shape[1] else X.T @ X
        self.curvature = (float(np.linalg.eigvalsh(gram)[-1]) + len(X)) / 4  # at most, of the expected likelihood

    def slope(self, line: Line) -> Line:
        """Return the gradient of the log likelihood: that of a logistic regression on the expected classes."""
        p = expit(self.X @ line.weights + line.intercept)
        hidden = (1 - self.label_rate) * p / np.maximum(1 - self.label_rate * p, np.finfo(float).tiny)
        error = np.where(self.positive, 1.0, hidden) - p
        return Line(error @ self.X, float(error.sum()))

    def climb(self, penalty: float, line: Line) -> Line:
        """Return the line of largest penalised likelihood near another one."""
        ahead, momentum = line, 1.0
        for _ in range(MOST_STEPS):
            target = ahead.plus(1 / self.curvature, self.slope(ahead))
            size = np.maximum(np.abs(target.weights) - penalty / self.curvature, 0.0)
            new = Line(np.sign(target.weights) * size, target.intercept)
            change = new.plus(-1, line)
            momentum = 1.0 if ahead.plus(-1, new).product(change) > 0 else momentum  # start again where it overshoots
            later = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
            ahead, line, momentum = new.plus((momentum - 1) / later, change), new, later
            if max(np.abs(change.weights).max(), abs(change.intercept)) < TOLERANCE:
                break
        return line


def entry_scores(X: FloatArray, positive: BoolArray, n_wanted: int, prior: float) -> FloatArray:
    """Lower the penalty until as many columns as are wanted have a weight; return how early each came in."""
    rows = HiddenClasses((X - X.mean(axis=0)) / X.std(axis=0), positive, prior)
    line = Line(np.zeros(X.shape[1]), float(logit(min(prior, 1 - 1e-9))))
    strongest, entered = np.abs(rows.slope(line).weights).max(), np.zeros(X.shape[1])
    for penalty in np.geomspace(strongest, WEAKEST * strongest, N_PENALTIES):
        line = rows.climb(float(penalty), line)
        entered += line.weights != 0
        if (line.weights != 0).sum() >= n_wanted:
            break
    size = np.abs(line.weights)
    return np.asarray(entered + size / (1 + size))
