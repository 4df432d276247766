"""The search over masks: a distribution, a repair, a loop. Knows no data."""

from puselect.search.effects import EffectSearch
from puselect.search.igo import BernoulliIGO
from puselect.search.loop import History, Optimizer, Search, run_searches
from puselect.search.repair import Repair

__all__ = ["BernoulliIGO", "EffectSearch", "History", "Optimizer", "Repair", "Search", "run_searches"]
