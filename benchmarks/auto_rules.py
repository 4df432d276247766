"""Which rule `AutoSelector` should choose by: several, applied to the trials and final selections of all candidates.

    python benchmarks/auto_rules.py --seeds 30-33                      # Table 1 and open data, on tuning seeds
    python benchmarks/auto_rules.py --others --seeds 30 --splits 4     # other real tables

A case is a table and a number of features. Its line holds the check's verdict, every candidate's scores in the trials
(by split and model), and the recall or the AUC of what each selects on the whole table. Other rules can be tried on
the lines that are there.
"""

import argparse
import math
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from auto import BOARDS, REAL
from auto import MODELS as FINAL_MODELS
from journal import Row, markdown, measure_missing, seed_range
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from puselect.datasets import make_pu_clusters
from puselect.evaluation import downstream_auc, feature_recall
from puselect.evaluation.holdout import compile_kernels
from puselect.methods import METHODS
from puselect.scaling import scale_columns
from puselect.selectors.suitability import check_suitability
from puselect.trust import auto
from puselect_paper.studies.open_data import judge, n_selected
from puselect_paper.studies.real_tables import split_real_table

CANDIDATES = (*auto.CANDIDATES, "kbest")
DEFAULT, TREES = "fscpu", "dt-rfe"
OTHERS = [(REAL, name, 0.5) for name in ("mnist", "letter", "waveform", "wpbc", "campaign", "aloi")]


class Case(NamedTuple):
    """A table and how many of its features to select."""

    law: str
    condition: str
    share: float
    seed: int
    n_splits: int


