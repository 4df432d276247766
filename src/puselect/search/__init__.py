"""The search over masks: a distribution, a repair, a loop. Knows no data."""

from puselect.search.history import History
from puselect.search.igo import BernoulliIGO
from puselect.search.loop import Search, run_searches
from puselect.search.repair import Repair

__all__ = ["BernoulliIGO", "History", "Repair", "Search", "run_searches"]
