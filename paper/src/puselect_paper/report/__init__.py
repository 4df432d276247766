"""Reports of studies: tables and figures, beside the numbers that the paper printed."""

from puselect_paper.report.reporting import report_study, study_tables
from puselect_paper.report.results import Results, collect

__all__ = ["Results", "collect", "report_study", "study_tables"]
