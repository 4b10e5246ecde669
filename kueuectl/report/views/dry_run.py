"""A dry run for people: what is changed, what comes of it on one screen, then the details."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kueuectl import quantity
from kueuectl.analysis.difference import Changed, Difference, Gained, Lost, Moved, Why
from kueuectl.analysis.drain import Drained
from kueuectl.analysis.dry_run import DryRun
from kueuectl.analysis.dry_run_changes import ObjectChange
from kueuectl.analysis.dry_run_play import EndKind, NodeFact, QuotaFact
from kueuectl.analysis.edits_delete import Note
from kueuectl.analysis.preempt import Loss
from kueuectl.analysis.submit import Fate
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.report import narrate, sentences
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import dry_run_words as words
from kueuectl.report.views import unmodelled

Block = str | Table
# More rows only with -o wide.
_MOST_ROWS = 15
_MOST_LINES = 12
_WHY = {
    Why.PREEMPTED: "PREEMPTED",
    Why.EVICTED: "EVICTED",
    Why.DEACTIVATED: "DEACTIVATED",
    Why.DELETED: "DELETED",
    Why.REPLACED: "REPLACED",
    Why.NOT_ADMITTED: "NOTADMITTED",
}


class Story(NamedTuple):
    """All that is told: the result, what was changed, and what is known about that."""

    result: DryRun
    changes: tuple[ObjectChange, ...] = ()
    notes: tuple[Note, ...] = ()
    fates: tuple[Fate, ...] = ()
    drained: Drained | None = None
    # Held quota at present; of the state before, in the trees that were simulated.
    holding: frozenset[str] = frozenset()


def blocks(story: Story, *, now: int, wide: bool = False) -> Iterator[Block]:
    """The whole answer."""
    yield from _head(story)
    yield from _fates(story.fates, now=now)
    yield from _drained(story.drained)
    yield from _effects(story.result, wide=wide)
    yield from _stays(story.result, wide=wide)
    yield from _nodes(story.result, wide=wide)
    yield from _positions(story.result, wide=wide)
    yield from _elsewhere(story.result, wide=wide)


def _head(story: Story) -> Iterator[Block]:
    result = story.result
    lines = [line for change in story.changes for line in words.change(change)]
    if result.is_change:
        yield "Change:"
        for line in lines[:_MOST_LINES] or ["nothing"]:
            yield f"  {line}"
        if len(lines) > _MOST_LINES:
            yield f"  and {len(lines) - _MOST_LINES} more"
        yield f"Because of it: {words.summary(result)}."
        yield from filter(None, [_anyway(story)])
    else:
        yield f"From now on: {words.summary(result)}."
    for switched in result.difference.switched:
        yield words.switched(switched)
    for ended in result.after.endings:
        if ended.kind is not EndKind.FIXPOINT:
            yield words.ended(ended)
    if result.after.is_settled:
        yield words.settled(result)
    yield from words.ties(result.after.ties)
    if result.is_change and not result.before.is_settled:
        yield "Without the change it does not come to rest either, so that the comparison is with one of its states."
    if result.is_change and result.elsewhere:
        yield f"{len(result.elsewhere)} workloads may end elsewhere: that depends on when pools are woken, see below."
    for note in story.notes:
        yield words.note(note)


def _anyway(story: Story) -> str:
    before = story.result.before.held.keys()
    return words.anyway(story.result, len(story.holding), len(before - story.holding), len(story.holding - before))


def _fates(fates: Sequence[Fate], *, now: int) -> Iterator[Block]:
    if not fates:
        return
    yield ""
    yield "Submitted:"
    for fate in fates:
        yield f"  {fate.job}: {_fate(fate, now=now)}"
        if fate.preempts:
            names = words.listed(tuple(f"{p.workload} ({p.reason})" for p in fate.preempts))
            yield f"    preempts {names}"


def _fate(fate: Fate, *, now: int) -> str:
    if fate.holding is not None:
        word = "QUOTARESERVED" if fate.holding.is_reserved else "ADMITTED"
        pods = ", ".join(f"{name} {count}" for name, count in fate.holding.counts)
        return f"{word} in {fate.holding.cluster_queue} on {words.flavors(fate.holding)} (pods: {pods})"
    if fate.explanation is None:
        return "PENDING"
    found = fate.explanation
    place = "" if fate.place is None else f" Position {fate.place.position} in {fate.place.cluster_queue}."
    evicted = "" if fate.evicted_by is None else f" It is preempted again by {fate.evicted_by.preemptor}."
    return f"{found.verdict.code}: {sentences.verdict(found, now=now)}{place}{evicted}"


def _drained(found: Drained | None) -> Iterator[Block]:
    if found is None:
        return
    yield ""
    yield f"Nodes that go: {words.listed(found.nodes)}"
    if found.capacity:
        columns = (
            Column("FLAVOR"),
            Column("RESOURCE"),
            Column("QUOTA", right=True),
            Column("USED", right=True),
            Column("CAPACITY", right=True),
            Column("QUOTA ABOVE IT", right=True),
        )
        rows = []
        for row in found.capacity:
            amounts = [quantity.format_amount(row.resource, n) for n in (row.quota, row.used, row.before, row.after)]
            excess = quantity.format_amount(row.resource, row.excess) if row.excess else ""
            capacity = f"{amounts[2]} {words.ARROW} {amounts[3]}"
            rows.append((row.flavor, row.resource, amounts[0], amounts[1], capacity, excess))
        yield Table(columns, rows)
        if found.is_shared:
            yield "Several flavors match the same nodes: each of them counts the whole capacity."
    else:
        yield "No flavor matches them by its node labels."
    yield from _pods(found)


def _pods(found: Drained) -> Iterator[str]:
    yield (
        "Kueue counts quota, not nodes: no decision changes by that. Pods that are evicted there wait for "
        "kube-scheduler to find them another node."
    )
    if found.running:
        names = tuple(f"{key or 'pods without workload'} ({count})" for key, count in found.running)
        yield f"Pods there: {words.listed(names)}"
    elif found.knows_pods:
        yield "No pods of workloads run there."
    else:
        yield "Which pods run there is not known: the state does not say where pods run."
    if found.placed:
        yield f"Placed there by topology: {words.listed(found.placed)}"
    if found.topologies:
        lost = ", ".join(found.topologies)
        yield f"Topologies that lose domains ({lost}): where pods fit after that is not computed."


def _effects(result: DryRun, *, wide: bool) -> Iterator[Block]:
    rows = effect_rows(result.difference)
    if not rows:
        return
    columns = (
        Column("EFFECT", is_state=True),
        Column("WORKLOAD"),
        Column("CLUSTERQUEUE"),
        Column("FLAVORS"),
        Column("BY"),
        Column("REASON", is_prose=True),
        Column("GPU-HOURS LOST", right=True),
    )
    yield ""
    yield "Workloads:"
    yield from _limited(columns, rows, wide=wide)


def effect_rows(found: Difference) -> list[tuple[str, ...]]:
    """One row for each workload that is affected, the worst first."""
    rows: list[tuple[str, ...]] = [
        (
            _WHY[lost.why],
            lost.workload,
            lost.holding.cluster_queue,
            words.flavors(lost.holding),
            lost.by,
            _reason(lost),
            _hours(lost.loss),
        )
        for lost in sorted(found.lost, key=lambda lost: (tuple(Why).index(lost.why), lost.workload))
    ]
    for again in found.restarted:
        text = f"{again.reason}; comes back"
        rows.append(("RESTARTED", again.workload, again.cluster_queue, "", again.by, text, _hours(again.loss)))
    for moved in found.moved:
        change = f"{words.flavors(moved.before)} {words.ARROW} {words.flavors(moved.after)}"
        if moved.before.flavors == moved.after.flavors:
            change = words.flavors(moved.after)
        by = moved.preemption.preemptor if moved.preemption is not None else ""
        rows.append(("MOVED", moved.workload, moved.after.cluster_queue, change, by, _moved(moved), ""))
    for gained in found.gained:
        word = "QUOTARESERVED" if gained.holding.is_reserved else "ADMITTED"
        holding = gained.holding
        flavors = words.flavors(holding)
        rows.append((word, gained.workload, holding.cluster_queue, flavors, "", _terms(gained), ""))
    return rows


def _terms(gained: Gained) -> str:
    """What is special about a workload that gets quota."""
    parts = [f"{gained.pods} of {gained.asked} pods"] if gained.pods < gained.asked else []
    if gained.needs_placement:
        parts.append("if its topology has room, which is not looked at")
    return ", ".join(parts)


def _moved(moved: Moved) -> str:
    before, after = moved.before, moved.after
    parts = []
    if before.cluster_queue != after.cluster_queue:
        parts.append(f"from {before.cluster_queue}")
    if before.counts != after.counts:
        one, other = (sum(count for _, count in held.counts) for held in (before, after))
        parts.append(f"{one} {words.ARROW} {other} pods")
    if before.is_reserved != after.is_reserved:
        parts.append("waits for checks" if after.is_reserved else "checks passed")
    return ", ".join(parts)


def _reason(lost: Lost) -> str:
    if lost.why is Why.NOT_ADMITTED and not lost.reason:
        return narrate.entry(lost.entry) if lost.entry is not None else ""
    return lost.reason


def _hours(loss: Loss | None) -> str:
    if loss is None or loss.gpu_hours is None or not loss.gpus:
        return ""
    return f"{loss.gpu_hours:.1f}"


def _limited(columns: tuple[Column, ...], rows: Sequence[tuple[str, ...]], *, wide: bool) -> Iterator[Block]:
    """A table without the columns that are empty in it; its first rows unless `wide`."""
    kept = [number for number, _ in enumerate(columns) if any(row[number] for row in rows)]
    shown = rows if wide else rows[:_MOST_ROWS]
    yield Table(tuple(columns[number] for number in kept), [tuple(row[number] for number in kept) for row in shown])
    if len(shown) < len(rows):
        yield f"... and {len(rows) - len(shown)} more (-o wide shows all)"


def _stays(result: DryRun, *, wide: bool) -> Iterator[Block]:
    """Usage above quota that the change makes, or makes larger."""
    found = result.difference.stays if wide else [row for row in result.difference.stays if row.by_change]
    if not result.is_change or not found:
        return
    columns = (
        Column("NODE"),
        Column("FLAVOR"),
        Column("RESOURCE"),
        Column("QUOTA", right=True),
        Column("USED", right=True),
        Column("ABOVE", right=True),
        Column("BEFORE", right=True),
        Column("WHO", is_prose=True),
        Column("FIRST TO GO", is_prose=True),
    )
    rows = []
    for row in found:
        amounts = [quantity.format_amount(row.resource, n) for n in (row.quota, row.used, row.over, row.before)]
        first = words.listed(row.reclaimable[:3], most=3)
        more = f" and {row.total - 3} more" if row.total > 3 and first else ""
        rows.append((row.node, row.flavor, row.resource, *amounts, words.stays(row), f"{first}{more}"))
    yield ""
    yield "Above quota at the end:"
    yield from _limited(columns, rows, wide=wide)
    if result.difference.no_longer_reclaim:
        yield f"No quota left to reclaim with: {words.listed(result.difference.no_longer_reclaim)}"


def _nodes(result: DryRun, *, wide: bool) -> Iterator[Block]:
    rows = []
    for depth, changed in _walk(result):
        rows += node_rows(changed, "  " * depth)
    if not rows:
        return
    columns = (
        Column("NODE"),
        Column("FLAVOR"),
        Column("RESOURCE"),
        Column("NOMINAL", right=True),
        Column("USED", right=True),
        Column("SHARE", right=True),
    )
    yield ""
    yield "Quota, usage and shares:"
    yield from _limited(columns, rows, wide=wide)


def _walk(result: DryRun) -> list[tuple[int, Changed]]:
    """Changed nodes in the order of the tree, with their depth."""
    facts = {**result.before.nodes, **result.after.nodes}

    def path(node: NodeFact) -> tuple[str, ...]:
        names = [node.name]
        while node.parent and ("Cohort", node.parent) in facts and node.parent not in names:
            node = facts["Cohort", node.parent]
            names.append(node.name)
        return tuple(reversed(names))

    found = [(path(facts[changed.kind, changed.name]), changed) for changed in result.difference.nodes]
    found.sort(key=lambda pair: (pair[0][:-1], pair[1].kind == "ClusterQueue", pair[0]))
    found.sort(key=lambda pair: pair[0])
    return [(len(names) - 1, changed) for names, changed in found]


def node_rows(found: Changed, indent: str) -> list[tuple[str, ...]]:
    """A row for each flavor-resource of a node that differs, and one for a share that does."""
    before = {(fact.flavor, fact.resource): fact for fact in found.before.quotas} if found.before is not None else {}
    after = {(fact.flavor, fact.resource): fact for fact in found.after.quotas} if found.after is not None else {}
    share = _change(_share(found.before), _share(found.after))
    name = f"{indent}{found.name}"
    if found.before is None or found.after is None:
        name += " (new)" if found.before is None else " (gone)"
    rows: list[tuple[str, ...]] = []
    for key in dict.fromkeys((*before, *after)):
        one, other = before.get(key), after.get(key)
        if one is not None and other is not None and (one.nominal, one.total) == (other.nominal, other.total):
            continue
        quotas = _change(_amount(one, "nominal"), _amount(other, "nominal"))
        used = _change(_amount(one, "total"), _amount(other, "total"))
        rows.append((name, *key, quotas, used, share))
        name, share = indent, ""
    if not rows:
        rows.append((name, "", "", "", "", share))
    return rows


def _amount(fact: QuotaFact | None, what: str) -> str:
    return "" if fact is None else quantity.format_amount(fact.resource, getattr(fact, what))


def _share(node: NodeFact | None) -> str:
    if node is None or not node.parent:
        return ""
    value = node.share.precise
    return "inf" if value == float("inf") else f"{value:.1f}".removesuffix(".0")


def _change(before: str, after: str) -> str:
    if before == after:
        return after
    return f"{before or '-'} {words.ARROW} {after or '-'}"


def _positions(result: DryRun, *, wide: bool) -> Iterator[Block]:
    found = result.difference.shifted
    if not found or not result.is_change:
        return
    columns = (Column("CLUSTERQUEUE"), Column("WORKLOAD"), Column("POSITION", right=True))
    rows = [(row.cluster_queue, row.workload, f"{row.before} {words.ARROW} {row.after}") for row in found]
    yield ""
    yield "Positions:"
    yield from _limited(columns, rows, wide=wide)


def _elsewhere(result: DryRun, *, wide: bool) -> Iterator[Block]:
    if not result.elsewhere:
        return
    columns = (Column("WORKLOAD"), Column("EACH"), Column("DRAIN"))
    rows = [(row.workload, row.each or "waits", row.drain or "waits") for row in result.elsewhere]
    yield ""
    yield (
        "Parked workloads come back after each round that frees quota (each, shown above). When they come back only "
        "once nobody else is left to try (drain), these end elsewhere:"
    )
    yield from _limited(columns, rows, wide=wide)


def warnings(result: DryRun, state: ClusterState, settings: Settings) -> list[str]:
    """What was not read or is not modelled, and could make this answer wrong."""
    found = [
        f"{entry.kind} could not be read ({entry.reason}): what depends on it is not known"
        for entry in state.hidden
        if entry.reason != "not served"
    ]
    names = {name for kind, name in result.after.nodes if kind == "ClusterQueue"}
    queues = {name: queue for name, queue in state.cluster_queues.items() if name in names}
    flavors = {row.name for queue in queues.values() for group in queue.resource_groups for row in group.flavors}
    keys = result.after.held.keys() | result.after.waiting.keys()
    part = replace(
        state,
        cluster_queues=queues,
        flavors={name: flavor for name, flavor in state.flavors.items() if name in flavors},
        workloads={key: workload for key, workload in state.workloads.items() if key in keys},
    )
    ready = settings.wait_for_pods_ready
    if ready is not None and ready.block_admission:
        found.append("waitForPodsReady: blockAdmission is not played, pods are taken to get ready at once")
    found += [
        f"{entry.feature}: {entry.meaning} ({', '.join(entry.used_by)})" for entry in unmodelled.find(part, settings)
    ]
    return found
