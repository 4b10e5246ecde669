"""Wire to model for Workloads; v1beta1 becomes v1beta2 here."""

from __future__ import annotations

import msgspec

from kueuectl.api import parts, pods, wire, wire_workloads
from kueuectl.api.pool import Pool
from kueuectl.errors import InputError
from kueuectl.model.workloads import (
    Admission,
    Amounts,
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
_workload = Workload
_NO_SPEC = wire_workloads.WorkloadSpec()
_NO_STATUS = wire_workloads.WorkloadStatus()
_encode = msgspec.json.Encoder().encode
# The API's limit for a slice; a larger number would only cost memory.
_MAX_DOMAINS = 100_000
# The API's default for the name of a pod set.
_MAIN = "main"


def workload(found: wire_workloads.Workload, pool: Pool) -> Workload:
    """A Workload. An object of v1beta1 is read by that version's fields."""
    meta = found.metadata or parts.NO_META
    spec = found.spec or _NO_SPEC
    status = found.status or _NO_STATUS
    stats = status.scheduling_stats
    is_old = found.api_version in wire.OLD
    has_gates = spec.preemption_gates or status.preemption_gates
    # By position, in the order of the fields: keywords would cost more than setting the fields does.
    return _workload(
        pool.texts[meta.namespace],
        meta.name or "",
        meta.uid or "",
        pool.time(meta.creation_timestamp),
        pool.texts[spec.queue_name],
        spec.priority,
        _priority_class(spec, pool, is_old=is_old),
        spec.active is not False,
        _pod_sets(spec.pod_sets, pool),
        spec.maximum_execution_time_seconds,
        _gates(spec, status, pool) if has_gates else (),
        pool.labels(meta.labels),
        pool.annotations(meta.annotations) if meta.annotations else (),
        parts.owners(meta.owner_references, pool),
        meta.generation or 0,
        meta.resource_version or "",
        pool.time(meta.deletion_timestamp) if meta.deletion_timestamp else None,
        parts.conditions(status.conditions, pool),
        _admission(status.admission, pool) if status.admission else None,
        _requeue(status.requeue_state, pool) if status.requeue_state else None,
        _reclaimable(status.reclaimable_pods, pool) if status.reclaimable_pods else (),
        _checks(status.admission_checks, pool) if status.admission_checks else (),
        _past_seconds(status, is_old=is_old),
        _texts(status.nominated_cluster_names, pool) if status.nominated_cluster_names else (),
        status.cluster_name or None,
        _names(status.unhealthy_nodes, pool) if status.unhealthy_nodes else (),
        _evictions(stats.evictions, pool) if stats else (),
        _requests(status.resource_requests, pool) if status.resource_requests else (),
    )


def _texts(found: list[str], pool: Pool) -> tuple[str, ...]:
    return tuple([pool.texts[name] for name in found])


def _names(found: list[wire_workloads.Named], pool: Pool) -> tuple[str, ...]:
    return tuple([pool.texts[entry.name] for entry in found])


def _reclaimable(found: list[wire_workloads.ReclaimablePod], pool: Pool) -> tuple[tuple[str, int], ...]:
    return tuple([(pool.texts[entry.name], entry.count or 0) for entry in found])


def _past_seconds(status: wire_workloads.WorkloadStatus, *, is_old: bool) -> int:
    if is_old:
        return status.accumulated_past_exexcution_time_seconds or 0
    return status.accumulated_past_execution_time_seconds or 0


def _priority_class(spec: wire_workloads.WorkloadSpec, pool: Pool, *, is_old: bool) -> PriorityClassRef | None:
    if is_old:
        if not spec.priority_class_name:
            return None
        group, kind = _OLD_SOURCES.get(spec.priority_class_source or "", ("", ""))
        return pool.priority_class(group, kind, spec.priority_class_name)
    ref = spec.priority_class_ref
    if ref is None:
        return None
    return pool.priority_class(ref.group or "", ref.kind or "", ref.name or "")


def _pod_sets(found: list[wire_workloads.PodSet] | None, pool: Pool) -> tuple[PodSet, ...]:
    """Pod sets, shared; the API's defaults are the name main and one pod."""
    made = []
    for entry in found or ():
        name, count, request = entry.name or _MAIN, entry.count, entry.topology_request
        topology = _topology_request(request, pool) if request else None
        template = pods.template(entry.template, pool)
        key = (name, count, id(template), entry.min_count, id(topology))
        known = pool.known(key)
        if known is None:
            name = pool.texts[name]
            known = pool.keep(key, PodSet(name, 1 if count is None else count, template, entry.min_count, topology))
        made.append(known)
    if len(made) != 1:
        return tuple(made)
    # Most workloads have one, and the tuple around it can be shared too.
    alone: tuple[PodSet, ...] | None = pool.known(id(made[0]))
    return alone if alone is not None else pool.keep(id(made[0]), tuple(made))


def _topology_request(found: wire_workloads.TopologyRequest, pool: Pool) -> TopologyRequest:
    """A topology request, shared."""
    key = _encode(found)
    known: TopologyRequest | None = pool.known(key)
    if known is not None:
        return known
    constraints = found.podset_slice_required_topology_constraints
    return pool.keep(
        key,
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
        ),
    )


def _gates(spec: wire_workloads.WorkloadSpec, status: wire_workloads.WorkloadStatus, pool: Pool) -> tuple[Gate, ...]:
    """The gates of the spec with the positions of the status; a gate that only the status has comes after them."""
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


def _admission(found: wire_workloads.Admission, pool: Pool) -> Admission:
    """An admission; shared between workloads of one shape in one queue, unless it has a topology."""
    key: list[object] = ["admission", found.cluster_queue]
    made, is_placed = [], False
    for entry in found.pod_set_assignments or ():
        flavors, usage = pool.shared_labels(entry.flavors), pool.amounts(entry.resource_usage)
        is_placed = is_placed or entry.topology_assignment is not None
        key += (entry.name, id(flavors), id(usage), entry.count, entry.delayed_topology_request)
        made.append((entry, flavors, usage))
    known: Admission | None = None if is_placed else pool.known(tuple(key))
    if known is not None:
        return known
    assignments = [
        PodSetAssignment(
            name=pool.texts[entry.name] or _MAIN,
            flavors=flavors,
            usage=usage,
            count=entry.count,
            topology=_topology(entry.topology_assignment, pool) if entry.topology_assignment else None,
            delayed_topology=entry.delayed_topology_request or None,
        )
        for entry, flavors, usage in made
    ]
    admission = Admission(pool.texts[found.cluster_queue], tuple(assignments))
    return admission if is_placed else pool.keep(tuple(key), admission)


def _topology(found: wire_workloads.TopologyAssignment, pool: Pool) -> TopologyAssignment:
    """A topology assignment: v1beta1 lists its domains, v1beta2 packs them into slices."""
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


def _requeue(found: wire_workloads.RequeueState, pool: Pool) -> RequeueState:
    return RequeueState(found.count or 0, pool.time(found.requeue_at))


def _checks(found: list[wire_workloads.CheckState], pool: Pool) -> tuple[CheckState, ...]:
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


def _requests(found: list[wire_workloads.PodSetRequest], pool: Pool) -> tuple[tuple[str, Amounts], ...]:
    """Requests as they were last considered, shared."""
    made = tuple([(entry.name, pool.amounts(entry.resources)) for entry in found])
    key = ("requests", *[(name, id(amounts)) for name, amounts in made])
    known: tuple[tuple[str, Amounts], ...] | None = pool.known(key)
    return known if known is not None else pool.keep(key, tuple([(pool.texts[name], each) for name, each in made]))
