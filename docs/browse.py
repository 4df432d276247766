"""Open every page of the built documentation in headless Chromium: make docs, then python docs/browse.py

Fails if a page can be scrolled sideways, light or dark, from a phone to a wide screen, or writes to the console. Needs
the extra `test`, and Chromium on the path.
"""

from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from screenshots import launch

BUILT = Path(__file__).parents[1] / "build" / "docs"
WIDTHS = (390, 768, 1024, 1200, 1440)
SOURCES = ("_modules", "_static", "_sources")


def main() -> None:
    pages = sorted(page for page in BUILT.rglob("*.html") if not set(SOURCES) & set(page.relative_to(BUILT).parts))
    if not pages:
        raise SystemExit(f"there is no documentation in {BUILT}: make docs")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        problems = [problem for scheme in ("light", "dark") for problem in browse(browser, pages, scheme)]
        browser.close()
    print(*problems, f"{len(pages)} pages, {len(problems)} problems", sep="\n")
    raise SystemExit(bool(problems))


def browse(browser: Any, pages: list[Path], scheme: str) -> list[str]:
    """Return what is wrong with the pages in light or dark colours."""
    view = browser.new_page(color_scheme=scheme)
    problems: list[str] = []
    view.on("console", lambda message: problems.append(f"{view.url}: {message.text}"))
    view.on("pageerror", lambda error: problems.append(f"{view.url}: {error}"))
    for page in pages:
        view.goto(page.as_uri())
        for width in WIDTHS:
            view.set_viewport_size({"width": width, "height": 900})
            needed = view.evaluate("document.documentElement.scrollWidth")
            if needed > width:
                problems.append(f"{page.relative_to(BUILT)}: {needed} px wide on a screen of {width} px, {scheme}")
    view.close()
    return problems


if __name__ == "__main__":
    main()
