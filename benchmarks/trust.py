"""Error rates of the checks: the number of features, suitability, stability, the class prior.

    python benchmarks/trust.py number --quick               # n_features_to_select="related", without the search
    python benchmarks/trust.py check-shuffled --seeds 5000-5099           # p-values of shuffled labels
    python benchmarks/trust.py stability --seeds 5010-5012  # intervals of eight searches against 200 searches
    python benchmarks/trust.py prior-real --jobs 2

`BOARDS` lists the boards. Seeds 0 to 110 and, for `stability`, 5000 to 5002 were used for tuning. Each measurement is
appended to --out as a line of JSON; what the file already holds is not repeated.
"""

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from journal import Row, markdown, measure_missing, seed_range
from scipy.stats import kstwo
from threadpoolctl import threadpool_limits

from puselect import FSCPU, check_suitability
from puselect.checks.prior import estimate_prior
from puselect.checks.suitability import Verdict
from puselect.columns.twins import find_twins
from puselect.datasets import CONDITIONS, LAWS, make_pu_clusters
from puselect.fscpu.problem import ChoiceCode
from puselect.fscpu.settings import Settings
from puselect.fscpu.stability import halves, nogueira, search_halves, summarise_selections
from puselect.search.progress import Deadline
from puselect_paper.studies.real_tables import load_real_table, split_real_table

SHIFT = 1.5  # standard deviations between the classes of a mostly labelled table, in three of eight columns
SMALL = {"n_negative": 400, "n_positive": 100, "n_relevant": 8, "n_irrelevant": 16}  # tables of many searches
N_STEPS = 20  # of such a search
N_SEARCHES, N_REPEATS = 8, 200  # searches behind an interval, and behind the truth
TWIN_NOISE = 0.15  # standard deviations: a rank correlation of about .98
TINY = 1e-9


class Cell(NamedTuple):
    """One table to look at."""

    law: str
    """Of the irrelevant columns, or "real", or "labelled" for a table that is mostly labelled."""
    condition: str
    """Of artificial tables, the name of a real table, or labelled, hidden and negative rows."""
    seed: int
    shuffled: bool = False
    quick: bool = False


