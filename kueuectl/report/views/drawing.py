"""Drawn parts of tables: branches of trees and bars, in Unicode or ASCII."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

_UNICODE = ("├─ ", "└─ ", "│  ")
_ASCII = ("|- ", "`- ", "|  ")
_BLANK = "   "


Node = TypeVar("Node")


class Branch(Generic[Node]):
    """A node with what is drawn before its first line and before its other lines."""

    __slots__ = ("first", "node", "rest")

    def __init__(self, node: Node, first: str, rest: str) -> None:
        self.node = node
        self.first = first
        self.rest = rest


def branches(
    roots: Sequence[Node], children: Callable[[Node], Sequence[Node]], *, is_unicode: bool
) -> Iterator[Branch[Node]]:
    """Every node of the trees, parents first."""
    signs = _UNICODE if is_unicode else _ASCII

    def below(node: Node, first: str, rest: str) -> Iterator[Branch[Node]]:
        members = children(node)
        # Further lines of a node keep the line to its children going.
        yield Branch(node, first, rest + (signs[2] if members else ""))
        for place, child in enumerate(members, start=1):
            is_last = place == len(members)
            yield from below(child, rest + signs[is_last], rest + (_BLANK if is_last else signs[2]))

    for root in roots:
        yield from below(root, "", "")


def bar(used: int, whole: int, *, is_unicode: bool, width: int = 10) -> str:
    """A bar of `used` in `whole`; more than the whole is a full bar, and the percentage says how much."""
    if whole <= 0:
        filled = width if used > 0 else 0
    else:
        filled = min(width, max(0, (used * width * 2 + whole) // (2 * whole)))
        # Something is never drawn as nothing, and not everything is never drawn as everything.
        if used > 0:
            filled = max(1, filled)
        if used < whole:
            filled = min(width - 1, filled)
    on, off = ("█", "░") if is_unicode else ("#", ".")
    return on * filled + off * (width - filled)


def percent(used: int, whole: int) -> str:
    """A whole percentage, rounded down; "-" of nothing."""
    if whole <= 0:
        return "-" if used <= 0 else ">100%"
    return f"{max(0, used) * 100 // whole}%"
