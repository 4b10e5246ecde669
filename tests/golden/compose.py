"""Composes the shipped examples: terse calls in, a dump as the API server and Kueue keep it out.

A Scene collects objects with server defaults, uids and timestamps filled in, and writes them as `kubectl get -o yaml`
would. What a status says about usage is added up here from the admissions, not taken from the engine.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

import yaml

from kueuectl import quantity

KUEUE = "kueue.x-k8s.io/v1beta2"
SAVED_AT = "kueuectl.io/saved-at"
_SPACE = uuid.UUID("5d0c7a52-0f0f-4b8e-9a38-6c3f1b7a2e11")
Doc = dict[str, Any]
# Quota by resource: nominal, or (nominal, borrowing limit, lending limit) with None for no limit.
Quota = dict[str, "str | tuple[str, str | None, str | None]"]


def pods(
    name: str,
    count: int,
    *,
    min_count: int | None = None,
    tolerations: Iterable[Doc] = (),
    selector: dict[str, str] | None = None,
    image: str = "trainer:2.4",
    **requests: str,
) -> Doc:
    """A pod set; requests by resource, `gpu` stands for nvidia.com/gpu and `storage` for ephemeral-storage."""
    full = {_RESOURCES.get(key, key): value for key, value in requests.items()}
    resources: Doc = {"requests": full}
    if "nvidia.com/gpu" in full:
        resources["limits"] = {"nvidia.com/gpu": full["nvidia.com/gpu"]}
    return {
        "name": name,
        "count": count,
        "min_count": min_count,
        "requests": full,
        "spec": {
            "containers": [
                {
                    "image": image,
                    "imagePullPolicy": "IfNotPresent",
                    "name": "main",
                    "resources": resources,
                    "terminationMessagePath": "/dev/termination-log",
                    "terminationMessagePolicy": "File",
                }
            ],
            "dnsPolicy": "ClusterFirst",
            **({"nodeSelector": selector} if selector else {}),
            "restartPolicy": "Never",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
            **({"tolerations": list(tolerations)} if tolerations else {}),
        },
    }


_RESOURCES = {"gpu": "nvidia.com/gpu", "storage": "ephemeral-storage"}


class Scene:
    """A cluster at one moment. Times of workloads are given as "HH:MM:SS" of the day of `now`."""

    def __init__(self, name: str, now: str, about: str) -> None:
        self.name = name
        self.now = now
        self.about = about
        self.set_up = f"{now[:8]}02T08:00:00Z"
        self.objects: list[Doc] = []
        self.workloads: list[Doc] = []
        self._version = 41_000
        self._cohort_of: dict[str, str] = {}

    def time(self, clock: str) -> str:
        """A moment of the day of the dump; a whole timestamp is taken as it is."""
        return clock if "T" in clock else f"{self.now[:10]}T{clock}Z"

    def uid(self, kind: str, name: str, namespace: str = "") -> str:
        """The uid of an object, the same in every composition."""
        return str(uuid.uuid5(_SPACE, f"{self.name}/{kind}/{namespace}/{name}"))

    def add(self, api_version: str, kind: str, name: str, *, namespace: str = "", at: str = "", **parts: Any) -> Doc:
        """Add an object; parts are spec, status and what else it has, labels and other metadata among them."""
        self._version += 7
        meta: Doc = {"creationTimestamp": at or self.set_up, "name": name, "resourceVersion": str(self._version)}
        meta["uid"] = self.uid(kind, name, namespace)
        if namespace:
            meta["namespace"] = namespace
        if kind != "Namespace" and kind not in ("Pod", "Node"):
            meta["generation"] = 1
        meta.update(parts.pop("metadata", {}))
        doc = {"apiVersion": api_version, "kind": kind, "metadata": meta, **parts}
        self.objects.append(doc)
        return doc

    def namespace(self, name: str, **labels: str) -> None:
        """A namespace with labels beside its name."""
        self.add(
            "v1",
            "Namespace",
            name,
            metadata={"labels": {"kubernetes.io/metadata.name": name, **labels}},
            spec={"finalizers": ["kubernetes"]},
            status={"phase": "Active"},
        )

    def flavor(self, name: str, **spec: Any) -> None:
        """A ResourceFlavor."""
        self.add(KUEUE, "ResourceFlavor", name, metadata=_in_use(), spec=spec)

    def node(self, name: str, *, labels: Doc, taints: Iterable[Doc] = (), **capacity: str) -> None:
        """A Node that is ready."""
        amounts = {_RESOURCES.get(key, key): value for key, value in {**capacity, "pods": "110"}.items()}
        condition = {
            "lastHeartbeatTime": self.now,
            "lastTransitionTime": self.set_up,
            "message": "kubelet is posting ready status",
            "reason": "KubeletReady",
            "status": "True",
            "type": "Ready",
        }
        self.add(
            "v1",
            "Node",
            name,
            metadata={"labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **labels}},
            spec={"taints": list(taints)} if taints else {},
            status={"allocatable": amounts, "capacity": amounts, "conditions": [condition]},
        )

    def priority_class(self, name: str, value: int, description: str = "") -> None:
        """A WorkloadPriorityClass."""
        more = {"description": description} if description else {}
        self.add(KUEUE, "WorkloadPriorityClass", name, value=value, **more)

    def check(self, name: str) -> None:
        """An AdmissionCheck for the provisioning of nodes."""
        self.add(
            KUEUE,
            "AdmissionCheck",
            name,
            metadata=_in_use(),
            spec={
                "controllerName": "kueue.x-k8s.io/provisioning-request",
                "parameters": {"apiGroup": "kueue.x-k8s.io", "kind": "ProvisioningRequestConfig", "name": name},
            },
            status={"conditions": [self._condition("Active", "Active", "The admission check is active")]},
        )

    def cohort(
        self, name: str, parent: str = "", *, quotas: dict[str, Quota] | None = None, share: int | None = None
    ) -> None:
        """A Cohort object; `share` is what its status says about fair sharing."""
        spec: Doc = {**({"parentName": parent} if parent else {}), "resourceGroups": _groups(quotas or {})}
        status: Doc = {} if share is None else {"status": {"fairSharing": {"weightedShare": share}}}
        self.add(KUEUE, "Cohort", name, spec={key: value for key, value in spec.items() if value}, **status)

    def queue(
        self,
        name: str,
        cohort: str = "",
        *,
        quotas: dict[str, Quota],
        strategy: str = "BestEffortFIFO",
        within: str = "Never",
        reclaim: str = "Never",
        weight: str = "",
        share: int | None = None,
        checks: Iterable[str] = (),
        **more: Any,
    ) -> None:
        """A ClusterQueue with one resource group, for all namespaces. What `more` has goes into its spec."""
        spec: Doc = {
            **({"cohortName": cohort} if cohort else {}),
            "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
            "namespaceSelector": {},
            "preemption": {
                "borrowWithinCohort": {"policy": "Never"},
                "reclaimWithinCohort": reclaim,
                "withinClusterQueue": within,
            },
            "queueingStrategy": strategy,
            "resourceGroups": _groups(quotas),
            "stopPolicy": "None",
            **_weight(weight),
        }
        if checks:
            spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": check} for check in checks]}
        status: Doc = {"conditions": [self._condition("Active", "Ready", "Can admit new workloads")]}
        if share is not None:
            status["fairSharing"] = {"weightedShare": share}
        self.add(KUEUE, "ClusterQueue", name, metadata=_in_use(), spec={**spec, **more}, status=status)

    def local(self, namespace: str, name: str, queue: str, *, stop: str = "None") -> None:
        """A LocalQueue."""
        self.add(
            KUEUE,
            "LocalQueue",
            name,
            namespace=namespace,
            spec={"clusterQueue": queue, "stopPolicy": stop},
            status={"conditions": [self._condition("Active", "Ready", "Can submit new workloads to localQueue")]},
        )

    def workload(
        self,
        key: str,
        *pod_sets: Doc,
        queue: str,
        created: str,
        rank: tuple[str, int] | None = None,
        admitted: str = "",
        flavors: dict[str, str] | None = None,
        refused: tuple[str, str] | None = None,
        owner: str = "Job",
        owner_name: str = "",
        conditions: Iterable[Doc] = (),
        status: Doc | None = None,
        counts: dict[str, int] | None = None,
        active: bool = True,
        finished: str = "",
        reserved: bool = False,
        checks: Iterable[Doc] = (),
        owner_annotations: dict[str, str] | None = None,
    ) -> Doc:
        """A Workload and its owner.

        `rank` is the priority class with its value; `flavors` by pod set (or "" for all) with `admitted`, the moment of
        admission; `refused` is when and why Kueue wrote last that it does not fit; `counts` are those of partial
        admission; an owner "" makes a workload without one. `finished` is when it ran to its end. One that is only
        `reserved` has quota and waits for its `checks`.
        """
        namespace, _, name = key.partition("/")
        at = self.time(created)
        meta: Doc = {} if finished else _in_use()
        if owner:
            runs = bool(admitted) and not reserved
            meta.update(
                self._owned(
                    owner,
                    owner_name or name,
                    namespace,
                    pod_sets,
                    at=at,
                    runs=runs,
                    queue=queue,
                    annotations=owner_annotations,
                    counts=counts or {},
                )
            )
        spec: Doc = {
            "active": active,
            "podSets": [_pod_set(row, owner, owner_name or name) for row in pod_sets],
            "priority": rank[1] if rank else 0,
            "queueName": queue,
        }
        if rank and rank[0]:
            spec["priorityClassRef"] = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": rank[0]}
        state: Doc = {}
        rows = list(conditions)
        if admitted:
            cluster_queue = self._queue_of(namespace, queue)
            state["admission"] = _admission(cluster_queue, pod_sets, flavors or {}, counts or {})
            rows += self._admitted(cluster_queue, self.time(admitted), finished)
            rows = rows[:1] if reserved else rows
        elif refused:
            rows.append(
                self._condition("QuotaReserved", "Pending", refused[1], status="False", at=self.time(refused[0]))
            )
            state["resourceRequests"] = [
                {"name": row["name"], "resources": _total(row, row["count"])} for row in pod_sets
            ]
        if rows:
            state["conditions"] = rows
        if checks:
            state["admissionChecks"] = list(checks)
        state.update(status or {})
        doc = self.add(
            KUEUE,
            "Workload",
            name,
            namespace=namespace,
            at=at,
            metadata=meta,
            spec=spec,
            **({"status": state} if state else {}),
        )
        self.workloads.append(doc)
        return doc

    def condition(self, kind: str, reason: str, message: str, *, at: str, status: str = "True") -> Doc:
        """A condition at a time of the day."""
        return self._condition(kind, reason, message, status=status, at=self.time(at))

    def text(self, *, counts: bool = True) -> str:
        """The dump, with its header; with `counts` the statuses of queues tell how much is used."""
        if counts:
            self._count_usage()
        items = sorted(self.objects, key=lambda doc: _ORDER.index(doc["kind"]))
        document = {
            "apiVersion": "v1",
            "items": items,
            "kind": "List",
            "metadata": {"annotations": {SAVED_AT: self.now}, "resourceVersion": ""},
        }
        head = "".join(f"# {line}".rstrip() + "\n" for line in self.about.strip().splitlines())
        return head + yaml.dump(document, Dumper=_Dumper, width=1_000_000, sort_keys=True, allow_unicode=True)

    def _condition(self, kind: str, reason: str, message: str, *, status: str = "True", at: str = "") -> Doc:
        return {
            "lastTransitionTime": at or self.set_up,
            "message": message,
            "observedGeneration": 1,
            "reason": reason,
            "status": status,
            "type": kind,
        }

    def _admitted(self, queue: str, at: str, finished: str) -> list[Doc]:
        rows = [
            self._condition("QuotaReserved", "QuotaReserved", f"Quota reserved in ClusterQueue {queue}", at=at),
            self._condition("Admitted", "Admitted", "The workload is admitted", at=at),
            self._condition("PodsReady", "Started", "All pods reached readiness and the workload is running", at=at),
        ]
        if finished:
            text = "Reached expected number of succeeded pods"
            rows.append(self._condition("Finished", "Succeeded", text, at=self.time(finished)))
        return rows

    def _queue_of(self, namespace: str, name: str) -> str:
        for doc in self.objects:
            meta = doc["metadata"]
            if doc["kind"] == "LocalQueue" and (meta["namespace"], meta["name"]) == (namespace, name):
                return str(doc["spec"]["clusterQueue"])
        raise KeyError(f"{namespace}/{name}")

    def _owned(
        self,
        kind: str,
        name: str,
        namespace: str,
        pod_sets: Iterable[Doc],
        *,
        at: str,
        runs: bool,
        queue: str,
        annotations: dict[str, str] | None,
        counts: dict[str, int],
    ) -> Doc:
        """The owner, and the metadata that its workload has of it."""
        rows = [{**row, "count": counts.get(row["name"], row["count"])} for row in pod_sets]
        if kind == "Pod":
            members = [f"{name}-{index}" for index in range(rows[0]["count"])]
            for member in members:
                self._pod(member, name, namespace, rows[0], at=at, runs=runs, queue=queue)
            references = [
                {"apiVersion": "v1", "kind": "Pod", "name": member, "uid": self.uid("Pod", member, namespace)}
                for member in members
            ]
            return {"annotations": {"kueue.x-k8s.io/is-group-workload": "true"}, "ownerReferences": references}
        api_version, spec, status = _OWNERS[kind](rows, runs)
        labels = {"kueue.x-k8s.io/prebuilt-workload-name": name, "kueue.x-k8s.io/queue-name": queue}
        meta = {"labels": labels, **({"annotations": annotations} if annotations else {})}
        self.add(api_version, kind, name, namespace=namespace, at=at, metadata=meta, spec=spec, status=status)
        uid = self.uid(kind, name, namespace)
        reference = {
            "apiVersion": api_version,
            "blockOwnerDeletion": True,
            "controller": True,
            "kind": kind,
            "name": name,
            "uid": uid,
        }
        return {"labels": {"kueue.x-k8s.io/job-uid": uid}, "ownerReferences": [reference]}

    def _pod(self, name: str, group: str, namespace: str, row: Doc, *, at: str, runs: bool, queue: str) -> None:
        labels = {
            "kueue.x-k8s.io/managed": "true",
            "kueue.x-k8s.io/pod-group-name": group,
            "kueue.x-k8s.io/queue-name": queue,
        }
        spec = dict(row["spec"])
        if not runs:
            spec["schedulingGates"] = [{"name": "kueue.x-k8s.io/admission"}]
        self.add(
            "v1",
            "Pod",
            name,
            namespace=namespace,
            at=at,
            metadata={
                "labels": labels,
                "annotations": {"kueue.x-k8s.io/pod-group-total-count": str(row["count"])},
                "finalizers": ["kueue.x-k8s.io/managed"],
            },
            spec=spec,
            status={"phase": "Running" if runs else "Pending", "qosClass": "Burstable"},
        )

    def _count_usage(self) -> None:
        """Fill in what the statuses of queues say about the workloads."""
        doors = {
            (doc["metadata"]["namespace"], doc["metadata"]["name"]): doc
            for doc in self.objects
            if doc["kind"] == "LocalQueue"
        }
        for doc in self.objects:
            if doc["kind"] == "LocalQueue":
                meta, target = doc["metadata"], doc["spec"]["clusterQueue"]
                own = [
                    row
                    for row in self.workloads
                    if (row["metadata"]["namespace"], row["spec"]["queueName"]) == (meta["namespace"], meta["name"])
                ]
                queue = next(
                    (d for d in self.objects if d["kind"] == "ClusterQueue" and d["metadata"]["name"] == target), None
                )
                if queue is not None:
                    doc["status"].update(_usage(queue, own, borrows=False))
            elif doc["kind"] == "ClusterQueue":
                own = [
                    row
                    for row in self.workloads
                    for key in [(row["metadata"]["namespace"], row["spec"]["queueName"])]
                    if key in doors and doors[key]["spec"]["clusterQueue"] == doc["metadata"]["name"]
                ]
                doc["status"].update(_usage(doc, own, borrows=True))


def _in_use() -> Doc:
    return {"finalizers": ["kueue.x-k8s.io/resource-in-use"]}


def _weight(weight: str) -> Doc:
    return {"fairSharing": {"weight": weight}} if weight else {}


def _groups(quotas: dict[str, Quota]) -> list[Doc]:
    if not quotas:
        return []
    names = [_RESOURCES.get(name, name) for name in next(iter(quotas.values()))]
    flavors = [
        {"name": flavor, "resources": [_entry(_RESOURCES.get(name, name), amount) for name, amount in row.items()]}
        for flavor, row in quotas.items()
    ]
    return [{"coveredResources": names, "flavors": flavors}]


def _entry(name: str, amount: str | tuple[str, str | None, str | None]) -> Doc:
    if isinstance(amount, str):
        return {"name": name, "nominalQuota": amount}
    nominal, borrowing, lending = amount
    limits = {"borrowingLimit": borrowing, "lendingLimit": lending}
    return {"name": name, "nominalQuota": nominal, **{key: value for key, value in limits.items() if value is not None}}


def _pod_set(row: Doc, owner: str, name: str) -> Doc:
    labels, request = _POD_LABELS.get(owner, lambda name, row: ({}, None))(name, row)
    template: Doc = {**({"metadata": {"labels": labels}} if labels else {"metadata": {}}), "spec": row["spec"]}
    out: Doc = {"count": row["count"], "name": row["name"], "template": template}
    if row["min_count"] is not None:
        out["minCount"] = row["min_count"]
    if request:
        out["topologyRequest"] = request
    return out


_INDEX = "batch.kubernetes.io/job-completion-index"
_POD_LABELS: dict[str, Any] = {
    "Job": lambda name, row: ({"batch.kubernetes.io/job-name": name}, {"podIndexLabel": _INDEX}),
    "JobSet": lambda name, row: (
        {"jobset.sigs.k8s.io/jobset-name": name, "jobset.sigs.k8s.io/replicatedjob-name": row["name"]},
        {"podIndexLabel": _INDEX, "subGroupCount": 1, "subGroupIndexLabel": "jobset.sigs.k8s.io/job-index"},
    ),
}


def _job(rows: list[Doc], runs: bool) -> tuple[str, Doc, Doc]:
    row = rows[0]
    spec = {
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "completions": row["count"],
        "parallelism": row["count"],
        "suspend": not runs,
        "template": {"metadata": {}, "spec": row["spec"]},
    }
    return "batch/v1", spec, {"active": row["count"], "ready": row["count"]} if runs else {}


def _job_set(rows: list[Doc], runs: bool) -> tuple[str, Doc, Doc]:
    jobs = [
        {
            "name": row["name"],
            "replicas": 1,
            "template": {
                "metadata": {},
                "spec": {
                    "backoffLimit": 0,
                    "completionMode": "Indexed",
                    "completions": row["count"],
                    "parallelism": row["count"],
                    "template": {"metadata": {}, "spec": row["spec"]},
                },
            },
        }
        for row in rows
    ]
    return "jobset.x-k8s.io/v1alpha2", {"replicatedJobs": jobs, "suspend": not runs}, {"restarts": 0}


_OWNERS = {"Job": _job, "JobSet": _job_set}


def _total(row: Doc, count: int) -> dict[str, str]:
    return {name: _times(name, amount, count) for name, amount in sorted(row["requests"].items())}


def _times(name: str, amount: str, count: int) -> str:
    return quantity.format_amount(name, quantity.parse_amount(name, amount) * count)


def _admission(queue: str, pod_sets: Iterable[Doc], flavors: dict[str, str], counts: dict[str, int]) -> Doc:
    rows = []
    for row in pod_sets:
        count: int = counts.get(row["name"]) or row["count"]
        flavor = flavors.get(row["name"], flavors.get("", ""))
        rows.append(
            {
                "count": count,
                "flavors": dict.fromkeys(sorted(row["requests"]), flavor),
                "name": row["name"],
                "resourceUsage": _total(row, count),
            }
        )
    return {"clusterQueue": queue, "podSetAssignments": rows}


def _usage(queue: Doc, workloads: list[Doc], *, borrows: bool) -> Doc:
    """The counters and sums of a queue over its own workloads."""
    used: dict[tuple[str, str], int] = {}
    holding = admitted = pending = 0
    for doc in workloads:
        state = doc.get("status", {})
        kinds = {row["type"] for row in state.get("conditions", []) if row["status"] == "True"}
        if "Finished" in kinds:
            continue
        if "admission" not in state:
            pending += doc["spec"]["active"]
            continue
        holding += 1
        admitted += "Admitted" in kinds
        for row in state["admission"]["podSetAssignments"]:
            for name, flavor in row["flavors"].items():
                amount = quantity.parse_amount(name, row["resourceUsage"][name])
                used[flavor, name] = used.get((flavor, name), 0) + amount
    rows = []
    for group in queue["spec"]["resourceGroups"]:
        for flavor in group["flavors"]:
            resources = []
            for entry in flavor["resources"]:
                name, total = entry["name"], used.get((flavor["name"], entry["name"]), 0)
                nominal = quantity.parse_amount(name, entry["nominalQuota"])
                more = {"borrowed": quantity.format_amount(name, max(0, total - nominal))} if borrows else {}
                resources.append({**more, "name": name, "total": quantity.format_amount(name, total)})
            rows.append({"name": flavor["name"], "resources": resources})
    return {
        "admittedWorkloads": admitted,
        "flavorsReservation": rows,
        "flavorsUsage": rows,
        "pendingWorkloads": pending,
        "reservingWorkloads": holding,
    }


# The order of kinds in a dump.
_ORDER = (
    "Namespace",
    "Node",
    "ResourceFlavor",
    "LimitRange",
    "WorkloadPriorityClass",
    "AdmissionCheck",
    "Cohort",
    "ClusterQueue",
    "LocalQueue",
    "Job",
    "JobSet",
    "Pod",
    "Workload",
)


class _Dumper(yaml.SafeDumper):
    """Writes as kubectl does: lists not indented, no aliases, double quotes where text looks like another type."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, data: str) -> yaml.Node:
    is_plain = dumper.resolve(yaml.ScalarNode, data, (True, False)) == "tag:yaml.org,2002:str"
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=None if is_plain else '"')


_Dumper.add_representer(str, _text)
