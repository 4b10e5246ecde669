"""Single changes to a state, as functions from state to state; nothing is written anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kueuectl.analysis import edits
from kueuectl.analysis.edits import with_queue, with_workload
from kueuectl.analysis.explanation import ChangeKind, Explanation, FlavorRow, LimitKind, PodSetRow, Ref
from kueuectl.engine import priority
from kueuectl.engine.reasons import Untolerated
from kueuectl.engine.workloads import REQUEUED
from kueuectl.model.queues import ClusterQueue, Cohort, FlavorQuotas, ResourceGroup, ResourceQuota
from kueuectl.model.selectors import Toleration
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState, Namespace
from kueuectl.model.values import Struct, replace
from kueuectl.model.workloads import PodTemplate, Workload

Made = tuple[ClusterState, Settings]

# Costs, the cheapest first: what the owner or time can do, then quota, then policy.
_WAIT, _OWNER, _MOVE, _RANK, _QUOTA, _LIMIT, _POLICY = 10, 20, 30, 40, 60, 70, 80
_MAX_FINISHING = 12
_MAX_RANKS = 6
_MAX_QUEUES = 8


class Change(Struct, frozen=True):
    """A change to try. `make` gives the changed state, or None when it can't be made.

    `what` says on which part ("cpu in flavor spot"); before and after are amounts or words. With `tries_more` the rest
    of its family is tried too, even when this one helps.
    """

    kind: ChangeKind
    target: Ref
    make: Callable[[ClusterState, Settings], Made | None]
    cost: int
    what: str = ""
    before: str = ""
    after: str = ""
    tries_more: bool = False


def _workload_ref(workload: Workload) -> Ref:
    return Ref("Workload", workload.name, workload.namespace)


def _queue_of(state: ClusterState, key: str) -> ClusterQueue | None:
    workload = state.workloads[key]
    local = state.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
    return state.cluster_queues.get(local.cluster_queue) if local is not None else None


def activate(state: ClusterState, key: str) -> Iterator[Change]:
    """Switch a workload on that was switched off."""
    workload = state.workloads[key]
    if workload.active:
        return

    def make(state: ClusterState, settings: Settings) -> Made:
        found = state.workloads[key]
        # API reference, Workload: an activated one is requeued (reason Reactivated), whatever backoff it had.
        kept = tuple(condition for condition in found.conditions if condition.type != REQUEUED)
        return with_workload(state, replace(found, active=True, requeue=None, conditions=kept)), settings

    yield Change(ChangeKind.ACTIVATE, _workload_ref(workload), make, _OWNER, "", "false", "true")


def resume(state: ClusterState, key: str) -> Iterator[Change]:
    """Resume the LocalQueue or ClusterQueue that was stopped."""
    workload = state.workloads[key]
    local = state.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
    if local is not None and local.stop_policy != "None":
        door = local.key

        def open_local(state: ClusterState, settings: Settings) -> Made:
            opened = replace(state.local_queues[door], stop_policy="None")
            return replace(state, local_queues={**state.local_queues, door: opened}), settings

        target = Ref("LocalQueue", local.name, local.namespace)
        yield Change(
            ChangeKind.RESUME_LOCAL_QUEUE, target, open_local, _OWNER, "", local.stop_policy, "None", tries_more=True
        )
    queue = _queue_of(state, key)
    if queue is not None and queue.stop_policy != "None":
        name = queue.name

        def open_queue(state: ClusterState, settings: Settings) -> Made:
            return with_queue(state, replace(state.cluster_queues[name], stop_policy="None")), settings

        yield Change(
            ChangeKind.RESUME_CLUSTER_QUEUE,
            Ref("ClusterQueue", name),
            open_queue,
            _OWNER,
            "",
            queue.stop_policy,
            "None",
        )


def other_queues(state: ClusterState, key: str) -> Iterator[Change]:
    """Move it to another LocalQueue of its namespace."""
    workload = state.workloads[key]
    doors = [lq for lq in state.local_queues.values() if lq.namespace == workload.namespace]
    for local in sorted(doors, key=lambda lq: lq.name)[:_MAX_QUEUES]:
        if local.name == workload.queue_name:
            continue

        def make(state: ClusterState, settings: Settings, name: str = local.name) -> Made:
            return with_workload(state, replace(state.workloads[key], queue_name=name)), settings

        yield Change(ChangeKind.QUEUE, _workload_ref(workload), make, _MOVE, "", workload.queue_name, local.name)


def namespace_labels(state: ClusterState, key: str) -> Iterator[Change]:
    """Give the namespace the labels that the ClusterQueue selects by equality."""
    queue = _queue_of(state, key)
    if queue is None or queue.namespace_selector is None:
        return
    wanted = queue.namespace_selector.match_labels
    name = state.workloads[key].namespace
    if not wanted:
        return

    def make(state: ClusterState, settings: Settings) -> Made:
        known = state.namespaces.get(name) or Namespace(name)
        labels = tuple(sorted({**dict(known.labels), **dict(wanted)}.items()))
        return replace(state, namespaces={**state.namespaces, name: replace(known, labels=labels)}), settings

    text = ",".join(f"{label}={value}" for label, value in wanted)
    yield Change(ChangeKind.NAMESPACE_LABELS, Ref("Namespace", name), make, _POLICY, "", "", text)


def set_aside(state: ClusterState, head: str) -> Iterator[Change]:
    """Switch the head of the queue off."""
    found = state.workloads.get(head)
    if found is None:
        return

    def make(state: ClusterState, settings: Settings) -> Made:
        return with_workload(state, replace(state.workloads[head], active=False)), settings

    yield Change(ChangeKind.SET_ASIDE, _workload_ref(found), make, _RANK, "", "true", "false")


def before_head(state: ClusterState, settings: Settings, key: str, head: str) -> Iterator[Change]:
    """Rank it before the head of its queue."""
    found = state.workloads.get(head)
    if found is None:
        return
    own = priority.effective(state.workloads[key], state, settings)
    yield _ranked(state, key, own, priority.effective(found, state, settings) + 1)


def _ranked(state: ClusterState, key: str, own: int, rank: int) -> Change:
    def make(state: ClusterState, settings: Settings) -> Made:
        return with_workload(state, replace(state.workloads[key], priority=rank)), settings

    target = _workload_ref(state.workloads[key])
    return Change(ChangeKind.PRIORITY, target, make, _RANK, "", str(own), str(rank))


def best_effort(state: ClusterState, key: str) -> Iterator[Change]:
    """Let its ClusterQueue pass over a head that can't be admitted."""
    queue = _queue_of(state, key)
    if queue is None or queue.queueing_strategy == "BestEffortFIFO":
        return

    def make(state: ClusterState, settings: Settings) -> Made:
        changed = replace(state.cluster_queues[queue.name], queueing_strategy="BestEffortFIFO")
        return with_queue(state, changed), settings

    target = Ref("ClusterQueue", queue.name)
    yield Change(ChangeKind.STRATEGY, target, make, _POLICY, "", queue.queueing_strategy, "BestEffortFIFO")


