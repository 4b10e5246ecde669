"""Short ways to write model objects in the tests of the engine."""

from __future__ import annotations

from typing import Any

from kueuectl import quantity
from kueuectl.model.conditions import Condition
from kueuectl.model.workloads import (
    Admission,
    Amounts,
    Container,
    NanoList,
    PodSet,
    PodSetAssignment,
    PodTemplate,
    Workload,
)


def nanos(**texts: str) -> NanoList:
    """Quantities by resource; gpu stands for example.com/gpu."""
    return tuple(sorted((name.replace("gpu", "example.com/gpu"), quantity.parse(text)) for name, text in texts.items()))


def container(name: str = "c", *, limits: NanoList = (), is_sidecar: bool = False, **requests: str) -> Container:
    """A container with requests by resource."""
    return Container(name, requests=nanos(**requests), limits=limits, is_sidecar=is_sidecar)


def template(*containers: Container, **fields: Any) -> PodTemplate:
    """A pod template."""
    return PodTemplate(containers=containers or (container(),), **fields)


def pod_set(count: int = 1, name: str = "main", *, pods: PodTemplate | None = None, **requests: str) -> PodSet:
    """A pod set of one container with these requests, or of a template."""
    return PodSet(name, count, pods or template(container(**requests)))


def workload(*pod_sets: PodSet, **fields: Any) -> Workload:
    """The workload team-a/train."""
    return Workload(**{"namespace": "team-a", "name": "train", "pod_sets": pod_sets, **fields})


def condition(kind: str, status: str = "True", reason: str = "", at: int | None = None) -> Condition:
    """A condition."""
    return Condition(kind, status, reason, last_transition=at)


def admission(name: str = "main", *, count: int | None = None, flavor: str = "default", **usage: int) -> Admission:
    """An admission of one pod set, every resource in the same flavor."""
    amounts: Amounts = tuple(sorted((key.replace("gpu", "example.com/gpu"), value) for key, value in usage.items()))
    flavors = tuple((resource, flavor) for resource, _ in amounts)
    return Admission("queue", (PodSetAssignment(name, flavors, amounts, count),))