class Table(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    relevant: np.ndarray
    share: float
    """Of positives among the unlabelled rows."""


def draw(cell: Cell, **sizes: int) -> Table:
    if cell.law == "real":
        split, classes = split_real_table(cell.condition, cell.seed), load_real_table(cell.condition).y
        n_labelled, n_positive = int(split.y_train.sum()), classes.sum() - split.y_test.sum()
        share = float(n_positive - n_labelled) / (len(split.y_train) - n_labelled)
        return Table(split.X_train, split.y_train, np.ones(split.X_train.shape[1], dtype=bool), share)
    if cell.law == "labelled":
        labelled, hidden, negative = map(int, cell.condition.split("/"))
        X = np.random.default_rng(cell.seed).normal(size=(labelled + hidden + negative, 8))
        X[: labelled + hidden, :3] += SHIFT
        return Table(X, (np.arange(len(X)) < labelled).astype(int), np.arange(8) < 3, hidden / (hidden + negative))
    X, y, relevant, classes = make_pu_clusters(
        cell.condition, noise=cell.law, random_state=cell.seed, return_classes=True, **sizes
    )
    share = float(np.mean(classes[y == 0] == 1))
    if cell.shuffled:
        y = np.random.default_rng([cell.seed, 1]).permutation(y)
    return Table(X, y, relevant, share)


def choose_number(cell: Cell) -> Row:
    """Choose the number of features and, unless it should be quick, search for them."""
    X, y, relevant, _ = draw(cell)
    selector = FSCPU("related", random_state=cell.seed, engine="cpu", n_jobs=1)
    if cell.quick:
        choice = selector._problem(Settings.of(selector.get_params(deep=False)), X, y).choice
        support = np.isin(np.arange(len(relevant)), choice.beyond)
        found = {"code": str(choice.code), "low": choice.at_least, "high": choice.at_most}
    else:
        path = selector.fit(X, y).path_
        support, (low, high) = selector.support_, path.interval
        found = {"code": str(path.code), "low": low, "high": high}
    counts = {"n_selected": support.sum(), "n_relevant": relevant.sum(), "n_found": relevant[support].sum()}
    return found | {name: int(count) for name, count in counts.items()}


def number_line(rows: list[Row]) -> list[str]:
    chosen = [row for row in rows if row["code"] == ChoiceCode.CHOSEN]
    false = [1 - row["n_found"] / row["n_selected"] if row["code"] == ChoiceCode.CHOSEN else 0.0 for row in rows]
    few = [row["code"] == ChoiceCode.TOO_FEW_LABELS for row in rows]
    holds = [row["low"] <= row["n_relevant"] <= row["high"] for row in rows]
    means = [f"{np.mean([row[key] for row in chosen]):.1f}" if chosen else "" for key in ("n_selected", "n_found")]
    fewest = str(min((row["n_found"] for row in chosen), default=""))
    shares = [f"{share:.3f}" for share in (np.mean(false), len(chosen) / len(rows), np.mean(few), np.mean(holds))]
    return [*means, fewest, *shares]


def check(cell: Cell) -> Row:
    """Check suitability; p-values of shuffled labels are to be compared, and need all shuffles."""
    X, y, *_ = draw(cell)
    settings = {"engine": "cpu", "n_jobs": 1, "random_state": cell.seed}
    found = check_suitability(X, y, early_stopping=not cell.shuffled, **settings)
    return {"code": found.code, "p_value": found.p_value, "lift": found.lift, "n_shuffles": found.n_shuffles}


def check_line(rows: list[Row]) -> list[str]:
    codes, p_values = Counter(row["code"] for row in rows), np.array([row["p_value"] for row in rows])
    below = [f"{(p_values <= level).sum()}" for level in (0.05, 0.1, 0.5)]
    return [*(str(codes[code]) for code in Verdict), *below, f"{np.median([row['lift'] for row in rows]):.2f}"]


def uniformity(rows: list[Row]) -> str:
    """Return how far the distribution of the p-values is from one that is uniform on their possible values."""
    p_values, steps = np.array([row["p_value"] for row in rows]), rows[0]["n_shuffles"] + 1
    possible = np.arange(1, steps + 1) / steps
    distance = np.abs([(p_values <= each + TINY).mean() - each for each in possible]).max()
    return f"Kolmogorov-Smirnov distance from uniform: {distance:.3f}, p = {kstwo.sf(distance, len(rows)):.2f}."


def repeat_searches(cell: Cell) -> Row:
    """Return the share of intervals that hold the truth: of frequencies strictly between 0 and 1, and of the index."""
    X, y, *_ = draw(cell, **SMALL)
    selector = FSCPU(8, max_iter=N_STEPS, engine="cpu", n_jobs=1, random_state=cell.seed)
    settings = Settings.of(selector.get_params(deep=False))
    problems = halves(settings, selector._problem(settings, X, y), N_REPEATS)
    selected = np.array([chosen for _, chosen, _ in search_halves(settings, problems, Deadline(None))])
    truth, index = selected.mean(axis=0), nogueira(selected).value
    groups = [summarise_selections(part) for part in np.array_split(selected, N_REPEATS // N_SEARCHES)]
    holds = np.array([(np.array(each.low) <= truth) & (truth <= np.array(each.high)) for each in groups])
    open_ = (truth > 0) & (truth < 1)
    return {
        "value": index,
        "width": float(np.mean([each.interval[1] - each.interval[0] for each in groups])),
        "index": float(np.mean([each.interval[0] <= index <= each.interval[1] for each in groups])),
        "frequency": float(holds[:, open_].mean()) if open_.any() else None,
        "lowest": float(holds[:, open_].mean(axis=0).min()) if open_.any() else None,
    }


def stability_line(rows: list[Row]) -> list[str]:
    means = [np.mean([row[key] for row in rows if row[key] is not None]) for key in ("value", "width")]
    shares = [np.mean([row[key] for row in rows if row[key] is not None]) for key in ("index", "frequency")]
    lowest = min((row["lowest"] for row in rows if row["lowest"] is not None), default=1.0)
    return [*(f"{mean:.2f}" for mean in means), *(f"{share:.3f}" for share in shares), f"{lowest:.2f}"]


def look_for_twins(cell: Cell) -> Row:
    """Add noisy copies of two relevant columns, and return how many of the pairs are reported as interchangeable."""
    X, y, relevant, _ = draw(cell, **SMALL)
    rng = np.random.default_rng([cell.seed, 2])
    copied = rng.permutation(np.flatnonzero(relevant))[:2]
    noise = TWIN_NOISE * X[:, copied].std(axis=0) * rng.normal(size=(len(X), 2))
    table = np.column_stack([X, np.exp((X[:, copied] + noise) / X[:, copied].std(axis=0))])
    selector = FSCPU(8, max_iter=N_STEPS, n_searches=N_SEARCHES, n_jobs=1, random_state=cell.seed).fit(table, y)
    built = [(int(column), X.shape[1] + i) for i, column in enumerate(copied)]
    others = {group.columns for group in find_twins(X, 0.9)}
    wrong = [group for group in selector.stability_.twins if group not in built and group not in others]
    return {"found": float(np.mean([pair in selector.stability_.twins for pair in built])), "wrong": len(wrong)}


def twins_line(rows: list[Row]) -> list[str]:
    return [f"{np.mean([row['found'] for row in rows]):.3f}", str(sum(row["wrong"] for row in rows))]


def prior(cell: Cell) -> Row:
    X, y, _, truth = draw(cell)
    found = estimate_prior(X, y, random_state=cell.seed)
    low, high = found.interval or (None, None)
    return {"truth": truth, "code": found.code, "share": found.share, "low": low, "high": high}


def prior_line(rows: list[Row]) -> list[str]:
    told = [row for row in rows if row["share"] is not None]
    if not told:
        return ["0", *[""] * 5]
    means = [f"{np.mean([row[key] for row in told]):.3f}" for key in ("truth", "share", "low", "high")]
    return [str(len(told)), *means, f"{np.mean([row['low'] <= row['truth'] <= row['high'] for row in told]):.2f}"]


class Question(NamedTuple):
    """How a board is measured and summed up."""

    measure: Callable[[Cell], Row]
    line: Callable[[list[Row]], list[str]]
    columns: list[str]
    """Of the table, after its name and the number of tables."""
    by: str = "law"


QUESTIONS = {
    "number": Question(choose_number, number_line, ["selected", "relevant", "fewest relevant", "false", "chosen",
                                                    "too few labels", "interval holds"]),
    "check": Question(check, check_line, [*Verdict, "p <= .05", "p <= .1", "p <= .5", "median lift"], "condition"),
    "stability": Question(repeat_searches, stability_line, ["stability", "width of its interval", "holds",
                                                            "frequencies hold", "worst feature"]),
    "twins": Question(look_for_twins, twins_line, ["built pairs found", "other groups"]),
    "prior": Question(prior, prior_line, ["told", "truth", "estimate", "low", "high", "interval holds"]),
}  # fmt: skip
WITH_CLUSTERS = [name for name in CONDITIONS if "outlier" not in name]
SIX = [law for law in LAWS if law != "skewed"]
FIVE = ("uniform", "gaussian", "correlated", "heavy", "permuted")
FOUR = ("uniform", "gaussian", "correlated", "heavy")
REAL = [Cell("real", name, 0) for name in ("spambase", "ionosphere", "rt_iot2022")]
SHUFFLED = [Cell("gaussian", "10/8/2", 0, shuffled=True), Cell("correlated", "40/1/2", 0, shuffled=True)]
SMALL_CELLS = [Cell(law, name, 0) for law in ("gaussian", "correlated") for name in ("40/3/1", "40/3/2")]
BOARDS = {
    "number": [Cell(law, name, 0) for law in SIX for name in WITH_CLUSTERS],
    "number-few": [Cell(law, f"2/{shape}", 0) for law in SIX for shape in ("8/1", "8/2", "1/1", "1/2")],
    "number-shuffled": SHUFFLED,
    "number-real": REAL,
    "check": [Cell(law, name, 0) for law in FOUR for name in CONDITIONS],
    "check-shuffled": SHUFFLED,
    "stability": SMALL_CELLS,
    "twins": SMALL_CELLS,
    "prior": [Cell(law, name, 0) for law in FIVE for name in WITH_CLUSTERS],
    "prior-real": REAL,
    "prior-labelled": [Cell("labelled", name, 0) for name in ("1000/100/100", "1000/20/180", "300/300/300")],
}  # fmt: skip


def question_of(board: str) -> Question:
    return QUESTIONS[board.partition("-")[0]]


def measure(board: str, cell: Cell) -> Row:
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin = time.process_time()
        found = question_of(board).measure(cell)
    return cell._asdict() | found | {"seconds": time.process_time() - begin}


def cell_of(row: Row) -> Cell:
    return Cell(**{name: row[name] for name in Cell._fields})


def summary(board: str, rows: list[Row]) -> str:
    """Return a table with a line per law or condition; the last line has all and is named after the board."""
    question = question_of(board)
    by = "condition" if rows[0]["law"] in ("real", "labelled") else question.by
    groups = [(str(name), [row for row in rows if row[by] == name]) for name in dict.fromkeys(row[by] for row in rows)]
    lines = [[name, str(len(own)), *question.line(own)] for name, own in [*groups, (board, rows)]]
    table = markdown(["", "tables", *question.columns], lines)
    return f"{table}\n\n{uniformity(rows)}" if board == "check-shuffled" else table


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("board", choices=BOARDS)
    add("--seeds", type=seed_range, default=range(5000, 5005), metavar="A-B", help="default: 5000-5004")
    add("--laws", nargs="+", help="only these")
    add("--conditions", nargs="+", help="only these")
    add("--quick", action="store_true", help="boards of the number: choose it, but do not search")
    add("--jobs", type=int, default=1, help="processes")
    add("--out", type=Path, help="default: build/trust-BOARD.jsonl")
    args = parser.parse_args(arguments)
    cells = [
        cell._replace(seed=seed, quick=args.quick)
        for cell in BOARDS[args.board]
        for seed in args.seeds
        if (not args.laws or cell.law in args.laws) and (not args.conditions or cell.condition in args.conditions)
    ]
    out = args.out or Path(f"build/trust-{args.board}.jsonl")
    print(summary(args.board, measure_missing(cells, partial(measure, args.board), cell_of, out, args.jobs)))


if __name__ == "__main__":
    main()
