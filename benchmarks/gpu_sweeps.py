"""Times of the GPU engine's sweeps, by the device's own clock, and what each must compute and move at least."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from puselect.engines.gpu.engine import exact_float32
from puselect.engines.gpu.fits import maximise, sweeps
from puselect.engines.mixture import MixtureSpec


class SweepTime(NamedTuple):
    """One sweep over the rows of all masks of a batch."""

    name: str
    seconds: float
    flops: float
    """Multiplications and additions it needs at least."""
    bytes: float
    """What it reads and writes at least, each value once."""


def device_name() -> str:
    """Return what the device calls itself."""
    return str(torch.cuda.get_device_name())


def device_seconds(work: Callable[[], Any], repeats: int = 20) -> float:
    """Return the median time of `work` by the device's clock, after three runs that warm up."""
    times: list[float] = []
    for i in range(repeats + 3):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        end.synchronize()
        if i >= 3:
            times.append(float(begin.elapsed_time(end)) / 1e3)
    return sorted(times)[repeats // 2]


def ceilings() -> tuple[float, float]:
    """Return float32 operations and bytes per second that a matrix product and a copy reach."""
    with exact_float32():
        A = torch.randn(8192, 8192, device="cuda")
        flops = 2 * 8192**3 / device_seconds(lambda: A @ A, 5)
    source = torch.randn(2**29, device="cuda")
    target = torch.empty_like(source)
    return flops, 2 * 4 * 2**29 / device_seconds(lambda: target.copy_(source), 5)


def sweep_times(n_masks: int, n_rows: int, n_features: int, n_clusters: int = 10) -> list[SweepTime]:
    """Time every sweep on random data."""
    n, k, C = n_masks * n_rows, n_features, n_clusters
    Z = torch.randn(n_masks, n_rows, k, device="cuda")
    labels = torch.randint(C, (n_masks, n_rows), device="cuda", dtype=torch.int32)
    spec, do = MixtureSpec(em="soft", shrinkage=0.0), sweeps(Z.device, k)
    mixtures, _, _ = maximise(do, Z, labels, C, spec)
    share, _ = do.responsibilities(Z, *mixtures)
    centres = Z[:, :C].contiguous()
    cov = torch.eye(k, dtype=torch.float64, device="cuda").expand(n_masks, C, k, k).contiguous()
    table, shares, square = 4 * n * k, 4 * n * C, n_masks * C * k * k
    rows: list[tuple[str, Callable[[], Any], float, float]] = [
        ("nearest centre", lambda: do.nearest(Z, centres), 3 * n * k * C, table + 4 * n),
        ("first moments", lambda: do.first_moments(Z, share, C), 2 * n * k * C, table + shares),
        ("second moments", lambda: do.second_moments(Z, share, mixtures.mean), n * C * k * k, table + shares),
        ("factors", lambda: do.factorise(cov, 1e-6), square * k * 2 / 3, 12 * square),
        ("responsibilities", lambda: do.responsibilities(Z, *mixtures), n * C * k * k, table + shares),
        ("M-step, soft", lambda: maximise(do, Z, share, C, spec), n * C * k * k, table + shares),
        ("M-step, hard", lambda: maximise(do, Z, labels, C, spec), n * k * k, table + 4 * n),
        ("most probable cluster", lambda: do.assign(Z, *mixtures), n * C * k * k, table + 4 * n),
    ]
    with exact_float32():
        return [SweepTime(name, device_seconds(work), flops, moved) for name, work, flops, moved in rows]
