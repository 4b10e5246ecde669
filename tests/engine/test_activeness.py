"""Active and inactive queues, admission checks, and pods that fit a capacity."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from kueuectl.engine import activeness, amounts, checks
from kueuectl.model.conditions import Condition
from kueuectl.model.flavors import AdmissionCheck, ResourceFlavor
from kueuectl.model.queues import AdmissionCheckRule, ClusterQueue, FlavorQuotas, LocalQueue, ResourceGroup
from kueuectl.model.settings import DEFAULT_GATES, Settings
from kueuectl.model.state import ClusterState, HiddenKind
from kueuectl.model.workloads import Admission, CheckState, PodSetAssignment
from tests.engine.build import workload

REMOTE = activeness.MULTIKUEUE_CONTROLLER


def queue(*flavors: str, rules: tuple[AdmissionCheckRule, ...] = (), **fields: Any) -> ClusterQueue:
    group = ResourceGroup(("cpu",), tuple(FlavorQuotas(name) for name in flavors))
    return ClusterQueue("queue", resource_groups=(group,), admission_checks=rules, **fields)


def check(name: str, controller: str = "example.com/check", status: str = "True") -> AdmissionCheck:
    return AdmissionCheck(name, controller, conditions=(Condition("Active", status),))


def rules(*names: str) -> tuple[AdmissionCheckRule, ...]:
    return tuple(AdmissionCheckRule(name) for name in names)


class Row(NamedTuple):
    name: str
    queue: ClusterQueue
    want: tuple[str, str]
    checks: tuple[AdmissionCheck, ...] = ()
    flavors: tuple[ResourceFlavor, ...] = ()
    hidden: tuple[str, ...] = ()
    off: tuple[str, ...] = ()


_READY = ("Ready", "Can admit new workloads")
ROWS = [
    Row("all is there", queue("f"), flavors=(ResourceFlavor("f"),), want=_READY),
    Row(
        "on its way out",
        queue("f", deletion=1),
        want=("Terminating", "Can't admit new workloads; clusterQueue is terminating"),
    ),
    Row("held", queue(stop_policy="Hold"), want=("Stopped", "Can't admit new workloads: is stopped.")),
    Row(
        "flavors in their order, checks by name, all problems told",
        queue("b", "a", rules=rules("y", "x", "z"), stop_policy="HoldAndDrain"),
        checks=(check("z", status="False"),),
        want=(
            "Stopped",
            "Can't admit new workloads: is stopped, references missing ResourceFlavor(s): b,a, "
            "references missing AdmissionCheck(s): x,y, references inactive AdmissionCheck(s): z.",
        ),
    ),
    Row(
        "two checks of MultiKueue",
        queue(rules=rules("n", "m")),
        checks=(check("m", REMOTE), check("n", REMOTE)),
        want=(
            "MultipleMultiKueueAdmissionChecks",
            "Can't admit new workloads: Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, "
            "found: m,n.",
        ),
    ),
    Row(
        "MultiKueue for one flavor",
        queue("f", rules=(AdmissionCheckRule("m", ("f",)),)),
        checks=(check("m", REMOTE),),
        flavors=(ResourceFlavor("f"),),
        want=(
            "MultiKueueAdmissionCheckAppliedPerFlavor",
            "Can't admit new workloads: Cannot specify MultiKueue AdmissionCheck per flavor, found: m.",
        ),
    ),
    Row(
        "a flavor without its topology",
        queue("f"),
        flavors=(ResourceFlavor("f", topology="racks"),),
        want=("TopologyNotFound", 'Can\'t admit new workloads: there is no Topology "racks" for TAS flavor "f".'),
    ),
    Row(
        "which nobody asks for when topologies are off",
        queue("f"),
        flavors=(ResourceFlavor("f", topology="racks"),),
        off=("TopologyAwareScheduling",),
        want=_READY,
    ),
    Row(
        "what could not be read is not missing",
        queue("f", rules=rules("x")),
        hidden=("ResourceFlavor", "AdmissionCheck"),
        want=_READY,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_cluster_queues(row: Row) -> None:
    state = ClusterState(
        flavors={flavor.name: flavor for flavor in row.flavors},
        admission_checks={found.name: found for found in row.checks},
        hidden=tuple(HiddenKind(kind, "forbidden") for kind in row.hidden),
    )
    status = activeness.cluster_queue(
        row.queue, state, Settings(gates={**DEFAULT_GATES, **dict.fromkeys(row.off, False)})
    )
    assert (status.reason, status.message) == row.want
    assert status.active is (row.want == _READY)


OPEN = ClusterQueue("open")
STATE = ClusterState(
    cluster_queues={"open": OPEN, "held": ClusterQueue("held", stop_policy="Hold")},
    local_queues={
        f"team-a/{name}": LocalQueue("team-a", name, target, stop_policy)
        for name, target, stop_policy in (
            ("main", "open", "None"),
            ("stopped", "open", "HoldAndDrain"),
            ("to-held", "held", "None"),
            ("to-nowhere", "typo", "None"),
        )
    },
)


@pytest.mark.parametrize(
    ("name", "want", "fault"),
    [
        ("main", ("Ready", "Can submit new workloads to localQueue"), None),
        ("stopped", ("Stopped", "LocalQueue is stopped"), "LocalQueue stopped is inactive"),
        (
            "to-held",
            ("ClusterQueueIsInactive", "Can't submit new workloads to clusterQueue"),
            "ClusterQueue held is inactive",
        ),
        (
            "to-nowhere",
            ("ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue"),
            "ClusterQueue typo doesn't exist",
        ),
    ],
)
def test_local_queues(name: str, want: tuple[str, str], fault: str | None) -> None:
    status = activeness.local_queue(STATE.local_queues[f"team-a/{name}"], STATE, Settings())
    assert (status.reason, status.message) == want
    found = activeness.queue_fault(workload(queue_name=name), STATE, Settings())
    assert (found.message if found else None) == fault


def test_a_workload_of_no_queue() -> None:
    found = activeness.queue_fault(workload(queue_name="absent"), STATE, Settings())
    assert found is not None
    assert (found.message, found.is_missing) == ("LocalQueue absent doesn't exist", True)


def admitted(**flavors: str) -> Admission:
    return Admission("queue", (PodSetAssignment("main", tuple(flavors.items())),))


@pytest.mark.parametrize(
    ("name", "wanted", "admission", "want"),
    [
        ("none", (), None, ()),
        ("for all flavors, before they are known", rules("b", "a"), None, ("a", "b")),
        ("for some flavors, before they are known", (*rules("a"), AdmissionCheckRule("b", ("f",))), None, None),
        ("for a flavor that it got", (AdmissionCheckRule("b", ("f", "g")),), admitted(cpu="g"), ("b",)),
        ("for a flavor that it did not get", (AdmissionCheckRule("b", ("f",)),), admitted(cpu="g"), ()),
        ("for all and for one", (*rules("a"), AdmissionCheckRule("b", ("f",))), admitted(cpu="f"), ("a", "b")),
    ],
)
def test_required_checks(
    name: str, wanted: tuple[AdmissionCheckRule, ...], admission: Admission | None, want: tuple[str, ...] | None
) -> None:
    assert checks.required(queue(rules=wanted), workload(admission=admission)) == want, name


def test_open_checks_are_those_that_are_not_ready() -> None:
    states = (CheckState("a", "Ready"), CheckState("b", "Pending"))
    asked = workload(admission=admitted(cpu="f"), checks=states)
    assert checks.open_checks(queue(rules=rules("c", "a", "b")), asked) == ("b", "c")
    assert not checks.all_ready(states)
    assert checks.all_ready(())
    assert checks.has_retry_or_rejected((*states, CheckState("c", "Retry")))
    assert not checks.has_retry_or_rejected(states)


@pytest.mark.parametrize(
    ("name", "requests", "capacity", "want"),
    [
        ("the scarcest resource decides", {"cpu": 5, "memory": 1}, {"cpu": 12, "memory": 8}, (2, "cpu")),
        ("ties go to the first by name", {"memory": 2, "cpu": 2}, {"cpu": 1, "memory": 1}, (0, "cpu")),
        ("zero is not asked for", {"cpu": 0, "memory": 1}, {"cpu": 0, "memory": 5}, (5, "memory")),
        ("what is lacking fits nobody", {"gpu": 1}, {"cpu": 5}, (0, "gpu")),
        ("over-used capacity is none", {"cpu": 1}, {"cpu": -3}, (0, "cpu")),
        ("nothing asked for", {"cpu": 0}, {"cpu": 5}, (2**31 - 1, "")),
        ("counts end at 31 bits", {"memory": 1}, {"memory": 2**31}, (2**31 - 1, "memory")),
    ],
)
def test_limiting_resource(
    name: str, requests: dict[str, int], capacity: dict[str, int], want: tuple[int, str]
) -> None:
    assert amounts.limiting(requests, capacity) == want, name
    assert amounts.count_in(requests, capacity) == want[0]
