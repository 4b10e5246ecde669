"""Whether ClusterQueues and LocalQueues take work, and why not (docs: ClusterQueue; Troubleshooting Queues)."""

from __future__ import annotations

from typing import NamedTuple

from kueuectl.model import conditions
from kueuectl.model.queues import ClusterQueue, LocalQueue
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Workload

MULTIKUEUE_CONTROLLER = "kueue.x-k8s.io/multikueue"
_STOPPING = frozenset({"Hold", "HoldAndDrain"})


class Status(NamedTuple):
    """What Kueue writes into the Active condition of a queue."""

    active: bool
    reason: str
    message: str


class Problem(NamedTuple):
    """One reason why a ClusterQueue is inactive: Kueue's reason, and the names that it is about."""

    reason: str
    names: tuple[str, ...] = ()


class MissingTopology(NamedTuple):
    """A flavor whose Topology does not exist."""

    flavor: str
    topology: str
    reason: str = "TopologyNotFound"


_TERMINATING = Status(False, "Terminating", "Can't admit new workloads; clusterQueue is terminating")
_NOT_FOUND = Status(False, "NotFound", "ClusterQueue not found")
_READY = Status(True, "Ready", "Can admit new workloads")
_TEXTS = {
    "Stopped": "is stopped",
    "FlavorNotFound": "references missing ResourceFlavor(s): ",
    "AdmissionCheckNotFound": "references missing AdmissionCheck(s): ",
    "AdmissionCheckInactive": "references inactive AdmissionCheck(s): ",
    "MultipleMultiKueueAdmissionChecks": (
        "Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, found: "
    ),
    "MultiKueueAdmissionCheckAppliedPerFlavor": "Cannot specify MultiKueue AdmissionCheck per flavor, found: ",
}


def is_stopped(queue: ClusterQueue | LocalQueue) -> bool:
    """Whether somebody stopped the queue; HoldAndDrain also evicts what runs."""
    return queue.stop_policy in _STOPPING


def cluster_queue(queue: ClusterQueue, state: ClusterState, settings: Settings) -> Status:
    """Whether a ClusterQueue admits workloads, in Kueue's words. All problems are told, the first one is the reason."""
    if queue.deletion is not None:
        return _TERMINATING
    found = problems(queue, state, settings)
    if not found:
        return _READY
    return Status(False, found[0].reason, f"Can't admit new workloads: {', '.join(map(_text, found))}.")


def find(name: str, state: ClusterState, settings: Settings) -> Status:
    """As `cluster_queue`, for a name that need not exist."""
    queue = state.cluster_queues.get(name)
    return _NOT_FOUND if queue is None else cluster_queue(queue, state, settings)


def problems(queue: ClusterQueue, state: ClusterState, settings: Settings) -> tuple[Problem | MissingTopology, ...]:
    """Why a ClusterQueue is inactive, in Kueue's order. What a hidden kind would tell is left out."""
    found: list[Problem | MissingTopology] = []
    if is_stopped(queue):
        found.append(Problem("Stopped"))
    flavors = [flavor.name for group in queue.resource_groups for flavor in group.flavors]
    if not state.is_hidden("ResourceFlavor"):
        missing = tuple(name for name in flavors if name not in state.flavors)
        if missing:
            found.append(Problem("FlavorNotFound", missing))
    if not state.is_hidden("AdmissionCheck"):
        found += _check_problems(queue, state, settings)
    if settings.gate("TopologyAwareScheduling") and not state.is_hidden("Topology"):
        found += _missing_topologies(flavors, state)
    return tuple(found)


def local_queue(queue: LocalQueue, state: ClusterState, settings: Settings) -> Status:
    """Whether a LocalQueue passes workloads on, in Kueue's words."""
    if is_stopped(queue):
        return Status(False, "Stopped", "LocalQueue is stopped")
    target = state.cluster_queues.get(queue.cluster_queue)
    if target is None:
        return Status(False, "ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue")
    if not cluster_queue(target, state, settings).active:
        return Status(False, "ClusterQueueIsInactive", "Can't submit new workloads to clusterQueue")
    return Status(True, "Ready", "Can submit new workloads to localQueue")


class QueueFault(NamedTuple):
    """A queue on the way of a workload that is missing or does not take work.

    `kind` is LocalQueue or ClusterQueue. `is_missing` False: it is there, stopped or inactive; `status` says why.
    """

    kind: str
    name: str
    is_missing: bool
    status: Status | None = None

    @property
    def message(self) -> str:
        """What Kueue writes into the workload's QuotaReserved condition."""
        return f"{self.kind} {self.name} {_MISSING if self.is_missing else _INACTIVE}"


_MISSING = "doesn't exist"
_INACTIVE = "is inactive"


def queue_fault(workload: Workload, state: ClusterState, settings: Settings) -> QueueFault | None:
    """The first queue on a workload's way that keeps it from being looked at; None when all of them take work."""
    local = state.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
    if local is None:
        return QueueFault("LocalQueue", workload.queue_name, is_missing=True)
    if is_stopped(local):
        return QueueFault("LocalQueue", local.name, is_missing=False, status=local_queue(local, state, settings))
    target = state.cluster_queues.get(local.cluster_queue)
    if target is None:
        return QueueFault("ClusterQueue", local.cluster_queue, is_missing=True)
    status = cluster_queue(target, state, settings)
    return None if status.active else QueueFault("ClusterQueue", target.name, is_missing=False, status=status)


def _check_problems(queue: ClusterQueue, state: ClusterState, settings: Settings) -> list[Problem]:
    rules = sorted(queue.admission_checks, key=lambda rule: rule.name)
    known = [(rule, state.admission_checks[rule.name]) for rule in rules if rule.name in state.admission_checks]
    missing = tuple(rule.name for rule in rules if rule.name not in state.admission_checks)
    inactive = tuple(rule.name for rule, check in known if not conditions.is_true(check.conditions, "Active"))
    remote = []
    if settings.gate("MultiKueue"):
        remote = [rule for rule, check in known if check.controller == MULTIKUEUE_CONTROLLER]
    per_flavor = tuple(rule.name for rule in remote if rule.on_flavors)
    found = []
    if missing:
        found.append(Problem("AdmissionCheckNotFound", missing))
    if inactive:
        found.append(Problem("AdmissionCheckInactive", inactive))
    if len(remote) > 1:
        found.append(Problem("MultipleMultiKueueAdmissionChecks", tuple(rule.name for rule in remote)))
    if per_flavor:
        found.append(Problem("MultiKueueAdmissionCheckAppliedPerFlavor", per_flavor))
    return found


def _missing_topologies(flavors: list[str], state: ClusterState) -> list[MissingTopology]:
    found = []
    for name in dict.fromkeys(flavors):
        flavor = state.flavors.get(name)
        if flavor is not None and flavor.topology is not None and flavor.topology not in state.topologies:
            found.append(MissingTopology(name, flavor.topology))
    return found


def _text(problem: Problem | MissingTopology) -> str:
    if isinstance(problem, MissingTopology):
        return f'there is no Topology "{problem.topology}" for TAS flavor "{problem.flavor}"'
    return _TEXTS[problem.reason] + ",".join(problem.names)
