"""`kueuectl preempt`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kueuectl.cli.frame import applying, loading, objects, output, planning, wishes
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import DryRun, KeepGoing, Yes
from kueuectl.errors import KueuectlError, UsageError
from kueuectl.report import text

if TYPE_CHECKING:
    from kueuectl.analysis.preempt import Loss
    from kueuectl.model.plan import Plan


def command(
    ctx: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="[WORKLOAD]...", help="Workloads to evict.")] = None,
    for_: Annotated[
        str | None, typer.Option("--for", metavar="WORKLOAD", help="Evict the victims that Kueue would choose for it.")
    ] = None,
    apply: wishes.Apply = False,
    hold: Annotated[
        bool, typer.Option("--hold", help="Deactivate victims, so that they don't come back by themselves.")
    ] = False,
    yes: Yes = False,
    keep_going: KeepGoing = False,
    timeout: wishes.Timeout = wishes.FOR_LONG,
    backoff: wishes.Backoff = None,
    plan_file: wishes.PlanFile = None,
    dry_run: DryRun = "none",
) -> None:
    """Preview who would be preempted, or evict workloads.

    With --for: the victims of one waiting workload, what they lose, and why others are not chosen. With names: who
    would get quota if those were evicted now. Only --apply writes: as Kueue does when it preempts, so that it stops the
    jobs, frees their quota and queues them again. -o plan prints the plan, -o plan=FILE writes it to a file.

    \b
    Examples:
      kueuectl preempt --for forecast -n team-a --from example:preemption
      kueuectl preempt batch-1 batch-2 -n team-b --apply
    """
    run = ctx.obj
    if bool(names) == (for_ is not None):
        raise UsageError("name workloads to evict, or one with --for")
    wanted = None
    if apply:
        planning.refuse_with_apply(run)
        wanted = wishes.of(
            run,
            yes=yes,
            keep_going=keep_going,
            timeout=timeout,
            dry_run=dry_run,
            backoff=backoff,
            plan_file=plan_file,
        )
    loaded = loading.load_all(run)
    key = ""
    if for_ is not None:
        victims, key = _for_one(run, loaded, for_, applies=apply)
    else:
        victims = _named(run, loaded, names or (), hold=hold, applies=apply)
    if not apply and run.format.kind != "plan":
        return
    plan = _plan(run, loaded, victims, for_=key, hold=hold)
    if wanted is None:
        planning.keep(run, plan)
    else:
        applying.new(run, plan, wanted=wanted, command="preempt")


def _for_one(run: Run, loaded: Loaded, name: str, *, applies: bool) -> tuple[Sequence[Loss], str]:
    """Show whom Kueue would choose for a workload; who that is, and the workload's key."""
    from kueuectl.analysis import preempt
    from kueuectl.report.views import preempt as view

    state, settings, now = loaded.state, loaded.settings, loaded.now
    key = objects.workload(run, state, name)
    found = preempt.plan_for(state, settings, now=now, key=key)
    _show(
        run,
        lambda: view.plan_document(found, now=now),
        lambda: output.blocks(run, view.plan_blocks(found, now=now)),
        applies=applies,
    )
    return found.victims, key


def _named(run: Run, loaded: Loaded, names: Sequence[str], *, hold: bool, applies: bool) -> Sequence[Loss]:
    """Show what evicting the named workloads brings; what they lose."""
    from kueuectl.analysis import preempt_plan
    from kueuectl.report.views import preempt as view

    state = loaded.state
    keys = [objects.workload(run, state, name, holding=True) for name in names]
    effect = preempt_plan.effect_of(state, loaded.settings, now=loaded.now, keys=keys, hold=hold)
    _show(
        run,
        lambda: view.effect_document(effect),
        lambda: output.blocks(run, view.effect_blocks(effect)),
        applies=applies,
    )
    return effect.evicted


def _show(run: Run, made: Callable[[], dict[str, Any]], shown: Callable[[], None], *, applies: bool) -> None:
    """The preview: before a plan is carried out only for people, and not where the plan itself is the answer."""
    if run.format.kind == "plan" or (applies and not run.format.is_table):
        return
    output.document(run, made, shown=shown)


def _plan(run: Run, loaded: Loaded, victims: Sequence[Loss], *, for_: str, hold: bool) -> Plan:
    """The plan of these evictions; raises KueuectlError for one that promises nothing."""
    from kueuectl import KUEUE_TARGET, __version__
    from kueuectl.analysis import preempt_plan

    if not victims:
        raise KueuectlError(
            f"Kueue would preempt nobody for {text.clean(for_)}",
            hint=f"rebalance --goal fit:{text.clean(for_)} looks for evictions that its policies don't allow",
        )
    draft = preempt_plan.of(
        loaded.state,
        loaded.settings,
        now=loaded.now,
        victims=victims,
        for_=for_,
        hold=hold,
        tool_version=__version__,
        kueue_target=KUEUE_TARGET,
    )
    if not draft.is_settled:
        raise KueuectlError("Kueue would not come to rest: the workloads preempt each other in a loop")
    if not draft.reached:
        raise KueuectlError(
            f"evicting them would not admit {text.clean(for_)}: others take the room",
            hint=f"rebalance --goal fit:{text.clean(for_)} looks further",
        )
    if not draft.one_by_one:
        run.warn("the evictions have to land together: if their quota comes free one after the other, others take it")
    return draft.plan
