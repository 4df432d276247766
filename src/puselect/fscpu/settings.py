"""The parameters of a fit: checked once, then passed on as frozen objects."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs

from puselect.clustering import ENGINES
from puselect.clustering.mixture import COVARIANCE_TYPES, MixtureSpec
from puselect.parameters import check_choice, check_max_time, check_number
from puselect.scaling import SCALES

MANY_VALUES = 2**22  # of a table, from which on threads prepare it
MOST_MASKS = 2**20
CRITERIA = ("auto", "cluster+evidence", "cluster", "cluster+mi")

# The constants of the default's search; docs/internals/algorithm.md has the boards they come from.
MASKS_PER_STEP = 8  # and clusterings of the result, whose mean is its objective
ROWS_PER_STEP = 1000
STEPS = 50  # times 1 / (share (1 - share)): a step says as much about a feature as share (1 - share)
ENOUGH_LABELS = 50  # with fewer, there are more steps
MOST_STEPS = 1250  # in a narrow table
LEAST_POOL, POOL_PER_SELECTED = 400, 4  # features of a wide table that are searched
PUBLISHED_STEPS = 3000


@dataclass(frozen=True)
class Preset:
    """What distinguishes the default from the paper; see `PRESETS`."""

    criterion: str
    optimizer: str
    """"effects": `puselect.search.effects`; "igo": the paper's gradient step."""
    scale: str
    population_size: int
    max_samples: int | None
    """Rows of a step; None for all."""
    skip_constant: bool
    """Whether constant columns are never selected."""
    cluster_choice: str
    """"best": the best prefix of the clusters; "greedy": the prefix before the first decrease."""
    smoothing: float
    """Unlabelled rows added to any set of clusters before its precision is taken, in mean cluster sizes."""
    mixture: MixtureSpec


PRESETS = {
    "default": Preset(
        criterion="cluster+evidence",
        optimizer="effects",
        scale="auto",
        population_size=MASKS_PER_STEP,
        max_samples=ROWS_PER_STEP,
        skip_constant=True,
        cluster_choice="best",
        smoothing=0.5,
        mixture=MixtureSpec(em_steps=0),
    ),
    "published": Preset(
        criterion="cluster",
        optimizer="igo",
        scale="minmax",
        population_size=2,
        max_samples=None,
        skip_constant=False,
        cluster_choice="greedy",
        smoothing=0.0,
        mixture=MixtureSpec(em_steps=100),
    ),
}
"""The default, and the settings of Uchikoshi & Akimoto (GECCO 2025); those of its mixture are scikit-learn's."""


