"""Why a workload was evicted the last time: by whom, under which rule."""

from __future__ import annotations

import re
from itertools import zip_longest

from kueuectl.analysis.explanation import Eviction
from kueuectl.engine import priority, shares, snapshot, workloads
from kueuectl.model import conditions
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Workload

# The parts of the message that Kueue writes into the Evicted and Preempted conditions.
_UID = re.compile(r"\(UID: ([^,)]*), JobUID: ([^)]*)\)")
_PATHS = re.compile(r"preemptor path: (\S+); preemptee path: (\S+)")
JOB_UID_LABEL = "kueue.x-k8s.io/job-uid"


def last_eviction(subject: Workload, state: ClusterState, settings: Settings) -> Eviction | None:
    """The last eviction that the conditions tell of, with the preemptor looked up by UID; None when there is none."""
    evicted = conditions.find(subject.conditions, workloads.EVICTED)
    if evicted is None:
        return None
    preempted = conditions.find(subject.conditions, workloads.PREEMPTED)
    is_preemption = evicted.reason == "Preempted" and preempted is not None
    text = preempted.message if is_preemption and preempted is not None else evicted.message
    uid, job_uid = _uids(text)
    preemptor = find_by_uid(state, uid, job_uid) if uid or job_uid else None
    paths = _PATHS.search(text)
    own = priority.effective(subject, state, settings)
    theirs_path = paths.group(1).rstrip(".;,") if paths else ""
    own_path = paths.group(2).rstrip(".;,") if paths else ""
    compared = _shares(state, settings, theirs_path, own_path)
    return Eviction(
        at=evicted.last_transition,
        reason=evicted.reason,
        preemption_reason=preempted.reason if is_preemption and preempted is not None else "",
        message=evicted.message,
        preemptor=preemptor.key if preemptor is not None else "",
        preemptor_uid=uid,
        preemptor_priority=priority.effective(preemptor, state, settings) if preemptor is not None else None,
        own_priority=own,
        preemptor_path=theirs_path,
        own_path=own_path,
        preemptor_share=compared[0],
        own_share=compared[1],
    )


def _shares(
    state: ClusterState, settings: Settings, preemptor: str, preemptee: str
) -> tuple[tuple[str, float] | None, tuple[str, float] | None]:
    """The shares now of the two nodes right below the lowest common ancestor; None without fair sharing or a tree."""
    ours, theirs = preemptee.strip("/").split("/"), preemptor.strip("/").split("/")
    queue = state.cluster_queues.get(ours[-1])
    if settings.fair_sharing is None or queue is None or ours[0] != theirs[0] or ours == theirs:
        return None, None
    depth = next(i for i, (a, b) in enumerate(zip_longest(ours, theirs)) if a != b)
    built = snapshot.build(state, settings, roots={snapshot.root_of(state, queue)})
    tree = built.trees[0]
    found = []
    for path in (theirs, ours):
        name = path[depth] if depth < len(path) else ""
        node = built.queues.get(name) if depth == len(path) - 1 else built.cohorts.get(name)
        share = None if node is None else shares.share(node, tree.resource_of, tree.resources).precise
        found.append(None if share is None else (name, share))
    return found[0], found[1]


def _uids(text: str) -> tuple[str, str]:
    found = _UID.search(text)
    if found is None:
        return "", ""
    return tuple("" if part.strip() == "UNKNOWN" else part.strip() for part in found.groups())  # type: ignore[return-value]


def find_by_uid(state: ClusterState, uid: str, job_uid: str) -> Workload | None:
    """The workload with that UID, or that belongs to the job with that UID."""
    for other in state.workloads.values():
        if uid and other.uid == uid:
            return other
    for other in state.workloads.values():
        if job_uid and (JOB_UID_LABEL, job_uid) in other.labels:
            return other
    return None
