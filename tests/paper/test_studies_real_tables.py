"""Real tables: the protocol on a stand-in, and the board made of rows whose values are known."""

from pathlib import Path

import numpy as np
import pytest

from puselect.baselines import ForestImportance
from puselect_paper.baselines import PUET
from puselect_paper.report import collect, study_tables
from puselect_paper.report.tables import to_markdown
from puselect_paper.statistics import corrected_resampled_t_test, holm, mean_ranks
from puselect_paper.studies import Study, load_run
from puselect_paper.studies.cells import Cell
from puselect_paper.studies.journal import Row
from puselect_paper.studies.measures import measure
from puselect_paper.studies.open_data import judge
from puselect_paper.studies.real_tables import FEWEST_LABELLED, MOST_ROWS, load_real_table, split_real_table

MODELS = ["logistic", "extra-trees"]


@pytest.fixture(autouse=True)
def tables(tmp_path, monkeypatch):
    """A small table whose first columns tell the classes, and one of more rows than are used."""
    rng = np.random.default_rng(0)
    (tmp_path / "real").mkdir()
    for name, n_rows in (("small", 200), ("large", MOST_ROWS + 1000)):
        y = np.arange(n_rows) % 4 == 0
        X = rng.normal(size=(n_rows, 8)).astype(np.float32)
        X[:, :2] += 2 * y[:, None]
        X[:, 5] = 1.0
        np.savez(tmp_path / "real" / f"{name}.npz", X=X, y=y.astype(int))
    monkeypatch.setenv("PUSELECT_DATA", str(tmp_path))
    load_real_table.cache_clear()
    yield tmp_path
    load_real_table.cache_clear()


class TestProtocol:
    def test_seventy_percent_train_ten_positives_are_labelled_and_splits_differ_by_seed(self):
        split = split_real_table("small", 0)
        assert split.X_train.shape == (140, 7), "the constant column is left out"
        assert len(split.y_test) == 60
        assert split.y_test.sum() == 15
        assert split.y_train.sum() == FEWEST_LABELLED
        first, again, other = (split_real_table("small", seed) for seed in (0, 0, 1))
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
        assert not np.array_equal(first.X_test, other.X_test)

    def test_of_many_rows_a_stratified_part_is_used_and_five_percent_labelled(self):
        assert len(load_real_table("large").y) == MOST_ROWS
        assert load_real_table("large").y.sum() == MOST_ROWS // 4
        assert split_real_table("large", 0).y_train.sum() == round(0.05 * 0.7 * MOST_ROWS / 4)

    def test_at_most_half_of_the_positives_are_labelled_and_some_tables_have_their_own_share(self, tables):
        rng = np.random.default_rng(1)
        (tables / "wide").mkdir()
        for place, n_rows in (("wide/tiny", 80), ("real/satellite", 8000), ("real/qsar", 2000)):
            np.savez(tables / f"{place}.npz", X=rng.normal(size=(n_rows, 5)), y=np.arange(n_rows) % 4 == 0)
        found = {name: int(split_real_table(name, 0).y_train.sum()) for name in ("tiny", "satellite", "qsar")}
        assert found == {"tiny": 7, "satellite": 28, "qsar": 35}

    def test_methods_are_given_of_the_truth_what_the_study_says(self):
        split, data = split_real_table("small", 2), {"name": "small", "share": 0.5, "models": MODELS}
        oracle = measure(Cell("real", "forest", {}, {**data, "given": "classes"}, 2)).values
        support = ForestImportance(4, random_state=2).fit(split.X_train, split.classes).get_support()
        assert oracle["selected"] == np.flatnonzero(support).tolist()
        judged = judge(support, split, MODELS, 2)
        assert (oracle["auc"], oracle["ap"]) == (judged["auc"], judged["ap"]), "models learn from the few labels"
        told = measure(Cell("real", "puet", {}, {**data, "given": "prior"}, 2)).values
        known = PUET(4, prior=split.classes.mean(), random_state=2).fit(split.X_train, split.y_train)
        assert told["selected"] == np.flatnonzero(known.support_).tolist()
        assert split.classes[split.y_train == 1].all()
        assert split.classes.mean() == 0.25

    def test_a_missing_table_is_an_error_that_names_the_file(self, monkeypatch):
        row = measure(Cell("real", "kbest", {}, {"name": "none", "share": 0.2, "models": MODELS}, 0))
        assert "none.npz" in row.error
        monkeypatch.delenv("PUSELECT_DATA")
        with pytest.raises(FileNotFoundError, match="PUSELECT_DATA"):
            load_real_table("none")


METHODS = ["fscpu", "kbest", "lepage", "all", "random"]
TABLES = list("abcdef")


def auc_of(method, table, share, seed):
    """Return made-up values: fscpu is ahead of kbest by .05 on average, behind lepage on table "c" only."""
    noise = np.random.default_rng([METHODS.index(method), TABLES.index(table), seed]).uniform(-0.02, 0.02)
    level = {"fscpu": 0.85, "kbest": 0.8, "lepage": 0.9 if table == "c" else 0.82, "all": 0.95, "random": 0.6}[method]
    return {"logistic": level + noise + share / 10, "extra-trees": level + 2 * noise}


