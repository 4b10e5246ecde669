"""What `hold` and `release` have in common: spec.active of many Workloads.

Order of writes. Hold: 1. those that wait, 2. those that hold quota, so that nobody of the batch gets the quota that
another one of it gives back; then by key. Release: as they queue: 1. higher priority, 2. earlier, 3. key.
"""

from __future__ import annotations

from dataclasses import dataclass

from kueuectl.analysis.edits import Edit, Field
from kueuectl.analysis.explanation import Ref
from kueuectl.api import patches
from kueuectl.cli.frame import choosing, kinds, listing, loading, previewing, stopping, writing
from kueuectl.cli.frame.choosing import Wanted
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import Mode, Step
from kueuectl.engine import priority, workloads
from kueuectl.model.workloads import Workload
from kueuectl.model.writes import PATCH, Write
from kueuectl.report.views.dry_run_words import counted

HELD, RELEASED = "held", "released"


@dataclass(frozen=True, slots=True)
class Manner:
    """How a batch is carried out."""

    mode: Mode
    yes: bool
    keep_going: bool
    with_preview: bool


def set_active(run: Run, wanted: Wanted, *, active: bool, manner: Manner) -> None:
    """Hold or release the workloads that were asked for: show what comes of it, ask, try, write."""
    choosing.check(wanted)
    hand = writing.writer(run)
    loaded = previewing.load(run, wanted, with_preview=manner.with_preview)
    chosen = choosing.choose(run, loaded, wanted)
    if not chosen.keys:
        run.note(listing.empty_message(kinds.WORKLOAD, loading.namespace(run)))
        return
    keys = _ordered(loaded, [key for key in chosen.keys if _is_due(run, loaded.state.workloads[key], active=active)])
    if not keys:
        run.note(f"Nothing to {'release' if active else 'hold'}.")
        return
    wanted_edits = [Edit(_ref(loaded.state.workloads[key]), Field.ACTIVE, active) for key in keys]
    title = "To be released:" if active else "To be held:"
    previewing.show(run, loaded, keys, wanted=wanted_edits, title=title, with_preview=manner.with_preview)
    if manner.mode is Mode.NONE and not writing.confirm(run, _question(loaded, keys, active=active), yes=manner.yes):
        writing.cancel(run, "Release" if active else "Hold")
        return
    places = {key.partition("/")[0] for key in keys}
    steps = [_step(loaded.state.workloads[key], active=active, with_place=len(places) > 1) for key in keys]
    if manner.mode is Mode.CLIENT and not run.format.is_table:
        steps = [
            Step(step.write, step.done, patches.merged(hand.read(step.write.target), step.write.body)) for step in steps
        ]
    writing.carry_out(run, steps, mode=manner.mode, keep_going=manner.keep_going)


def _is_due(run: Run, workload: Workload, *, active: bool) -> bool:
    """Whether the write changes anything; what it would not change is told."""
    if workloads.is_finished(workload):
        run.note(f"Workload {workload.key} is finished: left as it is")
    elif workload.active == active:
        run.note(f"Workload {workload.key} is {'not held' if active else 'held already'}: left as it is")
    else:
        return True
    return False


def _ordered(loaded: Loaded, keys: list[str]) -> list[str]:
    def place(key: str) -> tuple[bool, int, int, str]:
        workload = loaded.state.workloads[key]
        if workload.active:
            return workloads.holds_quota(workload), 0, 0, key
        rank = priority.effective(workload, loaded.state, loaded.settings)
        return False, -rank, workloads.queue_timestamp(workload, loaded.settings), key

    return sorted(keys, key=place)


def _ref(workload: Workload) -> Ref:
    return Ref("Workload", workload.name, workload.namespace)


def _question(loaded: Loaded, keys: list[str], *, active: bool) -> str:
    if active:
        return f"Release {counted(len(keys), 'workload')}"
    holding = sum(workloads.holds_quota(loaded.state.workloads[key]) for key in keys)
    evicted = f", {holding} of them with quota, which {'is' if holding == 1 else 'are'} evicted" if holding else ""
    return f"Hold {counted(len(keys), 'workload')}{evicted}"


def _step(workload: Workload, *, active: bool, with_place: bool) -> Step:
    """The write, made for the workload as it was read: it has to be where it was, with or without quota."""
    target = writing.target(kinds.WORKLOAD, workload.name, workload.namespace)
    body = patches.active(active)
    write = Write(PATCH, target, body, uid=workload.uid, resource_version=workload.resource_version)
    before = stopping.facts_of(workload)
    done = RELEASED if active else HELD
    if with_place:
        done += f" in namespace {workload.namespace}"
    return Step(write, done, again=stopping.renewing(write, lambda now: stopping.facts(now) == before))
