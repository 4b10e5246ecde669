"""Plans as answers: on stdout, or kept in a file."""

from __future__ import annotations

from kueuectl.cli.frame.run import Run
from kueuectl.errors import UsageError
from kueuectl.model.plan import Plan


def keep(run: Run, plan: Plan) -> None:
    """Print a plan for -o plan, or write it to FILE for -o plan=FILE."""
    from kueuectl.store import plans

    if not run.format.argument:
        run.write([plans.encode(plan).decode()])
        return
    plans.write(run.format.argument, plan)
    steps = f"{len(plan.steps)} step{'' if len(plan.steps) == 1 else 's'}"
    run.note(f"Wrote a plan of {steps} to {run.format.argument}")


def refuse_with_apply(run: Run) -> None:
    """Raise UsageError for -o plan beside --apply."""
    if run.format.kind == "plan":
        raise UsageError(
            "-o plan only makes a plan", hint="name the plan's file with --plan-file, or leave --apply out"
        )
