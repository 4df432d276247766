"""The share of positives that some methods have to know."""

from puselect.selectors.base import check_number
from puselect.selectors.ranking import Task
from puselect.trust.prior import estimate_prior


def known_prior(prior: float | None, task: Task) -> float:
    """Return the share of positives among all rows: the one that was given, otherwise an estimate."""
    if prior is not None:
        check_number("prior", prior, 0, 1, open_low=True)
        return float(prior)
    found = estimate_prior(task.X, task.positive.astype(int), random_state=task.seed)
    if found.n_hidden is None:
        raise ValueError(f"prior must be given. {found}")
    return (int(task.positive.sum()) + found.n_hidden) / len(task.positive)
