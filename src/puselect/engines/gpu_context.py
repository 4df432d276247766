"""Opening a GPU while torch is imported, which takes longer than all else of a first fit."""

import ctypes
import importlib.util
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread

DRIVER = "libcuda.so.1"


def open_ahead() -> None:
    """Have NVIDIA's driver create the context of the first device in a thread, if torch is about to be imported.

    Calls of the driver leave Python's lock to the import. torch then uses the same (primary) context. Nothing happens
    if torch is imported already, or is not made for CUDA.
    """
    if "torch" not in sys.modules and is_made_for_cuda():
        Thread(target=_open, name="puselect-open-gpu", daemon=True).start()


def is_made_for_cuda() -> bool:
    """Return whether the torch that is installed has its part for CUDA."""
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        return False
    return any((Path(torch.origin).parent / "lib").glob("libtorch_cuda*"))


def _open() -> None:
    with suppress(OSError, AttributeError):  # another system, another vendor
        driver, device, context = ctypes.CDLL(DRIVER), ctypes.c_int(), ctypes.c_void_p()
        if driver.cuInit(0) == 0 and driver.cuDeviceGet(ctypes.byref(device), 0) == 0:
            driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
