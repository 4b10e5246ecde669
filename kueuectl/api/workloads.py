"""Wire to model for Workloads; v1beta1 becomes v1beta2 here."""

from __future__ import annotations

from kueuectl.api import parts, pods, wire_workloads
from kueuectl.api.pool import Pool
from kueuectl.errors import InputError
from kueuectl.model.workloads import (
    Admission,
    CheckState,
    Eviction,
    Gate,
    PodSet,
    PodSetAssignment,
    PodSetUpdate,
    PriorityClassRef,
    RequeueState,
    SliceConstraint,
    TopologyAssignment,
    TopologyDomain,
    TopologyRequest,
    Workload,
)

# v1beta1 named the source of the priority in one text.
_OLD_SOURCES = {
    "kueue.x-k8s.io/workloadpriorityclass": ("kueue.x-k8s.io", "WorkloadPriorityClass"),
    "scheduling.k8s.io/priorityclass": ("scheduling.k8s.io", "PriorityClass"),
}
_NO_SPEC = wire_workloads.WorkloadSpec()
_NO_STATUS = wire_workloads.WorkloadStatus()
# The API's limit for a slice; a larger number would only cost memory.
_MAX_DOMAINS = 100_000
# The API's default for the name of a pod set.
_MAIN = "main"


def workload(found: wire_workloads.Workload, pool: Pool, *, is_old: bool) -> Workload:
    """A Workload; is_old reads v1beta1's fields."""
    meta = found.metadata or parts.NO_META
    spec = found.spec or _NO_SPEC
    status = found.status or _NO_STATUS
    past = status.accumulated_past_exexcution_time_seconds if is_old else status.accumulated_past_execution_time_seconds
    stats = status.scheduling_stats
    return Workload(
        namespace=pool.text(meta.namespace),
        name=meta.name or "",
        uid=meta.uid or "",
        creation=pool.time(meta.creation_timestamp),
        queue_name=pool.text(spec.queue_name),
        priority=spec.priority,
        priority_class=_priority_class(spec, pool, is_old=is_old),
        active=spec.active is not False,
        pod_sets=tuple([_pod_set(entry, pool) for entry in spec.pod_sets or ()]),
        maximum_execution_seconds=spec.maximum_execution_time_seconds,
        preemption_gates=_gates(spec, status, pool),
        labels=pool.labels(meta.labels),
        annotations=pool.annotations(meta.annotations),
        owners=parts.owners(meta.owner_references, pool),
        generation=meta.generation or 0,
        resource_version=meta.resource_version or "",
        deletion=pool.time(meta.deletion_timestamp),
        conditions=parts.conditions(status.conditions, pool),
        admission=_admission(status.admission, pool),
        requeue=_requeue(status.requeue_state, pool),
        reclaimable_pods=tuple([(pool.text(e.name), e.count or 0) for e in status.reclaimable_pods or ()]),
        checks=_checks(status.admission_checks, pool),
        past_execution_seconds=past or 0,
        nominated_clusters=tuple([pool.text(name) for name in status.nominated_cluster_names or ()]),
        cluster_name=pool.optional(status.cluster_name),
        unhealthy_nodes=tuple([pool.text(entry.name) for entry in status.unhealthy_nodes or ()]),
        evictions=_evictions(stats.evictions, pool) if stats else (),
        resource_requests=_requests(status.resource_requests, pool),
    )


def _priority_class(spec: wire_workloads.WorkloadSpec, pool: Pool, *, is_old: bool) -> PriorityClassRef | None:
    if is_old:
        if not spec.priority_class_name:
            return None
        group, kind = _OLD_SOURCES.get(spec.priority_class_source or "", ("", ""))
        return pool.share(PriorityClassRef(group, kind, spec.priority_class_name))
    ref = spec.priority_class_ref
    return pool.share(PriorityClassRef(ref.group or "", ref.kind or "", ref.name or "")) if ref else None


def _pod_set(found: wire_workloads.PodSet, pool: Pool) -> PodSet:
    """A pod set; the API's defaults are the name main and one pod."""
    return PodSet(
        name=pool.text(found.name) or _MAIN,
        count=1 if found.count is None else found.count,
        template=pods.template(found.template, pool),
        min_count=found.min_count,
        topology_request=_topology_request(found.topology_request, pool),
    )


def _topology_request(found: wire_workloads.TopologyRequest | None, pool: Pool) -> TopologyRequest | None:
    if found is None:
        return None
    constraints = found.podset_slice_required_topology_constraints
    return pool.share(
        TopologyRequest(
            required=found.required,
            preferred=found.preferred,
            unconstrained=bool(found.unconstrained),
            pod_index_label=found.pod_index_label,
            sub_group_index_label=found.sub_group_index_label,
            sub_group_count=found.sub_group_count,
            pod_set_group=found.pod_set_group_name,
            slice_required=found.pod_set_slice_required_topology,
            slice_size=found.pod_set_slice_size,
            slice_constraints=tuple([SliceConstraint(e.topology or "", e.size or 0) for e in constraints or ()]),
        )
    )


