"""`kueuectl list clusterqueue`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import kinds, listing, loading
from kueuectl.cli.frame.parameters import Active, FieldSelector, Selector
from kueuectl.report.views import parts, queues, workloads


def command(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[CLUSTERQUEUE]...", help="Names of ClusterQueues, or all.")
    ] = None,
    active: Active = None,
    selector: Selector = None,
    field_selector: FieldSelector = None,
) -> None:
    """List ClusterQueues.

    A ClusterQueue is active when it can admit workloads. -o wide adds strategy, flavors and the reason when it can't.

    \b
    Examples:
      kueuectl list clusterqueue --active=false
      kueuectl list cq -o wide --from example:four-tenants
    """
    run = ctx.obj
    loaded = loading.load(run, kinds.CLUSTER_QUEUE)
    chosen = listing.choose(
        loaded.state.cluster_queues,
        kind=kinds.CLUSTER_QUEUE,
        names=names or (),
        namespace=None,
        selector=selector,
        field_selector=field_selector,
    )
    wanted = listing.flag_bool(active, flag="--active")
    if wanted is not None:
        chosen = [queue for queue in chosen if queues.is_active(queue) == wanted]
    # A queue that Kueue doesn't call active admits nothing. In a dump the status may only have been left out.
    unsaid = parts.UNKNOWN if run.is_offline else parts.flag(False)
    counts = workloads.counts(loaded.state.workloads.values(), loaded.state.local_queues)
    listing.show(
        run,
        chosen,
        kind=kinds.CLUSTER_QUEUE,
        namespace=None,
        table=lambda: queues.cluster_queues(chosen, now=loaded.now, counts=counts, unsaid=unsaid),
    )
