"""Labels, selectors, taints and tolerations as values."""

from __future__ import annotations

from kueuectl.model.values import Struct

# Sorted (key, value) pairs.
Labels = tuple[tuple[str, str], ...]


class Requirement(Struct, frozen=True):
    """One expression of a label or node selector: operator In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class LabelSelector(Struct, frozen=True):
    """A label selector: all of its parts must hold. Without parts it matches everything."""

    match_labels: Labels = ()
    match_expressions: tuple[Requirement, ...] = ()


class NodeSelectorTerm(Struct, frozen=True):
    """One term of a node selector; terms are alternatives. A term without parts matches nothing."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()


class PreferredTerm(Struct, frozen=True):
    """A preferred node selector term with its weight (1 to 100)."""

    weight: int
    term: NodeSelectorTerm


class Taint(Struct, frozen=True):
    """A taint of a node or flavor; effect NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    value: str = ""
    effect: str = ""


class Toleration(Struct, frozen=True):
    """A toleration; an empty key with Exists tolerates everything, an empty effect all effects.

    `operator` is Equal (also ""), Exists, Lt or Gt.
    """

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None
