"""What `move` and `prioritize` have in common: each workload is checked, shown, asked about, written where it counts.

That is the job where there is one: Kueue takes queue and class from its labels. It is the Workload where it has no
owner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kueuectl.analysis.edits import Edit
from kueuectl.analysis.explanation import Ref
from kueuectl.cli.frame import choosing, kinds, listing, loading, owning, previewing, stopping, writing
from kueuectl.cli.frame.choosing import Wanted
from kueuectl.cli.frame.holding import Manner
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.owning import Item, Job
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import Mode, Step
from kueuectl.engine import workloads
from kueuectl.errors import ConflictError, KueuectlError, NotFoundError
from kueuectl.model.workloads import Workload
from kueuectl.report import text
from kueuectl.report.views.dry_run_words import counted


@dataclass(frozen=True, slots=True)
class Intent:
    """One change of many workloads, in words and in deeds.

    verb and object: "Move", "to LocalQueue main". `obstacle` says why one can't be changed, "" where it can. `steps`
    is given the workload and its jobs.
    """

    verb: str
    object: str
    edit: Callable[[Workload], Edit]
    obstacle: Callable[[Workload], str]
    steps: Callable[[Workload, Sequence[Job]], list[Step]]


def load(run: Run, wanted: Wanted, manner: Manner) -> Loaded:
    """The state to choose from; command line and connection are looked at before it is read."""
    choosing.check(wanted)
    writing.writer(run)
    return previewing.load(run, wanted, with_preview=manner.with_preview)


def carry_out(run: Run, loaded: Loaded, wanted: Wanted, *, intent: Intent, manner: Manner) -> None:
    """Do it. A workload that was named and can't be changed is an error, and nothing is written; others are told."""
    chosen = choosing.choose(run, loaded, wanted)
    if not chosen.keys:
        run.note(listing.empty_message(kinds.WORKLOAD, loading.namespace(run)))
        return
    due = _due(run, [loaded.state.workloads[key] for key in chosen.keys], intent, are_named=chosen.are_named)
    if not due:
        run.note("Nothing to write.")
        return
    steps = _steps(run, due, intent)
    keys = [workload.key for workload in due]
    found = previewing.show(
        run,
        loaded,
        keys,
        wanted=[intent.edit(workload) for workload in due],
        title=f"{intent.verb} {intent.object}:",
        with_preview=manner.with_preview,
    )
    asks = len(due) > 1 or not chosen.are_named or (found is not None and bool(found.displaced))
    question = f"{intent.verb} {counted(len(due), 'workload')} {intent.object}"
    if manner.mode is Mode.NONE and asks and not writing.confirm(run, question, yes=manner.yes):
        writing.cancel(run, intent.verb)
        return
    writing.carry_out(run, steps, mode=manner.mode, keep_going=manner.keep_going)


def _due(run: Run, found: Sequence[Workload], intent: Intent, *, are_named: bool) -> list[Workload]:
    due = []
    for workload in found:
        problem = "is finished" if workloads.is_finished(workload) else intent.obstacle(workload)
        if not problem:
            due.append(workload)
        elif are_named:
            raise KueuectlError(f"workload {text.clean(workload.key)} {problem}", hint="nothing was written")
        else:
            run.note(f"Workload {workload.key} {problem}: left as it is")
    return due


def _steps(run: Run, due: Sequence[Workload], intent: Intent) -> list[Step]:
    """The writes of all workloads, each object once."""
    steps: dict[tuple[str, str, str], Step] = {}
    for workload in due:
        jobs = owning.jobs(run, workload.key, workload.owners)
        if workload.owners and not jobs:
            raise NotFoundError(f"the job of workload {text.clean(workload.key)} is gone")
        for job in jobs:
            if job.maker:
                run.warn(f"{job.shown} was made by {job.maker}: what that makes later is not changed")
        for step in intent.steps(workload, jobs):
            found = step.write.target
            steps[found.kind, found.group, found.where] = step
    return list(steps.values())


def ref(workload: Workload) -> Ref:
    """The workload in an edit."""
    return Ref("Workload", workload.name, workload.namespace)


def own_step(run: Run, workload: Workload, *, body: Callable[[Item], Item], done: str) -> Step:
    """A patch of the Workload itself, of the object as it is now; it has to be where it was when it was shown."""
    from kueuectl.api import patches

    target = writing.target(kinds.WORKLOAD, workload.name, workload.namespace)
    item = writing.writer(run).read(target)
    before = stopping.facts_of(workload)
    if item.get("metadata", {}).get("uid") != workload.uid or stopping.facts(item) != before:
        raise ConflictError(
            f"workload {text.clean(workload.key)} was changed while it was read", hint="run the command again"
        )
    patch = body(item)
    write = writing.patch(target, patch, item)
    again = stopping.renewing(write, lambda now: stopping.facts(now) == before)
    return Step(write, done, patches.merged(item, patch), again=again)
