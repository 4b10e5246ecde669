"""`kueuectl list workload`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from kueuectl.cli.frame import kinds, listing, loading, objects
from kueuectl.cli.frame.flags import CHOICES
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.parameters import ClusterQueue, FieldSelector, LocalQueue, Selector
from kueuectl.cli.frame.run import Run
from kueuectl.errors import UsageError
from kueuectl.model.workloads import Workload
from kueuectl.report.tables import Table
from kueuectl.report.views import owners, positions, workloads


def command(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[WORKLOAD]...", help="Names of Workloads, or all.")
    ] = None,
    clusterqueue: ClusterQueue = None,
    localqueue: LocalQueue = None,
    status: Annotated[
        list[str] | None,
        typer.Option(
            "--status",
            metavar="STATUS",
            help="Keep pending, quotareserved, admitted or finished ones, or all (default); may be repeated.",
        ),
    ] = None,
    owner: Annotated[
        str | None, typer.Option("--for", metavar="TYPE/NAME", help="Keep what was made for this job, pod or owner.")
    ] = None,
    selector: Selector = None,
    field_selector: FieldSelector = None,
) -> None:
    """List Workloads with status and position.

    The position counts from 0 in the LocalQueue and is computed here, in the order in which Kueue takes them.
    -o wide adds priority, reason, requested resources and flavors.

    \b
    Examples:
      kueuectl list workload -A --status pending
      kueuectl list wl -n team-a --for job/train
    """
    run = ctx.obj
    namespace = loading.namespace(run)
    wanted = _statuses(status or ())
    reference = None if owner is None else kinds.reference(owner, flag="--for")
    with_settings = run.format.is_table
    loaded = loading.load(run, kinds.WORKLOAD, kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE, with_settings=with_settings)
    chosen = listing.choose(
        loaded.state.workloads,
        kind=kinds.WORKLOAD,
        names=names or (),
        namespace=namespace,
        selector=selector,
        field_selector=field_selector,
    )
    if reference is not None:
        chosen = _made_for(run, chosen, reference, namespace=namespace, loaded=loaded)
    chosen = [
        workload
        for workload in chosen
        if (not wanted or workloads.status(workload) in wanted)
        and (localqueue is None or workload.queue_name == localqueue)
        and (clusterqueue is None or workloads.cluster_queue(workload, loaded.state.local_queues) == clusterqueue)
    ]
    table = partial(_table, run, chosen, loaded, namespaces=namespace is None)
    listing.show(run, chosen, kind=kinds.WORKLOAD, namespace=namespace, table=table)


def _table(run: Run, chosen: Sequence[Workload], loaded: Loaded, *, namespaces: bool) -> Table:
    state, settings = loaded.state, loaded.settings
    return workloads.table(
        chosen,
        queues=state.local_queues,
        positions=positions.in_local_queues(state, settings, state.workloads.values()),
        now=loaded.now,
        namespaces=namespaces,
        wide=run.format.is_wide,
        requests=workloads.request_counter(state, settings),
    )


def _statuses(values: Sequence[str]) -> frozenset[str]:
    """The statuses to keep; empty keeps all."""
    for value in values:
        if value.lower() not in CHOICES["STATUS"]:
            *names, last = (f'"{name}"' for name in CHOICES["STATUS"])
            raise UsageError(f"invalid status value ({value}). Must be {', '.join(names)} or {last}")
    found = frozenset(value.upper() for value in values)
    return frozenset() if "ALL" in found else found


def _made_for(
    run: Run, among: Sequence[Workload], reference: kinds.Reference, *, namespace: str | None, loaded: Loaded
) -> list[Workload]:
    """Workloads of the named object; raises NotFoundError when nothing has heard of it."""
    state = loading.with_owner(run, loaded, reference, namespace=namespace)
    ownership = owners.Ownership(
        state, kind=reference.kind.name, name=reference.name, group=reference.kind.group, namespace=namespace
    )
    found = [workload for workload in among if ownership.owns_workload(workload)]
    if not found and not ownership.is_known:
        raise objects.not_found(reference)
    return found
