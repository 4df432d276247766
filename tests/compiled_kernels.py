"""Compile every kernel of the GPU engine for a GPU that is not there, with the arguments it would be started with.

Run as a program: prints the names of the kernels. Triton's interpreter accepts more than its compiler does.
"""

from types import SimpleNamespace

import numpy as np
import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime.jit import JITFunction

from puselect.engines.device_steps import Rules
from puselect.engines.gpu import GPUEngine, fits, fused
from puselect.engines.gpu.fused_steps import FusedEffectSteps
from puselect.engines.mixture import MixtureSpec

TARGET = GPUTarget("cuda", 90, 32)  # Hopper
RULES = Rules(
    n_taken=5, n_expected=5.0, n_affordable=5.0, free=np.arange(12), kept=np.empty(0, dtype=np.intp), n_masks=8,
    margin=0.02, decided=3.0, smoothing=0.5, chance_mean=0.9, n_tail=5, wants_most=False, fewest_steps=10,
)  # fmt: skip


def pretend_there_is_a_gpu(names: set[str]) -> None:
    """Make launches compile and do nothing else; note what was compiled."""
    device = SimpleNamespace(
        get_current_target=lambda: TARGET,
        get_current_device=lambda: 0,
        get_current_stream=lambda device: 0,
        get_device_interface=lambda: torch.cuda,
    )
    triton.runtime.driver.set_active(device)

    def compile_only(kernel, grid):
        def launch(*args, **options):
            kernel.warmup(*args, grid=grid, **options)
            names.add(kernel.fn.__name__)

        return launch

    JITFunction.__getitem__ = compile_only
    fits.sweeps = lambda *_: fused
    fits.Recorded = lambda function, _: function


def main() -> None:
    names: set[str] = set()
    pretend_there_is_a_gpu(names)
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(150, 12)), np.arange(150) < 30
    hard, soft = MixtureSpec(n_clusters=4), MixtureSpec(n_clusters=4, init="kmeans", em="soft", shrinkage=0.0)
    for columns in (5, 40):
        wide = np.concatenate([X] * 4, axis=1)
        masks = np.arange(48)[None, :] < np.full((2, 1), columns)
        for spec in (hard, soft):
            GPUEngine(wide, positive, spec, max_samples=100, device="cpu").cluster(masks, np.arange(2))
    engine = GPUEngine(X, positive, hard, device="cpu")
    steps, one = FusedEffectSteps(engine, RULES, 1, 2), np.zeros(1, dtype=np.int64)
    steps.begin(one, one, *[np.zeros((1, 12))] * 3, one, one + 1, one == 0)
    steps._step()
    print(*sorted(names))


if __name__ == "__main__":
    main()
