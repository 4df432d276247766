import gzip
import os
import re
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import uci_files
from uci_files import MAKE_ARCHIVE, crlf, csv_lines, ionosphere_archive, rt_iot2022_lines, zipped

from puselect_paper.datasets import archive, load_ionosphere, load_rt_iot2022, load_spambase

LOADERS = {
    "spambase": load_spambase,
    "ionosphere": load_ionosphere,
    "rt_iot2022": partial(load_rt_iot2022, columns=["flow_duration"]),  # reading all takes longer than all else here
}
ARCHIVES = {
    "spambase": "94/spambase.zip",
    "ionosphere": "52/ionosphere.zip",
    "rt_iot2022": "942/rt-iot2022.zip",
}


@pytest.fixture(scope="session")
def data_home() -> Path:
    return uci_files.data_home()


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
        self.pages: dict[str, bytes] = {}
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


@pytest.mark.parametrize("name", LOADERS)
def test_missing_file_is_downloaded_once(name, site, cache, data_home):
    site.pages[ARCHIVES[name]] = MAKE_ARCHIVE[name](csv_lines(data_home, name))
    downloaded = LOADERS[name]()
    assert site.requests == [f"/{ARCHIVES[name]}"]
    assert [file.name for file in cache.iterdir()] == [f"{name}.csv.gz"]
    kept, given = cache / f"{name}.csv.gz", data_home / f"{name}.csv.gz"
    assert gzip.decompress(kept.read_bytes()) == gzip.decompress(given.read_bytes())
    again = LOADERS[name]()
    assert len(site.requests) == 1
    np.testing.assert_array_equal(again.data, downloaded.data)


def test_cache_serves_when_the_given_folder_lacks_the_file(cache, data_home, tmp_path):
    cache.mkdir(parents=True)
    (cache / "ionosphere.csv.gz").write_bytes((data_home / "ionosphere.csv.gz").read_bytes())
    assert load_ionosphere(data_home=tmp_path).data.shape == (351, 34)


def test_given_folder_comes_before_the_environment(cache, data_home, monkeypatch, tmp_path):
    (tmp_path / "ionosphere.csv.gz").write_bytes(b"not this one")
    monkeypatch.setenv("PUSELECT_DATA", str(tmp_path))
    assert load_ionosphere(data_home=data_home).data.shape == (351, 34)
    monkeypatch.setenv("PUSELECT_DATA", str(data_home))
    assert load_ionosphere().data.shape == (351, 34)


def test_archive_downloaded_by_hand_is_read(cache, data_home, tmp_path):
    lines = rt_iot2022_lines(csv_lines(data_home, "rt_iot2022"), "no")
    (tmp_path / "rt-iot2022.zip").write_bytes(zipped({"data/RT_IOT2022.csv": crlf(lines)}))
    assert load_rt_iot2022(data_home=tmp_path, columns=["flow_duration"]).data.shape == (28458, 1)


