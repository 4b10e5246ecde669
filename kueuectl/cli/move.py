"""`kueuectl move`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

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
from kueuectl.model.workloads import Workload


def command(
    ctx: typer.Context,
    to: Annotated[str, typer.Option("--to", metavar="LOCALQUEUE", help="The LocalQueue to move to.")],
    words: choosing.Words = None,
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
    """Move waiting workloads to another LocalQueue.

    Writes the label kueue.x-k8s.io/queue-name of the job, or of all pods of a pod group; of a Workload without owner
    spec.queueName, and of one that was evicted both, since Kueue does not look at the label then. A workload that
    holds quota can't be moved: Kueue refuses that, so stop or preempt it first. The queue must be in the namespace of
    the workload. Where it stands then, and who is displaced, is told before, on stderr, with --dry-run too. It asks
    for more than one workload, or where others lose quota.

    \b
    Examples:
      kueuectl move workload job-train-a1b2c --to other -n team-a
      kueuectl move job/train job/sweep --to other -n team-a --dry-run=server
    """
    run = ctx.obj
    wanted = choosing.Wanted(words or (), selector, clusterqueue, localqueue, owner, everything)
    manner = Manner(writing.mode(dry_run), yes, keep_going, with_preview=not no_preview)
    loaded = intending.load(run, wanted, manner)
    intending.carry_out(run, loaded, wanted, intent=_intent(run, loaded, to), manner=manner)


def _intent(run: Run, loaded: Loaded, to: str) -> Intent:
    return Intent(
        verb="Move",
        object=f"to LocalQueue {to}",
        edit=lambda workload: Edit(intending.ref(workload), Field.QUEUE, to),
        obstacle=lambda workload: _obstacle(loaded, workload, to),
        steps=lambda workload, jobs: _steps(run, workload, jobs, to),
    )


def _obstacle(loaded: Loaded, workload: Workload, to: str) -> str:
    """Why it can't go there; raises NotFoundError where the queue isn't in its namespace.

    Kueue keeps the queue while quota is reserved (CRD: queueName is immutable while workload quota reserved).
    """
    queues = loaded.state.local_queues
    if f"{workload.namespace}/{to}" not in queues and not loaded.state.is_hidden("LocalQueue"):
        inside = [queue.name for queue in queues.values() if queue.namespace == workload.namespace]
        error = objects.not_found(Reference(kinds.LOCAL_QUEUE, to), inside)
        error.problem += f" in namespace {workload.namespace}"
        raise error
    if workload.queue_name == to:
        return f"is in LocalQueue {to} already"
    if workloads.is_reserved(workload):
        holder = workload.admission.cluster_queue if workload.admission is not None else "?"
        return f"holds quota of ClusterQueue {holder}: its queue can't be changed until it is evicted"
    return ""


def _steps(run: Run, workload: Workload, jobs: Sequence[Job], to: str) -> list[Step]:
    """The label of each job. Kueue v0.19 takes it over into the Workload, but (observed) not into one that was evicted.

    A Workload keeps the condition Evicted until it gets quota again; one that is switched off gets it in a moment.
    """
    done = f"moved to {to}"
    steps = [owning.relabel(job, patches.QUEUE_LABEL, to, done=done) for job in jobs]
    if not jobs or workloads.is_evicted(workload) or not workload.active:
        steps.append(intending.own_step(run, workload, body=lambda _: {"spec": {"queueName": to}}, done=done))
    return steps
