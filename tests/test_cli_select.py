import contextlib
import json
import re
import signal
import subprocess
import time

import numpy as np
import polars as pl
import pytest
from command_line import (
    ENVIRONMENT,
    SLOWLY,
    clusters_table,
    in_shell,
    noise_table,
    puselect,
    puselect_in_terminal,
    puselect_signalled,
)
from typer.testing import CliRunner

from puselect import FSCPU, cli
from puselect.cli import progress
from puselect.report import Selection, summarise

runner = CliRunner()
SIGNALS = {"signal 0", "signal 1", "signal 2"}


@pytest.fixture
def folder(tmp_path, monkeypatch, few_steps):
    """A folder with the table d.csv, to work in."""
    monkeypatch.chdir(tmp_path)
    clusters_table().write_csv("d.csv")
    return tmp_path


def select(*words, code=0):
    """Run select without checks on d.csv in this process."""
    return select_and_check("--no-checks", *words, code=code)


def select_and_check(*words, code=0):
    """Run select on d.csv in this process."""
    done = runner.invoke(cli.app, ["select", "d.csv", "--label", "label", *map(str, words)])
    assert done.exit_code == code, done.output
    return done


def selected(*words):
    return json.loads(select("--json", "--quiet", *words).stdout)["selected"]


def test_a_csv_becomes_a_selection_a_smaller_table_and_a_report(folder):
    words = ("--no-checks", "-k", 3, "-o", "s.json", "--data-out", "small.parquet", "--report", "r.html", "--seed", 4)
    done = puselect("select", "d.csv", "--label", "label", *words)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert all(name in done.stdout for name in SIGNALS)
    assert "400 rows, 7 of 7 columns usable as features, 40 rows with label = 1" in done.stderr
    selection = Selection.from_json((folder / "s.json").read_text())
    assert set(selection.selected) == SIGNALS
    assert selection.command == f"puselect select d.csv --label label {' '.join(map(str, words))}"
    assert pl.read_parquet("small.parquet").equals(clusters_table().select(*sorted(SIGNALS), "label"))
    assert "signal 0" in (folder / "r.html").read_text()
    assert {path.name for path in folder.iterdir()} == {"d.csv", "s.json", "small.parquet", "r.html"}


def test_the_command_does_what_the_library_does(folder):
    done = select("-k", 3, "--json", "--seed", 7, "--jobs", 1)
    selection, table = json.loads(done.stdout), clusters_table()
    selector = FSCPU(3, random_state=7).fit(table.drop("label").to_numpy(), table["label"].to_numpy())
    order = np.argsort(selector.ranking_)
    assert selection["selected"] == [table.columns[i] for i in order if selector.support_[i]]
    assert selection["objective"] == pytest.approx(selector.objective_)


def test_in_a_terminal_it_shows_a_bar_and_colours(folder):
    words = ("select", "d.csv", "--label", "label", "-k", 3, "--max-iter", 20, "--no-checks")
    code, seen = puselect_in_terminal(*words, cwd=folder, code=SLOWLY)  # long enough for a bar
    assert code == 0, seen
    assert all(part in seen for part in ("decided", "objective", "━", "\x1b[", "signal 0"))


def press_ctrl_c(*_):
    signal.raise_signal(signal.SIGINT)