@dataclass(frozen=True)
class SearchSettings:
    """The parameters that every search has; see `FSCPU`."""

    population_size: int
    max_iter: int | None
    max_time: float | None
    checkpoint: str | os.PathLike[str] | None
    verbose: int

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Take the parameters of an estimator; raise a ValueError if one of them is wrong."""
        settings = cls(**{field.name: parameters[field.name] for field in fields(cls)})
        check_number("population_size", settings.population_size, 2, MOST_MASKS, integer=True)
        if settings.max_iter is not None:
            check_number("max_iter", settings.max_iter, 1, integer=True)
        check_max_time(settings.max_time)
        if settings.checkpoint is not None and not isinstance(settings.checkpoint, str | os.PathLike):
            raise ValueError(f"checkpoint must be a path, got {settings.checkpoint!r}")
        if not isinstance(settings.verbose, int | np.integer):
            raise ValueError(f"verbose must be an integer, got {settings.verbose!r}")
        return settings

    @property
    def identity(self) -> Self:
        """The settings without those that do not change the result, to recognise a checkpoint."""
        return replace(self, checkpoint=None, verbose=0, max_time=None)


@dataclass(frozen=True)
class Settings:
    """The parameters of an FSCPU but for those that are resolved with the table (see `Problem`)."""

    preset: Preset
    criterion: str
    scale: str | None
    engine: str
    clusterer: Any
    mixture: MixtureSpec
    max_samples: int | None
    screen: int | str | None
    n_jobs: int | None
    search: SearchSettings

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Take the parameters of an FSCPU; raise a ValueError if one of them is wrong."""
        check_choice("preset", parameters["preset"], tuple(PRESETS))
        preset = PRESETS[parameters["preset"]]
        check_choice("criterion", parameters["criterion"], CRITERIA)
        criterion = preset.criterion if parameters["criterion"] == "auto" else parameters["criterion"]
        if preset.optimizer == "igo" and criterion == "cluster+evidence":
            raise ValueError(f"criterion must be 'cluster' or 'cluster+mi' with preset='published', got {criterion!r}")
        check_choice("engine", parameters["engine"], ENGINES)
        check_choice("scale", parameters["scale"], (*SCALES, None))
        n_masks = parameters["population_size"]
        search = {**parameters, "population_size": preset.population_size if n_masks is None else n_masks}
        return cls(
            preset=preset,
            criterion=criterion,
            scale=preset.scale if parameters["scale"] == "auto" else parameters["scale"],
            engine=parameters["engine"],
            clusterer=parameters["clusterer"],
            mixture=_mixture(parameters, preset.mixture),
            max_samples=_max_samples(parameters["max_samples"], preset),
            screen=_screen(parameters["screen"]),
            n_jobs=_n_jobs(parameters["n_jobs"]),
            search=SearchSettings.of(search),
        )

    def rows_per_step(self, n_rows: int) -> int | None:
        """Return `max_samples` for a table of `n_rows`: None if all rows are used."""
        return self.max_samples if self.max_samples is not None and self.max_samples < n_rows else None

    def threads_for(self, shape: tuple[int, ...]) -> int:
        """Return how many threads prepare a table of that shape."""
        return effective_n_jobs(self.n_jobs) if int(np.prod(shape)) >= MANY_VALUES else 1

    def most_steps(self, share: float, n_features: int, n_labelled: int) -> int:
        """Return the most steps of a search for a `share` of the features.

        A step says about a feature as much as ``share * (1 - share)``; by default there are as many steps as give the
        same information for any share. With few labelled rows or many features each step says less, and there are more.
        """
        if self.search.max_iter is not None:
            return int(self.search.max_iter)
        if not self.follows_effects:
            return PUBLISHED_STEPS
        width = max(1.0, min(n_features / LEAST_POOL, 1) * POOL_PER_SELECTED)
        steps = STEPS / max(share * (1 - share), 1e-9) * max(width, ENOUGH_LABELS / n_labelled)
        return int(np.ceil(min(steps, MOST_STEPS * width)))

    @property
    def follows_effects(self) -> bool:
        """Whether the search follows the effects of features; otherwise it is the paper's."""
        return self.preset.optimizer == "effects"

    @property
    def identity(self) -> Self:
        """The settings without those that do not change the result, to recognise a checkpoint."""
        return replace(self, engine="", n_jobs=None, search=self.search.identity)


def _mixture(parameters: Mapping[str, Any], spec: MixtureSpec) -> MixtureSpec:
    check_choice("covariance_type", parameters["covariance_type"], COVARIANCE_TYPES)
    check_number("n_clusters", parameters["n_clusters"], 1, integer=True)
    return replace(spec, n_clusters=parameters["n_clusters"], covariance_type=parameters["covariance_type"])


def _max_samples(max_samples: int | str | None, preset: Preset) -> int | None:
    if max_samples == "auto":
        return preset.max_samples
    if max_samples is None:
        return None
    check_number("max_samples", max_samples, 4, integer=True)
    return int(max_samples)


def _screen(screen: int | str | None) -> int | str | None:
    if screen is not None and screen != "auto":
        check_number("screen", screen, 1, integer=True)
    return screen


def _n_jobs(n_jobs: int | None) -> int | None:
    if n_jobs is not None:
        check_number("n_jobs", n_jobs, -1024, integer=True)
    return n_jobs
