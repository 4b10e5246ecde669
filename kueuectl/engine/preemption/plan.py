"""A preemption plan: what is asked for, and the victims."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kueuectl.engine import quota
from kueuectl.engine.infos import Info
from kueuectl.engine.quota import Node
from kueuectl.engine.snapshot import QueueNode

Amounts = tuple[tuple[int, int], ...]


class Demand(NamedTuple):
    """A workload that wants usage in a queue; `frs` are the flavor-resources that need preemption."""

    info: Info
    queue: QueueNode
    usage: Amounts
    frs: frozenset[int]


class Victim(NamedTuple):
    """A workload to preempt, and the reason that its Preempted condition gets."""

    info: Info
    reason: str


def fits(demand: Demand, *, borrowing: bool) -> bool:
    """Whether the demand fits now; without `borrowing`, only within the queue's nominal quota."""
    queue = demand.queue
    for fr, amount in demand.usage:
        if not borrowing and queue.usage[fr] + amount > queue.subtree[fr]:
            return False
        if amount and amount > quota.available(queue, fr):
            return False
    return True


def could_fit(demand: Demand, candidates: Iterable[list[Info]], *, borrowing: bool) -> bool:
    """Whether the demand would fit with all candidates gone: if not, no search can end well. A list is of one queue."""
    queue = demand.queue
    for fr, amount in demand.usage:
        if fr not in demand.frs:
            continue
        gone: list[tuple[Node, int]] = []
        for infos in candidates:
            holder = infos[0].queue
            assert holder is not None
            total = sum([info.amount_of.get(fr, 0) for info in infos])
            quota.remove_usage(holder, fr, total)
            gone.append((holder, total))
        enough = amount <= quota.available(queue, fr) and (borrowing or queue.usage[fr] + amount <= queue.subtree[fr])
        for node, total in reversed(gone):
            quota.add_usage(node, fr, total)
        if not enough:
            return False
    return True


def take_away(info: Info) -> None:
    """Try it without this workload: its usage is gone, it is still held. Inverse: `put_back`."""
    assert info.queue is not None
    quota.remove_all(info.queue, info.usage)


def put_back(info: Info) -> None:
    """Undo `take_away`."""
    assert info.queue is not None
    quota.add_all(info.queue, info.usage)


def restore(victims: list[Victim]) -> None:
    """Put all victims back."""
    for victim in victims:
        put_back(victim.info)


def spare(demand: Demand, victims: list[Victim], *, borrowing: bool) -> list[Victim]:
    """Put back victims that turn out not to be needed, in the reverse order of removal.

    The last one is needed, or the search would have stopped before it. All victims stay taken away or are put back as
    the returned list says. Rule: docs, Preemption, Targets: the set is minimised by going through it in reverse.
    """
    kept = list(victims)
    for index in range(len(kept) - 2, -1, -1):
        put_back(kept[index].info)
        if fits(demand, borrowing=borrowing):
            # Order of the rest does not matter any more: the last takes the place of the one that is spared.
            kept[index] = kept[-1]
            kept.pop()
        else:
            take_away(kept[index].info)
    return kept
