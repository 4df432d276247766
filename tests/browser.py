"""A page in headless Chromium, for the tests that open reports."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def missing(what: str) -> None:
    """Skip on a developer's machine, fail where everything is meant to be there."""
    message = f"reports are tested in a browser, and {what}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def chromium() -> Iterator[Any]:
    """Open a browser with one page, for all visits: a page takes as long to make as a report to load."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed: pip install --group test")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        missing("there is no Chromium on the path: apt install chromium, or your system's package")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


class Visit:
    """A file in a page of a given width and media; it remembers what went wrong and what was asked of the network."""

    def __init__(self, page: Any, file: Path, width: int = 1280, **media: Any) -> None:
        self.page = page
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.listeners = {
            "console": lambda message: self.problems.append(message.text),
            "pageerror": lambda error: self.problems.append(str(error)),
            "request": lambda request: self.requests.append(request.url),
        }
        page.set_viewport_size({"width": width, "height": 900 if width > 500 else 740})
        page.emulate_media(**{"color_scheme": "light", "reduced_motion": "no-preference", **media})
        for event, listener in self.listeners.items():
            page.on(event, listener)
        page.goto(file.as_uri())
        page.evaluate(TWO_FRAMES)

    def __enter__(self) -> "Visit":
        return self

    def __exit__(self, *error: object) -> None:
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
