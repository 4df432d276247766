"""Compile every kernel of the GPU engine for a GPU that is not there, with the arguments it would be started with.

Run as a program: prints the names of the kernels. Triton's interpreter accepts more than its compiler does.
"""

from types import SimpleNamespace

import numpy as np
import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime.jit import JITFunction

from puselect.clustering.gpu import GPUEngine, fits, fused
from puselect.clustering.mixture import MixtureSpec

TARGET = GPUTarget("cuda", 90, 32)  # Hopper


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
    hard, soft = MixtureSpec(n_clusters=4), MixtureSpec(n_clusters=4, em_steps=1)
    for columns in (5, 40):
        wide = np.concatenate([X] * 4, axis=1)
        masks = np.arange(48)[None, :] < np.full((2, 1), columns)
        for spec in (hard, soft):
            GPUEngine(wide, positive, spec, max_samples=100, device="cpu").cluster(masks, np.arange(2))
    print(*sorted(names))


if __name__ == "__main__":
    main()
