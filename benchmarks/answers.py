"""What an analyst is told, against the hidden truth: 18 tables with 5 % of the positives known.

    python benchmarks/answers.py rows --seeds 310-314       # what is said about rows and features
    python benchmarks/answers.py sets --seeds 200           # the features of `auto`, RFECV and Boruta

Seeds 0 to 4, 100 to 104 and 300 to 307 were used for tuning. `PUSELECT_DATA` names the folder of the tables. Each
measurement is appended to --out as a line of JSON; what the file already holds is not repeated.
"""

import argparse
import os
import warnings
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from journal import Row, markdown, measure_missing, seed_range
from scipy.stats import binom
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFECV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from puselect import FSCPU, Preparer
from puselect.datasets import make_fraud_export
from puselect_paper.studies.real_tables import load_real_table

EXPORTS = {  # class, its positives, columns to drop: leaks and identifiers
    "fraud_oracle": ("FraudFound_P", "1", ["PolicyNumber"]),
    "hotel": ("is_canceled", "1", ["reservation_status", "reservation_status_date"]),
    "insurance_claims": ("fraud_reported", "Y", ["policy_number"]),
    "telco": ("Churn", "Yes", ["customerID"]),
    "thyroidDF": ("target", "[EFGH]", ["patient_id"]),
}
NUMBERS = ("cardiotocography", "steel", "qsar", "satellite", "optdigits", "musk", "crime", "jm1", "credit_default",
           "campaign", "mnist", "spambase")  # fmt: skip
SHARE_KNOWN, FEWEST_KNOWN = 0.05, 10
SURE, N_FIRST, N_CALIBRATED, N_TREES, N_SEARCHES = 0.9, 100, 200, 300, 8
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
LISTS = ("selected", "always", "core")
RIVAL_ROWS, N_ROUNDS, LEVEL = 3000, 20, 0.05  # of RFECV and Boruta


class Cell(NamedTuple):
    board: str
    table: str
    seed: int


@cache
def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table as it came, without what gives the class away, and the classes."""
    if name in NUMBERS:
        X, y = load_real_table(name)
        return pd.DataFrame(X).rename(columns="x{}".format), y
    if name == "fraud_export":
        table = make_fraud_export(random_state=0)[0].drop(columns=["transaction_id", "case_number", "known_fraud"])
        return table.drop(columns="is_fraud"), table["is_fraud"].to_numpy() == 1
    target, positive, dropped = EXPORTS[name]
    path = Path(os.environ["PUSELECT_DATA"], "messy", f"{name}.csv.gz")
    table = pd.read_csv(path, sep=";" if name == "fraud_oracle" else ",", encoding="utf-8-sig").dropna(how="all")
    classes = table[target].astype(str).str.removesuffix(".0").str.contains(positive)
    return table.drop(columns=[target, *dropped]), classes.to_numpy()


def draw(cell: Cell) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, dict[str, list[str]]]:
    """Return the prepared table, labels, classes, and groups of columns."""
    table, classes = load(cell.table)
    positives = np.random.default_rng([18, cell.seed]).permutation(np.flatnonzero(classes))
    known = np.isin(np.arange(len(classes)), positives[: max(FEWEST_KNOWN, round(SHARE_KNOWN * len(positives)))])
    preparer = Preparer()
    return preparer.fit_transform(table, known), known.astype(int), classes, preparer.groups_


def rival_scores(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return how likely rows are labelled, by models that have not seen them."""
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    forest = RandomForestClassifier(N_TREES, min_samples_leaf=3, oob_score=True, random_state=0).fit(X, y)
    scores = cross_val_predict(linear, X, y, cv=FOLDS, method="predict_proba")[:, 1]
    return {"logistic": scores, "forest": forest.oob_decision_function_[:, 1]}


