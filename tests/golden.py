"""Small problems whose results are kept, to show that a change of the code changes none of them.

``python tests/golden.py`` fits them all and rewrites the file; ``make golden`` compares with it bit for bit. The last
bits depend on the processor and the versions of the libraries, so the file is valid only where it was written, and the
comparison is no part of the suite: write the file, change the code, compare. Parameters are named in the first part of
this file, fitted attributes in `outcome`.
"""

import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import Mock, patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from puselect import METHODS, fit_many
from puselect.checks.suitability import check_suitability
from puselect.datasets import make_pu_clusters
from puselect.exceptions import InterruptedSearchWarning
from puselect.search.progress import watching

FILE = Path(__file__).parent / "data" / "golden.npz"
SAVE_SECONDS = "puselect.fscpu.search_run.SAVE_SECONDS"  # how often a search is saved

Settings = dict[str, Any]
Result = dict[str, NDArray[Any]]

BASE: Settings = {"n_features_to_select": 5, "random_state": 0}
FSCPU_BASE: Settings = {  # everything is written out, so that other defaults change nothing
    **BASE, "engine": "cpu", "scale": "minmax", "max_samples": None, "n_clusters": 8, "covariance_type": "full",
    "population_size": 6, "max_iter": 50,
}  # fmt: skip
DEFAULT: Settings = {**FSCPU_BASE, "criterion": "cluster"}
EVIDENCE: Settings = {"criterion": "cluster+evidence"}
MIXED: Settings = {"criterion": "cluster+mi"}
SETTLED: Settings = {"n_features_to_select": 6, "max_iter": 400}
PUBLISHED: Settings = {"preset": "published", "max_iter": 12}
SLOW: Settings = {"engine": "reference", "max_iter": 8}
COSTS = np.array([1.0, 2.5, 0.3, 4.0, 1.0, 2.0, 0.5, 1.5, 3.0, 0.7, 1.2, 2.2])
BUDGET: Settings = {"n_features_to_select": None, "feature_costs": COSTS, "budget": 6.5}
COSTS_BY_NAME: Settings = {**BUDGET, "feature_costs": {f"c{i}": COSTS[i] for i in reversed(range(12))}}

SEARCHES: dict[str, tuple[str, Settings]] = {  # name: the table, and what differs from DEFAULT
    "default": ("three", {}),
    "default, large enough for threads": ("large", {"n_features_to_select": 15, "n_clusters": 10}),
    "default, more columns than rows": ("wide", {"n_features_to_select": 20}),
    "default, few labels": ("few labels", {}),
    "default, words": ("words", {"pos_label": "yes"}),
    "settled": ("three", SETTLED),
    "settled, mutual information": ("eight", SETTLED | MIXED),
    "evidence": ("three", EVIDENCE),
    "evidence, few labels": ("few labels", EVIDENCE),
    "evidence, screened": ("wide", EVIDENCE | {"screen": 40}),
    "not scaled": ("three", {"scale": None}),
    "diagonal": ("three", {"covariance_type": "diag"}),
    "spherical": ("three", {"covariance_type": "spherical"}),
    "tied": ("three", {"covariance_type": "tied"}),
    "published": ("three", PUBLISHED),
    "sampled": ("eight", {"max_samples": 120}),
    "budget": ("three", BUDGET),
    "budget, costs by name": ("named", COSTS_BY_NAME | {"always_keep": ["c3"]}),
    "kept and never": ("named", {"always_keep": ["c2", 9], "never_select": [0, "c5"]}),
    "a constant never": ("constant", {"never_select": [12]}),
    "reference": ("three", SLOW),
    "reference, published": ("three", SLOW | PUBLISHED),
    "own clusterer": ("three", SLOW | {"clusterer": KMeans(5, n_init=1)}),
}

OTHERS: dict[str, tuple[str, Settings]] = {  # name: the method, and its settings besides BASE
    "kbest": ("kbest", {}),
    "lasso": ("lasso", {"alpha": 5e-5, "max_iter": 10_000}),
    "mrmr": ("mrmr", {"criterion": "quotient"}),
    "mrmr-published": ("mrmr-published", {}),
    "dt-rfe": ("dt-rfe", {"n_estimators": 10, "step": 1}),
    "es-mcrfs": ("es-mcrfs", {"max_iter": 40, "n_estimators": 3}),
    "lgbm-opt": ("lgbm-opt", {"n_estimators": 5, "max_iter": 12}),
    "mrmr-ufs": ("mrmr-ufs", {}),
    "sselect": ("sselect", {"sigma2": 0.005}),
    "jsfs": ("jsfs", {"max_iter": 50}),
    "semi-jmi": ("semi-jmi", {"n_bins": 4}),
    "fscpu-mi": ("fscpu-mi", FSCPU_BASE),
    "fscpu-published": ("fscpu-published", {"engine": "cpu", "max_iter": 30}),
    "fscpu-mi-published": ("fscpu-mi-published", {"engine": "cpu", "max_iter": 30}),
}

