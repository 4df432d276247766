"""Times of the GPU engine's sweeps, by the device's own clock, and what each must compute and move at least."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from puselect.clustering.gpu.engine import exact_float32
from puselect.clustering.gpu.fits import sweeps
from puselect.clustering.gpu.plain import Mixtures
from puselect.clustering.mixture import MixtureSpec


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


def recorded(work: Callable[[], Any]) -> Callable[[], None]:
    """Return what repeats `work` without the host, so that its launches do not count."""
    work()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def ceilings() -> tuple[float, float]:
    """Return float32 operations and bytes per second that a matrix product and a copy reach."""
    with exact_float32:
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
    spec = MixtureSpec(em="soft", shrinkage=0.0)
    do, running = sweeps(Z.device, k, spec), torch.ones(n_masks, dtype=torch.bool, device="cuda")
    width = do.factor_width(k)
    centres = Z[:, :C].clone()
    mixtures = Mixtures(centres.clone(), Z.new_empty(n_masks, C, width, width), Z.new_empty(n_masks, C))
    bound, goes_on = torch.zeros(n_masks, dtype=torch.float64, device="cuda"), torch.zeros_like(running)

    def maximise(weight: torch.Tensor) -> None:
        do.maximise(Z, weight, mixtures, spec, running, goes_on, False)

    def responsibilities() -> Any:
        return do.responsibilities(Z, mixtures, spec.tol, bound, goes_on, running)

    maximise(labels)
    share = responsibilities()
    table, shares, square = 4 * n * k, 4 * n * C, n_masks * C * k * k
    rows: list[tuple[str, Callable[[], Any], float, float]] = [
        ("nearest centre", lambda: do.relabel(Z, centres, labels, running), 3 * n * k * C, table + 4 * n),
        ("responsibilities", responsibilities, n * C * k * k, table + shares),
        ("M-step, soft", lambda: maximise(share), n * C * k * k, table + shares),
        (
            "M-step, hard",
            lambda: maximise(labels),
            n * k * k + square * k * 2 / 3,
            table + 4 * n + 12 * square,
        ),
        ("most probable cluster", lambda: do.assign(Z, *mixtures, running), n * C * k * k, table + 4 * n),
    ]
    with exact_float32:
        return [SweepTime(name, device_seconds(recorded(work)), flops, moved) for name, work, flops, moved in rows]
