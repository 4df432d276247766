"""The share of positives among the unlabelled rows, from the places of held-out labelled rows among them."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from puselect.arrays import FloatArray

FEWEST_LABELS, FEWEST_HIDDEN = 20, 10  # labelled rows; unlabelled ones that the estimate rests on
LEAST_SEPARATION = 0.83  # corrected AUC; docs/internals/trust.md has the figures of these three
LEAST_PURITY, PURITY = 0.44, 0.9  # share of positives among the rows that score best: lower end, estimate
N_BOOTSTRAP = 200
TAILS = (0.025, 0.975)
RULE_OF_THREE = 3.0  # none of n unlabelled rows: at most 3 / n, with 95 %


class PriorCode(StrEnum):
    """Whether the share can be told."""

    ESTIMATED = "estimated"
    TOO_FEW_LABELS = "too_few_labels"
    TOO_FEW_ROWS = "too_few_rows"
    """Hardly any unlabelled row scores as high as the labelled ones."""
    NOT_SEPARATED = "not_separated"
    """Positives overlap too much with other rows."""


UNTOLD = {
    PriorCode.TOO_FEW_LABELS: f"fewer than {FEWEST_LABELS} are known",
    PriorCode.TOO_FEW_ROWS: "hardly any other row is like them",
    PriorCode.NOT_SEPARATED: "they are not set apart from the other rows",
}


@dataclass(frozen=True)
class ClassPrior:
    """The share of positives among the unlabelled rows."""

    code: str
    """A `PriorCode`; without an estimate the next three are None."""
    share: float | None = None
    interval: tuple[float, ...] | None = None
    n_hidden: int | None = None
    """Unlabelled positives."""

    def __str__(self) -> str:
        if self.share is None or self.interval is None:
            return f"How many positives there are cannot be told from these labels: {UNTOLD[PriorCode(self.code)]}."
        low, high = self.interval
        return f"About {self.share:.1%} of the unlabelled rows are positive ({low:.1%} to {high:.1%})."


def class_prior(places: FloatArray, n_others: int, n_unlabelled: int, rng: np.random.Generator) -> ClassPrior:
    """Return the share of positives among the unlabelled rows, with an interval, if it can be told.

    Above any score there are so many unlabelled rows for every share of the held-out positives. The smallest such ratio
    is the share of positives if all rows above that score are positive (the best bin of S. Garg, Y. Wu, A. Smola,
    S. Balakrishnan and Z. Lipton, "Mixture Proportion Estimation and PU Learning: A Modern Approach", NeurIPS 2021).
    `PURITY` of them are taken to be, and for the lower end `LEAST_PURITY`.

    Parameters
    ----------
    places : ndarray of shape (n_labelled,)
        Share of the unlabelled rows that score at least as high as each held-out positive.
    n_others : int
        Unlabelled rows that were scored.
    n_unlabelled : int
        Unlabelled rows in the table.
    rng : Generator
    """
    if len(places) < FEWEST_LABELS:
        return ClassPrior(PriorCode.TOO_FEW_LABELS.value)
    best = best_ratio(places, n_others)
    if best * n_others < FEWEST_HIDDEN:
        return ClassPrior(PriorCode.TOO_FEW_ROWS.value)
    drawn = [best_ratio(rng.choice(places, len(places)), n_others) for _ in range(N_BOOTSTRAP)]
    least, most = np.quantile(drawn, TAILS)
    low, high = min(least, LEAST_PURITY * best), min(1.0, max(most, best))
    if corrected_auc(1 - float(places.mean()), low) < LEAST_SEPARATION:
        return ClassPrior(PriorCode.NOT_SEPARATED.value)
    share = PURITY * best
    return ClassPrior(PriorCode.ESTIMATED.value, share, (float(low), float(high)), round(share * n_unlabelled))


def best_ratio(places: FloatArray, n_others: int) -> float:
    """Return the smallest share of unlabelled rows per share of held-out positives above a score, at most 1.

    Examples
    --------
    >>> best_ratio(np.linspace(0, 0.2, 101), 1000)  # positives are spread evenly over the best fifth
    0.2
    """
    above = np.sort(places)
    found = np.arange(1, len(above) + 1) / len(above)
    error = np.sqrt(found * (1 - found) / len(above)) + 1 / len(above)
    best = int(np.argmin((above + error + RULE_OF_THREE / n_others) / found))
    return float(round(min(above[best] / found[best] + 0.0, 1.0), 6))


def corrected_auc(auc: float, share: float) -> float:
    """Return the AUC of positives against negatives from that of labelled against unlabelled rows.

    Parameters
    ----------
    auc : float
        Area under the ROC curve with unlabelled rows as negatives.
    share : float
        Share of positives among them. They are no easier to tell from labelled rows than by a coin:
        auc = share / 2 + (1 - share) * corrected.

    Examples
    --------
    >>> round(corrected_auc(0.82, 0.2), 3)
    0.9
    """
    return min(1.0, (auc - share / 2) / (1 - share)) if share < 1 else 1.0
