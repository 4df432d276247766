"""Fuzz the package: ``python tests/fuzz --seconds 60``, or replay a case: ``python tests/fuzz --replay CASE``."""

import argparse
import json
import sys
from pathlib import Path

from runner import SHARES, fuzz, replay


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description="Fuzz puselect.")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit (default: 60)")
    parser.add_argument("--inputs", type=int, default=10**9, help="stop after this many inputs")
    parser.add_argument("--classes", default=",".join(SHARES), help="comma-separated; by default all")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first batch")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="where cases are written")
    parser.add_argument("--replay", type=Path, metavar="CASE", help="try the batch of a case, and shrink what fails")
    options = parser.parse_args()
    if options.replay is not None:
        return replay(json.loads(options.replay.read_text()))
    return fuzz(options.classes.split(","), options.seconds, options.inputs, options.seed, options.folder.resolve())


if __name__ == "__main__":
    sys.exit(main())
