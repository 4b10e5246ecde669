"""What a change makes different, on clusters small enough to see it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from kueuectl.analysis import dry_run, edits
from kueuectl.analysis.difference import Difference, Why
from kueuectl.analysis.dry_run import DryRun
from kueuectl.analysis.edits import Edit, Field
from kueuectl.analysis.explanation import Ref
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from tests.dry_run.cluster import GPU, NOW, SETTINGS, queue, state, workload

QUOTA_PART = ("default", GPU)


def changed(before: ClusterState, *made: Edit) -> ClusterState:
    """The state after some edits."""
    after = before
    for edit in made:
        result = edits.apply(after, edit)
        assert isinstance(result, ClusterState), result
        after = result
    return after


def compare(before: ClusterState, *made: Edit) -> DryRun:
    """The dry run of some edits."""
    return dry_run.compare(before, changed(before, *made), SETTINGS, now=NOW)


def nominal(name: str, gpus: int) -> Edit:
    """A new quota."""
    return Edit(Ref("ClusterQueue", name), Field.NOMINAL, gpus, QUOTA_PART)


def of_queue(name: str, what: Field, value: Any) -> Edit:
    """A field of a ClusterQueue."""
    return Edit(Ref("ClusterQueue", name), what, value)


def of_workload(key: str, what: Field, value: Any) -> Edit:
    """A field of a workload."""
    namespace, _, name = key.partition("/")
    return Edit(Ref("Workload", name, namespace), what, value)


def short(found: Difference) -> dict[str, Any]:
    """The difference in a shape that a table can hold."""
    parts = {
        "gained": [row.workload for row in found.gained],
        "lost": {row.workload: (row.why, row.by, row.reason) for row in found.lost},
        "moved": [row.workload for row in found.moved],
        "restarted": [row.workload for row in found.restarted],
        "spared": list(found.spared),
        "shifted": {row.workload: (row.before, row.after) for row in found.shifted},
    }
    return {name: value for name, value in parts.items() if value}


@dataclass(frozen=True)
class Case:
    """A cluster, a change, and what becomes different."""

    name: str
    before: ClusterState
    edits: tuple[Edit, ...]
    want: dict[str, Any] = field(default_factory=dict)


FULL = state(
    queue("blue", 8),
    queue("red", 8),
    workload("blue", "base", 8, held="default", minute=1),
    workload("red", "base", 8, held="default", minute=2),
    workload("blue", "next", 4, minute=3),
    workload("blue", "later", 4, minute=4),
)
BORROWED = state(
    queue("blue", 8),
    queue("red", 8),
    workload("blue", "base", 8, held="default", minute=1),
    workload("blue", "extra", 8, held="default", minute=2),
    workload("red", "first", 4, minute=3),
)
CASES = [
    Case(
        "more quota admits the next one, and the other moves up",
        FULL,
        (nominal("blue", 12),),
        {"gained": ["blue/next"], "shifted": {"blue/later": (2, 1)}},
    ),
    Case("the same quota changes nothing", FULL, (nominal("blue", 8),)),
    Case("less quota evicts nobody", FULL, (nominal("blue", 4),)),
    Case(
        "what red would reclaim stays with blue when blue owns it",
        BORROWED,
        (nominal("blue", 20),),
        {"gained": ["blue/extra"]},
    ),
    Case(
        "borrowed quota is reclaimed when its owner may reclaim",
        state(
            queue("blue", 8),
            queue("red", 8, reclaim="Never"),
            workload("blue", "extra", 8, held="default", minute=1),
            workload("blue", "more", 4, held="default", minute=2),
            workload("red", "first", 8, minute=3),
        ),
        (of_queue("red", Field.RECLAIM_WITHIN_COHORT, "Any"),),
        {"gained": ["red/first"], "lost": {"blue/more": (Why.PREEMPTED, "red/first", "InCohortReclamation")}},
    ),
    Case(
        "a queue that drains loses what it holds",
        FULL,
        (of_queue("red", Field.STOP_POLICY, "HoldAndDrain"),),
        {"gained": ["blue/later", "blue/next"], "lost": {"red/base": (Why.EVICTED, "", "ClusterQueueStopped")}},
    ),
    Case(
        "a workload that is switched off makes room",
        FULL,
        (of_workload("blue/base", Field.ACTIVE, False),),
        {"gained": ["blue/later", "blue/next"], "lost": {"blue/base": (Why.DEACTIVATED, "", "Deactivated")}},
    ),
    Case(
        "a higher priority preempts in the own queue",
        FULL,
        (of_workload("blue/later", Field.PRIORITY, 5),),
        {
            "gained": ["blue/later", "blue/next"],
            "lost": {"blue/base": (Why.PREEMPTED, "blue/later", "InClusterQueue")},
        },
    ),
    Case(
        "fewer pods fit where all of them did not",
        replace(FULL),
        (nominal("red", 10), of_workload("blue/next", Field.COUNT, 2)),
        {"gained": ["blue/next"], "shifted": {"blue/later": (2, 1)}},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_difference(case: Case) -> None:
    got = short(compare(case.before, *case.edits).difference)
    assert got == case.want


def test_a_lowered_quota_tells_who_is_reclaimable() -> None:
    before = state(
        queue("blue", 8),
        queue("red", 8),
        workload("blue", "old", 4, held="default", minute=1),
        workload("blue", "young", 4, held="default", minute=2),
    )
    (stays,) = compare(before, nominal("blue", 2)).difference.stays
    assert (stays.node, stays.over, stays.before, stays.by_change) == ("blue", 6, 0, True)
    assert stays.reclaimers == ("red",)
    assert stays.reclaimable == ("blue/young", "blue/old"), "the youngest goes first"


def test_a_queue_without_cohort_has_nobody_to_give_back_to() -> None:
    before = state(queue("blue", 8, cohort=None), workload("blue", "old", 4, held="default"))
    (stays,) = compare(before, nominal("blue", 2)).difference.stays
    assert (stays.over, stays.reclaimers, stays.is_root) == (2, (), True)


def test_borrowing_beyond_a_lowered_limit_is_told() -> None:
    limit = Edit(Ref("ClusterQueue", "blue"), Field.BORROWING_LIMIT, 1, QUOTA_PART)
    before = state(
        queue("blue", 2), queue("red", 8, reclaim="Never"), workload("blue", "wide", 6, held="default", minute=1)
    )
    (stays,) = compare(before, limit).difference.stays
    assert (stays.over, stays.before, stays.beyond, stays.by_change) == (4, 4, 3, True)


def test_usage_and_shares_of_changed_nodes() -> None:
    found = compare(FULL, nominal("blue", 12)).difference
    nodes = {(change.kind, change.name) for change in found.nodes}
    assert nodes == {("ClusterQueue", "blue"), ("Cohort", "all")}
    (blue,) = (change for change in found.nodes if change.name == "blue")
    assert blue.before is not None
    assert blue.after is not None
    before, after = blue.before.quotas[0], blue.after.quotas[0]
    assert (before.nominal, before.total, after.nominal, after.total) == (8, 8, 12, 12)


def test_a_queue_that_stops_admitting_is_told() -> None:
    found = compare(FULL, of_queue("red", Field.STOP_POLICY, "Hold")).difference
    assert [(row.cluster_queue, row.why) for row in found.switched] == [
        ("red", "Can't admit new workloads: is stopped.")
    ]
    assert not found.is_empty


def test_only_touched_trees_are_simulated() -> None:
    apart = state(queue("blue", 8), queue("green", 8, cohort="other"), workload("green", "waits", 4))
    assert {name for _, name in compare(apart, nominal("blue", 4)).after.nodes} == {"blue", "all"}


def test_without_a_change_all_trees_settle() -> None:
    found = dry_run.settle(BORROWED, SETTINGS, now=NOW)
    assert not found.is_change
    assert short(found.difference)["gained"] == ["red/first"]
    assert found.after.is_settled


def test_the_order_of_the_state_does_not_matter() -> None:
    backwards = replace(BORROWED, workloads=dict(reversed(BORROWED.workloads.items())))
    one = compare(BORROWED, nominal("blue", 4))
    other = compare(backwards, nominal("blue", 4))
    assert short(one.difference) == short(other.difference)
    assert one.difference.nodes == other.difference.nodes


def test_who_is_in_no_queue_is_told() -> None:
    idle = compare(FULL, of_workload("blue/next", Field.ACTIVE, False))
    assert idle.unqueued == ("blue/next",)
    drained = compare(FULL, Edit(Ref("LocalQueue", "main", "red"), Field.STOP_POLICY, "HoldAndDrain"))
    assert drained.unqueued == ("red/base",)
    assert short(drained.difference)["lost"] == {"red/base": (Why.EVICTED, "", "LocalQueueStopped")}