def measure(case: Case) -> Row:
    """Return what each candidate reached in the trials and in the end."""
    compile_kernels(DEFAULT)
    begin = time.process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if case.law == REAL:
            split = split_real_table(case.condition, case.seed)
            X, y = split.X_train, split.y_train
        else:
            X, y, relevant = make_pu_clusters(case.condition, noise=case.law, random_state=case.seed)
        k = n_selected(X.shape[1], case.share)
        check = check_suitability(X, y, random_state=case.seed)
        scores, seconds = trials(X, y, k, case)
        values, final_seconds = {}, {}
        for name in CANDIDATES:
            started = time.process_time()
            options = {"step": max(1, (X.shape[1] - k) // auto.N_ROUNDS)} if name == TREES else {}
            found = METHODS[name](k, random_state=case.seed, **options).fit(X, y)
            final_seconds[name] = time.process_time() - started
            if case.law == REAL:
                auc = judge(found.support_, split, FINAL_MODELS, case.seed)
                values[name] = float(np.mean(list(auc.values())))
            else:
                values[name] = feature_recall(found.support_, relevant)
    return case._asdict() | {
        "labelled": int(y.sum()), "verdict": str(check.code), "p": check.p_value, "lift": check.lift,
        "trials": scores, "values": values, "trial_seconds": seconds, "final_seconds": final_seconds,
        "seconds": time.process_time() - begin,
    }  # fmt: skip


def trials(X: np.ndarray, y: np.ndarray, k: int, case: Case) -> tuple[dict[str, list[list[float]]], dict[str, float]]:
    """Return each candidate's AUC on held-out labelled rows, by split and model, and its seconds a split."""
    rng = np.random.default_rng(case.seed)
    others = rng.permutation(np.flatnonzero(y == 0))[: auto.MOST_ROWS]
    rows = np.sort(np.concatenate([np.flatnonzero(y == 1), others]))
    X, y = X[rows], y[rows]
    scaled = scale_columns(X)
    splitter = StratifiedShuffleSplit(case.n_splits, test_size=auto.TEST_SHARE, random_state=case.seed)
    scores: dict[str, list[list[float]]] = {name: [] for name in CANDIDATES}
    seconds = dict.fromkeys(CANDIDATES, 0.0)
    for train, test in splitter.split(X, y):
        seed = int(rng.integers(2**31 - 1))
        for name in CANDIDATES:
            begin = time.process_time()
            support = auto._select(name, X[train], y[train], k, seed, math.inf)
            parts = scaled[train][:, support], y[train], scaled[test][:, support], y[test]
            scores[name].append([downstream_auc(model, *parts, random_state=seed) for model in auto.MODELS])
            seconds[name] += (time.process_time() - begin) / case.n_splits
    return scores, seconds


class Rule(NamedTuple):
    """Leave the preferred candidate for the best of those that are clearly ahead of it."""

    errors: float
    """Standard errors that are clear; infinitely many: never leave."""
    if_holds: float
    """The same where the check says that positives form clusters."""
    least: float = 0.0
    """The part of what the preferred one lacks to an AUC of 1 that must be gained."""
    by_verdict: bool = True
    """Whether trees are preferred where the check says that they form none."""
    agreeing: bool = False
    """Whether a candidate must be ahead with each model."""
    models: tuple[int, ...] = (0, 1)
    n_splits: int = 4
    fewest: int = 0
    """Labelled rows below which the default is taken."""
    simplest: bool = False
    """Take the quickest candidate that is not clearly below the best."""

    def choose(self, row: Row) -> str:
        if row["labelled"] < self.fewest:
            return DEFAULT
        without = row["verdict"] == "does_not_hold"
        preferred = TREES if self.by_verdict and without else DEFAULT
        clear = self.if_holds if row["verdict"] == "holds" else self.errors
        scores = {name: np.array(of)[: self.n_splits, list(self.models)] for name, of in row["trials"].items()}
        if self.simplest:
            best = max(scores, key=lambda name: scores[name].mean())
            close = [name for name in scores if not clearly(scores[best], scores[name], clear)]
            return min(close, key=lambda name: row["final_seconds"][name])
        ahead = [
            name
            for name, of in scores.items()
            if clearly(of, scores[preferred], clear, self.least)
            and (not self.agreeing or (of.mean(axis=0) > scores[preferred].mean(axis=0)).all())
        ]
        return max(ahead, key=lambda name: scores[name].mean()) if ahead else preferred


def clearly(one: np.ndarray, other: np.ndarray, errors: float, least: float = 0.0) -> bool:
    """Whether one candidate's scores, of shape (n_splits, n_models), are ahead by so many errors and so much."""
    difference = one.mean(axis=1) - other.mean(axis=1)
    error = math.sqrt(difference.var(ddof=1) * (1 / len(difference) + auto.TEST_SHARE / (1 - auto.TEST_SHARE)))
    return bool(difference.mean() > max(errors * error, least * (1 - other.mean()), 0))


NEVER = math.inf
RULES = {
    "the default": Rule(NEVER, NEVER, by_verdict=False),
    "the verdict alone": Rule(NEVER, NEVER),
    "the best": Rule(0, 0),
    "simplest within 1 SE": Rule(1, 1, simplest=True),
    **{f"{errors:g} SE": Rule(errors, errors) for errors in (1, 1.5, 2, 3)},
    **{f"{errors:g} SE, 6 splits": Rule(errors, errors, n_splits=6) for errors in (1, 1.5, 2)},
    "1 SE, no verdict": Rule(1, 1, by_verdict=False),
    **{f"1 SE, {errors:g} if it holds": Rule(1, errors) for errors in (2, 3)},
    **{f"{errors:g} SE, both models": Rule(errors, errors, agreeing=True) for errors in (1, 2)},
    **{f"{errors:g} SE, trees judge": Rule(errors, errors, models=(1,)) for errors in (1, 2)},
    **{f"1 SE and {least:.0%}": Rule(1, 1, least) for least in (0.1, 0.2, 0.25, 0.33)},
    **{f"{errors:g} SE and 25%": Rule(errors, errors, 0.25) for errors in (0.5, 1.5, 2)},
    "1 SE and 25%, 6 splits": Rule(1, 1, 0.25, n_splits=6),
    "1 SE, 20 labels": Rule(1, 1, fewest=20),
    "1 SE and 25%, 20 labels": Rule(1, 1, 0.25, fewest=20),
}


def group_of(row: Row) -> str:
    if row["law"] == REAL:
        return str(row["condition"]) if (REAL, row["condition"], row["share"]) in BOARDS[REAL] else "others"
    return "outliers" if "outlier" in row["condition"] else "clusters"


def summary(rows: list[Row]) -> str:
    """Return the mean value of each rule's choices by group of tables, and what leaving the default led to."""
    groups = list(dict.fromkeys(sorted(map(group_of, rows))))
    lines = []
    for name, rule in RULES.items():
        taken = [rule.choose(row) for row in rows]
        values = np.array([row["values"][method] for row, method in zip(rows, taken, strict=True)])
        gains = values - [row["values"][DEFAULT] for row in rows]
        means = [float(values[[group_of(row) == group for row in rows]].mean()) for group in groups]
        shown = [f"{value:.3f}" for value in (*means, float(np.mean(means)))]
        counts = [np.sum(np.array(taken) != DEFAULT), np.sum(gains > 0), np.sum(gains < 0)]
        lines.append([name, *shown, *map(str, counts), f"{gains.min():+.3f}"])
    return markdown(["", *groups, "mean", "left", "better", "worse", "worst"], lines)


def case_of(row: Row) -> Case:
    return Case(*(row[name] for name in Case._fields))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--seeds", type=seed_range, default=range(30, 34), metavar="A-B", help="default: 30-33")
    add("--conditions", nargs="+", help="only these; also names of real tables")
    add("--others", action="store_true", help="other real tables; PUSELECT_DATA must name the folder that has them")
    add("--splits", type=int, default=6, help="in the trials")
    add("--jobs", type=int, default=1, help="processes")
    add("--out", type=Path, default=Path("build/auto_rules.jsonl"))
    args = parser.parse_args(arguments)
    cases = [
        Case(law, condition, share, seed, args.splits)
        for seed in args.seeds  # so that a run that is cut has all tables
        for law, condition, share in (OTHERS if args.others else BOARDS["real"] + BOARDS["table1"])
        if not args.conditions or condition in args.conditions
    ]
    rows = measure_missing(cases, measure, case_of, args.out, args.jobs)
    print(summary(rows))


if __name__ == "__main__":
    main()
