"""What `puselect demo` shows: features found on artificial data, and on a real table with hidden labels."""

import csv
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from puselect.datasets import hide_labels, make_pu_clusters
from puselect.scaling import scale_columns
from puselect.selectors import FSCPU


@dataclass(frozen=True)
class ArtificialResult:
    """How many of the relevant features were found, of how many."""

    n_rows: int
    n_features: int
    n_labelled: int
    n_relevant: int
    found: int
    found_by_chi2: int
    evaluations: int
    seconds: float


@dataclass(frozen=True)
class RealResult:
    """AUC on the fully labelled test rows of a model that was trained on a few labels."""

    n_rows: int
    n_features: int
    n_labelled: int
    selected: tuple[str, ...]
    auc_selected: float
    auc_all: float
    auc_random: float
    seconds: float


def artificial_demo(seed: int = 0) -> ArtificialResult:
    """Run the default search on the paper's condition with 10 % labelled, 8 negative and 2 positive clusters."""
    X, y, relevant = make_pu_clusters("10/8/2", random_state=seed)
    begin = time.perf_counter()
    selector = FSCPU(n_features_to_select=25, random_state=seed, n_jobs=-1).fit(X, y)
    seconds = time.perf_counter() - begin
    by_chi2 = SelectKBest(chi2, k=25).fit(scale_columns(X), y).get_support()
    return ArtificialResult(
        n_rows=X.shape[0],
        n_features=X.shape[1],
        n_labelled=int(y.sum()),
        n_relevant=int(relevant.sum()),
        found=int(relevant[selector.support_].sum()),
        found_by_chi2=int(relevant[by_chi2].sum()),
        evaluations=selector.n_iter_ * selector.population_size,
        seconds=seconds,
    )


def real_demo(seed: int = 0, n_select: int = 6) -> RealResult:
    """Hide nine tenths of the malignant labels of the breast cancer data and select a few of its 30 features."""
    data = load_breast_cancer()
    malignant = (data.target == 0).astype(int)
    X, X_test, classes, y_test = train_test_split(
        data.data, malignant, test_size=0.25, stratify=malignant, random_state=seed
    )
    y = hide_labels(classes, 0.1, random_state=seed)
    begin = time.perf_counter()
    selector = FSCPU(n_features_to_select=n_select, random_state=seed, n_jobs=-1).fit(X, y)
    seconds = time.perf_counter() - begin

    def auc(columns: np.ndarray) -> float:
        model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")).fit(X[:, columns], y)
        return float(roc_auc_score(y_test, model.predict_proba(X_test[:, columns])[:, 1]))

    rng = np.random.default_rng(seed)
    drawn = [rng.choice(X.shape[1], n_select, replace=False) for _ in range(20)]
    return RealResult(
        n_rows=len(X),
        n_features=X.shape[1],
        n_labelled=int(y.sum()),
        selected=tuple(data.feature_names[selector.support_]),
        auc_selected=auc(np.flatnonzero(selector.support_)),
        auc_all=auc(np.arange(X.shape[1])),
        auc_random=float(np.mean([auc(columns) for columns in drawn])),
        seconds=seconds,
    )


def write_demo_table(path: Path, seed: int = 0) -> None:
    """Write the breast cancer data as CSV: 30 features, `known` (1 for a tenth of the malignant rows), `diagnosis`."""
    data = load_breast_cancer()
    diagnosis = (data.target == 0).astype(int)
    known = hide_labels(diagnosis, 0.1, random_state=seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*data.feature_names, "known", "diagnosis"])
        writer.writerows([*row, *classes] for row, *classes in zip(data.data, known, diagnosis, strict=True))
