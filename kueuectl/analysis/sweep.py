"""Many variants of a state, each run to its end: what comes of each, in numbers that can be compared.

All variants are measured over the same trees: those that any of them touches.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from kueuectl.analysis import dry_run, dry_run_play, dry_run_trees, preempt
from kueuectl.analysis.dry_run_play import EndKind, NodeFact, Outcome, Readers
from kueuectl.engine import workloads
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct

ALL = frozenset({""})


class Row(Struct, frozen=True):
    """What comes of one variant.

    admitted and waiting count workloads at the end; preemptions and evicted what happens on the way (evicted: of those
    that hold quota at present). waiting_gpus: GPUs that waiting workloads ask for. spread: the largest difference
    between the shares of siblings that wait or borrow, in thousandths (infinite with weight 0); 0 is fair. end:
    fixpoint, loop or limit.
    """

    admitted: int
    preemptions: int
    evicted: int
    gpu_hours_lost: float
    waiting: int
    waiting_gpus: int
    spread: float
    end: str
    rounds: int


def touched(before: ClusterState, after: ClusterState) -> frozenset[str]:
    """Names of everything in the trees that a variant touches, for `measure`."""
    chosen = dry_run_trees.parts([before, after], touched=dry_run_trees.touched_by(before, after))
    return dry_run_trees.names(chosen)


def measure(
    base: ClusterState,
    variant: ClusterState,
    settings: Settings,
    *,
    now: int,
    names: frozenset[str],
    max_rounds: int | None,
    readers: Readers,
) -> Row:
    """The end of a variant over the named trees (ALL: over all of them). `readers` are those of the base."""
    state = dry_run.controlled(variant, now)
    chosen = dry_run_trees.parts([base, state], touched=None if names == ALL else names)
    outcome = Outcome()
    reader = readers.of(state, settings)
    for part in dry_run_trees.cut(state, chosen):
        outcome.add(dry_run_play.play(part, settings, now=now, max_rounds=max_rounds, reader=reader).end)
    return _row(base, settings, outcome, now=now)


def _row(base: ClusterState, settings: Settings, outcome: Outcome, *, now: int) -> Row:
    gone = [base.workloads[key] for key in outcome.evictions if key in base.workloads]
    held = [workload for workload in gone if workloads.holds_quota(workload)]
    losses = [preempt.loss_of(base, settings, workload, now=now) for workload in held]
    kinds = {ended.kind for ended in outcome.endings}
    end = next((kind for kind in (EndKind.LIMIT, EndKind.LOOP) if kind in kinds), EndKind.FIXPOINT)
    return Row(
        admitted=len(outcome.held),
        preemptions=len(outcome.preemptions),
        evicted=len(held),
        gpu_hours_lost=sum(loss.gpu_hours or 0.0 for loss in losses),
        waiting=len(outcome.waiting),
        waiting_gpus=sum(amount for resource, amount in outcome.asked.items() if preempt.is_gpu(resource)),
        spread=spread(outcome),
        end=str(end),
        rounds=max((ended.rounds for ended in outcome.endings), default=0),
    )


def spread(outcome: Outcome) -> float:
    """The largest difference between the shares of two siblings that want something: they wait, borrow, or both."""
    waiting = {place.cluster_queue for place in outcome.waiting.values()}
    wanting = {name for kind, name in outcome.nodes if kind == "ClusterQueue" and name in waiting}
    siblings: dict[str, list[NodeFact]] = {}
    for node in outcome.nodes.values():
        if node.parent:
            siblings.setdefault(node.parent, []).append(node)
    above = _above(outcome, wanting)
    best = 0.0
    for members in siblings.values():
        shares = [m.share.precise for m in members if m.name in wanting or m.name in above or m.share.ratio]
        if len(shares) > 1:
            low, high = min(shares), max(shares)
            best = max(
                best, math.inf if math.isinf(high) and not math.isinf(low) else high - low if high > low else 0.0
            )
    return best


def _above(outcome: Outcome, wanting: Iterable[str]) -> set[str]:
    """Cohorts below which somebody waits."""
    found: set[str] = set()
    for name in wanting:
        parent = outcome.nodes["ClusterQueue", name].parent
        while parent and parent not in found:
            found.add(parent)
            node = outcome.nodes.get(("Cohort", parent))
            parent = node.parent if node is not None else ""
    return found
