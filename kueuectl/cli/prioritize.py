"""`kueuectl prioritize`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from kueuectl.analysis.edits import Edit, Field
from kueuectl.api import patches
from kueuectl.cli.frame import choosing, intending, kinds, objects, owning, writing
from kueuectl.cli.frame.holding import Manner
from kueuectl.cli.frame.intending import Intent
from kueuectl.cli.frame.kinds import Reference
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.owning import Job
from kueuectl.cli.frame.parameters import ClusterQueue, LocalQueue, Selector
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import DryRun, KeepGoing, Step, Yes
from kueuectl.engine import workloads
from kueuectl.errors import UnreachableError, UsageError
from kueuectl.model.workloads import Workload

_INT32 = 2**31
_CLASS = "WorkloadPriorityClass"


def command(
    ctx: typer.Context,
    words: choosing.Words = None,
    klass: Annotated[
        str | None,
        typer.Option("--class", metavar="WORKLOADPRIORITYCLASS", help="Give the jobs this WorkloadPriorityClass."),
    ] = None,
    priority: Annotated[
        int | None, typer.Option("--priority", metavar="NUMBER", help="Write this priority into the Workloads.")
    ] = None,
    selector: Selector = None,
    clusterqueue: ClusterQueue = None,
    localqueue: LocalQueue = None,
    owner: choosing.For = None,
    everything: choosing.Everything = False,
    yes: Yes = False,
    dry_run: DryRun = "none",
    keep_going: KeepGoing = False,
    no_preview: choosing.NoPreview = False,
) -> None:
    """Change the priority of workloads.

    --class writes the label kueue.x-k8s.io/priority-class of the job; of a Workload without owner its reference and
    priority. Kueue takes a first class only while the workload waits, and none where its priority is that of a
    PriorityClass of its pods. --priority writes spec.priority of the Workload: Kueue v0.19 keeps that for a job's
    Workload too, until it makes the Workload anew or the class of the job changes. Positions before and after, and who
    is displaced, are told before, on stderr, with --dry-run too. It asks for more than one workload, or where others
    lose quota.

    \b
    Examples:
      kueuectl prioritize workload job-train-a1b2c --class high -n team-a
      kueuectl prioritize job/train --priority 500 -n team-a --dry-run=client
    """
    run = ctx.obj
    if (klass is None) == (priority is None):
        raise UsageError("give one of --class and --priority")
    if priority is not None and not -_INT32 <= priority < _INT32:
        raise UsageError(f"invalid value {priority} for --priority", hint="a priority is a number of 32 bits")
    wanted = choosing.Wanted(words or (), selector, clusterqueue, localqueue, owner, everything)
    manner = Manner(writing.mode(dry_run), yes, keep_going, with_preview=not no_preview)
    loaded = intending.load(run, wanted, manner)
    intent = _by_class(run, loaded, klass) if klass is not None else _by_number(run, priority or 0)
    intending.carry_out(run, loaded, wanted, intent=intent, manner=manner)


def _by_class(run: Run, loaded: Loaded, name: str) -> Intent:
    """Raises NotFoundError for a class that isn't there: Kueue would take the label and do nothing."""
    classes = loaded.state.workload_priority_classes
    if loaded.state.is_hidden(_CLASS):
        raise UnreachableError(f"whether class {name} is there can't be read", hint="give --priority NUMBER")
    if name not in classes:
        raise objects.not_found(Reference(kinds.WORKLOAD_PRIORITY_CLASS, name), classes)
    value = classes[name].value

    def steps(workload: Workload, jobs: Sequence[Job]) -> list[Step]:
        done = f"set to class {name}"
        if not jobs:
            return [intending.own_step(run, workload, body=lambda item: _reference(item, name, value), done=done)]
        return [owning.relabel(job, patches.PRIORITY_LABEL, name, done=done) for job in jobs]

    return Intent(
        verb="Set",
        object=f"to class {name} ({value})",
        edit=lambda workload: Edit(intending.ref(workload), Field.PRIORITY_CLASS, name),
        obstacle=lambda workload: _obstacle(workload, name, value),
        steps=steps,
    )


def _obstacle(workload: Workload, name: str, value: int) -> str:
    """Why it can't get the class (docs: Workload Priority Class; the rest as the webhooks of Kueue were seen to do)."""
    found = workload.priority_class
    if found is not None and found.kind == _CLASS and found.name == name:
        if workload.priority == value:
            return f"has class {name} already"
        return f"has class {name} already, and priority {workload.priority}: give --priority {value}"
    if workload.owners and found is not None and found.kind != _CLASS:
        return f"has its priority from {found.kind} {found.name} of its pods, which Kueue keeps: give --priority"
    if workloads.is_reserved(workload) and (found is None or found.kind != _CLASS):
        return f"holds quota and has no {_CLASS}: Kueue takes a first one only while it waits"
    return ""


def _reference(item: dict[str, Any], name: str, value: int) -> dict[str, Any]:
    """What names the class in a Workload, in the API version of the object."""
    if str(item.get("apiVersion") or "").endswith("/v1beta1"):
        source = "kueue.x-k8s.io/workloadpriorityclass"
        return {"spec": {"priorityClassSource": source, "priorityClassName": name, "priority": value}}
    reference = {"group": "kueue.x-k8s.io", "kind": _CLASS, "name": name}
    return {"spec": {"priorityClassRef": reference, "priority": value}}


def _by_number(run: Run, number: int) -> Intent:
    def steps(workload: Workload, jobs: Sequence[Job]) -> list[Step]:
        if jobs:
            run.warn(
                "Kueue keeps the priority of a job's Workload only until it makes the Workload anew or the class of "
                "the job changes"
            )
        done = f"set to priority {number}"
        return [intending.own_step(run, workload, body=lambda _: {"spec": {"priority": number}}, done=done)]

    return Intent(
        verb="Set",
        object=f"to priority {number}",
        edit=lambda workload: Edit(intending.ref(workload), Field.PRIORITY, number),
        obstacle=lambda workload: f"has priority {number} already" if workload.priority == number else "",
        steps=steps,
    )
