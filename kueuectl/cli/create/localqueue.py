"""`kueuectl create localqueue`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.api import new_objects
from kueuectl.cli.frame import creating, kinds, loading, writing
from kueuectl.cli.frame.writing import DryRun
from kueuectl.errors import UsageError


def command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the new LocalQueue.")],
    cluster_queue: Annotated[
        str, typer.Option("-c", "--clusterqueue", metavar="CLUSTERQUEUE", help="The ClusterQueue that it leads to.")
    ],
    ignore_unknown: Annotated[
        bool, typer.Option("-i", "--ignore-unknown-cq", help="Create it even where that ClusterQueue doesn't exist.")
    ] = False,
    dry_run: DryRun = "none",
) -> None:
    """Create a LocalQueue in a namespace.

    \b
    Examples:
      kueuectl create localqueue main -c team-a -n ml-research
      kueuectl create lq main -c not-yet-there -i
    """
    run = ctx.obj
    mode = writing.mode(dry_run)
    if run.flags.all_namespaces:
        raise UsageError("a LocalQueue is created in one namespace", hint="name it with -n")
    inside = loading.namespace(run) or "default"
    if not ignore_unknown and not run.is_offline:
        # Even a dry run by the client asks: that nothing is written doesn't mean that a slip is no slip.
        writing.writer(run).read(writing.target(kinds.CLUSTER_QUEUE, cluster_queue))
    item = new_objects.local_queue(name, namespace=inside, cluster_queue=cluster_queue)
    creating.create(run, kinds.LOCAL_QUEUE, item, mode=mode)
