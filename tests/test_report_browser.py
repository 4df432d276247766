"""The report as a reader has it: opened in a browser, read, sorted, searched, downloaded."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import TWO_FRAMES, Visit, chromium

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.checks.suitability import Suitability
from puselect.datasets import make_pu_clusters
from puselect.fscpu.stability import summarise_selections
from puselect.report import Comparison, Selection, summarise, write_report
from puselect.report.direction import Direction
from puselect.report.panels import Mark, Portrait
from puselect.report.selection import CandidateTable, Finding
from puselect.tables.column_outcomes import ColumnOutcome

HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 1">',
    "<!--<script>",
    "{{ 7 * 7 }}",
    "' onfocus='window.hacked = 1",
    "naïve größe 温度, \"quoted\"\nand broken",
    "__proto__",
]

IN_VIEW = "(node) => -1 <= node.getBoundingClientRect().y && node.getBoundingClientRect().y < 850"
CONTRASTS = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = text; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [x, y, z] = [r, g, b].map((v) => linear(v / 255));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const found = colour(getComputedStyle(at).backgroundColor);
      if (found[3] > 200) return found;
    }
    return [255, 255, 255];
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement, style = getComputedStyle(node);
    const aside = node.closest("script, style, .hidden, :disabled");
    if (!text.data.trim() || !node.checkVisibility() || aside) continue;
    const ink = node.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(colour(ink)), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${ratio.toFixed(2)}: ${text.data.trim().slice(0, 40)}`);
  }
  return poor;
}"""


CHANCE = Suitability(0.01, 0.01, 1.0, 39, "does_not_hold", 0.5, 1.0, (0.8, 1.2), 4)


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def selection() -> Selection:
    """100 features of 1800 rows, some with names that would like to be markup."""
    X, y, _ = make_pu_clusters("10/8/2", n_negative=1500, n_positive=300, n_irrelevant=75, random_state=0)
    names = [HOSTILE[i] if i < len(HOSTILE) else f"feature {i:02}" for i in range(X.shape[1])]
    selector = FSCPU(25, always_keep=list(range(len(HOSTILE))), max_iter=40, random_state=0).fit(X, y)
    evidence = Suitability(0.03, 0.01, 3.0, 39, "holds", 0.025, 3.0, (2.0, 4.0), 4)
    selector.stability_ = summarise_selections(np.random.default_rng(0).random((8, 100)) < 0.4, ((9, 10),))
    found = summarise(selector, X, y, feature_names=names, seconds=2.5, notes=["<b>a note</b>"], suitability=evidence)
    return with_every_section(found)


def with_every_section(found: Selection) -> Selection:
    """The same with costs, a category, a cluster it marks, findings and outcomes of columns, all in odd words."""
    category = replace(
        found.panels[0], members=("=1", "<i>"), edges=(), labelled=(0.7, 0.3), candidates=(0.5, 0.5), others=(0.1, 0.9)
    )
    mark = Mark("<b>city</b>", Direction("more"), 0.8, 0.1)
    return replace(
        found,
        features=tuple(replace(feature, cost=1.5) for feature in found.features),
        panels=(category, *found.panels[1:]),
        portraits=(Portrait(40.0, 9.0, (mark,)), *found.portraits),
        findings=(Finding("warning", "<i>Odd</i>", "<b>odd</b>"), Finding("note", "Fine", "")),
        columns=(
            ColumnOutcome("<u>", (), "leak", "left out: possible leak"),
            ColumnOutcome("a" * 60, ("a",), "number", "used as it is"),
        ),
    )


