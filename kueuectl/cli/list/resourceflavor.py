"""`kueuectl list resourceflavor`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import kinds, listing, loading
from kueuectl.cli.frame.parameters import FieldSelector, Selector
from kueuectl.report.views import objects


def command(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[RESOURCEFLAVOR]...", help="Names of ResourceFlavors, or all.")
    ] = None,
    selector: Selector = None,
    field_selector: FieldSelector = None,
) -> None:
    """List ResourceFlavors.

    \b
    Examples:
      kueuectl list resourceflavor
      kueuectl list rf -o wide
    """
    run = ctx.obj
    loaded = loading.load(run, kinds.RESOURCE_FLAVOR)
    chosen = listing.choose(
        loaded.state.flavors,
        kind=kinds.RESOURCE_FLAVOR,
        names=names or (),
        namespace=None,
        selector=selector,
        field_selector=field_selector,
    )
    listing.show(
        run,
        chosen,
        kind=kinds.RESOURCE_FLAVOR,
        namespace=None,
        table=lambda: objects.resource_flavors(chosen, now=loaded.now),
    )
