"""`kueuectl resume localqueue`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.api import patches
from kueuectl.cli.frame import kinds, stopping
from kueuectl.cli.frame.writing import DryRun


def command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="LOCALQUEUE", help="The LocalQueue to resume.")],
    dry_run: DryRun = "none",
) -> None:
    """Resume a LocalQueue: workloads are admitted again.

    \b
    Examples:
      kueuectl resume localqueue team-a -n ml
      kueuectl resume localqueue team-a -n ml --dry-run=server -o yaml
    """
    policy = patches.NONE
    stopping.set_policy(ctx.obj, kinds.LOCAL_QUEUE, name, policy=policy, dry_run=dry_run)
