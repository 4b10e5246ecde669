"""Rules about amounts: capacity, units, limits that contradict each other or reach nothing."""

from __future__ import annotations

from collections.abc import Iterator

from kueuectl.analysis.explanation import Ref
from kueuectl.analysis.lint.findings import Amount, Code, Finding, Found, Unknown, Value, finding
from kueuectl.analysis.lint.scene import Quota, Scene, covered, quotas
from kueuectl.engine.snapshot import Tree
from kueuectl.model.queues import ClusterQueue, Cohort

_MOST_NAMED = 5
_MEBI = 2**20
_KIBI = 2**10
_BYTES = ("memory", "ephemeral-storage")
# So many times more than somebody else's quota of the same thing is another unit, not another size.
_OTHER_UNIT = 10**6

# Why nothing can be borrowed.
NOBODY_HAS, NOBODY_LENDS, LIMITS_ABOVE = "nobody has it", "nobody lends it", "limits above"


def above_capacity(scene: Scene) -> Iterator[Found]:
    """Quota that the nodes of a flavor can't hold: of one ClusterQueue alone, else of all that have it together.

    Queues whose jobs run elsewhere, or on nodes that are made for them, are left out, and so are flavors without nodes
    (they have a finding of their own).
    """
    if not scene.knows("Node"):
        if scene.users_of and scene.state.flavors:
            yield Unknown("Node")
        return
    if not scene.knows("ResourceFlavor"):
        yield Unknown("ResourceFlavor")
        return
    counted: dict[tuple[str, str], list[tuple[Ref, Quota]]] = {}
    for queue in scene.queues():
        elsewhere = scene.runs_elsewhere(queue)
        if elsewhere is None:
            yield Unknown("AdmissionCheck")
        elif not elsewhere:
            _count(counted, Ref("ClusterQueue", queue.name), queue)
    for cohort in scene.cohorts():
        _count(counted, Ref("Cohort", cohort.name), cohort)
    for (flavor, resource), holders in sorted(counted.items()):
        if scene.nodes_of.get(flavor) and not _is_made_up(scene, resource):
            yield from _compared(scene, flavor, resource, holders=holders)


def _count(
    counted: dict[tuple[str, str], list[tuple[Ref, Quota]]], subject: Ref, holder: ClusterQueue | Cohort
) -> None:
    for quota in quotas(holder):
        if quota.entry.nominal > 0:
            counted.setdefault((quota.flavor, quota.entry.name), []).append((subject, quota))


def _is_made_up(scene: Scene, resource: str) -> bool:
    """Whether the resource comes from Kueue's configuration and not from nodes."""
    outputs = {name for rule in scene.settings.transformations for name, _ in rule.outputs}
    return resource in outputs or any(mapping.name == resource for mapping in scene.settings.device_class_mappings)


def _compared(scene: Scene, flavor: str, resource: str, *, holders: list[tuple[Ref, Quota]]) -> Iterator[Finding]:
    nodes = scene.nodes_of[flavor]
    capacity = sum(dict(node.allocatable).get(resource, 0) for node in nodes)
    total = sum(quota.entry.nominal for _, quota in holders)
    if total <= capacity:
        return
    if not any(resource in dict(node.allocatable) for node in scene.state.nodes.values()):
        subject, quota = holders[0]
        path = f"{quota.path}.nominalQuota"
        yield finding(Code.QUOTA_WITHOUT_CAPACITY, subject, path, resource=resource, flavor=flavor)
        return
    facts: dict[str, Value] = {"flavor": flavor, "capacity": Amount(resource, capacity), "nodes": len(nodes)}
    alone = [(subject, quota) for subject, quota in holders if quota.entry.nominal > capacity]
    for subject, quota in alone:
        amount = Amount(resource, quota.entry.nominal)
        path = f"{quota.path}.nominalQuota"
        yield finding(Code.QUOTA_ABOVE_CAPACITY, subject, path, quota=amount, resource=resource, **facts)
    if not alone:
        names = tuple(f"{subject.kind} {subject.name}" for subject, _ in holders[:_MOST_NAMED])
        yield finding(
            Code.QUOTA_ABOVE_CAPACITY,
            Ref("ResourceFlavor", flavor),
            "",
            quota=Amount(resource, total),
            resource=resource,
            holders=names,
            more=max(0, len(holders) - _MOST_NAMED),
            **facts,
        )


