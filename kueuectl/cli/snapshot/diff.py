"""`kueuectl snapshot diff`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import loading, output
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.errors import UsageError

_DIFFERS = 2
# What is missing in a dump says nothing about what differs.
_OF_NO_CONCERN = ("the input has no Configuration", "the input does not say when it was saved")


def command(
    ctx: typer.Context,
    first: Annotated[str, typer.Argument(metavar="FILE", help="The earlier dump: a file, folder or example:NAME.")],
    second: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="The later dump; without it the cluster, or --from."),
    ] = None,
    detailed_exitcode: Annotated[
        bool, typer.Option("--detailed-exitcode", help="Exit with 2 if something differs, 1 on any error.")
    ] = False,
) -> None:
    """Tell what became different between two dumps.

    Objects that were added, removed or changed, with the paths of their fields; what became of workloads; usage and
    quota of ClusterQueues and cohorts; Kueue's Configuration.

    \b
    Examples:
      kueuectl snapshot diff monday.json tuesday.json
      kueuectl snapshot diff monday.json --context production -o json
    """
    run = ctx.obj
    from kueuectl.analysis import state_diff
    from kueuectl.report.views import state_diff as view

    if second is not None and run.flags.sources:
        raise UsageError("give two dumps, or one and --from")
    before = _dump(run, first)
    after = _dump(run, second) if second is not None else loading.load_all(run)
    found = state_diff.between(before.state, after.state, settings=(before.settings, after.settings))
    for kind in found.only_once:
        run.warn(f"only one of both has {kind} objects: the other one may have been saved without them")
    moments = (before.now, after.now)
    output.document(
        run,
        lambda: view.document(found, moments=moments),
        shown=lambda: output.blocks(run, view.blocks(found, moments=moments)),
        items="objects",
    )
    if detailed_exitcode and not found.is_empty:
        raise typer.Exit(_DIFFERS)


def _dump(run: Run, path: str) -> Loaded:
    from kueuectl.store.load import load

    stdin = run.environment.stdin_bytes if path == "-" else None
    read = load([path], stdin=stdin, kueue_config=run.flags.kueue_config, clock=run.environment.clock)
    for warning in read.warnings:
        if not warning.startswith(_OF_NO_CONCERN):
            run.warn(f"{path}: {warning}")
    return Loaded(read.state, read.settings, read.now)
