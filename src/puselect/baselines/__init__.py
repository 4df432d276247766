"""The methods FSCPU is compared with, as scikit-learn selectors."""

from puselect.baselines.consensus import Consensus
from puselect.baselines.dt_rfe import DTRFE
from puselect.baselines.fastcan import FastCanRank
from puselect.baselines.forest import ForestImportance
from puselect.baselines.kbest import KBest
from puselect.baselines.l1_logistic import L1Logistic
from puselect.baselines.lasso import LassoRank
from puselect.baselines.lepage import Lepage
from puselect.baselines.lowest_variance import LowestVariance
from puselect.baselines.mrmr import MRMR
from puselect.baselines.pu_bagging import PUBagging
from puselect.baselines.semi_jmi import SemiJMI

__all__ = [
    "DTRFE",
    "MRMR",
    "Consensus",
    "FastCanRank",
    "ForestImportance",
    "KBest",
    "L1Logistic",
    "LassoRank",
    "Lepage",
    "LowestVariance",
    "PUBagging",
    "SemiJMI",
]