def test_cache_is_in_the_home_folder_by_default(cache, data_home, monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    folder = tmp_path / ".cache" / "puselect"
    folder.mkdir(parents=True)
    (folder / "ionosphere.csv.gz").write_bytes((data_home / "ionosphere.csv.gz").read_bytes())
    assert load_ionosphere().data.shape == (351, 34)


def test_without_network_the_error_says_where_and_what_to_do(cache, tmp_path):
    with pytest.raises(OSError, match=r"spambase\.csv\.gz was not found") as error:
        load_spambase(data_home=tmp_path / "mine")
    message = str(error.value)
    assert f"in {tmp_path / 'mine'} and {cache}, and {archive._BASE_URL}94/spambase.zip" in message
    assert (
        "Set PUSELECT_DATA to a folder that holds spambase.csv.gz, or spambase.zip as downloaded by hand"
        in message
    )
    assert not cache.exists()


def test_missing_page_is_reported_like_a_missing_network(site):
    with pytest.raises(OSError, match=r"ionosphere\.csv\.gz was not found.*404"):
        load_ionosphere()


def test_interrupted_download_leaves_no_file(site, cache, data_home):
    site.pages[ARCHIVES["ionosphere"]] = ionosphere_archive(csv_lines(data_home, "ionosphere"))
    site.missing_bytes = 100
    with pytest.raises(OSError, match=r"could not be downloaded.*100 more expected"):
        load_ionosphere()
    assert not cache.exists()


@pytest.mark.parametrize("page", [b"<html>please log in</html>", zipped({"Index": b"nothing else"})])
def test_download_of_something_else_is_refused(page, site, cache):
    site.pages[ARCHIVES["ionosphere"]] = page
    with pytest.raises(
        ValueError, match=r"52/ionosphere\.zip is not UCI's archive of ionosphere.*PUSELECT_DATA"
    ):
        load_ionosphere()
    assert not cache.exists()


def test_download_with_another_checksum_is_refused(site, cache):
    site.pages[ARCHIVES["ionosphere"]] = zipped({"ionosphere.data": b"1,0,g\n"})
    with pytest.raises(ValueError, match=r"should be 000fe8.*got [0-9a-f]{64}.*PUSELECT_DATA"):
        load_ionosphere()
    assert not cache.exists()


def test_file_with_another_checksum_is_refused(cache, data_home, tmp_path):
    lines = csv_lines(data_home, "ionosphere")
    lines[5] = lines[5].replace("1", "2", 1)
    (tmp_path / "ionosphere.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    with pytest.raises(ValueError, match=r"ionosphere\.csv\.gz does not hold the known ionosphere data"):
        load_ionosphere(data_home=tmp_path)


def test_damaged_file_is_refused_by_name(cache, tmp_path):
    path = tmp_path / "ionosphere.csv.gz"
    for content in (b"plain text", gzip.compress(b"1,0,g\n" * 1000)[:-20], b""):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"{re.escape(str(path))} (is damaged|does not hold)"):
            load_ionosphere(data_home=tmp_path)


class TestSize:
    """Nothing larger than the data can be is read, from wherever it comes."""

    def test_an_endless_download_is_cut(self, site, cache):
        site.pages[ARCHIVES["ionosphere"]] = b"\0" * 10**6
        site.missing_bytes = 10**12
        with pytest.raises(ValueError, match="ionosphere"):
            load_ionosphere()
        assert not cache.exists()

    @pytest.mark.parametrize("name", ["ionosphere.csv.gz", "ionosphere.zip"])
    def test_a_file_that_unpacks_to_too_much_is_refused(self, cache, tmp_path, name):
        much = bytes(10**8)
        bomb = gzip.compress(much) if name.endswith("gz") else zipped({"ionosphere.data": much})
        (tmp_path / name).write_bytes(bomb)
        tracemalloc.start()
        with pytest.raises(ValueError, match=re.escape(name)):
            load_ionosphere(data_home=tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 10**7

    def test_a_pipe_is_not_a_data_file(self, cache, tmp_path):
        os.mkfifo(tmp_path / "ionosphere.csv.gz")
        with pytest.raises(OSError, match="could not be downloaded"):
            load_ionosphere(data_home=tmp_path)


@pytest.mark.parametrize("blow", [OSError("disk full"), KeyboardInterrupt()])
def test_interrupted_writing_leaves_no_file(blow, site, cache, data_home, monkeypatch):
    site.pages[ARCHIVES["ionosphere"]] = ionosphere_archive(csv_lines(data_home, "ionosphere"))

    def fail(descriptor: int) -> None:
        raise blow

    monkeypatch.setattr(os, "fsync", fail)
    if isinstance(blow, OSError):
        assert load_ionosphere().data.shape == (351, 34)
    else:
        with pytest.raises(KeyboardInterrupt):
            load_ionosphere()
    assert list(cache.iterdir()) == []


def test_file_appears_in_the_cache_whole(site, cache, data_home, monkeypatch):
    site.pages[ARCHIVES["ionosphere"]] = ionosphere_archive(csv_lines(data_home, "ionosphere"))
    replace, moved = os.replace, []

    def watch(partial: Path, final: Path) -> None:
        moved.append((gzip.decompress(Path(partial).read_bytes()), Path(final).exists()))
        replace(partial, final)

    monkeypatch.setattr(os, "replace", watch)
    load_ionosphere()
    assert moved == [(gzip.decompress((data_home / "ionosphere.csv.gz").read_bytes()), False)]


def test_unwritable_cache_still_gives_the_data(site, cache, data_home, caplog):
    site.pages[ARCHIVES["ionosphere"]] = ionosphere_archive(csv_lines(data_home, "ionosphere"))
    cache.parent.write_text("a file where the folder should be")
    assert load_ionosphere().data.shape == (351, 34)
    assert "could not be kept in the cache" in caplog.text
