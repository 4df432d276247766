"""Recall of the relevant features (FSR) of presets and methods on worlds: data sets beyond the paper's generator.

    python benchmarks/worlds.py                                             # five laws of noise, eight conditions
    python benchmarks/worlds.py --board paper --presets default lepage lowest-variance random
    python benchmarks/worlds.py --board fraud --seeds 2000-2004             # fraud tables: columns found, of 8
    python benchmarks/worlds.py --laws skewed --conditions 10/8/2 2/8/2
    python benchmarks/worlds.py --presets default:scale=minmax,max_iter=100 default     # parts on and off

Seeds 0 to 1003 and fraud tables 0 to 531 were used for tuning. Report others; by default 2000 to 2009.

Each fit is appended to --out as a line of JSON; what is in there already is not repeated, so a file belongs to one
version of the code. A search has one thread; --jobs runs several at once.
"""

import argparse
import ast
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from journal import Row, markdown, mean_and_error, measure_missing, seed_range
from threadpoolctl import threadpool_limits

from puselect import FSCPU, METHODS
from puselect.datasets import CONDITIONS, LAWS, make_fraud_table, make_pu_clusters
from puselect.selectors.base import PUSelector

PRESETS: dict[str, Callable[..., FSCPU]] = {
    "default": FSCPU,
    "published": FSCPU.published,
    "cluster": partial(FSCPU, criterion="cluster"),
}
KNOBS: dict[str, dict[str, float]] = {
    "": {},
    "biased labels": {"label_bias": 9.0},
    **{f"{percent} % wrong labels": {"wrong": percent / 100} for percent in (10, 20, 30)},
}


class World(NamedTuple):
    """A kind of data set; a seed makes one of them."""

    law: str
    condition: str
    n_irrelevant: int = 25
    knob: str = ""

    def draw(self, seed: int) -> tuple[np.ndarray, ...]:
        if self.law == "fraud":
            return make_fraud_table(random_state=seed)
        options = {"noise": self.law, "n_irrelevant": self.n_irrelevant, **KNOBS[self.knob]}
        wrong = options.pop("wrong", 0.0)
        X, y, relevant, classes = make_pu_clusters(self.condition, random_state=seed, return_classes=True, **options)
        rng, labelled = np.random.default_rng(seed), np.flatnonzero(y == 1)
        n_wrong = round(wrong * len(labelled))
        y[rng.choice(labelled, n_wrong, replace=False)] = 0
        y[rng.choice(np.flatnonzero(classes == 0), n_wrong, replace=False)] = 1
        return X, y, relevant

    @property
    def group(self) -> str:
        """The column of the summary that it counts for."""
        outliers = "outliers" if "outlier" in self.condition else ""
        width = "" if self.law == "fraud" or self.n_irrelevant == 25 else f"25 of {25 + self.n_irrelevant}"
        return ", ".join(filter(None, (self.law, self.knob, outliers, width)))


class Fit(NamedTuple):
    """One fit to be done."""

    preset: str
    world: World
    seed: int


SHAPES = ("8/1", "8/2", "1/1", "1/2")
WITH_CLUSTERS = [name for name in CONDITIONS if "outlier" not in name]
BOARDS = {
    "worlds": [World(law, name) for law in LAWS if law not in ("uniform", "skewed") for name in WITH_CLUSTERS],
    "paper": [World("uniform", name) for name in CONDITIONS],
    "hard": [
        World("uniform", f"{percent}/{shape}", n_irrelevant)
        for percent, n_irrelevant in ((2, 25), (10, 175), (10, 475))
        for shape in SHAPES
    ],
    "wide": [World("uniform", name, width - 25) for width in (500, 2000, 10_000) for name in ("10/8/2", "10/1/1")],
    "fraud": [World("fraud", "60 of 900", 32)],
    "knobs": [World("gaussian", name, knob=knob) for knob in KNOBS for name in ("10/8/2", "40/1/2")],
}


def literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def make_selector(fit: Fit, k: int) -> PUSelector:
    """Return the selector that a preset or method names, such as "default:scale=minmax,max_iter=100"."""
    name, _, rest = fit.preset.partition(":")
    changes = {key: literal(value) for key, _, value in (part.partition("=") for part in rest.split(",") if part)}
    if name in PRESETS:
        changes = {"engine": "cpu", "n_jobs": 1, **changes}
    return PRESETS.get(name, METHODS.get(name))(k, random_state=fit.seed, **changes)


def beside_start(selector: FSCPU, relevant: np.ndarray) -> Row:
    """Return how much the evidence alone finds, and whether the search ended there."""
    if selector.evidence_ is None:
        return {}
    start = np.zeros_like(relevant)
    start[np.argsort(-selector.evidence_.z_scores, kind="stable")[: selector.support_.sum()]] = True
    return {"start_fsr": float(start[relevant].mean()), "ended_at_start": bool((start == selector.support_).all())}


@cache
def compile_kernels() -> None:
    X, y, _ = make_pu_clusters("40/1/1", n_negative=200, n_positive=50, random_state=0)
    FSCPU(25, engine="cpu", n_jobs=1, max_iter=1, random_state=0).fit(X, y)


