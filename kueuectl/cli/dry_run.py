"""`kueuectl dry-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kueuectl.cli.frame import loading, output
from kueuectl.cli.frame.run import Run
from kueuectl.errors import UsageError

if TYPE_CHECKING:
    from kueuectl.cli.frame.changing import Wanted

_SET = "Set a field, as clusterqueue/NAME:FLAVOR/RESOURCE.nominal=40 or workload/NAME:priority=5; may be repeated."


def command(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Option(
            "-f", "--filename", metavar="FILE", help="Apply manifests of a file, folder or -; may be repeated."
        ),
    ] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="ASSIGNMENT", help=_SET)] = None,
    deletes: Annotated[
        list[str] | None,
        typer.Option("--delete", metavar="OBJECT", help="Delete KIND/[NAMESPACE/]NAME; may be repeated."),
    ] = None,
    submits: Annotated[
        list[str] | None,
        typer.Option("--submit", metavar="FILE", help="Submit the jobs or Workloads of a file; may be repeated."),
    ] = None,
    queue: Annotated[
        str | None, typer.Option("--queue", metavar="LOCALQUEUE", help="Submit jobs that name no queue to this one.")
    ] = None,
    priority_class: Annotated[
        str | None,
        typer.Option(
            "--priority-class", metavar="WORKLOADPRIORITYCLASS", help="Give this class to jobs that name none."
        ),
    ] = None,
    drains: Annotated[
        list[str] | None,
        typer.Option("--drain", metavar="NODE", help="Take nodes away by name or label selector; may be repeated."),
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            "--sweep", metavar="FILE", help="Run the variants of a YAML file over all cores and compare them."
        ),
    ] = None,
    max_rounds: Annotated[
        int | None,
        typer.Option(
            "--max-rounds", metavar="NUMBER", help="Stop after this many rounds (1000, or fewer in very large trees)."
        ),
    ] = None,
    detailed_exitcode: Annotated[
        bool, typer.Option("--detailed-exitcode", help="Exit with 2 if something changes, 1 on any error.")
    ] = False,
) -> None:
    """Show what a change would bring, without making it.

    The state is run to its end twice, as it is and with all changes, and the difference is told: who is admitted, who
    is preempted by whom, who loses, moves, waits at another position; quota, usage and shares of every node. Without a
    change: where the present state settles. Fields of --set: nominal, borrowing-limit, lending-limit (behind
    FLAVOR/RESOURCE.), weight, cohort, parent, strategy, stop-policy, preemption policies, fungibility; of workloads
    priority, queue, count, active; none takes a limit away. With --submit and --detailed-exitcode: 0 if every submitted
    workload is admitted, else 2. A sweep file has grid: {PATH: [VALUES]} with the paths of --set, fairSharing and
    gate/NAME, and variants: [{name, set, delete}].

    \b
    Examples:
      kueuectl dry-run --set clusterqueue/vision:a100/nvidia.com/gpu.nominal=16
      kueuectl dry-run --submit job.yaml -n team-a --detailed-exitcode
    """
    run = ctx.obj
    from kueuectl.cli.frame.changing import Wanted

    wanted = Wanted(
        files=files or (),
        sets=sets or (),
        deletes=deletes or (),
        submits=submits or (),
        drains=drains or (),
        queue=queue or "",
        priority_class=priority_class or "",
    )
    if sweep is not None:
        _sweep(run, wanted, sweep, max_rounds=max_rounds)
        return
    code = _answer(run, wanted, max_rounds=max_rounds)
    if detailed_exitcode and code:
        raise typer.Exit(code)


def _answer(run: Run, wanted: Wanted, *, max_rounds: int | None) -> int:
    """Print the answer; 2 when something changes, or not all of what was submitted is admitted, else 0."""
    from kueuectl.cli.frame import changing
    from kueuectl.report.views import dry_run as view
    from kueuectl.report.views import dry_run_document

    if max_rounds is not None and max_rounds < 1:
        raise UsageError("--max-rounds has to be at least 1")
    loaded = loading.load_all(run)
    changed = changing.apply(run, loaded, wanted)
    story = changing.story(loaded, changed, wanted, max_rounds=max_rounds)
    warnings = view.warnings(story.result, loaded.state, loaded.settings)
    for warning in warnings:
        run.warn(warning)
    now = loaded.now
    output.document(
        run,
        lambda: dry_run_document.document(story, now=now, warnings=warnings),
        shown=lambda: output.blocks(run, view.blocks(story, now=now, wide=run.format.is_wide)),
    )
    if wanted.submits:
        asked = [fate for fate in story.fates if fate.workload in changed.asked]
        return 0 if all(fate.is_admitted for fate in asked) else 2
    return 0 if story.result.is_empty else 2


def _sweep(run: Run, wanted: Wanted, path: str, *, max_rounds: int | None) -> None:
    """Print what comes of each variant of the changed state."""
    from kueuectl.cli.frame import changing, sweeping
    from kueuectl.report.views import sweep as view

    variants = sweeping.read(run, path)
    loaded = loading.load_all(run)
    changed = changing.apply(run, loaded, wanted)
    rows = [
        view.Line(swept.variant.name, swept.variant.values, swept.row)
        for swept in sweeping.sweep_all(run, loaded, changed, variants, max_rounds=max_rounds)
    ]
    output.document(run, lambda: view.document(rows), shown=lambda: output.blocks(run, view.blocks(rows)))
