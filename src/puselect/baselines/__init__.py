"""The methods FSCPU is compared with, as scikit-learn selectors."""

from puselect.baselines.dt_rfe import DTRFE
from puselect.baselines.es_mcrfs import ESMCRFS
from puselect.baselines.jsfs import JSFS
from puselect.baselines.kbest import KBest
from puselect.baselines.lasso import LassoRank
from puselect.baselines.lgbm_opt import LGBMOpt
from puselect.baselines.mrmr import MRMR
from puselect.baselines.mrmr_ufs import MRMRUFS
from puselect.baselines.semi_jmi import SemiJMI
from puselect.baselines.sselect import SSelect

__all__ = ["DTRFE", "ESMCRFS", "JSFS", "MRMR", "MRMRUFS", "KBest", "LGBMOpt", "LassoRank", "SSelect", "SemiJMI"]
