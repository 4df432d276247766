"""Feature selection from a few labelled positives among unlabelled rows."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from puselect._version import __version__

if TYPE_CHECKING:
    from puselect.exceptions import CheckpointWarning, FewerFeaturesWarning, InterruptedSearchWarning
    from puselect.methods import METHODS
    from puselect.selectors import FSCPU, fit_many
    from puselect.selectors.suitability import check_suitability

HOMES = {
    "FSCPU": "puselect.selectors",
    "METHODS": "puselect.methods",
    "fit_many": "puselect.selectors",
    "check_suitability": "puselect.selectors.suitability",
    "CheckpointWarning": "puselect.exceptions",
    "FewerFeaturesWarning": "puselect.exceptions",
    "InterruptedSearchWarning": "puselect.exceptions",
}
"""Where the public names are defined."""

__all__ = [
    "FSCPU",
    "METHODS",
    "CheckpointWarning",
    "FewerFeaturesWarning",
    "InterruptedSearchWarning",
    "__version__",
    "check_suitability",
    "fit_many",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: importing scikit-learn takes most of a second."""
    if name not in HOMES:
        raise AttributeError(f"module 'puselect' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
