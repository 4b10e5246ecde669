"""A control plane with Kueue and nothing else: no controllers, no scheduler, no nodes.

Kueue's decisions on Jobs are complete without them: it suspends a Job when it is created, makes its Workload and starts
it when quota is there. No pod ever comes of it.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from kueuectl.cluster.client import Client, ConnectionOptions, connect
from kueuectl.cluster.transport import Request
from tests.cluster.authority import Authority, new_key
from tests.live.build import Built
from tests.live.processes import Processes, free_ports

# Users by their tokens: a name and the groups.
ADMIN, VIEWER, LEAD = "admin-of-the-tests", "viewer-of-the-tests", "lead-of-the-tests"
_USERS = {ADMIN: ("admin", "system:masters"), VIEWER: ("viewer", "viewers"), LEAD: ("lead", "leads")}
NAMESPACE = "kueue-system"

# Kueue wants a certificate for its metrics in a fixed folder of /etc, whether it serves metrics or not. It gets an /etc
# of its own, in a mount namespace that goes away with it.
_OWN_ETC = (
    "mount -t tmpfs tmpfs /etc && mkdir -p /etc/kueue/metrics/certs"
    ' && cp certs/tls.crt certs/tls.key /etc/kueue/metrics/certs && exec "$0" "$@"'
)
_UNSHARE = ("unshare", "--mount", "--map-root-user")
# Kinds of which Kueue defaults and validates objects here; webhooks of frameworks that aren't installed are left out.
_GROUPS = {"", "batch", "kueue.x-k8s.io"}
# Kinds whose versions differ, so that Kueue converts them; of others the API server only changes the version's name.
_CONVERTED = {"clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads"}
_SYSTEM = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", NAMESPACE]}


def what_is_missing() -> str:
    """Why a control plane can't run on this machine; "" if it can."""
    if shutil.which("unshare") is None:
        return "needs unshare, of Linux, to give Kueue a folder of its own"
    done = subprocess.run([*_UNSHARE, "true"], capture_output=True, check=False)
    return "" if done.returncode == 0 else "needs mount namespaces: unshare --mount --map-root-user is refused here"


