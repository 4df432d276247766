"""Batches of inputs: those that Hypothesis generates for a class from a seed."""

import json
import os
import sys
from collections import Counter
from typing import Any

import checkpoints
import command
import constraints
import fits
import formats
import hypothesis
import hypothesis.strategies as st
import questions
import results
import signals
import studies
import tables
from outcome import FindingError
from threadpoolctl import threadpool_limits

# All modules are imported for any class: Hypothesis also draws the constants it finds in them.
CLASSES = {
    "fits": fits, "checkpoints": checkpoints, "results": results, "tables": tables, "studies": studies,
    "questions": questions, "command": command, "signals": signals, "constraints": constraints, "formats": formats,
}  # fmt: skip

SETTINGS: dict[str, Any] = {
    "database": None, "deadline": None, "suppress_health_check": list(hypothesis.HealthCheck), "print_blob": False,
}  # fmt: skip


def work() -> int:
    """Read batches from standard input and answer each with a line on standard output, until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is tried may print
    threadpool_limits(limits=1)
    for line in sys.stdin:
        answers.write(json.dumps(run_batch(json.loads(line))) + "\n")
        answers.flush()
    return 0


def run_batch(batch: dict[str, Any]) -> dict[str, Any]:
    """Try all inputs of a batch; return the outcomes and what was found."""
    example = CLASSES[batch["class"]].example
    outcomes: Counter[str] = Counter()
    findings: list[str] = []

    def try_one(data: Any) -> None:
        try:
            outcomes[example(data.draw)] += 1
        except FindingError as finding:
            outcomes["failure"] += 1
            findings.append(str(finding))

    _given(try_one, batch, [hypothesis.Phase.generate])()
    return {"outcomes": outcomes, "findings": list(dict.fromkeys(findings))}


def replay(batch: dict[str, Any]) -> int:
    """Try a batch again; show the first failure, made as small as possible."""
    example = CLASSES[batch["class"]].example

    def try_one(data: Any) -> None:
        example(data.draw)

    try:
        _given(try_one, batch, [hypothesis.Phase.generate, hypothesis.Phase.shrink])()
    except FindingError as finding:
        print(f"{finding}\n" + "\n".join(getattr(finding, "__notes__", [])))
        return 1
    print("no failure")
    return 0


def _given(try_one: Any, batch: dict[str, Any], phases: Any) -> Any:
    settings = hypothesis.settings(max_examples=batch["size"], phases=phases, **SETTINGS)
    return hypothesis.seed(batch["seed"])(settings(hypothesis.given(st.data())(try_one)))
