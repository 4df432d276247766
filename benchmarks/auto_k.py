"""How many features n_features_to_select="auto" selects, and how many of them are relevant.

    python benchmarks/auto_k.py                             # worlds: six laws, eight conditions with clusters
    python benchmarks/auto_k.py --board few                 # ten labelled rows
    python benchmarks/auto_k.py --board shuffled --seeds 5000-5199        # labels shuffled: nothing is to be found
    python benchmarks/auto_k.py --board fraud
    python benchmarks/auto_k.py --board real                # open data: how many, and how well they predict
    python benchmarks/auto_k.py --quick                     # the number only, without the search

Seeds 0 to 40 were used for tuning. By default seeds 5000 to 5009 are reported. Each fit is appended to --out as a line
of JSON; what is in there already is not repeated. --jobs runs several processes with one thread each.
"""

import argparse
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from journal import Row, markdown, mean_and_error, measure_missing, seed_range
from threadpoolctl import threadpool_limits

from puselect import FSCPU
from puselect.datasets import CONDITIONS, LAWS, make_fraud_table, make_pu_clusters
from puselect.exceptions import NothingBeyondChanceWarning
from puselect.selectors.choice import ChoiceCode
from puselect.selectors.settings import Settings
from puselect_paper.studies.open_data import judge
from puselect_paper.studies.real_tables import split_real_table

MODELS = ("logistic", "random-forest", "extra-trees")
NUMBERS = ("auto", "enough", "half", "all")


class Cell(NamedTuple):
    """One data set and whether the search is run."""

    law: str
    condition: str
    shuffled: bool
    quick: bool
    seed: int

    def draw(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self.law == "fraud":
            X, y, relevant = make_fraud_table(random_state=self.seed)
        elif self.law == "real":
            split = split_real_table(self.condition, self.seed)
            X, y, relevant = split.X_train, split.y_train, np.ones(split.X_train.shape[1], dtype=bool)
        else:
            X, y, relevant = make_pu_clusters(self.condition, noise=self.law, random_state=self.seed)
        if self.shuffled:
            y = np.random.default_rng([self.seed, 1]).permutation(y)
        return X, y, relevant


WITH_CLUSTERS = [name for name in CONDITIONS if "outlier" not in name]
BOARDS: dict[str, list[tuple[str, str, bool]]] = {
    "worlds": [(law, name, False) for law in LAWS if law != "skewed" for name in WITH_CLUSTERS],
    "few": [(law, f"2/{shape}", False) for law in LAWS if law != "skewed" for shape in ("8/1", "8/2", "1/1", "1/2")],
    "shuffled": [("gaussian", "10/8/2", True), ("correlated", "40/1/2", True)],
    "fraud": [("fraud", "60 of 900", False)],
    "real": [("real", name, False) for name in ("spambase", "ionosphere", "rt_iot2022")],
}


def measure(cell: Cell) -> Row:
    """Choose the number of features of one data set, and select them."""
    X, y, relevant = cell.draw()
    selector = FSCPU("auto", random_state=cell.seed, engine="cpu", n_jobs=1)
    begin = time.process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingBeyondChanceWarning)
        if cell.quick:
            choice = selector._problem(Settings.of(selector.get_params(deep=False)), X, y).choice
            support = np.zeros(len(relevant), dtype=bool)
            support[choice.beyond] = True
            low, high, code, p_value, enough = choice.at_least, choice.at_most, choice.code, choice.p_value, 0
        else:
            selector.fit(X, y)
            support, path = selector.support_, selector.path_
            (low, high), code, p_value, enough = path.interval, path.code, path.p_value, path.n_enough
    judged = judge_numbers(cell, selector) if cell.law == "real" and not cell.quick else {}
    return cell._asdict() | judged | {
        "code": str(code),
        "n_selected": int(support.sum()),
        "n_relevant": int(relevant.sum()),
        "n_found": int(relevant[support].sum()),
        "n_enough": enough,
        "low": low,
        "high": high,
        "p_value": p_value,
        "seconds": time.process_time() - begin,
    }


