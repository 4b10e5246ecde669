"""`kueuectl resume workload`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import stopping
from kueuectl.cli.frame.writing import DryRun


def command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="WORKLOAD", help="The Workload to resume.")],
    dry_run: DryRun = "none",
) -> None:
    """Resume a Workload: it queues again.

    It is admitted by the usual rules of its ClusterQueue. To resume many, or to see what comes of it: kueuectl release.

    \b
    Examples:
      kueuectl resume workload job-train-a1b2c -n team-a
      kueuectl resume workload job-train-a1b2c -n team-a --dry-run=client
    """
    stopping.set_active(ctx.obj, name, active=True, dry_run=dry_run)
