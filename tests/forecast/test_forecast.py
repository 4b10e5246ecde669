"""Forecasts: who starts when, what is unknown, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from kueuectl.analysis import forecast
from kueuectl.analysis.explanation import Code
from kueuectl.analysis.forecast import Fate, Forecast, Request, Row
from kueuectl.analysis.runtimes import Assumed, Source
from kueuectl.engine.timeline import Preempted
from kueuectl.model.queues import ClusterQueue, Preemption
from kueuectl.model.selectors import LabelSelector
from kueuectl.model.settings import Settings
from kueuectl.model.state import Namespace
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload
from kueuectl.report.views import forecast as view
from tests.rebalance.scene import HOUR, NOW, cluster, holding, queue, waiting

ONE = (queue("a", 8, cohort=None),)
TWO_HOURS = (Assumed(2 * HOUR, 2 * HOUR),)


def find(queues: Iterable[ClusterQueue], workloads: Iterable[Workload], **asked: Any) -> Forecast:
    state = cluster(queues, workloads)
    state = replace(
        state, namespaces={door.namespace: Namespace(door.namespace) for door in state.local_queues.values()}
    )
    return forecast.find(state, Settings(), now=NOW, request=Request(**asked))


def rows(found: Forecast) -> dict[str, Row]:
    return {row.workload.partition("/")[2]: row for row in found.rows}


def hours(at: int | None) -> float | None:
    return None if at is None else (at - NOW) / HOUR


def test_starts_with_what_they_rest_on() -> None:
    found = find(ONE, [holding("x", "a", 8, hours=1), waiting("w", "a", 8)], assumed=TWO_HOURS)
    [row] = found.rows
    assert (row.fate, hours(row.start), row.position, row.after) == (Fate.STARTS, 1, 1, ((Source.ALL, 1),))
    assert row.flavors == (("main", "example.com/gpu", "default"),)
    assert (found.sources, hours(found.until)) == ({Source.ALL: 2}, 3)


def test_what_waits_for_unbounded_work_is_unknown() -> None:
    found = find(ONE, [holding("x", "a", 8), waiting("w", "a", 8)])
    assert (rows(found)["w"].fate, rows(found)["w"].waits_for) == (Fate.UNKNOWN, ("a/x",))
    assert found.unbounded == ("a/x",)


def test_other_trees_don_t_make_a_start_unknown() -> None:
    queues = (*ONE, queue("b", 8, cohort=None))
    limited = replace(holding("x", "a", 8, hours=1), maximum_execution_seconds=7200)
    found = find(queues, [limited, waiting("w", "a", 8), holding("y", "b", 8)])
    assert hours(rows(found)["w"].start) == 1


@pytest.mark.parametrize(
    ("queues", "workloads", "want"),
    [
        (ONE, [waiting("w", "a", 9)], (Fate.NEVER, Code.NEVER_FITS)),
        (ONE, [waiting("w", "a", 9), holding("x", "a", 8)], (Fate.NEVER, Code.NEVER_FITS)),
        ((queue("a", 8, stop_policy="Hold"),), [waiting("w", "a", 1)], (Fate.NOT_QUEUED, Code.NO_QUEUE)),
        (ONE, [replace(waiting("w", "a", 1), active=False)], (Fate.NOT_QUEUED, Code.HELD)),
        (ONE, [waiting("w", "x", 1, namespace="a")], (Fate.NOT_QUEUED, Code.NO_QUEUE)),
        (
            (queue("a", 8, cohort=None, namespace_selector=LabelSelector((("tier", "gold"),))),),
            [waiting("w", "a", 8), holding("x", "a", 8)],
            (Fate.NEVER, Code.NAMESPACE_DENIED),
        ),
        (
            (queue("a", 8, cohort=None, queueing_strategy="StrictFIFO"),),
            [waiting("head", "a", 9, created=2), waiting("w", "a", 1)],
            (Fate.NEVER, Code.BEHIND_HEAD),
        ),
    ],
    ids=[
        "too large",
        "too large, and others run",
        "stopped",
        "held",
        "no queue",
        "namespace",
        "behind a head that never fits",
    ],
)
def test_what_does_not_start(
    queues: tuple[ClusterQueue, ...], workloads: list[Workload], want: tuple[Fate, Code]
) -> None:
    row = rows(find(queues, workloads))["w"]
    assert (row.fate, row.verdict, row.start) == (*want, None)


def test_named_workloads_alone_are_shown() -> None:
    workloads = [holding("x", "a", 8, hours=1), waiting("w", "a", 8), waiting("v", "a", 8)]
    found = find(ONE, workloads, assumed=TWO_HOURS, keys=frozenset({"a/w", "a/x"}))
    assert {name: (row.fate, hours(row.start)) for name, row in rows(found).items()} == {
        "w": (Fate.STARTS, 3),
        "x": (Fate.RUNS, None),
    }


def test_overdue_and_unstarted_work_is_told() -> None:
    late = holding("late", "a", 4, hours=5)
    reserved = replace(holding("reserved", "a", 4), conditions=holding("reserved", "a", 4).conditions[:1])
    found = find(ONE, [late, reserved, waiting("w", "a", 8)], assumed=TWO_HOURS)
    assert (found.overdue, found.unstarted) == (("a/late",), ("a/reserved",))
    assert (rows(found)["w"].fate, rows(found)["w"].waits_for) == (Fate.UNKNOWN, ("a/late",))
    bounded = replace(late, maximum_execution_seconds=4 * 3600)
    # late has passed its limit and ends now, reserved runs from now on.
    assert hours(rows(find(ONE, [bounded, reserved, waiting("w", "a", 8)], assumed=TWO_HOURS))["w"].start) == 2


def test_ranges_give_percentiles_that_a_seed_repeats() -> None:
    workloads = [holding("x", "a", 8, hours=0), waiting("w", "a", 8)]
    asked = {"assumed": (Assumed(2 * HOUR, 12 * HOUR),), "runs": 40}
    found = find(ONE, workloads, seed=5, **asked)
    p10, p50, p90 = (hours(at) for at in rows(found)["w"].spread or ())
    assert p10 is not None
    assert p50 is not None
    assert p90 is not None
    assert 2 <= p10 < 5 < p50 < 9 < p90 <= 12
    assert rows(find(ONE, workloads, seed=5, **asked)) == rows(found)
    assert rows(find(ONE, workloads, seed=6, **asked)) != rows(found)
    assert hours(rows(found)["w"].start) == 7, "the middle of the range"


def test_without_ranges_nothing_is_drawn() -> None:
    found = find(ONE, [waiting("w", "a", 8)], assumed=TWO_HOURS, seed=1)
    assert (found.runs, rows(found)["w"].spread) == (0, None)


def test_a_spread_may_reach_into_the_unknown() -> None:
    # Only what runs in a ends: the other half of the quota is never free.
    workloads = [
        holding("x", "a", 8, hours=0),
        holding("y", "b", 8, hours=0),
        waiting("w", "a", 16, created=9),
        waiting("never", "a", 99),
    ]
    found = find((queue("a", 8), queue("b", 8)), workloads, assumed=(Assumed(HOUR, 3 * HOUR, "a"),), runs=20)
    assert rows(found)["w"].spread == (None, None, None)
    assert rows(found)["w"].fate is Fate.UNKNOWN


def test_preemptions_on_the_way_are_told() -> None:
    queues = (queue("a", 8, cohort=None, preemption=Preemption("LowerPriority")),)
    found = find(queues, [holding("x", "a", 8), waiting("w", "a", 8, priority=5)], assumed=TWO_HOURS)
    assert [(event.workload, event.preemptor, event.at) for event in found.preempted] == [("a/x", "a/w", NOW)]


def test_what_did_not_start_before_a_cut_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast, "round_limit", lambda queues: 2)
    found = find(ONE, [waiting(f"w{n}", "a", 8, created=9 - n) for n in range(5)], assumed=TWO_HOURS)
    assert found.is_cut
    fates = {name: (row.fate, view.because(row, now=NOW)) for name, row in rows(found).items()}
    assert fates["w0"][0] is Fate.STARTS
    assert fates["w4"] == (Fate.UNKNOWN, "had not started when the play was cut short")


@pytest.mark.parametrize(("queues", "want"), [(1, 1_000_000), (50, 20_000), (1000, 5_000)])
def test_rounds_of_large_trees(queues: int, want: int) -> None:
    assert forecast.round_limit(queues) == want


def test_a_preemption_that_repeats_at_one_instant_is_one_line() -> None:
    event = Preempted(NOW, "a/x", "InClusterQueue", "a/w")
    found = replace(find(ONE, []), preempted=(event, event, event))
    lines = [block for block in view.blocks(found, now=NOW) if isinstance(block, str)]
    assert [line for line in lines if "a/x" in line] == ["  a/x now for a/w (InClusterQueue, 3 times)"]
    assert not any("more" in line for line in lines)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    forecast.find(
        cluster(ONE, [waiting("w", "a", 8)]),
        Settings(),
        now=NOW,
        request=Request(),
        on_run=lambda done, total: told.append((done, total)),
    )
    assert told == [(1, 2), (2, 2)]
