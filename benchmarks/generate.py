"""Writes a big dump: python -m benchmarks.generate FILE [--workloads 50000] [--queues 1000] [--seed 1] [--indent].

The same seed gives the same bytes. A workload has 4 to 5 KB of JSON as an API server keeps it, about a quarter of it
managedFields. Queues stand in cohorts of three levels; workloads are admitted as far as the queues' own quota goes,
the rest waits.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KUEUE = "kueue.x-k8s.io/v1beta2"
FLAVORS = ("gpu-a", "gpu-b", "cpu-spot")
TEAMS = ("data", "vision", "speech", "search", "robotics")
SHAPES = ((1, 4, 16, 0), (2, 8, 64, 1), (4, 16, 128, 4), (8, 32, 256, 8))
VARIABLES = (
    "CACHE_DIR",
    "CHECKPOINTS",
    "COLLECTIVE_TIMEOUT",
    "DATA_ROOT",
    "EVALUATE_EVERY",
    "LOG_LEVEL",
    "METRICS_DIR",
    "PROFILE_DIR",
    "RANK_FROM",
    "SHARDS",
    "TOKENIZER",
    "TRACE_EVERY",
    "WORKERS",
)
# ClusterQueues in a cohort, and cohorts in the one above.
DIVISION = 50
REGION = 5
MOUNTS = ("data", "cache", "shm", "config", "scratch")
CONDITIONS = ("QuotaReserved", "Admitted", "PodsReady", "Evicted", "Requeued")
DAY = "2026-11-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}Z"


def uid(chance: random.Random) -> str:
    """A uid as the API server makes them."""
    text = f"{chance.getrandbits(128):032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def when(chance: random.Random) -> str:
    """A time in November."""
    return DAY.format(
        day=chance.randint(1, 28),
        hour=chance.randint(0, 23),
        minute=chance.randint(0, 59),
        second=chance.randint(0, 59),
    )


def meta(chance: random.Random, name: str, **more: Any) -> dict[str, Any]:
    """Metadata of an object."""
    return {
        "creationTimestamp": when(chance),
        "generation": 1,
        "name": name,
        "resourceVersion": str(chance.randint(1_000, 9_000_000)),
        "uid": uid(chance),
        **more,
    }


class Quota:
    """What is left of each queue's own quota in each flavor, so that the dump holds no more than there is."""

    def __init__(self, chance: random.Random, queues: int) -> None:
        self.sizes = [[chance.choice((16, 32, 64)) for _ in FLAVORS] for _ in range(queues)]
        self.free = [[(size * 8, size * 64, size) for size in sizes] for sizes in self.sizes]

    def take(self, queue: int, shape: tuple[int, int, int, int]) -> str | None:
        """The first flavor with room for a workload, which is then used; None if there is none."""
        count, *each = shape
        for index, free in enumerate(self.free[queue]):
            left = tuple(have - count * want for have, want in zip(free, each, strict=True))
            if min(left) >= 0:
                self.free[queue][index] = (left[0], left[1], left[2])
                return FLAVORS[index]
        return None

    def groups(self, queue: int) -> list[dict[str, Any]]:
        """The resource groups of a queue: one, with all flavors."""
        flavors = []
        for flavor, size in zip(FLAVORS, self.sizes[queue], strict=True):
            quotas = (("cpu", str(size * 8)), ("memory", f"{size * 64}Gi"), ("example.com/gpu", str(size)))
            resources = [{"name": name, "nominalQuota": value} for name, value in quotas]
            flavors.append({"name": flavor, "resources": resources})
        return [{"coveredResources": ["cpu", "memory", "example.com/gpu"], "flavors": flavors}]


