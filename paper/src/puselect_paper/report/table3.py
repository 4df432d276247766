"""Table 3: AUC of downstream models by method and data set."""

from puselect_paper.report.coverage import coverage_table
from puselect_paper.report.paper import Figure, paper_figures
from puselect_paper.report.results import BlockResults
from puselect_paper.report.table1 import note, table_lines
from puselect_paper.report.tables import Table

NAMES = {"spambase": "Spam", "ionosphere": "Iono", "rt_iot2022": "RT-IoT"}
MODELS = {"lightgbm": "LightGBM", "lightgbm-rf": "LightGBM, forest", "logistic": "logistic regression"}
PAPER_SETTING = (0.5, "lightgbm")


def downstream_tables(results: BlockResults) -> list[Table]:
    """Return the tables of a block that measured downstream models."""
    tables = []
    for share in shares(results):
        tables += [auc_table(results, share, model) for model in models(results)]
        if (share, *models(results)) == PAPER_SETTING:  # the paper's procedure, and nothing else
            coverage = coverage_table(results.methods(), auc_figures(results, *PAPER_SETTING), "auc")
            tables += [coverage] if coverage else []
    return tables


def shares(results: BlockResults) -> list[float]:
    """Return the shares of features that were selected."""
    return sorted({float(result.place.point["share"]) for result in results.results})


def models(results: BlockResults) -> list[str]:
    """Return the downstream models."""
    return list(results.block.points[0]["models"])


def auc_table(results: BlockResults, share: float, model: str) -> Table:
    """Return AUC by method and data set."""
    columns = list(dict.fromkeys(str(point["name"]) for point in results.block.points))
    figures = auc_figures(results, share, model)
    paper = paper_figures("auc") if (share, model) == PAPER_SETTING else {}
    lines = table_lines(results.methods(), columns, figures, "auc", paper)
    title = f"{results.block.title}: {MODELS.get(model, model)}, {100 * share:g} % of the features"
    return Table(title, [["", "", "", *(NAMES.get(name, name) for name in columns)]], lines, note(lines), n_names=3)


def auc_figures(results: BlockResults, share: float, model: str) -> dict[tuple[str, str], Figure]:
    """Return mean AUC and its deviation by id of the method and data set."""
    return {
        (result.method.id, str(result.place.point["name"])): Figure.of(
            [auc[model] for auc in result.by_seed("auc").values()]
        )
        for result in results.results
        if result.place.point["share"] == share
    }
