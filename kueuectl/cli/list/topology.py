"""`kueuectl list topology`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import kinds, listing, loading
from kueuectl.cli.frame.parameters import FieldSelector, Selector
from kueuectl.report.views import objects


def command(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[TOPOLOGY]...", help="Names of Topologies, or all.")
    ] = None,
    selector: Selector = None,
    field_selector: FieldSelector = None,
) -> None:
    """List Topologies with their levels.

    \b
    Examples:
      kueuectl list topology
      kueuectl list topology -o yaml
    """
    run = ctx.obj
    loaded = loading.load(run, kinds.TOPOLOGY)
    chosen = listing.choose(
        loaded.state.topologies,
        kind=kinds.TOPOLOGY,
        names=names or (),
        namespace=None,
        selector=selector,
        field_selector=field_selector,
    )
    listing.show(
        run,
        chosen,
        kind=kinds.TOPOLOGY,
        namespace=None,
        table=lambda: objects.topologies(chosen, now=loaded.now),
    )
