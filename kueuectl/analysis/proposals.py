"""What would admit a workload: single changes, each tried by running the engine with it.

A proposal that does not lead to quota (FITS, PREEMPTING) is thrown away. The order is that of cost: changes that touch
only the workload or wait for another first, then quota, then policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kueuectl.analysis import changes, evaluate, policy_changes
from kueuectl.analysis.changes import Change
from kueuectl.analysis.explanation import Code, Explanation, Proposal, Verdict
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState


class Proof(NamedTuple):
    """What the engine said of a changed state; `effort` is what that cost, in heads looked at."""

    verdict: Verdict
    victims: tuple[str, ...] = ()
    effort: int = 0


Prove = Callable[[ClusterState, Settings, str], Proof]

# How often the engine is asked at most for one explanation, and how many answers a reader wants.
MAX_TRIES = 40
MAX_PROPOSALS = 6
# No more tries once the engine has looked at so many heads: under a second also on a full cluster.
MAX_EFFORT = 1500

_GOOD = frozenset({Code.FITS, Code.PREEMPTING, Code.ADMITTED, Code.CHECKS})
_SHORT = frozenset({Code.QUOTA, Code.BORROW_LIMIT, Code.LEND_LIMIT, Code.NO_VICTIMS, Code.NEVER_FITS, Code.CONTENDED})


class _Tried(NamedTuple):
    change: Change
    verdict: Verdict
    victims: tuple[str, ...]


class _Experiments:
    """The budget of tries."""

    def __init__(self, state: ClusterState, settings: Settings, key: str, prove: Prove) -> None:
        self.state = evaluate.reduced(state, key)
        self.settings = settings
        self.key = key
        self.prove = prove
        self.left = MAX_TRIES
        self.effort = 0

    def run(self, change: Change) -> _Tried | None:
        """The outcome of one change; None when it does not help, or the budget is used up."""
        if self.left <= 0 or self.effort > MAX_EFFORT:
            return None
        self.left -= 1
        made = change.make(self.state, self.settings)
        if made is None:
            return None
        proof = self.prove(*made, self.key)
        self.effort += proof.effort
        return _Tried(change, proof.verdict, proof.victims) if proof.verdict.code in _GOOD else None


def find(state: ClusterState, settings: Settings, explanation: Explanation, *, prove: Prove) -> tuple[Proposal, ...]:
    """Proven proposals, the cheapest first; empty when the workload needs none or nothing single helps."""
    experiments = _Experiments(state, settings, explanation.object.key, prove)
    found: list[Proposal] = []
    for family in _families(experiments, explanation):
        for change in family:
            tried = experiments.run(change)
            if tried is not None:
                found.append(_proposal(tried, experiments.state))
                if not change.tries_more:
                    break
    found.sort(key=lambda proposal: (proposal.cost, proposal.kind, proposal.target.key, proposal.after))
    return tuple(found[:MAX_PROPOSALS])


def _proposal(tried: _Tried, state: ClusterState) -> Proposal:
    change = tried.change
    preempts = tried.verdict.code is Code.PREEMPTING
    return Proposal(
        kind=change.kind,
        target=change.target,
        verdict=tried.verdict.code,
        what=change.what,
        before=change.before,
        after=change.after,
        cost=change.cost + (50 if preempts else 0),
        victims=tried.victims if preempts else (),
        newcomers=tuple(key for key in tried.victims if preempts and state.workloads[key].admission is None),
    )


def _families(experiments: _Experiments, explanation: Explanation) -> Iterator[Iterator[Change]]:
    """Changes worth trying, in families: within one, usually the first that helps ends it."""
    state, settings, key = experiments.state, experiments.settings, experiments.key
    code = explanation.verdict.code
    if code is Code.HELD:
        yield changes.activate(state, key)
    elif code is Code.NO_QUEUE:
        yield changes.resume(state, key)
        yield changes.other_queues(state, key)
    elif code is Code.NAMESPACE_DENIED:
        yield changes.namespace_labels(state, key)
        yield changes.other_queues(state, key)
    elif code is Code.BEHIND_HEAD:
        yield changes.set_aside(state, explanation.verdict.behind)
        yield changes.before_head(state, settings, key, explanation.verdict.behind)
        yield changes.best_effort(state, key)
        yield changes.other_queues(state, key)
    elif code is Code.UNCOVERED_RESOURCE:
        yield changes.exclude(explanation.uncovered)
        yield changes.ignore_undeclared()
        yield changes.cover(state, key, explanation)
        yield changes.other_queues(state, key)
    elif code is Code.NO_FLAVOR:
        yield changes.tolerate(state, key, explanation)
        yield changes.without_selector(state, key)
        yield changes.other_queues(state, key)
    elif code in _SHORT:
        # Those with one try first: the budget may end before the families with many.
        yield policy_changes.reclaim(state, explanation)
        yield changes.more_nominal(state, key, explanation)
        yield changes.more_borrowing(state, explanation)
        yield changes.more_lending(state, explanation)
        yield changes.other_queues(state, key)
        yield changes.higher_priority(state, key, explanation)
        yield changes.fewer_pods(state, key, experiments.run)
        yield changes.finishing(state, explanation)
