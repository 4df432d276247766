"""Feature selection from a handful of labelled positives among unlabelled rows."""

from typing import TYPE_CHECKING, Any

from puselect._version import __version__

if TYPE_CHECKING:
    from puselect.methods import METHODS
    from puselect.selectors import FSCPU

__all__ = ["FSCPU", "METHODS", "__version__"]


def __getattr__(name: str) -> Any:
    """Load the public names when they are first used: importing scikit-learn takes most of a second."""
    if name == "FSCPU":
        from puselect.selectors import FSCPU

        return FSCPU
    if name == "METHODS":
        from puselect.methods import METHODS

        return METHODS
    raise AttributeError(f"module 'puselect' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
