"""Steps of searches by effects that never leave the device: drawing, repair, clustering, score and update.

Does what `puselect.search.effects`, `puselect.search.repair` and `puselect.objective.score` do, for many searches at
once and for features of equal cost. The random numbers come from the host, a chunk of steps at a time, so that masks
are those that a search on the host would draw. What was learnt is float64; the cut is found to within rounding.
"""

import numpy as np
import torch
from torch import Tensor

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.engines.device_steps import Chunk, Draws, Rules
from puselect.engines.gpu.engine import GPUEngine, exact_float32
from puselect.engines.gpu.fits import BatchFits, Inputs, Recorded

GRID = 64  # points of a bracket looked at together when the cut is searched
ROUNDS, NEWTON_STEPS = 2, 4  # narrow it 64-fold, then converge


class EffectSteps:
    """Searches by effects on one engine, all at the same step of a chunk.

    Parameters
    ----------
    engine : GPUEngine
        Bound to a label vector for every search, in their order.
    rules : Rules
    n_slots : int
        Searches at once.
    n_steps : int
        Steps of a chunk.
    """

    def __init__(self, engine: GPUEngine, rules: Rules, n_slots: int, n_steps: int) -> None:
        self.engine, self.rules, self.n_steps = engine, rules, n_steps
        n_searches, n_free = n_slots, len(rules.free)
        shape = (n_steps, n_searches)
        n_clusters, n_rows = engine.n_clusters, engine.max_samples
        self.support, self.gain, self.variance, self.theta, self.distance = (
            self._floats(n_searches, n_free) for _ in range(5)
        )
        self.uniform = self._floats(*shape, rules.n_masks, n_free)
        self.clocks = self._floats(*shape, 2, rules.n_masks, n_free)
        self.start = torch.zeros(*shape, n_clusters, dtype=torch.int64, device=engine.device)
        self.rows = None
        if n_rows is not None:
            self.rows = torch.zeros(*shape, n_rows, dtype=torch.int64, device=engine.device)
        self.weight = self._floats(*shape)
        self.number = torch.zeros(1, dtype=torch.int64, device=engine.device)
        self.n_done, self.most = self._floats(n_searches), self._floats(n_searches)
        self.may_stop = torch.zeros(n_searches, dtype=torch.bool, device=engine.device)
        self.running = torch.zeros(n_searches, dtype=torch.bool, device=engine.device)
        self.free = torch.from_numpy(rules.free.astype(np.int64)).to(engine.device)
        kept = torch.from_numpy(rules.kept.astype(np.int64)).to(engine.device)
        self.kept = kept.expand(n_searches, rules.n_masks, -1)
        records = ((n_free,), (rules.n_masks,), (n_clusters,), (n_clusters,), (), (rules.n_masks,), ())
        self.records = [self._floats(*shape, *rest) for rest in records]
        self.fits = self._make_fits(n_searches)
        self.step = Recorded(self._step, engine.device)

    def begin(
        self,
        slots: IntArray,
        targets: IntArray,
        gain: FloatArray,
        variance: FloatArray,
        support: FloatArray,
        done: IntArray,
        most: IntArray,
        may_stop: BoolArray,
    ) -> None:
        """Let searches go on from what was learnt so far; see `EffectStepper.begin`."""
        given, n_slots = self.fits.given, len(self.gain)
        held = (self.gain, self.variance, self.support, self.n_done, self.most, self.may_stop, self.running)
        pairs = list(zip(held, (gain, variance, support, done, most, may_stop, done < most), strict=True))
        pairs.append((given.target.view(n_slots, -1), targets[:, None]))
        pairs.append((given.table.view(n_slots, -1), self.engine.table_of[targets][:, None]))
        if len(slots) == n_slots:
            for part, values in pairs:
                part.copy_(self._tensor(values))
            self._update()
            return
        place, theta, is_new = self._tensor(slots), self.theta.clone(), torch.zeros_like(self.running)
        for part, values in pairs:
            part[place] = self._tensor(values).to(part.dtype)
        is_new[place] = True
        self._update()
        self.theta.copy_(torch.where(is_new[:, None], self.theta, theta))  # all others stay as they are, to the bit

    def launch(self, draws: Draws) -> None:
        """Start a chunk of steps; returns before they are done."""
        for held, part in zip((self.uniform, self.clocks, self.start, self.rows, self.weight), draws, strict=True):
            if held is not None and part is not None:
                held[: len(part)].copy_(torch.from_numpy(part))
        self.number.zero_()
        with exact_float32:
            for _ in range(len(draws.uniform)):
                self.step()

    def collect(self, n_steps: int) -> Chunk:
        """Wait for a chunk of `n_steps`, and return what happened."""
        parts = (*(record[:n_steps] for record in self.records), self.gain, self.variance, self.running)
        copies = (part.cpu().numpy().copy() for part in parts)  # the next chunk overwrites them
        theta, values, size, positive, settled, lost, done, gain, variance, goes_on = copies
        return Chunk(theta, values, size, positive, settled, lost.sum(axis=2), done > 0, gain, variance, goes_on)

    def _tensor(self, values: AnyArray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(values)).to(self.engine.device)

    def _floats(self, *shape: int) -> Tensor:
        return torch.zeros(*shape, dtype=torch.float64, device=self.engine.device)

    def _make_fits(self, n_searches: int) -> BatchFits:
        """Return the buffers of the clusterings of a step; what does not change is written here."""
        rules, engine = self.rules, self.engine
        n_masks = n_searches * rules.n_masks
        table, target = torch.zeros(2, n_masks, dtype=torch.int64)
        columns = torch.zeros(n_masks, rules.width, dtype=torch.int64)
        rows = None if engine.max_samples is None else torch.zeros(n_masks, engine.max_samples, dtype=torch.int64)
        start = torch.zeros(n_masks, engine.n_clusters, dtype=torch.int64)
        like = Inputs(table, target, columns, rows, start, None)
        return BatchFits(engine.tables, engine.labelled, engine.spec, engine.n_clusters, like)

    def _step(self) -> None:
        """Do one step of every search that runs."""
        rules, n_searches = self.rules, len(self.gain)
        masks, columns = self._draw()
        self._cluster(columns)
        n_clusters = self.engine.n_clusters
        counts = self.fits.counts.view(n_searches, rules.n_masks, -1).double()
        hits = counts[..., n_clusters:-1]
        weight = self.weight.index_select(0, self.number)[0]
        size = hits + weight[:, None, None] * (counts[..., :n_clusters] - hits)
        values = scores(size, hits, rules.smoothing)
        self._learn(masks, values)
        self._update()
        settled = self._settled()
        lost = counts[..., -1]
        happened = (self.theta, values, size[:, 0], hits[:, 0], settled, lost, self.running.double())
        for record, value in zip(self.records, happened, strict=True):
            record.index_copy_(0, self.number, value[None])
        self.number += 1
        self.n_done += self.running
        is_over = self.may_stop & (self.n_done >= rules.fewest_steps) & (settled >= 1)
        self.running &= ~is_over & (self.n_done < self.most)

    def _draw(self) -> tuple[Tensor, Tensor]:
        """Return the masks of a step over the free features and the columns they stand for.

        Of too many features those stay whose clocks for going ring last; of too few, those come whose clocks for coming
        ring first. Taking the features of largest value does both.
        """
        uniform, clocks = self.uniform.index_select(0, self.number)[0], self.clocks.index_select(0, self.number)[0]
        theta = self.theta[:, None, :]
        value = torch.where(uniform < theta, clocks[:, 0] / (1 - theta), -clocks[:, 1] / theta)
        taken = value.topk(self.rules.n_taken, dim=-1).indices
        masks = torch.zeros_like(value).scatter_(-1, taken, 1.0)
        columns = torch.cat([self.free[taken], self.kept], dim=-1).sort(dim=-1).values
        return masks, columns

    def _cluster(self, columns: Tensor) -> None:
        """Cluster the columns of all masks of the searches that run."""
        n_masks, given = self.rules.n_masks, self.fits.given
        given.columns.copy_(columns.flatten(0, 1))
        self.fits.member.copy_(self.running.repeat_interleave(n_masks))
        self._set_starts()
        self.fits.fit_at_once()

    def _set_starts(self) -> None:
        """Tell the fits where the clusters of the step start, and which rows it uses."""
        n_masks, given = self.rules.n_masks, self.fits.given
        given.start.copy_(self.start.index_select(0, self.number)[0].repeat_interleave(n_masks, dim=0))
        if self.rows is not None and given.rows is not None:
            given.rows.copy_(self.rows.index_select(0, self.number)[0].repeat_interleave(n_masks, dim=0))

    def _learn(self, masks: Tensor, values: Tensor) -> None:
        """Add the masks of a step to the regressions of the searches that run; see `EffectSearch.tell`."""
        utility = rank_utilities(values)
        centred = masks - masks.mean(dim=1, keepdim=True)
        gain = (utility[:, :, None] * centred).sum(dim=1)
        spread = utility.square().sum(dim=1, keepdim=True) * centred.square().sum(dim=1) / (self.rules.n_masks - 1)
        here = self.running[:, None]
        self.gain += torch.where(here, gain, 0.0)
        self.variance += torch.where(here, spread, 0.0)

    def _update(self) -> None:
        """Set the probabilities from what was learnt; see `EffectSearch`."""
        rules, n_free = self.rules, self.gain.shape[1]
        error = self.variance.sqrt()
        z = torch.where(error > 0, self.gain / error.clamp_min(1e-300), 0.0)
        ordered = z.sort(dim=1).values
        median = (ordered[:, (n_free - 1) // 2] + ordered[:, n_free // 2]) / 2
        largest = ordered[:, : rules.n_tail] if rules.wants_most else -ordered[:, n_free - rules.n_tail :]
        shift = median if rules.wants_most else -median
        mean = largest.mean(dim=1) - shift
        share = torch.where(mean < 0, 1 - (rules.chance_mean / mean).square(), 0.0).clamp_min(0)
        drawn_by = share.square()[:, None] * (z - median[:, None]) + self.support
        self.distance.copy_(drawn_by - cut_at(drawn_by, rules.n_expected)[:, None])
        self.theta.copy_(torch.special.ndtr(self.distance).clamp(rules.margin, 1 - rules.margin))

    def _settled(self) -> Tensor:
        """Return how far each search has settled; see `Search.settled`."""
        decided = self.distance.abs() >= self.rules.decided
        spent = (decided & (self.theta > 0.5)).sum(dim=1).double()
        share_spent = torch.where(self.rules.n_affordable - spent < 1, 1.0, spent / self.rules.n_affordable)
        return torch.minimum(decided.double().mean(dim=1), share_spent)


def scores(size: Tensor, hits: Tensor, smoothing: float) -> Tensor:
    """Return recall times precision of the best clusters; see `puselect.objective.score.best_clusters`."""
    extra = smoothing * size.mean(dim=-1, keepdim=True)
    share = torch.where(size > 0, hits / size.clamp_min(1e-300), -1.0)
    order = share.argsort(dim=-1, descending=True, stable=True)
    rows = size.gather(-1, order).cumsum(dim=-1) + extra
    found = hits.gather(-1, order).cumsum(dim=-1)
    value = torch.where(rows > 0, found.square() / rows.clamp_min(1e-300), 0.0)
    total = found[..., -1]
    return torch.where(total > 0, value.amax(dim=-1) / total.clamp_min(1e-300), 0.0)


def rank_utilities(values: Tensor) -> Tensor:
    """Return utilities linear in rank over the last axis; see `puselect.search.igo.rank_utilities`."""
    worse = (values[..., :, None] > values[..., None, :]).sum(dim=-1)
    equal = (values[..., :, None] == values[..., None, :]).sum(dim=-1)
    return (2 * worse + equal - 1).double() / (values.shape[-1] - 1) - 1


def cut_at(drawn_by: Tensor, n_expected: float) -> Tensor:
    """Return the cut of each line at which `n_expected` features are drawn on average, by ndtr(score - cut).

    The bracket is narrowed on a grid, then Newton's method converges: a fixed number of operations, and a result that
    depends on the line alone.
    """
    low, high = drawn_by.amin(dim=1) - 9, drawn_by.amax(dim=1) + 9
    place = torch.linspace(0, 1, GRID + 1, dtype=torch.float64, device=drawn_by.device)
    for _ in range(ROUNDS):
        grid = low[:, None] + (high - low)[:, None] * place
        expected = torch.special.ndtr(drawn_by[:, :, None] - grid[:, None, :]).sum(dim=1)
        below = (expected > n_expected).sum(dim=1, keepdim=True).clamp(1, GRID) - 1
        low, high = grid.gather(1, below)[:, 0], grid.gather(1, below + 1)[:, 0]
    cut = (low + high) / 2
    for _ in range(NEWTON_STEPS):
        gap = drawn_by - cut[:, None]
        density = (-0.5 * gap.square()).exp().sum(dim=1) / (2 * np.pi) ** 0.5
        step = (torch.special.ndtr(gap).sum(dim=1) - n_expected) / density.clamp_min(1e-300)
        cut = torch.minimum(torch.maximum(cut + step, low), high)
    return cut
