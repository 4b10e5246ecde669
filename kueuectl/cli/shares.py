"""`kueuectl shares`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import loading, output
from kueuectl.report.views import shares


def command(
    ctx: typer.Context,
    cohort: Annotated[
        str | None, typer.Argument(metavar="[COHORT]", help="Show only this cohort and what is below it.")
    ] = None,
) -> None:
    """Show fair shares with their arithmetic.

    The share is what a node borrows of its dominant resource, in thousandths of what the members of its cohort can
    reach together, over its weight. Of siblings, the one with the lowest share comes first: its rank is 1.

    \b
    Examples:
      kueuectl shares --from example:four-tenants
      kueuectl shares research -o json
    """
    run = ctx.obj
    loaded = loading.load_all(run)
    roots = loading.trees(loaded, cohort)
    if loaded.settings.fair_sharing is None:
        run.note("Fair sharing is off: shares don't decide anything here.")
    output.document(
        run,
        lambda: {
            **output.header("Shares"),
            "fairSharing": loaded.settings.fair_sharing is not None,
            "items": shares.document(roots),
        },
        shown=lambda: output.table(run, shares.table(roots, is_unicode=run.environment.is_unicode)),
    )
