"""The driver is asked for a context ahead of torch; with a driver that writes down what it was asked for."""

import ctypes
import importlib.util
import sys
import threading
from types import SimpleNamespace

import pytest

from puselect import engines
from puselect.engines import gpu_context

NO_DEVICE = 100  # CUDA's code


def driver(device_code=0):
    """Return a driver that notes what it is asked for."""
    asked = []

    def answer(name, code=0):
        return lambda *_: (asked.append(name), code)[1]

    parts = {"cuInit": answer("init"), "cuDeviceGet": answer("device", device_code)}
    return SimpleNamespace(asked=asked, **parts, cuDevicePrimaryCtxRetain=answer("context"))


@pytest.fixture
def without_torch(monkeypatch):
    """torch is installed for CUDA, but not imported yet."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(gpu_context, "is_made_for_cuda", lambda: True)


def open_and_wait():
    gpu_context.open_ahead()
    opening = [thread for thread in threading.enumerate() if thread.name == "puselect-open-gpu"]
    for thread in opening:
        thread.join(10)


@pytest.mark.parametrize(("code", "asked"), [(0, ["init", "device", "context"]), (NO_DEVICE, ["init", "device"])])
def test_the_first_device_is_opened(code, asked, without_torch, monkeypatch):
    noted = driver(code)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: noted)
    open_and_wait()
    assert noted.asked == asked


def test_nothing_is_opened_where_torch_is_imported_already(monkeypatch):
    noted = driver()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: noted)
    monkeypatch.setitem(sys.modules, "torch", ctypes)
    open_and_wait()
    assert noted.asked == []


@pytest.mark.parametrize(("library", "is_made"), [("libtorch_cuda.so", True), ("libtorch_cpu.so", False)])
def test_a_torch_without_cuda_opens_nothing(library, is_made, tmp_path, monkeypatch):
    (tmp_path / "torch" / "lib").mkdir(parents=True)
    for path in (tmp_path / "torch" / "__init__.py", tmp_path / "torch" / "lib" / library):
        path.touch()
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert gpu_context.is_made_for_cuda() is is_made
    noted = driver()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: noted)
    open_and_wait()
    assert bool(noted.asked) is is_made


def test_no_torch_is_not_made_for_cuda(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert gpu_context.is_made_for_cuda() is False


@pytest.mark.parametrize("ask", [engines.gpu_is_there, engines.gpu_engine_class])
def test_it_is_opened_before_torch_is_imported(ask, monkeypatch):
    opened = []

    def note():
        opened.append("puselect.engines.gpu.engine" in sys.modules)
        raise StopIteration

    monkeypatch.setattr(engines, "open_ahead", note)
    monkeypatch.setattr(engines, "GPU_DRIVERS", ("/",))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    monkeypatch.delitem(sys.modules, "puselect.engines.gpu.engine", raising=False)
    with pytest.raises(StopIteration):
        ask()
    assert opened == [False]


def test_no_driver_is_no_error(without_torch, monkeypatch):
    monkeypatch.setattr(gpu_context, "DRIVER", "libthere-is-none.so")
    raised = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    open_and_wait()
    assert raised == []
