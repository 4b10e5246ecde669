"""The story of a ClusterQueue, a LocalQueue or a cohort: does it take work, what waits in it, what holds that up."""

from __future__ import annotations

from kueuectl.analysis import explain
from kueuectl.analysis.explanation import Code, Explanation, Ref, Verdict
from kueuectl.engine import activeness, quota, reconcile, snapshot
from kueuectl.engine.infos import Info
from kueuectl.engine.nominate import Nominator
from kueuectl.engine.pools import Pools
from kueuectl.engine.reasons import Mode
from kueuectl.engine.snapshot import QueueNode
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct

# How many workloads behind a blocked head are tried on their own.
_MOST_BEHIND = 200


class QuotaRow(Struct, frozen=True):
    """One flavor-resource of a node; amounts. `borrowed` is what it uses above its own quota."""

    flavor: str
    resource: str
    nominal: int
    used: int
    borrowed: int
    available: int
    maximum: int


class QueueExplanation(Struct, frozen=True):
    """A queue or cohort with its verdict (ACTIVE, INACTIVE, STOPPED) and what stands in the way of its work.

    `head` explains the first waiting workload, None when nothing waits. `would_fit` are workloads behind a blocked
    StrictFIFO head that would fit now; `withheld` counts what was tried for that.
    """

    object: Ref
    verdict: Verdict
    reason: str = ""
    message: str = ""
    strategy: str = ""
    cluster_queue: str = ""
    cohort_path: tuple[str, ...] = ()
    quota: tuple[QuotaRow, ...] = ()
    waiting: int = 0
    parked: int = 0
    holding: int = 0
    head: Explanation | None = None
    would_fit: tuple[str, ...] = ()
    tried_behind: int = 0
    members: tuple[Ref, ...] = ()
    local_queues: tuple[str, ...] = ()


def cluster_queue(state: ClusterState, settings: Settings, *, now: int, name: str) -> QueueExplanation:
    """The explanation of a ClusterQueue, which must exist."""
    state = reconcile.settled(state, now)
    spec = state.cluster_queues[name]
    status = activeness.cluster_queue(spec, state, settings)
    built = snapshot.build(state, settings, roots={snapshot.root_of(state, spec)})
    node = built.queues[name]
    pools = Pools(built, now=now, honours_backoff=True)
    pool = pools.queues[name]
    head_info = pool.peek()
    head = None
    behind: tuple[tuple[str, ...], int] = ((), 0)
    if head_info is not None:
        head, _ = explain.workload(state, settings, now=now, key=head_info.key, with_proposals=False)
        if node.is_strict and status.active:
            behind = _fitting_behind(Nominator(built), list(pool.ordered()), head_info, node)
    return QueueExplanation(
        object=Ref("ClusterQueue", name),
        verdict=Verdict(_code(active=status.active, stopped=activeness.is_stopped(spec))),
        reason=status.reason,
        message=status.message,
        strategy=spec.queueing_strategy,
        cluster_queue=name,
        cohort_path=tuple(cohort.name for cohort in node.path),
        quota=rows(node, node.tree),
        waiting=len(pool.active),
        parked=len(pool.inadmissible),
        holding=len(node.held),
        head=head,
        would_fit=behind[0],
        tried_behind=behind[1],
        local_queues=tuple(sorted(lq.key for lq in state.local_queues.values() if lq.cluster_queue == name)),
    )


def _code(*, active: bool, stopped: bool) -> Code:
    if stopped:
        return Code.STOPPED
    return Code.ACTIVE if active else Code.INACTIVE


def _fitting_behind(
    nominator: Nominator, waiting: list[Info], head: Info, node: QueueNode
) -> tuple[tuple[str, ...], int]:
    """Workloads behind the head that would fit now, if the head itself does not."""
    if nominator.nominate(head, node).mode is Mode.FIT:
        return (), 0
    behind = [info for info in waiting if info is not head][:_MOST_BEHIND]
    fitting = [info.key for info in behind if nominator.nominate(info, node).mode is Mode.FIT]
    return tuple(fitting), len(behind)


def local_queue(state: ClusterState, settings: Settings, *, now: int, key: str) -> QueueExplanation:
    """The explanation of a LocalQueue, which must exist."""
    local = state.local_queues[key]
    status = activeness.local_queue(local, state, settings)
    target = state.cluster_queues.get(local.cluster_queue)
    verdict = Verdict(_code(active=status.active, stopped=activeness.is_stopped(local)))
    ref = Ref("LocalQueue", local.name, local.namespace)
    if target is None:
        return QueueExplanation(ref, verdict, status.reason, status.message, cluster_queue=local.cluster_queue)
    whole = cluster_queue(state, settings, now=now, name=target.name)
    built = snapshot.build(state, settings, roots={snapshot.root_of(state, target)})
    pools = Pools(built, now=now, honours_backoff=True)
    pool = pools.queues[target.name]
    own = [info for info in pool.ordered() if f"{info.workload.namespace}/{info.workload.queue_name}" == key]
    first = next((info for info in own if info.key in pool.active), None)
    head = None
    if first is not None:
        head, _ = explain.workload(state, settings, now=now, key=first.key, with_proposals=False)
    return QueueExplanation(
        object=ref,
        verdict=verdict,
        reason=status.reason,
        message=status.message,
        strategy=whole.strategy,
        cluster_queue=target.name,
        cohort_path=whole.cohort_path,
        quota=whole.quota,
        waiting=sum(info.key in pool.active for info in own),
        parked=sum(info.key in pool.inadmissible for info in own),
        holding=sum(
            f"{info.workload.namespace}/{info.workload.queue_name}" == key
            for info in built.queues[target.name].held.values()
        ),
        head=head,
    )


def cohort(state: ClusterState, settings: Settings, *, name: str) -> QueueExplanation:
    """The explanation of a cohort, which must be named by somebody."""
    found = snapshot.build(state, settings, roots={snapshot.root_of_cohort(state, name)})
    node = found.cohorts[name]
    tree = next(tree for tree in found.trees if name in tree.cohorts)
    members = (
        *(Ref("Cohort", child.name) for child in node.children),
        *(Ref("ClusterQueue", queue.name) for queue in node.queues),
    )
    return QueueExplanation(
        object=Ref("Cohort", name),
        verdict=Verdict(Code.ACTIVE),
        cohort_path=tuple(above.name for above in node.path),
        quota=rows(node, tree),
        holding=_held_below(node),
        members=members,
    )


def _held_below(node: quota.Node) -> int:
    total = 0
    for queue in node.queues:
        assert isinstance(queue, QueueNode)
        total += len(queue.held)
    return total + sum(_held_below(child) for child in node.children)


def rows(node: quota.Node, tree: snapshot.Tree) -> tuple[QuotaRow, ...]:
    """The quota of a node, by flavor and resource; the quota of a cohort includes what its members lend it."""
    return tuple(
        QuotaRow(
            flavor=tree.frs[fr][0],
            resource=tree.frs[fr][1],
            nominal=node.subtree[fr],
            used=node.usage[fr],
            borrowed=max(0, node.usage[fr] - node.subtree[fr]),
            available=quota.available(node, fr),
            maximum=node.potential[fr],
        )
        for fr in node.defined
    )
