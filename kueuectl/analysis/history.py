"""Why a workload was evicted the last time: by whom, under which rule."""

from __future__ import annotations

import re

from kueuectl.analysis.explanation import Eviction
from kueuectl.engine import priority, workloads
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
    return Eviction(
        at=evicted.last_transition,
        reason=evicted.reason,
        preemption_reason=preempted.reason if is_preemption and preempted is not None else "",
        message=evicted.message,
        preemptor=preemptor.key if preemptor is not None else "",
        preemptor_uid=uid,
        preemptor_priority=priority.effective(preemptor, state, settings) if preemptor is not None else None,
        own_priority=own,
        preemptor_path=paths.group(1).rstrip(".;,") if paths else "",
        own_path=paths.group(2).rstrip(".;,") if paths else "",
    )


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
