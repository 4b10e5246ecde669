"""Where a search of flavors goes on: observed on Kueue's scheduler, one small cluster for each rule of `pending`."""

from __future__ import annotations

import pytest

from kueuectl.engine.infos import Info
from kueuectl.engine.pending import PendingQueue
from kueuectl.engine.reasons import Requeue
from tests.engine.scene import queue, simulation, waiting

STOPPED_AT = ({"cpu": 0},)


def pool(*, keeps_progress: bool = True, strategy: str = "BestEffortFIFO") -> tuple[PendingQueue, Info]:
    """A queue in which `asks` is the head, before `later`; it stopped at the first flavor in its last attempt."""
    found = simulation(
        [queue("a", queueing_strategy=strategy)],
        [waiting("asks", "a", 1, creation=1), waiting("later", "a", 2, creation=2)],
        FlavorFungibilityPreserveScanProgress=keeps_progress,
    ).pools.queues["a"]
    asks = found.pop()
    assert asks is not None
    asks.last_tried = STOPPED_AT
    return found, asks


@pytest.mark.parametrize(
    ("name", "another_head", "own_quota_moved", "keeps_progress", "want"),
    [
        ("tried again at once", False, False, True, STOPPED_AT),
        ("another head in between, other queues freed quota", True, False, True, STOPPED_AT),
        ("tried again at once, its queue freed quota", False, True, True, STOPPED_AT),
        ("another head in between, and its queue freed quota", True, True, True, None),
        ("older rules: its queue freed quota", False, True, False, None),
        ("older rules: another head in between", True, False, False, STOPPED_AT),
    ],
)
def test_progress(name: str, another_head: bool, own_quota_moved: bool, keeps_progress: bool, want: object) -> None:
    found, asks = pool(keeps_progress=keeps_progress)
    found.requeue(asks, Requeue.PREEMPTION_NO_CANDIDATES)
    if own_quota_moved:
        found.queue.generation += 1
    if another_head:
        found.remove(asks.key)
        assert found.pop() is not asks
        found.push(asks)
    assert found.pop() is asks, name
    assert asks.last_tried == want, name


@pytest.mark.parametrize(("keeps_progress", "want"), [(True, STOPPED_AT), (False, None)])
def test_losing_the_race_in_a_cycle(keeps_progress: bool, want: object) -> None:
    found, asks = pool(keeps_progress=keeps_progress)
    assert found.requeue(asks, Requeue.FAILED_AFTER_NOMINATION)
    assert asks.last_tried == want


@pytest.mark.parametrize(
    ("name", "fungibility", "want"),
    [("the last flavor was tried: parked", True, []), ("without fungibility it stays in the heap", False, ["asks"])],
)
def test_without_flavor_fungibility_there_are_always_flavors_left(
    name: str, fungibility: bool, want: list[str]
) -> None:
    blocked = simulation(
        [queue("a", flavors={"one": 1, "two": 3})],
        [waiting("asks", "a", 3, creation=2), waiting("first", "a", 2, creation=1)],
        FlavorFungibility=fungibility,
    )
    blocked.step()
    blocked.step()
    assert [info.workload.name for info in blocked.pools.queues["a"].active.values()] == want, name


def test_a_workload_in_backoff_is_tried_only_once_after_a_start() -> None:
    found, asks = pool(strategy="StrictFIFO")
    assert not found.requeue(asks, Requeue.NO_FIT, waits=True)
    assert list(found.inadmissible) == [asks.key]
