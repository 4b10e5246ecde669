"""Who would be preempted for a workload, and what an eviction costs."""

from __future__ import annotations

from collections.abc import Collection

from kueuectl.analysis import explain
from kueuectl.analysis.explanation import Explanation
from kueuectl.engine import priority, requests, workloads
from kueuectl.model import conditions
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct
from kueuectl.model.workloads import Workload

_SECONDS_PER_HOUR = 3600
_NANO = 1_000_000_000


class Loss(Struct, frozen=True):
    """What a workload loses when it is evicted.

    gpus: of all pods together, over all GPU resources. seconds: since it was admitted, None where that is not known.
    gpu_hours: gpus times that.
    """

    workload: str
    cluster_queue: str
    priority: int
    pods: int
    gpus: int
    seconds: int | None
    reason: str = ""

    @property
    def gpu_hours(self) -> float | None:
        """GPU-hours of work since admission."""
        return None if self.seconds is None else self.gpus * self.seconds / _SECONDS_PER_HOUR


class Plan(Struct, frozen=True):
    """The victims for one workload; none when it fits, or when no allowed set makes room (see the explanation)."""

    explanation: Explanation
    victims: tuple[Loss, ...]


class Gain(Struct, frozen=True):
    """A workload that gets quota, and its (pod set, resource, flavor) triples."""

    workload: str
    cluster_queue: str
    flavors: tuple[tuple[str, str, str], ...]


class Effect(Struct, frozen=True):
    """What evicting workloads would bring, beside what would happen anyway.

    `returned` were evicted and get quota again; `preempted` are others that are preempted on the way, `lost` those
    that would have got quota without it. Not `settled`: a loop or the limit of rounds was met.
    """

    evicted: tuple[Loss, ...]
    admitted: tuple[Gain, ...]
    returned: tuple[str, ...]
    preempted: tuple[str, ...]
    lost: tuple[str, ...]
    anyway: tuple[str, ...]
    settled: bool


def is_gpu(resource: str, more: Collection[str] = ()) -> bool:
    """Whether a resource counts GPUs: a name that ends in /gpu or holds /mig-, or one of `more`."""
    return resource.endswith("/gpu") or "/mig-" in resource or resource in more


def loss_of(
    state: ClusterState,
    settings: Settings,
    workload: Workload,
    *,
    now: int,
    reason: str = "",
    gpu_resources: Collection[str] = (),
    reader: requests.RequestsReader | None = None,
) -> Loss:
    """What evicting this workload costs; one `reader` makes many of these cheap."""
    asked = (reader or requests.RequestsReader(state, settings)).of(workload)
    admitted = conditions.find(workload.conditions, workloads.ADMITTED)
    since = admitted.last_transition if admitted is not None and admitted.status == "True" else None
    admission = workload.admission
    return Loss(
        workload=workload.key,
        cluster_queue=admission.cluster_queue if admission is not None else "",
        priority=priority.effective(workload, state, settings),
        pods=sum(pod_set.count for pod_set in asked),
        gpus=sum(amount for pod_set in asked for name, amount in pod_set.total.items() if is_gpu(name, gpu_resources)),
        seconds=None if since is None else max(0, (now - since) // _NANO),
        reason=reason,
    )


def plan_for(state: ClusterState, settings: Settings, *, now: int, key: str) -> Plan:
    """The victims that Kueue would choose for a waiting workload, which must exist."""
    found, _ = explain.workload(state, settings, now=now, key=key, with_proposals=False)
    reasons = {row.workload: row.reason for row in found.preemption.candidates if row.reason}
    victims = tuple(
        loss_of(state, settings, state.workloads[victim], now=now, reason=reasons.get(victim, ""))
        for victim in found.preemption.victims
        if victim in state.workloads
    )
    return Plan(found, victims)
