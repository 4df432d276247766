"""The report: one HTML file with the selected features, the evidence for them, and how to reproduce the result."""

from puselect.report.comparison import Comparison
from puselect.report.render import read_result, write_report
from puselect.report.selection import Selection
from puselect.report.summary import summarise

__all__ = ["Comparison", "Selection", "read_result", "summarise", "write_report"]
