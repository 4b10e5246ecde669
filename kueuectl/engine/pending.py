"""Workloads that wait: the order of each ClusterQueue, and the pool of those that need not be tried again yet.

Rules (docs: ClusterQueue, Queueing strategy; KEP-9694 for shapes; observed behaviour where they are silent):

1. Order: 1. in BestEffortFIFO, the workload that others were last preempted for: it stays in front, in the heap and in
   the pool, until it leaves the queue or somebody else takes its place (observed), 2. priority, 3. queue timestamp,
   4. uid, 5. key.
2. StrictFIFO puts every refused head back to its place, but one whose namespace does not match. BestEffortFIFO puts it
   back only after a failure that the next cycle may mend (lost the race, waits for its victims, flavors left to try);
   otherwise it goes to the inadmissible pool. So does any head whose backoff is not over, with both strategies: a Kueue
   that has just started tries such workloads once.
3. In BestEffortFIFO, a head that found no fit or no candidates takes all waiting workloads of its shape along to the
   pool, and later ones follow them there until the pool is woken.
4. Freed quota and changes of configuration wake the pools of a whole tree; a backoff that has not ended, or a namespace
   that does not match, keeps a workload in it.
5. A workload goes on with its search of flavors where its last attempt stopped. It starts over when, since that
   attempt, another workload was the head of its ClusterQueue, and quota of that ClusterQueue was taken or freed (its
   generation moved); either alone does not matter. With gate FlavorFungibilityPreserveScanProgress off, the quota alone
   is enough, and so are losing the race in a cycle and a new message (observed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kueuectl.engine.flavors.assignment import has_pending_flavors
from kueuectl.engine.heaps import ShapeHeap
from kueuectl.engine.infos import Info
from kueuectl.engine.reasons import Requeue
from kueuectl.engine.snapshot import QueueNode

_AT_ONCE = frozenset(
    {Requeue.FAILED_AFTER_NOMINATION, Requeue.PENDING_PREEMPTION, Requeue.PREEMPTION_FAILED, Requeue.PENDING_MIGRATION}
)
_STICKY = frozenset({Requeue.PENDING_PREEMPTION, Requeue.PENDING_MIGRATION})
_CLASS_WIDE = frozenset({Requeue.NO_FIT, Requeue.PREEMPTION_NO_CANDIDATES})


def comes_back_at_once(info: Info, reason: Requeue, *, strict: bool) -> bool:
    """Whether a refused head goes back to the heap (rule 2)."""
    if strict:
        return reason is not Requeue.NAMESPACE_MISMATCH
    return reason in _AT_ONCE or has_pending_flavors(info.last_tried)


class PendingQueue:
    """The waiting workloads of one ClusterQueue: `active` ones are in the heap, `inadmissible` ones in the pool."""

    __slots__ = (
        "active",
        "failed_shapes",
        "heap",
        "inadmissible",
        "keeps_progress",
        "queue",
        "sticky",
        "taken",
        "uses_shapes",
    )

    def __init__(self, queue: QueueNode, *, uses_shapes: bool, keeps_progress: bool = True) -> None:
        self.queue = queue
        self.uses_shapes = uses_shapes and not queue.is_strict
        self.heap = ShapeHeap(by_shape=self.uses_shapes)
        self.active: dict[str, Info] = {}
        self.inadmissible: dict[str, Info] = {}
        # Shapes that failed since the pool was last woken, with the workload that stood for them.
        self.failed_shapes: dict[object, Info] = {}
        self.sticky: str | None = None
        # The head that was taken out last.
        self.taken: Info | None = None
        self.keeps_progress = keeps_progress

    def push(self, info: Info) -> None:
        """Add to the heap."""
        self.active[info.key] = info
        self.heap.push(info)

    def add(self, info: Info) -> None:
        """Add a workload that is new in the queue: to the heap, or to the pool when its shape has failed (rule 3)."""
        if self.uses_shapes and info.shape in self.failed_shapes:
            self.inadmissible[info.key] = info
            self.heap.add_aside(info)
        else:
            self.push(info)

    def park(self, info: Info) -> None:
        """Put into the inadmissible pool."""
        self.inadmissible[info.key] = info

    def unpark(self, key: str) -> Info | None:
        """Take a workload out of the pool; None when it is not in there."""
        info = self.inadmissible.pop(key, None)
        if info is not None:
            self.heap.forget(info)
        return info

    def pop(self) -> Info | None:
        """Take the head out, or None when the heap is empty."""
        info = self.peek()
        return None if info is None else self._take(info)

    def _take(self, info: Info) -> Info:
        """Rule 5."""
        self._forget(info)
        generation = self.queue.generation
        if info.generation != generation and (info is not self.taken or not self.keeps_progress):
            info.last_tried = None
        self.taken = info
        info.generation = generation
        return info

    def peek(self) -> Info | None:
        """The head, left where it is; None when the heap is empty."""
        sticky = self.active.get(self.sticky) if self.sticky is not None else None
        return self.heap.first() if sticky is None else sticky

    def _forget(self, info: Info) -> None:
        del self.active[info.key]
        self.heap.forget(info)

    def remove(self, key: str) -> None:
        """Take a workload out of heap and pool; nothing happens when it is in neither."""
        info = self.active.get(key)
        if info is not None:
            self._forget(info)
        self.unpark(key)
        if self.sticky == key:
            self.sticky = None

    def requeue(self, info: Info, reason: Requeue, *, waits: bool = False) -> bool:
        """Put a refused head back; whether it went to the heap. `waits`: its backoff is not over."""
        if self.queue.is_strict:
            self.sticky = None
        elif reason in _STICKY:
            self.sticky = info.key
        if reason is Requeue.FAILED_AFTER_NOMINATION and not self.keeps_progress:
            info.last_tried = None
        if not waits and comes_back_at_once(info, reason, strict=self.queue.is_strict):
            self.push(info)
            return True
        self.inadmissible[info.key] = info
        if self.uses_shapes and reason in _CLASS_WIDE:
            self.failed_shapes[info.shape] = info
            for sibling in self.heap.set_aside(info):
                del self.active[sibling.key]
                self.inadmissible[sibling.key] = sibling
        return False

    def wake(self, may_return: Callable[[Info, QueueNode], bool]) -> int:
        """Move the pool back to the heap, but those that may not; how many moved."""
        if not self.inadmissible:
            return 0
        self.failed_shapes.clear()
        heap, queue = self.heap, self.queue
        back: dict[str, Info] = {}
        stay: dict[str, Info] = {}
        for key, info in self.inadmissible.items():
            if may_return(info, queue):
                back[key] = info
            else:
                stay[key] = info
                heap.forget(info)
        if heap.bring_back() < len(back):
            for info in back.values():
                if not heap.holds(info):
                    heap.push(info)
        self.active.update(back)
        self.inadmissible = stay
        return len(back)

    def ordered(self) -> Iterator[Info]:
        """Waiting workloads in queue order: the heap first, then the pool."""
        for waiting in (self.active, self.inadmissible):
            sticky = waiting.get(self.sticky) if self.sticky is not None else None
            if sticky is not None:
                yield sticky
            for info in sorted(waiting.values(), key=_order_key):
                if info is not sticky:
                    yield info

    def __len__(self) -> int:
        return len(self.active) + len(self.inadmissible)


def _order_key(info: Info) -> tuple[int, int, str, str]:
    return info.order_key
