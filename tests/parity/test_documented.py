"""The examples of the documentation of Kueue's plugin, as they stand there, in one session against a server.

What is expected is written here. Each line stands on what those before it made.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

import pytest

from tests.cli.two_teams import Live, fake, live
from tests.cluster.fake import FakeServer

__all__ = ["fake", "live"]

ROOT = "/apis/kueue.x-k8s.io/v1beta2"


@dataclass(frozen=True)
class Line:
    """A line as it is typed after the program's name, what it prints, and what is stored of the object's spec."""

    typed: str
    want: str
    spec: dict[str, Any] | None = None
    code: int = 0


def quota(flavor: str, *rows: str) -> dict[str, Any]:
    """A flavor with rows of `resource nominal borrowing lending`; the limits may be left out."""
    fields = ("name", "nominalQuota", "borrowingLimit", "lendingLimit")
    return {"name": flavor, "resources": [dict(zip(fields, row.split(), strict=False)) for row in rows]}


NEVER = {"reclaimWithinCohort": "Never", "withinClusterQueue": "Never"}
PLAIN = {"namespaceSelector": {}, "preemption": NEVER, "queueingStrategy": "BestEffortFIFO"}
QUEUE = "clusterqueue.kueue.x-k8s.io/my-cluster-queue"
FLAVOR = "resourceflavor.kueue.x-k8s.io/my-resource-flavor"
LOCAL = "localqueue.kueue.x-k8s.io/my-local-queue"

CREATED = {
    "a queue and nothing else": Line("create clusterqueue my-cluster-queue", f"{QUEUE} created\n", PLAIN),
    "a queue with all that isn't quota": Line(
        """create clusterqueue my-cluster-queue \
        --cohort cohortname \
        --queuing-strategy StrictFIFO \
        --namespace-selector fooX=barX,fooY=barY \
        --reclaim-within-cohort Any \
        --preemption-within-cluster-queue LowerPriority""",
        f"{QUEUE} created\n",
        {
            "cohortName": "cohortname",
            "queueingStrategy": "StrictFIFO",
            "namespaceSelector": {"matchLabels": {"fooX": "barX", "fooY": "barY"}},
            "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        },
    ),
    "one flavor": Line(
        'create clusterqueue my-cluster-queue --nominal-quota "alpha:cpu=9;memory=36Gi"',
        f"{QUEUE} created\n",
        {
            **PLAIN,
            "resourceGroups": [
                {"coveredResources": ["cpu", "memory"], "flavors": [quota("alpha", "cpu 9", "memory 36Gi")]}
            ],
        },
    ),
    "two flavors with limits": Line(
        """create clusterqueue my-cluster-queue \
        --cohort cohortname \
        --nominal-quota "alpha:cpu=9;memory=36Gi;nvidia.com/gpu=10,beta:cpu=18;memory=72Gi;nvidia.com/gpu=20" \
        --borrowing-limit "alpha:cpu=1;memory=1Gi;nvidia.com/gpu=1,beta:cpu=2;memory=2Gi;nvidia.com/gpu=2" \
        --lending-limit "alpha:cpu=1;memory=1Gi;nvidia.com/gpu=1,beta:cpu=2;memory=2Gi;nvidia.com/gpu=2" """,
        f"{QUEUE} created\n",
        {
            **PLAIN,
            "cohortName": "cohortname",
            "resourceGroups": [
                {
                    "coveredResources": ["cpu", "memory", "nvidia.com/gpu"],
                    "flavors": [
                        quota("alpha", "cpu 9 1 1", "memory 36Gi 1Gi 1Gi", "nvidia.com/gpu 10 1 1"),
                        quota("beta", "cpu 18 2 2", "memory 72Gi 2Gi 2Gi", "nvidia.com/gpu 20 2 2"),
                    ],
                }
            ],
        },
    ),
    "a local queue that leads nowhere": Line("create localqueue my-local-queue -c my-cluster-queue", "", code=3),
    "a local queue that may lead nowhere": Line(
        "create localqueue my-local-queue -c my-cluster-queue -i",
        f"{LOCAL} created\n",
        {"clusterQueue": "my-cluster-queue"},
    ),
    "a flavor": Line("create resourceflavor my-resource-flavor", f"{FLAVOR} created\n", {}),
    "a flavor with labels": Line(
        """create resourceflavor my-resource-flavor \
        --node-labels kubernetes.io/arch=arm64,kubernetes.io/os=linux""",
        f"{FLAVOR} created\n",
        {"nodeLabels": {"kubernetes.io/arch": "arm64", "kubernetes.io/os": "linux"}},
    ),
    "a flavor with taints": Line(
        """create resourceflavor my-resource-flavor \
        --node-taints key1=value:NoSchedule,key2:NoExecute""",
        f"{FLAVOR} created\n",
        {
            "nodeTaints": [
                {"key": "key1", "value": "value", "effect": "NoSchedule"},
                {"key": "key2", "effect": "NoExecute"},
            ]
        },
    ),
    "a flavor with tolerations": Line(
        """create resourceflavor my-resource-flavor \
        --tolerations key1=value:NoSchedule,key2:NoExecute,key3=value,key4,:PreferNoSchedule""",
        f"{FLAVOR} created\n",
        {
            "tolerations": [
                {"key": "key1", "operator": "Equal", "value": "value", "effect": "NoSchedule"},
                {"key": "key2", "operator": "Exists", "effect": "NoExecute"},
                {"key": "key3", "operator": "Equal", "value": "value"},
                {"key": "key4", "operator": "Exists"},
                {"operator": "Exists", "effect": "PreferNoSchedule"},
            ]
        },
    ),
}


@pytest.mark.parametrize("name", CREATED)
def test_what_is_created(live: Live, fake: FakeServer, name: str) -> None:
    line = CREATED[name]
    done = live(*shlex.split(line.typed))
    assert (done.code, done.out) == (line.code, line.want), done.err
    stored = [after["spec"] for _, _, after in fake.store.done]
    assert stored == ([] if line.spec is None else [line.spec])


SESSION = [
    Line("create clusterqueue my-clusterqueue", "clusterqueue.kueue.x-k8s.io/my-clusterqueue created\n"),
    Line("create localqueue my-localqueue -c my-clusterqueue", "localqueue.kueue.x-k8s.io/my-localqueue created\n"),
    Line("stop clusterqueue my-clusterqueue", "clusterqueue.kueue.x-k8s.io/my-clusterqueue\n"),
    Line("resume clusterqueue my-clusterqueue", "clusterqueue.kueue.x-k8s.io/my-clusterqueue\n"),
    Line("stop localqueue my-localqueue", "localqueue.kueue.x-k8s.io/my-localqueue\n"),
    Line("resume localqueue my-localqueue", "localqueue.kueue.x-k8s.io/my-localqueue\n"),
    Line("stop workload my-workload", "", code=3),
    Line("stop workload job-off -n team-a", "workload.kueue.x-k8s.io/job-off stopped\n"),
    Line("resume kueueworkload job-off -n team-a", "workload.kueue.x-k8s.io/job-off resumed\n"),
    Line("resume workload my-workload", "", code=3),
    Line(
        "list clusterqueue",
        """\
