"""`kueuectl create clusterqueue`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.api import new_objects, quota_flags
from kueuectl.cli.frame import creating, kinds, writing
from kueuectl.cli.frame.creating import BorrowingLimit, LendingLimit, NominalQuota
from kueuectl.cli.frame.writing import DryRun


def command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the new ClusterQueue.")],
    cohort: Annotated[str, typer.Option("--cohort", metavar="COHORT", help="The cohort that it joins.")] = "",
    strategy: Annotated[
        str,
        typer.Option("--queuing-strategy", metavar="STRATEGY", help="StrictFIFO or BestEffortFIFO (the default)."),
    ] = "",
    namespaces: Annotated[
        list[str] | None,
        typer.Option(
            "--namespace-selector",
            metavar="LABELS",
            help="Take workloads of namespaces with these labels only, as key=value,other=value; otherwise of all.",
        ),
    ] = None,
    reclaim: Annotated[
        str,
        typer.Option(
            "--reclaim-within-cohort",
            metavar="POLICY",
            help="Whom it may preempt to get its quota back: Never, LowerPriority or Any.",
        ),
    ] = "",
    within: Annotated[
        str,
        typer.Option(
            "--preemption-within-cluster-queue",
            metavar="POLICY",
            help="Whom it may preempt in itself: Never, LowerPriority or LowerOrNewerEqualPriority.",
        ),
    ] = "",
    nominal: NominalQuota = None,
    borrowing: BorrowingLimit = None,
    lending: LendingLimit = None,
    dry_run: DryRun = "none",
) -> None:
    """Create a ClusterQueue.

    Flavors with the same resources make one resource group. It is checked before it is sent.

    \b
    Examples:
      kueuectl create clusterqueue team-a --nominal-quota "default:cpu=9;memory=36Gi"
      kueuectl create cq team-a --cohort all --nominal-quota "spot:cpu=1.5" --borrowing-limit "spot:cpu=1"
    """
    mode = writing.mode(dry_run)
    item = new_objects.cluster_queue(
        name,
        cohort=cohort,
        strategy=strategy,
        namespaces=new_objects.pairs(namespaces or (), flag="--namespace-selector"),
        reclaim=reclaim,
        within=within,
        groups=quota_flags.groups(nominal or (), borrowing or (), lending or ()),
    )
    creating.create(ctx.obj, kinds.CLUSTER_QUEUE, item, mode=mode)
