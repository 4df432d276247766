"""The records of this package's methods, which an entry point adds to `puselect.METHODS`."""

from puselect.methods import AS_CLASSES, NOTHING, POSITIVES, Method

_BASELINES = "puselect_paper.baselines."
METHODS = (
    Method(
        "mrmr-published", _BASELINES + "published_mrmr:PublishedMRMR",
        "mrmr on values truncated to integers, as in the paper", AS_CLASSES, 0.2,
    ),
    Method(
        "es-mcrfs", _BASELINES + "es_mcrfs:ESMCRFS", "an agent learns which columns help a random forest",
        AS_CLASSES, 3000.0, quick={"max_iter": 10, "n_estimators": 5},
    ),
    Method(
        "lgbm-opt", _BASELINES + "lgbm_opt:LGBMOpt", "FSCPU's search for the columns that help LightGBM",
        AS_CLASSES, 1200.0, "lightgbm", quick={"max_iter": 5, "n_estimators": 10},
    ),
    Method(
        "mrmr-ufs", _BASELINES + "mrmr_ufs:MRMRUFS", "one column from each group of similar columns", NOTHING, 1.0
    ),
    Method(
        "sselect", _BASELINES + "sselect:SSelect", "smooth over neighbours, positives on one side", POSITIVES, 0.5
    ),
    Method(
        "jsfs", _BASELINES + "jsfs:JSFS", "sparse Bayesian classifier that may distrust unlabelled rows",
        AS_CLASSES, 1.0, quick={"max_iter": 5},
    ),
    Method(
        "puet", _BASELINES + "puet:PUET", "importance in random trees that know the share of positives", POSITIVES, 3.0,
        quick={"n_estimators": 10},
    ),
    Method(
        "pu-lasso", _BASELINES + "pu_lasso:PULasso", "L1 logistic regression on the expected classes", POSITIVES, 0.5,
    ),
)  # fmt: skip
