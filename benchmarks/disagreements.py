"""Cells of the paper's Table 3 that a rerun does not confirm: more splits, one split with other labels, other settings.

    python benchmarks/disagreements.py --out docs/results/disagreements.jsonl

"splits" are twenty splits of the data, "labels" twenty draws of the labelled rows in the training part of the first,
which is what the paper's runs would be if they shared a split. AUC of LightGBM with half of the features.
"""

import argparse
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from journal import Row, measure_missing
from threadpoolctl import threadpool_limits

from puselect import METHODS
from puselect.datasets import hide_labels
from puselect.evaluation import downstream_auc
from puselect.exceptions import FewLabelsWarning
from puselect_paper.report.paper import paper_figures
from puselect_paper.studies.open_data import Split, n_selected, split_open_data

N_DRAWS = 20
LEAST_WEIGHT = 1e-5  # of the features that scikit-learn's SelectFromModel takes from a model with an L1 penalty


class Variant(NamedTuple):
    """A method with settings on a data set."""

    data: str
    method: str
    settings: dict[str, Any]
    least_score: float = -np.inf
    """Features of lower scores are left out, even if fewer than half remain."""


VARIANTS = {
    "kbest": Variant("spambase", "kbest", {}),
    "sselect": Variant("spambase", "sselect", {}),
    "sselect, sigma2=0.001": Variant("spambase", "sselect", {"sigma2": 0.001}),
    "sselect, sigma2=0.05": Variant("spambase", "sselect", {"sigma2": 0.05}),
    "sselect, weight=binary": Variant("spambase", "sselect", {"weight": "binary"}),
    "sselect, labels=all, sigma2=0.01": Variant("spambase", "sselect", {"labels": "all", "sigma2": 0.01}),
    "lasso": Variant("rt_iot2022", "lasso", {}),
    "lasso, weights above 1e-5": Variant("rt_iot2022", "lasso", {}, LEAST_WEIGHT),
    "lasso on spam": Variant("spambase", "lasso", {}),
    "lasso on spam, weights above 1e-5": Variant("spambase", "lasso", {}, LEAST_WEIGHT),
    "mrmr-published": Variant("ionosphere", "mrmr-published", {}),
}


class Cell(NamedTuple):
    """One fit and its judgement."""

    variant: str
    drawn: str
    """"splits" or "labels"."""
    number: int

    def split(self) -> Split:
        """Return the training and test rows; the numbers of labelled rows are the paper's."""
        name = VARIANTS[self.variant].data
        if self.drawn == "splits":
            return split_open_data(name, self.number)
        n_labelled = int(split_open_data(name, 0).y_train.sum())
        full = split_open_data(name, 0, rate=1.0)
        share = n_labelled / int(full.y_train.sum())
        return full._replace(y_train=hide_labels(full.y_train, share, random_state=1000 + self.number))


def measure(cell: Cell) -> Row:
    """Select half of the features and judge them."""
    split = cell.split()
    variant = VARIANTS[cell.variant]
    k = n_selected(split.X_train.shape[1], 0.5)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", FewLabelsWarning)
        selector = METHODS[variant.method](k, random_state=cell.number, **variant.settings)
        selector.fit(split.X_train, split.y_train)
        chosen = selector.get_support() & (selector.scores_ >= variant.least_score)
        train, test = split.X_train[:, chosen], split.X_test[:, chosen]
        auc = downstream_auc("lightgbm", train, split.y_train, test, split.y_test, random_state=cell.number)
    return cell._asdict() | {"auc": round(auc, 4), "selected": int(chosen.sum())}


def cell_of(row: Row) -> Cell:
    return Cell(*(row[name] for name in Cell._fields))


def summary(rows: list[Row]) -> str:
    """Return mean, deviation and range by variant and what was drawn, beside the paper."""
    lines = ["| method | data | drawn | mean ± sd | lowest | highest | paper |", "|---|---|---|---:|---:|---:|---:|"]
    for variant, drawn in dict.fromkeys((row["variant"], row["drawn"]) for row in rows):
        auc = [row["auc"] for row in rows if (row["variant"], row["drawn"]) == (variant, drawn)]
        name, method = VARIANTS[variant].data, VARIANTS[variant].method.removesuffix("-published")
        paper = paper_figures("auc")[method, name]
        figures = f"{np.mean(auc):.3f} ± {np.std(auc, ddof=1):.3f} | {min(auc):.3f} | {max(auc):.3f}"
        lines.append(f"| {variant} | {name} | {drawn} | {figures} | {paper.mean:.3f} ± {paper.sd:.3f} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--draws", type=int, default=N_DRAWS)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("build/disagreements.jsonl"))
    args = parser.parse_args(arguments)
    cells = [
        Cell(variant, drawn, number)
        for variant in args.variants
        for drawn in ("splits", "labels")
        for number in range(args.draws)
    ]
    print(summary(measure_missing(cells, measure, cell_of, args.out, args.jobs)))


if __name__ == "__main__":
    main()