def exclude(resources: tuple[str, ...]) -> Iterator[Change]:
    """Leave the uncovered resources out of quota altogether."""

    def make(state: ClusterState, settings: Settings) -> Made:
        prefixes = (*settings.exclude_resource_prefixes, *resources)
        return state, replace(settings, exclude_resource_prefixes=prefixes)

    target = Ref("Configuration", "kueue-manager-config")
    yield Change(ChangeKind.EXCLUDE_PREFIX, target, make, _POLICY, "", "", ",".join(resources))


def ignore_undeclared() -> Iterator[Change]:
    """Let ClusterQueues ignore resources that they do not cover (KEP-7513)."""

    def make(state: ClusterState, settings: Settings) -> Made:
        return state, replace(settings, quota_check_strategy="IgnoreUndeclared")

    target = Ref("Configuration", "kueue-manager-config")
    yield Change(ChangeKind.IGNORE_UNDECLARED, target, make, _POLICY + 1, "", "BlockUndeclared", "IgnoreUndeclared")


def cover(state: ClusterState, key: str, explanation: Explanation) -> Iterator[Change]:
    """Cover the resources in the first resource group, with quota for this workload in each flavor."""
    queue = _queue_of(state, key)
    if queue is None or not queue.resource_groups:
        return
    wanted: dict[str, int] = {}
    for pod_set in explanation.pod_sets:
        for name, amount in pod_set.requests:
            if name in explanation.uncovered:
                wanted[name] = wanted.get(name, 0) + amount
    first, *rest = queue.resource_groups
    flavors = tuple(
        FlavorQuotas(
            flavor.name, (*flavor.resources, *(ResourceQuota(name, amount) for name, amount in wanted.items()))
        )
        for flavor in first.flavors
    )
    group = ResourceGroup((*first.covered_resources, *wanted), flavors)

    def make(state: ClusterState, settings: Settings) -> Made:
        return with_queue(state, replace(state.cluster_queues[queue.name], resource_groups=(group, *rest))), settings

    text = ",".join(f"{name}={amount}" for name, amount in wanted.items())
    yield Change(ChangeKind.COVER_RESOURCE, Ref("ClusterQueue", queue.name), make, _QUOTA, "", "", text)


