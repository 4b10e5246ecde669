"""`kueuectl top`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import loading, output
from kueuectl.cli.frame.flags import CHOICES
from kueuectl.cli.frame.kinds import KUEUE_KINDS, find
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.watch import repeat
from kueuectl.errors import UsageError
from kueuectl.report.tables import Table
from kueuectl.report.views import top

_WORDS = {
    "ClusterQueue": "clusterqueues",
    "LocalQueue": "localqueues",
    "Cohort": "cohorts",
    "ResourceFlavor": "flavors",
    "Workload": "workloads",
}


def command(
    ctx: typer.Context,
    what: Annotated[
        str,
        typer.Argument(metavar="[WHAT]", help="clusterqueues, localqueues, cohorts, flavors or workloads."),
    ] = "clusterqueues",
    watch: Annotated[bool, typer.Option("-w", "--watch", help="Show it again and again, until interrupted.")] = False,
    interval: Annotated[
        float, typer.Option("--interval", metavar="SECONDS", help="Wait this long between two looks.", min=0.1)
    ] = 2.0,
) -> None:
    """Show usage of quota with bars, the fullest first.

    OF is the nominal quota; with borrowed quota USED exceeds it. For flavors, ALLOCATABLE is what the ready nodes with
    the flavor's labels hold. For workloads it is the resource of which they take the largest part of their
    ClusterQueue's nominal quota.

    \b
    Examples:
      kueuectl top --from example:four-tenants
      kueuectl top workloads -n team-a --watch
    """
    run = ctx.obj
    kind = _kind(what)
    if watch:
        repeat(run, lambda: _table(run, loading.load_all(run, decides=False), kind), interval=interval)
        return
    loaded = loading.load_all(run, decides=False)
    output.document(
        run,
        lambda: {**output.header("Top"), "of": kind, "items": top.document(_page(run, loaded, kind))},
        shown=lambda: output.table(run, _table(run, loaded, kind)),
        kind=next(name for name, word in _WORDS.items() if word == kind),
    )


def _kind(word: str) -> str:
    found = find(word, KUEUE_KINDS)
    kind = _WORDS.get(found.name, "") if found is not None else ""
    if not kind:
        raise UsageError(f"can't show usage of {word!r}", hint=f"use one of: {', '.join(CHOICES['WHAT'])}")
    return kind


def _table(run: Run, loaded: Loaded, kind: str) -> Table:
    return top.table(_page(run, loaded, kind), is_unicode=run.environment.is_unicode)


def _page(run: Run, loaded: Loaded, kind: str) -> top.Page:
    from kueuectl.engine import snapshot
    from kueuectl.report.views import usage, workloads

    state, settings = loaded.state, loaded.settings
    if kind in ("localqueues", "workloads"):
        built = snapshot.build(state, settings)
        namespace = run.flags.namespace
        if kind == "workloads":
            return top.running(built, keep=lambda found: namespace in (None, found))
        page = top.local_queues(built, workloads.counts(state.workloads.values(), state.local_queues))
        return page._replace(rows=[row for row in page.rows if namespace in (None, row.name[0])])
    roots = usage.views(state, settings)
    if kind == "cohorts":
        return top.cohorts(roots)
    if kind == "flavors":
        return top.flavors(roots, state)
    return top.cluster_queues(roots, workloads.counts(state.workloads.values(), state.local_queues))
