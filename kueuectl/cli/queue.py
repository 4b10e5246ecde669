"""`kueuectl queue`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import kinds, loading, objects, output
from kueuectl.cli.frame.kinds import Reference
from kueuectl.report.views import waiting


def command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="CLUSTERQUEUE", help="The ClusterQueue to look into.")],
) -> None:
    """Show who waits in a ClusterQueue, in order.

    Each workload is tried alone against the present usage; what it waits for is in the words of Kueue's own messages.
    One without a position is set apart, and not tried before something wakes it.

    \b
    Examples:
      kueuectl queue pre-training --from example:four-tenants
      kueuectl queue shared -o json
    """
    run = ctx.obj
    loaded = loading.load_all(run)
    if name not in loaded.state.cluster_queues:
        raise objects.not_found(Reference(kinds.CLUSTER_QUEUE, name), loaded.state.cluster_queues)
    found = waiting.line(loaded.state, loaded.settings, name, now=loaded.now)
    if not found.is_active:
        run.note(f"{found.name} is inactive: {found.message}")
    if not found.waiters and run.format.is_table:
        run.note(f"Nothing waits in {found.name}.")
        return
    output.document(
        run,
        lambda: output.header("Queue") | waiting.document(found),
        shown=lambda: output.table(run, waiting.table(found, now=loaded.now)),
        kind=kinds.WORKLOAD.name,
    )
