"""The methods FSCPU is compared with, as scikit-learn selectors."""

from puselect.baselines.graph import MRMRUFS, SSelect
from puselect.baselines.information import MRMR, SemiJMI
from puselect.baselines.jsfs import JSFS
from puselect.baselines.lgbm import LGBMOpt
from puselect.baselines.reinforced import ESMCRFS
from puselect.baselines.wrapped import DTRFE, KBest, LassoRank

__all__ = ["DTRFE", "ESMCRFS", "JSFS", "MRMR", "MRMRUFS", "KBest", "LGBMOpt", "LassoRank", "SSelect", "SemiJMI"]
