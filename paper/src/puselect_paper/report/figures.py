"""The paper's Figure 1, drawn from results: how the probabilities of the features move; needs the extra `plot`."""

import io
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from puselect.plots import pyplot
from puselect_paper.report.results import BlockResults, Result
from puselect_paper.report.table1 import column_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#1f2328"
RELEVANT, IRRELEVANT = "#d1242f", "#2f81f7"
MOST_COLUMNS = 5  # panels side by side
STYLE: dict[str, object] = {
    "font.size": 8,
    "svg.fonttype": "none",
    "svg.hashsalt": "puselect",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 8,
    "legend.frameon": False,
    "savefig.transparent": True,
    **{name: INK for name in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")},
}


class Picture(NamedTuple):
    """A figure as text for a page, whose ink takes the colour of the page's text."""

    name: str
    title: str
    svg: str


def draw_all(results: Sequence[BlockResults], folder: Path) -> list[Picture]:
    """Draw every search of blocks that measured convergence, as SVG and PNG in a folder; return them for a page."""
    found = [
        (number, block, method)
        for number, block in enumerate(results, start=1)
        for method in (block.methods() if block.block.measure == "convergence" else ())
    ]
    if not found:
        return []
    plt = pyplot()
    plt.switch_backend("agg")
    folder.mkdir(parents=True, exist_ok=True)
    pictures = []
    with plt.rc_context(STYLE):
        for number, block, method in found:
            figure = draw_convergence(plt, block.of(method))
            name = f"convergence-{number}-{method.id}"
            title = f"{block.block.title}: {method.label}; relevant features red, irrelevant ones blue"
            pictures.append(Picture(name, title, _save(figure, folder / name)))
            plt.close(figure)
    return pictures


def _save(figure: "Figure", path: Path) -> str:
    """Write both files; return the SVG for a page."""
    figure.savefig(path.with_suffix(".png"), dpi=160, transparent=False, facecolor="white")
    figure.set_layout_engine("none")  # keeps what was laid out; doing it again takes as long as all drawing
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    path.with_suffix(".svg").write_text(svg, encoding="utf-8")
    return svg[svg.index("<svg") :].replace(INK, "currentColor")


def draw_convergence(plt: ModuleType, results: Sequence[Result]) -> "Figure":
    """Return the paper's Figure 1 for one method, in all conditions of a block, from the first seed of each."""
    figure: Figure
    columns = min(len(results), MOST_COLUMNS)
    lines = -(-len(results) // columns)
    size = (1.9 * columns, 1.7 * lines)
    figure, axes = plt.subplots(lines, columns, figsize=size, layout="constrained", squeeze=False, sharey=True)
    for unused in axes.flat[len(results) :]:
        unused.set_visible(False)
    for panel, result in zip(axes.flat, results, strict=False):
        values = result.rows[0].values or {}
        theta = np.array(values["theta"])
        relevant = np.isin(np.arange(theta.shape[1]), values["relevant"])
        for chosen, colour in ((~relevant, IRRELEVANT), (relevant, RELEVANT)):
            panel.plot(values["evaluations"], theta[:, chosen], color=colour, linewidth=0.6, alpha=0.7)
        panel.set_title(f"{column_name(result.place.point)}   FSR {values['fsr']:.2f}")
        panel.set_ylim(0, 1)
    figure.supxlabel("clusterings", fontsize=8)
    figure.supylabel("probability of a feature", fontsize=8)
    return figure
