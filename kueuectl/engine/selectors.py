"""Label selectors, node selectors, taints and tolerations (Kubernetes API reference)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kueuectl.model.selectors import LabelSelector, NodeSelectorTerm, Requirement, Taint, Toleration

# A taint with another effect (PreferNoSchedule) keeps nobody out.
_HARD_EFFECTS = frozenset({"NoSchedule", "NoExecute"})
# An integer as Kubernetes reads it in selectors and tolerations.
_INTEGER = re.compile(r"[+-]?\d{1,19}", re.ASCII)


def matches(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether labels match a label selector: None matches nothing, an empty one everything."""
    if selector is None:
        return False
    return all(labels.get(key) == value for key, value in selector.match_labels) and all(
        holds(requirement, labels) for requirement in selector.match_expressions
    )


def holds(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    """Whether one expression holds. NotIn and DoesNotExist hold where the key is missing; an unknown operator never."""
    value = labels.get(requirement.key)
    operator = requirement.operator
    if operator == "In":
        return value is not None and value in requirement.values
    if operator == "NotIn":
        return value is None or value not in requirement.values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if operator in ("Gt", "Lt") and value is not None and len(requirement.values) == 1:
        return _compare(operator, value, requirement.values[0])
    return False


def term_holds(term: NodeSelectorTerm, labels: Mapping[str, str], fields: Mapping[str, str]) -> bool:
    """Whether a node with these labels and fields (metadata.name) matches a term; an empty term matches nothing."""
    if not term.expressions and not term.fields:
        return False
    return all(holds(requirement, labels) for requirement in term.expressions) and all(
        holds(requirement, fields) for requirement in term.fields
    )


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether a toleration covers a taint: an empty effect all effects, an empty key all keys.

    Gt and Lt compare integers (KEP-5471): the taint's value must be greater or less than the toleration's.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    operator = toleration.operator
    if operator == "Exists":
        return True
    if operator in ("", "Equal"):
        return toleration.value == taint.value
    return operator in ("Gt", "Lt") and _compare(operator, taint.value, toleration.value)


def untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> Taint | None:
    """The first taint that keeps pods out and that none of the tolerations covers."""
    covers = tuple(tolerations)
    for taint in taints:
        if taint.effect in _HARD_EFFECTS and not any(tolerates(toleration, taint) for toleration in covers):
            return taint
    return None


def _compare(operator: str, value: str, bound: str) -> bool:
    if not (_INTEGER.fullmatch(value) and _INTEGER.fullmatch(bound)):
        return False
    return int(value) > int(bound) if operator == "Gt" else int(value) < int(bound)
