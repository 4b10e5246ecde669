"""Wire to model for what several kinds share: metadata, conditions, selectors, taints, owners."""

from __future__ import annotations

from kueuectl.api import wire
from kueuectl.api.pool import Pool
from kueuectl.model.conditions import Condition
from kueuectl.model.selectors import LabelSelector, Requirement, Taint, Toleration
from kueuectl.model.workloads import Owner

NO_META = wire.Meta()
_condition = Condition
_owner = Owner


def conditions(found: list[wire.Condition] | None, pool: Pool) -> tuple[Condition, ...]:
    """Conditions in their order."""
    if not found:
        return ()
    texts, time = pool.texts, pool.time
    # A loop, here and below: a comprehension makes a function each time, which shows with fifty thousand workloads.
    made = []
    for entry in found:
        made.append(
            _condition(
                texts[entry.type],
                texts[entry.status],
                texts[entry.reason],
                texts[entry.message],
                time(entry.last_transition_time),
                entry.observed_generation or 0,
            )
        )
    return tuple(made)


def owners(found: list[wire.OwnerReference] | None, pool: Pool) -> tuple[Owner, ...]:
    """Owner references in their order."""
    if not found:
        return ()
    texts, recent = pool.texts, pool.recent
    made = []
    for entry in found:
        version, kind = texts[entry.api_version], texts[entry.kind]
        made.append(_owner(version, kind, recent[entry.name], recent[entry.uid], entry.controller is True))
    return tuple(made)


def requirement(found: wire.Requirement, pool: Pool) -> Requirement:
    """An expression of a selector."""
    values = tuple([pool.text(value) for value in found.values or ()])
    return Requirement(pool.text(found.key), pool.text(found.operator), values)


def label_selector(found: wire.LabelSelector | None, pool: Pool) -> LabelSelector | None:
    """A label selector; None stays None, since it matches nothing where an empty one matches all."""
    if found is None:
        return None
    expressions = tuple([requirement(entry, pool) for entry in found.match_expressions or ()])
    return pool.share(LabelSelector(pool.shared_labels(found.match_labels), expressions))


def taints(found: list[wire.Taint] | None, pool: Pool) -> tuple[Taint, ...]:
    """Taints in their order."""
    text = pool.text
    return tuple([Taint(text(entry.key), text(entry.value), text(entry.effect)) for entry in found or ()])


def tolerations(found: list[wire.Toleration] | None, pool: Pool) -> tuple[Toleration, ...]:
    """Tolerations in their order."""
    text = pool.text
    return tuple(
        [
            Toleration(
                text(entry.key), text(entry.operator), text(entry.value), text(entry.effect), entry.toleration_seconds
            )
            for entry in found or ()
        ]
    )
