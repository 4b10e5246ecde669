"""Which trees a change touches, and what belongs to them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kueuectl.analysis import dry_run_trees
from kueuectl.model.queues import Cohort
from kueuectl.model.state import ClusterState, LimitRange, Namespace
from kueuectl.model.values import replace
from tests.dry_run.cluster import flavor, queue, state, workload

TWO = state(
    flavor("default"),
    flavor("spot"),
    queue("blue", 8),
    queue("red", 8),
    queue("green", 8, cohort="other", flavors=("spot",)),
    queue("lone", 8, cohort=None),
    workload("blue", "one", 1),
    workload("green", "two", 1, held="spot"),
    workload("lone", "three", 1),
)


@dataclass(frozen=True)
class Case:
    """A change, and the queues that have to be simulated for it."""

    name: str
    after: ClusterState
    want: list[set[str]]


def with_queue(name: str, **fields: object) -> ClusterState:
    """A ClusterQueue changed."""
    found = replace(TWO.cluster_queues[name], **fields)  # type: ignore[arg-type]
    return replace(TWO, cluster_queues={**TWO.cluster_queues, name: found})


CASES = [
    Case("nothing", TWO, []),
    Case("a queue brings its whole tree", with_queue("blue", fair_weight=2.0), [{"blue", "red"}]),
    Case("a queue without cohort stands alone", with_queue("lone", fair_weight=2.0), [{"lone"}]),
    Case("a queue that moves joins both trees", with_queue("blue", cohort="other"), [{"blue", "green", "red"}]),
    Case(
        "a cohort that gets a parent joins both trees",
        replace(TWO, cohorts={"all": Cohort("all", parent="other")}),
        [{"blue", "green", "red"}],
    ),
    Case(
        "a flavor touches the queues that name it",
        replace(TWO, flavors={**TWO.flavors, "spot": replace(TWO.flavors["spot"], node_labels=(("pool", "spot"),))}),
        [{"green"}],
    ),
    Case(
        "a namespace touches the queues that take its work",
        replace(TWO, namespaces={**TWO.namespaces, "red": Namespace("red", (("team", "red"),))}),
        [{"blue", "red"}],
    ),
    Case(
        "limits of a namespace too",
        replace(TWO, limit_ranges={"lone/limits": LimitRange("lone", "limits")}),
        [{"lone"}],
    ),
    Case(
        "a workload touches the queue that holds it",
        replace(TWO, workloads={key: value for key, value in TWO.workloads.items() if key != "green/two"}),
        [{"green"}],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_touched_trees(case: Case) -> None:
    touched = dry_run_trees.touched_by(TWO, case.after)
    parts = dry_run_trees.parts([TWO, case.after], touched=touched)
    assert [set(part.queues) for part in parts] == case.want


def test_a_workload_that_would_queue_in_another_tree_joins_them() -> None:
    moved = replace(TWO.workloads["green/two"], namespace="blue")
    crossing = replace(TWO, workloads={**TWO.workloads, "blue/two": moved})
    parts = dry_run_trees.parts([crossing])
    assert {"blue", "green", "red"} in [set(part.queues) for part in parts]


def test_parts_hold_every_workload_once() -> None:
    parts = dry_run_trees.parts([TWO])
    cut = dry_run_trees.cut(TWO, parts)
    assert sorted(key for part in cut for key in part.workloads) == sorted(TWO.workloads)
    assert [set(part.cluster_queues) for part in cut] == [set(part.queues) for part in parts]
