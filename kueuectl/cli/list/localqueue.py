"""`kueuectl list localqueue`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import kinds, listing, loading
from kueuectl.cli.frame.parameters import Active, ClusterQueue, FieldSelector, Selector
from kueuectl.report.views import queues, workloads


def command(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[LOCALQUEUE]...", help="Names of LocalQueues, or all.")
    ] = None,
    clusterqueue: ClusterQueue = None,
    active: Active = None,
    selector: Selector = None,
    field_selector: FieldSelector = None,
) -> None:
    """List LocalQueues.

    \b
    Examples:
      kueuectl list localqueue -n team-a
      kueuectl list lq -A --clusterqueue shared
    """
    run = ctx.obj
    namespace = loading.namespace(run)
    loaded = loading.load(run, kinds.LOCAL_QUEUE)
    chosen = listing.choose(
        loaded.state.local_queues,
        kind=kinds.LOCAL_QUEUE,
        names=names or (),
        namespace=namespace,
        selector=selector,
        field_selector=field_selector,
    )
    wanted = listing.flag_bool(active, flag="--active")
    if wanted is not None:
        chosen = [queue for queue in chosen if queues.is_active(queue) == wanted]
    if clusterqueue is not None:
        chosen = [queue for queue in chosen if queue.cluster_queue == clusterqueue]
    counts = workloads.counts(loaded.state.workloads.values(), loaded.state.local_queues)
    listing.show(
        run,
        chosen,
        kind=kinds.LOCAL_QUEUE,
        namespace=namespace,
        table=lambda: queues.local_queues(chosen, now=loaded.now, counts=counts, namespaces=namespace is None),
    )