def unit_scale(scene: Scene) -> Iterator[Found]:
    """Quota that is a million times smaller than another one of the same thing in the tree, or memory below 1Mi."""
    for tree in scene.snapshot.trees:
        holders = _in_tree(scene, tree)
        for resource in sorted({quota.entry.name for _, quota in holders}):
            found = [(s, q) for s, q in holders if q.entry.name == resource and q.entry.nominal > 0]
            if not found:
                continue
            largest = max(found, key=lambda pair: pair[1].entry.nominal)
            for subject, quota in found:
                if _is_small(quota, largest[1]):
                    yield _small(subject, quota, largest)


def _in_tree(scene: Scene, tree: Tree) -> list[tuple[Ref, Quota]]:
    found = [(Ref("ClusterQueue", node.name), quota) for node in tree.queues for quota in quotas(node.spec)]
    for name in sorted(tree.cohorts):
        cohort = scene.state.cohorts.get(name)
        if cohort is not None:
            found += [(Ref("Cohort", name), quota) for quota in quotas(cohort)]
    return found


def _is_small(quota: Quota, largest: Quota) -> bool:
    entry = quota.entry
    if entry.name in _BYTES or entry.name.startswith("hugepages-"):
        return entry.nominal < _MEBI
    return entry.nominal * _OTHER_UNIT <= largest.entry.nominal


def _small(subject: Ref, quota: Quota, largest: tuple[Ref, Quota]) -> Finding:
    other, most = largest
    entry = quota.entry
    is_other = most.entry.nominal >= entry.nominal * _KIBI
    return finding(
        Code.UNIT_SCALE,
        subject,
        f"{quota.path}.nominalQuota",
        quota=Amount(entry.name, entry.nominal),
        resource=entry.name,
        flavor=quota.flavor,
        other=f"{other.kind} {other.name}" if is_other else "",
        largest=Amount(entry.name, most.entry.nominal),
    )


def limits(scene: Scene) -> Iterator[Found]:
    """Limits that the API would refuse: without a cohort there is nobody to borrow from, or to lend to."""
    for queue in scene.queues():
        yield from _contradictions(Ref("ClusterQueue", queue.name), queue, has_above=bool(queue.cohort))
    for cohort in scene.cohorts():
        yield from _contradictions(Ref("Cohort", cohort.name), cohort, has_above=bool(cohort.parent))


def _contradictions(subject: Ref, holder: ClusterQueue | Cohort, *, has_above: bool) -> Iterator[Finding]:
    for quota in quotas(holder):
        entry = quota.entry
        for name, value in (("borrowingLimit", entry.borrowing_limit), ("lendingLimit", entry.lending_limit)):
            if value is not None and not has_above:
                yield finding(
                    Code.LIMIT_WITHOUT_COHORT,
                    subject,
                    f"{quota.path}.{name}",
                    limit=name,
                    amount=Amount(entry.name, value),
                    above="cohort" if subject.kind == "ClusterQueue" else "parent",
                )
        lending = entry.lending_limit
        # Of a cohort the lending limit is about all below it, which may well be more than its own quota.
        if subject.kind == "ClusterQueue" and has_above and lending is not None and lending > entry.nominal:
            yield finding(
                Code.LENDING_ABOVE_NOMINAL,
                subject,
                f"{quota.path}.lendingLimit",
                limit=Amount(entry.name, lending),
                nominal=Amount(entry.name, entry.nominal),
            )


