"""clusterqueue-*: is a ClusterQueue active, and if not why."""

from __future__ import annotations

from kueuectl.engine import activeness
from kueuectl.model.conditions import Condition
from kueuectl.model.flavors import AdmissionCheck, ResourceFlavor, Topology
from kueuectl.model.queues import ClusterQueue
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from tests.conformance.case import Case, decode, same
from tests.conformance.registry import suite


@suite("clusterqueue-readiness")
def readiness(case: Case) -> list[str]:
    state = case.state()
    name = case.given["clusterQueueName"]
    if case.given.get("terminate") and name in state.cluster_queues:
        state.cluster_queues[name] = replace(state.cluster_queues[name], deletion=case.now)
    status = activeness.find(name, state, case.settings())
    return (
        _compare(case, status)
        + same("active", status.active, case.expect.get("wantActive", False))
        + same("status", "True" if status.active else "False", case.expect["wantStatus"])
    )


@suite("clusterqueue-admission-checks")
def admission_checks(case: Case) -> list[str]:
    queue = _queue(case, "cq")
    state = ClusterState(flavors={name: ResourceFlavor(name) for name in _flavors(queue)})
    for name, check in (case.given.get("admissionChecks") or {}).items():
        state.admission_checks[name] = _check(name, check.get("Controller") or "", is_active=check.get("Active", False))
    if case.given["cqStatus"] == "terminating":
        queue = replace(queue, deletion=case.now)
    status = activeness.cluster_queue(queue, state, case.settings())
    word = "active" if status.active else "terminating" if status.reason == "Terminating" else "pending"
    return _compare(case, status) + same("status", word, case.expect["wantStatus"])


@suite("clusterqueue-readiness-tas")
def readiness_tas(case: Case) -> list[str]:
    queue = _queue(case, "updatedCq" if case.given.get("updatedCq") else "cq")
    state = ClusterState(flavors={name: ResourceFlavor(name, topology="example-topology") for name in _flavors(queue)})
    if not case.given.get("skipTopology"):
        state.topologies["example-topology"] = Topology("example-topology")
    for rule in queue.admission_checks:
        state.admission_checks[rule.name] = _check(rule.name, "", is_active=True)
    return _compare(case, activeness.cluster_queue(queue, state, case.settings()))


def _queue(case: Case, name: str) -> ClusterQueue:
    found = decode(case.given[name])
    assert isinstance(found, ClusterQueue)
    return found


def _flavors(queue: ClusterQueue) -> list[str]:
    return [flavor.name for group in queue.resource_groups for flavor in group.flavors]


def _check(name: str, controller: str, *, is_active: bool) -> AdmissionCheck:
    return AdmissionCheck(name, controller, conditions=(Condition("Active", "True" if is_active else "False"),))


def _compare(case: Case, status: activeness.Status) -> list[str]:
    return same("reason", status.reason, case.expect["wantReason"]) + same(
        "message", status.message, case.expect["wantMessage"]
    )
