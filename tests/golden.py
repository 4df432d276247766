"""Small problems whose results show that a change of the code changes none of them: ``make golden``.

The first run writes the results to build/golden.npz, later ones compare with them bit for bit; remove the file to begin
anew. The last bits depend on the processor and the versions of the libraries, so results are valid only where they were
written: they are not kept with the code, and the comparison is no part of the suite.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from puselect import FSCPU, METHODS
from puselect.checks.suitability import check_suitability
from puselect.datasets import make_pu_clusters
from puselect.methods import REGISTRY

FILE = Path(__file__).parents[1] / "build" / "golden.npz"
Settings = dict[str, Any]

COSTS = np.array([1.0, 2.5, 0.3, 4.0, 1.0, 2.0, 0.5, 1.5, 3.0, 0.7, 1.2, 2.2])
BUDGET: Settings = {"n_features_to_select": None, "feature_costs": COSTS, "budget": 6.5}
PUBLISHED: Settings = {"preset": "published", "max_iter": 12}
SEARCHES: dict[str, tuple[str, Settings]] = {  # name: the table, and settings of FSCPU
    "default": ("three", {}),
    "threads": ("large", {"n_features_to_select": 15}),
    "more columns than rows": ("wide", {"n_features_to_select": 20}),
    "screened": ("wide", {"screen": 40}),
    "few labels": ("few labels", {}),
    "words": ("words", {"pos_label": "yes"}),
    "settled": ("three", {"n_features_to_select": 6, "max_iter": 400}),
    "clusters alone": ("three", {"criterion": "cluster"}),
    "mutual information": ("eight", {"criterion": "cluster+mi"}),
    "not scaled": ("three", {"scale": None}),
    "diagonal": ("three", {"covariance_type": "diag"}),
    "spherical": ("three", {"covariance_type": "spherical"}),
    "tied": ("three", {"covariance_type": "tied"}),
    "published": ("three", PUBLISHED),
    "published, mutual information": ("three", PUBLISHED | {"criterion": "cluster+mi"}),
    "sampled": ("eight", {"max_samples": 120}),
    "budget": ("three", BUDGET),
    "costs by name": ("named", BUDGET | {"feature_costs": {f"c{i}": COSTS[i] for i in range(12)}}),
    "kept and never": ("named", {"always_keep": ["c2", 9], "never_select": [0, "c5"]}),
    "a number that is found": ("three", {"n_features_to_select": "auto"}),
    "again": ("three", {"n_searches": 4}),
    "reference": ("three", {"engine": "reference", "max_iter": 8}),
    "own clusterer": ("three", {"engine": "reference", "clusterer": KMeans(5, n_init=1), "max_iter": 8}),
}
TABLES: dict[str, Settings] = {  # differences from "three", with 12 columns and 20 of 250 rows labelled
    "eight": {"condition": "60/8/2", "n_negative": 300, "random_state": 1},
    "large": {"condition": "30/3/1", "n_negative": 900, "n_positive": 100, "n_relevant": 15, "n_irrelevant": 15},
    "wide": {"n_negative": 40, "n_relevant": 50, "n_irrelevant": 50},
    "few labels": {"condition": "20/3/1"},
}


def table(name: str) -> Any:
    """Return a table and its labels."""
    sizes = {"condition": "40/3/1", "n_negative": 200, "n_positive": 50, "n_relevant": 6, "n_irrelevant": 6}
    X, y, _ = make_pu_clusters(**{**sizes, "random_state": 0, **TABLES.get(name, {})})
    if name == "named":
        X = pd.DataFrame(X, columns=[f"c{i}" for i in range(12)])
    return X, np.where(y == 1, "yes", "?") if name == "words" else y


def fit_all() -> dict[str, NDArray[Any]]:
    """Return results by name: of searches, other methods, candidate positives and the check of the clusters."""
    found: dict[str, NDArray[Any]] = {}
    base: Settings = {"n_features_to_select": 5, "max_iter": 50, "engine": "cpu", "n_jobs": 1, "random_state": 0}
    for name, (rows, changes) in SEARCHES.items():
        search = FSCPU(**{**base, **changes}).fit(*table(rows))
        found[f"{name}/ranking"], found[f"{name}/support"] = search.ranking_, search.support_
        found[f"{name}/probabilities"] = search.probabilities_
        found[f"{name}/values"] = np.append(search.history_.value, search.objective_)
    X, y = table("three")
    for name in METHODS:
        selector = METHODS[name](5, random_state=0, **REGISTRY[name].quick).fit(X, y)
        found[f"{name}/scores"], found[f"{name}/ranking"] = selector.result_.scores, selector.ranking_
    rows, lift, _ = FSCPU(**base).fit(X, y).candidate_positives(X, y)
    found["candidates/rows"], found["candidates/lift"] = rows, lift
    suits = check_suitability(X, y, n_shuffles=2, n_jobs=1, random_state=3)
    found["suitability"] = np.array([suits.objective, suits.null_objective])
    return found


def differences(found: dict[str, NDArray[Any]]) -> list[str]:
    """Return the names of results that are not those of the file to the last bit."""
    with np.load(FILE) as kept:
        both = set(found) & set(kept.files)
        same = {name for name in both if np.array_equal(found[name], kept[name], equal_nan=True)}
        return sorted((set(found) | set(kept.files)) - same)


if __name__ == "__main__":
    with threadpool_limits(1):
        results = fit_all()
    if FILE.exists():
        different = differences(results)
        sys.exit(f"differ from {FILE}: {', '.join(different)}" if different else 0)
    FILE.parent.mkdir(exist_ok=True)
    np.savez_compressed(FILE, **results)
    print(f"{len(results)} results written to {FILE}")
