import json
from pathlib import Path

import pytest
from study_files import SMALL, write_study

from puselect.methods import METHODS
from puselect_paper.report.paper import paper_figures
from puselect_paper.studies.cells import Cell
from puselect_paper.studies.study import Study, load_study, shorten, study_names


def cell(**changes):
    content = {"measure": "recall", "method": "kbest", "settings": {}, "data": {"condition": "10/8/2"}, "seed": 0}
    return Cell.from_content({**content, **changes})


def test_every_part_of_the_content_changes_the_key_and_the_seed_not_the_family():
    changes = [
        {"measure": "convergence"}, {"method": "lasso"}, {"settings": {"max_iter": 3}}, {"settings": {"max_iter": 4}},
        {"data": {"condition": "40/8/2"}}, {"data": {"condition": "10/8/2", "shuffle": False}}, {"seed": 1},
    ]  # fmt: skip
    cells = [cell(), *(cell(**change) for change in changes)]
    assert len({c.key for c in cells}) == 8
    assert len({c.family for c in cells}) == 7
    assert cell(settings={"a": 1, "b": 2}).key == cell(settings={"b": 2, "a": 1}).key
    assert cell().key == "5a3d44001c1e84f6", "the same in every process and version"


class TestDefinitions:
    def test_table1_has_the_papers_rows_and_ours_and_quick_every_method_on_both_kinds_of_data(self):
        study = load_study("table1")
        assert len(study.blocks[0].points) == 10
        assert len(study.cells(["kbest"])) == 50
        assert {m.paper for m in study.methods} >= {method for method, _ in paper_figures("fsr")}
        assert {"mrmr", "fscpu", "fscpu-mi"} <= {m.id for m in study.methods}
        cells = load_study("quick").cells()
        for measure in ("recall", "downstream"):
            assert {c.method for c in cells if c.measure == measure} == {*METHODS, "all", "random"}

    @pytest.mark.parametrize("name", study_names())
    def test_the_shortest_version_takes_reduced_settings_and_one_of_everything(self, name):
        short = shorten(load_study(name))
        full = load_study(name).cells()
        assert {c.seed for c in short.cells()} == {0}
        assert {m.paper for m in short.methods} == {""}
        assert len(short.cells()) <= len(full)
        for c in short.cells():
            if c.method == "fscpu-published":
                assert c.settings["max_iter"] == 2
        # the reduced cells must never pass for full ones
        heavy = {c.key for c in full if c.method in ("fscpu-published", "es-mcrfs")} if name != "quick" else set()
        assert not heavy & {c.key for c in short.cells()}


class TestReading:
    def test_lists_are_crossed_and_a_copy_of_the_definition_gives_the_same_cells(self, tmp_path):
        study = load_study(str(write_study(tmp_path)))
        cells = study.cells()
        assert len(cells) == 2 * 3 * 3 == len({c.key for c in cells})
        assert len(study.cells(["kbest"])) == 6
        assert {c.seed for c in study.cells(n_seeds=5)} == set(range(5))
        study = load_study("figure1")
        (tmp_path / "study.json").write_text(json.dumps(study.definition))
        assert [c.key for c in load_study(str(tmp_path / "study.json")).cells()] == [c.key for c in study.cells()]

    def test_seeds_may_be_listed(self, tmp_path):
        study = load_study(str(write_study(tmp_path, SMALL.replace("seeds = 3", "seeds = [7, 2]"))))
        assert {c.seed for c in study.cells()} == {2, 7}

    def test_changes_to_artificial_data_are_for_one_method_only(self, tmp_path):
        text = SMALL.replace('label = "K-Best"', 'label = "K-Best"\nartificial = { shuffle = false }')
        for c in load_study(str(write_study(tmp_path, text))).cells():
            assert c.data.get("shuffle") == (False if c.method == "kbest" else None)

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ('name = "kbest"', 'name = "k-best"', "method must be one of kbest, .*got 'k-best'"),
            ('measure = "recall"', 'measure = "speed"', "measure must be one of recall, .*got 'speed'"),
            ("max_iter = 20", "steps = 20", "settings of fscpu: .*steps"),
            ("n_relevant = 5", "relevant = 5", "may have .*n_relevant.*; got relevant"),
            ('"40/8/1"', '"nothing"', "condition must look like"),
            ("seeds = 3", "seeds = 0", "seeds must be a number of seeds"),
            ("seeds = 3", "seeds = [true]", "seeds must be a number of seeds"),
            ("seeds = 3", "seeds = ", "Invalid value"),
            ('title = "Small study"', "", "the study lacks title"),
            ('title = "Small study"', "title = 5", "title of the study has the wrong type"),
            ('name = "fscpu"', 'name = "fscpu"\nid = "kbest"', "an id of its own"),
            ('label = "K-Best"', 'given = "all"', "given must be one of classes, prior, got 'all'"),
            ('measure = "recall"', 'measure = "recall"\nmethods = ["lasso"]', "methods must be among kbest.*got lasso"),
        ],
    )
    def test_a_wrong_study_is_refused_with_what_was_wanted(self, tmp_path, old, new, message):
        path = write_study(tmp_path, SMALL.replace(old, new, 1))
        with pytest.raises(ValueError, match=message) as error:
            load_study(str(path))
        assert str(path) in str(error.value)

    @pytest.mark.parametrize(
        ("part", "value"),
        [
            ("method", "kbest"), ("method", [5]), ("method", [{"name": ["kbest"]}]), ("data", {}), ("data", [5]),
            ("data", [{"measure": ["recall"]}]), ("data", [{"measure": "recall", "condition": [[]]}]),
            ("method", [{"name": "fscpu", "settings": {"tol": float("nan")}}]), ("title", "half a \ud800"),
        ],
    )  # fmt: skip
    def test_a_kept_definition_with_something_else_inside_is_one_error(self, tmp_path, part, value):
        whole = json.dumps({**load_study("table1").definition, part: value})
        for text in (whole, whole[:30], "", "[]", "[" * 100_000):
            (tmp_path / "study.json").write_text(text)
            with pytest.raises(ValueError, match=r"study\.json"):
                load_study(str(tmp_path / "study.json"))

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"name": "spam"}, "name must be among spambase, .*got spam"),
            ({"models": ["svm"]}, "models must be among lightgbm, .*got svm"),
            ({"models": None}, "lacks models"),
            ({"share": 1.5}, r"share must lie in \(0, 1\], got 1.5"),
            ({"measure": "real", "rate": 0.1}, "rate"),
        ],
    )
    def test_wrong_open_data_are_refused(self, change, message):
        block = {"measure": "downstream", "name": "spambase", "share": 0.5, "models": ["logistic"], **change}
        block = {name: value for name, value in block.items() if value is not None}
        with pytest.raises(ValueError, match=message):
            Study.from_definition({"title": "t", "seeds": 1, "method": ["kbest"], "data": [block]})

    def test_the_example_of_the_documentation_is_a_study(self, tmp_path):
        page = (Path(__file__).parents[2] / "docs" / "paper" / "reproduction.md").read_text(encoding="utf-8")
        example = page.split("```toml\n")[1].split("```")[0]
        study = load_study(str(write_study(tmp_path, example)))
        assert len(study.cells()) == 2 * 10
