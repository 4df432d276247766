"""The API page lists names that exist, and the package those a user needs."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import puselect

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")


def listed_names():
    for block in re.findall(r"```\{eval-rst\}(.*?)```", PAGE, re.DOTALL):
        module = re.search(r"currentmodule:: (\S+)", block).group(1)
        yield from (f"{module}.{name}" for name in re.findall(r"^   ([A-Za-z_][\w.]*)$", block, re.MULTILINE))


@pytest.mark.parametrize("name", list(listed_names()))
def test_every_name_of_the_api_page_exists(name):
    module, _, attribute = name.rpartition(".")
    assert hasattr(import_module(module), attribute)


def test_the_names_of_the_api_page_are_those_that_were_promised():
    """A name that goes or moves breaks its users: change the stored list only with a line in the changelog."""
    promised = (Path(__file__).parent / "api_names.txt").read_text(encoding="utf-8").split()
    assert sorted(listed_names()) == promised


def test_public_names_are_loaded_when_they_are_used():
    for name in puselect.__all__:
        assert getattr(puselect, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        puselect.nothing  # noqa: B018
    assert set(puselect.__all__) <= set(dir(puselect))


def test_help_opens_with_the_parameters_of_every_day():
    everyday, expert = puselect.FSCPU.__doc__.split("Other Parameters")
    assert "n_features_to_select" in everyday
    assert "checkpoint" in everyday
    assert "covariance_type" in expert
    for name in puselect.FSCPU().get_params():
        assert re.search(rf"\b{name}\b.* : ", everyday + expert), name
