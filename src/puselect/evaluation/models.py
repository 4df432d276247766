"""Scores of a selection: recall of relevant features, and downstream classifiers."""

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from puselect.arrays import FloatArray

N_ESTIMATORS = 100
SMALL_LEAVES = {"n_estimators": 150, "min_samples_leaf": 3, "n_jobs": 1}
# LightGBM's forest needs a subsample; a bootstrap of n rows holds 63.2 % of them.
FOREST = {"boosting_type": "rf", "subsample": 0.632, "subsample_freq": 1}


class Classifier(Protocol):
    """A classifier as scikit-learn's are."""

    def fit(self, X: FloatArray, y: FloatArray) -> object: ...

    def predict_proba(self, X: FloatArray) -> FloatArray: ...


def lightgbm_classifier(n_estimators: int, random_state: int | None, **settings: Any) -> Any:
    """Return LightGBM's classifier with default parameters, or `settings`, on one thread, without output."""
    try:
        from lightgbm import LGBMClassifier
    except ImportError as error:
        raise ImportError("this needs LightGBM: pip install lightgbm") from error
    settings = {"n_jobs": 1, "deterministic": True, "verbosity": -1, **settings}
    return LGBMClassifier(n_estimators=n_estimators, random_state=random_state, **settings)


class BaggedSamples:
    """Trees that each learn from all labelled rows and as many unlabelled ones, drawn at random (Mordelet and Vert)."""

    def __init__(self, random_state: int | None = None) -> None:
        self.rng = np.random.default_rng(random_state)

    def fit(self, X: FloatArray, y: ArrayLike) -> Self:
        """Grow the trees; 1 in `y` marks labelled rows."""
        is_labelled = np.asarray(y) == 1
        labelled, unlabelled = np.flatnonzero(is_labelled), np.flatnonzero(~is_labelled)
        self.trees = []
        for number in range(SMALL_LEAVES["n_estimators"]):
            rows = np.concatenate([labelled, self.rng.choice(unlabelled, len(labelled))])
            tree = DecisionTreeClassifier(
                max_features="sqrt", min_samples_leaf=SMALL_LEAVES["min_samples_leaf"], random_state=number
            )
            self.trees.append(tree.fit(X[rows], is_labelled[rows]))
        return self

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return the mean over the trees, one column per class."""
        return np.asarray(np.mean([tree.predict_proba(X) for tree in self.trees], axis=0))


DOWNSTREAM: dict[str, Callable[..., Classifier]] = {
    "lightgbm": lambda random_state: lightgbm_classifier(N_ESTIMATORS, random_state),
    "lightgbm-rf": lambda random_state: lightgbm_classifier(N_ESTIMATORS, random_state, **FOREST),
    "logistic": lambda random_state: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "random-forest": lambda random_state: RandomForestClassifier(**SMALL_LEAVES, random_state=random_state),
    "extra-trees": lambda random_state: ExtraTreesClassifier(**SMALL_LEAVES, random_state=random_state),
    "pu-bagging": BaggedSamples,
}
"""Name -> factory: ``DOWNSTREAM[name](random_state=seed)`` returns the classifier.

Logistic regression is on standardised columns. LightGBM has 100 trees, as in the paper, forests have 150 with at least
three rows in a leaf.
"""


def downstream_auc(
    model_name: str,
    X_train: ArrayLike,
    y_train: ArrayLike,
    X_test: ArrayLike,
    y_test: ArrayLike,
    random_state: int | None = None,
) -> float:
    """Return the area under the ROC curve of a classifier on test rows.

    Parameters
    ----------
    model_name : str
        A name in `DOWNSTREAM`.
    X_train : array-like of shape (n_train, n_features)
        The selected columns only.
    y_train : array-like of shape (n_train,)
        1 for labelled positives, 0 for unlabelled rows, which count as negatives.
    X_test : array-like of shape (n_test, n_features)
        The same columns of the test rows.
    y_test : array-like of shape (n_test,)
        True classes, 1 for positives.
    random_state : int or None
        Seed of the classifier.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) >= 10
    >>> downstream_auc("logistic", X, y, X, y, random_state=0)
    1.0
    """
    return float(roc_auc_score(y_test, downstream_scores(model_name, X_train, y_train, X_test, random_state)))


def downstream_scores(
    model_name: str, X_train: ArrayLike, y_train: ArrayLike, X_test: ArrayLike, random_state: int | None = None
) -> FloatArray:
    """Return the probability of a label that a classifier gives to each test row; parameters as in `downstream_auc`."""
    if model_name not in DOWNSTREAM:
        raise ValueError(f"model_name must be one of {', '.join(DOWNSTREAM)}, got {model_name!r}")
    model = DOWNSTREAM[model_name](random_state=random_state)
    model.fit(np.asarray(X_train, dtype=float), np.asarray(y_train))
    return np.asarray(model.predict_proba(np.asarray(X_test, dtype=float))[:, 1])


def feature_recall(support: ArrayLike, relevant: ArrayLike) -> float:
    """Return the share of the relevant features that were selected (FSR).

    Parameters
    ----------
    support, relevant : array-like of bool, shape (n_features,)
        Which features were selected, and which should have been.

    Examples
    --------
    >>> feature_recall([True, True, False, False], [True, False, True, False])
    0.5
    """
    selected, wanted = np.asarray(support, dtype=bool), np.asarray(relevant, dtype=bool)
    if selected.shape != wanted.shape:
        raise ValueError(f"support and relevant must have one shape, got {selected.shape} and {wanted.shape}")
    if not wanted.any():
        raise ValueError("relevant must hold at least one feature, got none")
    return float(selected[wanted].mean())
