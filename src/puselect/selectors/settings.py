"""The parameters of a fit: checked once, then passed on as frozen objects."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs

from puselect.engines import ENGINES
from puselect.engines.mixture import COVARIANCE_TYPES, MixtureSpec
from puselect.objective.score import CLUSTER_CHOICES
from puselect.scaling import SCALES
from puselect.selectors.base import check_choice, check_flag, check_max_time, check_number

AUTO_SAMPLES = 10_000
MANY_VALUES = 2**22  # of a table, from which on threads prepare it
MOST_MASKS = 2**20
MOST_STEPS = 10_000  # of k-means and EM: hard EM does not end before
AUTO_CLUSTERS, FEW_LABELS, FEW_LABELS_CLUSTERS = 20, 20, 10
EFFECT_STEPS, MOST_EFFECT_STEPS = 100, 2500
CRITERIA = ("cluster+evidence", "cluster", "cluster+mi")
SMALLEST_MARGIN = 1e-12  # probabilities must differ from 0 and from 1

PUBLISHED: dict[str, Any] = {
    "criterion": "cluster",
    "optimizer": "igo",
    "scale": "minmax",
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
    "screen": None,
    "skip_constant": False,
}
"""The settings of Uchikoshi & Akimoto (GECCO 2025); those of the mixture are scikit-learn's defaults."""


