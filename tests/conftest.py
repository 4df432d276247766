import scipy.linalg  # noqa: F401  (loads the second BLAS, so that the limit reaches it)
from threadpoolctl import threadpool_limits


def pytest_sessionstart() -> None:
    threadpool_limits(limits=1, user_api="blas")
