"""One conformance case, and helpers to read it with the project's own decoder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kueuectl import quantity, times
from kueuectl.api import objects
from kueuectl.model.conditions import Condition
from kueuectl.model.settings import DEFAULT_GATES, FAIR_SHARING_STRATEGIES, Settings, Transformation
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import PodSet, Workload

# The moment of cases that don't say one: that of the test run which the cases were taken from.
DEFAULT_NOW = "2026-11-29T17:13:26Z"


@dataclass(frozen=True)
class Case:
    """A line of a suite."""

    suite: str
    id: str
    name: str
    now: int
    given: dict[str, Any]
    objects: list[dict[str, Any]]
    expect: dict[str, Any]

    def state(self, *more: dict[str, Any]) -> ClusterState:
        """The state that the case's objects make, with more of them; objects that the API would refuse are let in."""
        return state_of([*self.objects, *more])

    def settings(self, **changes: Any) -> Settings:
        """Defaults of the version with the case's gates, fair sharing and transformations, and the given changes."""
        found: dict[str, Any] = {"gates": {**DEFAULT_GATES, **(self.given.get("featureGates") or {})}}
        fair = self.given.get("fairSharing")
        if fair:
            strategies = fair.get("preemptionStrategies") if isinstance(fair, dict) else None
            found["fair_sharing"] = tuple(strategies or FAIR_SHARING_STRATEGIES)
        if self.given.get("quotaCheckStrategy"):
            found["quota_check_strategy"] = self.given["quotaCheckStrategy"]
        if self.given.get("resourceTransformations"):
            found["transformations"] = tuple(map(_transformation, self.given["resourceTransformations"]))
        return Settings(**{**found, **changes})


def read(path: Path) -> list[Case]:
    """The cases of a suite, one a line."""
    cases = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                doc = json.loads(line)
                cases.append(
                    Case(
                        suite=path.stem,
                        id=doc["id"],
                        name=doc.get("name", ""),
                        now=times.parse(doc.get("now") or DEFAULT_NOW),
                        given=doc.get("given") or {},
                        objects=doc.get("objects") or [],
                        expect=doc.get("expect") or {},
                    )
                )
    return cases


def state_of(docs: Iterable[dict[str, Any]]) -> ClusterState:
    """The state of objects that need not be valid."""
    return objects.decode_state([("case", doc) for doc in docs], strict=False)


def decode(doc: dict[str, Any]) -> Any:
    """The model of an object that need not be valid, nor have a name."""
    meta = doc.get("metadata") or {}
    return objects.decode({**doc, "metadata": {"name": "unnamed", **meta}}, strict=False)


def workload(doc: dict[str, Any]) -> Workload:
    """The model of a Workload."""
    found = decode(doc)
    assert isinstance(found, Workload)
    return found


def workload_of(pod_sets: list[dict[str, Any]], **status: Any) -> Workload:
    """A workload around pod sets as they stand in a spec."""
    return workload(
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "Workload",
            "metadata": {"name": "wl", "namespace": "ns"},
            "spec": {"podSets": pod_sets},
            "status": status,
        }
    )


def pod_set(doc: dict[str, Any]) -> PodSet:
    """The model of one pod set."""
    return workload_of([doc]).pod_sets[0]


def condition(doc: dict[str, Any]) -> tuple[str, str, str, str]:
    """What of a condition is compared: type, status, reason, message."""
    return doc["type"], doc["status"], doc.get("reason", ""), doc.get("message", "")


def key_of(doc: dict[str, Any]) -> str:
    """namespace/name of an object."""
    return f"{doc['metadata'].get('namespace') or ''}/{doc['metadata']['name']}"


Told = dict[str, tuple[str, str, str]]


def told(conditions: Iterable[Condition]) -> Told:
    """What of conditions is compared, by type."""
    return {found.type: (found.status, found.reason, found.message) for found in conditions}


def wanted_conditions(doc: dict[str, Any]) -> Told:
    """`told` of a workload that is expected."""
    return {
        kind: (status, reason, message)
        for kind, status, reason, message in map(condition, (doc.get("status") or {}).get("conditions") or ())
    }


def same_each(what: str, got: Mapping[str, Any], want: Mapping[str, Any]) -> list[str]:
    """A difference for each key under which the two are not equal."""
    return [
        difference for key in sorted({*got, *want}) for difference in same(f"{what} {key}", got.get(key), want.get(key))
    ]


def same(what: str, got: Any, want: Any) -> list[str]:
    """A difference when the two are not equal."""
    return [] if got == want else [f"{what}: got {got!r}, want {want!r}"]


def _transformation(doc: dict[str, Any]) -> Transformation:
    outputs = {name: quantity.parse(str(value)) for name, value in (doc.get("outputs") or {}).items()}
    return Transformation(
        input=doc["input"],
        strategy=doc.get("strategy") or "Retain",
        multiply_by=doc.get("multiplyBy") or "",
        outputs=tuple(sorted(outputs.items())),
    )
