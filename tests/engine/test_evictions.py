"""What an eviction leaves of a workload, and whom it wakes."""

from __future__ import annotations

import pytest

from kueuectl.engine import evictions, snapshot
from kueuectl.engine.simulate import Simulation
from kueuectl.model.conditions import Condition
from kueuectl.model.settings import DEFAULT_GATES, Settings
from kueuectl.model.values import replace
from kueuectl.model.workloads import CheckState, Workload
from tests.engine.build import condition
from tests.engine.scene import NOW, holding, queue, simulation, waiting

CHECKED = (CheckState("license", "Ready"),)


def found_in(workload: Workload) -> dict[str, tuple[str, str]]:
    """Status and reason of the conditions by type."""
    return {found.type: (found.status, found.reason) for found in workload.conditions}


def test_a_preemption_resets_checks_and_queues_again() -> None:
    held = replace(holding("job", "a", 1), checks=CHECKED)
    gone = evictions.after_preemption(held, "InClusterQueue", NOW)
    assert gone.admission is None
    assert [check.state for check in gone.checks] == ["Pending"]
    assert found_in(gone) == {
        "Evicted": ("True", "Preempted"),
        "Preempted": ("True", "InClusterQueue"),
        "Requeued": ("True", "Preempted"),
    }


@pytest.mark.parametrize(
    ("reason", "want"), [("Preempted", "True"), ("NodeFailures", "True"), ("PodsReadyTimeout", "False")]
)
def test_other_evictions_keep_checks_and_wait_for_their_controller(reason: str, want: str) -> None:
    held = holding("job", "a", 1, conditions=(condition("Evicted", reason=reason),))
    gone = evictions.after_eviction(replace(held, checks=CHECKED), NOW)
    assert [check.state for check in gone.checks] == ["Ready"]
    assert found_in(gone)["Requeued"] == (want, reason)


@pytest.mark.parametrize(("gate", "want"), [(True, 3), (False, NOW + 1_000_000)])
def test_who_was_preempted_by_a_borrower_queues_as_new_without_priority_sorting(gate: bool, want: int) -> None:
    held = holding("job", "a", 1, creation=3)
    gone = evictions.after_preemption(held, "InCohortReclaimWhileBorrowing", NOW)
    state = simulation([queue("a")], [gone]).snapshot.state
    settings = Settings(gates={**DEFAULT_GATES, "PrioritySortingWithinCohort": gate})
    assert snapshot.build(state, settings).reader.read(gone).timestamp == want


@pytest.mark.parametrize(("policy", "want"), [("None", ["large"]), ("Hold", [])])
def test_quota_of_a_stopped_local_queue_wakes_nobody(policy: str, want: list[str]) -> None:
    leaving: tuple[Condition, ...] = (condition("Evicted", reason="PodsReadyTimeout"),)
    built = simulation(
        [queue("a", "co"), queue("b", "co", flavors={"default": 0}, preemption=queue("a").preemption)],
        [holding("leaves", "a", 4, conditions=leaving), waiting("large", "b", 3)],
    )
    doors = dict(built.snapshot.state.local_queues)
    doors["team-a/a"] = replace(doors["team-a/a"], stop_policy=policy)
    found = Simulation(replace(built.snapshot.state, local_queues=doors), built.settings, now=NOW)
    found.step()
    assert [info.workload.name for info in found.pools.queues["b"].active.values()] == want


@pytest.mark.parametrize(("leads_to", "want"), [("a", ["in-a"]), ("b", ["in-b"])])
def test_freed_quota_wakes_the_tree_that_the_local_queue_leads_to(leads_to: str, want: list[str]) -> None:
    leaving: tuple[Condition, ...] = (condition("Evicted", reason="PodsReadyTimeout"),)
    built = simulation(
        [queue("a"), queue("b")],
        [holding("leaves", "a", 3, conditions=leaving), waiting("in-a", "a", 9), waiting("in-b", "b", 9)],
    )
    state = built.snapshot.state
    door = replace(state.local_queues["team-a/a"], name="remade", cluster_queue=leads_to)
    moved = replace(state.workloads["team-a/leaves"], queue_name="remade")
    state = replace(
        state,
        local_queues={**state.local_queues, "team-a/remade": door},
        workloads={**state.workloads, "team-a/leaves": moved},
    )
    found = Simulation(state, built.settings, now=NOW)
    found.step()
    assert [info.workload.name for pool in found.pools.queues.values() for info in pool.active.values()] == want
