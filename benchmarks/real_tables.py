"""The board of real tables: which features predict best, chosen from a few labels, on 28 tables.

    python benchmarks/real_tables.py --folder runs/real --jobs 16
    python benchmarks/real_tables.py --folder runs/real --tables wpbc,letter --splits 0-9 --methods fscpu,lepage,all
    python benchmarks/real_tables.py --folder runs/real --report

This is the study `puselect reproduce real-tables` with a choice of its cells, for machines that have only what the
library itself needs. Methods whose extra is not installed are left out. The folder gets results.jsonl: finished cells
are skipped, failed ones tried again. The protocol is in docs/internals/real-tables.md. Splits come from a stream of
random numbers of their own; those that the default was tuned on (train_test_split with seeds 1000 to 1026) are not
among them.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from puselect.methods import REGISTRY
from puselect_paper.report import collect, study_tables
from puselect_paper.report.tables import to_markdown
from puselect_paper.studies import (
    Progress,
    Study,
    load_run,
    load_study,
    local_workers,
    lockstep_workers,
    run_study,
)
from puselect_paper.studies.cells import Cell
from puselect_paper.studies.rows import is_installed

STUDY = "real-tables"


def names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def numbers(text: str) -> list[float]:
    return [float(part) for part in names(text)]


def splits(text: str) -> range:
    """Return the splits of "A-B", both included, or of a single number."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def chosen_methods(study: Study, wanted: Sequence[str]) -> list[str]:
    """Return the ids to run: those that are wanted, by default all, without what is not installed."""
    ids = {method.id: method for method in study.methods}
    picked = list(wanted or ids)
    unknown = [name for name in picked if name not in ids]
    if unknown:
        raise SystemExit(f"unknown methods: {', '.join(unknown)}; known are {', '.join(ids)}")
    for name in picked:
        if not is_installed(ids[name].name):
            print(f"left out: {name} needs {REGISTRY[ids[name].name].extra}", flush=True)
    return [name for name in picked if is_installed(ids[name].name)]


class Lines:
    """Prints the progress every twenty seconds, and every failure."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if progress.row is not None and progress.row.error is not None:
            cell = progress.row.cell
            print(f"failed: {cell.method} {dict(cell.data)} split {cell.seed}: {progress.row.error.splitlines()[-1]}")
        if time.monotonic() - self.last > 20 or progress.done in (0, progress.total):
            self.last = time.monotonic()
            print(
                f"{progress.done} of {progress.total} cells, {progress.failed} failed, "
                f"about {progress.seconds_left / 60:.0f} min left", flush=True,
            )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Run the chosen cells that have no result yet; return how many failed."""
    study = load_study(STUDY)
    study = Study.from_definition({**study.definition, "seeds": list(args.splits)})

    def only(cell: Cell) -> bool:
        by_name = not args.tables or cell.data["name"] in args.tables
        return by_name and (not args.fractions or cell.data["share"] in args.fractions)

    methods = chosen_methods(study, args.methods)
    workers = local_workers(args.jobs)
    if args.engine == "gpu":
        workers = lockstep_workers(args.folder, workers)
    outcome = run_study(study, args.folder, methods=methods, only=only, workers=workers, tell=Lines())
    print(f"{outcome.measured} cells measured, {outcome.skipped} had results, {len(outcome.failed)} failed")
    return len(outcome.failed)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="of results.jsonl")
    parser.add_argument("--report", action="store_true", help="print the tables of the results; run nothing")
    parser.add_argument("--tables", type=names, default=[], help="comma-separated; default: all")
    parser.add_argument("--splits", type=splits, default=range(10), metavar="A-B", help="default: 0-9")
    parser.add_argument("--fractions", type=numbers, default=[], help="shares of the features; default: 0.1,0.2,0.5")
    parser.add_argument("--methods", type=names, default=[], help="ids in the study; default: all")
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with one thread")
    parser.add_argument("--engine", choices=["auto", "gpu"], default="auto", help="gpu: searches in lockstep")
    args = parser.parse_args(words)
    if args.report:
        print("\n\n".join(map(to_markdown, study_tables(collect(*load_run(args.folder))))))
        return 0
    return 1 if run(args) else 0


if __name__ == "__main__":
    raise SystemExit(main())