def scene(chance: random.Random, queues: Quota | int) -> Iterator[dict[str, Any]]:
    """Everything but the workloads, for so many queues, or for those of a quota."""
    quota = Quota(chance, queues) if isinstance(queues, int) else queues
    for flavor in FLAVORS:
        spec = {"nodeLabels": {"pool": flavor}}
        yield {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": meta(chance, flavor), "spec": spec}
    divisions = -(-len(quota.sizes) // DIVISION)
    for index in range(-(-divisions // REGION)):
        yield {"apiVersion": KUEUE, "kind": "Cohort", "metadata": meta(chance, f"region-{index}"), "spec": {}}
    for index in range(divisions):
        parent = {"parentName": f"region-{index // REGION}"}
        yield {"apiVersion": KUEUE, "kind": "Cohort", "metadata": meta(chance, f"division-{index}"), "spec": parent}
    for index in range(len(quota.sizes)):
        yield from tenant(chance, index, quota)


def tenant(chance: random.Random, index: int, quota: Quota) -> Iterator[dict[str, Any]]:
    """A namespace, its ClusterQueue and its LocalQueue."""
    name = f"queue-{index:04d}"
    labels = {"kubernetes.io/metadata.name": name, "team": TEAMS[index % len(TEAMS)]}
    phase = {"phase": "Active"}
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": meta(chance, name, labels=labels), "status": phase}
    yield {
        "apiVersion": KUEUE,
        "kind": "ClusterQueue",
        "metadata": meta(chance, name, finalizers=["kueue.x-k8s.io/resource-in-use"]),
        "spec": {
            "cohortName": f"division-{index // DIVISION}",
            "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
            "namespaceSelector": {},
            "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
            "queueingStrategy": "BestEffortFIFO",
            "resourceGroups": quota.groups(index),
            "stopPolicy": "None",
        },
        "status": {"admittedWorkloads": 0, "pendingWorkloads": 0, "reservingWorkloads": 0},
    }
    spec = {"clusterQueue": name, "stopPolicy": "None"}
    yield {"apiVersion": KUEUE, "kind": "LocalQueue", "metadata": meta(chance, "main", namespace=name), "spec": spec}


def managed_fields(time: str) -> list[dict[str, Any]]:
    """About 1.1 KB that no reader needs."""
    spec = {
        "f:metadata": {"f:labels": {".": {}, "f:kueue.x-k8s.io/job-uid": {}}, "f:ownerReferences": {".": {}}},
        "f:spec": {
            ".": {},
            "f:active": {},
            "f:podSets": {
                ".": {},
                'k:{"name":"main"}': {
                    ".": {},
                    "f:count": {},
                    "f:name": {},
                    "f:template": {"f:metadata": {"f:labels": {}}, "f:spec": {"f:containers": {}, "f:tolerations": {}}},
                },
            },
            "f:priority": {},
            "f:priorityClassRef": {".": {}, "f:group": {}, "f:kind": {}, "f:name": {}},
            "f:queueName": {},
        },
    }
    status = {
        "f:status": {
            "f:conditions": {
                f'k:{{"type":"{kind}"}}': {".": {}, "f:message": {}, "f:reason": {}} for kind in CONDITIONS
            }
        }
    }
    head = {"apiVersion": KUEUE, "fieldsType": "FieldsV1", "operation": "Update", "time": time}
    return [
        {**head, "manager": "kueue-controller", "fieldsV1": spec},
        {**head, "manager": "kueue-admission", "subresource": "status", "fieldsV1": status},
    ]


def pod_spec(chance: random.Random, shape: tuple[int, int, int, int]) -> dict[str, Any]:
    """A pod spec of a trainer; one in ten has arguments of its own, the others are alike."""
    _, cpu, memory, gpu = shape
    requests = {"cpu": str(cpu), "memory": f"{memory}Gi"} | ({"example.com/gpu": str(gpu)} if gpu else {})
    run = f"--run={uid(chance)}" if chance.random() < 0.1 else "--run=$(JOB_NAME)"
    return {
        "containers": [
            {
                "args": ["--config=/etc/trainer/config.yaml", "--resume=latest", run],
                "command": ["python", "-m", "trainer"],
                "env": [{"name": name, "value": f"/mnt/shared/{name.lower()}/current"} for name in VARIABLES],
                "image": "trainer:2.3.1",
                "imagePullPolicy": "IfNotPresent",
                "name": "trainer",
                "resources": {"limits": requests, "requests": requests},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
                "volumeMounts": [{"mountPath": f"/mnt/{name}", "name": name} for name in MOUNTS],
            }
        ],
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Never",
        "schedulerName": "default-scheduler",
        "securityContext": {"fsGroup": 2000, "runAsNonRoot": True, "runAsUser": 1000},
        "serviceAccountName": "trainer",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [{"effect": "NoSchedule", "key": "dedicated", "operator": "Equal", "value": "training"}],
        "volumes": [{"name": name, "persistentVolumeClaim": {"claimName": f"shared-{name}"}} for name in MOUNTS],
    }


def condition(chance: random.Random, kind: str, status: str, text: tuple[str, str]) -> dict[str, Any]:
    """A condition with its reason and message."""
    return {
        "lastTransitionTime": when(chance),
        "message": text[1],
        "observedGeneration": 1,
        "reason": text[0],
        "status": status,
        "type": kind,
    }


def status(
    chance: random.Random, queue: str, *, shape: tuple[int, int, int, int], flavor: str | None
) -> dict[str, Any]:
    """It runs where there is a flavor for it; of the others one half was refused, the other not looked at yet."""
    count, cpu, memory, gpu = shape
    usage = {"cpu": str(cpu * count), "memory": f"{memory * count}Gi"}
    usage |= {"example.com/gpu": str(gpu * count)} if gpu else {}
    if flavor is not None:
        reserved = ("QuotaReserved", f"Quota reserved in ClusterQueue {queue}")
        flavors = dict.fromkeys(usage, flavor)
        assignment = {"count": count, "flavors": flavors, "name": "main", "resourceUsage": usage}
        return {
            "admission": {"clusterQueue": queue, "podSetAssignments": [assignment]},
            "conditions": [
                condition(chance, "QuotaReserved", "True", reserved),
                condition(chance, "Admitted", "True", ("Admitted", "The workload is admitted")),
            ],
        }
    if chance.random() < 0.5:
        more = f"insufficient unused quota for cpu in flavor gpu-a, {chance.randint(1, 64)} more needed"
        message = f"couldn't assign flavors to pod set main: {more}"
        return {
            "conditions": [condition(chance, "QuotaReserved", "False", ("Pending", message))],
            "resourceRequests": [{"name": "main", "resources": usage}],
        }
    return {}


def workload(chance: random.Random, index: int, queues: Quota | int) -> dict[str, Any]:
    """One workload of a Job, in one of so many queues; admitted only where the quota is given and has room."""
    owner_index = chance.randrange(queues if isinstance(queues, int) else len(queues.sizes))
    queue = f"queue-{owner_index:04d}"
    shape = chance.choice(SHAPES)
    flavor = None if isinstance(queues, int) else queues.take(owner_index, shape)
    job, job_uid, priority = f"train-{index:06d}", uid(chance), chance.choice((0, 100, 1000))
    owner = {"apiVersion": "batch/v1", "blockOwnerDeletion": True, "controller": True, "kind": "Job"}
    metadata = meta(
        chance,
        f"job-{job}-{chance.getrandbits(20):05x}",
        finalizers=["kueue.x-k8s.io/resource-in-use"],
        labels={"kueue.x-k8s.io/job-uid": job_uid, "team": chance.choice(TEAMS)},
        namespace=queue,
        ownerReferences=[{**owner, "name": job, "uid": job_uid}],
    )
    metadata["managedFields"] = managed_fields(metadata["creationTimestamp"])
    template = {"metadata": {"labels": {"batch.kubernetes.io/job-name": job}}, "spec": pod_spec(chance, shape)}
    reference = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": f"p{priority}"}
    return {
        "apiVersion": KUEUE,
        "kind": "Workload",
        "metadata": metadata,
        "spec": {
            "active": True,
            "podSets": [{"count": shape[0], "name": "main", "template": template}],
            "priority": priority,
            "priorityClassRef": reference,
            "queueName": "main",
        },
        "status": status(chance, queue, shape=shape, flavor=flavor),
    }


def write(path: Path, *, workloads: int, queues: int, seed: int, indent: int | None = None) -> None:
    """Write the dump as one List, an object after the other."""
    chance = random.Random(seed)
    separators = (",", ": ") if indent else (",", ":")
    saved = '"annotations":{"kueuectl.io/saved-at":"2026-11-29T12:00:00Z"}'

    def objects() -> Iterator[dict[str, Any]]:
        quota = Quota(chance, queues)
        yield from scene(chance, quota)
        for index in range(workloads):
            yield workload(chance, index, quota)

    with path.open("w", encoding="utf-8") as out:
        out.write(f'{{"apiVersion":"v1","kind":"List","metadata":{{{saved}}},"items":[')
        for number, item in enumerate(objects()):
            text = json.dumps(item, indent=indent, separators=separators)
            if indent:
                text = "\n" + " " * 8 + text.replace("\n", "\n" + " " * 8)
            out.write(("," if number else "") + text)
        out.write("]}\n" if not indent else "\n    ]\n}\n")


def main() -> None:
    """Parse the command line and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("file", type=Path)
    parser.add_argument("--workloads", type=int, default=50_000)
    parser.add_argument("--queues", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--indent", action="store_true", help="lay out as kubectl does")
    found = parser.parse_args()
    write(
        found.file, workloads=found.workloads, queues=found.queues, seed=found.seed, indent=4 if found.indent else None
    )


if __name__ == "__main__":
    main()