class TestInterrupted:
    def test_ctrl_c_in_a_terminal_keeps_the_best_so_far(self, tmp_path):
        noise_table().write_csv(tmp_path / "n.csv")
        words = ("select", "n.csv", "--label", "label", "-k", 12, "-o", "s.json")
        code, seen = puselect_in_terminal(*words, cwd=tmp_path, press=(b"s left", b"\x03"), code=SLOWLY)
        assert code == 0, seen
        assert "interrupted after" in seen
        assert "Traceback" not in seen
        selection = Selection.from_json((tmp_path / "s.json").read_text())
        assert len(selection.selected) == 12
        assert any("best so far" in note for note in selection.notes)

    @pytest.mark.parametrize("is_pressed", [True, False])
    def test_compiled_code_that_replaces_ctrl_c_by_its_own_error_does_not_hide_it(
        self, folder, monkeypatch, is_pressed
    ):
        def compare(*_):
            with contextlib.suppress(KeyboardInterrupt):
                if is_pressed:
                    press_ctrl_c()
            raise TypeError("Cannot compare")

        monkeypatch.setattr(FSCPU, "fit", compare)
        last = select("-k", 3, code=1).stderr.splitlines()[-1]
        assert ("interrupted; nothing was written" in last) is is_pressed
        assert ("this is a bug" in last) is not is_pressed

    @pytest.mark.parametrize(("place", "code", "said"), [
        ("puselect.fscpu.selector.FSCPU.fit", 1, "stopping; press Ctrl-C again to abort"),
        ("puselect.fscpu.search_run.run_searches", 0, "interrupted after 0 of at most"),
        ("puselect.report.summarise", 0, "writing the result"),
        ("puselect.cli.summary.print_selection", 1, "error: interrupted; written: s.json"),
    ])  # fmt: skip
    def test_ctrl_c_at_any_moment_is_acknowledged_and_what_is_there_is_written(
        self, folder, monkeypatch, place, code, said
    ):
        def pressed(*words, **settings):
            press_ctrl_c()
            return summarise(*words, **settings)

        monkeypatch.setattr(place, pressed)
        done = select("-k", 3, "-o", "s.json", code=code)
        assert said in done.stderr
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if "fit" in place:
            assert done.stderr.splitlines()[-1] == "error: interrupted; nothing was written"
            assert not (folder / "s.json").exists()
        else:
            assert len(Selection.from_json((folder / "s.json").read_text()).selected) == 3

    def test_kill_leaves_the_checkpoint_alone_and_the_next_run_ends_as_if_nothing_had_happened(self, tmp_path):
        table = noise_table()
        table.write_csv(tmp_path / "n.csv")
        words = ("select", "n.csv", "--label", "label", "-k", 8, "--max-iter", 60, "--no-checks", "-o", "s.json",
                 "--quiet", "--checkpoint", "c")
        killed = puselect_signalled(signal.SIGTERM, tmp_path / "c", *words, cwd=tmp_path)
        assert killed.returncode == 128 + signal.SIGTERM
        assert {path.name for path in tmp_path.iterdir()} == {"n.csv", "c"}
        assert puselect(*words, cwd=tmp_path).returncode == 0
        resumed = Selection.from_json((tmp_path / "s.json").read_text())
        whole = FSCPU(8, max_iter=60, random_state=0).fit(table.drop("label").to_numpy(), table["label"].to_numpy())
        ranked = whole.probabilities_[np.argsort(whole.ranking_)]
        assert [feature.score for feature in resumed.features] == ranked.tolist()
        assert resumed.objective == whole.objective_

    @pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
    def test_a_copy_of_standard_input_is_removed_and_ctrl_c_needs_no_terminal(self, tmp_path, number):
        (tmp_path / "scratch").mkdir()
        noise_table().write_csv(tmp_path / "n.csv")
        words = ("select", "-", "--label", "label", "-k", 12, "--json", "--checkpoint", "c", "--no-checks")
        with (tmp_path / "n.csv").open() as table:
            done = puselect_signalled(
                number, tmp_path / "c", *words, cwd=tmp_path, stdin=table, temporary=tmp_path / "scratch"
            )
        assert list((tmp_path / "scratch").iterdir()) == []
        assert done.returncode == (0 if number == signal.SIGINT else 128 + number)
        if number == signal.SIGINT:
            assert len(Selection.from_json(done.stdout).selected) == 12
            assert "note: interrupted after" in done.stderr


