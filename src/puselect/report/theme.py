"""The look of every page we write: one base template, one style sheet, and scripts pinned by their hash."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from puselect._version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment, Template


class Link(NamedTuple):
    """An entry of the navigation at the top of a page."""

    anchor: str
    name: str


def page(title: str, body: str, links: Sequence[Link] = (), scripts: Sequence[str] = ()) -> str:
    """Return a whole HTML page that opens offline: nothing is fetched, and only our own scripts run.

    `body` is HTML, as `fragment` returns it, with the anchors of `links`; `scripts` are names of files in
    ``report/page``, run in this order after ``theme.js``.
    """
    script = "\n".join(_page_file(name) for name in ("theme.js", *scripts))
    return _template("base.html.j2").render(
        title=title,
        body=body,
        links=links,
        version=__version__,
        style=_page_file("theme.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def fragment(template: str, **values: Any) -> str:
    """Return part of a page from a template in ``report/page``; values are escaped."""
    return _template(template).render(**values)


@cache
def environment() -> "Environment":
    """Return the environment in which templates become parts of pages."""
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError as error:
        raise ImportError("reports need jinja2: pip install jinja2") from error
    return Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        loader=FunctionLoader(_page_file),
    )


def _template(name: str) -> "Template":
    return environment().get_template(name)


def _page_file(name: str) -> str:
    return (files("puselect.report") / "page" / name).read_text(encoding="utf-8")
