"""The methods FSCPU is compared with, as scikit-learn selectors."""

from puselect.baselines.consensus import Consensus
from puselect.baselines.filters import KBest, Lepage, LowestVariance
from puselect.baselines.information import MRMR, SemiJMI
from puselect.baselines.linear import FastCanRank, L1Logistic, LassoRank
from puselect.baselines.trees import DTRFE, ForestImportance, PUBagging
from puselect.selectors.ranking import RankingSelector

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
    "RankingSelector",
    "SemiJMI",
]
