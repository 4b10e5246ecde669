"""The wire format of pod templates: what decides about requests and placement."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from kueuectl.api import wire


class ClaimUse(wire.Wire):
    """resources.claims[] of a container."""

    name: str | None = None


class Resources(wire.Wire):
    """resources of a container or of a pod."""

    requests: wire.Quantities | None = None
    limits: wire.Quantities | None = None
    claims: list[ClaimUse] | None = None


class Container(wire.Wire):
    """A container or init container."""

    name: str | None = None
    resources: Resources | None = None
    restart_policy: str | None = None
    # Only compared as a whole.
    ports: Any = None


class NodeSelectorTerm(wire.Wire):
    """A term of a node selector."""

    match_expressions: list[wire.Requirement] | None = None
    match_fields: list[wire.Requirement] | None = None


class NodeSelector(wire.Wire):
    """requiredDuringSchedulingIgnoredDuringExecution of node affinity."""

    node_selector_terms: list[NodeSelectorTerm] | None = None


class PreferredTerm(wire.Wire):
    """preferredDuringSchedulingIgnoredDuringExecution[] of node affinity."""

    weight: wire.Int32 | None = None
    preference: NodeSelectorTerm | None = None


class NodeAffinity(wire.Wire):
    """affinity.nodeAffinity."""

    required: NodeSelector | None = msgspec.field(default=None, name="requiredDuringSchedulingIgnoredDuringExecution")
    preferred: list[PreferredTerm] | None = msgspec.field(
        default=None, name="preferredDuringSchedulingIgnoredDuringExecution"
    )


class Affinity(wire.Wire):
    """affinity of a pod."""

    node_affinity: NodeAffinity | None = None
    # Only compared as a whole.
    pod_affinity: Any = None
    pod_anti_affinity: Any = None


class ResourceClaim(wire.Wire):
    """resourceClaims[] of a pod."""

    name: str | None = None
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class PodSpec(wire.Wire):
    """spec of a pod template."""

    containers: list[Container] | None = None
    init_containers: list[Container] | None = None
    overhead: wire.Quantities | None = None
    resources: Resources | None = None
    node_selector: wire.StringMap | None = None
    affinity: Affinity | None = None
    tolerations: list[wire.Toleration] | None = None
    priority_class_name: str | None = None
    runtime_class_name: str | None = None
    resource_claims: list[ResourceClaim] | None = None
    # Only compared as a whole.
    topology_spread_constraints: Any = None
    priority: Any = None


class TemplateMeta(wire.Wire):
    """metadata of a pod template."""

    labels: wire.StringMap | None = None
    annotations: wire.StringMap | None = None


class ContainerText(wire.Wire):
    """A container whose parts stay raw."""

    name: str | None = None
    resources: Annotated[msgspec.Raw, Resources] = msgspec.Raw()
    restart_policy: str | None = None
    ports: Annotated[msgspec.Raw, Any] = msgspec.Raw()


class PodSpecText(wire.Wire):
    """A pod spec whose parts stay raw, without all that decides nothing.

    Most workloads repeat a spec that was seen before, often with other arguments: written out again this is what they
    are recognized by, and what a PodSpec is decoded from.
    """

    containers: list[ContainerText] | None = None
    init_containers: list[ContainerText] | None = None
    overhead: Annotated[msgspec.Raw, wire.Quantities] = msgspec.Raw()
    resources: Annotated[msgspec.Raw, Resources] = msgspec.Raw()
    node_selector: Annotated[msgspec.Raw, wire.StringMap] = msgspec.Raw()
    affinity: Annotated[msgspec.Raw, Affinity] = msgspec.Raw()
    tolerations: Annotated[msgspec.Raw, list[wire.Toleration]] = msgspec.Raw()
    priority_class_name: str | None = None
    runtime_class_name: str | None = None
    resource_claims: Annotated[msgspec.Raw, list[ResourceClaim]] = msgspec.Raw()
    topology_spread_constraints: Annotated[msgspec.Raw, Any] = msgspec.Raw()
    priority: Annotated[msgspec.Raw, Any] = msgspec.Raw()


class PodTemplate(wire.Wire):
    """template of a pod set."""

    metadata: TemplateMeta | None = None
    spec: PodSpecText | None = None
