"""Runs one function on many numbers over all cores, in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Any, TypeVar

T = TypeVar("T")
# Not many more tasks than workers are handed out at a time, so that an interrupt has little to wait for.
_AHEAD = 2


def count() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def each(work: Callable[[int], T], total: int) -> Iterator[tuple[int, T]]:
    """(number, result) of each number below the total, as they get ready.

    Workers are copies of this process where the system can do that, so that nothing has to be sent to them; elsewhere,
    and with one core, the work is done here, one after the other.
    """
    workers = min(count(), total)
    if workers < 2 or "fork" not in multiprocessing.get_all_start_methods():
        for number in range(total):
            yield number, work(number)
        return
    _Task.work = work
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_ignore_interrupts) as pool:
        running: dict[Future[Any], int] = {}
        waiting = iter(range(total))
        try:
            while True:
                for number in waiting:
                    running[pool.submit(_run, number)] = number
                    if len(running) >= workers * _AHEAD:
                        break
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Task:
    """What the workers of this process do: inherited by them, since functions can't be sent."""

    work: Callable[[int], Any]


def _run(number: int) -> Any:
    return _Task.work(number)


def _ignore_interrupts() -> None:
    """The parent decides what an interrupt ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