def judge_numbers(cell: Cell, selector: FSCPU) -> Row:
    """Return the mean AUC of three models on test rows by the number of features, for a fit with "auto"."""
    split = split_real_table(cell.condition, cell.seed)
    half = FSCPU(random_state=cell.seed, engine="cpu", n_jobs=1).fit(split.X_train, split.y_train).support_
    supports = {
        "auto": selector.support_,
        "enough": selector.ranking_ <= selector.path_.n_enough,
        "half": half,
        "all": np.ones(len(half), dtype=bool),
    }
    with threadpool_limits(1):
        values = {name: judge(of, split, MODELS, cell.seed)["auc"] for name, of in supports.items()}
    return {f"auc_{name}": float(np.mean(list(auc.values()))) for name, auc in values.items()}


def cell_of(row: Row) -> Cell:
    return Cell(*(row[name] for name in Cell._fields))


def line(name: str, rows: list[Row]) -> str:
    """Return a line of the table: means over data sets."""
    chosen = [row for row in rows if row["code"] == ChoiceCode.CHOSEN]
    false = [1 - row["n_found"] / row["n_selected"] if row["code"] == ChoiceCode.CHOSEN else 0.0 for row in rows]
    covered = [row["low"] <= row["n_relevant"] <= row["high"] for row in rows]
    few = [row["code"] == ChoiceCode.TOO_FEW_LABELS for row in rows]
    keys = ("n_selected", "n_found", "n_enough")
    values = [f"{np.mean([row[key] for row in chosen]):.1f}" if chosen else "" for key in keys]
    lowest = str(min((row["n_found"] for row in chosen), default=""))
    bounds = " to ".join(f"{np.mean([row[key] for row in rows]):.0f}" for key in ("low", "high"))
    shares = [f"{share:.3f}" for share in (np.mean(false), len(chosen) / len(rows), np.mean(few), np.mean(covered))]
    seconds = f"{np.mean([row['seconds'] for row in rows]):.1f}"
    return f"| {' | '.join([name, str(len(rows)), *values, lowest, bounds, *shares, seconds])} |"


def summary(rows: list[Row]) -> str:
    """Return a table with a line per law, or per real table, and one for all."""
    header = [
        "", "data sets", "selected", "relevant", "enough", "fewest relevant", "interval", "false", "chosen",
        "too few labels", "interval holds", "seconds",
    ]  # fmt: skip
    kind = "condition" if rows[0]["law"] == "real" else "law"
    names = list(dict.fromkeys(row[kind] for row in rows))
    groups: Iterable[tuple[str, list[Row]]] = [(name, [row for row in rows if row[kind] == name]) for name in names]
    rule = "|---|" + "---:|" * (len(header) - 1)
    table = [f"| {' | '.join(header)} |", rule, *(line(*group) for group in groups), line("all", rows)]
    return "\n".join([*table, *(["", auc_table(rows)] if "auc_auto" in rows[0] else [])])


def auc_table(rows: list[Row]) -> str:
    """Return the mean AUC by the number of features, a line per real table."""
    names = list(dict.fromkeys(row["condition"] for row in rows))
    lines = [
        [name, *(mean_and_error(row[f"auc_{n}"] for row in rows if row["condition"] == name) for n in NUMBERS)]
        for name in names
    ]
    return markdown(["AUC", *NUMBERS], lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--board", choices=BOARDS, default="worlds")
    add("--seeds", type=seed_range, default=range(5000, 5010), metavar="A-B", help="default: 5000-5009")
    add("--laws", nargs="+", help="only these")
    add("--conditions", nargs="+", help="only these")
    add("--quick", action="store_true", help="choose the number, but do not search")
    add("--jobs", type=int, default=1, help="processes")
    add("--out", type=Path, default=Path("build/auto_k.jsonl"))
    args = parser.parse_args(arguments)
    cells = [
        Cell(law, condition, shuffled, args.quick, seed)
        for law, condition, shuffled in BOARDS[args.board]
        for seed in args.seeds
        if (not args.laws or law in args.laws) and (not args.conditions or condition in args.conditions)
    ]
    print(summary(measure_missing(cells, measure, cell_of, args.out, args.jobs)))


if __name__ == "__main__":
    main()
