"""Cases in the shape of the oracle's input, as what the engine takes: state, settings, now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kueuectl import times
from kueuectl.model.queues import ClusterQueue
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from tests.conformance.case import DEFAULT_NOW, Case


@dataclass(frozen=True)
class Scene:
    """What a simulation starts from."""

    state: ClusterState
    settings: Settings
    now: int


def read(doc: dict[str, Any], *, strict: bool = True) -> Scene:
    """The scene of a case. Objects are let in as they are; `strict` fills in the API's preemption policies."""
    case = Case(
        suite="",
        id=doc["id"],
        name=doc.get("name", ""),
        now=times.parse(doc.get("now") or DEFAULT_NOW),
        given=doc.get("given") or {},
        objects=doc.get("objects") or [],
        expect=doc.get("expect") or {},
    )
    state = case.state()
    if strict:
        queues = {name: _with_defaults(queue) for name, queue in state.cluster_queues.items()}
        state = replace(state, cluster_queues=queues)
    return Scene(state, case.settings(), case.now)


def _with_defaults(queue: ClusterQueue) -> ClusterQueue:
    policy = queue.preemption
    filled = replace(
        policy,
        within_cluster_queue=policy.within_cluster_queue or "Never",
        reclaim_within_cohort=policy.reclaim_within_cohort or "Never",
        borrow_within_cohort=policy.borrow_within_cohort or "Never",
    )
    return replace(queue, preemption=filled)
