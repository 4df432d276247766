"""Rehearse a release: build both distributions, check, install and use them: python docs/rehearse.py [PYTHON ...]

Wheels are built from the sdists. Each Python, this one and those from 3.11 on that are at hand unless named, gets an
empty environment, in which the README's commands and its Python are run as they stand. Needs a package index.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = "Scripts" if os.name == "nt" else "bin"
VERSIONS = [f"python3.{minor}" for minor in range(11, 16)]


def main(pythons: list[str]) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        wheel, paper = build(folder)
        for number, python in enumerate(pythons or at_hand()):
            rehearse(folder / str(number), python, wheel, paper)
        for file in sorted(folder.glob("dist/*")):
            print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


def at_hand() -> list[str]:
    """Return this Python and the others on the path that start, one of each version."""
    found = {version_of(sys.executable): sys.executable}
    for name in VERSIONS:
        path = shutil.which(name)
        if path and (version := version_of(path)):
            found.setdefault(version, path)
    return list(found.values())


def version_of(python: str) -> str:
    """Return "3.13", or nothing if it does not start."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


def build(folder: Path) -> tuple[Path, Path]:
    """Return the wheels of what is committed."""
    source = folder / "source"
    source.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "xf", "-", "-C", source], input=archive, check=True)
    programs = environment(folder / "tools", sys.executable, "build", "twine", "check-wheel-contents")
    for project in (source, source / "paper"):
        run(programs / "python", "-m", "build", project, "-o", folder / "dist")
    wheel, paper = (next(folder.glob(f"dist/{name}-*.whl")) for name in ("puselect", "puselect_paper"))
    run(programs / "python", "-m", "twine", "check", "--strict", *folder.glob("dist/*"))
    run(programs / "check-wheel-contents", wheel, paper)
    return wheel, paper


def rehearse(folder: Path, python: str, wheel: Path, paper: Path) -> None:
    """Install the wheels into an empty environment; run the README, a saved selection and a short study."""
    print(f"--- Python {version_of(python)}")
    folder.mkdir()
    programs = environment(folder / "clean", python, f"{wheel}[cli]", "pandas")
    run(programs / "puselect", "--version")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for line in "".join(blocks(readme, "sh")).replace("\\\n", "").splitlines():
        words = line.split("#")[0].split()
        run(programs / words[0], *words[1:], cwd=folder)
    for block in blocks(readme, "python"):
        run(programs / "python", "-c", block, cwd=folder)
    data = folder / "export.csv"
    run(programs / "puselect", "select", data, "-l", "known_fraud", "--prepare", "-k", 4, "--method", "kbest", "-q",
        "-o", folder / "result.json")  # fmt: skip
    run(programs / "puselect", "apply", folder / "result.json", data, "-o", folder / "rows.csv")
    run(programs / "python", "-m", "pip", "install", "--quiet", f"{wheel}[cli,fastcan,lightgbm,plot]", paper)
    run(programs / "puselect", "reproduce", "table1", "--quick", "--methods", "jsfs,kbest", "--folder", folder / "t1")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, flags=re.DOTALL)


def environment(folder: Path, python: str, *packages: str) -> Path:
    """Return the folder of programs of a new environment with some packages."""
    run(python, "-m", "venv", folder)
    run(folder / PROGRAMS / "python", "-m", "pip", "install", "--quiet", *packages)
    return folder / PROGRAMS


def run(*words: object, cwd: Path | None = None) -> None:
    shown = " ".join([Path(str(words[0])).name, *map(str, words[1:])]).splitlines()[0]
    print("$", shown[:100], flush=True)
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([str(word) for word in words], check=True, env=plain, cwd=cwd)


if __name__ == "__main__":
    main(sys.argv[1:])
