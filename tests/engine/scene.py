"""Small clusters for tests of cycles: queues of cpu, and workloads of one pod set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kueuectl.engine.simulate import Simulation
from kueuectl.model.flavors import ResourceFlavor
from kueuectl.model.queues import (
    ClusterQueue,
    Cohort,
    FlavorQuotas,
    LocalQueue,
    Preemption,
    ResourceGroup,
    ResourceQuota,
)
from kueuectl.model.selectors import LabelSelector
from kueuectl.model.settings import DEFAULT_GATES, Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload
from tests.engine.build import admission, condition, pod_set, workload

NOW = 1_000_000_000_000_000


def queue(name: str, cohort: str | None = None, *, limit: int | None = None, **fields: Any) -> ClusterQueue:
    """A ClusterQueue with so many cpus of each flavor (`flavors`, by name; other fields as in the model)."""
    flavors: dict[str, int] = fields.pop("flavors", {"default": 4})
    group = ResourceGroup(
        ("cpu",),
        tuple(
            FlavorQuotas(flavor, (ResourceQuota("cpu", cpus * 1000, borrowing_limit=limit),))
            for flavor, cpus in flavors.items()
        ),
    )
    values = {"namespace_selector": LabelSelector(), "preemption": Preemption("LowerPriority", "Any"), **fields}
    return ClusterQueue(name, cohort, (group,), **values)


def waiting(name: str, queue_name: str, cpu: int, *, priority: int = 0, **fields: Any) -> Workload:
    """A workload in the queue of that name; the uid is the name."""
    values = {"uid": name, "queue_name": queue_name, "priority": priority, **fields}
    return workload(pod_set(cpu=str(cpu)), name=name, **values)


def holding(name: str, queue_name: str, cpu: int, *, flavor: str = "default", **fields: Any) -> Workload:
    """The same, admitted there."""
    asked = waiting(name, queue_name, cpu, **fields)
    given = replace(admission(count=1, flavor=flavor, cpu=cpu * 1000), cluster_queue=queue_name)
    conditions = (condition("QuotaReserved", at=1), condition("Admitted", at=1), *asked.conditions)
    return replace(asked, admission=given, conditions=conditions)


def simulation(
    queues: Iterable[ClusterQueue],
    workloads: Iterable[Workload],
    *,
    cohorts: Iterable[Cohort] = (),
    fair_sharing: tuple[str, ...] | None = None,
    **gates: bool,
) -> Simulation:
    """A simulation of these queues, each with a LocalQueue of its name in namespace team-a, and all their flavors."""
    found = list(queues)
    names = {flavor.name for each in found for group in each.resource_groups for flavor in group.flavors}
    state = ClusterState(
        cluster_queues={each.name: each for each in found},
        local_queues={f"team-a/{each.name}": LocalQueue("team-a", each.name, each.name) for each in found},
        cohorts={each.name: each for each in cohorts},
        flavors={name: ResourceFlavor(name) for name in names},
        workloads={each.key: each for each in workloads},
    )
    settings = Settings(fair_sharing=fair_sharing, gates={**DEFAULT_GATES, **gates})
    return Simulation(state, settings, now=NOW)


def outcomes(simulation: Simulation) -> list[tuple[str, str, str]]:
    """One round: of each entry its name, what came of it, and the reason to queue it again."""
    done = simulation.step()
    return [(entry.info.workload.name, entry.outcome.value, entry.requeue.name) for entry in done.decision.entries]