@dataclass(frozen=True)
class SearchSettings:
    """The parameters that every search has; see `FSCPU`."""

    population_size: int
    learning_rate: float | str
    margin: float | str
    max_iter: int | None
    max_time: float | None
    early_stopping: bool
    checkpoint: str | os.PathLike[str] | None
    verbose: int

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Take the parameters of an estimator; raise a ValueError if one of them is wrong."""
        settings = cls(**_named(cls, parameters))
        check_number("population_size", settings.population_size, 2, MOST_MASKS, integer=True)
        if settings.max_iter is not None:
            check_number("max_iter", settings.max_iter, 1, integer=True)
        check_max_time(settings.max_time)
        if settings.learning_rate not in ("auto", "paper"):
            check_number("learning_rate", settings.learning_rate, 0, 1, open_low=True)
        if settings.margin not in ("auto", "paper"):
            check_number("margin", settings.margin, SMALLEST_MARGIN, 0.5)
        check_flag("early_stopping", settings.early_stopping)
        if settings.checkpoint is not None and not isinstance(settings.checkpoint, str | os.PathLike):
            raise ValueError(f"checkpoint must be a path, got {settings.checkpoint!r}")
        if not isinstance(settings.verbose, int | np.integer):
            raise ValueError(f"verbose must be an integer, got {settings.verbose!r}")
        return settings

    @property
    def identity(self) -> Self:
        """The settings without those that do not change the result, to recognise a checkpoint."""
        return replace(self, checkpoint=None, verbose=0, max_time=None)

    def rate(self, share: float, n_features: int, n_labelled: int) -> float:
        """Return the step size for selecting a `share` of `n_features` with so many labelled rows.

        Ours grows with the population, whose mean is less noisy, and shrinks with the number of features in doubt and,
        below 50 of them, with the number of labelled rows. For half of the features and many labels it is twice the
        paper's 1 / (2 D) per pair of masks. The constants were tuned on artificial data (docs/internals/search.md).
        """
        if self.learning_rate == "paper":
            return 1 / (2 * max(n_features, 1))
        if self.learning_rate != "auto":
            return float(self.learning_rate)
        n_in_doubt = max(min(share, 1 - share) * n_features, 1.0)
        rate = self.population_size / (4 * n_in_doubt * max(n_features / (2 * n_in_doubt), 1.0) ** 0.6)
        return float(min(rate * min(1.0, np.sqrt(n_labelled / 50)), 0.5))

    def most_steps(self, rate: float) -> int:
        """Return the most steps: by default as many as even a faint signal needs to settle all features."""
        return int(np.ceil(80 / rate)) if self.max_iter is None else int(self.max_iter)

    def most_effect_steps(self, share: float, n_labelled: int) -> int:
        """Return the most steps of a search by effects for a `share` of the features.

        A step tells about a feature in proportion to ``share * (1 - share)``; by default there are as many steps as
        give the same information for any share. With fewer than 50 labelled rows each step tells less.
        """
        if self.max_iter is not None:
            return int(self.max_iter)
        steps = EFFECT_STEPS / max(share * (1 - share), 1e-9) * max(1.0, 50 / n_labelled)
        return int(np.ceil(min(steps, MOST_EFFECT_STEPS)))

    def distance(self, n_features: int) -> float:
        """Return how far probabilities stay from 0 and 1: 1/D as in the paper, ours at most 0.1."""
        if self.margin in ("auto", "paper"):
            return min(1 / max(n_features, 1), 0.5 if self.margin == "paper" else 0.1)
        return float(self.margin)


@dataclass(frozen=True)
class Settings:
    """The parameters of an FSCPU but for those that are resolved with the table (see `Problem`)."""

    criterion: str
    optimizer: str
    engine: str
    clusterer: Any
    mixture: MixtureSpec
    n_clusters: int | str
    cluster_choice: str
    smoothing: float
    start_evidence: float
    scale: str | None
    max_samples: int | str | None
    screen: int | str | None
    skip_constant: bool
    n_jobs: int | None
    search: SearchSettings

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Take the parameters of an FSCPU; raise a ValueError if one of them is wrong."""
        parts = {"mixture": _mixture(parameters), "search": SearchSettings.of(parameters)}
        settings = cls(**_named(cls, {**parameters, **parts}))
        check_choice("criterion", settings.criterion, CRITERIA)
        check_choice("optimizer", settings.optimizer, ("auto", "effects", "igo"))
        check_choice("engine", settings.engine, ENGINES)
        check_choice("cluster_choice", settings.cluster_choice, CLUSTER_CHOICES)
        check_number("smoothing", settings.smoothing, 0, 1e6)
        check_number("start_evidence", settings.start_evidence, 0, 1e3)
        check_choice("scale", settings.scale, (*SCALES, None))
        if settings.max_samples is not None and settings.max_samples != "auto":
            check_number("max_samples", settings.max_samples, 4, integer=True)
        if settings.screen is not None and settings.screen != "auto":
            check_number("screen", settings.screen, 1, integer=True)
        check_flag("skip_constant", settings.skip_constant)
        if settings.n_jobs is not None:
            check_number("n_jobs", settings.n_jobs, -1024, integer=True)
        return settings

    def rows_per_step(self, n_rows: int) -> int | None:
        """Return `max_samples` for a table of `n_rows`: None if all rows are used."""
        most = AUTO_SAMPLES if self.max_samples == "auto" else self.max_samples
        return int(most) if most is not None and int(most) < n_rows else None

    def threads_for(self, shape: tuple[int, ...]) -> int:
        """Return how many threads prepare a table of that shape."""
        return effective_n_jobs(self.n_jobs) if int(np.prod(shape)) >= MANY_VALUES else 1

    def expected_steps(self, share: float, n_features: int, n_labelled: int) -> int:
        """Return the most steps of a search for a `share` of `n_features`."""
        if self.follows_effects:
            return self.search.most_effect_steps(share, n_labelled)
        return self.search.most_steps(self.search.rate(share, n_features, n_labelled))

    def for_labels(self, n_labelled: int) -> Self:
        """Return the settings with the number of clusters resolved for so many labelled rows."""
        if self.n_clusters != "auto":
            return self
        n_clusters = AUTO_CLUSTERS if n_labelled >= FEW_LABELS else FEW_LABELS_CLUSTERS
        return replace(self, mixture=replace(self.mixture, n_clusters=n_clusters))

    @property
    def follows_effects(self) -> bool:
        """Whether the search follows the effects of features; otherwise it is the paper's."""
        return self.optimizer == "effects" or (self.optimizer == "auto" and self.criterion == "cluster+evidence")

    @property
    def identity(self) -> Self:
        """The settings without those that do not change the result, to recognise a checkpoint."""
        return replace(self, engine="", n_jobs=None, search=self.search.identity)


def _mixture(parameters: Mapping[str, Any]) -> MixtureSpec:
    n_clusters = AUTO_CLUSTERS if parameters["n_clusters"] == "auto" else parameters["n_clusters"]
    spec = MixtureSpec(**_named(MixtureSpec, {**parameters, "n_clusters": n_clusters}))
    check_choice("covariance_type", spec.covariance_type, COVARIANCE_TYPES)
    check_choice("init", spec.init, ("rows", "kmeans"))
    check_choice("em", spec.em, ("hard", "soft"))
    check_number("n_clusters", spec.n_clusters, 1, integer=True)
    check_number("labelled_start", spec.labelled_start, 0, 1)
    check_number("lloyd_steps", spec.lloyd_steps, 1, MOST_STEPS, integer=True)
    check_number("em_steps", spec.em_steps, 0, MOST_STEPS, integer=True)
    check_number("tol", spec.tol, 0)
    check_number("reg_covar", spec.reg_covar, 0, open_low=True)
    check_number("shrinkage", spec.shrinkage, 0)
    return spec


def _named(kind: type[Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that a dataclass has fields for."""
    return {field.name: parameters[field.name] for field in fields(kind)}