def _with_templates(workload: Workload, change: Callable[[PodTemplate], PodTemplate]) -> Workload:
    pod_sets = tuple(replace(pod_set, template=change(pod_set.template)) for pod_set in workload.pod_sets)
    return replace(workload, pod_sets=pod_sets)


def tolerate(state: ClusterState, key: str, explanation: Explanation) -> Iterator[Change]:
    """Let the pods tolerate the taints of one flavor."""
    names = dict.fromkeys(
        reason.flavor
        for pod_set in explanation.pod_sets
        for flavor in pod_set.flavors
        for reason in flavor.reasons
        if isinstance(reason, Untolerated)
    )
    for name in names:
        taints = state.flavors[name].node_taints
        extra = tuple(Toleration(taint.key, "Equal", taint.value, taint.effect) for taint in taints)

        def make(state: ClusterState, settings: Settings, extra: tuple[Toleration, ...] = extra) -> Made:
            def add(template: PodTemplate) -> PodTemplate:
                return replace(template, tolerations=(*template.tolerations, *extra))

            return with_workload(state, _with_templates(state.workloads[key], add)), settings

        text = ",".join(f"{taint.key}={taint.value}:{taint.effect}" for taint in taints)
        target = _workload_ref(state.workloads[key])
        yield Change(ChangeKind.TOLERATION, target, make, _OWNER, f"flavor {name}", "", text, tries_more=True)


def without_selector(state: ClusterState, key: str) -> Iterator[Change]:
    """Drop node selector and required affinity."""
    workload = state.workloads[key]
    if not any(ps.template.node_selector or ps.template.node_affinity for ps in workload.pod_sets):
        return

    def make(state: ClusterState, settings: Settings) -> Made:
        def drop(template: PodTemplate) -> PodTemplate:
            return replace(template, node_selector=(), node_affinity=None)

        return with_workload(state, _with_templates(state.workloads[key], drop)), settings

    text = ",".join(dict.fromkeys(f"{k}={v}" for ps in workload.pod_sets for k, v in ps.template.node_selector))
    yield Change(ChangeKind.NODE_SELECTOR, _workload_ref(workload), make, _OWNER + 1, "", text, "")


