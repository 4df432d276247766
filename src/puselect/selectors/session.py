"""One search of a selector: run, saved, resumed, reported. Knows the objective only as a function."""

import os
import warnings
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.atomic import check_writable, remove_scratch
from puselect.exceptions import CheckpointWarning, InterruptedSearchWarning
from puselect.objective.evidence import Evidence
from puselect.search import BernoulliIGO, EffectSearch, History, Optimizer, Repair, Search, run_searches
from puselect.search.callbacks import FitCallbacks, StepCallbacks
from puselect.search.checkpoint import State, damaged, fingerprint, load_state, read_array, read_count, save_state
from puselect.search.deadline import Deadline
from puselect.search.progress import Progress, Throttle, log_line, shown_log
from puselect.selectors.base import PUSelector, descending_order, ranks_of
from puselect.selectors.budget import Budget
from puselect.selectors.settings import SearchSettings

SAVE_SECONDS = 1.0
FINAL_CLUSTERINGS = 8
INTERRUPTED_CLUSTERINGS = 1
LATE_CLUSTERINGS = 2  # at least; the result is compared with the start
ROUNDS_TO_COME = 3  # of final clusterings: of the result, of the start, and of the start again if that is better


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


class Exchange(NamedTuple):
    """Features that take the places of others in a search."""

    places: IntArray
    """Positions among the free features."""
    features: IntArray
    """The features that come there."""
    support: FloatArray
    """Evidence for them, in standard errors."""


class Look(Protocol):
    """A look at features that are not searched, in the middle of a search by effects."""

    @property
    def step(self) -> int:
        """After which step."""
        ...

    @property
    def optimizer(self) -> EffectSearch:
        """Of the search."""
        ...

    @property
    def features(self) -> IntArray:
        """All that may be selected."""
        ...

    def __call__(self, free: IntArray, scores: FloatArray, selected: BoolArray) -> Exchange:
        """Return what to exchange, given the free features, their scores, and the mask of those selected so far."""
        ...

    def costs_of(self, features: IntArray) -> FloatArray:
        """Return what features cost."""
        ...

    def tails_of(self, features: IntArray) -> FloatArray:
        """Return the support of features from the tails of their columns."""
        ...


