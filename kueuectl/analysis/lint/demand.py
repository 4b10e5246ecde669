"""Rules about what workloads ask for: resources that nobody counts, and requests that can never be met.

A workload is said to never fit only for what it lacks alone: a resource that no group covers, requests that break
limits, or a pod set that no flavor can hold even with the whole cohort idle. What several pod sets lack together is
left to `explain`, so that nothing is said that isn't so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kueuectl.analysis.explanation import Ref
from kueuectl.analysis.lint.findings import Amount, Code, Found, Unknown, Value, finding
from kueuectl.analysis.lint.scene import Scene, covered
from kueuectl.engine import activeness, limits, selectors
from kueuectl.engine.flavors import matching
from kueuectl.engine.infos import Info
from kueuectl.engine.snapshot import Group, QueueNode
from kueuectl.model.queues import ClusterQueue

_MOST_NAMED = 5
# Kueue counts pods itself, and only where a group covers them.
_PODS = "pods"

UNCOVERED, INVALID, NO_FLAVOR, TOO_MUCH = "uncovered", "invalid", "no flavor", "too much"


class Hopeless(NamedTuple):
    """Why a workload can never be admitted as things are, with the numbers."""

    why: str
    resource: str = ""
    asked: int = 0
    most: int = 0


def uncovered(scene: Scene) -> Iterator[Found]:
    """Resources that waiting workloads ask for and no group of their queue covers; one finding for each resource."""
    if scene.ignores_undeclared:
        return
    for queue in scene.queues():
        known = covered(queue)
        asked: dict[str, list[str]] = {}
        for info in scene.waiting.get(queue.name, ()):
            names = {name for pod_set in info.requests for name, amount in pod_set.total.items() if amount > 0}
            for name in names - known:
                asked.setdefault(name, []).append(info.key)
        for name in sorted(asked):
            yield finding(
                Code.RESOURCE_UNCOVERED,
                Ref("ClusterQueue", queue.name),
                "spec.resourceGroups",
                resource=name,
                count=len(asked[name]),
                workloads=tuple(asked[name][:_MOST_NAMED]),
            )


def defaults_uncovered(scene: Scene) -> Iterator[Found]:
    """Defaults of a namespace's LimitRange that its ClusterQueues don't cover: they are added to every container."""
    if scene.ignores_undeclared:
        return
    for key in scene.ordered("LimitRange"):
        found = scene.state.limit_ranges[key]
        names = {
            name
            for item in found.items
            if item.type == limits.CONTAINER
            for name, amount in (*item.default, *item.default_request)
            if amount > 0 and not name.startswith(scene.settings.exclude_resource_prefixes or ("\0",))
        }
        for door in scene.doors() if names else ():
            queue = scene.state.cluster_queues.get(door.cluster_queue)
            if door.namespace != found.namespace or queue is None:
                continue
            replaced = {rule.input for rule in scene.settings.transformations}
            for name in sorted(names - covered(queue) - replaced):
                yield finding(
                    Code.RESOURCE_DEFAULT_UNCOVERED,
                    Ref("LimitRange", found.name, found.namespace),
                    "spec.limits",
                    resource=name,
                    queue=queue.name,
                    door=door.name,
                )


def never_fits(scene: Scene) -> Iterator[Found]:
    """Workloads that can never be admitted. At the head of a StrictFIFO queue one of them stops all others."""
    for queue in scene.queues():
        infos = scene.waiting.get(queue.name, [])
        if not infos or not activeness.cluster_queue(queue, scene.state, scene.settings).active:
            continue
        if scene.state.is_hidden("ResourceFlavor") or scene.state.is_hidden("Cohort"):
            yield Unknown("ResourceFlavor" if scene.state.is_hidden("ResourceFlavor") else "Cohort")
            return
        yield from _of_queue(scene, queue, infos)


def _of_queue(scene: Scene, queue: ClusterQueue, infos: list[Info]) -> Iterator[Found]:
    node = scene.queue_node(queue.name)
    grouped: dict[str, list[tuple[Info, Hopeless]]] = {}
    heads = [info for info in infos if _is_let_in(scene, queue, info)]
    for info in heads:
        found = hopeless(scene, node, info)
        if found is None:
            continue
        if found.why == TOO_MUCH and node.parent is not None and not scene.knows("Cohort"):
            # Quota of a cohort that was not read could be what it would borrow.
            yield Unknown("Cohort")
            continue
        if node.is_strict and info is heads[0]:
            behind = len(infos) - 1
            subject = Ref("Workload", info.workload.name, info.workload.namespace)
            yield finding(Code.HEAD_BLOCKED, subject, "spec", queue=queue.name, behind=behind, **_facts(found))
        elif found.why != UNCOVERED:
            grouped.setdefault(f"{found.why} {found.resource}", []).append((info, found))
    for key in sorted(grouped):
        (first, found), *_ = grouped[key]
        names = tuple(info.key for info, _ in grouped[key])
        subject = Ref("Workload", first.workload.name, first.workload.namespace)
        yield finding(
            Code.WORKLOAD_NEVER_FITS,
            subject,
            "spec.podSets",
            queue=queue.name,
            count=len(names),
            workloads=names[:_MOST_NAMED],
            **_facts(found),
        )


def _facts(found: Hopeless) -> dict[str, Value]:
    facts: dict[str, Value] = {"why": found.why, "resource": found.resource}
    if found.why == TOO_MUCH:
        facts |= {"asked": Amount(found.resource, found.asked), "most": Amount(found.resource, found.most)}
    return facts


def _is_let_in(scene: Scene, queue: ClusterQueue, info: Info) -> bool:
    """Whether a workload gets as far as its request: its LocalQueue runs, and its namespace is selected."""
    door = scene.state.local_queues[f"{info.workload.namespace}/{info.workload.queue_name}"]
    namespace = scene.state.namespaces.get(info.workload.namespace)
    if activeness.is_stopped(door) or queue.namespace_selector is None:
        return False
    return namespace is None or selectors.matches(queue.namespace_selector, dict(namespace.labels))


def hopeless(scene: Scene, node: QueueNode, info: Info) -> Hopeless | None:
    """Why the workload can never be admitted, as far as one pod set alone tells; None when nothing tells that."""
    if scene.reader.requests.problems(info.workload):
        return Hopeless(INVALID)
    for asked, spec in zip(info.requests, info.workload.pod_sets, strict=False):
        totals = asked.total
        if spec.min_count is not None and scene.settings.gate("PartialAdmission"):
            totals = asked.scaled_to(min(spec.min_count, asked.count)).total
        wanted = {name: amount for name, amount in totals.items() if amount > 0}
        lacking = sorted(name for name in wanted if name not in node.group_of and name != _PODS)
        if lacking and not scene.ignores_undeclared:
            return Hopeless(UNCOVERED, lacking[0])
        template = scene.reader.requests.adjusted(spec, info.workload.namespace)
        for group in node.groups:
            amounts = {name: amount for name, amount in wanted.items() if name in group.covered}
            if not amounts:
                continue
            open_flavors = [
                option
                for option in group.flavors
                if option.name not in scene.state.flavors
                or not matching.mismatches(scene.state.flavors[option.name], template)
            ]
            if not open_flavors:
                return Hopeless(NO_FLAVOR, min(amounts))
            found = _too_much(node, group, amounts, open_flavors=[option.name for option in open_flavors])
            if found is not None:
                return found
    return None


def _too_much(node: QueueNode, group: Group, amounts: dict[str, int], *, open_flavors: list[str]) -> Hopeless | None:
    """The resource that no open flavor can hold, or the one that is short in the last of them; None where one can."""
    last = Hopeless(TOO_MUCH)
    most: dict[str, int] = dict.fromkeys(amounts, 0)
    for option in group.flavors:
        if option.name not in open_flavors:
            continue
        # A manifest that is refused may lack a quota of a resource that its group covers.
        reach = {name: node.potential[option.frs[name]] if name in option.frs else 0 for name in amounts}
        short = [name for name, amount in amounts.items() if reach[name] < amount]
        if not short:
            return None
        for name in amounts:
            most[name] = max(most[name], reach[name])
        last = Hopeless(TOO_MUCH, short[0], amounts[short[0]], reach[short[0]])
    for name in sorted(amounts):
        if most[name] < amounts[name]:
            return Hopeless(TOO_MUCH, name, amounts[name], most[name])
    return last