def _shortest(pod_set: PodSetRow) -> FlavorRow | None:
    """The flavor that lacks least, of those that taints and affinity leave open."""
    rows = [row for row in pod_set.flavors if row.out in ("quota", "capacity", "") and row.mode != "NotTried"]
    rows = [row for row in rows if any(resource.missing for resource in row.resources)]
    if not rows:
        return None

    def lack(row: FlavorRow) -> tuple[bool, bool, float]:
        # A flavor that never had the resource (a cpu flavor asked for GPUs) is the last that anybody would add to.
        foreign = any(resource.missing and not resource.maximum for resource in row.resources)
        return foreign, row.out == "capacity", sum(r.missing / max(1, r.requested) for r in row.resources)

    return min(rows, key=lack)


def finishing(state: ClusterState, explanation: Explanation) -> Iterator[Change]:
    """One workload that holds the flavor ends: those in the same queue first, then by how long they have run."""
    flavors = {row.name for pod_set in explanation.pod_sets for row in pod_set.flavors if row.out == "quota"}
    own = explanation.queue.cluster_queue
    holders = [
        workload
        for workload in state.workloads.values()
        if workload.admission is not None
        and any(flavor in flavors for ps in workload.admission.pod_sets for _, flavor in ps.flavors)
    ]

    def key(workload: Workload) -> tuple[bool, int, str]:
        admission = workload.admission
        assert admission is not None
        return (admission.cluster_queue != own, workload.creation or 0, workload.key)

    for workload in sorted(holders, key=key)[:_MAX_FINISHING]:

        def make(state: ClusterState, settings: Settings, gone: str = workload.key) -> Made:
            kept = {name: other for name, other in state.workloads.items() if name != gone}
            return replace(state, workloads=kept), settings

        yield Change(ChangeKind.FINISH, _workload_ref(workload), make, _WAIT)


def fewer_pods(state: ClusterState, key: str, run: Callable[[Change], object | None]) -> Iterator[Change]:
    """The largest number of pods that works, for a workload with one pod set; found by halving."""
    workload = state.workloads[key]
    if len(workload.pod_sets) != 1 or workload.pod_sets[0].count < 2:
        return
    count = workload.pod_sets[0].count

    def change(size: int) -> Change:
        def make(state: ClusterState, settings: Settings) -> Made:
            pod_set = replace(state.workloads[key].pod_sets[0], count=size, min_count=None)
            return with_workload(state, replace(state.workloads[key], pod_sets=(pod_set,))), settings

        name = workload.pod_sets[0].name
        return Change(ChangeKind.COUNT, _workload_ref(workload), make, _OWNER, f"pod set {name}", str(count), str(size))

    low, high = 0, count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if run(change(middle)) is not None:
            low = middle
        else:
            high = middle - 1
    if low:
        yield change(low)


def higher_priority(state: ClusterState, key: str, explanation: Explanation) -> Iterator[Change]:
    """The lowest priority from which somebody can be preempted."""
    own = explanation.priority or 0
    ranks = sorted({row.priority + 1 for row in explanation.preemption.candidates if row.priority >= own})
    for rank in ranks[:_MAX_RANKS]:
        yield _ranked(state, key, own, rank)


def more_nominal(state: ClusterState, key: str, explanation: Explanation) -> Iterator[Change]:
    """Raise the nominal quota of its ClusterQueue by what is missing."""
    queue = _queue_of(state, key)
    if queue is None:
        return
    for pod_set in explanation.pod_sets:
        row = _shortest(pod_set)
        if row is None:
            continue
        extra = {
            entry.name: max(entry.missing, entry.requested - entry.maximum) for entry in row.resources if entry.missing
        }
        before = {entry.name: entry.nominal for entry in row.resources}

        def make(state: ClusterState, settings: Settings, name: str = row.name, extra: dict[str, int] = extra) -> Made:
            def add(old: ResourceQuota) -> ResourceQuota:
                return replace(old, nominal=old.nominal + extra.get(old.name, 0))

            changed = state.cluster_queues[queue.name]
            groups = edits.with_quota(changed.resource_groups, name, add)
            return with_queue(state, replace(changed, resource_groups=groups)), settings

        yield Change(
            ChangeKind.NOMINAL_QUOTA,
            Ref("ClusterQueue", queue.name),
            make,
            _QUOTA,
            row.name,
            _amounts({name: before[name] for name in extra}),
            _amounts({name: before[name] + more for name, more in extra.items()}),
        )


