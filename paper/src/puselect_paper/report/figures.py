"""The figures of a study, drawn from its results; needs the extra `plot`."""

import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from puselect.plots import pyplot
from puselect_paper.report.results import BlockResults, Result
from puselect_paper.report.table1 import column_name
from puselect_paper.studies.cells import JSONObject

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1f2328"
FAINT = "#8b949e"
RELEVANT, IRRELEVANT = "#d1242f", "#2f81f7"
COLOURS = ("#d1242f", "#2f81f7", "#1a7f37", "#bf8700", "#8250df", "#0a7ea4", "#bc4c00")
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


class Drawing(NamedTuple):
    """A figure that has not been drawn yet."""

    name: str
    title: str
    draw: Callable[[ModuleType], "Figure"]
    """Takes pyplot, returns the figure."""


class Picture(NamedTuple):
    """A figure as text for a page, whose ink takes the colour of the page's text."""

    name: str
    title: str
    svg: str


def drawings(number: int, results: BlockResults) -> list[Drawing]:
    """Return the figures of a block; `number` keeps the names of files apart."""
    block = results.block
    if not results.results or block.measure in ("real", "counts", "downstream"):
        return []
    if block.measure == "convergence":
        return [convergence(number, results, method.id, method.label) for method in results.methods()]
    if block.measure == "objective":
        return [Drawing(f"objective-{number}", block.title, lambda plt: _draw_objective(plt, results))]
    if block.x:
        return [Drawing(f"curves-{number}", block.title, lambda plt: _draw_curves(plt, results))]
    return [Drawing(f"time-{number}", "Time against quality", lambda plt: _draw_time(plt, results))]


def convergence(number: int, results: BlockResults, method: str, label: str) -> Drawing:
    """Return the paper's Figure 1 for one method, in all conditions of the block, from the first seed of each."""
    ours = [result for result in results.results if result.method.id == method]
    title = f"{results.block.title}: {label}; relevant features red, irrelevant ones blue"
    return Drawing(f"convergence-{number}-{method}", title, lambda plt: _draw_convergence(plt, ours))


def draw_all(todo: Sequence[Drawing], folder: Path) -> list[Picture]:
    """Draw figures, write each as SVG and PNG into a folder, and return them for a page."""
    if not todo:
        return []
    plt = pyplot()
    plt.switch_backend("agg")
    folder.mkdir(parents=True, exist_ok=True)
    pictures = []
    with plt.rc_context(STYLE):
        for drawing in todo:
            figure = drawing.draw(plt)
            pictures.append(Picture(drawing.name, drawing.title, _save(figure, folder / drawing.name)))
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


def _grid(
    plt: ModuleType, n_panels: int, width: float, height: float, most_columns: int, **options: bool
) -> tuple["Figure", Iterable["Axes"]]:
    """Return a figure with that many panels in as few lines as fit."""
    columns = min(n_panels, most_columns)
    lines = -(-n_panels // columns)
    size = (width * columns, height * lines)
    figure, axes = plt.subplots(lines, columns, figsize=size, layout="constrained", squeeze=False, **options)
    for unused in axes.flat[n_panels:]:
        unused.set_visible(False)
    return figure, axes.flat


def _draw_convergence(plt: ModuleType, results: Sequence[Result]) -> "Figure":
    figure, panels = _grid(plt, len(results), 1.9, 1.7, 5, sharey=True)
    for panel, result in zip(panels, results, strict=False):
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


def _draw_curves(plt: ModuleType, results: BlockResults) -> "Figure":
    figure, (panel,) = _grid(plt, 1, 5.4, 3.2, 1)
    lines: dict[str, list[tuple[float, list[float]]]] = {}
    for result in results.results:
        lines.setdefault(_line_name(result, results.block.x), []).append(
            (coordinate(result, results.block.x), result.numbers("fsr"))
        )
    for (name, points), colour in zip(lines.items(), _colours(len(lines)), strict=True):
        x, values = zip(*sorted(points), strict=True)
        mean = np.array([np.mean(v) for v in values])
        error = np.array([np.std(v, ddof=1) / np.sqrt(len(v)) if len(v) > 1 else 0.0 for v in values])
        panel.plot(x, mean, "o-", color=colour, markersize=3, linewidth=1.2, label=name)
        panel.fill_between(x, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0)
    panel.set_xscale("log")
    ticks = sorted({x for points in lines.values() for x, _ in points})
    panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    panel.set(xlabel=results.block.x.replace("_", " "), ylabel="FSR, mean ± standard error", ylim=(0, 1.03))
    panel.legend()
    return figure


def coordinate(result: Result, x: str) -> float:
    """Return where a result stands on the axis: label rate in percent, number of features, or a setting."""
    point = result.place.point
    if x == "label rate":
        return float(str(point["condition"]).split("/")[0])
    if x == "features":
        return float(point.get("n_relevant", 25) + point.get("n_irrelevant", 25))
    return float({**point, **result.place.settings}[x])


def _line_name(result: Result, x: str) -> str:
    """Return the method and, where the block has several, what else than `x` distinguishes the data."""
    def rest(point: JSONObject) -> str:
        condition = str(point["condition"])
        return condition.split("/", 1)[1] if x == "label rate" else condition

    several = len({rest(point) for point in result.place.block.points}) > 1
    return f"{result.method.label}, {rest(result.place.point)}" if several else result.method.label


def _draw_objective(plt: ModuleType, results: BlockResults) -> "Figure":
    figure, panels = _grid(plt, len(results.results), 2.3, 2.2, 4)
    for panel, result in zip(panels, results.results, strict=False):
        pairs = np.array([(row.values["exact"], row.values["printed"]) for row in result.rows if row.values])
        exact, printed = pairs[:, 0].ravel(), pairs[:, 1].ravel()
        panel.plot([0, exact.max()], [0, exact.max()], color=FAINT, linewidth=0.8)
        panel.plot(exact, printed, ".", color=IRRELEVANT, markersize=3, alpha=0.5, markeredgewidth=0)
        missed = 100 * float(np.mean(printed < exact - 1e-6))
        panel.set_title(f"{result.method.label}\n{column_name(result.place.point)}: {missed:.0f} % below the best")
    figure.supxlabel("best of all prefixes", fontsize=8)
    figure.supylabel("as printed", fontsize=8)
    return figure


def _draw_time(plt: ModuleType, results: BlockResults) -> "Figure":
    figure, (panel,) = _grid(plt, 1, 6, 3.6, 1)
    points = []
    for method in results.methods():
        ours = [r for r in results.of(method) if not str(r.place.point["condition"]).endswith("outlier")]
        seconds, fsr = (_all(ours or results.of(method), name) for name in ("fit_seconds", "fsr"))
        if seconds and max(seconds) > 0:
            points.append((float(np.mean(fsr)), max(float(np.mean(seconds)), 1e-3), method.label))
    for number, (y, x, label) in enumerate(sorted(points)):
        panel.plot(x, y, "o", color=COLOURS[number % len(COLOURS)], markersize=5)
        # above and below by turns, so that the names of neighbours do not cover each other
        panel.annotate(label, (x, y), xytext=(4, (3, -9)[number % 2]), textcoords="offset points", fontsize=7)
    panel.set_xscale("log")
    panel.margins(x=0.18)
    panel.set(xlabel="seconds of a fit, one thread", ylabel="mean FSR where there are clusters", ylim=(0, 1.05))
    return figure


def _all(results: Sequence[Result], name: str) -> list[float]:
    return [value for result in results for value in result.numbers(name)]


def _colours(n: int) -> list[str]:
    return [COLOURS[i % len(COLOURS)] for i in range(n)]
