"""What a state holds, in numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

from kueuectl.model.settings import DEFAULT_GATES, Settings
from kueuectl.model.state import ClusterState
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import workloads

_FIELDS = (
    ("ClusterQueue", "cluster_queues"),
    ("LocalQueue", "local_queues"),
    ("Cohort", "cohorts"),
    ("ResourceFlavor", "flavors"),
    ("Workload", "workloads"),
    ("AdmissionCheck", "admission_checks"),
    ("Topology", "topologies"),
    ("WorkloadPriorityClass", "workload_priority_classes"),
    ("PriorityClass", "priority_classes"),
    ("Namespace", "namespaces"),
    ("Node", "nodes"),
    ("LimitRange", "limit_ranges"),
    ("RuntimeClass", "runtime_classes"),
)


def counts(state: ClusterState) -> dict[str, int]:
    """How many objects of each kind there are, owners by their own kinds; kinds without any are left out."""
    found = {kind: len(getattr(state, field)) for kind, field in _FIELDS}
    found |= sorted(Counter(owner.kind for owner in state.owners).items())
    return {kind: count for kind, count in found.items() if count}


def by_status(state: ClusterState) -> dict[str, int]:
    """How many workloads there are of each status, all four of them."""
    found = Counter(workloads.status(workload) for workload in state.workloads.values())
    order = (workloads.PENDING, workloads.RESERVED, workloads.ADMITTED, workloads.FINISHED)
    return {status: found[status] for status in order}


def table(state: ClusterState) -> Table:
    """Kinds and how many objects of each there are."""
    return Table((Column("KIND"), Column("COUNT", right=True)), [(k, str(n)) for k, n in counts(state).items()])


def changed_gates(settings: Settings) -> dict[str, bool]:
    """Feature gates that differ from the defaults of the version, by name."""
    return {
        name: settings.gates[name]
        for name in sorted(settings.gates)
        if settings.gates[name] != DEFAULT_GATES.get(name, False)
    }


def configuration(settings: Settings) -> dict[str, Any]:
    """What the configuration says, as far as decisions depend on it."""
    ready = settings.wait_for_pods_ready
    found: dict[str, Any] = {
        "source": settings.source or "defaults",
        "fairSharing": None if settings.fair_sharing is None else list(settings.fair_sharing),
        "waitForPodsReady": None if ready is None else {"blockAdmission": ready.block_admission},
        "admissionFairSharing": settings.admission_fair_sharing is not None,
        "excludeResourcePrefixes": list(settings.exclude_resource_prefixes),
        "transformedResources": [transformation.input for transformation in settings.transformations],
        "quotaCheckStrategy": settings.quota_check_strategy,
        "gates": changed_gates(settings),
    }
    return found
