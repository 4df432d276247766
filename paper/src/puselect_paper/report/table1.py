"""Table 1: recall of the relevant features by method and condition, in the paper's layout."""

from collections.abc import Mapping, Sequence

from puselect.methods import METHODS
from puselect_paper.report.coverage import coverage_table
from puselect_paper.report.hypotheses import hypothesis_table
from puselect_paper.report.paper import DECIMALS, Figure, differs, paper_figures
from puselect_paper.report.results import BlockResults
from puselect_paper.report.tables import MARK, Entry, Table
from puselect_paper.studies.cells import JSONObject
from puselect_paper.studies.study import StudyMethod

NOTE = "Mean ± standard deviation, number of repetitions in brackets. The best of our means in a column is highlighted."
PAPER_NOTE = (
    f"The paper's figures are below ours; {MARK} marks means more than two standard errors of their difference apart."
)
PAPER = "paper"
MISSING = Entry("—", quiet=True)


def recall_tables(results: BlockResults) -> list[Table]:
    """Return the tables of a block that measured recall: values and, of the paper's data, coverage and hypotheses."""
    figures = {
        (result.method.id, column_name(result.place.point)): Figure.of(result.numbers("fsr"))
        for result in results.results
    }
    tables = [recall_table(results, figures)]
    if results.block.measure == "recall":
        methods = results.methods()
        others = (coverage_table(methods, figures, "fsr"), hypothesis_table(methods, figures))
        tables += [table for table in others if table]
    return tables


def recall_table(results: BlockResults, figures: Mapping[tuple[str, str], Figure]) -> Table:
    """Return the table of values by method and condition."""
    points = list({column_name(point): point for point in results.block.points}.values())
    columns = [column_name(point) for point in points]
    lines = table_lines(results.methods(), columns, figures, "fsr", paper_figures("fsr"))
    return Table(results.block.title, condition_header(points), lines, note(lines), n_names=3)


def table_lines(
    methods: Sequence[StudyMethod],
    columns: Sequence[str],
    figures: Mapping[tuple[str, str], Figure],
    metric: str,
    paper: Mapping[tuple[str, str], Figure],
) -> list[list[Entry]]:
    """Return the lines of a table whose figures go by id of the method and column."""
    selective = {method.id for method in methods if method.name in METHODS}
    best = best_of_columns({key: f for key, f in figures.items() if key[0] in selective}, columns)
    lines: list[list[Entry]] = []
    group = None
    for method in methods:
        if not any((method.id, column) in figures for column in columns):  # run on other data of the block only
            continue
        printed = {column: paper.get((method.paper, column)) for column in columns}
        ours = {column: figures.get((method.id, column)) for column in columns}
        lines += method_lines(method, ours, printed, best, metric, method.group if method.group != group else "")
        group = method.group
    return lines


def method_lines(
    method: StudyMethod,
    ours: Mapping[str, Figure | None],
    paper: Mapping[str, Figure | None],
    best: Mapping[str, float],
    metric: str,
    group: str,
) -> list[list[Entry]]:
    """Return our line of a method and, where the paper has it, the paper's; both go by column."""
    counts = sorted({figure.n for figure in ours.values() if figure})
    n = f"ours ({counts[0]})" if len(counts) == 1 else f"ours ({counts[0]}–{counts[-1]})"
    top = best if method.name in METHODS else {}
    fields = [our_entry(ours[column], paper[column], top.get(column), metric) for column in ours]
    lines = [[Entry(group, quiet=True), Entry(method.label), Entry(n, quiet=True), *fields]]
    if any(paper.values()):
        printed = [
            Entry(figure.text(DECIMALS[metric]), quiet=True) if figure else Entry(quiet=True)
            for figure in paper.values()
        ]
        lines.append([Entry(), Entry(), Entry(PAPER, quiet=True), *printed])
    return lines


def note(lines: Sequence[Sequence[Entry]]) -> str:
    """Return the note below the table."""
    return f"{NOTE} {PAPER_NOTE}" if any(line[2].text == PAPER for line in lines) else NOTE


def our_entry(ours: Figure | None, paper: Figure | None, best: float | None, metric: str) -> Entry:
    """Return our figure, marked where it is the best of its column or differs from the paper's."""
    if ours is None:
        return MISSING
    far = paper is not None and differs(ours, paper, metric)
    return Entry(ours.text(DECIMALS[metric]), best=best is not None and ours.mean >= best, differs=far)


def best_of_columns(figures: Mapping[tuple[str, str], Figure], columns: Sequence[str]) -> dict[str, float]:
    """Return the best of our means in each column that has more than one."""
    means = {column: [f.mean for (_, c), f in figures.items() if c == column] for column in columns}
    return {column: max(values) for column, values in means.items() if len(values) > 1}


def column_name(point: JSONObject) -> str:
    """Return the condition, and the settings of the data that differ from the paper's."""
    others = [f"{name} {value}" for name, value in point.items() if name != "condition"]
    return ", ".join([str(point["condition"]), *others])


def condition_header(points: Sequence[JSONObject]) -> list[list[str]]:
    """Return the four lines of headings of the paper's Table 1, and one more if the data are not all the paper's."""
    parts = [str(point["condition"]).split("/") for point in points]
    clusters = [len(part) == 3 for part in parts]
    header = [
        ["", "cluster assumption", "", *("✓" if has else "×" for has in clusters)],
        ["", "labelled", "", *(f"{part[0]} %" for part in parts)],
        ["", "negative clusters", "", *(part[1] if has else "-" for part, has in zip(parts, clusters, strict=True))],
        ["", "positive clusters", "", *(part[2] if has else "-" for part, has in zip(parts, clusters, strict=True))],
    ]
    others = [", ".join(column_name(point).split(", ")[1:]) for point in points]
    return [*header, ["", "data", "", *others]] if any(others) else header
