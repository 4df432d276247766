"""The open data sets on this machine, and UCI's archives rebuilt from them."""

import gzip
import hashlib
import io
import os
from collections import Counter
from collections.abc import Callable
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


def original(name: str, content: bytes) -> bytes:
    """The content, once it is sure that this is what UCI distributes."""
    assert hashlib.sha256(content).hexdigest() == ORIGINALS[name]
    return content


def crlf(lines: list[str]) -> bytes:
    return "".join(f"{line}\r\n" for line in lines).encode()


def spambase_archive(lines: list[str]) -> bytes:
    names = "| 48 continuous real [0,100] attributes of type word_freq_WORD\n1, 0.    | spam, non-spam\n\n"
    names += "".join(f"{name + ':':<24}continuous.\n" for name in lines[0].split(",")[:-1])
    data = original("spambase.data", crlf(lines[1:]))
    return zipped({"spambase.DOCUMENTATION": b"", "spambase.data": data, "spambase.names": names.encode()})


def ionosphere_archive(lines: list[str]) -> bytes:
    data = original("ionosphere.data", "".join(f"{line}\n" for line in lines[1:]).encode())
    return zipped({"Index": b"", "ionosphere.data": data, "ionosphere.names": b"1. Title"})


def rt_iot2022_lines(lines: list[str], number_heading: str) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = [f"{number_heading},{lines[0]}"]
    for line in lines[1:]:
        attack = line.rpartition(",")[2]
        numbered.append(f"{seen[attack]},{line}")
        seen[attack] += 1
    return numbered


def rt_iot2022_archive(lines: list[str]) -> bytes:
    return zipped({"RT_IOT2022": original("RT_IOT2022", crlf(rt_iot2022_lines(lines, "")))})


MAKE_ARCHIVE: dict[str, Callable[[list[str]], bytes]] = {
    "spambase": spambase_archive,
    "ionosphere": ionosphere_archive,
    "rt_iot2022": rt_iot2022_archive,
}
