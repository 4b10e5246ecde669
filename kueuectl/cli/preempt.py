"""`kueuectl preempt`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import loading, objects, output
from kueuectl.errors import UsageError


def command(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[WORKLOAD]...", help="Workloads to evict in the preview.")
    ] = None,
    for_: Annotated[
        str | None, typer.Option("--for", metavar="WORKLOAD", help="Show the victims that Kueue would choose for it.")
    ] = None,
) -> None:
    """Preview who would be preempted, or what evictions bring.

    With --for: the victims of one waiting workload, what they lose, and why others are not chosen. With names: who
    would get quota if those were evicted now. Nothing is written.

    \b
    Examples:
      kueuectl preempt --for urgent -n team-a --from example:preemption
      kueuectl preempt batch-1 batch-2 -n team-b -o json
    """
    run = ctx.obj
    if bool(names) == (for_ is not None):
        raise UsageError("name workloads to evict, or one with --for")
    loaded = loading.load_all(run)
    from kueuectl.analysis import preempt
    from kueuectl.report.views import preempt as view

    state, settings, now = loaded.state, loaded.settings, loaded.now
    if for_ is not None:
        plan = preempt.plan_for(state, settings, now=now, key=objects.workload(run, state, for_))
        output.document(
            run,
            lambda: view.plan_document(plan, now=now),
            shown=lambda: output.blocks(run, view.plan_blocks(plan, now=now)),
        )
        return
    keys = [objects.workload(run, state, name, holding=True) for name in names or ()]
    effect = preempt.effect_of(state, settings, now=now, keys=keys)
    output.document(
        run, lambda: view.effect_document(effect), shown=lambda: output.blocks(run, view.effect_blocks(effect))
    )
