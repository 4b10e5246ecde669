"""`kueuectl rebalance`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kueuectl.cli.frame import applying, loading, output, planning, wishes
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import DryRun, KeepGoing, Yes
from kueuectl.errors import KueuectlError, UsageError

if TYPE_CHECKING:
    from kueuectl.analysis.rebalance import Proposed, Result
    from kueuectl.cli.frame.goals import Wanted
    from kueuectl.model.plan import Plan


def command(
    ctx: typer.Context,
    cohort: Annotated[
        str | None, typer.Argument(metavar="[COHORT]", help="Judge only this cohort and what is below it.")
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option("--goal", metavar="GOAL", help="Reach fair, nominal, fit:WORKLOAD or within-quota."),
    ] = None,
    max_evictions: Annotated[
        int | None,
        typer.Option(
            "--max-evictions",
            metavar="NUMBER",
            help="Evict no more workloads than this; by default as many as it takes.",
        ),
    ] = None,
    max_lost_gpu_hours: Annotated[
        float | None,
        typer.Option(
            "--max-lost-gpu-hours",
            metavar="HOURS",
            help="Lose no more GPU-hours of work than this; by default as many as it takes.",
        ),
    ] = None,
    gpu_resource: Annotated[
        list[str] | None,
        typer.Option(
            "--gpu-resource",
            metavar="RESOURCE",
            help="Count this resource as GPUs, beside names that end in /gpu or hold /mig-; may be repeated.",
        ),
    ] = None,
    protect_priority: Annotated[
        int | None,
        typer.Option("--protect-priority", metavar="NUMBER", help="Spare workloads of this priority and above."),
    ] = None,
    protect_older_than: Annotated[
        str | None,
        typer.Option(
            "--protect-older-than", metavar="DURATION", help="Spare workloads admitted for longer than this, as 12h."
        ),
    ] = None,
    protect_younger_than: Annotated[
        str | None,
        typer.Option(
            "--protect-younger-than", metavar="DURATION", help="Spare workloads admitted for less than this, as 10m."
        ),
    ] = None,
    protect_namespace: Annotated[
        list[str] | None,
        typer.Option("--protect-namespace", metavar="NAMESPACE", help="Spare this namespace; may be repeated."),
    ] = None,
    protect_selector: Annotated[
        list[str] | None,
        typer.Option(
            "--protect-selector", metavar="SELECTOR", help="Spare workloads with these labels; may be repeated."
        ),
    ] = None,
    hold: Annotated[
        bool, typer.Option("--hold", help="Deactivate victims, so that they don't come back by themselves.")
    ] = False,
    number: Annotated[
        int, typer.Option("--plan", metavar="NUMBER", help="Choose this one of several plans for -o plan or --apply.")
    ] = 1,
    apply: wishes.Apply = False,
    yes: Yes = False,
    keep_going: KeepGoing = False,
    timeout: wishes.Timeout = wishes.FOR_LONG,
    backoff: wishes.Backoff = None,
    plan_file: wishes.PlanFile = None,
    dry_run: DryRun = "none",
) -> None:
    """Find the fewest preemptions that reach a goal.

    Goals: fair, shares of siblings differ by no more than one workload (the default with fair sharing); nominal, every
    queue that waits within its nominal quota gets it (the default without); fit:WORKLOAD, this one gets quota;
    within-quota, nobody uses more than quota and borrowing limits allow. Each plan is tried in the engine, with what
    Kueue would do next. -o plan prints it, -o plan=FILE writes it to a file. Only --apply writes to the cluster.

    \b
    Examples:
      kueuectl rebalance --goal nominal --protect-priority 1000
      kueuectl rebalance --goal fit:team-a/train -o plan=plan.json
    """
    run = ctx.obj
    from kueuectl.cli.frame.goals import Wanted

    wanted = Wanted(
        goal=goal,
        cohort=cohort,
        max_evictions=max_evictions,
        max_lost_gpu_hours=max_lost_gpu_hours,
        gpu_resources=gpu_resource or (),
        priority=protect_priority,
        older_than=protect_older_than,
        younger_than=protect_younger_than,
        namespaces=protect_namespace or (),
        selectors=protect_selector or (),
        hold=hold,
    )
    how = None
    if apply:
        planning.refuse_with_apply(run)
        how = wishes.of(
            run,
            yes=yes,
            keep_going=keep_going,
            timeout=timeout,
            dry_run=dry_run,
            backoff=backoff,
            plan_file=plan_file,
        )
    loaded = loading.load_all(run)
    found = _find(run, loaded, wanted)
    chosen = _chosen(found, number)
    if run.format.kind != "plan" and (not apply or run.format.is_table or chosen is None):
        _show(run, loaded, found)
    if how is not None and chosen is not None:
        applying.new(run, _plan(loaded, found, chosen), wanted=how, command="rebalance")
    elif run.format.kind == "plan" and not (chosen is None and (found.gaps or found.hopeless)):
        planning.keep(run, _plan(loaded, found, chosen))
    if chosen is None and (found.gaps or found.hopeless):
        hint = "look at what is protected, at the limits, or at --hold"
        if not found.gaps and not any(found.shielded.values()):
            hint = f"evicting others doesn't help here: '{run.environment.program} explain' tells what would"
        raise KueuectlError("no plan reaches the goal", hint=hint)


def _find(run: Run, loaded: Loaded, wanted: Wanted) -> Result:
    from kueuectl.analysis import rebalance
    from kueuectl.cli.frame import goals

    request = goals.request(run, loaded, wanted)
    with run.progress("Trying") as show:
        return rebalance.find(
            loaded.state,
            loaded.settings,
            now=loaded.now,
            request=request,
            on_trial=None if show is None else lambda count: show("sets of victims", count, 0),
        )


def _chosen(found: Result, number: int) -> Proposed | None:
    if number < 1 or (number > 1 and number > len(found.plans)):
        raise UsageError(f"there is no plan {number}", hint=f"{len(found.plans)} were found")
    return found.plans[number - 1] if found.plans else None


def _show(run: Run, loaded: Loaded, found: Result) -> None:
    from kueuectl.report.views import rebalance as view

    def shown() -> None:
        output.blocks(run, view.blocks(found, wide=run.format.is_wide, why=_why(loaded, found)))

    output.document(run, lambda: view.document(found), shown=shown, items="victims")


def _why(loaded: Loaded, found: Result) -> str:
    """What keeps the workload of goal fit out, where evictions can't help."""
    key = found.request.goal.workload
    if not key or not found.hopeless:
        return ""
    from kueuectl.analysis import explain
    from kueuectl.report import sentences

    story, _ = explain.workload(loaded.state, loaded.settings, now=loaded.now, key=key, with_proposals=False)
    return f"{story.verdict.code}: {sentences.verdict(story, now=loaded.now)}"


def _plan(loaded: Loaded, found: Result, chosen: Proposed | None) -> Plan:
    """The plan as it is kept; of a goal that is reached already one without steps."""
    from kueuectl import KUEUE_TARGET, __version__
    from kueuectl.analysis import rebalance_plan

    return rebalance_plan.of(
        loaded.state, found, chosen, made_at=loaded.now, tool_version=__version__, kueue_target=KUEUE_TARGET
    )
