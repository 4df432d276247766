"""Small problems whose results show that a change of the code changes none of them: ``make golden``.

The first run writes the results to build/golden.npz, later ones compare with them bit for bit; remove the file to begin
anew. The last bits depend on the processor and the versions of the libraries, so results are valid only where they were
written: they are not kept with the code, and the comparison is no part of the suite.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from puselect import FSCPU, METHODS
from puselect.checks.suitability import check_suitability
from puselect.datasets import make_pu_clusters
from puselect.methods import REGISTRY

FILE = Path(__file__).parents[1] / "build" / "golden.npz"
COSTS = np.array([1.0, 2.5, 0.3, 4.0, 1.0, 2.0, 0.5, 1.5, 3.0, 0.7, 1.2, 2.2])
SEARCHES: dict[str, dict[str, Any]] = {
    "default": {"n_searches": 4},
    "clusters alone": {"criterion": "cluster", "max_samples": 120},
    "spherical, not scaled": {"covariance_type": "spherical", "scale": None},
    "published": {"preset": "published", "max_iter": 12, "criterion": "cluster+mi"},
    "budget": {"n_features_to_select": None, "feature_costs": COSTS, "budget": 6.5, "always_keep": [2]},
    "a number that is found": {"n_features_to_select": "auto", "never_select": [0]},
    "screened": {"screen": 8, "groups": {"pair": [3, 4]}},
    "reference": {"engine": "reference", "max_iter": 8},
}


def fit_all() -> dict[str, NDArray[Any]]:
    """Return results by name: of searches, of all methods, candidate positives and the check of the clusters."""
    X, y, _ = make_pu_clusters("40/3/1", n_negative=200, n_positive=50, n_relevant=6, n_irrelevant=6, random_state=0)
    base: dict[str, Any] = {"n_features_to_select": 5, "max_iter": 50, "engine": "cpu", "n_jobs": 1, "random_state": 0}
    found: dict[str, NDArray[Any]] = {}
    for name, changes in SEARCHES.items():
        search = FSCPU(**{**base, **changes}).fit(X, y)
        found[f"{name}: ranking"], found[f"{name}: probabilities"] = search.ranking_, search.probabilities_
        found[f"{name}: values"] = np.append(search.history_.value, search.objective_)
    for name in METHODS:
        selector = METHODS[name](5, random_state=0, **REGISTRY[name].quick).fit(X, y)
        found[f"{name}: scores"], found[f"{name}: ranking"] = selector.result_.scores, selector.ranking_
    found["candidates"], found["lift"], *_ = FSCPU(**base).fit(X, y).candidate_positives(X, y)
    suits = check_suitability(X, y, n_shuffles=2, n_jobs=1, random_state=3)
    found["suitability"] = np.array([suits.objective, suits.null_objective])
    return found


if __name__ == "__main__":
    with threadpool_limits(1):
        results = fit_all()
    if FILE.exists():
        with np.load(FILE) as kept:
            both = set(results) & set(kept.files)
            same = {name for name in both if np.array_equal(results[name], kept[name], equal_nan=True)}
            different = sorted((set(results) | set(kept.files)) - same)
        sys.exit(f"differ from {FILE}: {', '.join(different)}" if different else 0)
    FILE.parent.mkdir(exist_ok=True)
    np.savez_compressed(FILE, **results)
    print(f"{len(results)} results written to {FILE}")
