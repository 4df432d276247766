"""How many positives there are: the share of positives among the unlabelled rows, with an interval."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import FloatArray
from puselect.draws import Stream, generator
from puselect.objective.evidence import heldout_places
from puselect.objective.sparse_ranks import column_ranks
from puselect.selectors.base import check_number
from puselect.selectors.fscpu import FSCPU
from puselect.selectors.problem import some_rows
from puselect.selectors.settings import Settings

FEWEST_LABELS = 10
N_BOOTSTRAP = 400
SURE = 0.95
PENALTY = 0.5  # standard errors of the share of labelled rows that are found, added where few are
RULE_OF_THREE = 3.0  # none of n unlabelled rows: at most 3 / n, with 95 %
ROUGH = 3.0  # ratio of the ends of the interval from which the estimate is rough


class PriorCode(StrEnum):
    """How far the estimate can be trusted."""

    ESTIMATED = "estimated"
    ROUGH = "rough"
    """The upper end of the interval is three times the lower one or more."""
    TOO_FEW_LABELS = "too_few_labels"


@dataclass(frozen=True)
class ClassPrior:
    """The share of positives among the unlabelled rows."""

    code: str
    """A `PriorCode`."""
    share: float
    interval: tuple[float, ...]
    """95 %, over the labelled and the unlabelled rows."""
    n_hidden: int
    """Unlabelled positives."""

    def __str__(self) -> str:
        low, high = self.interval
        if self.code == PriorCode.TOO_FEW_LABELS:
            return "There are too few labelled rows to estimate how many positives there are."
        rough = "; the labels do not tell more" if self.code == PriorCode.ROUGH else ""
        return f"About {self.share:.1%} of the unlabelled rows are positive ({low:.1%} to {high:.1%}{rough})."


def estimate_prior(X: ArrayLike, y: ArrayLike, *, pos_label: Any = 1, random_state: Any = 0) -> ClassPrior:
    """Estimate how many of the unlabelled rows are positive.

    Labelled rows are held out in turn, and all rows are scored by a linear discriminant of the others. Above any score
    there are so many unlabelled rows for every share of the held-out positives; the smallest such ratio estimates the
    share of positives (the best bin of S. Garg, Y. Wu, A. Smola, S. Balakrishnan and Z. Lipton, "Mixture Proportion
    Estimation and PU Learning: A Modern Approach", NeurIPS 2021). It holds if labels are missing at random. Where no
    score is free of negatives, because the classes overlap, it is too high. docs/internals/trust.md says how often the
    interval holds the truth.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Finite numbers. Of more than 10,000 unlabelled rows a sample is used.
    y : array-like of shape (n_rows,)
        `pos_label` marks labelled positives, anything else unlabelled rows.
    pos_label : object, default=1
    random_state : int, RandomState or None, default=0

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", random_state=0)  # 300 of 4300 unlabelled rows are positive
    >>> 0.05 < estimate_prior(X, y).share < 0.15
    True
    """
    selector = FSCPU(pos_label=pos_label, random_state=random_state)
    settings = Settings.of(selector.get_params(deep=False))
    problem = selector._problem(settings, X, y)
    rng = generator(problem.entropy, Stream.PRIOR)
    rows = some_rows(problem, rng)
    labelled = np.flatnonzero(problem.positive[rows])
    n_hidden_at_most = int((~problem.positive).sum())
    if len(labelled) < FEWEST_LABELS:
        return ClassPrior(PriorCode.TOO_FEW_LABELS.value, 0.5, (0.0, 1.0), n_hidden_at_most // 2)
    ranks = column_ranks(problem.table[rows][:, problem.budget.columns])
    places, n_others = heldout_places(ranks, labelled, rng), len(rows) - len(labelled)
    drawn = [best_ratio(drawn_places(places, n_others, rng), n_others) for _ in range(N_BOOTSTRAP)]
    low, high = np.quantile(drawn, [(1 - SURE) / 2, (1 + SURE) / 2])
    high = min(1.0, max(high, RULE_OF_THREE / max(1, n_others)))  # none of so few rows proves little
    share = best_ratio(places, n_others)
    code = PriorCode.ROUGH if high >= ROUGH * low else PriorCode.ESTIMATED
    return ClassPrior(code.value, share, (float(low), float(high)), round(share * n_hidden_at_most))


def drawn_places(places: FloatArray, n_others: int, rng: np.random.Generator) -> FloatArray:
    """Return the places of a bootstrap sample: labelled rows drawn anew, and unlabelled ones between them."""
    shares = np.diff(places, prepend=0, append=n_others) / max(1, n_others)
    above = np.cumsum(rng.multinomial(n_others, shares))[:-1]
    return np.asarray(rng.choice(above, len(above)), dtype=np.float64)


def best_ratio(places: FloatArray, n_others: int) -> float:
    """Return the smallest share of unlabelled rows per share of held-out positives above a score, at most 1.

    Parameters
    ----------
    places : ndarray of shape (n_labelled,)
        How many unlabelled rows score higher than each held-out positive.
    n_others : int
        Unlabelled rows.

    Examples
    --------
    >>> best_ratio(np.linspace(0, 200, 101), 1000)  # positives are spread evenly over the best fifth
    0.2
    """
    check_number("number of places", len(places), 1, integer=True)
    above = np.sort(places) / max(1, n_others)
    found = np.arange(1, len(above) + 1) / len(above)
    error = np.sqrt(found * (1 - found) / len(above)) + 1 / len(above)
    cautious = (above + PENALTY * error + RULE_OF_THREE / max(1, n_others)) / found
    best = int(np.argmin(cautious))
    return float(round(min(above[best] / found[best] + 0.0, 1.0), 6))
