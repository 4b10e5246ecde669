"""`kueuectl snapshot show`."""

from __future__ import annotations

import typer

from kueuectl import times
from kueuectl.cli.frame import loading, output
from kueuectl.report.views import summary


def command(ctx: typer.Context) -> None:
    """Summarize what a dump or a cluster holds.

    \b
    Examples:
      kueuectl snapshot show --from cluster.json
      kueuectl snapshot show --from example:four-tenants -o json
    """
    run = ctx.obj
    loaded = loading.load_all(run, decides=False)
    statuses = summary.by_status(loaded.state)

    def show() -> None:
        run.print(f"Time: {times.format_time(loaded.now)}")
        run.print(f"Configuration: {loaded.settings.source or 'defaults'}")
        run.print("Workloads: " + ", ".join(f"{count} {status.lower()}" for status, count in statuses.items()))
        run.print()
        output.table(run, summary.table(loaded.state))

    output.document(
        run,
        lambda: {
            **output.header("Snapshot"),
            "now": times.format_time(loaded.now),
            "configuration": summary.configuration(loaded.settings),
            "workloads": {status.lower(): count for status, count in statuses.items()},
            "objects": summary.counts(loaded.state),
        },
        shown=show,
    )
