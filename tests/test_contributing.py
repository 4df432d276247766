"""The lists of CONTRIBUTING.md, compared with the files."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

SECTIONS = dict(re.findall(r"^### A new (.*?)\n(.*?)(?=^##)", GUIDE, flags=re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", SECTIONS)
def test_files_named_in_a_list_exist(name):
    named = re.findall(r"`((?:src|paper|tests|docs)/[^`]+)`", SECTIONS[name])
    assert named
    for path in named:
        place = ROOT / path
        assert place.parent.is_dir() if "<name>" in path else place.is_file(), path
