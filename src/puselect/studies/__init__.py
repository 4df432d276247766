"""The paper's studies: what is run (`Study`), running it (`run_study`), what came out (`report_study`)."""

from puselect.studies.reporting import report_study, study_tables
from puselect.studies.results import Results, collect
from puselect.studies.runner import Outcome, Progress, load_run, run_study
from puselect.studies.study import Study, load_study, shorten, study_names
from puselect.studies.workers import dask_workers, local_workers

__all__ = [
    "Outcome",
    "Progress",
    "Results",
    "Study",
    "collect",
    "dask_workers",
    "load_run",
    "load_study",
    "local_workers",
    "report_study",
    "run_study",
    "shorten",
    "study_names",
    "study_tables",
]
