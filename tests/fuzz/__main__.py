"""Fuzz the package: ``python tests/fuzz --seconds 60``, or replay a case: ``python tests/fuzz --replay CASE``.

Each class of inputs is a module with a function ``example(draw)`` that draws an input with Hypothesis, tries it, and
returns what came of it in a word. Inputs come in batches; a batch is fully described by its class and its seed. They
are tried in a process of their own, so that a crash or a hang is found like any other failure. What is found is
written to a folder, one file per case.
"""

import argparse
import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil

SHARES = {
    "fits": 50.0, "checkpoints": 6.0, "results": 13.0, "tables": 19.0, "studies": 4.0, "command": 7.5, "signals": 0.5,
}  # fmt: skip
"""Percent of the inputs by class."""
BATCH = {"signals": 2}
DEFAULT_BATCH = 40
PATIENCE = 180  # seconds for a batch; the longest takes a few
SECONDS_BETWEEN_LINES = 120
RESTART_AFTER = 400  # batches: Hypothesis and the libraries keep some memory


class Worker:
    """A process that tries batches one after the other."""

    def __init__(self, log: Path) -> None:
        self.log = log.open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", __file__, "--worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.log, start_new_session=True,
        )
        self.n_batches = 0

    def try_batch(self, batch: dict[str, Any]) -> dict[str, Any] | None:
        """Return what came of a batch; None if the process died or did not answer in time."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.n_batches += 1
        try:
            self.process.stdin.write(json.dumps(batch).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        while not self._answers() and psutil.Process(self.process.pid).status() == psutil.STATUS_STOPPED:
            pass  # somebody has stopped it: no hang
        if not self._answers():
            self.process.send_signal(signal.SIGABRT)  # faulthandler then writes where it hangs
            time.sleep(1)
            return None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def _answers(self) -> bool:
        return bool(select.select([self.process.stdout], [], [], PATIENCE / 2)[0])

    def close(self) -> int | None:
        """End the process and whatever it started; return its exit code."""
        code = self.process.poll()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()
        return code


class Totals:
    """Counts by class."""

    def __init__(self, names: list[str]) -> None:
        self.inputs = Counter(dict.fromkeys(names, 0))
        self.seconds = Counter(dict.fromkeys(names, 0.0))
        self.outcomes = {name: Counter[str]() for name in names}
        self.cases: list[Path] = []

    def next_class(self) -> str:
        """Return the class that is furthest behind its share."""
        return min(self.inputs, key=lambda name: self.inputs[name] / SHARES[name])

    def show(self) -> None:
        """Print a table."""
        for name, count in self.inputs.items():
            outcomes = ", ".join(f"{word} {n:,}" for word, n in self.outcomes[name].most_common())
            print(f"{name:12} {count:8,} inputs {self.seconds[name]:8.1f} s   {outcomes}")
        total = sum(self.inputs.values())
        print(f"{'all':12} {total:8,} inputs {sum(self.seconds.values()):8.1f} s   {len(self.cases)} cases found")


def fuzz(names: list[str], seconds: float, n_inputs: int, seed: int, folder: Path) -> int:
    """Try inputs until time is up or there were enough; return the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    totals, end = Totals(names), time.monotonic() + seconds
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    worker = Worker(folder / "log.txt")
    atexit.register(lambda: worker.close())
    shown = time.monotonic()
    while time.monotonic() < end and sum(totals.inputs.values()) < n_inputs:
        name = totals.next_class()
        batch = {"class": name, "seed": seed, "size": BATCH.get(name, DEFAULT_BATCH)}
        seed += 1
        begin = time.monotonic()
        answer = worker.try_batch(batch)
        totals.seconds[name] += time.monotonic() - begin
        if answer is None:
            code = worker.close()
            answer = {"outcomes": {}, "findings": [f"crashed or hung (exit code {code}); see {folder / 'log.txt'}"]}
        if not answer["outcomes"] or worker.n_batches == RESTART_AFTER:
            worker.close()
            worker = Worker(folder / "log.txt")
        totals.inputs[name] += sum(answer["outcomes"].values()) or batch["size"]
        totals.outcomes[name].update(answer["outcomes"])
        for number, what in enumerate(answer["findings"]):
            path = folder / f"{name}-{batch['seed']}-{number}.json"
            path.write_text(json.dumps({**batch, "what": what}, indent=1))
            totals.cases.append(path)
            print(f"{path}: {what}\n", flush=True)
        if time.monotonic() > shown + SECONDS_BETWEEN_LINES:
            shown = time.monotonic()
            print(f"{sum(totals.inputs.values()):,} inputs, {len(totals.cases)} cases found", flush=True)
    totals.show()
    return 1 if totals.cases else 0


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description="Fuzz puselect.")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit (default: 60)")
    parser.add_argument("--inputs", type=int, default=10**9, help="stop after so many inputs")
    parser.add_argument("--classes", default=",".join(SHARES), help="comma-separated; by default all")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first batch")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="where cases are written")
    parser.add_argument("--replay", type=Path, metavar="CASE", help="try the batch of a case, and shrink what fails")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        from batches import work

        return work()
    if options.replay is not None:
        from batches import replay

        return replay(json.loads(options.replay.read_text()))
    return fuzz(options.classes.split(","), options.seconds, options.inputs, options.seed, options.folder.resolve())


if __name__ == "__main__":
    sys.exit(main())
