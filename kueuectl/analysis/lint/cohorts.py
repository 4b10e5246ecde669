"""Rules about the shape of cohorts: members that are alone, cohorts without any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kueuectl.analysis.explanation import Ref
from kueuectl.analysis.lint import spelling
from kueuectl.analysis.lint.findings import Code, Found, Severity, Unknown, finding
from kueuectl.analysis.lint.scene import Scene, quotas

# With fewer ClusterQueues than that in the input, that one is alone says nothing.
_FEWEST = 2


def one_member(scene: Scene) -> Iterator[Found]:
    """A cohort with one member, that shares with nobody: probably misspelled when another cohort is spelled alike."""
    members, below = _members(scene), _below(scene)
    for name in sorted(members.keys() | below.keys()):
        cohort = scene.state.cohorts.get(name)
        queues, children = members.get(name, []), below.get(name, [])
        if len(queues) + len(children) != 1 or (cohort is not None and (cohort.parent or any(quotas(cohort)))):
            continue
        subject = Ref("ClusterQueue", queues[0]) if queues else Ref("Cohort", children[0])
        near = spelling.nearest(name, (members.keys() | below.keys() | scene.state.cohorts.keys()) - {name})
        if not near and (not queues or len(scene.state.cluster_queues) < _FEWEST):
            # A cohort with one cohort below it is odd, but its members share all the same.
            continue
        if cohort is None and not scene.knows("Cohort") and not near:
            # It may have quota, or a parent, of its own.
            yield Unknown("Cohort")
            continue
        severity = Severity.WARNING if near else Severity.INFO
        path = "spec.cohortName" if queues else "spec.parentName"
        yield finding(Code.COHORT_ONE_MEMBER, subject, path, cohort=name, near=near).graded(severity)


def _members(scene: Scene) -> Mapping[str, list[str]]:
    """ClusterQueues of each cohort."""
    found: dict[str, list[str]] = {}
    for queue in scene.queues():
        if queue.cohort:
            found.setdefault(queue.cohort, []).append(queue.name)
    return found


def _below(scene: Scene) -> Mapping[str, list[str]]:
    """Cohorts right below each cohort."""
    found: dict[str, list[str]] = {}
    for cohort in scene.cohorts():
        if cohort.parent:
            found.setdefault(cohort.parent, []).append(cohort.name)
    return found


def empty(scene: Scene) -> Iterator[Found]:
    """A Cohort without any ClusterQueue below it."""
    if scene.state.cohorts and not scene.knows("ClusterQueue"):
        yield Unknown("ClusterQueue")
        return
    used: set[str] = set()
    for queue in scene.queues():
        at = queue.cohort
        while at and at not in used:
            used.add(at)
            cohort = scene.state.cohorts.get(at)
            at = cohort.parent if cohort is not None else None
    for cohort in scene.cohorts():
        if cohort.name not in used:
            near = spelling.nearest(cohort.name, used)
            yield finding(Code.COHORT_EMPTY, Ref("Cohort", cohort.name), near=near)