def _amounts(values: dict[str, int]) -> str:
    """resource=amount pairs; report writes the amounts as quantities."""
    return ",".join(f"{name}={value}" for name, value in sorted(values.items()))


def _limits(explanation: Explanation, kind: LimitKind) -> Iterator[tuple[str, bool, str, str, int]]:
    """(node, is cohort, flavor, resource, missing) where a limit of that kind binds."""
    seen = set()
    for pod_set in explanation.pod_sets:
        for flavor in pod_set.flavors:
            for row in flavor.resources:
                limit = row.limited_by
                if flavor.mode == "NotTried" or limit is None or limit.kind is not kind or not row.missing:
                    continue
                found = (limit.node, limit.is_cohort, flavor.name, row.name, row.missing)
                if found not in seen:
                    seen.add(found)
                    yield found


def _change_limit(
    state: ClusterState,
    node: str,
    *,
    is_cohort: bool,
    flavor: str,
    change: Callable[[ResourceQuota], ResourceQuota],
) -> ClusterState | None:
    if is_cohort:
        cohort: Cohort | None = state.cohorts.get(node)
        if cohort is None:
            return None
        groups = edits.with_quota(cohort.resource_groups, flavor, change)
        return edits.with_cohort(state, replace(cohort, resource_groups=groups))
    queue = state.cluster_queues[node]
    return with_queue(state, replace(queue, resource_groups=edits.with_quota(queue.resource_groups, flavor, change)))


def _entry(state: ClusterState, node: str, *, is_cohort: bool, flavor: str, resource: str) -> ResourceQuota | None:
    found = state.cohorts.get(node) if is_cohort else state.cluster_queues.get(node)
    return None if found is None else edits.quota_of(found.resource_groups, flavor, resource)


def _raise_limit(state: ClusterState, explanation: Explanation, kind: LimitKind) -> Iterator[Change]:
    borrowing = kind is LimitKind.BORROWING_LIMIT
    for node, is_cohort, flavor, resource, missing in _limits(explanation, kind):
        entry = _entry(state, node, is_cohort=is_cohort, flavor=flavor, resource=resource)
        before = None if entry is None else entry.borrowing_limit if borrowing else entry.lending_limit
        if before is None:
            continue
        after = before + missing

        def make(
            state: ClusterState,
            settings: Settings,
            node: str = node,
            is_cohort: bool = is_cohort,
            flavor: str = flavor,
            resource: str = resource,
            after: int = after,
        ) -> Made | None:
            def change(old: ResourceQuota) -> ResourceQuota:
                if old.name != resource:
                    return old
                return replace(old, borrowing_limit=after) if borrowing else replace(old, lending_limit=after)

            changed = _change_limit(state, node, is_cohort=is_cohort, flavor=flavor, change=change)
            return None if changed is None else (changed, settings)

        yield Change(
            ChangeKind.BORROWING_LIMIT if borrowing else ChangeKind.LENDING_LIMIT,
            Ref("Cohort" if is_cohort else "ClusterQueue", node),
            make,
            _LIMIT,
            flavor,
            _amounts({resource: before}),
            _amounts({resource: after}),
        )


def more_borrowing(state: ClusterState, explanation: Explanation) -> Iterator[Change]:
    """Raise the borrowing limit that binds by what is missing."""
    yield from _raise_limit(state, explanation, LimitKind.BORROWING_LIMIT)


def more_lending(state: ClusterState, explanation: Explanation) -> Iterator[Change]:
    """Raise the lending limit that keeps most of its owner's quota by what is missing."""
    yield from _raise_limit(state, explanation, LimitKind.LENDING_LIMIT)
