"""One search of a selector: run, saved, resumed, reported. Knows the objective by its call alone."""

import hashlib
import json
import warnings
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.search import BernoulliIGO, History, Repair, Search, run_searches
from puselect.search.checkpoint import load_state, save_state
from puselect.search.progress import CallbackSupportMixin, InterruptedSearchWarning, Progress, Throttle
from puselect.selectors.base import PUSelector, descending_order, ranks_of
from puselect.selectors.budget import Budget
from puselect.selectors.settings import learning_rate, margin, step_limit

SAVE_SECONDS = 1.0
FINAL_CLUSTERINGS = 8
NOT_IN_FINGERPRINT = ("checkpoint", "n_jobs", "verbose", "engine")


class Objective(Protocol):
    """What a session maximises: criteria of masks over all features, see `puselect.search.loop.Evaluate`."""

    n_degenerate: int

    @property
    def n_criteria(self) -> int:
        """Number of columns a call returns."""
        ...

    def __call__(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        """Return the criteria of each mask, shape (n_masks, n_criteria)."""
        ...


class Session:
    """One search of a selector: run, saved, resumed, reported.

    Parameters
    ----------
    selector : estimator
        With the parameters `population_size`, `learning_rate`, `margin`, `max_iter`, `early_stopping`, `checkpoint` and
        `verbose`; only its parameters are read.
    objective : Objective
    budget : Budget
    theta : ndarray of shape (n_free_features,)
        First probabilities of the free features.
    table, positive : ndarray
        The data, to recognise a checkpoint of other data and to count the labels.
    entropy : int
        Seed of everything random, unless a checkpoint brings its own.
    """

    def __init__(
        self,
        selector: Any,
        objective: Objective,
        budget: Budget,
        theta: FloatArray,
        table: NDArray[Any],
        positive: BoolArray,
        entropy: int,
    ) -> None:
        self.selector = selector
        self.objective = objective
        self.budget = budget
        rate = learning_rate(selector, budget.start, len(theta), int(positive.sum()))
        self.max_iter = step_limit(selector, rate)
        optimizer = BernoulliIGO(
            theta,
            population_size=selector.population_size,
            learning_rate=rate,
            margin=margin(selector, max(len(theta), 1)),
            rng=np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(0,))),
        )
        repair = Repair(budget.costs, budget.limit)
        self.search = Search(optimizer, repair, entropy, n_criteria=objective.n_criteria)
        self.fingerprint = fingerprint(selector, table, positive) if selector.checkpoint is not None else ""

    def run(self, X: Any, y: Any) -> None:
        """Search until it is over, resuming from and saving to the checkpoint; Ctrl-C keeps what there is."""
        self.resume()
        progress = Progress(self.selector, self.search, self.max_iter, self.selector.verbose)
        if self.search.step:
            progress.tell(f"resumed after step {self.search.step} from {self.selector.checkpoint}")
        due = Throttle(SAVE_SECONDS)

        def after_step() -> bool:
            if due():
                self.save()
            return progress.after_step()

        progress.begin(X, y)
        try:
            if self.budget.leaves_a_choice:
                run_searches([self.search], self._evaluate, self.is_over, after_step)
            self.save()
        except KeyboardInterrupt:
            warnings.warn(
                f"interrupted after {self.search.step} of at most {self.max_iter} steps; "
                "the features selected are the best so far",
                InterruptedSearchWarning,
                stacklevel=4,
            )
        progress.end(X, y)
        progress.tell(f"done after {self.search.step} steps, {self.search.settled:.0%} of the features settled")

    @property
    def final_seeds(self) -> IntArray:
        """Seeds of the clusterings by which the result is judged."""
        return np.random.SeedSequence(self.search.entropy, spawn_key=(0, 0, 0)).generate_state(FINAL_CLUSTERINGS)

    def value_of(self, support: BoolArray) -> float:
        """Return the objective of a mask over all features, as a mean over several clusterings."""
        masks = np.repeat(support[None, :], FINAL_CLUSTERINGS, axis=0)
        return float(self.objective(masks, self.final_seeds, np.zeros(FINAL_CLUSTERINGS, dtype=np.intp))[:, 0].mean())

    def _evaluate(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        return self.objective(self.budget.widen(masks), seeds, targets)

    def is_over(self, search: Search) -> bool:
        """Return whether all steps are done or the features have settled."""
        return search.step >= self.max_iter or (self.selector.early_stopping and search.settled >= 1)

    def save(self) -> None:
        """Write the checkpoint, where one is wanted."""
        if self.selector.checkpoint is not None:
            state = {"search": self.search.state(), "n_degenerate": self.objective.n_degenerate}
            save_state(self.selector.checkpoint, {"fingerprint": self.fingerprint, **state})

    def resume(self) -> None:
        """Go on from the checkpoint, where there is one."""
        if self.selector.checkpoint is None or (state := load_state(self.selector.checkpoint)) is None:
            return
        if state.get("fingerprint") != self.fingerprint:
            raise ValueError(
                f"checkpoint {str(self.selector.checkpoint)!r} belongs to other data or other settings; "
                "name another file, or delete this one to start anew"
            )
        self.search.restore(state["search"])
        self.objective.n_degenerate = state["n_degenerate"]


class SearchSelector(CallbackSupportMixin, PUSelector):
    """A selector that takes the features a search found most probable."""

    history_: History

    def _keep_result(self, session: Session) -> None:
        """Set the fitted attributes."""
        search, budget = session.search, session.budget
        self.probabilities_ = budget.kept.astype(np.float64)
        self.probabilities_[budget.free] = search.theta
        order = descending_order(self.probabilities_, np.random.default_rng([search.entropy, search.step]))
        self.ranking_ = ranks_of(order)
        self.support_ = budget.take_within(np.argsort(self.ranking_[budget.free]))
        self.history_ = search.history()
        self.n_iter_ = search.step
        self.settled_ = search.settled
        self.converged_ = search.settled >= 1
        self.objective_ = session.value_of(self.support_)
        self.n_degenerate_ = session.objective.n_degenerate


def fingerprint(selector: Any, table: NDArray[Any], positive: BoolArray) -> str:
    """Return a hash of the data and of every parameter that changes the search."""
    parameters = {
        name: repr(value) for name, value in selector.get_params(deep=False).items() if name not in NOT_IN_FINGERPRINT
    }
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode())
    for array in (np.asarray(table.shape), table, positive):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
