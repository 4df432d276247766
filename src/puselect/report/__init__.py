"""The report: one HTML file that shows what was selected, what speaks for it, and how to repeat it."""

from puselect.report.comparison import Comparison
from puselect.report.render import write_report
from puselect.report.selection import Selection
from puselect.report.summary import summarise

__all__ = ["Comparison", "Selection", "summarise", "write_report"]