def rival_sets(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of RFECV and of Boruta, labelled against other rows."""
    rng, hits = np.random.default_rng(0), np.zeros(X.shape[1])
    rows = np.append(np.flatnonzero(y), rng.permutation(np.flatnonzero(y == 0))[:RIVAL_ROWS])
    X, y = StandardScaler().fit_transform(X[rows]), y[rows]
    rfecv = RFECV(LogisticRegression(max_iter=500), step=max(1, X.shape[1] // 20), cv=5, scoring="roc_auc").fit(X, y)
    for number in range(N_ROUNDS):
        both = np.hstack([X, rng.permuted(X, axis=0)])
        forest = RandomForestClassifier(100, max_depth=5, class_weight="balanced", random_state=number).fit(both, y)
        real, shadow = np.split(forest.feature_importances_, 2)
        hits += real > shadow.max()
    return {"rfecv": rfecv.support_, "boruta": binom.sf(hits - 1, N_ROUNDS, 0.5) < LEVEL / X.shape[1]}


def about_rows(X: np.ndarray, y: np.ndarray, classes: np.ndarray, names: list[str], selector: FSCPU) -> Row:
    """Compare what is said about rows, how many positives there are, and which features come back."""
    table, hidden, selected = X[:, selector.support_], y == 0, np.flatnonzero(selector.support_)
    truth, model, interval = classes[hidden], selector.row_model_, selector.prior_.interval
    ranked, rivals = model._ranked(model.scores(table), ~hidden), rival_scores(table, y)
    is_true, n = classes[ranked.rows], min(N_FIRST, int(truth.sum()))
    found = {"precision": is_true[:n].mean(), "told": interval is not None}
    found |= {name: truth[np.argsort(-score[hidden])[:n]].mean() for name, score in rivals.items()}
    found["selected"] = sorted({names[i] for i in selected})
    found["always"] = sorted({names[i] for i in selected if selector.stability_.frequency[i] == 1})
    found["core"] = sorted({names[i] for i in selected if i in selector.stability_.core})
    if interval is None:
        return found
    confidence, (low, high) = ranked.confidence, interval
    sure = confidence >= SURE
    return found | {
        "holds": low <= truth.mean() <= high, "high / low": high / low, "sure": sure.sum(),
        **({"positive": is_true[sure].mean()} if sure.any() else {}),
        "difference": abs(confidence[:N_CALIBRATED].mean() - is_true[:N_CALIBRATED].mean()),
        "Brier": np.mean((confidence - is_true) ** 2),
        "Brier, logistic": np.mean((rivals["logistic"][hidden] - truth) ** 2),
    }  # fmt: skip


def about_sets(X: np.ndarray, y: np.ndarray, classes: np.ndarray, _: list[str], selector: FSCPU) -> Row:
    """Return the number of columns of each set, and the AUC of models on them for the classes of the other rows."""
    found = {"features": selector.path_.n_features}
    for name, support in {"auto": selector.support_, **rival_sets(X, y)}.items():
        scores = rival_scores(X[:, support], y).values() if support.any() else [np.zeros(len(X))]
        auc = np.mean([roc_auc_score(classes[y == 0], score[y == 0]) for score in scores])
        found |= {f"columns, {name}": support.sum(), f"AUC, {name}": auc}
    return found


BOARDS = {"rows": about_rows, "sets": about_sets}


def measure(cell: Cell) -> Row:
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, y, classes, groups = draw(cell)
        selector = FSCPU("auto", groups=groups or None, n_searches=N_SEARCHES, n_jobs=1, random_state=cell.seed)
        group = {name: group for group, members in groups.items() for name in members}
        names = [group.get(name, name) for name in X.columns]
        found = BOARDS[cell.board](X.to_numpy(dtype=float), y, classes, names, selector.fit(X, y))
    return cell._asdict() | {key: each if key in LISTS else float(each) for key, each in found.items()}


def summary(rows: list[Row], tables: list[str]) -> str:
    """Return the means of all figures over the draws that have them, for each table and for all."""
    for row in rows:  # how often features of all searches on halves, or of their first halves, come back
        others = [each for each in rows if each["table"] == row["table"] and each is not row]
        for key in ("always", "core"):
            found = [name in other["selected"] for other in others for name in row.get(key, ())]
            row |= {f"{key}, come back": float(np.mean(found))} if found else {}
    keys = [key for key in max(rows, key=len) if key not in Cell._fields]
    lines = []
    for table in [*tables, "all"]:
        own = [row for row in rows if table in (row["table"], "all")]
        values = [[len(row[key]) if key in LISTS else row[key] for row in own if key in row] for key in keys]
        lines.append([table, str(len(own)), *(f"{np.mean(some):.3g}" if some else "" for some in values)])
    return markdown(["", "draws", *keys], lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", choices=BOARDS)
    parser.add_argument("--seeds", type=seed_range, default=range(310, 315), metavar="A-B", help="default: 310-314")
    parser.add_argument("--tables", nargs="+", default=[*EXPORTS, "fraud_export", *NUMBERS], help="only these")
    parser.add_argument("--out", type=Path, help="default: build/answers-BOARD.jsonl")
    args = parser.parse_args(arguments)
    cells = [Cell(args.board, table, seed) for table in args.tables for seed in args.seeds]
    out = args.out or Path(f"build/answers-{args.board}.jsonl")
    print(summary(measure_missing(cells, measure, lambda row: Cell(*list(row.values())[:3]), out, 1), args.tables))


if __name__ == "__main__":
    main()
