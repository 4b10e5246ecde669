"""Several requests at once: their waiting overlaps, their decoding doesn't."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def side_by_side(tasks: Sequence[Callable[[], T]], *, stop: Callable[[], None], workers: int = 6) -> list[T]:
    """The results of all tasks, in their order.

    The first error is raised at once, after `stop` has told the other threads to give up. The threads are daemons and
    are not waited for: a server that hangs must not hold up Ctrl-C.
    """
    todo: queue.SimpleQueue[tuple[int, Callable[[], T]]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, T | None, BaseException | None]] = queue.SimpleQueue()
    for numbered in enumerate(tasks):
        todo.put(numbered)

    def work() -> None:
        while True:
            try:
                index, task = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((index, task(), None))
            except BaseException as error:
                done.put((index, None, error))
                return

    for number in range(min(workers, len(tasks))):
        threading.Thread(target=work, name=f"kueuectl-read-{number}", daemon=True).start()
    results: dict[int, T | None] = {}
    try:
        for _ in tasks:
            index, value, error = done.get()
            if error is not None:
                raise error
            results[index] = value
    except BaseException:
        stop()
        raise
    return [results[index] for index in range(len(tasks))]  # type: ignore[misc]
