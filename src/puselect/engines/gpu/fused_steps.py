"""Steps of searches by effects with Triton kernels: three for all that is not clustering."""

import torch
import triton

from puselect.engines.device_steps import Rules
from puselect.engines.gpu.engine import GPUEngine
from puselect.engines.gpu.step_kernels import draw_kernel, score_kernel, update_kernel
from puselect.engines.gpu.steps import EffectSteps

COMPARED = 64  # values that others are compared with at a time


class FusedEffectSteps(EffectSteps):
    """The steps of `EffectSteps`, each with a fixed, small number of kernels."""

    def __init__(self, engine: GPUEngine, rules: Rules, n_slots: int, n_steps: int) -> None:
        super().__init__(engine, rules, n_slots, n_steps)
        device, n_columns = engine.device, engine.tables.shape[2]
        n_programs = n_slots * rules.n_masks
        self.place_of = torch.full((n_columns,), -1, dtype=torch.int64, device=device)
        self.place_of[self.free] = torch.arange(len(self.free), device=device)
        self.place_of[torch.from_numpy(rules.kept).to(device)] = -2
        self.drawn = self._floats(n_programs, n_columns)
        self.masks = self._floats(n_programs, len(self.free))
        self.values = self._floats(n_programs)
        limits = (rules.n_expected, rules.n_affordable, rules.chance_mean, rules.margin, rules.decided, rules.smoothing)
        self.limits = torch.tensor(limits, dtype=torch.float64, device=device)

    def _step(self) -> None:
        """Do one step of every search that runs."""
        rules, (n_searches, n_free) = self.rules, self.gain.shape
        n_programs, n_columns = n_searches * rules.n_masks, len(self.place_of)
        theta, values, size, hits, settled, lost, done = self.records
        columns = self.fits.given.columns
        draw_kernel[(n_programs,)](
            self.theta, self.uniform, self.clocks, self.number, self.place_of, self.running, self.drawn, self.masks,
            columns, self.fits.member, n_searches, rules.n_masks, n_free, n_columns, rules.n_taken, columns.shape[1],
            P=_power_of_2(n_columns), J=COMPARED,
        )
        self._set_starts()
        self.fits.fit_at_once()
        score_kernel[(n_programs,)](
            self.fits.counts, self.weight, self.number, self.running, self.limits, self.values, size, hits, values,
            lost, n_searches, rules.n_masks, self.engine.n_clusters,
            C=_power_of_2(self.engine.n_clusters), num_warps=1,
        )
        self._launch_update(theta, settled, done, learns=True)
        self.number += 1

    def _update(self) -> None:
        """Set the probabilities from what was learnt."""
        theta, *_, settled, _, done = self.records
        self._launch_update(theta, settled, done, learns=False)

    def _launch_update(
        self, theta: torch.Tensor, settled: torch.Tensor, done: torch.Tensor, learns: bool
    ) -> None:
        rules, (n_searches, n_free) = self.rules, self.gain.shape
        update_kernel[(n_searches,)](
            self.masks, self.values, self.gain, self.variance, self.support, self.theta, self.distance, self.running,
            self.n_done, self.most, self.may_stop, self.number, self.limits, theta, settled, done,
            n_searches, rules.n_masks, n_free, rules.n_tail, rules.fewest_steps,
            P=_power_of_2(n_free), M=_power_of_2(rules.n_masks), J=COMPARED, wants_most=rules.wants_most,
            learns=learns, num_warps=1 if n_free <= COMPARED else 4,
        )


def _power_of_2(n: int) -> int:
    return max(16, int(triton.next_power_of_2(n)))
