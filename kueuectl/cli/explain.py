"""`kueuectl explain`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from kueuectl.cli.frame import kinds, loading, objects, output
from kueuectl.cli.frame.kinds import Reference
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.errors import UsageError
from kueuectl.model.state import ClusterState
from kueuectl.report.tables import Table

_KINDS = (kinds.WORKLOAD, kinds.CLUSTER_QUEUE, kinds.LOCAL_QUEUE, kinds.COHORT, *kinds.OWNER_KINDS)


def command(
    ctx: typer.Context,
    words: Annotated[
        list[str], typer.Argument(metavar="TYPE/NAME", help="The object: TYPE/NAME, or TYPE and NAME apart.")
    ],
) -> None:
    """Tell why an object waits, and what would help.

    The verdict comes first, then what would admit the workload (each change was tried in the engine), the flavors with
    their numbers, candidates for preemption, and what Kueue itself wrote last. Types: workload, clusterqueue,
    localqueue, cohort, pod, job and the other kinds that make workloads.

    \b
    Examples:
      kueuectl explain workload/llama-pretrain -n pretraining --from example:four-tenants
      kueuectl explain job train -n team-a -o json
    """
    run = ctx.obj
    references = kinds.references(words, _KINDS)
    if len(references) != 1:
        raise UsageError("explain takes one object", hint="call it once for each")
    loaded = loading.load_all(run)
    for warning in loaded.state.warnings:
        run.warn(warning)
    shown, document = _story(run, loaded, references[0])
    output.document(run, document, shown=lambda: output.blocks(run, shown))


Story = tuple[list[str | Table], Callable[[], dict[str, Any]]]


def _story(run: Run, loaded: Loaded, reference: Reference) -> Story:
    if reference.kind is kinds.CLUSTER_QUEUE:
        return _queue(loaded, reference.name)
    if reference.kind is kinds.COHORT:
        return _cohort(loaded, reference.name)
    if reference.kind is kinds.LOCAL_QUEUE:
        return _local_queue(loaded, objects.key(run, reference, loaded.state.local_queues))
    if reference.kind is kinds.WORKLOAD:
        return _workload(run, loaded, objects.key(run, reference, loaded.state.workloads))
    return _owner(run, loaded, reference)


def _queue(loaded: Loaded, name: str) -> Story:
    from kueuectl.analysis import queues
    from kueuectl.report.views import queue_story

    if name not in loaded.state.cluster_queues:
        raise objects.not_found(Reference(kinds.CLUSTER_QUEUE, name))
    found = queues.cluster_queue(loaded.state, loaded.settings, now=loaded.now, name=name)
    return list(queue_story.blocks(found, now=loaded.now)), lambda: queue_story.document(found, now=loaded.now)


def _local_queue(loaded: Loaded, key: str) -> Story:
    from kueuectl.analysis import queues
    from kueuectl.report.views import queue_story

    found = queues.local_queue(loaded.state, loaded.settings, now=loaded.now, key=key)
    return list(queue_story.blocks(found, now=loaded.now)), lambda: queue_story.document(found, now=loaded.now)


def _cohort(loaded: Loaded, name: str) -> Story:
    from kueuectl.analysis import queues
    from kueuectl.report.views import queue_story, usage

    if not usage.is_cohort(loaded.state, name):
        raise objects.not_found(Reference(kinds.COHORT, name))
    found = queues.cohort(loaded.state, loaded.settings, name=name)
    return list(queue_story.blocks(found, now=loaded.now)), lambda: queue_story.document(found, now=loaded.now)


def _workload(run: Run, loaded: Loaded, key: str) -> Story:
    from kueuectl.analysis import explain
    from kueuectl.model.values import replace
    from kueuectl.report import narrate
    from kueuectl.report.views import explanation

    found, entry = explain.workload(loaded.state, loaded.settings, now=loaded.now, key=key)
    if entry is not None:
        found = replace(found, message=narrate.entry(entry))
    for line in explanation.warnings(found, now=loaded.now):
        run.warn(line)
    return list(explanation.blocks(found, now=loaded.now)), lambda: explanation.document(found, now=loaded.now)


def _owner(run: Run, loaded: Loaded, reference: Reference) -> Story:
    """The story of the workload that was made for a job or pod; of several, the one that waits longest."""
    from kueuectl.analysis import owned
    from kueuectl.report.views import owners

    namespace = loading.namespace(run)
    state = loading.with_owner(run, loaded, reference, namespace=namespace)
    chain = owned.chain(state, reference.kind.name, reference.name, namespace)
    keys: list[str] = []
    is_known = False
    for kind, name, inside in chain:
        ownership = owners.Ownership(
            state, kind=kind, name=name, group=reference.kind.group if name == reference.name else "", namespace=inside
        )
        is_known = is_known or ownership.is_known
        keys = [workload.key for workload in state.workloads.values() if ownership.owns_workload(workload)]
        if keys:
            break
    if keys:
        return _workload(run, Loaded(state, loaded.settings, loaded.now), owned.foremost(state, keys))
    if not is_known:
        raise objects.not_found(reference)
    return _unmanaged(loaded, state, reference, namespace)


def _unmanaged(loaded: Loaded, state: ClusterState, reference: Reference, namespace: str | None) -> Story:
    from kueuectl.analysis import owned
    from kueuectl.report.views import explanation

    found = owned.without_workload(state, loaded.settings, reference.kind.name, reference.name, namespace)
    return list(explanation.blocks(found, now=loaded.now)), lambda: explanation.document(found, now=loaded.now)
