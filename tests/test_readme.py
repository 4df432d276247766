import re
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("remembered_fits")
ROOT = Path(__file__).parents[1]
QUICK_START = ROOT / "docs" / "guide" / "quickstart.md"
MADE = [ROOT / "docs" / name for name in ("gallery", "generated")]  # by `make docs`
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if not set(MADE) & set(page.parents)),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_python_block_runs_after_those_before_it(page, capsys, tmp_path, monkeypatch, few_steps):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "readme"}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(block, page.name, "exec"), names)


def test_every_extra_for_users_is_explained_and_no_other():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    rows = re.search(r"\| extra \|.*\n\|---\|---\|\n((?:\|.*\n)+)", QUICK_START.read_text(encoding="utf-8"))
    assert set(re.findall(r"^\| `(\w+)` \|", rows[1], flags=re.MULTILINE)) == extras


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_inside_the_project_leads_somewhere(page):
    for target in re.findall(r"(?<!\")\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_script_named_exists(page):
    for script in re.findall(r"python ((?:benchmarks|examples|docs)/\w+\.py)", page.read_text(encoding="utf-8")):
        assert (ROOT / script).exists(), script
