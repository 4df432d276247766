"""Feature selection from a few labelled positives among unlabelled rows."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from puselect._version import __version__

if TYPE_CHECKING:
    from puselect.checks.leaks import find_leaks
    from puselect.checks.stability import assess_stability
    from puselect.checks.suitability import check_suitability
    from puselect.columns.twins import find_twins
    from puselect.exceptions import (
        CheckpointWarning,
        FewerFeaturesWarning,
        FewLabelsWarning,
        InterruptedSearchWarning,
    )
    from puselect.fscpu.fit_many import fit_many
    from puselect.fscpu.selector import FSCPU
    from puselect.methods import METHODS
    from puselect.tables.prepare import Preparer, prepare

HOMES = {
    "FSCPU": "puselect.fscpu.selector",
    "METHODS": "puselect.methods",
    "Preparer": "puselect.tables.prepare",
    "find_leaks": "puselect.checks.leaks",
    "assess_stability": "puselect.checks.stability",
    "find_twins": "puselect.columns.twins",
    "prepare": "puselect.tables.prepare",
    "fit_many": "puselect.fscpu.fit_many",
    "check_suitability": "puselect.checks.suitability",
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
