"""Virtual time: who starts when, and what ends make of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from kueuectl.engine.timeline import Loop, Span, Timeline
from kueuectl.model.conditions import Condition
from kueuectl.model.queues import ClusterQueue, Preemption
from kueuectl.model.settings import Settings
from kueuectl.model.values import replace
from kueuectl.model.workloads import RequeueState, Workload
from tests import scenes
from tests.dry_run.test_ends import LOOPS
from tests.rebalance.scene import FAIR, HOUR, NOW, cluster, holding, queue, waiting

ONE = (queue("a", 8, cohort=None),)
LOWER = Preemption("LowerPriority", "Any")


def play(
    queues: Iterable[ClusterQueue],
    workloads: Iterable[Workload],
    hours: Mapping[str, float],
    *,
    arrivals: Iterable[tuple[float, Workload]] = (),
    limits: Mapping[str, float] | None = None,
    **asked: Any,
) -> Timeline:
    """A timeline that was played; run times in hours by name."""
    found = list(workloads)
    late = list(arrivals)
    spans = {
        each.key: Span(
            None if each.name not in hours else int(hours[each.name] * HOUR),
            None if each.name not in (limits or {}) else int((limits or {})[each.name] * HOUR),
        )
        for each in (*found, *(workload for _, workload in late))
    }
    settings = asked.pop("settings", Settings())
    timeline = Timeline(cluster(queues, found), settings, now=NOW, spans=spans, **asked)
    for at, workload in late:
        timeline.arrive(workload, at=NOW + int(at * HOUR))
    timeline.play(max_rounds=asked.get("max_rounds", 10_000))
    return timeline


def starts(timeline: Timeline) -> dict[str, float]:
    """Hours until each start, by name."""
    return {key.partition("/")[2]: (start.at - NOW) / HOUR for key, start in timeline.starts.items()}


@dataclass(frozen=True)
class Case:
    name: str
    queues: tuple[ClusterQueue, ...]
    workloads: list[Workload]
    hours: dict[str, float]
    want: dict[str, float]
    asked: dict[str, Any] = field(default_factory=dict)


CASES = [
    Case("what fits starts at once", ONE, [waiting("w", "a", 8)], {}, {"w": 0}),
    Case("an end makes room", ONE, [holding("x", "a", 8, hours=1), waiting("w", "a", 8)], {"x": 3}, {"w": 2}),
    Case(
        "what runs for longer than it should ends now",
        ONE,
        [holding("x", "a", 8, hours=5), waiting("w", "a", 8)],
        {"x": 3},
        {"w": 0},
    ),
    Case("without an end nothing starts", ONE, [holding("x", "a", 8), waiting("w", "a", 8)], {}, {}),
    Case(
        "one after another",
        ONE,
        [waiting("w1", "a", 8, created=3), waiting("w2", "a", 8, created=2), waiting("w3", "a", 4)],
        {"w1": 1, "w2": 2},
        {"w1": 0, "w2": 1, "w3": 3},
    ),
    Case(
        "in BestEffortFIFO a small one goes ahead",
        ONE,
        [holding("x", "a", 4, hours=1), waiting("large", "a", 8, created=2), waiting("small", "a", 4)],
        {"x": 3, "small": 1},
        {"small": 0, "large": 2},
    ),
    Case(
        "in StrictFIFO it does not",
        (queue("a", 8, cohort=None, queueing_strategy="StrictFIFO"),),
        [holding("x", "a", 4, hours=1), waiting("large", "a", 8, created=2), waiting("small", "a", 4)],
        {"x": 3, "large": 1},
        {"large": 2, "small": 3},
    ),
    Case(
        "ends at one instant make room together",
        ONE,
        [
            holding("x", "a", 4, hours=1),
            holding("y", "a", 4, hours=2),
            waiting("w", "a", 8, created=2),
            waiting("v", "a", 4),
        ],
        {"x": 2, "y": 3, "w": 1},
        {"w": 1, "v": 2},
    ),
    Case(
        "lent quota comes back when borrowers end",
        (queue("a", 8), queue("b", 8)),
        [holding("x", "b", 16, hours=1), waiting("w", "a", 8)],
        {"x": 2},
        {"w": 1},
    ),
    Case(
        "who is preempted starts over",
        (queue("a", 8, cohort=None, preemption=LOWER),),
        [
            holding("low", "a", 8, hours=1, priority=0),
            waiting("high", "a", 8, priority=5),
            waiting("last", "a", 8, priority=-1),
        ],
        {"low": 4, "high": 2},
        # low runs again from 2 to 6, although it had done an hour.
        {"high": 0, "low": 2, "last": 6},
    ),
    Case(
        "a backoff ends by itself",
        ONE,
        [
            replace(
                waiting("w", "a", 8),
                requeue=RequeueState(1, NOW + 2 * HOUR),
                conditions=(Condition("Requeued", "False", "PodsReadyTimeout", last_transition=NOW),),
            )
        ],
        {},
        {"w": 2},
    ),
    Case(
        "an evicted workload leaves although nobody waits for it",
        ONE,
        [
            replace(
                holding("x", "a", 8),
                conditions=(
                    *holding("x", "a", 8).conditions,
                    Condition("Evicted", "True", "Preempted", last_transition=NOW),
                ),
            )
        ],
        {"x": 2},
        {"x": 0},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_starts(case: Case) -> None:
    timeline = play(case.queues, case.workloads, case.hours, **case.asked)
    assert starts(timeline) == case.want
    assert not timeline.is_cut


def test_work_that_arrives_later_queues_then() -> None:
    timeline = play(
        ONE, [waiting("w1", "a", 8)], {"w1": 2, "w2": 1}, arrivals=[(1.0, waiting("w2", "a", 8, created=-1))]
    )
    assert starts(timeline) == {"w1": 0, "w2": 2}
    assert timeline.ends == {"a/w1": NOW + 2 * HOUR, "a/w2": NOW + 3 * HOUR}
    assert timeline.last_event == NOW + 3 * HOUR


def test_the_run_time_limit_counts_over_all_runs() -> None:
    queues = (queue("a", 8, cohort=None, preemption=LOWER),)
    low = holding("low", "a", 8, hours=1)
    timeline = play(
        queues,
        [low],
        {"low": 9, "high": 1},
        limits={"low": 3},
        arrivals=[(1.0, waiting("high", "a", 8, priority=5))],
    )
    # An hour before now, one until the preemption, and the third one after it.
    assert timeline.ends["a/low"] == NOW + 3 * HOUR
    assert [(event.workload, event.preemptor) for event in timeline.preempted] == [("a/low", "a/high")]


def test_parked_work_comes_back_with_a_delay() -> None:
    workloads = [holding("x", "a", 8, hours=1), waiting("w", "a", 8)]
    assert starts(play(ONE, workloads, {"x": 2})) == {"w": 1}
    assert starts(play(ONE, workloads, {"x": 2}, batch=HOUR)) == {"w": 2}


def test_the_same_input_gives_the_same_future() -> None:
    workloads = [waiting(f"w{n}", "ab"[n % 2], 1 + n % 5, created=n, priority=n % 3) for n in range(30)]
    hours = {f"w{n}": 1 + n % 4 for n in range(30)}
    queues = (queue("a", 6, preemption=LOWER), queue("b", 6, preemption=LOWER))
    first, second = (play(queues, workloads, hours, settings=FAIR) for _ in range(2))
    assert (first.starts, first.ends, first.preempted) == (second.starts, second.ends, second.preempted)


def test_all_work_ends_and_no_quota_is_left_in_use() -> None:
    workloads = [waiting(f"w{n}", "ab"[n % 2], 1 + n % 5, created=n, priority=n % 3) for n in range(40)]
    queues = (queue("a", 6, preemption=LOWER), queue("b", 6, preemption=LOWER))
    timeline = play(queues, workloads, {f"w{n}": 1 + n % 4 for n in range(40)})
    assert len(timeline.ends) == 40
    assert timeline.waiting() == []
    assert all(amount == 0 for node in timeline.simulation.snapshot.queues.values() for amount in node.usage)


@pytest.mark.parametrize("entry", LOOPS, ids=lambda entry: entry["case"]["id"])
def test_a_loop_is_told_and_left(entry: dict[str, Any]) -> None:
    # Workloads that take turns for ever in Kueue itself; when others end, they get out of it.
    scene = scenes.read(entry["case"])
    spans = dict.fromkeys(scene.state.workloads, Span(HOUR))
    timeline = Timeline(scene.state, scene.settings, now=scene.now, spans=spans)
    timeline.play(max_rounds=1000)
    assert timeline.loops[0] == Loop(scene.now, tuple(entry["members"]))
    assert not timeline.is_cut


def test_a_play_that_takes_too_long_is_cut() -> None:
    workloads = [waiting(f"w{n}", "a", 8, created=n) for n in range(5)]
    spans = {each.key: Span(HOUR) for each in workloads}
    timeline = Timeline(cluster(ONE, workloads), Settings(), now=NOW, spans=spans)
    timeline.play(max_rounds=3)
    assert timeline.is_cut
