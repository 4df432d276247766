"""The lists of CONTRIBUTING.md and the call paths of the architecture page, compared with the code."""

import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")

SECTIONS = dict(re.findall(r"^### A new (.*?)\n(.*?)(?=^##)", GUIDE, flags=re.MULTILINE | re.DOTALL))
STEPS = re.findall(r"^\d+\. `([\w.]+)`:", ARCHITECTURE, flags=re.MULTILINE)


def steps(section):
    return re.findall(r"^\d+\. `([^`]+)`", section, flags=re.MULTILINE)


def test_there_are_six_additions_and_the_table_counts_their_files():
    counted = re.findall(r"^\| ([\w ]+) \| \d+ \| (\d+) \|$", GUIDE, flags=re.MULTILINE)
    assert {name: int(n) for name, n in counted} == {
        name: len(steps(section)) for name, section in SECTIONS.items()
    }
    assert len(counted) == 6


@pytest.mark.parametrize("name", SECTIONS)
def test_files_named_in_a_list_exist(name):
    named = re.findall(r"`((?:src|paper|tests|docs)/[^`]+)`", SECTIONS[name])
    assert named
    for path in named:
        place = ROOT / path
        assert place.parent.is_dir() if "<name>" in path else place.is_file(), path


@pytest.mark.parametrize("step", STEPS)
def test_every_step_of_a_call_path_is_there(step):
    parts = step.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(["puselect", *parts[:end]]))
        except ModuleNotFoundError:
            continue
        assert callable(reduce(getattr, parts[end:], found))
        return
    pytest.fail(f"no module in {step}")


def test_both_ways_of_data_are_described():
    assert len(STEPS) > 20
