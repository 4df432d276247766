"""Fuzz the package: ``python tests/fuzz --seconds 60``, or replay a case: ``python tests/fuzz --replay CASE``.

Each class of inputs is a module with a function ``example(draw)`` that draws an input with Hypothesis, tries it, and
returns what came of it in a word. Inputs come in batches; a batch is fully described by its class and its seed. They
are tried in processes of their own, so that a crash or a hang is found like any other failure. The folder then has
``counts.json``, and one file per case that was found.
"""

import argparse
import json
import sys
from pathlib import Path

from runner import SHARES, fuzz


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description="Fuzz puselect.")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit (default: 60)")
    parser.add_argument("--inputs", type=int, default=10**9, help="stop after so many inputs")
    parser.add_argument("--classes", default=",".join(SHARES), help="comma-separated; by default all")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first batch")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="where counts and cases are written")
    parser.add_argument("--replay", type=Path, metavar="CASE", help="try the batch of a case, and shrink what fails")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        from batches import work

        return work()
    if options.replay is not None:
        from batches import replay

        return replay(json.loads(options.replay.read_text()))
    names, folder = options.classes.split(","), options.folder.resolve()
    return fuzz(names, options.seconds, options.inputs, options.seed, folder, options.workers)


if __name__ == "__main__":
    sys.exit(main())
