"""The wire format of what all kinds share, and of the small kinds: only the fields that the model holds.

Every field may be missing or null, as Go's decoder lets it be. Fields of v1beta1 and v1beta2 stand side by side; the
builders take those of the object's version, and what a version doesn't have is dropped as the API server prunes it.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

V1BETA1 = "kueue.x-k8s.io/v1beta1"
V1BETA2 = "kueue.x-k8s.io/v1beta2"
# Cohorts and Topologies were served so before Kueue 0.14.
V1ALPHA1 = "kueue.x-k8s.io/v1alpha1"
# A tuple of few: comparing texts is cheaper than hashing one.
OLD = (V1BETA1, V1ALPHA1)

# Markers for `faults`: the wire type is plain, the text in it has a syntax of its own.
QUANTITY = "quantity"
TIME = "time"

Quantity = Annotated[str | int | float, QUANTITY]
Time = Annotated[str, TIME]
Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Quantities = dict[str, Quantity | None]
StringMap = dict[str, str | None]


class Wire(msgspec.Struct, rename="camel", gc=False, omit_defaults=True):
    """Base of the wire types. They hold no cycles, so the collector need not look at them."""


class OwnerReference(Wire):
    """metadata.ownerReferences[]."""

    api_version: str | None = None
    kind: str | None = None
    name: str | None = None
    uid: str | None = None
    controller: bool | None = None


class Meta(Wire):
    """metadata, without managedFields."""

    name: str | None = None
    namespace: str | None = None
    uid: str | None = None
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    generation: Int64 | None = None
    resource_version: str | None = None
    labels: StringMap | None = None
    annotations: StringMap | None = None
    owner_references: list[OwnerReference] | None = None


class Condition(Wire):
    """status.conditions[]."""

    type: str | None = None
    status: str | None = None
    reason: str | None = None
    message: str | None = None
    last_transition_time: Time | None = None
    observed_generation: Int64 | None = None


class Requirement(Wire):
    """An expression of a label or node selector."""

    key: str | None = None
    operator: str | None = None
    values: list[str] | None = None


class LabelSelector(Wire):
    """metav1.LabelSelector."""

    match_labels: StringMap | None = None
    match_expressions: list[Requirement] | None = None


class Taint(Wire):
    """A taint."""

    key: str | None = None
    value: str | None = None
    effect: str | None = None


class Toleration(Wire):
    """A toleration."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None
    toleration_seconds: Int64 | None = None


class Header(Wire):
    """What says which kind an object is."""

    api_version: str | None = None
    kind: str | None = None


class Object(Wire):
    """Base of whole objects."""

    api_version: str | None = None
    kind: str | None = None
    metadata: Meta | None = None


class ResourceFlavorSpec(Wire):
    """spec of a ResourceFlavor."""

    node_labels: StringMap | None = None
    node_taints: list[Taint] | None = None
    tolerations: list[Toleration] | None = None
    topology_name: str | None = None


class ResourceFlavor(Object):
    """A ResourceFlavor."""

    spec: ResourceFlavorSpec | None = None


class TopologyLevel(Wire):
    """spec.levels[] of a Topology."""

    node_label: str | None = None


class TopologySpec(Wire):
    """spec of a Topology."""

    levels: list[TopologyLevel] | None = None


class Topology(Object):
    """A Topology."""

    spec: TopologySpec | None = None


class Parameters(Wire):
    """spec.parameters of an AdmissionCheck."""

    kind: str | None = None
    name: str | None = None


class AdmissionCheckSpec(Wire):
    """spec of an AdmissionCheck."""

    controller_name: str | None = None
    parameters: Parameters | None = None


class ConditionsStatus(Wire):
    """A status of which only the conditions matter."""

    conditions: list[Condition] | None = None


class AdmissionCheck(Object):
    """An AdmissionCheck."""

    spec: AdmissionCheckSpec | None = None
    status: ConditionsStatus | None = None


class WorkloadPriorityClass(Object):
    """A WorkloadPriorityClass."""

    value: Int32 | None = None


class PriorityClass(Object):
    """A PriorityClass of scheduling.k8s.io."""

    value: Int32 | None = None
    global_default: bool | None = None
    preemption_policy: str | None = None


class Namespace(Object):
    """A Namespace."""


class NodeSpec(Wire):
    """spec of a Node."""

    taints: list[Taint] | None = None
    unschedulable: bool | None = None


class NodeStatus(Wire):
    """status of a Node."""

    allocatable: Quantities | None = None
    conditions: list[Condition] | None = None


class Node(Object):
    """A Node."""

    spec: NodeSpec | None = None
    status: NodeStatus | None = None


class LimitRangeItem(Wire):
    """spec.limits[] of a LimitRange."""

    type: str | None = None
    max: Quantities | None = None
    min: Quantities | None = None
    default: Quantities | None = None
    default_request: Quantities | None = None
    max_limit_request_ratio: Quantities | None = None


class LimitRangeSpec(Wire):
    """spec of a LimitRange."""

    limits: list[LimitRangeItem] | None = None


class LimitRange(Object):
    """A LimitRange."""

    spec: LimitRangeSpec | None = None


class Overhead(Wire):
    """overhead of a RuntimeClass."""

    pod_fixed: Quantities | None = None


class RuntimeClass(Object):
    """A RuntimeClass."""

    overhead: Overhead | None = None


class Owner(Object):
    """Any other object: it may own a workload. What is inside differs by kind, so it is read leniently."""

    spec: Any = None
    status: Any = None
