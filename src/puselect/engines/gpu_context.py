"""Opening a GPU while torch is imported, which takes longer than all else of a first fit."""

import ctypes
import sys
from contextlib import suppress
from threading import Thread

DRIVER = "libcuda.so.1"


def open_ahead() -> None:
    """Have NVIDIA's driver create the context of the first device in a thread; nothing, if torch is there already.

    Calls of the driver leave Python's lock to the import. torch uses the same (primary) context, or reports why there
    is none.
    """
    if "torch" not in sys.modules:
        Thread(target=_open, name="puselect-open-gpu", daemon=True).start()


def _open() -> None:
    with suppress(OSError, AttributeError):  # another system, another vendor
        driver, device, context = ctypes.CDLL(DRIVER), ctypes.c_int(), ctypes.c_void_p()
        if driver.cuInit(0) == 0 and driver.cuDeviceGet(ctypes.byref(device), 0) == 0:
            driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
