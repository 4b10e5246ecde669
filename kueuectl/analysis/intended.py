"""What becomes of workloads, and of others, when fields of theirs are written: held, released, moved, ranked anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kueuectl.analysis import dry_run, edits, submit
from kueuectl.analysis.dry_run import DryRun
from kueuectl.analysis.dry_run_play import Holding, Outcome
from kueuectl.analysis.edits import Edit, Refused
from kueuectl.analysis.explanation import Explanation
from kueuectl.engine import workloads
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct

# To explain one workload takes an evaluation of its own.
MOST_EXPLAINED = 5


class Standing(Struct, frozen=True):
    """Where a workload ends: with quota, or at a position (from 1) in a ClusterQueue, or neither."""

    holding: Holding | None = None
    cluster_queue: str = ""
    position: int | None = None


class Outlook(Struct, frozen=True):
    """One workload that is written: where it ends without the change and with it, and why it has no quota then."""

    workload: str
    before: Standing
    after: Standing
    preempts: tuple[str, ...] = ()
    explanation: Explanation | None = None


class Preview(Struct, frozen=True):
    """The dry run of a change, with the outlook of each workload that is written.

    `holding` are those that hold quota at present, of the trees that were simulated.
    """

    result: DryRun
    outlooks: tuple[Outlook, ...]
    holding: frozenset[str] = frozenset()

    @property
    def displaced(self) -> tuple[str, ...]:
        """Others that lose their quota, for good or for a while."""
        own = {outlook.workload for outlook in self.outlooks}
        found = self.result.difference
        lost = {row.workload for row in found.lost} | {row.workload for row in found.restarted}
        return tuple(sorted((lost | set(found.preempted)) - own))


def changed(state: ClusterState, wanted: Iterable[Edit]) -> ClusterState:
    """The state with the fields written. The edits must be possible: workloads and classes that are there."""
    for edit in wanted:
        made = edits.apply(state, edit)
        assert not isinstance(made, Refused), edit
        state = made
    return state


def preview(
    state: ClusterState, settings: Settings, *, now: int, wanted: Sequence[Edit], explained: int = MOST_EXPLAINED
) -> Preview:
    """What comes of the edits; why they wait is worked out for the first `explained` workloads without quota."""
    after = changed(state, wanted)
    result = dry_run.compare(state, after, settings, now=now)
    keys = list(dict.fromkeys(edit.target.key for edit in wanted))
    waiting = [key for key in keys if key not in result.after.held and key in result.after.waiting][:explained]
    fates = submit.fates(after, settings, result.after, now=now, jobs=dict.fromkeys(waiting, ""))
    why = {fate.workload: fate.explanation for fate in fates}
    preempts: dict[str, list[str]] = {}
    for preemption in result.after.preemptions:
        preempts.setdefault(preemption.preemptor, []).append(preemption.workload)
    outlooks = tuple(
        Outlook(
            key, _standing(result.before, key), _standing(result.after, key), tuple(preempts.get(key, ())), why.get(key)
        )
        for key in keys
    )
    simulated = result.before.held.keys() | result.before.waiting.keys()
    holding = frozenset(
        key for key in simulated if key in state.workloads and workloads.holds_quota(state.workloads[key])
    )
    return Preview(result, outlooks, holding)


def _standing(end: Outcome, key: str) -> Standing:
    holding = end.held.get(key)
    if holding is not None:
        return Standing(holding, holding.cluster_queue)
    place = end.waiting.get(key)
    return Standing() if place is None else Standing(None, place.cluster_queue, place.position)
