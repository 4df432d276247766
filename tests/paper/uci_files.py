"""The open data sets on this machine, and UCI's archives rebuilt from them."""

import gzip
import hashlib
import io
import os
from collections import Counter
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

NAMES = ("spambase", "ionosphere", "rt_iot2022")
# sha256 of the files as UCI distributes them
ORIGINALS = {
    "spambase.data": "b1ef93de71f97714d3d7d4f58fc9f718da7bbc8ac8a150eff2778616a8097b12",
    "ionosphere.data": "46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd",
    "RT_IOT2022": "956956c09c1764584fa08acd0f6876475626bcedcd6a6b1f8c492c2e9a2089ea",
}


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


def uci_archive(name: str, lines: list[str]) -> bytes:
    """Return the archive that UCI distributes, rebuilt from the lines of our CSV."""
    header, *rows = lines
    if name == "spambase":
        names = "| 48 continuous real [0,100] attributes of type word_freq_WORD\n1, 0.    | spam, non-spam\n\n"
        names += "".join(f"{column + ':':<24}continuous.\n" for column in header.split(",")[:-1])
        data = {"spambase.data": "".join(f"{row}\r\n" for row in rows).encode()}
        others = {"spambase.DOCUMENTATION": b"", "spambase.names": names.encode()}
    elif name == "ionosphere":
        data = {"ionosphere.data": "".join(f"{row}\n" for row in rows).encode()}
        others = {"Index": b"", "ionosphere.names": b"1. Title"}
    else:
        seen: Counter[str] = Counter()
        numbered = [f",{header}"]
        for row in rows:
            attack = row.rpartition(",")[2]
            numbered.append(f"{seen[attack]},{row}")
            seen[attack] += 1
        data, others = {"RT_IOT2022": "".join(f"{row}\r\n" for row in numbered).encode()}, {}
    assert all(hashlib.sha256(content).hexdigest() == ORIGINALS[member] for member, content in data.items())
    return zipped(others | data)
