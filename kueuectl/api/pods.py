"""Wire to model for pod templates, shared between the workloads that repeat them."""

from __future__ import annotations

import msgspec

from kueuectl.api import parts, wire, wire_pods
from kueuectl.api.pool import Pool
from kueuectl.model.selectors import NodeSelectorTerm, PreferredTerm
from kueuectl.model.values import replace
from kueuectl.model.workloads import Container, PodTemplate, ResourceClaim

_EMPTY = PodTemplate()
_DECODER = msgspec.json.Decoder(wire_pods.PodSpec)
_encode = msgspec.json.Encoder().encode
_NOTHING = b"{}"
_OWN = "kueue.x-k8s.io/"


def template(found: wire_pods.PodTemplate | None, pool: Pool) -> PodTemplate:
    """A pod template. Its spec is decoded once for all that say the same."""
    if found is None:
        return _EMPTY
    text = _encode(found.spec) if found.spec is not None else _NOTHING
    known = pool.template(text)
    if known is None:
        known = pool.keep_template(text, build(_DECODER.decode(text), pool))
    meta = found.metadata
    labels, annotations = (_own(meta.labels), _own(meta.annotations)) if meta else (None, None)
    if not labels and not annotations:
        return known
    key = (id(known), pool.shared_labels(labels), pool.shared_labels(annotations))
    labelled: PodTemplate | None = pool.known(key)
    if labelled is None:
        labelled = pool.keep(key, replace(known, labels=key[1], annotations=key[2]))
    return labelled


def _own(pairs: wire.StringMap | None) -> wire.StringMap | None:
    """Kueue's own labels or annotations. Others differ from job to job and decide nothing."""
    for key in pairs or ():
        if key.startswith(_OWN):
            return {key: value for key, value in (pairs or {}).items() if key.startswith(_OWN)}
    return None


def build(spec: wire_pods.PodSpec, pool: Pool) -> PodTemplate:
    """What matters of a pod spec."""
    resources = spec.resources
    node_affinity = spec.affinity.node_affinity if spec.affinity else None
    required = node_affinity.required if node_affinity else None
    return PodTemplate(
        containers=_containers(spec.containers, pool),
        init_containers=_containers(spec.init_containers, pool),
        overhead=pool.nanos(spec.overhead),
        pod_requests=pool.nanos(resources.requests) if resources and resources.requests is not None else None,
        pod_limits=pool.nanos(resources.limits) if resources and resources.limits is not None else None,
        node_selector=pool.shared_labels(spec.node_selector),
        node_affinity=None if required is None else _terms(required.node_selector_terms, pool),
        preferred_affinity=_preferred(node_affinity, pool),
        tolerations=parts.tolerations(spec.tolerations, pool),
        priority_class=pool.text(spec.priority_class_name),
        runtime_class=pool.text(spec.runtime_class_name),
        resource_claims=tuple(
            [
                ResourceClaim(
                    pool.text(claim.name),
                    template=pool.text(claim.resource_claim_template_name),
                    claim=pool.text(claim.resource_claim_name),
                )
                for claim in spec.resource_claims or ()
            ]
        ),
        other_constraints=pool.text(_other_constraints(spec)),
    )


def _other_constraints(spec: wire_pods.PodSpec) -> str:
    """What else sets pods apart when Kueue compares shapes (KEP-9694), as canonical JSON; "" for none of it."""
    found = {
        "initPorts": [entry.ports for entry in spec.init_containers or () if entry.ports],
        "ports": [entry.ports for entry in spec.containers or () if entry.ports],
        "podAffinity": spec.affinity.pod_affinity if spec.affinity else None,
        "podAntiAffinity": spec.affinity.pod_anti_affinity if spec.affinity else None,
        "topologySpreadConstraints": spec.topology_spread_constraints,
        "priority": spec.priority,
    }
    present = {name: value for name, value in found.items() if value is not None and value != []}
    return msgspec.json.encode(present, order="sorted").decode() if present else ""


def _containers(found: list[wire_pods.Container] | None, pool: Pool) -> tuple[Container, ...]:
    return pool.share(tuple([_container(entry, pool) for entry in found or ()]))


def _container(found: wire_pods.Container, pool: Pool) -> Container:
    resources = found.resources or wire_pods.Resources()
    return Container(
        name=pool.text(found.name),
        requests=pool.nanos(resources.requests),
        limits=pool.nanos(resources.limits),
        is_sidecar=found.restart_policy == "Always",
        claims=tuple([pool.text(claim.name) for claim in resources.claims or ()]),
    )


def _term(found: wire_pods.NodeSelectorTerm, pool: Pool) -> NodeSelectorTerm:
    return NodeSelectorTerm(
        expressions=tuple([parts.requirement(entry, pool) for entry in found.match_expressions or ()]),
        fields=tuple([parts.requirement(entry, pool) for entry in found.match_fields or ()]),
    )


def _terms(found: list[wire_pods.NodeSelectorTerm] | None, pool: Pool) -> tuple[NodeSelectorTerm, ...]:
    return tuple([_term(entry, pool) for entry in found or ()])


def _preferred(found: wire_pods.NodeAffinity | None, pool: Pool) -> tuple[PreferredTerm, ...]:
    preferred = found.preferred if found else None
    return tuple(
        [
            PreferredTerm(entry.weight or 0, _term(entry.preference or wire_pods.NodeSelectorTerm(), pool))
            for entry in preferred or ()
        ]
    )
