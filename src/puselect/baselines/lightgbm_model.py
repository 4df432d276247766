"""LightGBM's classifier, imported here and nowhere else."""

from typing import Any


def lightgbm_classifier(n_estimators: int, seed: int | None, **settings: Any) -> Any:
    """Return LightGBM's classifier with default parameters, or `settings`, on one thread, without output."""
    try:
        from lightgbm import LGBMClassifier
    except ImportError as error:
        raise ImportError("this needs LightGBM: pip install lightgbm") from error
    settings = {"n_jobs": 1, "deterministic": True, "verbosity": -1, **settings}
    return LGBMClassifier(n_estimators=n_estimators, random_state=seed, **settings)