class Session:
    """One search of a selector: run, saved, resumed, reported.

    Parameters
    ----------
    settings : SearchSettings
    objective : Objective
    budget : Budget
    optimizer : Optimizer
        Over the free features.
    max_iter : int
        Steps at most.
    entropy : int
        Seed of all random numbers, unless a checkpoint brings its own.
    identity : sequence of object
        Everything that changes the search: data, settings, seed. A checkpoint of another search is refused.
    deadline : Deadline
        When the fit must be over, final clusterings included.
    look : Look, optional
        Exchanges some of the free features during the search.
    """

    def __init__(
        self,
        settings: SearchSettings,
        objective: Objective,
        budget: Budget,
        optimizer: Optimizer,
        max_iter: int,
        entropy: int,
        identity: Sequence[object],
        deadline: Deadline,
        look: Look | None = None,
    ) -> None:
        self.settings = settings
        self.objective = objective
        self.budget = budget
        self.max_iter = max_iter
        repair = Repair(budget.costs, budget.limit)
        self.search = Search(optimizer, repair, entropy, n_criteria=objective.n_criteria)
        self.fingerprint = "" if settings.checkpoint is None else fingerprint(*identity)
        self.deadline = deadline
        self.look = look
        self.could_save = True
        self.interrupted = False
        self.timed_out = False

    def run(self, callbacks: FitCallbacks) -> None:
        """Search until it is over, resuming from and saving to the checkpoint; Ctrl-C keeps the best so far."""
        with shown_log(self.settings.verbose), callbacks.watching():
            self.open_checkpoint()
            progress = Progress(self.search, self.max_iter, self.settings.verbose, self.deadline)
            if self.search.step:
                progress.log(f"resumed after step {self.search.step} from {self.settings.checkpoint}")
            callbacks.begin(self.max_iter - self.search.step)
            self._search(progress, callbacks)
            callbacks.end()
            reason = f"max_time={self.settings.max_time:g} ended the search" if self.timed_out else "done"
            progress.log(f"{reason} after {self.search.step} steps, {self.search.settled:.0%} of the features decided")

    def _search(self, progress: Progress, callbacks: FitCallbacks) -> None:
        due = Throttle(SAVE_SECONDS)

        def after_step() -> bool:
            if self.look is not None and self.search.step == self.look.step:
                self._exchange(self.look)
            if due():
                self.save()
            progress.after_step()
            return callbacks.after_step()

        try:
            if self.budget.leaves_a_choice:
                run_searches([self.search], self._evaluate, self.is_over, after_step)
            self.save()
        except KeyboardInterrupt:
            self.interrupted = True
            warnings.warn(
                f"interrupted after {self.search.step} of at most {self.max_iter} steps; "
                "the features selected are the best so far",
                InterruptedSearchWarning,
                stacklevel=5,
            )

    def _exchange(self, look: Look) -> None:
        """Look again at the features that are not searched, and exchange some of them."""
        scores = look.optimizer.scores
        selected = self.budget.take_within(np.argsort(-scores, kind="stable"))
        coming = look(self.budget.free, scores, selected)
        free, support = self.budget.free.copy(), look.optimizer.support.copy()
        free[coming.places], support[coming.places] = coming.features, coming.support
        self._set_pool(look, free, support, coming.places)
        self.search.recorder.forget(coming.places)
        log_line(f"{len(coming.places)} features exchanged after step {self.search.step}", self.settings.verbose)

    def _set_pool(self, look: Look, free: IntArray, support: FloatArray, changed: IntArray) -> None:
        """Search these features from now on, of which those at the places `changed` are new."""
        costs = look.costs_of(free)
        self.budget = self.budget._replace(free=free, costs=costs)
        self.search.repair = Repair(costs, self.budget.limit)
        look.optimizer.exchange(costs, support, look.tails_of(free), changed)

    def _restore_pool(self, look: Look, state: State) -> None:
        """Search the features of a saved state; raise an error if it is damaged."""
        shape = self.budget.free.shape
        free = read_array(state, "free", shape, 0, np.inf).astype(np.intp)
        support = read_array(state, "support", shape, -np.inf, np.inf)
        if len(np.unique(free)) < len(free) or not np.isin(free, look.features).all():
            raise ValueError("free must hold distinct features that may be selected")
        self._set_pool(look, free, support, np.empty(0, dtype=np.intp))

    @property
    def final_seeds(self) -> IntArray:
        """Seeds of the clusterings that judge the result; fewer after Ctrl-C or if time runs out."""
        seeds = np.random.SeedSequence(self.search.entropy, spawn_key=(0, 0, 0)).generate_state(FINAL_CLUSTERINGS)
        if self.interrupted:
            return seeds[:INTERRUPTED_CLUSTERINGS]
        return seeds[: int(np.clip(self._n_affordable, LATE_CLUSTERINGS, FINAL_CLUSTERINGS))]

    def affords(self, n_clusterings: int) -> bool:
        """Return whether there is time for so many clusterings and three rounds of final ones."""
        return not (self.interrupted or self.timed_out) and self._n_affordable >= n_clusterings + FINAL_CLUSTERINGS

    @property
    def _n_affordable(self) -> float:
        """How often each of the final rounds could cluster in the time that is left."""
        seconds_each = ROUNDS_TO_COME * self.deadline.lap_seconds / self.settings.population_size
        return self.deadline.left / max(seconds_each, 1e-9)

    def _evaluate(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        return self.objective(self.budget.widen(masks), seeds, targets)

    def is_over(self, search: Search) -> bool:
        """Return whether all steps are done, the search has converged, or there is no time for another step."""
        if search.step >= self.max_iter or (self.settings.early_stopping and search.converged):
            return True
        to_come = ROUNDS_TO_COME * FINAL_CLUSTERINGS / self.settings.population_size
        self.timed_out = self.deadline.is_too_close(to_come)
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
        if state.get("fingerprint") != self.fingerprint:
            if self.deadline.has_cut:  # another number of features may have been chosen from fewer rows
                return
            raise ValueError(
                f"checkpoint {str(path)!r} belongs to other data or other settings; delete it or use another path"
            )
        try:
            if self.look is not None:
                self._restore_pool(self.look, state["pool"])
            self.search.restore(state["search"])
            self.objective.n_degenerate = read_count(state, "n_degenerate")
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise damaged(path) from error

    def save(self) -> None:
        """Write the checkpoint, where one is wanted; warn and go on if that fails, for instance on a full disk.

        A search that has looked at fewer rows to be in time is not saved: resumed, it would differ from one that was
        never limited.
        """
        if self.settings.checkpoint is None:
            return
        if self.deadline.has_cut:
            return self._warn_unsaved(f"max_time={self.settings.max_time:g} is too short to look at all rows")
        state = {"search": self.search.state(), "n_degenerate": self.objective.n_degenerate}
        if self.look is not None:
            state["pool"] = {"free": self.budget.free, "support": self.look.optimizer.support}
        try:
            save_state(self.settings.checkpoint, {"fingerprint": self.fingerprint, **state})
            self.could_save = True
        except OSError as error:
            self._warn_unsaved(str(error))

    def _warn_unsaved(self, why: str) -> None:
        if self.could_save:
            message = f"the search goes on, but its checkpoint could not be written: {why}"
            warnings.warn(message, CheckpointWarning, stacklevel=3)
        self.could_save = False


def igo_optimizer(
    settings: SearchSettings, budget: Budget, theta: FloatArray, n_labelled: int, entropy: int
) -> tuple[BernoulliIGO, int]:
    """Return the paper's optimizer from its first probabilities, and how many steps it may take."""
    rate = settings.rate(budget.start, len(theta), n_labelled)
    optimizer = BernoulliIGO(
        theta,
        population_size=settings.population_size,
        learning_rate=rate,
        margin=settings.distance(len(theta)),
        rng=search_rng(entropy),
    )
    return optimizer, settings.most_steps(rate)


def effect_optimizer(
    settings: SearchSettings, budget: Budget, support: FloatArray, tails: FloatArray, n_labelled: int, entropy: int
) -> tuple[EffectSearch, int]:
    """Return the optimizer that follows effects, with prior evidence for features, and how many steps it may take."""
    optimizer = EffectSearch(
        support,
        budget.costs,
        budget.limit,
        population_size=settings.population_size,
        margin=settings.distance(len(support)),
        rng=search_rng(entropy),
        tails=tails,
    )
    return optimizer, settings.most_effect_steps(budget.start, n_labelled)


def saved_entropy(path: str | os.PathLike[str] | None) -> int | None:
    """Return the seed of the search in a checkpoint, so that what precedes the search is the same when it is resumed.

    None if there is no checkpoint yet, or if it is damaged, which is an error once it is opened.
    """
    state = None if path is None else load_state(path)
    try:
        return None if state is None else read_count(state["search"], "entropy")
    except (LookupError, TypeError, ValueError):
        return None


def search_rng(entropy: int) -> np.random.Generator:
    """Return the generator that draws the masks of a search."""
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(0,)))


