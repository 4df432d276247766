"""Figures with matplotlib: ranking of features, how many of them, map of the rows.

Colours are those of the style in use, light or dark.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import FloatArray
from puselect.fscpu.final_clusters import known_rows
from puselect.fscpu.projection import CANDIDATE, LABELLED, UNLABELLED, principal_axes, row_kinds
from puselect.scaling import as_numbers
from puselect.selectors.base import PUSelector
from puselect.selectors.result import FitResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RELEVANT, OTHER, QUIET = "C3", "C0", "0.6"  # red and blue unless a style has others; grey on white and on black
BAR_INCHES = 0.22  # a label of the usual size needs that much


def ranking(selector: PUSelector, ax: "Axes | None" = None, most: int = 30) -> "Axes":
    """Draw the probabilities or scores of the best features as bars, the selected ones in red.

    Parameters
    ----------
    selector : estimator
        Any fitted selector.
    ax : matplotlib Axes, optional
        By default, those of a new figure.
    most : int, default=30
        Number of features to show.

    Examples
    --------
    >>> from puselect.baselines import KBest
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", random_state=0)
    >>> ranking(KBest(25).fit(X, y), most=10).get_xlabel()
    'score'
    """
    result = selector.result_
    ax, _ = _bars(result, result.scores, ax, most)
    ax.set_xlabel("score" if result.search is None else "probability")
    return ax


def clusters(selector: PUSelector, X: ArrayLike, y: ArrayLike, ax: "Axes | None" = None) -> "Axes":
    """Draw known positives, candidates and other rows in two principal components of the selected features.

    Parameters
    ----------
    selector : estimator
        Any fitted selector; candidates are drawn if it has `candidate_positives`.
    X, y : array-like
        The table and its labels.
    ax : matplotlib Axes, optional
        By default, those of a new figure.

    Examples
    --------
    >>> from puselect.baselines import KBest
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", random_state=0)
    >>> clusters(KBest(2, random_state=0).fit(X, y), X, y).get_legend().get_texts()[-1].get_text()
    'known positive (200)'
    """
    result, table = selector.result_, as_numbers(X)
    positive = known_rows(y, result.settings["pos_label"], len(table))
    columns = table[:, result.support]
    found = None if result.row_model is None else result.row_model.candidates(columns, positive)
    kind = row_kinds(len(table), positive, found)
    points, explained = principal_axes(columns, result.selected_groups())
    ax = _axes(ax)
    styles = (
        (UNLABELLED, "unlabelled", QUIET, 6),
        (CANDIDATE, "candidate", OTHER, 10),
        (LABELLED, "known positive", RELEVANT, 26),
    )
    for which, label, colour, size in styles:
        some = points[kind == which]
        if len(some):
            ax.scatter(some[:, 0], some[:, 1], size, colour, label=f"{label} ({len(some):,})", linewidths=0)
    ax.set(xlabel=f"first component ({explained[0]:.0%})", ylabel=f"second component ({explained[1]:.0%})")
    ax.legend(frameon=False)
    return ax


def path(selector: PUSelector, ax: "Axes | None" = None) -> "Axes":
    """Draw what each number of features is worth: objective, separation of held-out positives, share of false ones.

    Parameters
    ----------
    selector : FSCPU
        Fitted with n_features_to_select="auto" or "related".
    ax : matplotlib Axes, optional
        By default, those of a new figure.

    Examples
    --------
    >>> from puselect import FSCPU
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", n_negative=400, n_positive=100, random_state=0)
    >>> path(FSCPU("auto", max_iter=20, random_state=0).fit(X, y)).get_xlabel()
    'number of features'
    """
    found = selector.result_.path
    if found is None:
        raise ValueError('path needs a selector that found the number of features ("auto", "related") in time')
    ax = _axes(ax)
    best = max(found.objective) or 1.0
    ax.plot(found.size, np.array(found.objective) / best, color=RELEVANT, label="objective, over its best")
    separation, error = np.array(found.separation), np.array(found.separation_error)
    ax.plot(found.size, separation, color=OTHER, label="separation of held-out positives (AUC)")
    ax.fill_between(found.size, separation - error, separation + error, color=OTHER, alpha=0.2, linewidth=0)
    ax.plot(found.size, found.false_share, color=QUIET, label="estimated share of false features")
    ink = ax.xaxis.label.get_color()
    ax.axvline(found.n_features, color=ink, linewidth=0.8, label=f"selected: {found.n_features}")
    ax.set(xlabel="number of features", ylim=(0, 1.02), xlim=(min(found.size), max(found.size)))
    ax.legend(frameon=False)
    return ax


def stability(selector: PUSelector, ax: "Axes | None" = None, most: int = 30) -> "Axes":
    """Draw how often features were selected again, with 95 % intervals; pale where a twin was selected instead.

    Parameters
    ----------
    selector : estimator
        With `stability_`, from ``FSCPU(n_searches=8)`` or `assess_stability`.
    ax : matplotlib Axes, optional
        By default, those of a new figure.
    most : int, default=30
        Number of features to show, in the order of the ranking.

    Examples
    --------
    >>> from puselect import assess_stability
    >>> from puselect.baselines import KBest
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", n_negative=400, n_positive=100, random_state=0)
    >>> selector = KBest(10).fit(X, y)
    >>> found = assess_stability(selector, X, y, n_searches=4)
    >>> stability(selector, most=12).get_xlabel()
    'share of 4 searches that select it'
    """
    result = selector.result_
    found = result.stability
    if found is None:
        raise ValueError("stability needs a selector with stability_; fit with n_searches=8 or call assess_stability")
    ax, columns = _bars(result, np.array(found.frequency), ax, most)
    shares = (found.frequency, found.low, found.high, found.twin_frequency)
    share, low, high, both = (np.array(values)[columns] for values in shares)
    place, ink = np.arange(len(columns)), ax.xaxis.label.get_color()
    ax.barh(place, both - share, left=share, color=QUIET, alpha=0.4)
    ax.errorbar(share, place, xerr=[share - low, high - share], fmt="none", ecolor=ink, elinewidth=0.8, capsize=2)
    ax.set(xlim=(0, 1), xlabel=f"share of {found.n_searches} searches that select it")
    return ax


def _bars(result: FitResult, values: FloatArray, ax: "Axes | None", most: int) -> "tuple[Axes, list[int]]":
    """Draw a bar for each of the best features, and return their columns."""
    best = result.units()[:most]
    columns = [unit.column for unit in best]
    ax, place = _axes(ax, BAR_INCHES * len(best) + 1), np.arange(len(best))
    ax.barh(place, values[columns], color=[RELEVANT if result.support[column] else QUIET for column in columns])
    ax.set_yticks(place, [unit.name.replace("$", r"\$") for unit in best])
    ax.invert_yaxis()
    return ax, columns


def pyplot() -> Any:
    """Import matplotlib's pyplot, or raise an ImportError that names the extra; no other function imports it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install matplotlib") from error
    return plt


def _axes(ax: "Axes | None", least_height: float = 0.0) -> "Axes":
    if ax is not None:
        return ax
    new: Axes = pyplot().subplots(figsize=(7, max(4, least_height)), layout="constrained")[1]
    new.spines[["top", "right"]].set_visible(False)
    return new
