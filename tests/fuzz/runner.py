"""Workers that try batches side by side, and what came of them."""

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
    "fits": 40.0, "checkpoints": 6.0, "results": 10.0, "tables": 12.0, "questions": 6.4, "studies": 4.0, "command": 8.0,
    "constraints": 10.0, "signals": 0.6, "formats": 3.0,
}  # fmt: skip
"""Percent of the inputs by class."""
BATCH = {"signals": 10, "constraints": 20}  # the first input of a batch is always the simplest
DEFAULT_BATCH = 40
WORKER = [sys.executable, "-X", "faulthandler", str(Path(__file__).parent), "--worker"]
PATIENCE = 180  # seconds for a batch; the longest takes a few
SECONDS_BETWEEN_LINES = 60
RESTART_AFTER = 400  # batches: Hypothesis and the libraries keep some memory


class Worker:
    """A process that tries batches one after the other."""

    def __init__(self, log: Path) -> None:
        self.log = log.open("ab")
        self.process = subprocess.Popen(
            WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, start_new_session=True
        )
        self.n_batches = 0

    def fileno(self) -> int:
        """Return the descriptor that an answer comes from."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def send(self, batch: dict[str, Any]) -> None:
        """Hand over a batch; a process that has died is noticed by its answer."""
        assert self.process.stdin is not None
        self.batch, self.begin = batch, time.monotonic()
        self.patience = PATIENCE
        self.n_batches += 1
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(batch).encode() + b"\n")
            self.process.stdin.flush()

    def answer(self) -> dict[str, Any] | None:
        """Return what came of the batch; None if the process has died."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def hangs(self) -> bool:
        """Return whether the batch takes far too long, and make the process write down where it is."""
        if time.monotonic() < self.begin + self.patience:
            return False
        if psutil.Process(self.process.pid).status() == psutil.STATUS_STOPPED:  # by somebody: no hang
            self.patience += PATIENCE
            return False
        self.process.send_signal(signal.SIGABRT)  # for faulthandler
        time.sleep(1)
        return True

    def mishap(self) -> dict[str, Any]:
        """Return what takes the place of an answer that did not come."""
        what = f"crashed or hung (exit code {self.process.poll()}); see {self.log.name}"
        return {"outcomes": {}, "findings": [what]}

    def replacement(self) -> "Worker":
        """End this worker and return a new one."""
        self.close()
        return Worker(Path(self.log.name))

    def close(self) -> None:
        """End the process and whatever it started."""
        if self.log.closed:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()
        self.log.close()


class Totals:
    """Counts by class."""

    def __init__(self, names: list[str]) -> None:
        self.planned = Counter(dict.fromkeys(names, 0))
        self.inputs = Counter(dict.fromkeys(names, 0))
        self.seconds = Counter(dict.fromkeys(names, 0.0))
        self.outcomes = {name: Counter[str]() for name in names}
        self.cases: list[Path] = []
        self.begin = time.monotonic()

    def next_batch(self, seed: int) -> dict[str, Any]:
        """Return a batch of the class that is furthest behind its share."""
        name = min(self.planned, key=lambda name: self.planned[name] / SHARES[name])
        batch = {"class": name, "seed": seed, "size": BATCH.get(name, DEFAULT_BATCH)}
        self.planned[name] += batch["size"]
        return batch

    def record(self, batch: dict[str, Any], answer: dict[str, Any], seconds: float, folder: Path) -> None:
        """Count what came of a batch, and write a file for each case."""
        name = batch["class"]
        self.seconds[name] += seconds
        self.inputs[name] += sum(answer["outcomes"].values()) or batch["size"]
        self.outcomes[name].update(answer["outcomes"])
        for number, what in enumerate(answer["findings"]):
            path = folder / f"{name}-{batch['seed']}-{number}.json"
            path.write_text(json.dumps({**batch, "what": what}, indent=1))
            self.cases.append(path)
            print(f"{path}: {what}\n", flush=True)

    def show(self) -> None:
        """Print a table; seconds are those of all workers together."""
        for name, count in self.inputs.items():
            outcomes = ", ".join(f"{word} {n:,}" for word, n in self.outcomes[name].most_common())
            print(f"{name:12} {count:8,} inputs {self.seconds[name]:8.1f} s   {outcomes}")
        total, wall = sum(self.inputs.values()), time.monotonic() - self.begin
        print(f"{'all':12} {total:8,} inputs {sum(self.seconds.values()):8.1f} s   {len(self.cases)} cases found")
        print(f"in {wall:.0f} s")

    def write(self, path: Path) -> None:
        """Write the counts."""
        classes = {
            name: {"inputs": count, "seconds": round(self.seconds[name], 1), "outcomes": self.outcomes[name]}
            for name, count in self.inputs.items()
        }
        counts = {"inputs": sum(self.inputs.values()), "cases": [case.name for case in self.cases],
                  "wall_seconds": round(time.monotonic() - self.begin, 1), "classes": classes}
        path.write_text(json.dumps(counts, indent=1) + "\n")


def fuzz(names: list[str], seconds: float, n_inputs: int, seed: int, folder: Path, n_workers: int) -> int:
    """Try inputs until time is up or there were enough; return the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    totals, log = Totals(names), folder / "log.txt"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    busy: list[Worker] = []
    idle = [Worker(log) for _ in range(n_workers)]
    atexit.register(lambda: [worker.close() for worker in busy + idle])
    shown = totals.begin
    while True:
        is_over = time.monotonic() > totals.begin + seconds
        while idle and not is_over and sum(totals.planned.values()) < n_inputs:
            busy.append(idle.pop())
            busy[-1].send(totals.next_batch(seed))
            seed += 1
        if not busy:
            break
        for worker, answer in answers(busy):
            busy.remove(worker)
            totals.record(worker.batch, answer or worker.mishap(), time.monotonic() - worker.begin, folder)
            idle.append(worker if answer and worker.n_batches < RESTART_AFTER else worker.replacement())
        if time.monotonic() > shown + SECONDS_BETWEEN_LINES:
            shown = time.monotonic()
            print(f"{sum(totals.inputs.values()):,} inputs, {len(totals.cases)} cases found", flush=True)
            totals.write(folder / "counts.json")
    for worker in idle:
        worker.close()
    totals.show()
    totals.write(folder / "counts.json")
    return 1 if totals.cases else 0


def answers(busy: list[Worker]) -> list[tuple[Worker, dict[str, Any] | None]]:
    """Wait a moment; return the workers that are done and their answers, None where one has died or hangs."""
    ready = select.select(busy, [], [], 1.0)[0]
    done = [(worker, worker.answer()) for worker in ready]
    return done + [(worker, None) for worker in busy if worker not in ready and worker.hangs()]
