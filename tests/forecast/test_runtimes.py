"""Where run times come from, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kueuectl.analysis import runtimes
from kueuectl.analysis.runtimes import Assumed, RunTime, Source
from kueuectl.model.values import replace
from kueuectl.model.workloads import Owner, Workload
from tests.rebalance.scene import HOUR, NOW, cluster, finished, holding, queue, waiting

QUEUES = [queue("a", 8), queue("b", 8)]


def owned(workload: Workload, name: str, kind: str = "Job") -> Workload:
    return replace(workload, owners=(Owner("batch/v1", kind, name, f"uid-{name}", True),))


W = waiting("w", "a", 1)
NIGHTLY = [owned(finished(f"n{hours}", "a", hours=hours), f"nightly-2900000{hours}") for hours in (1, 2, 6)]


@dataclass(frozen=True)
class Case:
    name: str
    subject: Workload
    others: list[Workload]
    assumed: tuple[Assumed, ...]
    want: tuple[Source, float | None, float | None]


ALL, OF_QUEUE, OF_DOOR = Assumed(HOUR, HOUR), Assumed(2 * HOUR, 2 * HOUR, "a"), Assumed(3 * HOUR, 5 * HOUR, "a/a")
LIMITED = replace(W, maximum_execution_seconds=7200, past_execution_seconds=1800)

CASES = [
    Case("nothing is known", W, [], (), (Source.UNKNOWN, None, None)),
    Case("a limit", LIMITED, [], (), (Source.LIMIT, None, 1.5)),
    Case("an assumption for all", W, [], (ALL,), (Source.ALL, 1, None)),
    Case("an assumption for the ClusterQueue", W, [], (ALL, OF_QUEUE), (Source.QUEUE, 2, None)),
    Case("an assumption for the LocalQueue", W, [], (ALL, OF_QUEUE, OF_DOOR), (Source.QUEUE, 4, None)),
    Case("an assumption for another queue", W, [], (Assumed(HOUR, HOUR, "b"),), (Source.UNKNOWN, None, None)),
    Case("a limit beside an assumption", LIMITED, [], (ALL,), (Source.ALL, 1, 1.5)),
    Case("the same CronJob", owned(W, "nightly-29000099"), NIGHTLY, (), (Source.OWNER, 2, None)),
    Case("an assumption beats what was observed", owned(W, "nightly-29000099"), NIGHTLY, (ALL,), (Source.ALL, 1, None)),
    Case(
        "a generated name",
        owned(W, "x-b4k9z"),
        [owned(finished("f", "a", hours=3), "x-c7m2d")],
        (),
        (Source.OWNER, 3, None),
    ),
    Case(
        "another kind of owner",
        owned(W, "x-b4k9z", "JobSet"),
        [owned(finished("f", "a", hours=3), "x-c7m2d")],
        (),
        (Source.UNKNOWN, None, None),
    ),
    Case("the same LocalQueue", owned(W, "other"), NIGHTLY, (), (Source.LOCAL_QUEUE, 2, None)),
    Case("too little of the same LocalQueue", owned(W, "other"), NIGHTLY[:2], (), (Source.UNKNOWN, None, None)),
    Case("another LocalQueue", owned(waiting("w", "b", 1), "other"), NIGHTLY, (), (Source.UNKNOWN, None, None)),
    Case(
        "failed work says nothing",
        owned(W, "nightly-29000099"),
        [replace(each, conditions=tuple(replace(c, reason="Failed") for c in each.conditions)) for each in NIGHTLY],
        (),
        (Source.UNKNOWN, None, None),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_sources(case: Case) -> None:
    state = cluster(QUEUES, [case.subject, *case.others])
    found = runtimes.of(state, now=NOW, assumed=case.assumed)[case.subject.key]
    span = found.typical()
    hours = tuple(None if part is None else part / HOUR for part in span)
    assert (found.source, *hours) == case.want


def test_finished_work_has_no_run_time() -> None:
    assert runtimes.of(cluster(QUEUES, NIGHTLY), now=NOW) == {}


def test_running_work_does_not_end_before_now() -> None:
    rule = Assumed(1 * HOUR, 9 * HOUR)
    found = runtimes.of(cluster(QUEUES, [holding("x", "a", 1, hours=5)]), now=NOW, assumed=[rule])["a/x"]
    assert not found.is_overdue
    assert found.typical().length == 7 * HOUR
    assert found.drawn(0.0).length == 5 * HOUR
    late = runtimes.of(cluster(QUEUES, [holding("x", "a", 1, hours=10)]), now=NOW, assumed=[rule])["a/x"]
    assert late.is_overdue
    assert (late.drawn(0.5).length, late.typical().length) == (None, None)


def test_observed_run_times_are_drawn_as_they_were() -> None:
    found = RunTime(Source.OWNER, HOUR, 6 * HOUR, (HOUR, 2 * HOUR, 6 * HOUR))
    assert {found.drawn(chance / 10).length for chance in range(10)} == {HOUR, 2 * HOUR, 6 * HOUR}
    running = RunTime(Source.OWNER, HOUR, 6 * HOUR, (HOUR, 2 * HOUR, 6 * HOUR), elapsed=3 * HOUR)
    assert {running.drawn(chance / 10).length for chance in range(10)} == {6 * HOUR}


def test_draws_depend_on_seed_run_and_workload_alone() -> None:
    assert runtimes.chance(1, 2, "a/x") == runtimes.chance(1, 2, "a/x")
    others = [runtimes.chance(2, 2, "a/x"), runtimes.chance(1, 3, "a/x"), runtimes.chance(1, 2, "a/y")]
    assert len({runtimes.chance(1, 2, "a/x"), *others}) == 4


def test_draws_are_spread_evenly() -> None:
    drawn = [runtimes.chance(7, run, f"team-{run % 9}/job-{run}") for run in range(4000)]
    assert all(0 <= value < 1 for value in drawn)
    for low in range(10):
        assert 330 < sum(low / 10 <= value < (low + 1) / 10 for value in drawn) < 470
