"""Baselines that only the paper needs, as scikit-learn selectors."""

from puselect_paper.baselines.es_mcrfs import ESMCRFS
from puselect_paper.baselines.jsfs import JSFS
from puselect_paper.baselines.lgbm_opt import LGBMOpt
from puselect_paper.baselines.mrmr_ufs import MRMRUFS
from puselect_paper.baselines.pu_lasso import PULasso
from puselect_paper.baselines.published_mrmr import PublishedMRMR
from puselect_paper.baselines.puet import PUET
from puselect_paper.baselines.sselect import SSelect

__all__ = ["ESMCRFS", "JSFS", "MRMRUFS", "PUET", "LGBMOpt", "PULasso", "PublishedMRMR", "SSelect"]