def borrowing_impossible(scene: Scene) -> Iterator[Found]:
    """A borrowing limit above zero where nobody lends: somebody meant to borrow, and can't."""
    for queue in scene.queues():
        node = scene.queue_node(queue.name)
        if node.parent is None or node.tree.is_cyclic:
            continue
        for quota in quotas(queue):
            limit = quota.entry.borrowing_limit
            fr = node.tree.index[quota.flavor, quota.entry.name]
            if not limit or node.potential[fr] > node.subtree[fr]:
                continue
            reason = _why_nothing(scene, node.tree, queue, quota=quota)
            if not scene.knows("Cohort") and reason != NOBODY_LENDS:
                # Quota of a cohort that was not read could be what it borrows.
                yield Unknown("Cohort")
                continue
            yield finding(
                Code.BORROWING_IMPOSSIBLE,
                Ref("ClusterQueue", queue.name),
                f"{quota.path}.borrowingLimit",
                limit=Amount(quota.entry.name, limit),
                flavor=quota.flavor,
                resource=quota.entry.name,
                cohort=queue.cohort or "",
                reason=reason,
            )


def _why_nothing(scene: Scene, tree: Tree, queue: ClusterQueue, *, quota: Quota) -> str:
    """Nobody else has quota of it, or those who have it don't lend; else a limit above keeps it out."""
    own = Ref("ClusterQueue", queue.name)
    others = [
        other
        for subject, other in _in_tree(scene, tree)
        if subject != own and (other.flavor, other.entry.name) == (quota.flavor, quota.entry.name)
    ]
    if not any(other.entry.nominal for other in others):
        return NOBODY_HAS
    if all(other.entry.lending_limit == 0 for other in others if other.entry.nominal):
        return NOBODY_LENDS
    return LIMITS_ABOVE


def cohort_quota_unreachable(scene: Scene) -> Iterator[Found]:
    """Quota of a cohort that no ClusterQueue of its tree may use: a queue needs a quota of it, even of zero."""
    users: dict[int, set[tuple[str, str]]] = {}
    for tree in scene.snapshot.trees:
        users[id(tree)] = {(quota.flavor, quota.entry.name) for node in tree.queues for quota in quotas(node.spec)}
    for tree in scene.snapshot.trees:
        for name in sorted(tree.cohorts):
            cohort = scene.state.cohorts.get(name)
            if cohort is None or not tree.queues:
                continue
            for quota in quotas(cohort):
                key = (quota.flavor, quota.entry.name)
                if quota.entry.nominal and key not in users[id(tree)]:
                    yield finding(
                        Code.COHORT_QUOTA_UNREACHABLE,
                        Ref("Cohort", name),
                        quota.path,
                        quota=Amount(quota.entry.name, quota.entry.nominal),
                        flavor=quota.flavor,
                        resource=quota.entry.name,
                    )


def excluded(scene: Scene) -> Iterator[Found]:
    """Quota of a resource that Kueue's configuration leaves out of all requests, or turns into others."""
    prefixes = scene.settings.exclude_resource_prefixes
    replaced = {rule.input: rule for rule in scene.settings.transformations if rule.strategy == "Replace"}
    for queue in scene.queues():
        for index, group in enumerate(queue.resource_groups):
            for number, name in enumerate(group.covered_resources):
                path = f"spec.resourceGroups[{index}].coveredResources[{number}]"
                subject = Ref("ClusterQueue", queue.name)
                prefix = next((one for one in prefixes if name.startswith(one)), None)
                if prefix is not None:
                    yield finding(Code.RESOURCE_EXCLUDED, subject, path, resource=name, prefix=prefix)
                elif name in replaced and not _is_output(scene, name):
                    outputs = tuple(output for output, _ in replaced[name].outputs)
                    yield finding(Code.RESOURCE_REPLACED, subject, path, resource=name, outputs=outputs)


def _is_output(scene: Scene, resource: str) -> bool:
    return any(resource == name for rule in scene.settings.transformations for name, _ in rule.outputs)


def outputs_uncovered(scene: Scene) -> Iterator[Found]:
    """A queue covers a resource that is turned into others, and not those: who asks for it is never admitted."""
    if scene.ignores_undeclared:
        return
    for queue in scene.queues():
        known = covered(queue)
        for rule in scene.settings.transformations:
            lacking = tuple(sorted(name for name, _ in rule.outputs if name not in known))
            if rule.input in known and lacking:
                yield finding(
                    Code.RESOURCE_OUTPUT_UNCOVERED,
                    Ref("ClusterQueue", queue.name),
                    "spec.resourceGroups",
                    resource=rule.input,
                    outputs=lacking,
                )
