"""Make the pictures of the guide's page on labels from generated data: python docs/pictures.py

Needs the extra `plot`.
"""

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot as plt

from puselect import FSCPU
from puselect.checks.suspects import are_suspect, mean_places
from puselect.datasets import make_pu_clusters

IMAGES = Path(__file__).parent / "images"
GREY, BLUE, RED = "#b4b4b4", "#1f6fb4", "#d1560a"
SMALL = {"n_negative": 800, "n_positive": 200, "n_relevant": 5, "n_irrelevant": 5, "return_classes": True}
STYLE = {"font.size": 9, "axes.titlesize": 9, "axes.spines.top": False, "axes.spines.right": False}


def strips(axis: plt.Axes, kinds: dict[str, np.ndarray], colours: list[str], label: str) -> None:
    """Draw the values of each kind of row as dots in a line of their own, the first on top."""
    heights, rng = range(len(kinds))[::-1], np.random.default_rng(0)
    for height, values, colour in zip(heights, kinds.values(), colours, strict=True):
        axis.scatter(values, height + rng.uniform(-0.3, 0.3, len(values)), 8, colour, linewidths=0)
    axis.set(yticks=heights, yticklabels=list(kinds), xlabel=label)
    axis.tick_params(left=False)


def negatives(left: plt.Axes, right: plt.Axes) -> None:
    """Rows were inspected by one column; another tells the classes apart."""
    rng = np.random.default_rng(0)
    is_positive, dealer = rng.random(600) < 0.3, rng.normal(size=600)
    inspected = rng.random(600) < 0.5 / (1 + np.exp(4 - 4 * dealer))
    for axis, name, column in ((left, "amount", rng.normal(2 * is_positive)), (right, "dealer", dealer)):
        kinds = {"known positives": column[inspected & is_positive],
                 "checked negatives": column[inspected & ~is_positive], "unlabelled": column[~inspected]}
        strips(axis, kinds, [BLUE, RED, GREY], name)
        axis.set(xticks=[])
    left.set_title("tells positives from negatives")
    right.set(title="tells which rows were inspected", yticklabels=[])


def wrong(axis: plt.Axes) -> None:
    """A fifth of the labels are wrong: the places of labelled rows, each of them held out."""
    X, y, _, classes = make_pu_clusters("40/3/2", **SMALL, random_state=0)
    y[np.flatnonzero(classes == 0)[:20]] = 1
    selector, is_right = FSCPU(5, random_state=0).fit(X, y), classes[y == 1] == 1
    places = mean_places(selector.row_model_, X[:, selector.support_], y == 1, y == 0, np.random.default_rng(0))
    kinds = {"right labels": places[is_right], "wrong labels": places[~is_right]}
    strips(axis, kinds, [BLUE, RED], "share of unlabelled rows that are more likely positive")
    axis.axvline(places[are_suspect(places)].min() - 0.01, color="black", linewidth=0.8)
    axis.text(places[are_suspect(places)].min(), 1.4, "listed →")


def biased(left: plt.Axes, right: plt.Axes) -> None:
    """Labels from both kinds of positives, and from one of them."""
    rng = np.random.default_rng(0)
    rows, is_negative = rng.normal(size=(400, 2)) * 0.7, np.arange(400) < 280
    rows[~is_negative] = rows[~is_negative] * 0.5 + np.repeat([(2.6, 0), (0, 2.6)], 60, axis=0)
    for axis, rates in ((left, (0.3, 0.3)), (right, (0.6, 0))):
        is_known = ~is_negative & (rng.random(400) < np.repeat((0, *rates), (280, 60, 60)))
        kinds = {"negatives": (is_negative, GREY), "hidden positives": (~is_negative & ~is_known, RED),
                 "known positives": (is_known, BLUE)}
        for name, (which, colour) in kinds.items():
            axis.scatter(*rows[which].T, 8, colour, linewidths=0, label=name)
        axis.set(xticks=[], yticks=[], xlabel="first column", ylabel="second column")
    left.set_title("labels at random: both columns")
    right.set_title("labels of one kind: the first column only")
    right.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, handletextpad=0)


def asked(axis: plt.Axes) -> None:
    """The rows to label next among all unlabelled ones."""
    X, y, _, classes = make_pu_clusters("10/8/2", **SMALL, random_state=0)
    selector = FSCPU(5, random_state=0).fit(X, y)
    order = selector.next_rows(X, y, int((y == 0).sum())).rows
    places = np.flatnonzero(np.isin(order, selector.next_rows(X, y, 30).rows))
    kinds = {"hidden positives": np.flatnonzero(classes[order]), "next rows": places, "most likely rows": np.arange(30)}
    strips(axis, kinds, [RED, BLUE, BLUE], "unlabelled rows, from the most to the least likely")


if __name__ == "__main__":
    matplotlib.use("agg")
    plt.rcParams.update(STYLE)
    for draw, n_panels in ((negatives, 2), (wrong, 1), (biased, 2), (asked, 1)):
        figure, axes = plt.subplots(1, n_panels, figsize=(7.2, 1.8 if n_panels == 1 else 2.2), layout="constrained")
        draw(*np.atleast_1d(axes))
        figure.savefig(IMAGES / f"labels-{draw.__name__}.png", dpi=120)
