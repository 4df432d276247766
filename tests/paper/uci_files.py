"""The open data sets on this machine, and archives as UCI packs them."""

import gzip
import io
import os
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

NAMES = ("spambase", "ionosphere", "rt_iot2022")


def data_home() -> Path:
    """The folder of the data sets; without one the test is skipped."""
    folder = os.environ.get("PUSELECT_DATA")
    if not folder or not all((Path(folder) / f"{name}.csv.gz").is_file() for name in NAMES):
        where = "on CI" if os.environ.get("CI") else "here"
        pytest.skip(f"open data sets are not tested {where}: PUSELECT_DATA names no folder that holds them")
    return Path(folder)


def csv_lines(data_home: Path, name: str) -> list[str]:
    return gzip.decompress((data_home / f"{name}.csv.gz").read_bytes()).decode().splitlines()


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED, compresslevel=1) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()
