"""`kueuectl hold`."""

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
    """Hold workloads: they are not admitted, or evicted.

    Those that wait are no longer queued, the jobs of those that run are stopped, until they are released. Which ones,
    who of them is evicted and who else is admitted then is told before, on stderr, with --dry-run too. The workloads
    that wait are written first, each one as it was when it was shown: one that got quota since is a conflict. All are
    tried on the server before the first is written.

    \b
    Examples:
      kueuectl hold job-train-a1b2c job/sweep -n team-a
      kueuectl hold -q main -l experiment=old -n team-a --dry-run=server
    """
    wanted = choosing.Wanted(words or (), selector, clusterqueue, localqueue, owner, everything)
    manner = holding.Manner(writing.mode(dry_run), yes, keep_going, with_preview=not no_preview)
    holding.set_active(ctx.obj, wanted, active=False, manner=manner)