NAME              COHORT     PENDING WORKLOADS   ADMITTED WORKLOADS   ACTIVE   AGE
lab                          1                   0                    false    120m
my-clusterqueue              0                   0                    false    0s
serving           research   1                   1                    true     120m
training          research   2                   1                    true     120m
""",
    ),
    Line(
        "list localqueue",
        """\
NAME            CLUSTERQUEUE      PENDING WORKLOADS   ADMITTED WORKLOADS   AGE
my-localqueue   my-clusterqueue   0                   0                    0s
""",
    ),
    Line(
        "list localqueue -n team-b",
        """\
NAME    CLUSTERQUEUE   PENDING WORKLOADS   ADMITTED WORKLOADS   AGE
serve   serving        1                   1                    120m
""",
    ),
    Line("list kueueworkload", ""),
    Line(
        "list kueueworkload -n team-b",
        """\
NAME       JOB TYPE   JOB NAME   LOCALQUEUE   CLUSTERQUEUE   STATUS     POSITION IN QUEUE   EXEC TIME   AGE
api                              serve        serving        ADMITTED                       54m         60m
api-next                         serve        serving        PENDING    0                               90s
""",
    ),
    Line(
        "list resourceflavor",
        """\
NAME        NODE LABELS           AGE
on-demand   pool=on-demand        120m
spot        pool=spot, zone=one   120m
""",
    ),
    Line("list pods --for job/job-name", "", code=3),
    Line("list pods --for pod/pod-name", "", code=3),
    Line(
        "list pods --for job/run -n team-a",
        """\
NAME    READY   STATUS              RESTARTS   AGE
run-0   1/1     Running             0          59m
run-1   0/1     ContainerCreating   2          59m
""",
    ),
    Line("delete kueueworkload my-workload", "", code=3),
    Line("get workload -n team-b -o name", "workload.kueue.x-k8s.io/api\nworkload.kueue.x-k8s.io/api-next\n"),
    Line(
        "delete clusterqueue my-clusterqueue",
        'clusterqueue.kueue.x-k8s.io "my-clusterqueue" deleted\n',
    ),
]


def test_a_session(live: Live) -> None:
    for line in SESSION:
        done = live(*shlex.split(line.typed))
        assert (line.typed, done.code, done.out) == (line.typed, line.code, line.want), done.err
