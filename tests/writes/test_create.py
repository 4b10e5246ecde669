"""`create`: what flags make, what is sent, and what is refused before or by the server."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from kueuectl.api import new_objects, quota_flags
from kueuectl.errors import UsageError
from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault

ROOT = "/apis/kueue.x-k8s.io/v1beta2"
BASE = {
    "namespaceSelector": {},
    "preemption": {"reclaimWithinCohort": "Never", "withinClusterQueue": "Never"},
    "queueingStrategy": "BestEffortFIFO",
}


def group(covered: str, **flavors: str) -> dict[str, Any]:
    """A resource group of nominal quotas: `group("cpu memory", default="1 1Gi")`."""
    names = covered.split()
    rows = {
        flavor: [{"name": name, "nominalQuota": amount} for name, amount in zip(names, amounts.split(), strict=True)]
        for flavor, amounts in flavors.items()
    }
    return {"coveredResources": names, "flavors": [{"name": name, "resources": row} for name, row in rows.items()]}


GROUPS = {
    "one flavor": (["default:cpu=9;memory=36Gi"], [group("cpu memory", default="9 36Gi")]),
    "a fraction": (["default:cpu=1.5"], [group("cpu", default="1.5")]),
    "flavors of the same resources share a group": (
        ["a:cpu=1;memory=1Gi,b:cpu=2;memory=2Gi"],
        [group("cpu memory", a="1 1Gi", b="2 2Gi")],
    ),
    "in whatever order they name them": (
        ["a:cpu=1;memory=1Gi,b:memory=2Gi;cpu=2"],
        [group("cpu memory", a="1 1Gi", b="2 2Gi")],
    ),
    "flavors of other resources have a group of their own": (
        ["a:cpu=1,b:memory=1Gi,c:cpu=3"],
        [group("cpu", a="1", c="3"), group("memory", b="1Gi")],
    ),
    "a flavor named twice": (["a:cpu=1", "a:memory=1Gi"], [group("cpu memory", a="1 1Gi")]),
    "nothing": ([""], []),
}


@pytest.mark.parametrize("name", GROUPS)
def test_flavors_are_grouped_by_their_resources(name: str) -> None:
    values, want = GROUPS[name]
    assert quota_flags.groups(values, (), ()) == want


def test_limits_stand_beside_the_quota() -> None:
    (found,) = quota_flags.groups(["a:cpu=4;memory=8Gi"], ["a:cpu=1"], ["a:memory=2Gi,b:cpu=0;memory=0"])
    assert found["flavors"] == [
        {
            "name": "a",
            "resources": [
                {"name": "cpu", "nominalQuota": "4", "borrowingLimit": "1"},
                {"name": "memory", "nominalQuota": "8Gi", "lendingLimit": "2Gi"},
            ],
        },
        {
            "name": "b",
            "resources": [
                {"name": "cpu", "nominalQuota": "0", "lendingLimit": "0"},
                {"name": "memory", "nominalQuota": "0", "lendingLimit": "0"},
            ],
        },
    ]


@pytest.mark.parametrize(
    ("nominal", "borrowing", "want"),
    [
        ("cpu=1", "", "invalid resources specification 'cpu=1'"),
        ("a:cpu", "", "invalid resources specification 'a:cpu'"),
        ("a:cpu=", "", "invalid resources specification 'a:cpu='"),
        ("A_b:cpu=1", "", "invalid resources specification"),
        ("a:cpu=abc", "", "invalid resource quota 'abc' of cpu"),
        ("a:cpu=-1", "", "invalid resource quota '-1' of cpu: it is negative"),
        ("a:cpu=1;cpu=2", "", "invalid flavor: a has cpu twice"),
        ("a:cpu=1,b:cpu=1;memory=1", "", "invalid resource group: flavors a and b share cpu"),
        ("a:cpu=1", "a:memory=1", "--borrowing-limit: invalid flavor: a has no nominal quota of memory"),
    ],
)
def test_a_quota_that_makes_no_sense_is_refused(nominal: str, borrowing: str, want: str) -> None:
    with pytest.raises(UsageError) as caught:
        quota_flags.groups([nominal], [borrowing], ())
    assert want in caught.value.problem


def test_taints_and_tolerations_are_read_as_kubectl_writes_them() -> None:
    assert new_objects.taints(["a=b:NoSchedule,c:NoExecute"]) == [
        {"key": "a", "value": "b", "effect": "NoSchedule"},
        {"key": "c", "effect": "NoExecute"},
    ]
    assert new_objects.tolerations(["a=b:NoSchedule,c:NoExecute", "d=e,f,:PreferNoSchedule"]) == [
        {"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"},
        {"key": "c", "operator": "Exists", "effect": "NoExecute"},
        {"key": "d", "operator": "Equal", "value": "e"},
        {"key": "f", "operator": "Exists"},
        {"operator": "Exists", "effect": "PreferNoSchedule"},
    ]


# What is typed after `create`, the object (without its header), its kind and plural.
MADE = {
    "clusterqueue made-1": ("ClusterQueue", BASE),
    "cq made-1 --cohort co --queuing-strategy StrictFIFO --namespace-selector x=1,y=2 --reclaim-within-cohort Any"
    " --preemption-within-cluster-queue LowerPriority": (
        "ClusterQueue",
        {
            "cohortName": "co",
            "namespaceSelector": {"matchLabels": {"x": "1", "y": "2"}},
            "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
            "queueingStrategy": "StrictFIFO",
        },
    ),
    "cq made-1 --nominal-quota default:cpu=9;memory=36Gi": (
        "ClusterQueue",
        BASE | {"resourceGroups": [group("cpu memory", default="9 36Gi")]},
    ),
    "cohort made-1": ("Cohort", {}),
    "co made-1 --parent all --weight 1.5 --nominal-quota default:cpu=9": (
        "Cohort",
        {"parentName": "all", "fairSharing": {"weight": "1.5"}, "resourceGroups": [group("cpu", default="9")]},
    ),
    "localqueue made-1 -c training -n team-a": ("LocalQueue", {"clusterQueue": "training"}),
    "lq made-1 -c nothere -i -n team-a": ("LocalQueue", {"clusterQueue": "nothere"}),
    "rf made-1": ("ResourceFlavor", {}),
    "flavor made-1 --node-labels pool=spot,zone=a --node-taints spot=yes:NoSchedule --tolerations spot": (
        "ResourceFlavor",
        {
            "nodeLabels": {"pool": "spot", "zone": "a"},
            "nodeTaints": [{"key": "spot", "value": "yes", "effect": "NoSchedule"}],
            "tolerations": [{"key": "spot", "operator": "Exists"}],
        },
    ),
}


@pytest.mark.parametrize("line", MADE)
def test_the_object_is_made(live: Live, fake: FakeServer, line: str) -> None:
    kind, spec = MADE[line]
    result = live("create", *line.split())
    assert (result.code, result.out, result.err) == (0, f"{kind.lower()}.kueue.x-k8s.io/made-1 created\n", "")
    ((method, path, made),) = fake.store.done
    inside = "namespaces/team-a/" if kind == "LocalQueue" else ""
    assert (method, path) == ("POST", f"{ROOT}/{inside}{kind.lower()}s")
    assert (made["apiVersion"], made["kind"], made["spec"]) == ("kueue.x-k8s.io/v1beta2", kind, spec)
    (sent,) = [seen for seen in fake.seen if seen.method == "POST"]
    assert sent.query == {"fieldManager": "kueuectl"}


@pytest.mark.parametrize("mode", ["client", "server"])
def test_a_dry_run_stores_nothing(live: Live, fake: FakeServer, mode: str) -> None:
    line = ["create", "cq", "made-1", "--nominal-quota", "default:cpu=1", f"--dry-run={mode}"]
    assert live(*line).out == f"clusterqueue.kueue.x-k8s.io/made-1 created ({mode} dry run)\n"
    assert live(*line, "-o", "name").out == "clusterqueue.kueue.x-k8s.io/made-1\n"
    shown = yaml.safe_load(live(*line, "-o", "yaml").out)
    assert shown["spec"] == BASE | {"resourceGroups": [group("cpu", default="1")]}
    assert ("uid" in shown["metadata"]) == (mode == "server")
    assert fake.store.done == []


def test_a_dry_run_of_the_client_asks_no_server() -> None:
    from tests.cli.harness import cli

    done = cli("create", "rf", "made-1", "--dry-run", "client", "-o", "json")
    assert (done.code, yaml.safe_load(done.out)["metadata"]) == (0, {"name": "made-1"})


@pytest.mark.parametrize("flag", ["--dry-run=client", "--dry-run client"])
def test_a_dry_run_may_stand_before_the_kind(live: Live, flag: str) -> None:
    done = live(*f"create {flag} rf made-1".split())
    assert (done.code, done.out) == (0, "resourceflavor.kueue.x-k8s.io/made-1 created (client dry run)\n")
    assert live(*f"create {flag}".split()).code == 2


def test_an_older_release_gets_its_own_names_of_fields(live: Live, fake: FakeServer) -> None:
    fake.versions = ("v1beta1",)
    assert live("create", "cq", "made-1", "--cohort", "co").code == 0
    ((_, path, made),) = fake.store.done
    assert path == "/apis/kueue.x-k8s.io/v1beta1/clusterqueues"
    assert (made["apiVersion"], made["spec"]["cohort"]) == ("kueue.x-k8s.io/v1beta1", "co")


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("cq a --dry-run=yes", 2, 'invalid dry-run value (yes). Must be "none", "server", or "client"'),
        ("cq a --borrowing-limit default:cpu=1", 1, "borrowingLimit: can't be set without a cohort"),
        ("cq a --queuing-strategy LIFO", 1, "spec.queueingStrategy: 'LIFO' is none of StrictFIFO, BestEffortFIFO"),
        ("cq a --reclaim-within-cohort Sometimes", 1, "spec.preemption.reclaimWithinCohort: 'Sometimes' is none of"),
        ("cq training", 4, 'clusterqueues.kueue.x-k8s.io "training" already exists'),
        ("cq", 2, "missing argument 'NAME'"),
        ("cq a b", 2, "unexpected extra argument"),
        ("cq Bad_Name", 1, "ClusterQueue Bad_Name: metadata.name: is not a name"),
        ("cq a --namespace-selector b", 2, 'invalid argument "b" for "--namespace-selector" flag'),
        ("cohort a --parent a", 1, "a cohort can't be its own parent"),
        ("cohort a --weight x", 1, "spec.fairSharing.weight"),
        ("lq a -c nothere -n team-a", 3, 'clusterqueues.kueue.x-k8s.io "nothere" not found'),
        ("lq a -n team-a", 2, "missing option '-c' / '--clusterqueue'"),
        ("lq a -c training -A", 2, "in one namespace"),
        ("rf a --node-taints bad", 2, "invalid taint spec: bad"),
        ("rf a --node-taints a:Bad", 2, "invalid taint effect: Bad, unsupported taint effect"),
        ("rf a --node-taints a:NoSchedule,a:NoSchedule", 2, "duplicated taints with the same key and effect"),
        ("rf a --tolerations bad=x=y", 2, "invalid toleration spec: bad=x=y"),
        ("rf a --node-labels bad", 2, 'invalid argument "bad" for "--node-labels" flag'),
        ("rf a --from example:four-tenants", 2, "a dump can't be written to"),
        ("workload a", 2, "unknown command 'workload'"),
    ],
)
def test_what_can_not_be_made_is_an_error(live: Live, fake: FakeServer, line: str, code: int, want: str) -> None:
    result = live("create", *line.split())
    assert (result.code, result.out) == (code, ""), result.err
    assert want.lower() in result.err.lower()
    assert fake.store.done == []


FAULTS = {
    "a fault of the server, nothing done": (Fault(ROOT, method="POST", status=500, times=1), 0),
    "the answer is lost after the write": (Fault(ROOT, method="POST", hang_up=True, lose=True, times=1), 0),
    "always cut": (Fault(ROOT, method="POST", hang_up=True), 5),
    "refused": (Fault(ROOT, method="POST", status=403), 5),
}


@pytest.mark.parametrize("name", FAULTS)
def test_it_is_made_once_and_reported_as_it_is(live: Live, fake: FakeServer, name: str) -> None:
    fault, want = FAULTS[name]
    fake.faults.append(fault)
    result = live("create", "cq", "made-1")
    assert result.code == want, result.err
    assert len(fake.store.done) == (want == 0)
    assert bool(result.out) == (want == 0)
