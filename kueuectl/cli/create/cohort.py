"""`kueuectl create cohort`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.api import new_objects, quota_flags
from kueuectl.cli.frame import creating, kinds, writing
from kueuectl.cli.frame.creating import BorrowingLimit, LendingLimit, NominalQuota
from kueuectl.cli.frame.writing import DryRun


def command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the new Cohort.")],
    parent: Annotated[
        str, typer.Option("--parent", metavar="COHORT", help="The cohort above it; without one it is a root.")
    ] = "",
    nominal: NominalQuota = None,
    borrowing: BorrowingLimit = None,
    lending: LendingLimit = None,
    weight: Annotated[
        str, typer.Option("--weight", metavar="WEIGHT", help="Its weight in fair sharing; the default is 1.")
    ] = "",
    dry_run: DryRun = "none",
) -> None:
    """Create a Cohort, with quota of its own if it has any.

    A cohort that ClusterQueues name exists without an object; one is needed for a parent, quota, limits or a weight.

    \b
    Examples:
      kueuectl create cohort research --parent all
      kueuectl create cohort all --nominal-quota "default:cpu=64;memory=256Gi" --weight 2
    """
    mode = writing.mode(dry_run)
    groups = quota_flags.groups(nominal or (), borrowing or (), lending or ())
    item = new_objects.cohort(name, parent=parent, weight=weight, groups=groups)
    creating.create(ctx.obj, kinds.COHORT, item, mode=mode)
