"""Feature selection from a few labelled positives among unlabelled rows."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from puselect._version import __version__

if TYPE_CHECKING:
    from puselect.exceptions import (
        CheckpointWarning,
        FewerFeaturesWarning,
        FewLabelsWarning,
        InterruptedSearchWarning,
    )
    from puselect.methods import METHODS
    from puselect.selectors import FSCPU, fit_many
    from puselect.selectors.leaks import find_leaks
    from puselect.selectors.stability import assess_stability
    from puselect.selectors.suitability import check_suitability
    from puselect.selectors.twins import find_twins
    from puselect.tables.prepare import Preparer, prepare

HOMES = {
    "FSCPU": "puselect.selectors",
    "METHODS": "puselect.methods",
    "Preparer": "puselect.tables.prepare",
    "find_leaks": "puselect.selectors.leaks",
    "assess_stability": "puselect.selectors.stability",
    "find_twins": "puselect.selectors.twins",
    "prepare": "puselect.tables.prepare",
    "fit_many": "puselect.selectors",
    "check_suitability": "puselect.selectors.suitability",
    "CheckpointWarning": "puselect.exceptions",
    "FewLabelsWarning": "puselect.exceptions",
    "FewerFeaturesWarning": "puselect.exceptions",
    "InterruptedSearchWarning": "puselect.exceptions",
}
"""Where the public names are defined."""

__all__ = [
    "FSCPU",
    "METHODS",
    "CheckpointWarning",
    "FewLabelsWarning",
    "FewerFeaturesWarning",
    "InterruptedSearchWarning",
    "Preparer",
    "__version__",
    "assess_stability",
    "check_suitability",
    "find_leaks",
    "find_twins",
    "fit_many",
    "prepare",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: importing scikit-learn takes most of a second."""
    if name not in HOMES:
        raise AttributeError(f"module 'puselect' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
