"""`kueuectl tree`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import loading, output
from kueuectl.report.views import tree


def command(
    ctx: typer.Context,
    cohort: Annotated[
        str | None, typer.Argument(metavar="[COHORT]", help="Show only this cohort and what is below it.")
    ] = None,
    limits: Annotated[bool, typer.Option("--limits", help="Add borrowing and lending limits.")] = False,
) -> None:
    """Show cohorts, ClusterQueues, quota and usage as a tree.

    BORROWED is used above the own quota. LENT is idle quota that others may be using: where several lend, it can't be
    told whose quota it is. AVAILABLE is what could be used now without preemption. SHARE is in thousandths, over the
    weight, and not rounded.

    \b
    Examples:
      kueuectl tree --from example:four-tenants
      kueuectl tree research --limits
    """
    run = ctx.obj
    loaded = loading.load_all(run, decides=False)
    roots = loading.trees(loaded, cohort)
    output.document(
        run,
        lambda: {**output.header("Tree"), "roots": tree.document(roots)},
        shown=lambda: output.table(
            run, tree.table(roots, limits=limits or run.format.is_wide, is_unicode=run.environment.is_unicode)
        ),
        items="roots",
    )
