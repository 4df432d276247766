"""The call paths of the architecture page, compared with the functions that a fit and a command pass."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from puselect.datasets import make_pu_clusters

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")
FIT, SELECT = "From an array to a mask", "From a file to a report"
MOST_FILES = {FIT: 35, SELECT: 75}

# Each path runs twice: what the second run passes is not the import of modules.
TRACER = """
import json, os, sys, threading
from pathlib import Path
import numpy as np
import puselect
from puselect import FSCPU
from puselect.cli import main
from puselect.search import progress

progress.LOG_SECONDS = 1e9  # nothing is logged, however slow the machine is
ROOT = os.path.dirname(puselect.__file__) + os.sep
passed = {}

def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(ROOT):
        module = code.co_filename.removeprefix(ROOT).removesuffix(".py").replace(os.sep, ".").removesuffix(".__init__")
        passed.setdefault((module, code.co_qualname), None)

def fit():
    table = np.loadtxt("data.csv", delimiter=",", skiprows=1)
    FSCPU(9, random_state=0).fit(table[:, :-1], table[:, -1])

def select():
    sys.argv = ["puselect", "select", "data.csv", "--label", "known", "-k", "9", "--report", "report.html"]
    try:
        main()
    except SystemExit as end:
        assert not end.code, end.code

found = []
for path in (fit, select):
    path()
    passed.clear()
    threading.setprofile(note)
    sys.setprofile(note)
    path()
    sys.setprofile(None)
    threading.setprofile(None)
    found.append(list(passed))
Path("passed.json").write_text(json.dumps(found))
"""


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## )", PAGE, flags=re.MULTILINE | re.DOTALL)[1]


def steps(title):
    """Return the functions that a path of the page names as steps."""
    return re.findall(r"^\d+\. `([\w.]+)`:", section(title), flags=re.MULTILINE)


@pytest.fixture(scope="module")
def passed(tmp_path_factory):
    """Return the functions that each path passes, as (module, name), in the order of their first calls."""
    folder = tmp_path_factory.mktemp("paths")
    X, y, _ = make_pu_clusters(
        "40/8/1", n_negative=400, n_positive=100, n_relevant=9, n_irrelevant=9, random_state=0
    )
    names = ",".join([*(f"c{i}" for i in range(18)), "known"])
    np.savetxt(folder / "data.csv", np.column_stack([X, y]), "%.5g", delimiter=",", header=names, comments="")
    subprocess.run([sys.executable, "-c", TRACER], cwd=folder, check=True, capture_output=True, timeout=180)
    fit, select = json.loads((folder / "passed.json").read_text())
    return {FIT: [tuple(each) for each in fit], SELECT: [tuple(each) for each in select]}


@pytest.mark.parametrize("title", [FIT, SELECT])
def test_the_steps_of_the_page_are_passed_in_their_order(passed, title):
    places = {f"{module}.{name}": place for place, (module, name) in enumerate(passed[title])}
    missing = [step for step in steps(title) if step not in places]
    assert not missing
    order = [places[step] for step in steps(title)]
    assert order == sorted(order)
    assert len(order) > 10


@pytest.mark.parametrize("title", [FIT, SELECT])
def test_the_page_names_every_module_that_is_passed_and_a_path_passes_few_files(passed, title):
    named = set(re.findall(r"`([\w.]+)`", section(title)))
    if title == SELECT:
        named |= set(re.findall(r"`([\w.]+)`", section(FIT)))
    unnamed = {module for module, _ in passed[title] if not any(f"{name}.".startswith(f"{module}.") for name in named)}
    assert not unnamed
    assert len({module for module, _ in passed[title]}) <= MOST_FILES[title]
