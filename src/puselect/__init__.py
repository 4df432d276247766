"""Feature selection from a handful of labelled positives among unlabelled rows."""

from puselect._version import __version__
from puselect.selectors import FSCPU

__all__ = ["FSCPU", "__version__"]
