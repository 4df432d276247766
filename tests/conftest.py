import copy
import gc
import signal
import threading
from pathlib import Path

import joblib
import numpy as np
import pytest
import scipy.linalg  # noqa: F401  (loads the second BLAS, so that the limit reaches it)
from compile_kernels import compile_kernels
from threadpoolctl import threadpool_limits

from puselect import FSCPU
from puselect.checks import suitability
from puselect.evaluation import models
from puselect.fscpu import settings

collect_ignore = [path.name for path in Path(__file__).parent.glob("[!t]*.py")]  # no tests
gc.disable()  # until the tests are collected: what is imported stays
COMPILER = threading.Thread(target=compile_kernels)
REMEMBERED = {}
TOGETHER = {
    **dict.fromkeys(["test_cli_docs.py", "test_examples.py", "test_readme.py"], "documentation"),
    **dict.fromkeys(["test_fscpu_dask_table.py", "test_studies_dask.py"], "dask"),
    **dict.fromkeys(
        ["test_clustering_cpu.py", "test_studies_runner.py", "test_evaluation_holdout.py", "test_studies_workers.py"],
        "processes",
    ),
}


def pytest_sessionstart(session) -> None:
    threadpool_limits(limits=1, user_api="blas")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # a shell's background job ignores Ctrl-C, and so would every program that the tests start and interrupt
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    gc.freeze()  # looking through the libraries again and again takes a tenth of the time
    gc.set_threshold(20_000)
    gc.enable()


def pytest_sessionfinish() -> None:
    gc.unfreeze()  # Triton complains of what is left at the end


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give the tests of a file, or of files that belong together, to one worker: what they share is made once."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path = nodeid.split("::")[0]
            return TOGETHER.get(Path(path).name, path)

    config.option.loadscopereorder = False  # the longest files come early in the alphabet
    return ByFile(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes():
    """Compile once, while the workers collect the tests, what they would all compile at the same time."""
    COMPILER.start()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished():
    COMPILER.join()


@pytest.fixture(scope="session")
def dask_cluster():
    """Two processes, forked from one that has imported Dask and the package."""
    import dask
    from distributed import LocalCluster
    from distributed.utils import get_mp_context

    imported = ["distributed", "dask.dataframe", "puselect_paper.studies.measures"]
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        get_mp_context().set_forkserver_preload(imported)
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
            yield cluster


@pytest.fixture
def few_steps(monkeypatch):
    """Shorten searches whose result does not matter."""
    monkeypatch.setattr(settings, "MOST_STEPS", 5)


@pytest.fixture(scope="module")
def few_trees():
    """Grow small forests where it does not matter how well they predict."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "N_ESTIMATORS", 20)
        patch.setitem(models.SMALL_LEAVES, "n_estimators", 30)
        yield


@pytest.fixture
def remembered_fits(monkeypatch):
    """Do a search once for the same settings and data: the pages of the documentation repeat their examples."""
    really_fit, really_check = FSCPU.fit, suitability.check_suitability

    def identity(selector, X, y, groups):
        given = {name: value for name, value in selector.get_params().items() if name not in ("n_jobs", "verbose")}
        return joblib.hash((given, settings.MOST_STEPS, np.ascontiguousarray(X), np.asarray(y), groups))

    def fit(selector, X, y, **groups):
        if selector.random_state is None or selector.checkpoint is not None:
            return really_fit(selector, X, y, **groups)
        key = identity(selector, X, y, groups)
        if key not in REMEMBERED:
            REMEMBERED[key] = vars(really_fit(selector, X, y, **groups))
        vars(selector).update(copy.deepcopy(REMEMBERED[key]))
        vars(selector).pop("feature_names_in_", None)
        if hasattr(X, "columns"):
            selector.feature_names_in_ = np.array(list(X.columns), dtype=object)
        return selector

    def check(X, y, *more, **options):
        key = joblib.hash((np.asarray(X), np.asarray(y), more, {**options, "n_jobs": None}))
        if key not in REMEMBERED:
            REMEMBERED[key] = really_check(X, y, *more, **options)
        return REMEMBERED[key]

    monkeypatch.setattr(FSCPU, "fit", fit)
    monkeypatch.setattr(suitability, "check_suitability", check)
