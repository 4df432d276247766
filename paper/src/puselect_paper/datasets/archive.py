"""Find the file of an open data set, or download it once from the UCI Machine Learning Repository.

Nothing larger than the data set can be is read or unpacked, whatever a server or an archive says. That, and a checksum
of the data instead of UCI's archive, which is repacked now and then, is why no download library is used.
"""

import gzip
import hashlib
import io
import logging
import os
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from puselect.atomic import atomic_write

logger = logging.getLogger(__name__)

_BASE_URL = "https://archive.ics.uci.edu/static/public/"
_TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Source:
    """One data set: its CSV file as we keep it, and how UCI's archive becomes that file."""

    name: str
    sha256: str  # of the CSV, not of its compressed form
    n_bytes: int  # of the CSV
    archive: str  # address under the repository's base
    to_csv: Callable[[ZipFile], bytes]

    @property
    def csv_name(self) -> str:
        return f"{self.name}.csv.gz"

    @property
    def zip_name(self) -> str:
        return self.archive.rpartition("/")[2]

    @property
    def url(self) -> str:
        return _BASE_URL + self.archive

    @property
    def max_bytes(self) -> int:
        """More than UCI's archive and the files in it can take."""
        return 2 * self.n_bytes + 2**16


def fetch_csv(source: Source, data_home: str | os.PathLike[str] | None = None) -> bytes:
    """Return the verified CSV from the user's folder, else the cache, else UCI (then cached)."""
    folders = _folders(data_home)
    for folder in folders:
        if (folder / source.csv_name).is_file():
            return _read_csv(source, folder / source.csv_name)
        if (folder / source.zip_name).is_file():
            return _read_zip(source, folder / source.zip_name)
    content = _download(source, folders)
    _store(content, folders[-1] / source.csv_name)
    return content


def archive_lines(archive: ZipFile, start: str) -> list[bytes]:
    """Return the lines of the member whose file name begins with `start`, without line ends and blanks."""
    for name in archive.namelist():
        if name.rpartition("/")[2].lower().startswith(start.lower()):
            return [line for line in archive.read(name).splitlines() if line]
    raise ValueError(f"no file {start} among {archive.namelist()}")


def _folders(data_home: str | os.PathLike[str] | None) -> list[Path]:
    """Return where to look, the cache last."""
    chosen = data_home or os.environ.get("PUSELECT_DATA")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "puselect"
    return [Path(chosen).expanduser(), cache] if chosen else [cache]


def _read_csv(source: Source, path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            content = file.read(source.n_bytes + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is damaged ({error}): delete it. {_remedy(source)}") from error
    return _verified(source, content, str(path))


def _read_zip(source: Source, path: Path) -> bytes:
    with path.open("rb") as file:
        return _convert(source, file.read(source.max_bytes + 1), str(path))


def _convert(source: Source, zipped: bytes, origin: str) -> bytes:
    try:
        if len(zipped) > source.max_bytes:
            raise ValueError(f"it has more than {source.max_bytes} bytes")
        with ZipFile(io.BytesIO(zipped)) as archive:
            # no more than this is unpacked: a member ends where the directory says so
            if sum(member.file_size for member in archive.infolist()) > source.max_bytes:
                raise ValueError(f"it unpacks to more than {source.max_bytes} bytes")
            content = source.to_csv(archive)
    except (BadZipFile, ValueError, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise ValueError(
            f"{origin} is not UCI's archive of {source.name} ({error}). {_remedy(source)}"
        ) from error
    return _verified(source, content, origin)


def _verified(source: Source, content: bytes, origin: str) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise ValueError(
            f"{origin} does not hold the known {source.name} data: the sha256 of its CSV should be "
            f"{source.sha256}, got {found}. {_remedy(source)}"
        )
    return content


def _remedy(source: Source) -> str:
    return (
        f"Set PUSELECT_DATA to a folder that holds {source.csv_name}, or {source.zip_name} as downloaded "
        f"by hand from {source.url}"
    )


def _download(source: Source, folders: list[Path]) -> bytes:
    logger.info("downloading %s", source.url)
    try:
        with urllib.request.urlopen(source.url, timeout=_TIMEOUT_SECONDS) as response:
            zipped = response.read(source.max_bytes + 1)
            if response.length and len(zipped) <= source.max_bytes:
                raise IncompleteRead(zipped, response.length)
    except (OSError, HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()  # it holds the connection
        looked = " and ".join(str(folder) for folder in folders)
        raise OSError(
            f"{source.csv_name} was not found in {looked}, and {source.url} could not be downloaded "
            f"({error}). {_remedy(source)}"
        ) from error
    return _convert(source, zipped, source.url)


def _store(content: bytes, path: Path) -> None:
    """Write the file to the cache; if that is not possible, log it and go on."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(gzip.compress(content, compresslevel=6, mtime=0))
    except OSError as error:
        logger.warning("%s could not be kept in the cache: %s", path, error)
