"""What becomes of workloads that are submitted: quota, place in the queue, whom they preempt, why they wait."""

from __future__ import annotations

from collections.abc import Mapping

from kueuectl.analysis import explain
from kueuectl.analysis.dry_run_play import Holding, Outcome, Place, Preemption
from kueuectl.analysis.explanation import Explanation
from kueuectl.engine.entries import Entry
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct


class Fate(Struct, frozen=True):
    """One submitted workload and the job that it is of. `explanation` tells why it has no quota at the end."""

    workload: str
    job: str
    holding: Holding | None
    place: Place | None
    preempts: tuple[Preemption, ...] = ()
    evicted_by: Preemption | None = None
    explanation: Explanation | None = None
    entry: Entry | None = None

    @property
    def is_admitted(self) -> bool:
        """Whether it has its quota and waits for no admission check."""
        return self.holding is not None and not self.holding.is_reserved


def fates(
    state: ClusterState, settings: Settings, outcome: Outcome, *, now: int, jobs: Mapping[str, str]
) -> tuple[Fate, ...]:
    """The fates of submitted workloads, by key with the names of their jobs, in the end of the changed state."""
    by: dict[str, list[Preemption]] = {}
    for preemption in outcome.preemptions:
        by.setdefault(preemption.preemptor, []).append(preemption)
    last = {preemption.workload: preemption for preemption in outcome.preemptions}
    found = []
    for key, job in jobs.items():
        holding = outcome.held.get(key)
        explanation, entry = None, None
        if holding is None:
            explanation, entry = explain.workload(state, settings, now=now, key=key, with_proposals=False)
        found.append(
            Fate(
                workload=key,
                job=job,
                holding=holding,
                place=outcome.waiting.get(key),
                preempts=tuple(by.get(key, ())),
                evicted_by=None if holding is not None else last.get(key),
                explanation=explanation,
                entry=entry,
            )
        )
    return tuple(found)