def board(n_seeds=4, fewer=(), shares=(0.1, 0.5)):
    study = Study.from_definition({
        "title": "Board", "seeds": n_seeds, "method": METHODS,
        "data": [{"measure": "real", "name": TABLES, "share": list(shares), "models": MODELS}],
    })  # fmt: skip
    rows = [
        Row(cell, {"auc": auc_of(cell.method, cell.data["name"], cell.data["share"], cell.seed)})
        for cell in study.cells()
        if not (cell.method in fewer and cell.seed > 1)
    ]
    return {table.title: table for table in study_tables(collect(study, rows))}


def texts(table):
    return {line[table.n_names - 1 if table.n_names == 1 else 1].text: [e.text for e in line[table.n_names :]]
            for line in table.lines}  # fmt: skip


class TestBoard:
    def test_auc_is_the_mean_over_splits_and_models_and_the_best_selection_is_marked(self):
        table = board()["AUC, 10 % of the features"]
        values = [np.mean(list(auc_of("kbest", "b", 0.1, seed).values())) for seed in range(4)]
        assert texts(table)["K-Best"][1] == f"{np.mean(values):.3f}".lstrip("0")
        marked = {line[1].text: [entry.best for entry in line[3:]] for line in table.lines}
        assert marked["FSCPU, our default"] == [True, True, False, True, True, True, True]
        assert marked["Lepage's statistic"] == [False, False, True, False, False, False, False]
        assert not any(marked["all features"])

    def test_ranks_are_means_within_a_table_first(self):
        table = board()["Mean ranks"]
        wanted = []
        for name in TABLES:
            cases = [
                [auc_of(method, name, 0.1, seed)[model] for method in METHODS] for seed in range(4) for model in MODELS
            ]
            wanted.append(mean_ranks(cases))
        assert texts(table)["FSCPU, our default"][0] == f"{np.mean(wanted, axis=0)[0]:.2f}"
        assert next(iter(texts(table))) == "all features"
        assert list(table.header[0]) == ["", "10 %", "50 %", "all"]

    def test_methods_with_fewer_splits_are_compared_but_not_ranked(self):
        tables = board(fewer=["kbest"])
        assert "K-Best" not in texts(tables["Mean ranks"])
        assert "K-Best" in tables["Mean ranks"].note
        assert not any(entry.best for line in tables["AUC, 10 % of the features"].lines if line[1].text == "K-Best"
                       for entry in line)  # fmt: skip
        difference = tables["FSCPU, our default against the others on each data set, 10 % of the features"]
        assert texts(difference)["K-Best"][0].startswith("+.04")

    def test_one_method_is_not_ranked_and_one_split_not_tested(self):
        assert "Mean ranks" not in board(fewer=METHODS[1:])
        assert not any("each data set" in title for title in board(n_seeds=1))
        assert any("each data set" in title for title in board(n_seeds=2))

    def test_differences_are_tested_with_the_correction_for_shared_rows(self):
        table = board(shares=[0.1])["FSCPU, our default against the others on each data set, 10 % of the features"]
        means = {
            method: np.array([np.mean(list(auc_of(method, "c", 0.1, seed).values())) for seed in range(4)])
            for method in METHODS
        }
        differences = [means["fscpu"] - means[other] for other in METHODS[1:]]
        p = holm([corrected_resampled_t_test(each, 0.3) for each in differences])
        shown = [text[2].replace("(< .001)", "(.000)") for text in texts(table).values()]
        wanted = [f"{each.mean():+.3f} ({value:.3f})" for each, value in zip(differences, p, strict=True)]
        assert shown == [text.replace("0.", ".") for text in wanted]
        assert [line[3].best for line in table.lines] == [value < 0.05 for value in p]

    def test_tests_over_the_tables_count_wins(self):
        table = board()["FSCPU, our default against the others, over the tables"]
        assert texts(table)["K-Best"][1] == "6"
        assert texts(table)["Lepage's statistic"][1] == "5"
        assert texts(table)["K-Best"][2] == ".031"
        assert texts(table)["K-Best"][3] == ".125"


def test_the_page_shows_the_stored_results():
    docs = Path(__file__).parents[2] / "docs"
    results = collect(*load_run(docs / "results" / "real-tables"))
    tables = {table.title: to_markdown(table) for table in study_tables(results)}
    page = (docs / "internals" / "real-tables.md").read_text()
    ranks, auc = (tables[title].split("\n\n")[1] for title in ("Mean ranks", "AUC, 20 % of the features"))
    assert ranks in page
    shown = page.partition("Mean AUC")[2].partition("Mean ranks")[0].strip().splitlines()[2:]
    assert len(shown) == 9
    assert set(shown) <= set(auc.splitlines())
