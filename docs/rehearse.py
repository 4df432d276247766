"""Rehearse a release: build both distributions, check, install, use them: python docs/rehearse.py

Needs network access or a package index, for build, twine and check-wheel-contents.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXPORT = """
import sys
import polars as pl
from puselect.datasets import make_pu_clusters
X, y, _ = make_pu_clusters("40/3/1", n_negative=300, n_positive=60, n_relevant=4, n_irrelevant=4, random_state=0)
table = pl.DataFrame(X).with_columns(city=pl.Series(["Rome", "Oslo"] * (len(y) // 2)), known=pl.Series(y))
table.write_csv(sys.argv[1])
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, tools, clean = folder / "source", folder / "tools", folder / "clean"
        source.mkdir()
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "x", "-C", source], input=archive, check=True)
        python = environment(tools, "build", "twine", "check-wheel-contents")
        for project in (source, source / "paper"):
            run(python, "-m", "build", project, "-o", folder / "dist")
        wheel, paper = (next(folder.glob(f"dist/{name}-*.whl")) for name in ("puselect", "puselect_paper"))
        run(python, "-m", "twine", "check", "--strict", *folder.glob("dist/*"))
        run(tools / "bin" / "check-wheel-contents", wheel, paper)
        python = environment(clean, f"{wheel}[cli]")
        command = clean / "bin" / "puselect"
        run(command, "--version")
        run(python, "-c", EXPORT, folder / "export.csv")
        run(command, "select", folder / "export.csv", "-l", "known", "--prepare", "-k", 4, "-o", folder / "r.json",
            "--report", folder / "report.html")  # fmt: skip
        run(command, "apply", folder / "r.json", folder / "export.csv")
        run(clean / "bin" / "pip", "install", "--quiet", f"{wheel}[cli,fastcan,lightgbm,plot]", paper)
        run(command, "reproduce", "table1", "--quick", "--methods", "jsfs,kbest", "--folder", folder / "table1")
        for file in sorted(folder.glob("dist/*")):
            print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


def environment(folder: Path, *packages: str) -> Path:
    """Return the Python of a new environment with some packages."""
    venv.create(folder, with_pip=True)
    run(folder / "bin" / "pip", "install", "--quiet", *packages)
    return folder / "bin" / "python"


def run(*words: object) -> None:
    print("$", " ".join(Path(str(word)).name if i == 0 else str(word) for i, word in enumerate(words))[:100])
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([str(word) for word in words], check=True, env=plain)


if __name__ == "__main__":
    sys.exit(main())
