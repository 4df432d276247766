"""Studies: definition (`Study`), run (`run_study`) and report (`report_study`); of one table: `compare_methods`."""

from puselect.studies.lockstep import lockstep_workers
from puselect.studies.reporting import report_study, study_tables
from puselect.studies.results import Results, collect
from puselect.studies.runner import Outcome, Progress, load_run, run_study
from puselect.studies.study import Study, load_study, shorten, study_names
from puselect.studies.table_study import TableResults, TableStudy, compare_methods
from puselect.studies.workers import dask_workers, local_workers

__all__ = [
    "Outcome",
    "Progress",
    "Results",
    "Study",
    "TableResults",
    "TableStudy",
    "collect",
    "compare_methods",
    "dask_workers",
    "load_run",
    "load_study",
    "local_workers",
    "lockstep_workers",
    "report_study",
    "run_study",
    "shorten",
    "study_names",
    "study_tables",
]