def _gates(spec: wire_workloads.WorkloadSpec, status: wire_workloads.WorkloadStatus, pool: Pool) -> tuple[Gate, ...]:
    """The gates of the spec with the positions of the status; a gate that only the status has comes after them."""
    if not spec.preemption_gates and not status.preemption_gates:
        return ()
    states = {entry.name or "": entry for entry in status.preemption_gates or ()}
    names = dict.fromkeys([entry.name or "" for entry in spec.preemption_gates or ()] + list(states))
    return tuple(
        [
            Gate(
                pool.text(name),
                position=pool.text(states[name].position) if name in states else "",
                last_transition=pool.time(states[name].last_transition_time) if name in states else None,
            )
            for name in names
        ]
    )


def _admission(found: wire_workloads.Admission | None, pool: Pool) -> Admission | None:
    if found is None:
        return None
    assignments = [
        pool.share(
            PodSetAssignment(
                name=pool.text(entry.name) or _MAIN,
                flavors=pool.labels(entry.flavors),
                usage=pool.amounts(entry.resource_usage),
                count=entry.count,
                topology=_topology(entry.topology_assignment, pool),
                delayed_topology=pool.optional(entry.delayed_topology_request),
            )
        )
        for entry in found.pod_set_assignments or ()
    ]
    return pool.share(Admission(pool.text(found.cluster_queue), tuple(assignments)))


def _topology(found: wire_workloads.TopologyAssignment | None, pool: Pool) -> TopologyAssignment | None:
    """A topology assignment: v1beta1 lists its domains, v1beta2 packs them into slices."""
    if found is None:
        return None
    domains = [
        TopologyDomain(tuple([pool.text(value) for value in domain.values or ()]), domain.count or 0)
        for domain in found.domains or ()
    ]
    for part in found.slices or ():
        domains += _unpack(part, pool)
    return TopologyAssignment(tuple([pool.text(level) for level in found.levels or ()]), tuple(domains))


def _unpack(found: wire_workloads.Slice, pool: Pool) -> list[TopologyDomain]:
    """The domains of one slice; docs: API reference, TopologyAssignmentSlice."""
    size = found.domain_count or 0
    if size > _MAX_DOMAINS:
        raise InputError(f"a slice of the topology assignment has more than {_MAX_DOMAINS} domains")
    columns = []
    for level in found.values_per_level or ():
        individual = level.individual
        if individual is None:
            columns.append([level.universal or ""] * size)
        else:
            prefix, suffix = individual.prefix or "", individual.suffix or ""
            columns.append([prefix + root + suffix for root in individual.roots or ()])
    counts = found.pod_counts or wire_workloads.PodCounts()
    pod_counts = counts.individual or [counts.universal or 0] * size
    if any(len(column) != size for column in columns) or len(pod_counts) != size:
        raise InputError(f"a slice of the topology assignment does not have as many values as its domainCount, {size}")
    return [
        TopologyDomain(tuple([pool.text(column[index]) for column in columns]), pod_counts[index])
        for index in range(size)
    ]


def _requeue(found: wire_workloads.RequeueState | None, pool: Pool) -> RequeueState | None:
    return None if found is None else RequeueState(found.count or 0, pool.time(found.requeue_at))


def _checks(found: list[wire_workloads.CheckState] | None, pool: Pool) -> tuple[CheckState, ...]:
    if not found:
        return ()
    return tuple(
        [
            CheckState(
                name=pool.text(entry.name),
                state=pool.text(entry.state) or "Pending",
                message=pool.text(entry.message),
                last_transition=pool.time(entry.last_transition_time),
                requeue_after_seconds=entry.requeue_after_seconds,
                retry_count=entry.retry_count,
                pod_set_updates=tuple([_update(update, pool) for update in entry.pod_set_updates or ()]),
            )
            for entry in found
        ]
    )


def _update(found: wire_workloads.PodSetUpdate, pool: Pool) -> PodSetUpdate:
    return PodSetUpdate(
        name=pool.text(found.name),
        labels=pool.labels(found.labels),
        annotations=pool.labels(found.annotations),
        node_selector=pool.labels(found.node_selector),
        tolerations=parts.tolerations(found.tolerations, pool),
    )


def _evictions(found: list[wire_workloads.EvictionCount] | None, pool: Pool) -> tuple[Eviction, ...]:
    return tuple([Eviction(pool.text(e.reason), pool.text(e.underlying_cause), e.count or 0) for e in found or ()])


def _requests(
    found: list[wire_workloads.PodSetRequest] | None, pool: Pool
) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    if not found:
        return ()
    return pool.share(tuple([(pool.text(entry.name), pool.amounts(entry.resources)) for entry in found]))
