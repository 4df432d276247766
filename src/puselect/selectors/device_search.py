"""Searches by effects whose steps an engine does by itself, a chunk at a time.

The host draws the random numbers of the next chunk while the engine works on the present one. Afterwards it writes down
what happened, so that a search is in the state it would have reached step by step.
"""

from collections import deque
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
    """Of each step and slot."""
    before: dict[int, Any]
    """States of the generators of the searches before the chunk."""
    after: dict[int, Any]
    """The same after it."""


class DeviceSearches:
    """Searches with the same free features of equal cost, and the engine that does their steps.

    The engine has slots for some of them. A search that is over leaves its slot to the next one.

    Parameters
    ----------
    sessions : sequence of Session
        The i-th one looks at the i-th label vector of the engine.
    engine : SteppingEngine
    stepper : EffectStepper
    n_slots : int
    n_steps : int
        Steps of a chunk at most.
    """

    def __init__(
        self,
        sessions: "Sequence[Session]",
        engine: SteppingEngine,
        stepper: EffectStepper,
        n_slots: int,
        n_steps: int,
    ) -> None:
        self.sessions, self.engine, self.stepper, self.n_steps = sessions, engine, stepper, n_steps
        self.searches = [session.search for session in sessions]
        self.optimizers = [_by_effects(search) for search in self.searches]
        self.ahead = [_copied(optimizer.rng) for optimizer in self.optimizers]
        self.drawn = np.array([search.step for search in self.searches])
        """Steps of each search for which numbers were drawn."""
        self.waiting = deque(i for i, session in enumerate(sessions) if not session.is_over(session.search))
        self.in_slot: list[int | None] = [None] * n_slots
        self.room = self._room(n_steps)
        """For the numbers of the next chunk: those of the present one are on the engine already."""

    def run(self, after_step: "Callable[[Session], None]", after_chunk: Callable[[], object]) -> None:
        """Run all searches until each of them is over."""
        self._fill(range(len(self.in_slot)))
        planned, here = self._plan(range(len(self.in_slot))), self.in_slot.copy()
        if len(planned.seeds):
            self.stepper.launch(planned.draws)
        while len(planned.seeds):
            following = self._plan(range(len(here)))  # while the engine works
            chunk = self.stepper.collect(len(planned.seeds))
            following = self._exchange(chunk, following)
            if len(following.seeds):
                self.stepper.launch(following.draws)
            chance = self._chance(chunk, planned.seeds)
            for slot, i in enumerate(here):
                if i is not None:
                    self._catch_up(i, slot, chunk, planned, chance[:, slot], after_step)
            after_chunk()
            planned, here = following, self.in_slot.copy()

    def _fill(self, slots: Sequence[int]) -> None:
        """Let searches that wait take free slots; without any left, a slot stays empty."""
        entering = [self.waiting.popleft() if self.waiting else None for _ in slots]
        for slot, i in zip(slots, entering, strict=True):
            self.in_slot[slot] = i
        taken = [(slot, i) for slot, i in zip(slots, entering, strict=True) if i is not None]
        if not taken:
            return
        own = [i for _, i in taken]
        optimizers, sessions = [self.optimizers[i] for i in own], [self.sessions[i] for i in own]
        self.stepper.begin(
            slots=np.array([slot for slot, _ in taken]),
            targets=np.array([session.search.target for session in sessions]),
            gain=np.stack([optimizer.gain for optimizer in optimizers]),
            variance=np.stack([optimizer.variance for optimizer in optimizers]),
            support=np.stack([optimizer.drawn_support for optimizer in optimizers]),
            done=np.array([session.search.step for session in sessions]),
            most=np.array([session.max_iter for session in sessions]),
            may_stop=np.array([session.settings.early_stopping for session in sessions]),
        )

    def _exchange(self, chunk: Chunk, following: Planned) -> Planned:
        """Empty the slots of searches that are over, and fill them; return what is planned for all slots then."""
        for slot in np.flatnonzero(~chunk.goes_on).tolist():
            self.in_slot[slot] = None
        free = [slot for slot, i in enumerate(self.in_slot) if i is None]
        if not self.waiting or not free:
            return following if any(i is not None for i in self.in_slot) else self._plan([])
        self._fill(free)
        if not len(following.seeds):
            return self._plan(range(len(self.in_slot)))
        entered = [slot for slot in free if self.in_slot[slot] is not None]
        added = self._plan(entered, len(following.seeds))
        for held, part in zip((*following.draws, following.seeds), (*added.draws, added.seeds), strict=True):
            if held is not None and part is not None:
                held[:, entered] = part[:, entered]
        return following._replace(before=following.before | added.before, after=following.after | added.after)

    def _plan(self, slots: Sequence[int], n_steps: int | None = None) -> Planned:
        """Draw the random numbers of the next steps of the searches in slots, as `Search.draw` and the engine would."""
        own = [(slot, i) for slot in slots if (i := self.in_slot[slot]) is not None]
        room = self.room if n_steps is None else self._room(n_steps)
        if n_steps is None:
            left = [self.sessions[i].max_iter - int(self.drawn[i]) for _, i in own]
            n_steps = max(0, min(max(left, default=0), self.n_steps))
        draws = room.of_first(n_steps)
        seeds = np.zeros((n_steps, len(self.in_slot)), dtype=np.int64)
        before = {i: self.ahead[i].bit_generator.state for _, i in own}
        for slot, i in own:
            draws.draw(self.ahead[i], slot)
        places, numbers = np.array(own, dtype=np.intp).reshape(-1, 2).T
        keys = [(self.searches[i].entropy, self.searches[i].index) for _, i in own]
        seeds[:, places] = spawned_seeds(keys, self.drawn[numbers][:, None] + np.arange(n_steps)).T
        targets = np.repeat([self.searches[i].target for _, i in own], n_steps).astype(np.intp)
        if own and n_steps:
            samples = self.engine.samples(seeds[:, places].T.ravel(), targets)
            draws.start[:, places] = samples.start.reshape(len(own), n_steps, -1).swapaxes(0, 1)
            draws.weight[:, places] = samples.weight.reshape(len(own), n_steps).T
            if draws.rows is not None and samples.rows is not None:
                draws.rows[:, places] = samples.rows.reshape(len(own), n_steps, -1).swapaxes(0, 1)
        self.drawn[numbers] += n_steps
        after = {i: self.ahead[i].bit_generator.state for _, i in own}
        return Planned(draws, seeds, before, after)

    def _room(self, n_steps: int) -> Draws:
        """Return room for the random numbers of a chunk of steps."""
        n_masks, n_free = self.optimizers[0].population_size, len(self.optimizers[0].support)
        shape, n_rows = (n_steps, len(self.in_slot)), self.engine.max_samples
        return Draws(
            np.zeros((*shape, n_masks, n_free)),
            np.zeros((*shape, 2, n_masks, n_free)),
            np.zeros((*shape, self.engine.n_clusters), dtype=np.int64),
            None if n_rows is None else np.zeros((*shape, n_rows), dtype=np.int64),
            np.zeros(shape),
        )

    def _catch_up(
        self,
        i: int,
        slot: int,
        chunk: Chunk,
        planned: Planned,
        chance: FloatArray,
        after_step: "Callable[[Session], None]",
    ) -> None:
        """Bring a search to where the engine has taken it."""
        n_done = int(chunk.is_done[:, slot].sum())
        if n_done == 0:
            return
        optimizer, search, session = self.optimizers[i], self.searches[i], self.sessions[i]
        optimizer.rng.bit_generator.state = planned.after[i]
        if n_done < len(planned.seeds):  # it was over in between: draw what it used
            optimizer.rng.bit_generator.state = planned.before[i]
            self.room.of_first(n_done).draw(optimizer.rng, slot)  # which are no longer needed: the next are launched
        values, settled = chunk.values[:n_done, slot], chunk.settled[:n_done, slot].tolist()
        optimizer.catch_up(chunk.gain[slot], chunk.variance[slot], values[:, 0], chance[:n_done])
        session.objective.n_degenerate += int(chunk.n_degenerate[:n_done, slot].sum())
        best, mean = values.max(axis=1).tolist(), values.mean(axis=1).tolist()
        for step in range(n_done):
            search.step += 1
            search.recorder.note(search.step, chunk.theta[step, slot], best[step], mean[step], settled[step])
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
    n_rows, rules = engine.max_samples or 0, _rules(first)
    n_running = sum(not session.is_over(session.search) for session in sessions)
    n_slots = min(n_running, engine.most_searches(rules))
    if n_slots == 0:
        return None
    step_bytes = 8 * n_slots * (3 * n_masks * n_free + n_rows)
    n_steps = int(np.clip(CHUNK_BYTES // step_bytes, 1, MOST_STEPS))
    return DeviceSearches(sessions, engine, make(rules, n_slots, n_steps), n_slots, n_steps)


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
