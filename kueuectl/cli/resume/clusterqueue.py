"""`kueuectl resume clusterqueue`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.api import patches
from kueuectl.cli.frame import kinds, stopping
from kueuectl.cli.frame.writing import DryRun


def command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="CLUSTERQUEUE", help="The ClusterQueue to resume.")],
    dry_run: DryRun = "none",
) -> None:
    """Resume a ClusterQueue: workloads are admitted again.

    \b
    Examples:
      kueuectl resume clusterqueue team-a
      kueuectl resume clusterqueue team-a --dry-run=server -o yaml
    """
    policy = patches.NONE
    stopping.set_policy(ctx.obj, kinds.CLUSTER_QUEUE, name, policy=policy, dry_run=dry_run)
