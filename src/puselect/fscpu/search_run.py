"""Searches as they are run: saved, resumed, ended in time. The objective is only a function here."""

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, replace
from typing import Protocol

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.atomic import check_writable, remove_scratch
from puselect.draws import Stream, hashes
from puselect.exceptions import CheckpointWarning, InterruptedSearchWarning
from puselect.fscpu.settings import MASKS_PER_STEP, SearchSettings
from puselect.search import BernoulliIGO, History, Optimizer, Repair, Search, run_searches
from puselect.search.callbacks import FitCallbacks, StepCallbacks
from puselect.search.checkpoint import fingerprint, load_state, save_state
from puselect.search.progress import LOG_SECONDS, Deadline, ProgressLog, Throttle, logger, shown_log
from puselect.selectors.base import PUSelector, descending_order, ranks_of
from puselect.selectors.budget import Budget
from puselect.selectors.result import FitResult, SearchResult

SAVE_SECONDS = 1.0
INTERRUPTED_CLUSTERINGS = 1


class Objective(Protocol):
    """The function that searches maximise: criteria of masks over all features, see `puselect.search.loop.Evaluate`."""

    n_criteria: int
    """Number of columns a call returns."""
    n_degenerate: IntArray
    """Clusterings of each target so far that lost a cluster or needed more regularisation."""

    def __call__(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        """Return the criteria of each mask, shape (n_masks, n_criteria)."""
        ...


@dataclass
class SearchRun:
    """One search as it is run: saved, resumed, ended in time."""

    settings: SearchSettings
    objective: Objective
    budget: Budget
    optimizer: InitVar[Optimizer]
    """Over the free features."""
    max_iter: int
    """Steps at most."""
    identity: InitVar[Sequence[object]]
    """Everything that changes the search: data, settings, seed. A checkpoint of another search is refused."""
    deadline: Deadline
    """When the fit must be over, final clusterings included."""
    target: InitVar[int] = 0
    """The table or label vector, among those the objective is bound to."""
    could_save: bool = True
    interrupted: bool = False
    timed_out: bool = False

    def __post_init__(self, optimizer: Optimizer, identity: Sequence[object], target: int) -> None:
        self.search = Search(optimizer, target, n_criteria=self.objective.n_criteria)
        self.fingerprint = "" if self.settings.checkpoint is None else fingerprint(*identity)

    @property
    def n_degenerate(self) -> int:
        """Clusterings so far that lost a cluster or needed more regularisation."""
        return int(self.objective.n_degenerate[self.search.target])

    @property
    def final_seeds(self) -> IntArray:
        """Seeds of the clusterings that judge the result; fewer after Ctrl-C or if time runs out."""
        number = np.arange(MASKS_PER_STEP)
        seeds = (hashes(self.search.optimizer.seed, Stream.FINAL_SEEDS, number) >> np.uint64(32)).astype(np.int64)
        if self.interrupted:
            return seeds[:INTERRUPTED_CLUSTERINGS]
        seconds_each = self.deadline.lap_seconds / self.settings.population_size
        return seeds[: int(np.clip(self.deadline.left / max(seconds_each, 1e-9), 1, MASKS_PER_STEP))]

    @property
    def is_over(self) -> bool:
        """Whether all steps are done, or there is no time for another one."""
        if not self.budget.leaves_a_choice or self.search.step >= self.max_iter:
            return True
        self.timed_out = self.deadline.is_too_close(MASKS_PER_STEP / self.settings.population_size)
        return self.timed_out

    def open_checkpoint(self) -> None:
        """Resume from the checkpoint; a path that cannot be written is an error now, not after hours."""
        path = self.settings.checkpoint
        if path is None:
            return
        remove_scratch(path)
        state = load_state(path)
        if state is None:
            check_writable(path)
            return
        advice = "delete it or use another path"
        if state.get("fingerprint") != self.fingerprint:
            raise ValueError(f"checkpoint {str(path)!r} belongs to other data or other settings; {advice}")
        try:
            self.search.restore(state["search"])
            self.objective.n_degenerate[self.search.target] = state["n_degenerate"]
        except (LookupError, TypeError) as error:
            raise ValueError(f"checkpoint {str(path)!r} belongs to another version of puselect; {advice}") from error

    def save(self) -> None:
        """Write the checkpoint, where one is wanted; warn and go on if that fails, for instance on a full disk."""
        if self.settings.checkpoint is None:
            return
        state = {"fingerprint": self.fingerprint, "search": self.search.state(), "n_degenerate": self.n_degenerate}
        try:
            save_state(self.settings.checkpoint, state)
            self.could_save = True
        except OSError as error:
            if self.could_save:
                message = f"the search goes on, but its checkpoint could not be written: {error}"
                warnings.warn(message, CheckpointWarning, stacklevel=3)
            self.could_save = False


def run_alone(run: SearchRun, callbacks: FitCallbacks) -> None:
    """Search until it is over, with progress; Ctrl-C keeps the best so far."""
    with shown_log(run.settings.verbose), callbacks.watching():
        run.open_checkpoint()
        progress = ProgressLog(run.search, run.max_iter, run.settings.verbose, run.deadline)
        if run.search.step:
            progress.log(f"resumed after step {run.search.step} from {run.settings.checkpoint}")
        callbacks.begin(run.max_iter - run.search.step)

        def after_step() -> bool:
            progress.after_step()
            return callbacks.after_step()

        _run([run], after_step)
        callbacks.end()
        reason = f"max_time={run.settings.max_time:g} ended the search" if run.timed_out else "done"
        progress.log(f"{reason} after {run.search.step} steps, {run.search.settled:.0%} of the features decided")


def run_together(runs: Sequence[SearchRun]) -> None:
    """Run searches of one objective in lockstep, with a line in the log every two seconds."""
    for run in runs:
        run.open_checkpoint()
    due_line = Throttle(LOG_SECONDS)

    def after_step() -> bool:
        if due_line():
            n_over, n_steps = sum(run.is_over for run in runs), max(run.search.step for run in runs)
            logger.info("step %d, %d of %d searches over", n_steps, n_over, len(runs))
        return False

    _run(runs, after_step)


def _run(runs: Sequence[SearchRun], after_step: Callable[[], bool]) -> None:
    """Run searches in lockstep until each of them is over, saving them; Ctrl-C keeps the best so far."""
    of_search = {id(run.search): run for run in runs}
    objective, budget = runs[0].objective, runs[0].budget
    due = Throttle(SAVE_SECONDS * len(runs))

    def save() -> None:
        for run in runs:
            run.save()

    def save_and_tell() -> bool:
        if due():
            save()
        return after_step()

    try:
        run_searches(
            [run.search for run in runs],
            lambda masks, seeds, targets: objective(budget.widen(masks), seeds, targets),
            lambda search: of_search[id(search)].is_over,
            save_and_tell,
        )
        save()  # between steps only: in the middle of one, some searches are a step ahead
    except KeyboardInterrupt:
        for run in runs:
            run.interrupted = True
        n_steps = max(run.search.step for run in runs)
        kept = "the features selected are the best so far"
        message = f"interrupted after {n_steps} of at most {runs[0].max_iter} steps; {kept}"
        warnings.warn(message, InterruptedSearchWarning, stacklevel=5)


def published_optimizer(population_size: int, budget: Budget, seed: int) -> BernoulliIGO:
    """Return the paper's optimizer: a flat start, and steps and margins that shrink with the number of features."""
    n_features = max(len(budget.free), 1)
    return BernoulliIGO(
        np.full(len(budget.free), budget.share),
        population_size=population_size,
        learning_rate=1 / (2 * n_features),
        margin=min(1 / n_features, 0.5),
        repair=Repair(budget.costs, budget.limit),
        seed=seed,
    )


def saved_seed(path: str | os.PathLike[str] | None) -> int | None:
    """Return the seed of the search in a checkpoint, so that everything before the search is the same again.

    None if there is no checkpoint yet, or if it is another archive, which is an error once it is opened.
    """
    state = None if path is None else load_state(path)
    return None if state is None or "fingerprint" not in state else int(state["search"]["seed"])


class SearchSelector(StepCallbacks, PUSelector):
    """A selector that takes the features a search ranks first."""

    history_: History
    probabilities_: FloatArray
    searched_: IntArray
    n_iter_: int
    n_evaluations_: int
    settled_: float
    converged_: bool
    timed_out_: bool
    n_degenerate_: int
    objective_: float

    @property
    def _follows_effects(self) -> bool:
        return False

    @property
    def result_(self) -> FitResult:
        """The outcome of the fit, with the search."""
        found = super().result_
        search = SearchResult(
            searched=self.searched_,
            n_iter=self.n_iter_,
            n_evaluations=self.n_evaluations_,
            settled=self.settled_,
            converged=self.converged_,
            timed_out=self.timed_out_,
            n_degenerate=self.n_degenerate_,
            follows_effects=self._follows_effects,
        )
        return replace(found, scores=self.probabilities_, search=search, objective=self.objective_)

    def _keep_result(self, run: SearchRun, others: FloatArray | None = None) -> None:
        """Set the fitted attributes.

        `others` has the evidence for all features where some were not searched; those are ranked by it, last.
        """
        search, budget = run.search, run.budget
        self.probabilities_ = budget.kept.astype(np.float64)
        self.probabilities_[budget.free] = search.optimizer.theta
        self.probabilities_ = budget.spread(self.probabilities_)
        self._rank(search, budget, others)
        self.searched_ = budget.free
        self.history_ = search.recorder.history()
        self.n_iter_ = search.step
        self.n_evaluations_ = search.step * run.settings.population_size
        self.settled_ = search.settled
        self.converged_ = not budget.leaves_a_choice or search.settled >= 1
        self.timed_out_ = run.timed_out
        self.n_degenerate_ = run.n_degenerate

    def _rank(self, search: Search, budget: Budget, others: FloatArray | None) -> None:
        free_scores = search.optimizer.scores
        scores = np.full(len(budget.kept), -np.inf)
        if others is not None:
            scores = free_scores.min(initial=0.0) - 1 + others - others.max(initial=0.0)
        scores[budget.kept] = np.inf
        scores[budget.free] = free_scores
        rng = np.random.default_rng([search.optimizer.seed, search.step])
        if budget.leader is None:
            self.ranking_ = ranks_of(descending_order(scores, rng))
        else:  # a group has one rank
            first, place = np.unique(budget.leader, return_inverse=True)
            self.ranking_ = ranks_of(descending_order(scores[first], rng))[place]
        self.support_ = budget.take_within(np.argsort(self.ranking_[budget.free]))
