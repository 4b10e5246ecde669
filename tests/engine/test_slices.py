"""Elastic jobs: a workload slice takes the place of the one that was admitted before (KEP-77)."""

from __future__ import annotations

from kueuectl.engine import snapshot
from kueuectl.engine.workloads import REPLACES_ANNOTATION
from kueuectl.model.workloads import Workload
from kueuectl.report import narrate
from tests.engine.scene import holding, outcomes, queue, simulation, waiting

FLAVORS = {"reserved": 4, "spot": 8}


def grown(cpu: int, queue_name: str = "a", **fields: int) -> Workload:
    """The slice that takes the place of `old`."""
    return waiting("new", queue_name, cpu, annotations=((REPLACES_ANNOTATION, "team-a/old"),), **fields)


def test_it_is_charged_for_the_difference_and_the_old_slice_ends() -> None:
    found = simulation([queue("a", flavors=FLAVORS)], [holding("old", "a", 3, flavor="reserved"), grown(4)])
    assert outcomes(found) == [("new", "admitted", "GENERIC")]
    assert found.replaced == {"team-a/old": "team-a/new"}
    node = found.snapshot.queues["a"]
    assert (list(found.snapshot.held), node.usage[node.tree.index["reserved", "cpu"]]) == (["team-a/new"], 4000)


def test_it_stays_in_its_flavor() -> None:
    found = simulation(
        [queue("a", flavors=FLAVORS)],
        [holding("old", "a", 3, flavor="reserved"), holding("other", "a", 1, flavor="reserved"), grown(4)],
    )
    entry = found.step().decision.entries[0]
    assert narrate.entry(entry) == (
        "couldn't assign flavors to pod set main: "
        "could not assign spot flavor since the original workload is assigned: reserved, "
        "insufficient unused quota for cpu in flavor reserved, 1 more needed"
    )


def test_without_the_gate_it_is_a_workload_like_others() -> None:
    workloads = [holding("old", "a", 3, flavor="reserved"), grown(4)]
    found = simulation([queue("a", flavors=FLAVORS)], workloads, ElasticJobsViaWorkloadSlices=False)
    assert outcomes(found) == [("new", "admitted", "GENERIC")]
    assert sorted(found.snapshot.held) == ["team-a/new", "team-a/old"]


def test_a_slice_whose_predecessor_holds_nothing_is_charged_in_full() -> None:
    found = simulation(
        [queue("a", flavors={"reserved": 4})], [waiting("old", "a", 3, creation=2), grown(4, creation=1)]
    )
    assert outcomes(found) == [("new", "admitted", "GENERIC")]
    assert found.replaced == {}


def test_the_old_slice_counts_as_gone_for_entries_after_it() -> None:
    """Kueue gives out more than there is: the new slice is charged for the difference, and the old one for nothing."""
    queues = [queue("a", "co"), queue("b", "co", flavors={"default": 0})]
    found = simulation(queues, [holding("old", "a", 2), grown(4), waiting("other", "b", 2)])
    assert outcomes(found) == [("new", "admitted", "GENERIC"), ("other", "admitted", "GENERIC")]


def test_a_smaller_slice_leaves_no_trace_in_the_cohort() -> None:
    """Its difference is below zero, and what a queue uses less of its own part must not come back from its parent."""
    queues = [queue("a", "co"), queue("b", "co")]
    found = simulation(queues, [holding("old", "a", 6), grown(5), waiting("other", "b", 1)])
    found.step()
    assert found.snapshot.cohorts["co"].usage == [6000]
    found.snapshot.trees[0].root.usage[0] = -1
    snapshot.resettle(found.snapshot.trees[0])
    assert found.snapshot.cohorts["co"].usage == [6000]


def test_a_slice_that_was_admitted_on_the_way_can_be_replaced() -> None:
    later = waiting("later", "a", 4, creation=2, annotations=((REPLACES_ANNOTATION, "team-a/first"),))
    found = simulation([queue("a")], [waiting("first", "a", 3, creation=1), later])
    assert [outcomes(found), outcomes(found)] == [
        [("first", "admitted", "GENERIC")],
        [("later", "admitted", "GENERIC")],
    ]
    assert found.replaced == {"team-a/first": "team-a/later"}
