"""Who made what: workloads and pods that belong to a named object, by owner references and Kueue's labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kueuectl.model.state import ClusterState, OwnerObject
from kueuectl.model.workloads import Owner, Workload

POD_GROUP = "kueue.x-k8s.io/pod-group-name"

# Labels that controllers put on the pods that they make, by kind.
_NAME_LABELS: Mapping[str, tuple[str, ...]] = {
    "Job": ("batch.kubernetes.io/job-name", "job-name"),
    "JobSet": ("jobset.sigs.k8s.io/jobset-name",),
    "MPIJob": ("training.kubeflow.org/job-name",),
    "PyTorchJob": ("training.kubeflow.org/job-name",),
    "TFJob": ("training.kubeflow.org/job-name",),
    "XGBoostJob": ("training.kubeflow.org/job-name",),
    "PaddleJob": ("training.kubeflow.org/job-name",),
    "JAXJob": ("training.kubeflow.org/job-name",),
    "RayCluster": ("ray.io/cluster",),
    "RayJob": ("ray.io/originated-from-cr-name",),
    "AppWrapper": ("workload.codeflare.dev/appwrapper",),
    "LeaderWorkerSet": ("leaderworkerset.sigs.k8s.io/name",),
}


def is_of(owner: Owner, kind: str, name: str, *, group: str = "") -> bool:
    """Whether an owner reference names the object; the kind in any case, a group only where one is given."""
    if owner.name != name or owner.kind.lower() != kind.lower():
        return False
    return not group or owner.api_version.rpartition("/")[0] == group


class Ownership:
    """Answers who belongs to one object (kind, name, group "" for any) in a namespace (None: in any).

    Owner references have no namespace: an object of the same name in another one owns what is there.
    """

    def __init__(self, state: ClusterState, *, kind: str, name: str, group: str, namespace: str | None) -> None:
        self.kind = kind
        self.name = name
        self.group = group
        self._namespace = namespace
        # uids and (namespace, kind, name) of the object and of all that it owns, as far as those were read.
        self._uids: set[str] = set()
        self._keys: set[tuple[str, str, str]] = set()
        self._groups: set[tuple[str, str]] = set()
        self.is_known = False
        inside = [found for found in state.owners if namespace is None or found.namespace == namespace]
        for found in inside:
            if found.name == name and found.kind.lower() == kind.lower() and self._in_group(found.api_version):
                self.is_known = True
                self._add(found)
        self._close(inside)

    def _in_group(self, api_version: str) -> bool:
        return not self.group or api_version.rpartition("/")[0] == self.group

    def _add(self, found: OwnerObject) -> None:
        if found.uid:
            self._uids.add(found.uid)
        self._keys.add((found.namespace, found.kind, found.name))
        if found.kind == "Pod":
            group = dict(found.labels).get(POD_GROUP)
            if group:
                self._groups.add((found.namespace, group))

    def _close(self, inside: Iterable[OwnerObject]) -> None:
        """Add what is owned by what was added, until nothing is new."""
        rest = [found for found in inside if (found.namespace, found.kind, found.name) not in self._keys]
        grown = True
        while grown:
            grown = False
            for found in list(rest):
                if any(self._owns(owner, found.namespace) for owner in found.owners):
                    rest.remove(found)
                    self._add(found)
                    grown = True

    def _owns(self, owner: Owner, namespace: str) -> bool:
        if self._namespace is not None and namespace != self._namespace:
            return False
        if is_of(owner, self.kind, self.name, group=self.group):
            return True
        return (owner.uid in self._uids if owner.uid else False) or (namespace, owner.kind, owner.name) in self._keys

    def owns_workload(self, workload: Workload) -> bool:
        """Whether the workload was made for the object, or for something that it owns."""
        if any(self._owns(owner, workload.namespace) for owner in workload.owners):
            return True
        return self.kind.lower() == "pod" and (workload.namespace, workload.name) in self._groups

    def owns_pod(self, pod: Mapping[str, Any]) -> bool:
        """Whether a raw pod is the object, is in its group, or was made for it."""
        metadata = pod.get("metadata")
        if not isinstance(metadata, dict):
            return False
        namespace = str(metadata.get("namespace") or "")
        if self._namespace is not None and namespace != self._namespace:
            return False
        found = metadata.get("labels")
        labels = found if isinstance(found, dict) else {}
        if self.kind.lower() == "pod":
            return metadata.get("name") == self.name or (namespace, labels.get(POD_GROUP)) in self._groups
        for kind, names in _NAME_LABELS.items():
            if kind.lower() == self.kind.lower() and any(labels.get(label) == self.name for label in names):
                return True
        references = metadata.get("ownerReferences")
        return any(
            self._owns(_owner(reference), namespace)
            for reference in (references if isinstance(references, list) else ())
            if isinstance(reference, dict)
        )


def _owner(reference: Mapping[str, Any]) -> Owner:
    return Owner(
        api_version=str(reference.get("apiVersion") or ""),
        kind=str(reference.get("kind") or ""),
        name=str(reference.get("name") or ""),
        uid=str(reference.get("uid") or ""),
    )