class SearchSelector(StepCallbacks, PUSelector):
    """A selector that takes the features a search found most probable."""

    history_: History

    def _keep_result(
        self, session: Session, evidence: Evidence | None = None, scores: FloatArray | None = None
    ) -> None:
        """Set the fitted attributes; features that were not searched are ranked by evidence.

        `scores` replace those that the search gives to the features it decides on.
        """
        search, budget = session.search, session.budget
        self.probabilities_ = budget.kept.astype(np.float64)
        self.probabilities_[budget.free] = search.theta
        self.probabilities_ = budget.spread(self.probabilities_)
        self._rank(session, search.optimizer.scores if scores is None else scores, evidence)
        self.searched_ = budget.free
        self.history_ = search.history()
        self.n_iter_ = search.step
        self.settled_ = search.settled
        self.converged_ = not budget.leaves_a_choice or search.converged
        self.timed_out_ = session.timed_out
        self.n_degenerate_ = session.objective.n_degenerate

    def _rank(self, session: Session, free_scores: FloatArray, evidence: Evidence | None) -> None:
        """Rank the features by scores of the free ones, and select the best."""
        search, budget = session.search, session.budget
        scores = np.where(budget.kept, np.inf, -np.inf)
        scores[budget.free] = free_scores
        if session.look is not None and evidence is not None:
            others = np.setdiff1d(session.look.features, budget.free)
            support = evidence.support[others]
            scores[others] = free_scores.min() - 1 + support - support.max(initial=0.0)
        rng = np.random.default_rng([search.entropy, search.step])
        if budget.leader is None:
            self.ranking_ = ranks_of(descending_order(scores, rng))
        else:  # a group has one rank
            first, place = np.unique(budget.leader, return_inverse=True)
            self.ranking_ = ranks_of(descending_order(scores[first], rng))[place]
        self.support_ = budget.take_within(np.argsort(self.ranking_[budget.free]))