class TestNumber:
    def test_enough_features_by_default(self, folder):
        default = json.loads(select("--max-iter", 5, "--json").stdout)
        asked = json.loads(select("-k", "auto", "--max-iter", 5, "--json").stdout)
        related = json.loads(select("-k", "related", "--max-false", 0.1, "--max-iter", 5, "--json").stdout)
        assert default["selected"] == asked["selected"]
        assert set(default["selected"]) >= SIGNALS
        assert default["path"]["code"] == "chosen"
        assert len(related["selected"]) == default["path"]["n_related"]
        assert default["path"] | {"n_features": 0} == related["path"] | {"n_features": 0}

    def test_three_labels_are_said_to_be_too_few(self, folder):
        clusters_table().with_columns(label=pl.int_range(400) < 3).write_csv("d.csv")
        done = select("-o", "s.json", "--max-iter", 5, "--candidates", "c.csv")
        assert "3 independent labels are too few" in done.stderr
        assert "nothing shows that rows of c.csv" in done.stderr
        assert "how many" in done.stdout and "A guess" in done.stdout
        assert Selection.from_json((folder / "s.json").read_text()).path.code == "too_few_labels"

    def test_all_features_are_no_choice_and_half_of_them_are_selected_by_a_method_without_a_number(self, folder):
        done = select("-k", 7, "--report", "r.html")
        assert "note: -k 7 selects all features" in done.stderr
        assert "More than half" in done.stdout
        done = select("--method", "kbest", "-o", "s.json")
        assert "note: kbest finds no number by itself: selecting 4" in done.stderr
        assert len(Selection.from_json((folder / "s.json").read_text()).selected) == 4

    @pytest.mark.parametrize(("words", "named"), [
        (("-k", 3, "--max-false", 0.2), "needs -k auto"),
        (("-k", "auto", "--method", "lasso"), "-k auto"),
        (("--max-false", 0.2, "--method", "lasso"), "--max-false"),
        *((("-k", wrong), "auto or related") for wrong in ("0", "half", "-2", "1.5")),
        (("-k", 3, "--max-iter", 5, "--method", "kbest"), "--max-iter"),
        (("-k", 3, "--max-time", 0), "--max-time"),
        (("-k", 3, "--max-time", 9, "--method", "kbest"), "--max-time"),
        (("--searches", 3), "--searches"),
    ])  # fmt: skip
    def test_what_does_not_go_together_is_refused(self, folder, words, named):
        assert named in select(*words, code=2).stderr

    def test_budget_and_costs(self, folder):
        colours = pl.Series(["red", "green", "blue", "blue"] * 100)
        clusters_table().with_columns(colour=colours).write_csv("d.csv")
        (folder / "costs.csv").write_text("feature,cost\nsignal 0,10\ncolour,5\n*,1\n")
        done = select("--prepare", "--budget", 2, "--costs", "costs.csv", "-o", "s.json")
        found = Selection.from_json((folder / "s.json").read_text())
        assert set(found.selected) == {"signal 1", "signal 2"}
        costs = {feature.name: feature.cost for feature in found.features}
        assert (costs["colour"], costs["signal 0"], costs["noise 0"]) == (5, 10, 1)  # an encoded column: its source's
        assert "cost" in done.stdout and "The budget buys these, for 2." in done.stdout


