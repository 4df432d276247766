"""The driver is asked for a context ahead of torch; with a driver that writes down what it was asked for."""

import ctypes
import sys
import threading
from types import SimpleNamespace

import pytest

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
    monkeypatch.delitem(sys.modules, "torch", raising=False)


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


def test_no_driver_is_no_error(without_torch, monkeypatch):
    monkeypatch.setattr(gpu_context, "DRIVER", "libthere-is-none.so")
    raised = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    open_and_wait()
    assert raised == []