class ControlPlane:
    """One cluster on free ports of 127.0.0.1, in a folder; `start` it, `stop` it."""

    def __init__(self, folder: Path, built: Built, *, fair_sharing: bool = True) -> None:
        self.folder = folder
        self.configuration = kueue_configuration(fair_sharing=fair_sharing)
        self.kubeconfig = str(folder / "kubeconfig")
        self._built = built
        self._processes = Processes(folder)
        names = ("etcd", "peer", "api", "webhook", "health", "metrics")
        self._ports = dict(zip(names, free_ports(len(names)), strict=True))
        self._authority = Authority("ca")

    def client(self, context: str = "admin") -> Client:
        """A connection as one of the users: admin, viewer, lead."""
        return connect(ConnectionOptions(kubeconfig=self.kubeconfig, context=context))

    def start_server(self) -> None:
        """Start an API server that knows Kueue's kinds, without Kueue: objects stay as they are written."""
        self._write_certificates()
        self._write_kubeconfig()
        self._start_etcd()
        self._start_api_server()
        with self.client() as client:
            self._processes.wait("kube-apiserver", "the API server", lambda: bool(client.get("/readyz", what="ask")))
            self._install_crds(client)
            create(client, "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})

    def start(self) -> None:
        """Start everything and wait until Kueue decides."""
        self.start_server()
        with self.client() as client:
            self._start_kueue()
            self._install_webhooks(client)
            self._await_kueue(client)

    def restart_kueue(self) -> None:
        """End Kueue and start it again: it forgets what is in no API object, and looks at all that waits."""
        self._processes.end("kueue")
        self._start_kueue()
        with self.client() as client:
            self._await_kueue(client)

    def stop(self) -> None:
        """Kill the processes and delete the folder."""
        self._processes.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def compact(self, revision: int) -> None:
        """Forget etcd's past up to a revision, so that older continue tokens expire."""
        url = f"http://127.0.0.1:{self._ports['etcd']}/v3/kv/compaction"
        body = json.dumps({"revision": str(revision), "physical": True}).encode()
        urllib.request.urlopen(urllib.request.Request(url, body, method="POST"), timeout=5).close()

    # -- files

    def _write_certificates(self) -> None:
        folder = self.folder / "certs"
        folder.mkdir()
        hosts = ["127.0.0.1", "localhost", "kubernetes.default.svc"]
        files = {"ca.crt": self._authority.pem, "sa.key": new_key()}
        files["tls.crt"], files["tls.key"] = self._authority.issue("server", hosts=hosts)
        for name, content in files.items():
            (folder / name).touch(mode=0o600)
            (folder / name).write_bytes(content)
        rows = [f"{token},{user},{user},{group}\n" for token, (user, group) in _USERS.items()]
        (folder / "tokens.csv").write_text("".join(rows))

    def _write_kubeconfig(self) -> None:
        cluster = {"server": f"https://127.0.0.1:{self._ports['api']}", "certificate-authority": "certs/ca.crt"}
        names = [user for user, _ in _USERS.values()]
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "admin",
            "clusters": [{"name": "live", "cluster": cluster}],
            "users": [{"name": user, "user": {"token": token}} for token, (user, _) in _USERS.items()],
            "contexts": [{"name": name, "context": {"cluster": "live", "user": name}} for name in names],
        }
        Path(self.kubeconfig).write_text(yaml.safe_dump(config))

    # -- programs

    def _start_etcd(self) -> None:
        client, peer = (f"http://127.0.0.1:{self._ports[name]}" for name in ("etcd", "peer"))
        self._processes.start(
            "etcd",
            [
                str(self._built.program("etcd")),
                "--name=live",
                "--data-dir=etcd",
                f"--listen-client-urls={client}",
                f"--advertise-client-urls={client}",
                f"--listen-peer-urls={peer}",
                f"--initial-advertise-peer-urls={peer}",
                f"--initial-cluster=live={peer}",
                "--unsafe-no-fsync",
                # A lone member elects itself after the election timeout, which is a second by default.
                "--heartbeat-interval=20",
                "--election-timeout=100",
                "--log-level=warn",
            ],
        )
        self._processes.wait(
            "etcd", "etcd", lambda: urllib.request.urlopen(f"{client}/health", timeout=2).status == 200
        )

    def _start_api_server(self) -> None:
        issuer = "https://kubernetes.default.svc"
        self._processes.start(
            "kube-apiserver",
            [
                str(self._built.program("kube-apiserver")),
                f"--etcd-servers=http://127.0.0.1:{self._ports['etcd']}",
                "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1",
                f"--secure-port={self._ports['api']}",
                # Else it tries every few seconds to publish a loopback endpoint, which validation refuses.
                "--endpoint-reconciler-type=none",
                "--service-cluster-ip-range=10.0.0.0/24",
                "--tls-cert-file=certs/tls.crt",
                "--tls-private-key-file=certs/tls.key",
                "--client-ca-file=certs/ca.crt",
                "--token-auth-file=certs/tokens.csv",
                "--authorization-mode=RBAC",
                f"--service-account-issuer={issuer}",
                "--service-account-key-file=certs/sa.key",
                "--service-account-signing-key-file=certs/sa.key",
                "--enable-priority-and-fairness=false",
                "--profiling=false",
            ],
            environment={"GOMEMLIMIT": "1GiB"},
        )

    def _start_kueue(self) -> None:
        at = {name: f"127.0.0.1:{self._ports[name]}" for name in ("health", "metrics")}
        config = self.configuration | {
            "health": {"healthProbeBindAddress": at["health"]},
            "metrics": {"bindAddress": at["metrics"]},
            "webhook": {"host": "127.0.0.1", "port": self._ports["webhook"], "certDir": "certs"},
            "leaderElection": {"leaderElect": False},
            "internalCertManagement": {"enable": False},
            "clientConnection": {"qps": 300, "burst": 500},
        }
        (self.folder / "kueue.yaml").write_text(yaml.safe_dump(config))
        program = [str(self._built.program("kueue")), "--config=kueue.yaml", f"--kubeconfig={self.kubeconfig}"]
        self._processes.start("kueue", [*_UNSHARE, "sh", "-c", _OWN_ETC, *program])

    def _await_kueue(self, client: Client) -> None:
        health = f"http://127.0.0.1:{self._ports['health']}/readyz"
        self._processes.wait("kueue", "Kueue", lambda: urllib.request.urlopen(health, timeout=2).status == 200)
        self._processes.wait("kueue", "Kueue's webhooks", lambda: bool(_probe(client)))

    # -- what Kueue brings into the cluster

    def _install_crds(self, client: Client) -> None:
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        for file in self._built.crds:
            crd = yaml.load(file.read_text(), Loader=loader)
            if crd["spec"]["names"]["plural"] in _CONVERTED:
                hook = {"clientConfig": self._webhook("/convert"), "conversionReviewVersions": ["v1"]}
                crd["spec"]["conversion"] = {"strategy": "Webhook", "webhook": hook}
            create(client, path, crd)

        def are_established() -> bool:
            items = json.loads(client.get(path, what="list CRDs"))["items"]
            return len(items) == len(self._built.crds) and all(_is_true(item, "Established") for item in items)

        self._processes.wait("kube-apiserver", "a CRD", are_established)

    def _install_webhooks(self, client: Client) -> None:
        for config in yaml.safe_load_all(self._built.webhooks.read_text()):
            if not config:
                continue
            config["webhooks"] = [
                self._reachable(hook)
                for hook in config["webhooks"]
                if any(set(rule["apiGroups"]) & _GROUPS for rule in hook["rules"])
            ]
            plural = config["kind"].lower() + "s"
            create(client, f"/apis/admissionregistration.k8s.io/v1/{plural}", config)

    def _reachable(self, hook: dict[str, Any]) -> dict[str, Any]:
        """The webhook at an address instead of a Service, and not for the system's own namespaces."""
        hook["clientConfig"] = self._webhook(hook["clientConfig"]["service"]["path"])
        if not any("kueue.x-k8s.io" in rule["apiGroups"] for rule in hook["rules"]):
            hook["namespaceSelector"] = {"matchExpressions": [_SYSTEM]}
        return hook

    def _webhook(self, path: str) -> dict[str, str]:
        bundle = base64.b64encode(self._authority.pem).decode()
        return {"url": f"https://127.0.0.1:{self._ports['webhook']}{path}", "caBundle": bundle}


