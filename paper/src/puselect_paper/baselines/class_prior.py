"""The share of positives that some methods have to know."""

import warnings

from puselect.checks.prior import estimate_prior
from puselect.exceptions import FewLabelsWarning
from puselect.parameters import check_number
from puselect.selectors.ranking import RankingTask


def known_prior(prior: float | None, task: RankingTask) -> float:
    """Return the share of positives among all rows: the given one, an estimate, or else twice the labelled share."""
    if prior is not None:
        check_number("prior", prior, 0, 1, open_low=True)
        return float(prior)
    found = estimate_prior(task.X, task.positive.astype(int), random_state=task.seed)
    share = float(task.positive.mean())
    if found.n_hidden is None:
        warnings.warn(f"{found} It is taken as twice the labelled share; give prior=", FewLabelsWarning, stacklevel=4)
        return min(2 * share, 0.5)
    return share + found.n_hidden / len(task.positive)
