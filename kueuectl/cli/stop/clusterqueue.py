"""`kueuectl stop clusterqueue`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.api import patches
from kueuectl.cli.frame import kinds, stopping
from kueuectl.cli.frame.writing import DryRun


def command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="CLUSTERQUEUE", help="The ClusterQueue to stop.")],
    keep_already_running: Annotated[
        bool,
        typer.Option("--keep-already-running", help="Let admitted workloads go on; only nobody else is admitted."),
    ] = False,
    dry_run: DryRun = "none",
) -> None:
    """Stop a ClusterQueue: nobody is admitted any more.

    Its admitted workloads are evicted too, unless --keep-already-running. How many run and wait is told before.

    \b
    Examples:
      kueuectl stop clusterqueue team-a
      kueuectl stop clusterqueue team-a --keep-already-running
    """
    policy = patches.HOLD if keep_already_running else patches.HOLD_AND_DRAIN
    stopping.set_policy(ctx.obj, kinds.CLUSTER_QUEUE, name, policy=policy, dry_run=dry_run)
