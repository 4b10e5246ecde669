"""`kueuectl list admissioncheck`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import kinds, listing, loading
from kueuectl.cli.frame.parameters import FieldSelector, Selector
from kueuectl.report.views import objects


def command(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ADMISSIONCHECK]...", help="Names of AdmissionChecks, or all.")
    ] = None,
    selector: Selector = None,
    field_selector: FieldSelector = None,
) -> None:
    """List AdmissionChecks.

    \b
    Examples:
      kueuectl list admissioncheck
      kueuectl list ac -o wide
    """
    run = ctx.obj
    loaded = loading.load(run, kinds.ADMISSION_CHECK)
    chosen = listing.choose(
        loaded.state.admission_checks,
        kind=kinds.ADMISSION_CHECK,
        names=names or (),
        namespace=None,
        selector=selector,
        field_selector=field_selector,
    )
    listing.show(
        run,
        chosen,
        kind=kinds.ADMISSION_CHECK,
        namespace=None,
        table=lambda: objects.admission_checks(chosen, now=loaded.now),
    )
