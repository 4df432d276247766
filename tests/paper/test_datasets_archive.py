import gzip
import hashlib
import io
import os
import re
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zipfile import ZipFile

import pytest
from uci_files import zipped

from puselect_paper.datasets import archive, open_data
from puselect_paper.datasets.archive import Source, archive_lines, fetch_csv

CSV = b"a,b,class\n" + b"1,2,g\n3,4,b\n" * 300
ARCHIVE = zipped({"Index": b"", "tiny.data": CSV})


def tiny_csv(archive):
    return b"".join(line + b"\n" for line in archive_lines(archive, "tiny.data"))


TINY = Source("tiny", hashlib.sha256(CSV).hexdigest(), len(CSV), "7/tiny.zip", tiny_csv)


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    """An empty cache, and no other place where the data could be found."""
    monkeypatch.delenv("PUSELECT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setattr(archive, "_BASE_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/")
    return tmp_path / "cache" / "puselect"


class Site(ThreadingHTTPServer):
    """A local stand-in for UCI's site that remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.pages: dict[str, bytes] = {"7/tiny.zip": ARCHIVE}
        self.missing_bytes = 0
        self.requests: list[str] = []


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        page = self.server.pages.get(self.path[1:])
        if page is None:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Length", str(len(page) + self.server.missing_bytes))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site(cache, monkeypatch) -> Iterator[Site]:
    with Site() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setattr(archive, "_BASE_URL", f"http://127.0.0.1:{server.server_port}/")
        yield server
        server.shutdown()
        thread.join()


SPAM_NAMES = b"| 48 attributes\n1, 0.    | spam, non-spam\n\nword_freq_make:  continuous.\nchar_freq_;:  continuous.\n"
ATTRIBUTES = ",".join([*(f"Attribute{number}" for number in range(1, 35)), "class"]).encode()
ARCHIVES = {  # the members that UCI packs, shortened, and the CSV
    "spambase": ({"spambase.DOCUMENTATION": b"", "spambase.names": SPAM_NAMES, "spambase.data": b"0,.5,1\r\n"},
                 b"word_freq_make,char_freq_;,spam\n0,.5,1\n"),
    "ionosphere": ({"Index": b"", "ionosphere.data": b"1,0,g\n0,1,b\n"}, ATTRIBUTES + b"\n1,0,g\n0,1,b\n"),
    "rt_iot2022": ({"RT_IOT2022": b",a,Attack_type\r\n0,5,x\r\n0,6,y\r\n"}, b"a,Attack_type\n5,x\n6,y\n"),
}


@pytest.mark.parametrize("source", [open_data.SPAMBASE, open_data.IONOSPHERE, open_data.RT_IOT2022])
def test_archives_of_uci_become_csv(source):
    members, csv = ARCHIVES[source.name]
    with ZipFile(io.BytesIO(zipped(members))) as file:
        assert source.to_csv(file) == csv


def test_missing_file_is_downloaded_once(site, cache):
    assert fetch_csv(TINY) == CSV
    assert [file.name for file in cache.iterdir()] == ["tiny.csv.gz"]
    assert fetch_csv(TINY) == CSV
    assert site.requests == ["/7/tiny.zip"]


@pytest.mark.parametrize("place", ["argument", "environment", "cache", "home"])
def test_files_are_found_in_the_given_folder_the_environment_or_the_cache(place, cache, monkeypatch, tmp_path):
    folder = {"cache": cache, "home": tmp_path / ".cache" / "puselect"}.get(place, tmp_path / place)
    folder.mkdir(parents=True)
    (folder / "tiny.csv.gz").write_bytes(gzip.compress(CSV))
    if place == "home":
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setattr(Path, "home", lambda: tmp_path)
    elif place in ("argument", "environment"):
        (tmp_path / "tiny.csv.gz").write_bytes(b"not this one")
        monkeypatch.setenv("PUSELECT_DATA", str(tmp_path if place == "argument" else folder))
    assert fetch_csv(TINY, folder if place == "argument" else None) == CSV


def test_without_network_the_error_says_where_and_what_to_do(cache, tmp_path):
    with pytest.raises(OSError, match=r"tiny\.csv\.gz was not found") as error:
        fetch_csv(TINY, tmp_path / "mine")
    message = str(error.value)
    assert f"in {tmp_path / 'mine'} and {cache}, and {archive._BASE_URL}7/tiny.zip" in message
    assert "Set PUSELECT_DATA to a folder that holds tiny.csv.gz, or tiny.zip as downloaded by hand" in message
    assert not cache.exists()


@pytest.mark.parametrize(
    ("page", "missing_bytes", "error", "message"),
    [
        (None, 0, OSError, r"tiny\.csv\.gz was not found.*404"),
        (ARCHIVE, 100, OSError, r"could not be downloaded.*100 more expected"),
        (b"<html>please log in</html>", 0, ValueError, r"7/tiny\.zip is not UCI's archive of tiny.*PUSELECT_DATA"),
        (zipped({"Index": b"nothing"}), 0, ValueError, r"is not UCI's archive of tiny \(no file tiny.data"),
        (zipped({"tiny.data": b"1,0,g\n"}), 0, ValueError, r"should be [0-9a-f]{64}, got [0-9a-f]{64}.*PUSELECT_DATA"),
        (b"\0" * 10**6, 10**12, ValueError, "tiny"),  # without end
    ],
    ids=["no page", "cut", "other page", "other archive", "other data", "endless"],
)
def test_a_bad_download_is_refused_and_not_kept(page, missing_bytes, error, message, site, cache):
    site.missing_bytes = missing_bytes
    site.pages = {} if page is None else {"7/tiny.zip": page}
    with pytest.raises(error, match=message):
        fetch_csv(TINY)
    assert not cache.exists()


@pytest.mark.parametrize(
    "content",
    [CSV.replace(b"1", b"2", 1), b"plain text", gzip.compress(CSV, mtime=0)[:-20], b""],
    ids=["other values", "text", "cut off", "empty"],
)
def test_a_damaged_file_is_refused_by_name(content, cache, tmp_path):
    path = tmp_path / "tiny.csv.gz"
    path.write_bytes(gzip.compress(content) if content.startswith(b"a,b") else content)
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))} (is damaged|does not hold)"):
        fetch_csv(TINY, tmp_path)


@pytest.mark.parametrize("name", ["tiny.csv.gz", "tiny.zip"])
def test_a_file_that_unpacks_to_too_much_is_refused(cache, tmp_path, name):
    much = bytes(12_000_000)  # packed it is small enough
    (tmp_path / name).write_bytes(gzip.compress(much) if name.endswith("gz") else zipped({"tiny.data": much}))
    tracemalloc.start()
    with pytest.raises(ValueError, match=re.escape(name)):
        fetch_csv(TINY, tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**7


def test_a_pipe_is_not_a_data_file(cache, tmp_path):
    os.mkfifo(tmp_path / "tiny.csv.gz")
    with pytest.raises(OSError, match="could not be downloaded"):
        fetch_csv(TINY, tmp_path)


def test_an_unwritable_cache_still_gives_the_data(site, cache, caplog):
    cache.parent.write_text("a file where the folder should be")
    assert fetch_csv(TINY) == CSV
    assert "could not be kept in the cache" in caplog.text
