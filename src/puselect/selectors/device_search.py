"""Searches by effects whose steps an engine does by itself, a chunk at a time.

The host draws the random numbers of the next chunk while the engine works on the present one. Afterwards it writes down
what happened, so that a search is in the state it would have reached step by step.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from puselect.arrays import FloatArray, IntArray
from puselect.engines.device_steps import Chunk, Draws, EffectStepper, Rules, SteppingEngine
from puselect.objective.cluster import ClusterObjective
from puselect.objective.score import cluster_score, random_labels_of_each, smoothing_rows
from puselect.search import EffectSearch, Search
from puselect.search.effects import DECIDED, mean_of_best
from puselect.search.loop import FEWEST_STEPS
from puselect.seeding import spawned_seeds

if TYPE_CHECKING:
    from puselect.selectors.session import Session

MOST_STEPS = 32  # of a chunk
CHUNK_BYTES = 2**26  # of random numbers, at most


class Planned(NamedTuple):
    """The random numbers of a chunk, and how to go back to the beginning of it."""

    draws: Draws
    seeds: IntArray
    """Of each step and search."""
    before: list[Any]
    """States of the generators of the searches before the chunk."""
    after: list[Any]
    """The same after it."""


class DeviceSearches:
    """Searches with the same free features of equal cost, and the engine that does their steps.

    Parameters
    ----------
    sessions : sequence of Session
        The i-th one looks at the i-th label vector of the engine.
    engine : SteppingEngine
    stepper : EffectStepper
    n_steps : int
        Steps of a chunk at most.
    """

    def __init__(
        self, sessions: "Sequence[Session]", engine: SteppingEngine, stepper: EffectStepper, n_steps: int
    ) -> None:
        self.sessions, self.engine, self.stepper, self.n_steps = sessions, engine, stepper, n_steps
        self.searches = [session.search for session in sessions]
        self.optimizers = [_by_effects(search) for search in self.searches]
        self.ahead = [_copied(optimizer.rng) for optimizer in self.optimizers]
        self.drawn = np.array([search.step for search in self.searches])
        """Steps of each search for which numbers were drawn."""

    def run(self, after_step: "Callable[[Session], None]", after_chunk: Callable[[], object]) -> None:
        """Run all searches until each of them is over."""
        most = np.array([session.max_iter for session in self.sessions])
        gain, variance = (np.stack([getattr(o, name) for o in self.optimizers]) for name in ("gain", "variance"))
        may_stop = np.array([session.settings.early_stopping for session in self.sessions])
        over = np.array([session.is_over(session.search) for session in self.sessions])
        self.stepper.begin(gain, variance, self.drawn, np.where(over, self.drawn, most), may_stop)
        left = int((most - self.drawn)[~over].max(initial=0))
        planned = self._plan(min(left, self.n_steps))
        if left:
            self.stepper.launch(planned.draws)
        while left:
            left -= len(planned.seeds)
            following = self._plan(min(left, self.n_steps))  # while the engine works
            chunk = self.stepper.collect(len(planned.seeds))
            left = left if chunk.is_done[-1].any() else 0
            if left:
                self.stepper.launch(following.draws)
            chance = self._chance(chunk, planned.seeds)
            for i, session in enumerate(self.sessions):
                self._catch_up(i, session, chunk, planned, chance[:, i], after_step)
            after_chunk()
            planned = following

    def _plan(self, n_steps: int) -> Planned:
        """Draw the random numbers of the next steps, as `Search.draw` and the engine would."""
        n_masks, n_free = self.optimizers[0].population_size, len(self.optimizers[0].support)
        shape = (n_steps, len(self.searches))
        uniform, clocks = np.empty((*shape, n_masks, n_free)), np.empty((*shape, 2, n_masks, n_free))
        start = np.empty((*shape, self.engine.n_clusters), dtype=np.int64)
        n_rows = self.engine.max_samples
        rows = None if n_rows is None else np.empty((*shape, n_rows), dtype=np.int64)
        entropies, indices = zip(*((search.entropy, search.index) for search in self.searches), strict=True)
        weight, seeds = np.empty(shape), spawned_seeds(entropies, indices, self.drawn[:, None] + np.arange(n_steps)).T
        before = [rng.bit_generator.state for rng in self.ahead]
        for i, rng in enumerate(self.ahead):
            for step in range(n_steps):
                rng.random(out=uniform[step, i])
                rng.standard_exponential(out=clocks[step, i])
        targets = np.repeat([search.target for search in self.searches], n_steps)
        for number, sample in enumerate(self.engine.samples(seeds.T.ravel(), targets)):
            i, step = divmod(number, n_steps)
            start[step, i], weight[step, i] = sample.start, sample.weight
            if rows is not None and sample.rows is not None:
                rows[step, i] = sample.rows
        self.drawn = self.drawn + n_steps
        after = [rng.bit_generator.state for rng in self.ahead]
        return Planned(Draws(uniform, clocks, start, rows, weight), seeds, before, after)

    def _catch_up(
        self,
        i: int,
        session: "Session",
        chunk: Chunk,
        planned: Planned,
        chance: FloatArray,
        after_step: "Callable[[Session], None]",
    ) -> None:
        """Bring a search to where the engine has taken it."""
        n_done = int(chunk.is_done[:, i].sum())
        if n_done == 0:
            return
        optimizer, search = self.optimizers[i], self.searches[i]
        optimizer.rng.bit_generator.state = planned.after[i]
        if n_done < len(planned.seeds):  # it was over in between: draw what it used
            optimizer.rng.bit_generator.state = planned.before[i]
            for _ in range(n_done):
                search.draw()
        optimizer.catch_up(chunk.gain[i], chunk.variance[i], chunk.values[:n_done, i, 0], chance[:n_done])
        session.objective.n_degenerate += int(chunk.n_degenerate[:n_done, i].sum())
        best, mean = chunk.values[:n_done, i].max(axis=1).tolist(), chunk.values[:n_done, i].mean(axis=1).tolist()
        settled = chunk.settled[:n_done, i].tolist()
        for step in range(n_done):
            search.step += 1
            search.recorder.note(search.step, chunk.theta[step, i], best[step], mean[step], settled[step])
            after_step(session)

    def _chance(self, chunk: Chunk, seeds: IntArray) -> FloatArray:
        """Return what the first masks of the steps that were done would have scored with random labels."""
        objective, chance = _of_clusters(self.sessions[0]), np.zeros(seeds.shape)
        size = chunk.size[chunk.is_done]
        hits = random_labels_of_each(size, chunk.positive[chunk.is_done], seeds[chunk.is_done])
        extra_rows = smoothing_rows(size, objective.smoothing)
        chance[chunk.is_done] = cluster_score(size, hits, objective.cluster_choice, extra_rows)
        return chance


def device_searches(sessions: "Sequence[Session]", engine: Any) -> DeviceSearches | None:
    """Return the searches as their engine would run them; None if it cannot, or if they need the host at every step."""
    make = getattr(engine, "effect_steps", None)
    if make is None or not all(_needs_no_host(session, sessions[0]) for session in sessions):
        return None
    first = sessions[0]
    n_free, n_masks = len(first.budget.free), first.settings.population_size
    n_rows = engine.max_samples or 0
    step_bytes = 8 * len(sessions) * (3 * n_masks * n_free + n_rows)
    n_steps = int(np.clip(CHUNK_BYTES // step_bytes, 1, MOST_STEPS))
    support = np.stack([_by_effects(session.search).drawn_support for session in sessions])
    stepper = make(_rules(first), support, n_steps)
    return None if stepper is None else DeviceSearches(sessions, engine, stepper, n_steps)


def _needs_no_host(session: "Session", first: "Session") -> bool:
    """Return whether the steps of a search are all alike, and like those of the first."""
    budget, objective = session.budget, session.objective
    return (
        isinstance(session.search.optimizer, EffectSearch)
        and isinstance(objective, ClusterObjective)
        and objective.information is None
        and objective.cluster_choice == "best"
        and objective.smoothing == _of_clusters(first).smoothing
        and session.look is None
        and session.deadline.end == float("inf")
        and budget.leader is None
        and budget.leaves_a_choice
        and bool((budget.costs == budget.costs[0]).all())
        and session.search.repair == first.search.repair
        and session.search.optimizer.margin == first.search.optimizer.margin
    )


def _rules(session: "Session") -> Rules:
    budget, optimizer = session.budget, _by_effects(session.search)
    n_free, cost = len(budget.free), float(budget.costs[0])
    share = budget.start
    tail = min(share, 1 - share)
    return Rules(
        n_taken=min(int(session.search.repair.limit / cost), n_free),
        n_expected=budget.limit / cost,
        n_affordable=session.search.repair.limit / cost,
        free=budget.free,
        kept=np.flatnonzero(budget.kept),
        n_masks=optimizer.population_size,
        margin=optimizer.margin,
        decided=DECIDED,
        smoothing=_of_clusters(session).smoothing,
        chance_mean=mean_of_best(tail),
        n_tail=max(1, round(tail * n_free)),
        wants_most=bool(share > 0.5),
        fewest_steps=FEWEST_STEPS,
    )


def _by_effects(search: Search) -> EffectSearch:
    assert isinstance(search.optimizer, EffectSearch)
    return search.optimizer


def _of_clusters(session: "Session") -> ClusterObjective:
    assert isinstance(session.objective, ClusterObjective)
    return session.objective


def _copied(rng: np.random.Generator) -> np.random.Generator:
    copy = np.random.Generator(type(rng.bit_generator)())
    copy.bit_generator.state = rng.bit_generator.state
    return copy
