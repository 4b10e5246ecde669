"""Cohorts and queues while a cluster is made, and how the API spells amounts and times."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

Doc = dict[str, Any]

API = "kueue.x-k8s.io/v1beta2"
NOW = datetime(2026, 3, 2, 9, 0, 0, tzinfo=UTC)


@dataclass(eq=False)
class Place:
    """A cohort or a queue while the cluster is made: its quota, and what is in use of it."""

    name: str
    parent: Place | None = None
    nominal: dict[tuple[str, str], int] = field(default_factory=dict)
    borrow: dict[tuple[str, str], int] = field(default_factory=dict)
    used: dict[tuple[str, str], int] = field(default_factory=dict)
    members: list[Place] = field(default_factory=list)
    # Of queues only.
    spec: Doc = field(default_factory=dict)
    doors: list[tuple[str, str]] = field(default_factory=list)
    check: str | None = None

    @property
    def root(self) -> Place:
        """The top of its tree."""
        return self if self.parent is None else self.parent.root

    def total(self, key: tuple[str, str]) -> int:
        """Quota of it and of all below, less what is in use: lending limits are not looked at."""
        own = self.nominal.get(key, 0) - self.used.get(key, 0)
        return own + sum(member.total(key) for member in self.members)


def has_room(queue: Place, key: tuple[str, str], amount: int) -> bool:
    """Whether the queue may use that much more: of its own quota, or borrowed from its tree."""
    free = queue.nominal.get(key, 0) - queue.used.get(key, 0)
    if amount <= free:
        return True
    if queue.parent is None or amount > free + queue.borrow.get(key, amount):
        return False
    return amount <= queue.root.total(key)


def condition(kind: str, reason: str, seconds_ago: int, *, is_true: bool = True) -> Doc:
    """A condition as Kueue writes it."""
    status = "True" if is_true else "False"
    return {"type": kind, "status": status, "reason": reason, "message": kind, "lastTransitionTime": text(seconds_ago)}


def quantity(resource: str, amount: int) -> str:
    """An amount in the API's spelling."""
    if resource == "cpu":
        return f"{amount // 1000}" if amount % 1000 == 0 else f"{amount}m"
    if amount and amount % (1 << 20) == 0:
        return f"{amount >> 20}Mi"
    return f"{amount}"


def parse(resource: str, text: str) -> int:
    """The amount of a quantity that `quantity` spelled."""
    if resource == "cpu":
        return int(text[:-1]) if text.endswith("m") else int(text) * 1000
    return int(text[:-2]) << 20 if text.endswith("Mi") else int(text)


def text(seconds_ago: int) -> str:
    """The moment so long before now."""
    return (NOW - timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
