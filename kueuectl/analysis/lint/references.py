"""Rules about names that lead nowhere: flavors, topologies, checks, queues, and cohorts that lead in circles."""

from __future__ import annotations

from collections.abc import Iterator

from kueuectl.analysis.explanation import Ref
from kueuectl.analysis.lint import spelling
from kueuectl.analysis.lint.findings import Code, Finding, Found, Severity, Unknown, finding
from kueuectl.analysis.lint.scene import Scene
from kueuectl.engine import activeness, workloads
from kueuectl.model.queues import ClusterQueue, Cohort

_MOST_NAMED = 5


def cohort_cycle(scene: Scene) -> Iterator[Found]:
    """Cohorts that are above themselves: nothing is admitted below them (KEP-79)."""
    done: set[str] = set()
    for cohort in scene.cohorts():
        path: list[str] = []
        at: str | None = cohort.name
        while at is not None and at not in done:
            if at in path:
                cycle = path[path.index(at) :]
                yield finding(Code.COHORT_CYCLE, Ref("Cohort", at), "spec.parentName", cycle=(*cycle, at))
                break
            path.append(at)
            above = scene.state.cohorts.get(at)
            at = above.parent if above is not None else None
        done.update(path)


def flavor_missing(scene: Scene) -> Iterator[Found]:
    """Quota of a flavor that does not exist: a ClusterQueue that has one admits nothing at all."""
    holders: list[tuple[Ref, ClusterQueue | Cohort]] = [
        *((Ref("ClusterQueue", queue.name), queue) for queue in scene.queues()),
        *((Ref("Cohort", cohort.name), cohort) for cohort in scene.cohorts()),
    ]
    for subject, holder in holders:
        for index, group in enumerate(holder.resource_groups):
            for position, flavor in enumerate(group.flavors):
                if not scene.knows("ResourceFlavor"):
                    yield Unknown("ResourceFlavor")
                    return
                if not scene.exists("ResourceFlavor", flavor.name):
                    path = f"spec.resourceGroups[{index}].flavors[{position}].name"
                    severity = Severity.ERROR if subject.kind == "ClusterQueue" else Severity.WARNING
                    near = spelling.nearest(flavor.name, scene.state.flavors)
                    found = finding(Code.FLAVOR_MISSING, subject, path, flavor=flavor.name, near=near)
                    yield found.graded(severity)


def topology_missing(scene: Scene) -> Iterator[Found]:
    """A flavor whose Topology does not exist: ClusterQueues with the flavor admit nothing."""
    if not scene.settings.gate("TopologyAwareScheduling"):
        return
    for name in scene.ordered("ResourceFlavor"):
        topology = scene.state.flavors[name].topology
        if topology is None:
            continue
        if not scene.knows("Topology"):
            yield Unknown("Topology")
            return
        if not scene.exists("Topology", topology):
            near = spelling.nearest(topology, scene.state.topologies)
            users = scene.users_of.get(name, ())[:_MOST_NAMED]
            yield finding(
                Code.TOPOLOGY_MISSING,
                Ref("ResourceFlavor", name),
                "spec.topologyName",
                topology=topology,
                near=near,
                queues=users,
            )


def admission_checks(scene: Scene) -> Iterator[Found]:
    """Checks that are missing, inactive, or used in a way that makes the ClusterQueue inactive."""
    for queue in scene.queues():
        if not queue.admission_checks:
            continue
        if not scene.knows("AdmissionCheck"):
            yield Unknown("AdmissionCheck")
            return
        yield from _check_problems(scene, queue)


