"""ResourceFlavors, Topologies and Nodes."""

from __future__ import annotations

from kueuectl.model.conditions import Condition
from kueuectl.model.selectors import Labels, Taint, Toleration
from kueuectl.model.values import Struct


class ResourceFlavor(Struct, frozen=True):
    """A kind of capacity: the labels and taints of its nodes, tolerations that it adds, its topology."""

    name: str
    node_labels: Labels = ()
    node_taints: tuple[Taint, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    topology: str | None = None
    uid: str = ""
    creation: int | None = None
    resource_version: str = ""
    deletion: int | None = None
    labels: Labels = ()


class Topology(Struct, frozen=True):
    """The levels of a data centre, from the widest to the narrowest, as node label keys."""

    name: str
    levels: tuple[str, ...] = ()
    uid: str = ""
    creation: int | None = None
    resource_version: str = ""
    labels: Labels = ()


class Node(Struct, frozen=True):
    """A node. allocatable holds amounts (millicores for cpu, base units for the rest), sorted by name."""

    name: str
    labels: Labels = ()
    taints: tuple[Taint, ...] = ()
    allocatable: tuple[tuple[str, int], ...] = ()
    is_ready: bool = True
    unschedulable: bool = False
    uid: str = ""
    creation: int | None = None


class AdmissionCheck(Struct, frozen=True):
    """An AdmissionCheck with its controller, parameters (kind, name) and conditions."""

    name: str
    controller: str = ""
    parameters: tuple[str, str] | None = None
    conditions: tuple[Condition, ...] = ()
    uid: str = ""
    creation: int | None = None
    resource_version: str = ""
    deletion: int | None = None
    labels: Labels = ()
