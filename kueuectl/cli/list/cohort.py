"""`kueuectl list cohort`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import kinds, listing, loading
from kueuectl.cli.frame.parameters import FieldSelector, Selector
from kueuectl.model.queues import Cohort
from kueuectl.report.views import queues


def command(
    ctx: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="[COHORT]...", help="Names of cohorts, or all.")] = None,
    selector: Selector = None,
    field_selector: FieldSelector = None,
) -> None:
    """List Cohorts, named ones without an object too.

    A cohort that ClusterQueues only name has no object, no quota and no age; the machine formats leave it out.

    \b
    Examples:
      kueuectl list cohort
      kueuectl list cohort -o wide --from example:four-tenants
    """
    run = ctx.obj
    loaded = loading.load(run, kinds.COHORT, kinds.CLUSTER_QUEUE)
    named = loaded.state.cohorts
    members = loaded.state.cluster_queues.values()
    implicit = {queue.cohort for queue in members if queue.cohort} | {c.parent for c in named.values() if c.parent}
    chosen = listing.choose(
        {name: named.get(name) or Cohort(name) for name in sorted({*named, *implicit})},
        kind=kinds.COHORT,
        names=names or (),
        namespace=None,
        selector=selector,
        field_selector=field_selector,
    )
    listing.show(
        run,
        chosen,
        kind=kinds.COHORT,
        namespace=None,
        table=lambda: queues.cohorts(named, queues=members, now=loaded.now, names=[cohort.name for cohort in chosen]),
    )
