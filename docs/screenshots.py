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
from puselect.datasets import make_fraud_table

IMAGES = Path(__file__).parent / "images"
SELECT = "--label known --drop diagnosis -k 6 --report"
MESSY = "--label known_fraud --prepare --id transaction_id --drop case_number,is_fraud --report"
TRUST = "--label known --report"
COMPARE = "--label known --truth diagnosis -k 6 --methods fscpu,semi-jmi,lasso,kbest --splits 20 --report"
OPEN = "() => { for (const part of document.querySelectorAll('details')) part.open = true; }"
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        table, selection, comparison = folder / "breast.csv", folder / "report.html", folder / "comparison.html"
        puselect("demo", "--table", table)
        puselect("select", table, *SELECT.split(), selection)
        puselect("compare", table, *COMPARE.split(), comparison)
        browser = launch(playwright)
        shoot_messy(browser, folder)
        shoot_fraud(browser, folder)
        shoot(browser, selection, "report-map", "#r0-map")
        shoot(browser, comparison, "report-compare")
        browser.close()


def launch(playwright: Any) -> Any:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    return playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])


def shoot_messy(browser: Any, folder: Path) -> None:
    """The report on the messy export of the README."""
    puselect("demo", "--messy", folder / "export.csv", "--seed", "5000")
    puselect("select", folder / "export.csv", *MESSY.split(), folder / "messy.html")
    shoot(browser, folder / "messy.html", "report-top")
    shoot(browser, folder / "messy.html", "report-features", "#r0-panels")


def shoot_fraud(browser: Any, folder: Path) -> None:
    """The report of docs/guide/trust.md."""
    table, y, _ = make_fraud_table(as_frame=True, random_state=5000)
    table.assign(known=y).to_csv(folder / "fraud.csv", index=False)
    report = folder / "fraud.html"
    puselect("select", folder / "fraud.csv", *TRUST.split(), report)
    shoot(browser, report, "report-number", "details:has([data-part=number])")
    shoot(browser, report, "report-again", ".which")


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