def _check_problems(scene: Scene, queue: ClusterQueue) -> Iterator[Finding]:
    paths = {rule.name: _check_path(index) for index, rule in enumerate(queue.admission_checks)}
    subject = Ref("ClusterQueue", queue.name)
    for problem in activeness.problems(queue, scene.state, scene.settings):
        if isinstance(problem, activeness.MissingTopology):
            continue
        match problem.reason:
            case "AdmissionCheckNotFound":
                for name in problem.names:
                    if not scene.exists("AdmissionCheck", name):
                        near = spelling.nearest(name, scene.state.admission_checks)
                        path = f"{paths[name]}.name"
                        yield finding(Code.ADMISSION_CHECK_MISSING, subject, path, check=name, near=near)
            case "AdmissionCheckInactive":
                for name in problem.names:
                    controller = scene.state.admission_checks[name].controller
                    path = f"{paths[name]}.name"
                    yield finding(Code.ADMISSION_CHECK_INACTIVE, subject, path, check=name, controller=controller)
            case "MultipleMultiKueueAdmissionChecks" | "MultiKueueAdmissionCheckAppliedPerFlavor" as reason:
                how = "several" if reason.startswith("Multiple") else "per flavor"
                path = "spec.admissionChecksStrategy.admissionChecks"
                yield finding(Code.MULTIKUEUE_CHECK_MISUSED, subject, path, checks=problem.names, how=how)


def _check_path(index: int) -> str:
    return f"spec.admissionChecksStrategy.admissionChecks[{index}]"


def check_flavors(scene: Scene) -> Iterator[Found]:
    """A check on a flavor that its ClusterQueue does not have: it is never asked for there."""
    for queue in scene.queues():
        flavors = {flavor.name for group in queue.resource_groups for flavor in group.flavors}
        for index, rule in enumerate(queue.admission_checks):
            for number, flavor in enumerate(rule.on_flavors):
                if flavor not in flavors:
                    path = f"{_check_path(index)}.onFlavors[{number}]"
                    near = spelling.nearest(flavor, flavors)
                    yield finding(
                        Code.CHECK_FLAVOR_UNKNOWN,
                        Ref("ClusterQueue", queue.name),
                        path,
                        check=rule.name,
                        flavor=flavor,
                        near=near,
                    )


def cluster_queue_missing(scene: Scene) -> Iterator[Found]:
    """A LocalQueue whose ClusterQueue does not exist."""
    for door in scene.doors():
        if not scene.knows("ClusterQueue"):
            yield Unknown("ClusterQueue")
            return
        if not scene.exists("ClusterQueue", door.cluster_queue):
            near = spelling.nearest(door.cluster_queue, scene.state.cluster_queues)
            subject = Ref("LocalQueue", door.name, door.namespace)
            path = "spec.clusterQueue"
            yield finding(Code.CLUSTER_QUEUE_MISSING, subject, path, queue=door.cluster_queue, near=near)


def local_queue_missing(scene: Scene) -> Iterator[Found]:
    """Workloads whose LocalQueue does not exist; one finding for each such name."""
    asked: dict[tuple[str, str], list[str]] = {}
    for key in scene.ordered("Workload"):
        workload = scene.state.workloads[key]
        if not workload.queue_name or not workload.active or workloads.is_finished(workload):
            continue
        if not scene.exists("LocalQueue", f"{workload.namespace}/{workload.queue_name}"):
            asked.setdefault((workload.namespace, workload.queue_name), []).append(workload.name)
    if asked and not scene.knows("LocalQueue"):
        yield Unknown("LocalQueue")
        return
    for (namespace, name), names in sorted(asked.items()):
        there = [door.name for door in scene.doors() if door.namespace == namespace]
        yield finding(
            Code.LOCAL_QUEUE_MISSING,
            Ref("Workload", names[0], namespace),
            "spec.queueName",
            queue=name,
            near=spelling.nearest(name, there),
            count=len(names),
        )


def checks_unused(scene: Scene) -> Iterator[Found]:
    """An AdmissionCheck that no ClusterQueue asks for."""
    if scene.state.admission_checks and not scene.knows("ClusterQueue"):
        yield Unknown("ClusterQueue")
        return
    used = {rule.name for queue in scene.queues() for rule in queue.admission_checks}
    for name in scene.ordered("AdmissionCheck"):
        if name not in used:
            yield finding(Code.ADMISSION_CHECK_UNUSED, Ref("AdmissionCheck", name))
