"""The parameters of FSCPU: checked, and turned into the objects that do the work."""

from typing import Any

import numpy as np

from puselect.engines import ENGINES
from puselect.engines.mixture import COVARIANCE_TYPES, MixtureSpec
from puselect.objective.score import CLUSTER_CHOICES
from puselect.selectors.base import check_choice, check_number

AUTO_SAMPLES = 10_000

PUBLISHED: dict[str, Any] = {
    "n_clusters": 10,
    "covariance_type": "full",
    "init": "kmeans",
    "em": "soft",
    "em_steps": 100,
    "tol": 1e-3,
    "reg_covar": 1e-6,
    "shrinkage": 0.0,
    "cluster_choice": "greedy",
    "smoothing": 0.0,
    "start_evidence": 0.0,
    "population_size": 2,
    "learning_rate": "paper",
    "margin": "paper",
    "max_iter": 3000,
    "early_stopping": False,
    "max_samples": None,
}
"""The settings of Uchikoshi & Akimoto (GECCO 2025); those of the mixture are scikit-learn's defaults."""


def check_settings(selector: Any) -> None:
    """Raise a ValueError that says what was wanted and what came, unless all parameters make sense."""
    check_choice("criterion", selector.criterion, ("cluster", "cluster+mi"))
    check_choice("engine", selector.engine, ENGINES)
    check_choice("covariance_type", selector.covariance_type, COVARIANCE_TYPES)
    check_choice("init", selector.init, ("rows", "kmeans"))
    if selector.scale is not None:
        check_choice("scale", selector.scale, ("minmax",))
    check_choice("em", selector.em, ("hard", "soft"))
    check_choice("cluster_choice", selector.cluster_choice, CLUSTER_CHOICES)
    check_number("n_clusters", selector.n_clusters, 1, integer=True)
    check_number("labelled_start", selector.labelled_start, 0, 1)
    check_number("lloyd_steps", selector.lloyd_steps, 1, integer=True)
    check_number("em_steps", selector.em_steps, 0, integer=True)
    check_number("tol", selector.tol, 0)
    check_number("reg_covar", selector.reg_covar, 0, open_low=True)
    check_number("shrinkage", selector.shrinkage, 0)
    check_number("smoothing", selector.smoothing, 0)
    check_number("start_evidence", selector.start_evidence, 0)
    if selector.max_samples is not None and selector.max_samples != "auto":
        check_number("max_samples", selector.max_samples, 4, integer=True)
    check_search_settings(selector)


def check_search_settings(selector: Any) -> None:
    """Check the parameters that every search has."""
    check_number("population_size", selector.population_size, 2, integer=True)
    if selector.max_iter is not None:
        check_number("max_iter", selector.max_iter, 1, integer=True)
    if selector.learning_rate not in ("auto", "paper"):
        check_number("learning_rate", selector.learning_rate, 0, 1, open_low=True)
    if selector.margin not in ("auto", "paper"):
        check_number("margin", selector.margin, 0, 0.5, open_low=True)
    if not isinstance(selector.early_stopping, bool | np.bool_):
        raise ValueError(f"early_stopping must be True or False, got {selector.early_stopping!r}")


def mixture_spec(selector: Any) -> MixtureSpec:
    """Return how the selector fits its mixtures."""
    return MixtureSpec(
        n_clusters=selector.n_clusters,
        covariance_type=selector.covariance_type,
        init=selector.init,
        labelled_start=selector.labelled_start,
        lloyd_steps=selector.lloyd_steps,
        em=selector.em,
        em_steps=selector.em_steps,
        tol=selector.tol,
        reg_covar=selector.reg_covar,
        shrinkage=selector.shrinkage,
    )


def row_limit(selector: Any, n_rows: int) -> int | None:
    """Return how many rows are looked at in a step, None for all."""
    limit = AUTO_SAMPLES if selector.max_samples == "auto" else selector.max_samples
    return limit if limit is not None and limit < n_rows else None


def learning_rate(selector: Any, share: float, n_features: int, n_labelled: int) -> float:
    """Return the step size for selecting a `share` of `n_features` with so many labelled rows.

    Ours grows with the population, whose mean is less noisy, and shrinks with the number of features in doubt and,
    below 50 of them, with the number of labelled rows. For half of the features and many labels it is twice the
    paper's 1 / (2 D) per pair of masks. The constants were tuned on artificial data (docs/internals/search.md).
    """
    if selector.learning_rate == "paper":
        return 1 / (2 * max(n_features, 1))
    if selector.learning_rate != "auto":
        return float(selector.learning_rate)
    n_in_doubt = max(min(share, 1 - share) * n_features, 1.0)
    rate = selector.population_size / (4 * n_in_doubt * max(n_features / (2 * n_in_doubt), 1.0) ** 0.6)
    return float(min(rate * min(1.0, np.sqrt(n_labelled / 50)), 0.5))


def step_limit(selector: Any, rate: float) -> int:
    """Return the most steps: by default as many as even a faint signal needs to settle all features."""
    return int(np.ceil(80 / rate)) if selector.max_iter is None else int(selector.max_iter)


def margin(selector: Any, n_features: int) -> float:
    """Return how far probabilities stay from 0 and 1: 1/D as in the paper, ours at most 0.1."""
    if selector.margin in ("auto", "paper"):
        return min(1 / n_features, 0.5 if selector.margin == "paper" else 0.1)
    return float(selector.margin)
