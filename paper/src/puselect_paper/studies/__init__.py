"""Studies: their definition (`Study`), cells, workers and journal (`run_study`)."""

from puselect_paper.studies.lockstep import lockstep_workers
from puselect_paper.studies.runner import Outcome, Progress, load_run, run_study
from puselect_paper.studies.study import Study, load_study, shorten, study_names
from puselect_paper.studies.workers import dask_workers, local_workers

__all__ = [
    "Outcome",
    "Progress",
    "Study",
    "dask_workers",
    "load_run",
    "load_study",
    "local_workers",
    "lockstep_workers",
    "run_study",
    "shorten",
    "study_names",
]
