"""`kueuectl apply`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import applying, wishes
from kueuectl.cli.frame.writing import DryRun, KeepGoing, Yes


def command(
    ctx: typer.Context,
    plan: Annotated[str, typer.Argument(metavar="FILE", help="The plan, as -o plan=FILE wrote it.")],
    yes: Yes = False,
    keep_going: KeepGoing = False,
    timeout: wishes.Timeout = wishes.FOR_LONG,
    backoff: wishes.Backoff = None,
    dry_run: DryRun = "none",
) -> None:
    """Carry out a saved plan, or go on with it.

    Everything that the plan rests on is looked at again first, and the engine works out whether it still does what it
    promises; otherwise nothing is written and the exit code is 4. What is done is kept in FILE.journal, so a plan
    that was cut off goes on where it was. Then what comes of it is compared with what was foretold.

    \b
    Examples:
      kueuectl apply plan.json
      kueuectl apply plan.json --yes --timeout 5m
    """
    run = ctx.obj
    wanted = wishes.of(run, yes=yes, keep_going=keep_going, timeout=timeout, dry_run=dry_run, backoff=backoff)
    applying.saved(run, plan, wanted)
