"""`kueuectl list workloadpriorityclass`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import kinds, listing, loading
from kueuectl.cli.frame.parameters import FieldSelector, Selector
from kueuectl.report.views import objects


def command(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORKLOADPRIORITYCLASS]...", help="Names of WorkloadPriorityClasses, or all."),
    ] = None,
    selector: Selector = None,
    field_selector: FieldSelector = None,
) -> None:
    """List WorkloadPriorityClasses.

    \b
    Examples:
      kueuectl list workloadpriorityclass
      kueuectl list wpc -o custom-columns=NAME:.metadata.name,VALUE:.value
    """
    run = ctx.obj
    loaded = loading.load(run, kinds.WORKLOAD_PRIORITY_CLASS)
    chosen = listing.choose(
        loaded.state.workload_priority_classes,
        kind=kinds.WORKLOAD_PRIORITY_CLASS,
        names=names or (),
        namespace=None,
        selector=selector,
        field_selector=field_selector,
    )
    listing.show(
        run,
        chosen,
        kind=kinds.WORKLOAD_PRIORITY_CLASS,
        namespace=None,
        table=lambda: objects.priority_classes(chosen, now=loaded.now),
    )
