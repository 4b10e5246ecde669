"""`kueuectl get`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from kueuectl.cli.frame import getting, output
from kueuectl.cli.frame.getting import Wanted
from kueuectl.cli.frame.kubectl import PassedOn
from kueuectl.cli.frame.parameters import FieldSelector, Selector
from kueuectl.cli.frame.run import Run
from kueuectl.errors import NotFoundError, UsageError
from kueuectl.report.tables import Table

PARSER = PassedOn
# How often a watch looks.
_SECONDS = 2.0


def command(
    ctx: typer.Context,
    words: Annotated[
        list[str], typer.Argument(metavar="KIND/NAME...", help="A kind, or objects of it: KIND NAME or KIND/NAME.")
    ],
    selector: Selector = None,
    field_selector: FieldSelector = None,
    show_labels: Annotated[bool, typer.Option("--show-labels", help="Add a column with the labels.")] = False,
    ignore_not_found: Annotated[
        bool, typer.Option("--ignore-not-found", help="Take a name that isn't there for no error.")
    ] = False,
    watch: Annotated[bool, typer.Option("-w", "--watch", help="Go on, and print what changes.")] = False,
) -> None:
    """Print objects of Kueue as the API server shows them.

    kubectl answers where it is installed, with all its flags. KIND is one of Kueue's; several are separated by commas.

    \b
    Examples:
      kueuectl get clusterqueue -o wide
      kueuectl get workload/job-train-a1b2c -n team-a -o yaml
    """
    run = ctx.obj
    chosen = getting.wanted(words, selector=selector, field_selector=field_selector)
    if watch:
        _watch(run, chosen, labels=show_labels)
    missing: list[NotFoundError] = []
    if run.format.is_table:
        shown = _show(run, chosen, labels=show_labels, missing=missing)
        if not shown and not missing:
            run.note(getting.empty(run, chosen))
    else:
        getting.show_raw(run, chosen, missing=missing)
    if not ignore_not_found:
        getting.tell_missing(run, missing)


def _show(run: Run, chosen: Sequence[Wanted], *, labels: bool, missing: list[NotFoundError]) -> int:
    """Print a table for each kind; how many rows there are in all."""
    rows = 0
    for one in chosen:
        shown = getting.table(run, one, missing=missing)
        if not shown.metadata:
            continue
        if rows:
            run.print()
        rows += len(shown.metadata)
        several = len(chosen) > 1
        made = getting.with_columns(
            shown, kind=one.kind, namespaces=getting.namespace(run, one) is None, labels=labels, prefixed=several
        )
        output.table(run, made)
    return rows


def _watch(run: Run, chosen: Sequence[Wanted], *, labels: bool) -> NoReturn:
    """Print the table, then rows of objects that changed, until interrupted."""
    if run.is_offline:
        raise UsageError("--watch needs a cluster: a dump doesn't change")
    if not run.format.is_table or len(chosen) > 1:
        raise UsageError("--watch shows the table of one kind")
    one = chosen[0]
    seen: dict[str, object] = {}
    while True:
        missing: list[NotFoundError] = []
        shown = getting.table(run, one, missing=missing)
        getting.tell_missing(run, missing)
        now = {str(held.get("uid")): held.get("resourceVersion") for held in shown.metadata}
        places = [place for place, (uid, version) in enumerate(now.items()) if uid not in seen or seen[uid] != version]
        if places:
            _print_rows(run, one, shown, places, labels=labels)
            run.flags.no_headers = True
        seen = now
        run.environment.stdout.flush()
        run.environment.sleep(_SECONDS)


def _print_rows(run: Run, one: Wanted, shown: getting.Shown, places: Sequence[int], *, labels: bool) -> None:
    rows = [shown.table.rows[place] for place in places]
    part = getting.Shown(Table(shown.table.columns, rows), tuple(shown.metadata[place] for place in places))
    is_all = getting.namespace(run, one) is None
    output.table(run, getting.with_columns(part, kind=one.kind, namespaces=is_all, labels=labels, prefixed=False))
