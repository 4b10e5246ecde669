"""What a search for victims considered, candidate by candidate; recorded only when somebody asks."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from kueuectl.engine.infos import Info


class Finding(StrEnum):
    """What became of a candidate."""

    CHOSEN = "chosen"
    # Taken at first and put back, since the rest is enough.
    SPARED = "spared"
    # Allowed, but the search ended before it was needed.
    NOT_NEEDED = "not needed"
    # Allowed, and taken in a search that never made room.
    NOT_ENOUGH = "not enough, even with all that are allowed"
    OTHER_RESOURCES = "uses none of the resources that are short"
    POLICY = "policy"
    PRIORITY = "priority"
    NEWER_RULE = "not newer"
    NOT_BORROWING = "its queue does not borrow"
    PROTECTED = "a cohort above it is within its quota"
    ONLY_WITHOUT_BORROWING = "only while the preemptor does not borrow"
    SHARE = "share rule"
    INACTIVE_QUEUE = "its queue is not active"


class ShareCheck(NamedTuple):
    """One comparison of shares: strategy, the two nodes below the common ancestor, and their precise shares."""

    strategy: str
    preemptor_node: str
    target_node: str
    preemptor_share: float
    target_share: float
    holds: bool


class Note(NamedTuple):
    """One candidate and what was found about it."""

    info: Info
    finding: Finding
    # The node that protects it, or the policy field and value that forbids it.
    detail: str = ""
    share: ShareCheck | None = None


class Notes:
    """The record of one search, in the order of evaluation. `ties` are nodes that Kueue picks between at random."""

    __slots__ = ("entries", "ties")

    def __init__(self) -> None:
        self.entries: list[Note] = []
        self.ties: list[tuple[str, ...]] = []

    def add(self, info: Info, finding: Finding, *, detail: str = "", share: ShareCheck | None = None) -> None:
        """Record one finding."""
        self.entries.append(Note(info, finding, detail, share))
