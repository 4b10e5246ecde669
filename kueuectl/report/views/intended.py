"""What a batch of writes will bring, said before it is done: each workload, then everybody else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kueuectl.analysis.dry_run_play import EndKind
from kueuectl.analysis.intended import Outlook, Preview, Standing
from kueuectl.engine import priority
from kueuectl.engine import workloads as facts
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.report import sentences
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import dry_run as view
from kueuectl.report.views import dry_run_words as words
from kueuectl.report.views import workloads

Block = str | Table
# More rows only with -o wide.
_MOST_ROWS = 15


def subjects(
    state: ClusterState, settings: Settings, keys: Sequence[str], *, found: Preview | None, wide: bool
) -> Iterator[Block]:
    """The workloads that are written, as they are now; with a preview what becomes of them too."""
    outlooks = {} if found is None else {outlook.workload: outlook for outlook in found.outlooks}
    columns = [
        Column("WORKLOAD"),
        Column("STATUS", is_state=True),
        Column("LOCALQUEUE"),
        Column("CLUSTERQUEUE"),
        Column("PRIORITY", right=True),
    ]
    if outlooks:
        columns.append(Column("THEN", is_prose=True))
    rows = []
    for key in keys if wide else keys[:_MOST_ROWS]:
        workload = state.workloads[key]
        row = (
            key,
            workloads.status(workload) if workload.active else "STOPPED",
            workload.queue_name,
            workloads.cluster_queue(workload, state.local_queues),
            str(priority.effective(workload, state, settings)),
        )
        rows.append((*row, then(outlooks[key], held=facts.holds_quota(workload))) if outlooks else row)
    yield Table(tuple(columns), rows)
    if len(rows) < len(keys):
        yield f"... and {len(keys) - len(rows)} more (-o wide shows all)"


def then(found: Outlook, *, held: bool) -> str:
    """What becomes of one workload; `held`: it holds quota now."""
    before, after = found.before, found.after
    if after.holding is not None:
        word = "quota reserved" if after.holding.is_reserved else "admitted"
        keeps = before.holding is not None and held
        text = f"stays {word}" if keeps and before.holding == after.holding else f"{word} in {after.cluster_queue}"
        flavors = words.flavors(after.holding)
        if flavors and not text.startswith("stays"):
            text += f" on {flavors}"
        if found.preempts:
            text += f", preempts {words.listed(found.preempts, most=3)}"
        return text
    if after.position is None:
        return "evicted, not queued" if held else "not queued"
    place = f"position {after.position} in {after.cluster_queue}"
    if _is_elsewhere(before, after):
        place += f" (was {before.position})" if before.cluster_queue == after.cluster_queue else ""
    return f"evicted, {place}" if held else f"waits at {place}"


def _is_elsewhere(before: Standing, after: Standing) -> bool:
    return before.position is not None and before.position != after.position


def effects(found: Preview, *, now: int, wide: bool) -> Iterator[Block]:
    """Why they wait then, and what becomes of the others."""
    for outlook in found.outlooks:
        if outlook.explanation is not None and outlook.after.holding is None:
            story = outlook.explanation
            yield f"{outlook.workload}: {story.verdict.code}: {sentences.verdict(story, now=now)}"
    result = found.result
    yield f"Because of it: {words.summary(result)}."
    before = result.before.held.keys()
    yield from filter(
        None,
        [words.anyway(result, len(found.holding), len(before - found.holding), len(found.holding - before))],
    )
    for ended in result.after.endings:
        if ended.kind is not EndKind.FIXPOINT:
            yield words.ended(ended)
    yield from words.ties(result.after.ties)
    own = {outlook.workload for outlook in found.outlooks}
    rows = [row for row in view.effect_rows(result.difference) if row[1] not in own]
    rows += [
        ("POSITION", row.workload, row.cluster_queue, "", "", f"{row.before} {words.ARROW} {row.after}", "")
        for row in result.difference.shifted
        if row.workload not in own
    ]
    if rows:
        yield "Others:"
        yield from _others(rows, wide=wide)


def _others(rows: Sequence[tuple[str, ...]], *, wide: bool) -> Iterator[Block]:
    titles = ("EFFECT", "WORKLOAD", "CLUSTERQUEUE", "FLAVORS", "BY", "REASON", "GPU-HOURS LOST")
    kept = [number for number, _ in enumerate(titles) if any(row[number] for row in rows)]
    shown = rows if wide else rows[:_MOST_ROWS]
    columns = tuple(
        Column(titles[number], right=titles[number].startswith("GPU"), is_prose=titles[number] == "REASON")
        for number in kept
    )
    yield Table(columns, [tuple(row[number] for number in kept) for row in shown])
    if len(shown) < len(rows):
        yield f"... and {len(rows) - len(shown)} more (-o wide shows all)"
