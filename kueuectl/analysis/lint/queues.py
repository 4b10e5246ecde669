"""Rules about who gets into a ClusterQueue: selectors, doors, stop policies."""

from __future__ import annotations

from collections.abc import Iterator

from kueuectl.analysis.explanation import Ref
from kueuectl.analysis.lint.findings import Code, Found, Unknown, finding
from kueuectl.analysis.lint.scene import Scene
from kueuectl.engine import activeness, selectors

_MOST_NAMED = 5


def selector_missing(scene: Scene) -> Iterator[Found]:
    """No namespace selector: then no namespace is selected (docs: ClusterQueue, Namespace selector)."""
    for queue in scene.queues():
        if queue.namespace_selector is None:
            yield finding(Code.NAMESPACE_SELECTOR_MISSING, Ref("ClusterQueue", queue.name), "spec.namespaceSelector")


def selector_empty(scene: Scene) -> Iterator[Found]:
    """A selector that none of the namespaces matches; only where every namespace is known."""
    known = [dict(namespace.labels) for namespace in scene.state.namespaces.values()]
    named = {door.namespace for door in scene.doors()} | {
        workload.namespace for workload in scene.state.workloads.values()
    }
    is_whole = scene.knows("Namespace") and named <= scene.state.namespaces.keys()
    for queue in scene.queues():
        selector = queue.namespace_selector
        if selector is None or any(selectors.matches(selector, labels) for labels in known):
            continue
        if not (selector.match_labels or selector.match_expressions):
            continue
        if not is_whole:
            yield Unknown("Namespace")
            return
        yield finding(
            Code.NAMESPACE_SELECTOR_EMPTY,
            Ref("ClusterQueue", queue.name),
            "spec.namespaceSelector",
            namespaces=len(known),
        )


def not_selected(scene: Scene) -> Iterator[Found]:
    """A LocalQueue in a namespace that its ClusterQueue does not select: nothing of it is ever admitted."""
    for door in scene.doors():
        queue = scene.state.cluster_queues.get(door.cluster_queue)
        if queue is None or queue.namespace_selector is None:
            continue
        if not (queue.namespace_selector.match_labels or queue.namespace_selector.match_expressions):
            continue
        namespace = scene.state.namespaces.get(door.namespace)
        if namespace is None:
            yield Unknown("Namespace")
        elif not selectors.matches(queue.namespace_selector, dict(namespace.labels)):
            yield finding(
                Code.NAMESPACE_NOT_SELECTED,
                Ref("LocalQueue", door.name, door.namespace),
                "spec.clusterQueue",
                queue=queue.name,
                namespace=door.namespace,
            )


def without_quota(scene: Scene) -> Iterator[Found]:
    """A ClusterQueue without resource groups: nothing that asks for anything is admitted."""
    for queue in scene.queues():
        if not queue.resource_groups and not scene.ignores_undeclared:
            yield finding(Code.QUEUE_WITHOUT_QUOTA, Ref("ClusterQueue", queue.name), "spec.resourceGroups")


def without_door(scene: Scene) -> Iterator[Found]:
    """A ClusterQueue that no LocalQueue leads to: nobody can submit to it, though others may borrow its quota."""
    if scene.state.cluster_queues and not scene.knows("LocalQueue"):
        yield Unknown("LocalQueue")
        return
    reached = {door.cluster_queue for door in scene.doors()}
    for queue in scene.queues():
        if queue.name not in reached:
            yield finding(
                Code.QUEUE_WITHOUT_DOOR, Ref("ClusterQueue", queue.name), lends=1 if queue.cohort is not None else 0
            )


def stopped(scene: Scene) -> Iterator[Found]:
    """A stopped queue that workloads wait in."""
    waiting: dict[str, int] = {}
    for infos in scene.waiting.values():
        for info in infos:
            key = f"{info.workload.namespace}/{info.workload.queue_name}"
            waiting[key] = waiting.get(key, 0) + 1
    for queue in scene.queues():
        count = len(scene.waiting.get(queue.name, ()))
        if activeness.is_stopped(queue) and count:
            subject = Ref("ClusterQueue", queue.name)
            yield finding(Code.QUEUE_STOPPED, subject, "spec.stopPolicy", policy=queue.stop_policy, count=count)
    for door in scene.doors():
        count = waiting.get(door.key, 0)
        if activeness.is_stopped(door) and count:
            subject = Ref("LocalQueue", door.name, door.namespace)
            yield finding(Code.QUEUE_STOPPED, subject, "spec.stopPolicy", policy=door.stop_policy, count=count)
