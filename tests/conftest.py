import signal

import scipy.linalg  # noqa: F401  (loads the second BLAS, so that the limit reaches it)
from threadpoolctl import threadpool_limits


def pytest_sessionstart() -> None:
    threadpool_limits(limits=1, user_api="blas")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # a shell's background job ignores Ctrl-C, and so would every program that the tests start and interrupt
        signal.signal(signal.SIGINT, signal.default_int_handler)
