"""Small clusters of GPUs for tests of plans and forecasts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kueuectl import quantity
from kueuectl.model.conditions import Condition
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
from kueuectl.model.settings import FAIR_SHARING_STRATEGIES, Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import Admission, Container, PodSet, PodSetAssignment, PodTemplate, Workload

HOUR = 3_600_000_000_000
NOW = 500_000 * HOUR
GPU = "example.com/gpu"
FAIR = Settings(fair_sharing=FAIR_SHARING_STRATEGIES)
NEVER = Preemption("Never", "Never")


def queue(name: str, gpus: int, *, cohort: str | None = "all", **fields: Any) -> ClusterQueue:
    """A ClusterQueue with so many GPUs of each flavor (`flavors`, default one); nobody preempts unless told."""
    limit, lending = fields.pop("borrowing_limit", None), fields.pop("lending_limit", None)
    flavors: tuple[str, ...] = fields.pop("flavors", ("default",))
    group = ResourceGroup(
        (GPU,),
        tuple(FlavorQuotas(flavor, (ResourceQuota(GPU, gpus, limit, lending),)) for flavor in flavors),
    )
    values = {"namespace_selector": LabelSelector(), "preemption": NEVER, "uid": f"queue-{name}", **fields}
    return ClusterQueue(name, cohort, (group,), resource_version="7", **values)


def waiting(name: str, queue_name: str, gpus: int, *, created: float = 1.0, **fields: Any) -> Workload:
    """A workload of one pod that waits since so many hours; its namespace is that of its queue."""
    nanos = ((GPU, quantity.parse(str(gpus))),)
    pods = PodSet("main", fields.pop("pods", 1), PodTemplate((Container("c", nanos),)), fields.pop("least", None))
    values = {"priority": 0, "namespace": queue_name, "queue_name": queue_name, "uid": f"uid-{name}", **fields}
    return Workload(
        name=name, pod_sets=(pods,), creation=NOW - int(created * HOUR), resource_version=f"v-{name}", **values
    )


def holding(name: str, queue_name: str, gpus: int, *, hours: float = 1.0, **fields: Any) -> Workload:
    """The same, admitted so many hours ago."""
    flavor = fields.pop("flavor", "default")
    asked = waiting(name, queue_name, gpus, created=hours + 1, **fields)
    count = asked.pod_sets[0].count
    given = PodSetAssignment("main", ((GPU, flavor),), ((GPU, gpus * count),), count)
    since = NOW - int(hours * HOUR)
    marks = tuple(Condition(kind, "True", kind, last_transition=since) for kind in ("QuotaReserved", "Admitted"))
    return replace(asked, admission=Admission(queue_name, (given,)), conditions=(*marks, *asked.conditions))


def finished(name: str, queue_name: str, *, hours: float, **fields: Any) -> Workload:
    """A workload that ran so long, until an hour ago."""
    ran = holding(name, queue_name, 1, hours=hours + 1, **fields)
    end = Condition("Finished", "True", fields.get("reason", "Succeeded"), last_transition=NOW - HOUR)
    return replace(ran, conditions=(*ran.conditions, end))


def cluster(
    queues: Iterable[ClusterQueue], workloads: Iterable[Workload], *, cohorts: Iterable[Cohort] = ()
) -> ClusterState:
    """A state of these, each queue with a LocalQueue of its name in a namespace of its name."""
    found = list(queues)
    names = {flavor.name for each in found for group in each.resource_groups for flavor in group.flavors}
    return ClusterState(
        cluster_queues={each.name: each for each in found},
        local_queues={
            f"{each.name}/{each.name}": LocalQueue(each.name, each.name, each.name, uid=f"door-{each.name}")
            for each in found
        },
        cohorts={each.name: each for each in cohorts},
        flavors={name: ResourceFlavor(name, uid=f"flavor-{name}") for name in names},
        workloads={each.key: each for each in workloads},
    )