@pytest.fixture(scope="module")
def report(selection: Selection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report([selection], tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def comparison_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    selected = {"fscpu": HOSTILE, "kbest": ["a", *HOSTILE[:3]], "lasso": ["a", "b"]}
    scores = {name: rng.normal(0.9 - 0.05 * i, 0.02, 20).tolist() for i, name in enumerate(selected)}
    result = Comparison.of(
        selected, dict.fromkeys(selected, 1.5), scores, test_share=0.3, score_name="AUC of <b>rows</b>", n_features=30
    )
    return write_report(result, tmp_path_factory.mktemp("report") / "comparison.html")


class OpenVisit(Visit):
    """A visit with all details opened."""

    def __init__(self, *given: Any, **media: Any) -> None:
        super().__init__(*given, **media)
        self.page.evaluate("() => { for (const part of document.querySelectorAll('details')) part.open = true; }")
        self.page.evaluate(TWO_FRAMES)


def names_shown(page: Any) -> list[str]:
    return page.locator("[data-part=ranking] tbody td.feature").all_text_contents()


NAMELESS = """() => [...document.querySelectorAll("button, input, a, [tabindex='0'], svg[role=img]")]
  .filter((n) => !(n.getAttribute("aria-label") || n.textContent.trim() || n.labels?.length))
  .map((n) => n.outerHTML)"""


@pytest.mark.parametrize("width", [1280, 360])
def test_pages_open_offline_without_a_complaint_whatever_names_hold(
    window: Any, report: Path, comparison_report: Path, width: int
) -> None:
    for file in (report, comparison_report):
        with OpenVisit(window, file, width=width) as visit:
            page = visit.page
            assert page.title() == page.locator("h1").text_content()
            assert set(HOSTILE) <= set(page.locator("td.feature").all_text_contents())
            assert page.evaluate("window.hacked") is None
            assert page.locator("img").count() == 0
            assert page.evaluate(NAMELESS) == []
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert visit.problems == []
            assert visit.requests == [file.as_uri()]


def test_ranking_is_searched_and_sorted_with_the_keyboard_alone(
    window: Any, report: Path, selection: Selection
) -> None:
    with OpenVisit(window, report) as visit:
        page, keys, part = visit.page, visit.page.keyboard, visit.page.locator("[data-part=ranking]")
        assert names_shown(page) == [feature.name for feature in selection.features[:20]]
        part.get_by_role("button", name="Show more").focus()
        keys.press("Enter")
        assert names_shown(page) == [feature.name for feature in selection.features[:80]]
        part.get_by_role("searchbox").focus()
        keys.type("FEATURE 3")
        found = [feature.name for feature in selection.features if "feature 3" in feature.name]
        assert names_shown(page) == found
        assert part.get_by_role("status").text_content() == f"{len(found)} of 100 features"
        keys.press("Tab")  # the frame of the table
        keys.press("Tab")
        keys.press("Enter")
        assert part.locator("th").first.get_attribute("aria-sort") == "descending"
        assert names_shown(page) == found[::-1]


def test_map_is_drawn_and_hides_what_is_unchecked(window: Any, report: Path, selection: Selection) -> None:
    with Visit(window, report) as visit:
        map_of_rows = visit.page.locator("[data-part=map]")
        assert map_of_rows.locator("circle").count() == len(selection.view.row)
        assert f"row {selection.view.row[0]}, " in map_of_rows.text_content()
        for box in map_of_rows.locator("input").all():
            box.uncheck()
        assert map_of_rows.locator("circle:visible").count() == 0


def test_the_first_screen_answers_five_questions(window: Any, report: Path, selection: Selection) -> None:
    for width, fold in ((1280, 900), (390, 1700)):
        with Visit(window, report, width=width) as visit:
            page = visit.page
            names = page.locator(".which .label").all_text_contents()
            assert names == list(selection.selected[:12])
            assert page.locator(".which .again b").count() == len(names)
            assert [page.locator(f".{part} p").first.is_visible() for part in ("trust", "many", "next")] == [True] * 3
            assert page.locator(".rows li").count() == 10
            box = page.locator(".trust").bounding_box()
            assert box["y"] + box["height"] < (fold if width > 500 else 740)
            first_bar = page.locator(".which .fill.in").first.evaluate("(node) => node.style.width")
            column = selection.features[0].column
            assert first_bar == f"{100 * selection.stability.frequency[column]:.0f}%"
            assert page.locator(".panel").count() == len(selection.panels)
            assert set(page.locator(".panel .quiet").all_text_contents()) == {"cost 1.5"}


def test_candidates_download_as_csv_with_formulas_quoted(window: Any, selection: Selection, tmp_path: Path) -> None:
    columns, values = ("@SUM(A1)", "-x,y", "\tz"), ((-1.0, 2.0, 3.0),) * 2
    listed = CandidateTable(("=1+1", "plain"), (9.0, 5.0), (0.9, 0.5), columns, values, 2)
    with Visit(window, write_report(replace(selection, candidates=listed), tmp_path / "report.html")) as visit:
        with visit.page.expect_download() as download:
            visit.page.get_by_role("link", name="Download CSV").click()
        assert download.value.suggested_filename == "candidates.csv"
        download.value.save_as(tmp_path / "candidates.csv")
    with open(tmp_path / "candidates.csv", encoding="utf-8", newline="") as file:
        head, first, second = csv.reader(file)
    assert head == ["row", "lift", "confidence", "'@SUM(A1)", "'-x,y", "'\tz"]
    assert first == ["'=1+1", "9", "0.9", "-1", "2", "3"]
    assert second[0] == "plain"


def test_links_inside_lead_somewhere(window: Any, report: Path) -> None:
    with Visit(window, report, reduced_motion="reduce") as visit:
        links = visit.page.locator("a[href^='#']")
        assert links.count() >= 10
        for link in visit.page.locator("nav a").all():
            target = visit.page.locator(link.get_attribute("href"))
            link.click()
            visit.page.wait_for_function(IN_VIEW, arg=target.element_handle())
        hrefs = links.evaluate_all("nodes => nodes.map((n) => n.getAttribute('href'))")
        assert all(visit.page.locator(href).count() == 1 for href in hrefs)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast(window: Any, report: Path, comparison_report: Path, scheme: str) -> None:
    for file in (report, comparison_report):
        with OpenVisit(window, file, color_scheme=scheme) as visit:
            assert visit.page.evaluate(CONTRASTS) == []
            visit.page.locator("#theme").click()
            assert visit.page.evaluate("getComputedStyle(document.documentElement).colorScheme") not in ("", scheme)
            assert visit.page.evaluate(CONTRASTS) == []


RECORD_FOCUS = """() => {
  const all = [...document.querySelectorAll("*")];
  window.steps = [];
  document.addEventListener("focusin", ({ target }) => {
    const style = getComputedStyle(target);
    window.steps.push([all.indexOf(target), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1]);
  });
}"""
REACHABLE = """() => {
  const all = [...document.querySelectorAll("*")];
  const usable = (n) => n.checkVisibility() && !n.disabled && n.tabIndex >= 0;
  return all.flatMap((n, i) => n.matches("a[href], button, input, summary, [tabindex]") && usable(n) ? [i] : []);
}"""


def test_the_tab_key_reaches_everything_in_order_and_shows_where_it_is(window: Any, report: Path) -> None:
    with OpenVisit(window, report, reduced_motion="reduce") as visit:
        wanted = visit.page.evaluate(REACHABLE)
        visit.page.evaluate(RECORD_FOCUS)
        for _ in wanted:
            visit.page.keyboard.press("Tab")
        steps = visit.page.evaluate("window.steps")
        assert len(wanted) > 50
        assert [place for place, _ in steps] == wanted
        assert all(is_seen for _, is_seen in steps)


@pytest.mark.parametrize("changes", [{"n_labelled": 3}, {"n_labelled": 1800}, {"suitability": CHANCE}])
def test_pages_of_which_nothing_can_be_told_show_no_percentage(
    window: Any, selection: Selection, tmp_path: Path, changes: Any
) -> None:
    hidden = {"portraits": (), "findings": (), "command": ""}
    with Visit(window, write_report(replace(selection, **hidden, **changes), tmp_path / "report.html")) as visit:
        shown = visit.page.locator("main").inner_text()
        assert "%" not in shown
        assert visit.page.locator("[data-part=candidates], .rows").count() == 0
        assert visit.page.locator(".next p").text_content()


def test_a_comparison_draws_scores_and_baselines_do_not_vote(window: Any, tmp_path: Path) -> None:
    chosen = {"fscpu": ["a", "b"], "kbest": ["b", "c"], "all features": ["a", "b", "c", "d"], "random": ["d", "a"]}
    scores = {name: [0.5, 0.6, 0.7] for name in chosen}
    result = Comparison.of(chosen, dict.fromkeys(chosen, 1.0), scores, n_features=4)
    with Visit(window, write_report(result, tmp_path / "comparison.html")) as visit:
        page = visit.page
        assert page.locator(".score circle.split").count() == 12
        votes = page.locator("[data-part=choices] td:nth-child(2)").all_text_contents()
        assert votes == ["2 of 2", "1 of 2", "1 of 2"]
        assert page.locator("[data-part=choices] th").count() == 4


def test_the_number_of_features_is_drawn_and_reports_without_data_open(window: Any, tmp_path: Path) -> None:
    X, y, _ = make_pu_clusters("40/1/1", n_negative=200, n_positive=50, random_state=0)
    alone = summarise(FSCPU("auto", max_iter=3, random_state=0).fit(X, y))
    ranked = summarise(KBest(5).fit(X, y), X, y)
    with OpenVisit(window, write_report([alone, ranked], tmp_path / "two.html")) as visit:
        assert visit.problems == []
        curves = visit.page.locator(".curves polyline")
        assert curves.evaluate_all("nodes => nodes.map((n) => n.points.length)") == [len(alone.path.size)] * 3
        assert visit.page.locator("h1").all_text_contents()[1].startswith("KBest selects ")
        assert visit.page.locator("[data-part=map]").count() == 1