class TestOptions:
    def test_steps_time_columns_and_the_method_can_be_chosen(self, folder):
        assert json.loads(select("-k", 3, "--max-iter", 5, "--json").stdout)["search"]["n_iter"] == 5
        done = select("-k", 3, "--max-time", 1e-6, "--json")
        found = json.loads(done.stdout)
        assert found["search"]["n_iter"] == 0
        assert "timed-out" in {finding["code"] for finding in found["findings"]}
        assert "signal 1" not in selected("-k", 3, "--drop", "signal 1")
        assert "noise 2" in selected("-k", 3, "--keep", "noise 2")
        assert "lasso selects " in select("-k", 3, "--method", "lasso").stdout

    def test_rows_of_a_group_belong_together_in_a_search(self, folder):
        clusters_table().with_columns(ward=pl.lit(1), patient=pl.int_range(400) // 2).write_csv("d.csv")
        assert "two groups" in select("-k", 3, "--row-group", "ward", code=1).stderr
        assert set(selected("-k", 3, "--drop", "ward", "--row-group", "patient")) == SIGNALS

    def test_a_selection_is_checked_unless_that_is_left_out(self, folder):
        done = select_and_check("-k", 3, "-o", "s.json", "--searches", 2, "--shuffles", 21)
        assert re.search(r"trust  .*p = 0\.0", done.stdout)
        assert "selected again" in done.stdout and " of 2" in done.stdout
        checked = Selection.from_json((folder / "s.json").read_text())
        assert (checked.suitability.n_shuffles, checked.stability.n_searches) == (21, 2)
        assert sum(checked.stability.frequency) == pytest.approx(3)
        select("-k", 3, "-o", "s.json", "--quiet")
        plain = Selection.from_json((folder / "s.json").read_text())
        assert (plain.suitability, plain.stability) == (None, None)
        assert plain.selected == checked.selected
        assert "--shuffles" in select_and_check("--shuffles", 18, code=2).stderr
        assert "--shuffles" in select_and_check("--shuffles", 19, "--method", "lasso", code=2).stderr

    def test_candidates_of_a_sample_have_the_numbers_of_the_file(self, folder):
        done = select("-k", 3, "--max-rows", 200, "--json", "--data-out", "all.csv")
        assert "200 of 400" in done.stderr
        assert pl.read_csv("all.csv").height == 400
        found = json.loads(done.stdout)["candidates"]
        rows = clusters_table()[found["row"]].select(found["columns"]).rows()
        assert len(rows) > 5
        assert np.allclose(rows, found["values"], rtol=1e-5)

    def test_a_named_positive_value_and_filled_values(self, folder):
        mark = pl.when(pl.col("label") == 1).then(pl.lit("fraud")).otherwise(None)
        holes = pl.when(pl.int_range(400) > 5).then(pl.col("signal 0")).alias("signal 0")
        clusters_table().with_columns(holes, label=mark).write_csv("d.csv")
        assert "signal 0 (6)" in select("-k", 3, "--prepare").stderr
        assert set(selected("-k", 3, "--positive", "fraud", "--prepare")) == SIGNALS

class TestAnswer:
    def test_comes_in_plain_words(self, folder):
        out = select("-k", 3).stdout
        heads = re.findall(r"^ +(how many|trust|cluster 1|to do|next)  ", out, flags=re.MULTILINE)
        assert heads == ["how many", "trust", "cluster 1", "to do", "next"]
        assert not re.search("objective|probability|standard error|the cut", out)
        assert "next  add --report report.html" in out

    def test_of_long_lists_the_rest_is_counted(self, folder):
        constant = {f"constant {i}": pl.lit(i) for i in range(14)}
        clusters_table(n_noise=50).with_columns(**constant).write_csv("d.csv")
        out = select("-k", 45, "--method", "kbest").stdout
        assert "and 5 more" in out
        assert "and 2 more columns" in out


class TestFiles:
    def test_each_file_is_written_on_its_own_and_what_fails_is_said_last(self, folder, monkeypatch):
        def full_disk(*_):
            raise OSError(28, "No space left on device")

        (folder / "small.csv").write_text("old")
        for module in ("loading", "files"):
            monkeypatch.setattr(f"puselect.tables.{module}.write_table", full_disk)
        words = ("-o", "s.json", "--data-out", "small.csv", "--candidates", "c.csv", "--report", "r.html")
        done = select("-k", 3, *words, code=1)
        reasons = [f"{name} was not written: no space left on device" for name in ("small.csv", "c.csv")]
        assert done.stderr.splitlines()[-1] == f"error: {'; '.join(reasons)}"
        assert re.findall("written +(.*)", done.stdout) == ["s.json", "r.html"]
        assert len(Selection.from_json((folder / "s.json").read_text()).selected) == 3
        assert (folder / "small.csv").read_text() == "old"
        assert {path.name for path in folder.iterdir()} == {"d.csv", "s.json", "small.csv", "r.html"}

    def test_a_selected_duration_is_written_to_csv(self, folder):
        spans = pl.int_range(400, eager=True).cast(pl.Duration("us")) * 1_000_000
        clusters_table().with_columns(wait=spans).write_parquet(folder / "d.parquet")
        words = ("--label", "label", "-k", "3", "--keep", "wait", "--candidates", "c.csv", "--data-out", "o.csv.gz")
        assert runner.invoke(cli.app, ["select", "d.parquet", "--no-checks", *words]).exit_code == 0
        assert pl.read_csv(folder / "o.csv.gz")["wait"][:2].to_list() == ["PT0S", "PT1S"]
        row, wait = pl.read_csv(folder / "c.csv").select("row", "wait").row(0)
        assert wait == f"PT{row // 60}M{row % 60}S".replace("PT0M", "PT")

    def test_columns_called_as_ours_keep_their_names_and_their_values_in_candidates(self, folder):
        names = {"signal 0": "row", "signal 1": "lift"}
        clusters_table().rename(names).write_csv("d.csv")
        select("-k", 3, "-o", "s.json", "--candidates", "c.csv", "--quiet")
        assert runner.invoke(cli.app, ["apply", "s.json", "d.csv", "-o", "a.csv"]).exit_code == 0
        for name in ("c.csv", "a.csv"):
            table = pl.read_csv(name)
            assert table.drop("confidence").columns == ["row_", "rank", "lift_", "row", "lift", "signal 2"]
            chosen = pl.read_csv("d.csv")[table["row_"].to_list()]
            assert table.select("row", "lift").equals(chosen.select("row", "lift"))
        clusters_table().with_columns(lift=pl.int_range(1000, 1400)).write_csv("d.csv")
        assert select("-k", 3, "--id", "lift", "--candidates", "c.csv", "--quiet").output == ""
        table = pl.read_csv("c.csv")
        assert table.columns[:3] == ["lift", "rank", "lift_"]
        assert table["lift"].is_between(1000, 1399).all()

    def test_without_a_model_of_the_rows_they_stay_in_the_order_of_the_file(self, folder):
        select("-k", 3, "--method", "kbest", "-o", "s.json", "--quiet")
        assert runner.invoke(cli.app, ["apply", "s.json", "d.csv", "-o", "a.csv", "--quiet"]).output == ""
        assert pl.read_csv("a.csv").equals(pl.read_csv("d.csv", columns=sorted(SIGNALS)))

    def test_names_and_ids_reach_the_terminal_as_they_are_without_control_characters(self, folder):
        ids = [f"\x1b[2J\x9b1mé{i}" for i in range(400)]
        names = {"signal 0": "größe [bold]", "signal 1": "<script>", "signal 2": "重さ\x1b[31m"}
        clusters_table().rename(names).with_columns(key=pl.Series(ids)).write_parquet("d.parquet")
        call = ["select", "d.parquet", "--label", "label", "--id", "key", "-k", "3", "--no-checks", "-o", "s.json"]
        shown = [runner.invoke(cli.app, [*call, *more]) for more in ([], ["--json"])]
        shown.append(runner.invoke(cli.app, ["apply", "s.json", "d.parquet", "--id", "key"]))
        repeated = pl.read_parquet("d.parquet").with_columns(key=pl.lit(ids[0]))
        repeated.write_parquet("d.parquet")
        shown.append(runner.invoke(cli.app, [*call, "--debug"]))
        assert [done.exit_code for done in shown] == [0, 0, 0, 1]
        assert not any(set("\x1b\x9b") & set(done.output) for done in shown)
        assert all("1mé" in done.output for done in shown)
        assert all(name in shown[0].stdout for name in ("größe [bold]", "<script>", "重さ?[31m"))
        assert Selection.from_json(shown[1].stdout).candidates.row[0] in ids

def test_pipes_named_pipes_and_gzip_from_standard_input(folder):
    options = "--label label -k 3 --method kbest --no-checks --json --quiet"
    shell = (
        f"mkfifo pipe; cat d.csv > pipe & {in_shell()} select pipe {options} > a.json; "
        f"gzip -c d.csv | {in_shell()} select - {options} | cat > b.json"
    )
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, env=ENVIRONMENT, cwd=folder)
    assert done.stderr == ""
    for name in ("a.json", "b.json"):
        assert set(Selection.from_json((folder / name).read_text()).selected) == SIGNALS


def test_nothing_is_silent_for_long_however_short_its_parts(capsys, monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.25)
    for part in range(6):
        with progress.working(f"part {part}"):
            time.sleep(0.2)
    assert len(re.findall(r"part \d \(", capsys.readouterr().err)) >= 2
    monkeypatch.setattr(progress.messages, "quiet", True)
    with progress.working("nothing"):
        time.sleep(0.4)
    assert capsys.readouterr().err == ""
