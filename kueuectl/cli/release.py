"""`kueuectl release`."""

from __future__ import annotations

import typer

from kueuectl.cli.frame import choosing, holding, writing
from kueuectl.cli.frame.parameters import ClusterQueue, LocalQueue, Selector
from kueuectl.cli.frame.writing import DryRun, KeepGoing, Yes


def command(
    ctx: typer.Context,
    words: choosing.Words = None,
    selector: Selector = None,
    clusterqueue: ClusterQueue = None,
    localqueue: LocalQueue = None,
    owner: choosing.For = None,
    everything: choosing.Everything = False,
    yes: Yes = False,
    dry_run: DryRun = "none",
    keep_going: KeepGoing = False,
    no_preview: choosing.NoPreview = False,
) -> None:
    """Release workloads that were held: they queue again.

    Whom the engine sees admitted then, at which positions the others wait, and who is preempted is told before, on
    stderr, with --dry-run too. Workloads that Kueue itself switched off, after too many evictions, are released as
    well; their backoff starts over. All are tried on the server before the first is written. They are written one after
    the other, and Kueue does not wait for the last: of equal ones another may be first.

    \b
    Examples:
      kueuectl release job-train-a1b2c -n team-a
      kueuectl release --all -n team-a --yes
    """
    wanted = choosing.Wanted(words or (), selector, clusterqueue, localqueue, owner, everything)
    manner = holding.Manner(writing.mode(dry_run), yes, keep_going, with_preview=not no_preview)
    holding.set_active(ctx.obj, wanted, active=True, manner=manner)
