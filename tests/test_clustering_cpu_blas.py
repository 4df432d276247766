from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from puselect.clustering.cpu.blas import ProcessSetting, blas_threads, one_blas_thread


def test_the_last_thread_to_leave_restores():
    seen, together = [], Barrier(3)
    setting = ProcessSetting(lambda: seen.append("changed") or (lambda: seen.append("restored")))

    def work(_):
        with setting:
            together.wait(timeout=30)  # all are inside
            together.wait(timeout=30)
            return list(seen)

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(work, range(3))) == [["changed"]] * 3
    assert seen == ["changed", "restored"]


def test_products_of_matrices_are_kept_to_one_thread():
    def n_threads():
        return [library["num_threads"] for library in blas_threads().info() if library["user_api"] == "blas"]

    with blas_threads().limit(limits=2, user_api="blas"):
        with one_blas_thread:
            assert set(n_threads()) == {1}
        assert set(n_threads()) == {2}
