"""A messy export from file to decision: select with --prepare, then apply."""

from html import unescape

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from puselect import cli
from puselect.datasets import make_fraud_export
from puselect.report import Comparison, Selection
from puselect.report.model import Model


def call(*words):
    return CliRunner().invoke(cli.app, [str(word) for word in words])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One selection with all its outputs, which several tests look at."""
    home = tmp_path_factory.mktemp("messy")
    make_fraud_export(n_rows=1500, random_state=0)[0].to_csv(home / "export.csv", index=False)
    done = call(
        "select", home / "export.csv", "-l", "known_fraud", "--prepare", "--missing=-9", "--id", "transaction_id",
        "--drop", "is_fraud,case_number", "--drop-duplicates", ".99", "-k", 8, "--keep", "channel", "--max-iter", 60,
        "--jobs", 1, "--no-checks", "-o", home / "r.json", "--candidates", home / "candidates.csv",
        "--report", home / "report.html", "--data-out", home / "small.csv",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    (home / "output.txt").write_text(done.output)
    return home


@pytest.fixture(scope="module")
def selection(folder):
    return Selection.from_json((folder / "r.json").read_text())


def test_every_column_has_its_fate_in_the_result_and_in_the_report_and_findings_have_codes(folder, selection):
    table = pl.read_csv(folder / "export.csv")
    outcomes = {outcome.column: outcome.action for outcome in selection.columns}
    assert set(outcomes) == set(table.columns) - {"known_fraud", "transaction_id", "is_fraud", "case_number"}
    caught = {"account": "identifier", "booked_at": "date", "channel": "categories", "currency": "constant"}
    assert caught.items() <= outcomes.items()
    assert "copy" in [outcomes[name] for name in outcomes if name.endswith("_usd")]
    page = unescape((folder / "report.html").read_text())
    assert all(outcome.column in page for outcome in selection.columns)
    assert all(outcome.text in page for outcome in selection.columns if not outcome.is_unchanged)
    found = {finding.code: finding for finding in selection.findings}
    assert "filled" in found
    assert "leak" not in found
    assert selection.notes == ()


def test_leaks_are_told_before_the_search_and_used_unless_dropped(folder):
    words = ("--prepare", "--id", "transaction_id", "-k", 3, "--max-iter", 2, "-o", folder / "leaks.json")
    done = call("select", folder / "export.csv", "-l", "known_fraud", *words)
    said = "60 of 60 known positives have 'is_fraud' = 1"
    assert done.output.index(said) < done.output.index("how many")
    found = Selection.from_json((folder / "leaks.json").read_text())
    (leak,) = (finding for finding in found.findings if finding.code == "leak")
    assert leak.level == "warning" and said in leak.text
    assert "is_fraud" in [feature.name for feature in found.features]


def test_a_category_is_one_feature(selection):
    channel = next(feature for feature in selection.features if feature.name == "channel")
    assert channel.selected
    assert channel.members == tuple(f"channel={name}" for name in ("app", "phone", "shop", "web"))
    assert len(selection.selected) == 8
    assert sorted(feature.rank for feature in selection.features) == list(range(1, selection.n_features + 1))
    panel = next(panel for panel in selection.panels if panel.name == "channel")
    assert panel.direction.value == "web"
    assert Model.of(selection.model.restore(), selection.model.features) == selection.model


def test_candidates_have_their_id_and_the_columns_of_the_file(folder, selection):
    table = pl.read_csv(folder / "candidates.csv")
    assert table.columns[:3] == ["transaction_id", "rank", "lift"]
    assert set(table.columns[3:]) - {"confidence"} == set(selection.selected)
    assert table.height == selection.candidates.total
    assert table["lift"].is_sorted(descending=True)
    original = pl.read_csv(folder / "export.csv")
    joined = table.join(original, on="transaction_id", how="left")
    assert (joined["channel"] == joined["channel_right"]).all()
    assert joined["known_fraud"].null_count() == table.height
    assert selection.candidates.row_name == "transaction_id"
    assert list(selection.candidates.row)[:5] == table["transaction_id"].to_list()[:5]
    assert set(pl.read_csv(folder / "small.csv").columns) == {*selection.selected, "known_fraud"}


def test_apply_finds_the_same_candidates_in_the_same_rows(folder):
    done = call("apply", folder / "r.json", folder / "export.csv", "-o", folder / "again.parquet")
    assert done.exit_code == 0, done.output
    first, second = pl.read_csv(folder / "candidates.csv"), pl.read_parquet(folder / "again.parquet")
    assert second.height == pl.read_csv(folder / "export.csv").height
    assert second["rank"].to_list() == list(range(1, second.height + 1))
    assert set(first.columns) == set(second.columns)
    both = first.join(second, on="transaction_id")
    assert both.height == first.height
    assert np.abs((both["lift"] - both["lift_right"]).to_numpy()).max() < 0.01


def test_apply_remembers_what_names_the_rows(folder):
    table = pl.read_csv(folder / "export.csv")
    table.drop("transaction_id").write_csv(folder / "nameless.csv")
    assert call("apply", folder / "r.json", folder / "nameless.csv", "-o", folder / "rows.csv").exit_code == 0
    assert pl.read_csv(folder / "rows.csv").columns[:2] == ["row", "rank"]
    table.with_columns(transaction_id=pl.lit(7)).write_csv(folder / "same.csv")
    done = call("apply", folder / "r.json", folder / "same.csv")
    assert done.exit_code == 1
    assert "'transaction_id'" in done.output and "--id" in done.output
    assert call("apply", folder / "r.json", folder / "same.csv", "--id", "account").exit_code == 0
    assert call("apply", folder / "r.json", folder / "same.csv", "--id", "none").exit_code == 0


def test_apply_refuses_what_does_not_fit(folder):
    table = pl.read_csv(folder / "export.csv")
    table.drop("channel").write_csv(folder / "lacking.csv")
    table.rename({"channel": "chanel"}).write_csv(folder / "renamed.csv")
    (folder / "other.json").write_text(Comparison.of({"a": ["x"]}, {"a": 1.0}).to_json())
    cases = (("r", "lacking", "'channel'"), ("r", "renamed", "'chanel'"), ("other", "export", "comparison"))
    for result, data, said in cases:
        done = call("apply", folder / f"{result}.json", folder / f"{data}.csv")
        assert done.exit_code == 1
        assert said in done.output


def test_apply_to_rows_of_another_month(folder):
    other = make_fraud_export(n_rows=400, random_state=1)[0].drop(columns=["known_fraud", "is_fraud", "case_number"])
    for n_odd, code, said in ((4, 0, "note: "), (40, 0, "warning: "), (240, 1, "error: ")):
        odd = other.assign(channel=["fax"] * n_odd + other["channel"].tolist()[n_odd:])
        odd.to_csv(folder / "new.csv", index=False)
        done = call("apply", folder / "r.json", folder / "new.csv")
        assert done.exit_code == code, done.output
        assert ("400 rows" in done.output) == (code == 0)
        (line,) = (line for line in done.output.splitlines() if "'channel'" in line)
        assert line.startswith(said) and f"{n_odd} of 400" in line and "'fax'" in line


@pytest.mark.parametrize(("words", "named"), [
    (["--id", "imputed_1"], "'imputed_1'"),
    (["--use", "nope"], "'nope'"),
    (["--keep", "transaction_id", "--id", "transaction_id"], "'transaction_id'"),
    (["--candidates", "c.csv", "--method", "kbest"], "--candidates"),
])  # fmt: skip
def test_wrong_options_are_one_line_that_names_them(folder, words, named):
    done = call("select", folder / "export.csv", "-l", "known_fraud", "--prepare", *words)
    assert done.exit_code in (1, 2)
    assert named in done.output.splitlines()[-1]
