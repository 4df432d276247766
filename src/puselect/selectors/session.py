"""One fit of FSCPU: data bound to an engine, a search run, saved, resumed, reported."""

import hashlib
import json
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from puselect.callbacks import Progress, Throttle
from puselect.engines import make_engine
from puselect.evidence import column_evidence, tilted_start
from puselect.objective import ClusterObjective, PairInformation
from puselect.scaling import scale_columns
from puselect.search import BernoulliIGO, Repair, Search, run_searches
from puselect.search.checkpoint import load_state, save_state
from puselect.selectors.budget import Budget
from puselect.selectors.settings import learning_rate, margin, mixture_spec, row_limit, step_limit

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]

SAVE_SECONDS = 1.0
FINAL_CLUSTERINGS = 8
NOT_IN_FINGERPRINT = ("checkpoint", "n_jobs", "verbose", "engine")


class Session:
    """Binds a selector's parameters to data and runs the search.

    Parameters
    ----------
    selector : FSCPU
        Only its parameters are read.
    X : ndarray of shape (n_rows, n_features)
    positive : ndarray of bool, shape (n_rows,)
    budget : Budget
    entropy : int
        Seed of everything random, unless a checkpoint brings its own.
    """

    def __init__(
        self, selector: Any, X: NDArray[Any], positive: BoolArray, budget: Budget, entropy: int
    ) -> None:
        self.selector = selector
        self.budget = budget
        limit = row_limit(selector, len(X))
        dtype = np.float64 if selector.engine == "reference" or selector.clusterer is not None else np.float32
        table = scale_columns(X, dtype) if selector.scale else np.asarray(X)
        self.engine = make_engine(
            selector.engine,
            table,
            positive,
            mixture_spec(selector) if selector.clusterer is None else selector.clusterer,
            n_jobs=selector.n_jobs,
            max_samples=limit,
        )
        information = PairInformation(table, positive) if selector.criterion == "cluster+mi" else None
        self.objective = ClusterObjective(self.engine, selector.score_rule, selector.smoothing, information)
        self.rate = learning_rate(selector, budget.start, len(budget.free), int(positive.sum()))
        self.max_iter = step_limit(selector, self.rate)
        self.search = self._new_search(table, positive, entropy, limit)
        self.fingerprint = fingerprint(selector, table, positive) if selector.checkpoint is not None else ""

    def run(self, X: Any, y: Any) -> None:
        """Search until it is over, resuming from and saving to the checkpoint; Ctrl-C keeps what there is."""
        self._resume()
        progress = Progress(self.selector, self.search, self.max_iter, self.selector.verbose)
        due = Throttle(SAVE_SECONDS)

        def after_step() -> bool:
            if due():
                self._save()
            return progress.after_step()

        progress.begin(X, y)
        try:
            if self.budget.leaves_a_choice:
                run_searches([self.search], self._evaluate, self._is_over, after_step)
            self._save()
        except KeyboardInterrupt:
            warnings.warn(
                f"interrupted after {self.search.step} of at most {self.max_iter} steps; "
                "the features selected are the best so far",
                ConvergenceWarning,
                stacklevel=3,
            )
        progress.end(X, y)

    def value_of(self, support: BoolArray) -> float:
        """Return the objective of a mask over all features, as a mean over several clusterings."""
        seeds = np.random.SeedSequence(self.search.entropy, spawn_key=(0, 0, 0)).generate_state(FINAL_CLUSTERINGS)
        masks = np.repeat(support[None, :], FINAL_CLUSTERINGS, axis=0)
        return float(self.objective(masks, seeds, np.zeros(FINAL_CLUSTERINGS, dtype=np.intp))[:, 0].mean())

    def _new_search(
        self, table: NDArray[Any], positive: BoolArray, entropy: int, limit: int | None
    ) -> Search:
        selector, budget = self.selector, self.budget
        rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(0,)))
        theta = np.full(len(budget.free), budget.start)
        if selector.start_tilt > 0 and budget.leaves_a_choice:
            rows = some_rows(positive, limit, rng)
            evidence = column_evidence(table[rows][:, budget.free], positive[rows])
            theta = tilted_start(evidence, budget.costs, budget.limit, selector.start_tilt)
        optimizer = BernoulliIGO(
            theta,
            population_size=selector.population_size,
            learning_rate=self.rate,
            margin=margin(selector, max(len(theta), 1)),
            rng=rng,
        )
        repair = Repair(budget.costs, budget.limit)
        return Search(optimizer, repair, entropy, n_criteria=self.objective.n_criteria)

    def _evaluate(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        return self.objective(self.budget.widen(masks), seeds, targets)

    def _is_over(self, search: Search) -> bool:
        settled = self.selector.settle_at is not None and search.settled >= self.selector.settle_at
        return search.step >= self.max_iter or settled

    def _save(self) -> None:
        if self.selector.checkpoint is not None:
            state = {"search": self.search.state(), "n_degenerate": self.objective.n_degenerate}
            save_state(self.selector.checkpoint, {"fingerprint": self.fingerprint, **state})

    def _resume(self) -> None:
        if self.selector.checkpoint is None or (state := load_state(self.selector.checkpoint)) is None:
            return
        if state.get("fingerprint") != self.fingerprint:
            raise ValueError(
                f"checkpoint {str(self.selector.checkpoint)!r} belongs to other data or other settings; "
                "name another file, or delete this one to start anew"
            )
        self.search.restore(state["search"])
        self.objective.n_degenerate = state["n_degenerate"]


def some_rows(positive: BoolArray, limit: int | None, rng: np.random.Generator) -> IntArray:
    """Return all rows, or the labelled ones and random others when there are more than `limit`."""
    if limit is None:
        return np.arange(len(positive))
    others = rng.choice(np.flatnonzero(~positive), min(limit, int((~positive).sum())), replace=False)
    return np.concatenate([np.flatnonzero(positive), others])


def fingerprint(selector: Any, table: NDArray[Any], positive: BoolArray) -> str:
    """Return a hash of the data and of every parameter that changes the search."""
    parameters = {
        name: repr(value) for name, value in selector.get_params(deep=False).items() if name not in NOT_IN_FINGERPRINT
    }
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode())
    for array in (np.asarray(table.shape), table, positive):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
