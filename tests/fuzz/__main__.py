"""Fuzz the package: ``python tests/fuzz --seconds 60``; ``--classes NAME --seed N --inputs 1`` repeats a batch.

A class of inputs has a function ``example(draw)`` that draws an input, tries it, and returns what came of it in a word.
Hypothesis draws a batch of them from a seed, in a fork of this process, so that a crash or a hang is found like any
other failure, and makes what fails as small as possible.
"""

import argparse
import faulthandler
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import command
import constraints
import fits
import formats
import hypothesis
import hypothesis.strategies as st
import questions
import tables
from damage import Draw
from outcome import FindingError
from threadpoolctl import threadpool_limits

CLASSES: dict[str, Callable[[Draw], str]] = {
    "fits": fits.example, "tables": tables.example, "questions": questions.example,
    "command": command.example, "constraints": constraints.example, "formats": formats.example,
}  # fmt: skip
SHARES = {
    "fits": 40.0, "tables": 12.0, "questions": 6.4, "command": 18.0, "constraints": 10.0, "formats": 3.0,
}  # fmt: skip
"""Percent of the inputs by class."""
SIZES = {"command": 150}
DEFAULT_SIZE = 60
PATIENCE = 180.0  # seconds for a batch; the longest takes a few
KNOWN_ABORT = "memory allocation of"
"""Polars says so, and aborts, where a page of a damaged file asks for too much memory."""
FAILURE = "failure"


def run_batch(name: str, seed: int) -> Counter[str]:
    """Try the inputs of a batch, which depend on its class and seed alone; print the smallest that fails."""
    outcomes: Counter[str] = Counter()

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=SIZES.get(name, DEFAULT_SIZE), database=None, deadline=None, print_blob=False,
        report_multiple_bugs=False, suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(st.data())
    def try_one(data: st.DataObject) -> None:
        outcomes[CLASSES[name](data.draw)] += 1

    try:
        try_one()
    except FindingError as finding:
        print(f"{name}, seed {seed}: {finding}", *getattr(finding, "__notes__", []), sep="\n", flush=True)
        outcomes[FAILURE] += 1
    return outcomes


def begin(log: int) -> None:
    """Prepare a process: a group of its own, its messages in a file."""
    os.setsid()
    os.dup2(log, 2)
    faulthandler.enable()
    threadpool_limits(1)


def run_in_fork(name: str, seed: int) -> Counter[str]:
    """Try a batch in a process of its own; a crash or a hang is a failure."""
    with (
        tempfile.TemporaryFile("w+") as log, ProcessPoolExecutor(1, get_context("fork"), begin, (log.fileno(),)) as pool
    ):  # fmt: skip
        future = pool.submit(run_batch, name, seed)
        try:
            return future.result(PATIENCE)
        except TimeoutError:
            for process in pool._processes:
                os.killpg(process, signal.SIGABRT)  # it writes down where it is
        except BrokenProcessPool:
            pass
        pool.shutdown()
        log.seek(0)
        messages = log.read()
        if KNOWN_ABORT in messages:
            return Counter({"the end, for a page that asks for too much memory": 1})
        print(f"{name}, seed {seed}: the process hung or died\n{messages}", flush=True)
        return Counter({FAILURE: 1})


def fuzz(names: Sequence[str], seconds: float, n_inputs: int, seed: int) -> int:
    """Try inputs until time is up or there were enough; return the exit code."""
    outcomes = {name: Counter[str]() for name in names}
    planned, end = Counter(dict.fromkeys(names, 0)), time.monotonic() + seconds
    while time.monotonic() < end and planned.total() < n_inputs:
        name = min(names, key=lambda name: planned[name] / SHARES[name])
        outcomes[name] += run_in_fork(name, seed)
        planned[name] += SIZES.get(name, DEFAULT_SIZE)
        seed += 1
    for name, counts in outcomes.items():
        words = ", ".join(f"{word} {count:,}" for word, count in counts.most_common())
        print(f"{name:12} {planned[name]:8,} inputs   {words}")
    return int(any(FAILURE in counts for counts in outcomes.values()))


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description="Fuzz puselect.")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit (default: 60)")
    parser.add_argument("--inputs", type=int, default=10**9, help="stop after this many inputs")
    parser.add_argument("--classes", default=",".join(SHARES), help="comma-separated; by default all")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first batch")
    options = parser.parse_args()
    return fuzz(options.classes.split(","), options.seconds, options.inputs, options.seed)


if __name__ == "__main__":
    sys.exit(main())
