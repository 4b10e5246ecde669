"""Small API objects for the fake server, as it would serve them."""

from __future__ import annotations

from tests.cluster.fake import FakeServer

Object = dict[str, object]
CREATED = "2026-11-29T17:00:00Z"


def kueue(kind: str, name: str, *, version: str = "v1beta2", namespace: str = "", spec: object = None) -> Object:
    """An object of Kueue."""
    meta: Object = {"name": name, "uid": f"uid-{name}", "resourceVersion": "5", "creationTimestamp": CREATED}
    if namespace:
        meta["namespace"] = namespace
    return {"apiVersion": f"kueue.x-k8s.io/{version}", "kind": kind, "metadata": meta, "spec": spec or {}}


def cluster_queue(name: str, *, version: str = "v1beta2", cpu: str = "10", cohort: str = "") -> Object:
    """A ClusterQueue with one flavor that offers cpu."""
    resources = [{"name": "cpu", "nominalQuota": cpu}]
    groups = [{"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": resources}]}]
    spec: Object = {"resourceGroups": groups, "namespaceSelector": {}}
    if cohort:
        spec["cohort" if version == "v1beta1" else "cohortName"] = cohort
    return kueue("ClusterQueue", name, version=version, spec=spec)


def local_queue(namespace: str, name: str, cluster_queue: str, *, version: str = "v1beta2") -> Object:
    """A LocalQueue that points at a ClusterQueue."""
    return kueue("LocalQueue", name, version=version, namespace=namespace, spec={"clusterQueue": cluster_queue})


def workload(namespace: str, name: str, *, queue: str = "main", cpu: str = "1", version: str = "v1beta2") -> Object:
    """A Workload of one pod set with one pod."""
    container = {"name": "c", "image": "busybox", "resources": {"requests": {"cpu": cpu}}}
    pod_set = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    spec = {"queueName": queue, "podSets": [pod_set], "active": True}
    return kueue("Workload", name, version=version, namespace=namespace, spec=spec)


def core(name: str, *, namespace: str = "", **rest: object) -> Object:
    """An object of a built-in kind; in lists these don't say what they are."""
    meta: Object = {"name": name, "uid": f"uid-{name}", "creationTimestamp": CREATED, **rest.pop("meta", {})}  # type: ignore[dict-item]
    if namespace:
        meta["namespace"] = namespace
    return {"metadata": meta, **rest}


def deployment(*, image: str = "registry.example/kueue:v0.19.2", args: tuple[str, ...] = (), **labels: str) -> Object:
    """Kueue's own Deployment, with its configuration mounted from the ConfigMap "settings"."""
    container = {
        "name": "manager",
        "image": image,
        "args": ["--config=/etc/kueue/config.yaml", *args],
        "volumeMounts": [{"name": "conf", "mountPath": "/etc/kueue"}],
    }
    volumes = [{"name": "conf", "configMap": {"name": "settings"}}]
    labels = {"control-plane": "controller-manager", "app.kubernetes.io/name": "kueue", **labels}
    return core(
        "kueue-controller-manager",
        namespace="queueing",
        meta={"labels": labels},
        spec={"template": {"spec": {"containers": [container], "volumes": volumes}}},
    )


def config_map(text: str) -> Object:
    """The ConfigMap with Kueue's Configuration."""
    return core("settings", namespace="queueing", data={"config.yaml": text}) | {
        "apiVersion": "v1",
        "kind": "ConfigMap",
    }


def fill(fake: FakeServer, *, version: str = "v1beta2") -> FakeServer:
    """A small cluster: one cohort, two ClusterQueues, one team with two workloads, one node."""
    root = f"/apis/kueue.x-k8s.io/{version}"
    fake.put(f"{root}/clusterqueues", cluster_queue("research", version=version, cohort="all"))
    fake.put(f"{root}/clusterqueues", cluster_queue("serving", version=version, cohort="all"))
    fake.put(f"{root}/cohorts", kueue("Cohort", "all", version=version))
    fake.put(f"{root}/resourceflavors", kueue("ResourceFlavor", "default", version=version))
    fake.put(f"{root}/localqueues", local_queue("team-a", "main", "research", version=version))
    fake.put(f"{root}/workloads", workload("team-a", "train", version=version))
    fake.put(f"{root}/workloads", workload("team-b", "serve", cpu="2", version=version))
    fake.put("/api/v1/namespaces", core("team-a"), core("team-b"))
    fake.put("/api/v1/nodes", core("node-0", status={"allocatable": {"cpu": "8"}, "conditions": []}))
    fake.put("/apis/apps/v1/deployments", deployment())
    configuration = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
    fake.put("/api/v1/configmaps", config_map(configuration))
    return fake
