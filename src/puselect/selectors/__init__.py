"""Feature selectors with scikit-learn's interface."""

from puselect.selectors.fscpu import FSCPU
from puselect.selectors.many import fit_many

__all__ = ["FSCPU", "fit_many"]
