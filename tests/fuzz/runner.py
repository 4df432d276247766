"""Batches of inputs that Hypothesis draws for a class from a seed, and what came of them.

A class of inputs has a function ``example(draw)`` that draws an input, tries it, and returns what came of it in a word.
Each batch is tried in a fork of this process, so that a crash or a hang is found like any other failure.
"""

import contextlib
import faulthandler
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple, TypedDict

import command
import constraints
import fits
import formats
import hypothesis
import hypothesis.strategies as st
import questions
import signals
import tables
from damage import Draw
from hypothesis import Phase
from outcome import FindingError
from threadpoolctl import threadpool_limits

CLASSES: dict[str, Callable[[Draw], str]] = {
    "fits": fits.example, "tables": tables.example, "questions": questions.example,
    "command": command.example, "constraints": constraints.example, "signals": signals.example,
    "formats": formats.example,
}  # fmt: skip
SHARES = {
    "fits": 40.0, "tables": 12.0, "questions": 6.4, "command": 18.0, "constraints": 10.0,
    "signals": 0.6, "formats": 3.0,
}  # fmt: skip
"""Percent of the inputs by class."""
SIZES = {"signals": 10, "command": 150}
DEFAULT_SIZE = 60
PATIENCE = 180.0  # seconds for a batch; the longest takes a few
KNOWN_ABORT = "memory allocation of"
"""Polars says so, and aborts, where a page of a damaged file asks for too much memory."""
FORK = get_context("fork")


class Batch(TypedDict):
    """All that decides what is tried."""

    name: str
    """Of the class."""
    seed: int
    size: int


class Answer(NamedTuple):
    """What came of a batch."""

    outcomes: Counter[str]
    findings: Sequence[str]


def run_batch(batch: Batch) -> Answer:
    """Try all inputs of a batch in this process."""
    outcomes: Counter[str] = Counter()
    findings: list[str] = []

    def try_one(draw: Draw) -> None:
        try:
            outcomes[CLASSES[batch["name"]](draw)] += 1
        except FindingError as finding:
            outcomes["failure"] += 1
            findings.append(str(finding))

    draw_inputs(try_one, batch, [Phase.generate])
    return Answer(outcomes, list(dict.fromkeys(findings)))


def replay(batch: Batch) -> int:
    """Try a batch again; show the first failure, made as small as possible."""
    try:
        draw_inputs(CLASSES[batch["name"]], batch, [Phase.generate, Phase.shrink])
    except FindingError as finding:
        print(f"{finding}\n" + "\n".join(getattr(finding, "__notes__", [])))
        return 1
    print("no failure")
    return 0


def draw_inputs(try_one: Callable[[Draw], object], batch: Batch, phases: Sequence[Phase]) -> None:
    """Try the inputs of a batch; they depend on the batch alone."""
    settings = hypothesis.settings(
        max_examples=batch["size"], phases=phases, database=None, deadline=None, print_blob=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip

    @hypothesis.seed(batch["seed"])
    @settings
    @hypothesis.given(st.data())
    def try_data(data: st.DataObject) -> None:
        try_one(data.draw)

    try_data()


def run_in_fork(batch: Batch, log: Path) -> Answer:
    """Try a batch in a process of its own; a crash or a hang is a finding."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=work, args=(batch, sender, log))
    process.start()
    sender.close()
    try:
        if receiver.poll(PATIENCE):
            return receiver.recv()
        os.kill(process.pid, signal.SIGABRT)  # the process writes down where it is
        process.join()
        return Answer(Counter(), [f"a batch hangs; see {log}"])
    except EOFError:
        process.join()
        if process.exitcode == -signal.SIGABRT and KNOWN_ABORT in log.read_text(errors="replace"):
            return Answer(Counter({"the end, for a page that asks for too much memory": batch["size"]}), [])
        return Answer(Counter(), [f"a batch ends with {process.exitcode}; see {log}"])
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and whatever it started
        process.join()


def work(batch: Batch, answers: Connection, log: Path) -> None:
    """Try a batch with all output sent to a file."""
    os.setsid()
    errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for stream in (1, 2):
        os.dup2(errors, stream)
    faulthandler.enable()
    threadpool_limits(limits=1)
    answers.send(run_batch(batch))


def fuzz(names: Sequence[str], seconds: float, n_inputs: int, seed: int, folder: Path) -> int:
    """Try inputs until time is up or there were enough; write a file for each case; return the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    outcomes = {name: Counter[str]() for name in names}
    planned, spent = Counter(dict.fromkeys(names, 0)), Counter(dict.fromkeys(names, 0.0))
    n_cases, end = 0, time.monotonic() + seconds
    while time.monotonic() < end and planned.total() < n_inputs:
        name = min(names, key=lambda name: planned[name] / SHARES[name])
        batch = Batch(name=name, seed=seed, size=SIZES.get(name, DEFAULT_SIZE))
        begin = time.monotonic()
        answer = run_in_fork(batch, folder / f"{name}.log")
        planned[name] += batch["size"]
        spent[name] += time.monotonic() - begin
        outcomes[name].update(answer.outcomes)
        for number, what in enumerate(answer.findings):
            path = folder / f"{name}-{seed}-{number}.json"
            path.write_text(json.dumps({**batch, "what": what}, indent=1))
            print(f"{path}: {what}\n", flush=True)
        n_cases += len(answer.findings)
        seed += 1
    for name, counts in outcomes.items():
        words = ", ".join(f"{word} {count:,}" for word, count in counts.most_common())
        print(f"{name:12} {planned[name]:8,} inputs {spent[name]:8.1f} s   {words}")
    print(f"{'all':12} {planned.total():8,} inputs {sum(spent.values()):8.1f} s   {n_cases} cases found")
    return 1 if n_cases else 0
