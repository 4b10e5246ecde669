"""`kueuectl stop workload`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import stopping
from kueuectl.cli.frame.writing import DryRun


def command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="WORKLOAD", help="The Workload to stop.")],
    dry_run: DryRun = "none",
) -> None:
    """Stop a Workload: it is not admitted, or evicted.

    Kueue stops its job as it does after a preemption, and does not queue it until it is resumed. What that means for
    it is told before. To stop many, or to see who would be admitted then: kueuectl hold.

    \b
    Examples:
      kueuectl stop workload job-train-a1b2c -n team-a
      kueuectl stop workload job-train-a1b2c -n team-a --dry-run=server -o yaml
    """
    stopping.set_active(ctx.obj, name, active=False, dry_run=dry_run)