def kueue_configuration(*, fair_sharing: bool = True) -> dict[str, Any]:
    """The part of Kueue's Configuration that decides."""
    strategies = {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "namespace": NAMESPACE,
        "integrations": {"frameworks": ["batch/job"]},
        **({"fairSharing": strategies} if fair_sharing else {}),
        "resources": {"excludeResourcePrefixes": ["example.com/"]},
        # Its server would need an APIService and a certificate of its own.
        "featureGates": {"VisibilityOnDemand": False},
    }


def create(client: Client, path: str, *bodies: dict[str, Any]) -> None:
    """POST objects to a collection."""
    for body in bodies:
        name = body["metadata"]["name"]
        client.send(Request("POST", path, f"create {name} at {path}", body=json.dumps(body).encode()))


def send(client: Client, method: str, path: str, body: Any = None, *, content_type: str = "application/json") -> Any:
    """The answer to a request that changes something."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(method, path, f"{method} {path}", body=data, content_type=content_type)
    return json.loads(client.send(request))


def items(client: Client, path: str) -> list[dict[str, Any]]:
    """The objects of a collection, as the server has them."""
    found: list[dict[str, Any]] = json.loads(client.get(path, what=f"list {path}"))["items"]
    return found


def has_condition(found: Iterable[dict[str, Any]], kind: str) -> list[str]:
    """Names of the objects whose condition of that type is true."""
    return [one["metadata"]["name"] for one in found if _is_true(one, kind)]


def _is_true(one: dict[str, Any], kind: str) -> bool:
    conditions = one.get("status", {}).get("conditions") or []
    return any(entry["type"] == kind and entry["status"] == "True" for entry in conditions)


def _probe(client: Client) -> bytes:
    """A flavor that is validated and not kept: it answers once the webhooks are reached."""
    body = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "probe"}}
    path = "/apis/kueue.x-k8s.io/v1beta2/resourceflavors?dryRun=All"
    return client.send(Request("POST", path, "probe the webhooks", body=json.dumps(body).encode()))
