"""Changes of preemption policies, as functions from state to state; see changes."""

from __future__ import annotations

from collections.abc import Iterator

from kueuectl.analysis.changes import Change, Made
from kueuectl.analysis.explanation import ChangeKind, Explanation, Ref
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace

# Before other changes of policy: it gives the queue no more than it owns.
_COST = 75
_WIDER = {"Never": ("LowerPriority", "Any"), "LowerPriority": ("Any",)}


def reclaim(state: ClusterState, explanation: Explanation) -> Iterator[Change]:
    """Let its ClusterQueue take back what others borrowed; only where its own quota would be enough."""
    queue = state.cluster_queues.get(explanation.queue.cluster_queue)
    if queue is None or not _owns_enough(explanation):
        return
    before = queue.preemption.reclaim_within_cohort or "Never"
    for after in _WIDER.get(before, ()):

        def make(state: ClusterState, settings: Settings, after: str = after) -> Made:
            changed = state.cluster_queues[queue.name]
            policy = replace(changed.preemption, reclaim_within_cohort=after)
            queues = {**state.cluster_queues, queue.name: replace(changed, preemption=policy)}
            return replace(state, cluster_queues=queues), settings

        yield Change(ChangeKind.RECLAIM, Ref("ClusterQueue", queue.name), make, _COST, "", before, after)


def _owns_enough(explanation: Explanation) -> bool:
    """Whether some flavor would fit within the nominal quota of the queue, if others had not borrowed it."""
    return any(
        all(row.used + row.requested <= row.nominal for row in short)
        for pod_set in explanation.pod_sets
        for flavor in pod_set.flavors
        for short in [[row for row in flavor.resources if row.missing]]
        if short and flavor.out == "quota"
    )
