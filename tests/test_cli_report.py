import pytest
from command_line import clusters_table
from typer.testing import CliRunner

from puselect import cli
from puselect.baselines import KBest
from puselect.report import Comparison, summarise

runner = CliRunner()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = clusters_table()
    X, y = table.drop("label").to_numpy(), table["label"].to_numpy()
    selection = summarise(KBest(3, random_state=0).fit(X, y), X, y, feature_names=table.columns[:-1])
    (tmp_path / "s.json").write_text(selection.to_json())
    comparison = Comparison.of({"a": ["x", "y"], "b": ["y", "z"]}, {"a": 1.0, "b": 0.1})
    (tmp_path / "c.json").write_text(comparison.to_json())
    return tmp_path


def report(*words):
    return runner.invoke(cli.app, ["report", *words])


def test_results_become_one_page(folder):
    done = report("s.json", "c.json", "-o", "r.html")
    assert done.exit_code == 0
    assert done.stderr == "written: r.html\n"
    assert "signal 0" in (folder / "r.html").read_text()
    assert {path.name for path in folder.iterdir()} == {"s.json", "c.json", "r.html"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.json", "{", "x.json: not JSON"),
        ("x.json", "{}", "schema"),
        ("x.json", '{"schema": "puselect.selection/3", "selected": 3}', "damaged"),
        ("x.json", None, "x.json: no such file"),
    ],
)
def test_what_is_no_result_is_refused_in_one_line(folder, name, content, message):
    if content is not None:
        (folder / name).write_text(content)
    done = report("s.json", name, "-o", "r.html")
    assert done.exit_code == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "r.html").exists()


def test_a_report_needs_a_place(folder):
    done = report("s.json")
    assert done.exit_code == 2
    assert "-o" in done.stderr


def test_a_folder_among_files_is_refused(folder):
    (folder / "study").mkdir()
    done = report("s.json", "study", "-o", "r.html")
    assert done.exit_code == 1
    assert "study is a folder" in done.stderr
