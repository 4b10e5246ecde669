"""Waiting workloads in order, by scheduling shape, so that a whole shape can be set aside and brought back at once.

Each shape has a heap of its own, and a heap of shapes finds the first workload of all. What left is not searched for:
its entries are dropped when they come to the top. With thousands of equal workloads that are parked and woken again and
again, one heap for all of them takes five times as long.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from kueuectl.engine.infos import Info

_Key = tuple[int, int, str, str]


class Group:
    """The workloads of one shape."""

    __slots__ = ("heap", "is_aside", "members", "top")

    def __init__(self) -> None:
        self.members: dict[str, Info] = {}
        # The number keeps equal keys apart: a sticky head that comes back is in the heap twice.
        self.heap: list[tuple[_Key, int, Info]] = []
        self.is_aside = False
        # The key under which the heap of shapes knows it: never above that of its first workload.
        self.top: _Key | None = None

    def first(self) -> Info | None:
        """The first workload; None when there is none."""
        while self.heap:
            info = self.heap[0][2]
            if self.members.get(info.key) is info:
                return info
            heapq.heappop(self.heap)
        return None


class ShapeHeap:
    """Workloads that may be tried, and shapes that are set aside."""

    __slots__ = ("_aside", "_by_shape", "_groups", "_pushed", "_tops")

    def __init__(self, *, by_shape: bool) -> None:
        """Without `by_shape` all workloads are of one shape."""
        self._by_shape = by_shape
        self._groups: dict[object, Group] = {}
        self._aside: dict[object, Group] = {}
        self._tops: list[tuple[_Key, int, Group]] = []
        self._pushed = 0

    def push(self, info: Info) -> None:
        """Add a workload."""
        shape = info.shape if self._by_shape else None
        group = self._groups.get(shape)
        if group is None:
            group = self._groups[shape] = Group()
        self._push(group, info)
        if group.heap[0][2] is info:
            self._raise(group, info)

    def first(self) -> Info | None:
        """The first workload that is not set aside; it stays where it is."""
        while self._tops:
            key, _, group = self._tops[0]
            if group.top is not key:
                heapq.heappop(self._tops)
                continue
            info = None if group.is_aside else group.first()
            if info is None:
                group.top = None
                heapq.heappop(self._tops)
            elif info.order_key == key:
                return info
            else:
                group.top = info.order_key
                self._pushed += 1
                heapq.heapreplace(self._tops, (info.order_key, self._pushed, group))
        return None

    def forget(self, info: Info) -> None:
        """Take a workload out; nothing happens when it is not in here."""
        shape = info.shape if self._by_shape else None
        for groups in (self._groups, self._aside):
            group = groups.get(shape)
            if group is not None and group.members.get(info.key) is info:
                del group.members[info.key]
                if not group.members:
                    del groups[shape]

    def holds(self, info: Info) -> bool:
        """Whether the workload is in here and not set aside."""
        group = self._groups.get(info.shape if self._by_shape else None)
        return group is not None and group.members.get(info.key) is info

    def add_aside(self, info: Info) -> None:
        """Add a workload whose shape is set aside; nothing happens when it is not."""
        group = self._aside.get(info.shape)
        if group is not None:
            self._push(group, info)

    def set_aside(self, info: Info) -> Iterable[Info]:
        """Set all workloads of this one's shape aside, and it with them; returns the others that were not before."""
        group = self._groups.pop(info.shape, None) or Group()
        moved = list(group.members.values())
        group.is_aside = True
        before = self._aside.get(info.shape)
        if before is not None:
            for other in before.members.values():
                self._push(group, other)
        self._aside[info.shape] = group
        self._push(group, info)
        return moved

    def bring_back(self) -> int:
        """Bring all shapes back that are set aside; how many workloads these are."""
        moved = 0
        for shape, group in self._aside.items():
            moved += len(group.members)
            group.is_aside = False
            here = self._groups.get(shape)
            if here is not None:
                for info in here.members.values():
                    self._push(group, info)
                here.members = {}
            self._groups[shape] = group
            first = group.first()
            if first is not None:
                self._raise(group, first)
        self._aside = {}
        return moved

    def _push(self, group: Group, info: Info) -> None:
        group.members[info.key] = info
        self._pushed += 1
        heapq.heappush(group.heap, (info.order_key, self._pushed, info))

    def _raise(self, group: Group, first: Info) -> None:
        """Have the heap of shapes find the group's first workload."""
        if group.top is None or first.order_key < group.top:
            group.top = first.order_key
            self._pushed += 1
            heapq.heappush(self._tops, (first.order_key, self._pushed, group))
