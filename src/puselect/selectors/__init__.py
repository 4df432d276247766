"""Feature selectors with scikit-learn's interface."""

from puselect.selectors.fscpu import FSCPU

__all__ = ["FSCPU"]
