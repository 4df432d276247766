"""Feature selectors with scikit-learn's interface."""

from puselect.selectors.fscpu import FSCPU
from puselect.selectors.many import fit_lockstep

__all__ = ["FSCPU", "fit_lockstep"]
