"""Sphinx configuration; `make docs` builds the documentation."""

import os
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from puselect import __version__

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:]+)\)")

project = "puselect"
author = "The puselect developers"
copyright = "the puselect developers, BSD-3-Clause"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["results"]
highlight_language = "text"  # blocks without a language are output; Python is named, and doctests are recognised

html_theme = "furo"
html_title = f"puselect {version}"
html_show_sphinx = False
html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", "")  # older versions name the newest to search engines
html_static_path = ["_static"]
html_css_files = ["guide.css"]

myst_heading_anchors = 3

autosummary_generate = True
templates_path = ["_templates"]
default_role = "literal"  # single backticks in docstrings
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's sections have them
numpydoc_show_class_members = False  # autodoc does it

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": r"\.py$",
    "download_all_examples": False,
    "abort_on_example_error": True,
    "reset_modules": (),
    "remove_config_comments": True,
    "write_computation_times": False,
}


def resolve_links(app: Sphinx, docname: str, content: list[str]) -> None:
    """Replace links to files outside the documentation by their paths."""
    pages, folder = Path(app.srcdir), (Path(app.srcdir) / docname).parent

    def resolved(link: re.Match[str]) -> str:
        text, target = link[1], (folder / link[2]).resolve()
        if not target.exists() or (target.is_file() and target.is_relative_to(pages)):
            return link[0]
        path = f"`{target.relative_to(ROOT)}`"
        return path if text.startswith("`") or not text else f"{text} ({path})"

    content[0] = LINK.sub(resolved, content[0])


def is_inherited(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Skip members inherited from scikit-learn, which documents them, and one of str that autodoc cannot format."""
    of_sklearn = str(getattr(member, "__module__", "")).startswith("sklearn")
    return True if of_sklearn or name == "maketrans" else None


def setup(app: Sphinx) -> None:
    app.connect("source-read", resolve_links)
    app.connect("autodoc-skip-member", is_inherited)
