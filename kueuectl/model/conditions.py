"""Conditions as the API server keeps them."""

from __future__ import annotations

from kueuectl.model.values import Struct


class Condition(Struct, frozen=True):
    """One condition; times are nanoseconds since the epoch, None where missing."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_transition: int | None = None
    observed_generation: int = 0


def find(conditions: tuple[Condition, ...], kind: str) -> Condition | None:
    """The condition of that type, if there is one."""
    for condition in conditions:
        if condition.type == kind:
            return condition
    return None


def is_true(conditions: tuple[Condition, ...], kind: str) -> bool:
    """Whether the condition of that type is there and True."""
    found = find(conditions, kind)
    return found is not None and found.status == "True"
