"""A control plane in which Jobs become pods that run and end: controllers, a scheduler, and kwok in place of nodes.

A pod runs until the time in the annotation `tests/complete-after` of its template is over, without one for ever.
"""

from __future__ import annotations

from typing import Any

import yaml

from tests.live.controlplane import ControlPlane, create, items, send
from tests.live.processes import free_ports

ENDS = "tests/complete-after"
_CONTROLLERS = (
    "garbage-collector-controller,job-controller,namespace-controller,node-lifecycle-controller,"
    "pod-garbage-collector-controller,serviceaccount-controller"
)
_FAKE = "kwok.x-k8s.io/node"
_STAGES = ("node-initialize", "node-heartbeat-with-lease", "pod-ready", "pod-delete")


class PodsPlane(ControlPlane):
    """All that a small cluster has. Its controllers start after the CRDs are there: they look for kinds seldom."""

    def start(self) -> None:
        """Start everything and wait until nodes are ready."""
        super().start()
        manager, scheduler = free_ports(2)
        served = ("--bind-address=127.0.0.1", "--tls-cert-file=certs/tls.crt", "--tls-private-key-file=certs/tls.key")
        flags = ("--kubeconfig=kubeconfig", f"--controllers={_CONTROLLERS}", "--leader-elect=false")
        # Nodes don't lose their readiness when the machine is busy.
        calm = ("--node-monitor-grace-period=1h", "--kube-api-qps=200", "--kube-api-burst=400")
        self._run("kube-controller-manager", *flags, *served, *calm, f"--secure-port={manager}")
        config = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": "kubeconfig"},
            "leaderElection": {"leaderElect": False},
        }
        (self.folder / "scheduler.yaml").write_text(yaml.safe_dump(config))
        self._run("kube-scheduler", "--config=scheduler.yaml", *served, f"--secure-port={scheduler}")
        (self.folder / "kwok.yaml").write_text(self._stages())
        nodes = (f"--manage-nodes-with-annotation-selector={_FAKE}=fake", "--node-ip=10.0.0.1")
        # It keeps files of its own in HOME.
        environment = {"HOME": str(self.folder)}
        self._run("kwok", "--kubeconfig=kubeconfig", "--config=kwok.yaml", *nodes, environment=environment)
        with self.client() as client:
            for number in range(2):
                create(client, "/api/v1/nodes", _node(f"node-{number}"))
            self._processes.wait("kwok", "a node", lambda: all(map(_is_usable, items(client, "/api/v1/nodes"))))

    def _run(self, name: str, *flags: str, environment: dict[str, str] | None = None) -> None:
        self._processes.start(name, [str(self._built.program(name)), *flags], environment=environment)

    def _stages(self) -> str:
        """kwok's own fast stages, but a pod ends only when its annotation says after how long."""
        documents = [self._built.stage(name).read_text() for name in _STAGES]
        ending = yaml.safe_load(self._built.stage("pod-complete").read_text())
        annotation = f'.metadata.annotations["{ENDS}"]'
        matches = [one for one in ending["spec"]["selector"]["matchExpressions"] if "ownerReferences" not in one["key"]]
        ending["spec"]["selector"]["matchExpressions"] = [*matches, {"key": annotation, "operator": "Exists"}]
        ending["spec"]["delay"] = {"durationMilliseconds": 0, "durationFrom": {"expressionFrom": annotation}}
        return "\n---\n".join([*documents, yaml.safe_dump(ending)])


def _node(name: str) -> dict[str, Any]:
    room = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    labels = {"type": "kwok", "kubernetes.io/hostname": name}
    return {
        "metadata": {"name": name, "labels": labels, "annotations": {_FAKE: "fake"}},
        "status": {"allocatable": room, "capacity": room},
    }


def _is_usable(node: dict[str, Any]) -> bool:
    conditions = node.get("status", {}).get("conditions") or []
    is_ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return is_ready and not node["spec"].get("taints")


def finish(client: Any, namespace: str, name: str) -> None:
    """Let the pods of a Job end: they are told to."""
    for pod in items(client, f"/api/v1/namespaces/{namespace}/pods"):
        if pod["metadata"]["labels"].get("job-name") == name:
            path = f"/api/v1/namespaces/{namespace}/pods/{pod['metadata']['name']}"
            body = {"metadata": {"annotations": {ENDS: "0s"}}}
            send(client, "PATCH", path, body, content_type="application/merge-patch+json")
