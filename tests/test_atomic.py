"""A file is replaced as a whole or not at all."""

import os
import subprocess
import sys

import pytest

from puselect.atomic import SUFFIX, atomic_write, remove_scratch


def write(path, content):
    with atomic_write(path) as file:
        file.write(content)


def test_the_content_arrives_without_a_scratch_file_and_the_mode_of_a_file_is_kept(tmp_path):
    path = tmp_path / "a"
    write(path, b"old")
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]
    write(path, b"old")
    path.chmod(0o600)
    write(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "a"
    write(path, b"old")
    with pytest.raises(ZeroDivisionError), atomic_write(path) as file:
        file.write(b"half of the n")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_link_stays_a_link_and_a_special_file_is_written_to_and_not_replaced(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "link").symlink_to("a")
    write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_bytes() == b"new"
    write(os.devnull, b"gone")
    assert not os.path.isfile(os.devnull)


def test_ctrl_c_right_after_the_scratch_file_was_made_removes_it(tmp_path, monkeypatch):
    really_open = os.open

    def interrupted(*words):
        os.close(really_open(*words))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "a"):
        pass
    assert os.listdir(tmp_path) == []


def test_writers_do_not_share_a_scratch_file(tmp_path):
    path = tmp_path / "a"
    with atomic_write(path) as first, atomic_write(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_bytes() == b"first"


def test_scratch_files_of_dead_processes_are_removed(tmp_path):
    path = tmp_path / "a[1].npz"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead = tmp_path / f".{path.name}.{ended.pid}.0123456789abcdef{SUFFIX}"
    other = tmp_path / f".b.npz.{ended.pid}.0123456789abcdef{SUFFIX}"
    dead.touch()
    other.touch()
    with atomic_write(path) as file:
        remove_scratch(path)
        file.write(b"alive")
    assert path.read_bytes() == b"alive"
    assert not dead.exists()
    assert other.exists()
