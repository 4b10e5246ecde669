"""Writes a big dump: python -m benchmarks.generate FILE [--workloads 50000] [--queues 1000] [--seed 1] [--indent].

The same seed gives the same bytes. A workload has 4 to 5 KB of JSON as an API server keeps it, about a quarter of it
managedFields. Queues stand in cohorts three levels deep; a third of the workloads is admitted, the rest waits.
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


def groups(chance: random.Random) -> list[dict[str, Any]]:
    """One resource group with all flavors."""
    flavors = []
    for flavor in FLAVORS:
        size = chance.choice((16, 32, 64))
        quotas = (("cpu", str(size * 8)), ("memory", f"{size * 64}Gi"), ("example.com/gpu", str(size)))
        flavors.append({"name": flavor, "resources": [{"name": name, "nominalQuota": value} for name, value in quotas]})
    return [{"coveredResources": ["cpu", "memory", "example.com/gpu"], "flavors": flavors}]


def scene(chance: random.Random, queues: int) -> Iterator[dict[str, Any]]:
    """Everything but the workloads."""
    for flavor in FLAVORS:
        spec = {"nodeLabels": {"pool": flavor}}
        yield {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": meta(chance, flavor), "spec": spec}
    yield {"apiVersion": KUEUE, "kind": "Cohort", "metadata": meta(chance, "all"), "spec": {}}
    for index in range(max(1, queues // 50)):
        name, parent = f"division-{index}", {"parentName": "all"}
        yield {"apiVersion": KUEUE, "kind": "Cohort", "metadata": meta(chance, name), "spec": parent}
    for index in range(queues):
        name = f"queue-{index:04d}"
        namespace_labels = {"kubernetes.io/metadata.name": name, "team": TEAMS[index % len(TEAMS)]}
        yield {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": meta(chance, name, labels=namespace_labels),
            "status": {"phase": "Active"},
        }
        yield {
            "apiVersion": KUEUE,
            "kind": "ClusterQueue",
            "metadata": meta(chance, name, finalizers=["kueue.x-k8s.io/resource-in-use"]),
            "spec": {
                "cohortName": f"division-{index // 50}",
                "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
                "namespaceSelector": {},
                "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
                "queueingStrategy": "BestEffortFIFO",
                "resourceGroups": groups(chance),
                "stopPolicy": "None",
            },
            "status": {"admittedWorkloads": 0, "pendingWorkloads": 0, "reservingWorkloads": 0},
        }
        yield {
            "apiVersion": KUEUE,
            "kind": "LocalQueue",
            "metadata": meta(chance, "main", namespace=name),
            "spec": {"clusterQueue": name, "stopPolicy": "None"},
        }


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


def status(chance: random.Random, queue: str, shape: tuple[int, int, int, int]) -> dict[str, Any]:
    """A third runs, a third was refused, a third was not looked at yet."""
    count, cpu, memory, gpu = shape
    usage = {"cpu": str(cpu * count), "memory": f"{memory * count}Gi"}
    usage |= {"example.com/gpu": str(gpu * count)} if gpu else {}
    roll = chance.random()
    if roll < 0.33:
        reserved = ("QuotaReserved", f"Quota reserved in ClusterQueue {queue}")
        flavors = dict.fromkeys(usage, chance.choice(FLAVORS))
        assignment = {"count": count, "flavors": flavors, "name": "main", "resourceUsage": usage}
        return {
            "admission": {"clusterQueue": queue, "podSetAssignments": [assignment]},
            "conditions": [
                condition(chance, "QuotaReserved", "True", reserved),
                condition(chance, "Admitted", "True", ("Admitted", "The workload is admitted")),
            ],
        }
    if roll < 0.66:
        more = f"insufficient unused quota for cpu in flavor gpu-a, {chance.randint(1, 64)} more needed"
        message = f"couldn't assign flavors to pod set main: {more}"
        return {
            "conditions": [condition(chance, "QuotaReserved", "False", ("Pending", message))],
            "resourceRequests": [{"name": "main", "resources": usage}],
        }
    return {}


def workload(chance: random.Random, index: int, queues: int) -> dict[str, Any]:
    """One workload of a Job."""
    queue = f"queue-{chance.randrange(queues):04d}"
    shape = chance.choice(SHAPES)
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
        "status": status(chance, queue, shape),
    }


def write(path: Path, *, workloads: int, queues: int, seed: int, indent: int | None = None) -> None:
    """Write the dump as one List, an object after the other."""
    chance = random.Random(seed)
    separators = (",", ": ") if indent else (",", ":")
    saved = '"annotations":{"kueuectl.io/saved-at":"2026-11-29T12:00:00Z"}'

    def objects() -> Iterator[dict[str, Any]]:
        yield from scene(chance, queues)
        for index in range(workloads):
            yield workload(chance, index, queues)

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
