"""Make the pictures of reports in the guide, in headless Chromium: python docs/screenshots.py

Needs the extra `cli`, the dependency group `test`, and Chromium on the path.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from typer.testing import CliRunner

from puselect.cli import app

IMAGES = Path(__file__).parent / "images"
TABLE = "--label known_fraud --prepare --id transaction_id"
SELECT = f"{TABLE} --drop case_number,is_fraud --report"
COMPARE = f"{TABLE} --drop case_number --truth is_fraud -k 9 --methods fscpu,semi-jmi,lasso,kbest --splits 20 --report"
OPEN = "() => { for (const part of document.querySelectorAll('details')) part.open = true; }"
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        table, selection, comparison = (Path(name) / file for file in ("export.csv", "report.html", "comparison.html"))
        puselect("demo", "--messy", table)
        puselect("select", table, *SELECT.split(), selection)
        puselect("compare", table, *COMPARE.split(), comparison)
        browser = launch(playwright)
        shoot(browser, selection, "report-top")
        shoot(browser, selection, "report-features", "#r0-panels")
        shoot(browser, selection, "report-number", "details:has(.curves)")
        shoot(browser, selection, "report-again", ".which")
        shoot(browser, selection, "report-map", "#r0-map")
        shoot(browser, comparison, "report-compare")
        browser.close()


def launch(playwright: Any) -> Any:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    return playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])


def puselect(*words: str | Path) -> None:
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exit_code:
        raise SystemExit(done.output)


def shoot(browser: Any, report: Path, name: str, part: str | None = None) -> None:
    page = browser.new_page(viewport={"width": 1100, "height": 860})
    page.goto(report.as_uri())
    if part:
        page.evaluate(OPEN)
    page.evaluate(DRAWN)
    file = IMAGES / f"{name}.png"
    if part:
        page.locator(part).screenshot(path=file, style="section { padding: 1.5rem } .topbar { display: none }")
    else:
        page.screenshot(path=file)
    page.close()
    print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