def fit_one(fit: Fit) -> Row:
    """Fit one data set."""
    X, y, relevant = fit.world.draw(fit.seed)
    k = int(relevant.sum())
    row = {**fit.world._asdict(), "preset": fit.preset, "seed": fit.seed, "n_relevant": k}
    if fit.preset == "random":
        support = np.random.default_rng(fit.seed).permutation(len(relevant)) < k
        return {**row, "fsr": float(support[relevant].mean()), "seconds": 0.0}
    selector = make_selector(fit, k)
    if isinstance(selector, FSCPU):
        compile_kernels()
    with threadpool_limits(1):
        begin = time.perf_counter()
        selector.fit(X, y)
        row["seconds"] = time.perf_counter() - begin
    row["fsr"] = float(selector.support_[relevant].mean())
    if isinstance(selector, FSCPU):
        row |= {"clusterings": selector.n_evaluations_, **beside_start(selector, relevant)}
    return row


def fit_of(row: Row) -> Fit:
    world = World(*(row[name] for name in World._fields))
    return Fit(row["preset"], world, row["seed"])


def found(row: Row, key: str = "fsr") -> float:
    """Return the share of relevant columns found; of a fraud table their number."""
    return float(row[key] * (row["n_relevant"] if row["law"] == "fraud" else 1))


def summary(rows: list[Row]) -> str:
    """Return a table with a line per preset and a column per law or knob."""
    presets = list(dict.fromkeys(row["preset"] for row in rows))
    groups = list(dict.fromkeys(fit_of(row).world.group for row in rows))

    def line(preset: str) -> list[str]:
        own = [row for row in rows if row["preset"] == preset]
        by_group = [[row for row in own if fit_of(row).world.group == group] for group in groups]
        cells = [mean_and_error(map(found, part)) for part in (*by_group, own)]
        counted = [row["clusterings"] for row in own if "clusterings" in row]
        kept = [row["ended_at_start"] for row in own if "ended_at_start" in row]
        start = mean_and_error(found(row, "start_fsr") for row in own if "start_fsr" in row)
        clusterings = f"{np.mean(counted):.0f}" if counted else ""
        ended = f"{np.mean(kept):.2f}" if kept else ""
        return [preset, *cells, start, ended, clusterings, f"{np.mean([row['seconds'] for row in own]):.2f}"]

    header = ["preset", *groups, "mean", "evidence alone", "ended there", "clusterings", "seconds"]
    return markdown(header, map(line, presets))


def details(rows: list[Row]) -> str:
    """Return a table with a line per world and a column per preset."""
    presets = list(dict.fromkeys(row["preset"] for row in rows))
    worlds = list(dict.fromkeys(fit_of(row).world for row in rows))

    def line(world: World) -> list[str]:
        own = [row for row in rows if fit_of(row).world == world]
        cells = [mean_and_error(found(row) for row in own if row["preset"] == preset) for preset in presets]
        return [f"{world.group}, {world.condition}", *cells]

    return markdown(["world", *presets], map(line, worlds))


def chosen_worlds(args: argparse.Namespace) -> list[World]:
    """Return the worlds of the board, with laws and conditions replaced as asked for."""
    worlds = BOARDS[args.board]
    if args.conditions:
        worlds = [world._replace(condition=name) for world in worlds for name in args.conditions]
    if args.laws:
        worlds = [world._replace(law=law) for law in args.laws for world in worlds]
    return list(dict.fromkeys(worlds))


def preset(text: str) -> str:
    name = text.partition(":")[0]
    if name not in PRESETS and name not in METHODS and name != "random":
        known = ", ".join([*PRESETS, *METHODS, "random"])
        raise argparse.ArgumentTypeError(f"{name!r} is none of {known}")
    return text


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--board", choices=BOARDS, default="worlds")
    add("--presets", type=preset, nargs="+", default=["default"], metavar="NAME[:KEY=VALUE,...]")
    add("--seeds", type=seed_range, default=range(2000, 2010), metavar="A-B", help="default: 2000-2009")
    add("--laws", nargs="+", choices=LAWS, help="instead of the board's")
    add("--conditions", nargs="+", help="instead of the board's")
    add("--jobs", type=int, default=1, help="processes")
    add("--out", type=Path, default=Path("build/worlds.jsonl"))
    args = parser.parse_args(arguments)
    if args.board == "fraud" and (args.laws or args.conditions):
        parser.error("the fraud tables have no other laws or conditions")
    return args


def main(arguments: list[str] | None = None) -> None:
    args = parse(arguments)
    fits = [Fit(name, world, seed) for name in args.presets for world in chosen_worlds(args) for seed in args.seeds]
    rows = measure_missing(fits, fit_one, fit_of, args.out, args.jobs)
    quantity = "relevant columns found, of 8" if args.board == "fraud" else "FSR"
    print(f"\nBoard {args.board}, seeds {args.seeds[0]} to {args.seeds[-1]}: {quantity}, mean ± standard error\n")
    print(f"{summary(rows)}\n\n{details(rows)}")


if __name__ == "__main__":
    main()
