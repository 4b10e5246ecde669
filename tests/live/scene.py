"""What the live tests read: two ClusterQueues in a cohort, a team with three Jobs, one of which can't be admitted."""

from __future__ import annotations

import time
from typing import Any

import yaml

from kueuectl.cluster.client import Client
from tests.live.controlplane import NAMESPACE, ControlPlane, create, has_condition, items

ROOT = "/apis/kueue.x-k8s.io/v1beta2"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
WORKLOADS = f"{ROOT}/namespaces/team-a/workloads"
ADMITTED = ("train-0", "train-1")
PENDING = "train-9"


def write(plane: ControlPlane) -> None:
    """Create the scene as an administrator and a user would, and wait until Kueue has decided."""
    with plane.client() as client:
        install(plane, client)
        _queues(client)
        _lead(client)
        for name, cpu in ((ADMITTED[0], "2"), (ADMITTED[1], "1500m"), (PENDING, "9")):
            create(client, "/apis/batch/v1/namespaces/team-a/jobs", job(name, cpu))
        # Seen once on a machine full of work: Kueue had missed an event while it started, and waited for the next one.
        if not _is_decided(client, seconds=45):
            plane.restart_kueue()
            if not _is_decided(client, seconds=90):
                raise AssertionError(f"Kueue did not decide about the scene's Jobs: {items(client, WORKLOADS)}")


def _is_decided(client: Client, *, seconds: float) -> bool:
    """Whether Kueue admits and refuses the scene's Jobs in so long a time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = items(client, WORKLOADS)
        told = [one for one in found if (one.get("status") or {}).get("conditions")]
        if len(has_condition(found, "Admitted")) == len(ADMITTED) and len(told) == len(ADMITTED) + 1:
            return True
        time.sleep(0.05)
    return False


def job(name: str, cpu: str) -> dict[str, Any]:
    """A Job of one pod for the queue team-a/main."""
    requests = {"cpu": cpu, "memory": "1Gi", "example.com/licence": "1"}
    container = {"name": "c", "image": "trainer", "resources": {"requests": requests, "limits": requests}}
    return {
        "metadata": {"name": name, "labels": {"kueue.x-k8s.io/queue-name": "main"}},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
    }


def _queues(client: Client) -> None:
    create(client, "/api/v1/namespaces", {"metadata": {"name": "team-a", "labels": {"team": "a"}}})
    flavor = {"nodeLabels": {"pool": "spot"}, "nodeTaints": [{"key": "spot", "value": "yes", "effect": "NoSchedule"}]}
    tolerations = [{"key": "spot", "operator": "Exists"}]
    create(
        client, f"{ROOT}/resourceflavors", _kueue("ResourceFlavor", "default", flavor | {"tolerations": tolerations})
    )
    create(client, f"{ROOT}/cohorts", _kueue("Cohort", "all", {}))
    for name, cpu, weight in (("research", 3, "2"), ("serving", 1, "500m")):
        resources = [
            {"name": "cpu", "nominalQuota": cpu, "borrowingLimit": "2500m"},
            {"name": "memory", "nominalQuota": "64Gi"},
        ]
        spec = {
            "cohortName": "all",
            "namespaceSelector": {"matchLabels": {"team": "a"}},
            "queueingStrategy": "StrictFIFO",
            "preemption": {"withinClusterQueue": "LowerPriority"},
            "fairSharing": {"weight": weight},
            "resourceGroups": [
                {"coveredResources": ["cpu", "memory"], "flavors": [{"name": "default", "resources": resources}]}
            ],
        }
        create(client, f"{ROOT}/clusterqueues", _kueue("ClusterQueue", name, spec))
    create(client, f"{ROOT}/namespaces/team-a/localqueues", _kueue("LocalQueue", "main", {"clusterQueue": "research"}))
    create(client, f"{ROOT}/workloadpriorityclasses", _kueue("WorkloadPriorityClass", "high") | {"value": 1000})


def _kueue(kind: str, name: str, spec: dict[str, Any] | None = None) -> dict[str, Any]:
    head: dict[str, Any] = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name}}
    return head if spec is None else head | {"spec": spec}


def install(plane: ControlPlane, client: Client) -> None:
    """The Deployment and ConfigMap that an installation has. Nothing runs them here: Kueue is started beside."""
    labels = {"control-plane": "controller-manager", "app.kubernetes.io/name": "kueue"}
    container = {
        "name": "manager",
        "image": "kueue:v0.19.2",
        "args": ["--config=/controller_manager_config.yaml"],
        "volumeMounts": [
            {
                "name": "manager-config",
                "mountPath": "/controller_manager_config.yaml",
                "subPath": "controller_manager_config.yaml",
            }
        ],
    }
    volumes = [{"name": "manager-config", "configMap": {"name": "kueue-manager-config"}}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container], "volumes": volumes}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    meta = {"name": "kueue-controller-manager", "labels": labels}
    create(client, f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments", {"metadata": meta, "spec": spec})
    data = {"controller_manager_config.yaml": yaml.safe_dump(plane.configuration)}
    config = {"metadata": {"name": "kueue-manager-config"}, "data": data}
    create(client, f"/api/v1/namespaces/{NAMESPACE}/configmaps", config)


def _lead(client: Client) -> None:
    """A team lead sees workloads and queues of one namespace, as Kueue's role for users of batch has it."""
    rules = [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads", "localqueues"], "verbs": ["get", "list"]}]
    create(client, f"{RBAC}/namespaces/team-a/roles", {"metadata": {"name": "lead"}, "rules": rules})
    binding = {
        "metadata": {"name": "lead"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "lead"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "leads"}],
    }
    create(client, f"{RBAC}/namespaces/team-a/rolebindings", binding)
