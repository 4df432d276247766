from dataclasses import replace

import pytest
from command_line import clusters_table

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.cli import check
from puselect.cli.check import CheckOptions, check_selection
from puselect.tables.loading import TableSpec, load_table


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("checked") / "d.csv"
    clusters_table().write_csv(path)
    return load_table(str(path), TableSpec("label"))


@pytest.fixture
def search(table):
    return FSCPU(3, max_iter=5, random_state=0).fit(table.X, table.y)


def checked(selector, table, fit_seconds, max_time=None, **options):
    """Return whether shuffled labels were compared, how often was selected again, and the number of notes."""
    found, notes = check_selection(selector, table, CheckOptions(**options), fit_seconds, max_time)
    stability = selector.result_.stability
    return found is not None, 0 if stability is None else stability.n_searches, len(notes)


@pytest.mark.parametrize(
    ("max_time", "outcome"),
    [(1450, (False, 0, 1)), (1700, (True, 3, 1)), (3000, (True, 8, 0)), (None, (True, 8, 0))],
)
def test_checks_get_the_time_that_a_search_of_1000_seconds_leaves(search, table, max_time, outcome):
    assert checked(search, table, 1000.0, max_time) == outcome


def test_checks_that_do_not_end_in_time_say_nothing(search, table):
    assert checked(search, table, 1e-9, 1e-3) == (False, 0, 2)


def test_no_checks_and_none_after_ctrl_c(search, table, monkeypatch):
    assert checked(search, table, 1.0, no_checks=True) == (False, 0, 0)
    monkeypatch.setattr(check, "interrupts", ["stopping"])
    assert checked(search, table, 1.0) == (False, 0, 1)


@pytest.mark.parametrize(
    ("fit_seconds", "options", "outcome"),
    [(0.1, {}, (False, 8, 0)), (10.0, {}, (False, 0, 1)), (10.0, {"searches": 2}, (False, 2, 0))],
)
def test_a_method_without_clusters_selects_again_if_that_is_quick_or_wanted(table, fit_seconds, options, outcome):
    assert checked(KBest(3).fit(table.X, table.y), table, fit_seconds, **options) == outcome


def test_one_label_is_too_few_to_select_again(table):
    y = table.y.copy()
    y[1:] = 0
    lonely = replace(table, y=y)
    assert checked(FSCPU(3, max_iter=5, random_state=0).fit(lonely.X, y), lonely, 1.0) == (True, 0, 1)