TABLES: dict[str, Settings] = {  # what differs from "three", with 12 columns and 20 of 250 rows labelled
    "eight": {"condition": "60/8/2", "n_negative": 300, "random_state": 1},
    "large": {"condition": "30/3/1", "n_negative": 900, "n_positive": 100, "n_relevant": 15, "n_irrelevant": 15},
    "wide": {"n_negative": 40, "n_relevant": 50, "n_irrelevant": 50},
    "few labels": {"condition": "20/3/1"},
}


def table(name: str, **changes: Any) -> Any:
    """Return a table and its labels."""
    sizes = {"condition": "40/3/1", "n_negative": 200, "n_positive": 50, "n_relevant": 6, "n_irrelevant": 6}
    X, y, _ = make_pu_clusters(**{**sizes, "random_state": 0, **TABLES.get(name, {}), **changes})
    if name == "named":
        X = pd.DataFrame(X, columns=[f"c{i}" for i in range(12)])
    if name == "constant":
        X = np.column_stack([X, np.full(len(X), 3.0)])
    return X, np.where(y == 1, "yes", "?") if name == "words" else y


def outcome(selector: Any) -> Result:
    """Return what a fitted selector found; of a search also the value of every step and of the result."""
    scores = selector.probabilities_ if hasattr(selector, "probabilities_") else selector.scores_
    found = {"support": selector.support_, "scores": scores, "ranking": selector.ranking_}
    if hasattr(selector, "history_"):
        found["values"] = np.append(selector.history_.value, selector.objective_)
    return found


def fit_method(n_jobs: int, method: str, rows: str, settings: Settings) -> Result:
    selector = METHODS[method](**settings)
    if hasattr(selector, "n_jobs"):
        selector.set_params(n_jobs=n_jobs)
    return outcome(selector.fit(*table(rows)))


def fscpu(n_jobs: int, **changes: Any) -> Any:
    return METHODS["fscpu"](**{**DEFAULT, "n_jobs": n_jobs, **changes})


def fit_resumed(n_jobs: int) -> Result:
    """Stop a search after twelve steps, and let another selector go on from its checkpoint."""
    interrupt, observe = Mock(side_effect=[None] * 11 + [KeyboardInterrupt]), Mock()
    with TemporaryDirectory() as folder, patch(SAVE_SECONDS, 0.0), warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedSearchWarning)
        for observer in (interrupt, observe):
            with watching(observer):
                selector = fscpu(n_jobs, **MIXED, checkpoint=Path(folder) / "state").fit(*table("three"))
    assert (interrupt.call_count, observe.call_count) == (12, selector.max_iter - 12), "it was not resumed"
    return outcome(selector)


def fit_in_lockstep(n_jobs: int) -> Result:
    tables, labels = zip(*(table("three", random_state=seed) for seed in range(3)), strict=True)
    parts = [outcome(one) for one in fit_many([fscpu(n_jobs, random_state=i) for i in range(3)], tables, labels)]
    return {part: np.concatenate([result[part] for result in parts]) for part in parts[0]}


def find_candidates(n_jobs: int) -> Result:
    """Return which rows are candidate positives, and in which order, with which lift."""
    X, y = table("three")
    rows, lift, _ = fscpu(n_jobs).fit(X, y).candidate_positives(X, y)
    return {"support": np.isin(np.arange(len(X)), rows), "scores": lift, "ranking": rows}


def judge_suitability(n_jobs: int) -> Result:
    X, y = table("three")
    found = check_suitability(X, y, n_shuffles=2, n_jobs=n_jobs, random_state=3)
    return {"support": np.array([found.suits]), "scores": np.array([found.objective, found.null_objective])}


PROBLEMS: dict[str, Callable[[int], Result]] = {
    **{name: partial(fit_method, method="fscpu", rows=t, settings=DEFAULT | s) for name, (t, s) in SEARCHES.items()},
    **{name: partial(fit_method, method=m, rows="three", settings=BASE | s) for name, (m, s) in OTHERS.items()},
    "resumed": fit_resumed,
    "lockstep": fit_in_lockstep,
    "candidates": find_candidates,
    "suitability": judge_suitability,
}


def fit(problem: str, n_jobs: int = 1) -> Result:
    """Return the result of a problem; libraries start no threads of their own."""
    with threadpool_limits(1):
        return PROBLEMS[problem](n_jobs)


def fit_all() -> Result:
    """Return the results of all problems under the names they have in the file."""
    return {f"{problem}/{part}": array for problem in PROBLEMS for part, array in fit(problem).items()}


def differences() -> list[str]:
    """Return the names of results that are not those of the file to the last bit."""
    found = fit_all()
    with np.load(FILE) as kept:
        same = {name for name in found if name in kept.files and np.array_equal(found[name], kept[name])}
        return sorted((set(found) | set(kept.files)) - same)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        different = differences()
        sys.exit(f"differ from {FILE.name}: {', '.join(different)}" if different else 0)
    np.savez_compressed(FILE, **fit_all())
    print(f"{len(PROBLEMS)} problems, {FILE.stat().st_size / 1000:.0f} kB: {FILE}")
