"""`kueuectl delete workload`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import typer

from kueuectl.cli.frame import kinds, listing, loading, owning, selectors, writing
from kueuectl.cli.frame.owning import Job
from kueuectl.cli.frame.parameters import Selector
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import DryRun, KeepGoing, Mode, Step, Yes
from kueuectl.errors import NotFoundError, UsageError
from kueuectl.model.writes import DELETE, Write
from kueuectl.report import text

Item = dict[str, Any]
# The pods of a job go with it.
_OPTIONS = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
# A question names so many jobs at most.
_MOST_NAMED = 50


class _Doomed(NamedTuple):
    """A workload with the jobs that it is of; none where it stands alone, or they are gone."""

    key: str
    item: Item
    jobs: list[Job]


def command(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[WORKLOAD]...", help="The Workloads to delete, or --all or -l.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Delete all Workloads of the namespace.")] = False,
    selector: Selector = None,
    yes: Yes = False,
    dry_run: DryRun = "none",
    keep_going: KeepGoing = False,
) -> None:
    """Delete Workloads and the jobs that they are of.

    Deletes the job and its pods (propagationPolicy Background), all pods of a pod group with their Workload, or a
    Workload that no job owns, or whose job is gone. What is deleted with it is listed, and asked about, before.
    Workloads that are not there are told, the others are deleted, and the exit code is 3.

    \b
    Examples:
      kueuectl delete workload job-train-a1b2c -n team-a
      kueuectl delete workload --all -n team-a --dry-run=server
    """
    run = ctx.obj
    mode = writing.mode(dry_run)
    found, missing = _chosen(run, names or (), everything=everything, selector=selector)
    for name in missing:
        run.note(f'{kinds.WORKLOAD.resource} "{name}" not found')
    doomed = [_Doomed(key, item, owning.jobs(run, key, owning.references(item))) for key, item in found]
    steps = _steps(run, doomed)
    if steps and mode is Mode.NONE and not yes and not _agreed(run, doomed, are_named=bool(names)):
        run.print("Deletion is canceled")
        return
    if steps:
        writing.carry_out(run, steps, mode=mode, keep_going=keep_going)
    if missing:
        raise typer.Exit(NotFoundError.exit_code)


def _chosen(
    run: Run, names: Sequence[str], *, everything: bool, selector: str | None
) -> tuple[list[tuple[str, Item]], list[str]]:
    """The workloads with their keys, and the names that are not there."""
    hand = writing.writer(run)
    terms = selectors.parse(selector)
    if names and (everything or terms):
        raise UsageError("name cannot be provided when a selector is specified")
    if names and run.flags.all_namespaces:
        raise UsageError("a resource cannot be retrieved by name across all namespaces", hint="choose one with -n")
    if not names and not everything and not terms:
        raise UsageError("missing argument 'WORKLOAD'", hint="name Workloads, or give --all or -l SELECTOR")
    namespace = loading.namespace(run)
    if not names:
        items = [item for item in loading.raw(run, kinds.WORKLOAD, namespace=namespace) if _matches(item, terms)]
        if not items:
            run.note(listing.empty_message(kinds.WORKLOAD, namespace))
        return [(_key(item), item) for item in items], []
    found, missing = [], []
    for name in dict.fromkeys(names):
        try:
            item = hand.read(writing.target(kinds.WORKLOAD, name, namespace or "default"))
            found.append((_key(item), item))
        except NotFoundError:
            missing.append(name)
    return found, missing


def _matches(item: Item, terms: tuple[selectors.Term, ...]) -> bool:
    return selectors.matches(terms, item.get("metadata", {}).get("labels") or {})


def _key(item: Item) -> str:
    metadata = item.get("metadata", {})
    return f"{metadata.get('namespace') or ''}/{metadata.get('name') or ''}"


def _steps(run: Run, doomed: Sequence[_Doomed]) -> list[Step]:
    """One deletion for each job, and for each workload without any or of a pod group; an object is deleted once."""
    steps: dict[str, Step] = {}
    for one in doomed:
        if not one.jobs and owning.references(one.item):
            run.note(f"Workload {one.key}: the job that it is of is gone; it is deleted itself")
        namespace, _, name = one.key.partition("/")
        # Pods of a group keep their finalizers until their Workload goes (docs: Run Plain Pods, Termination).
        goes_itself = not one.jobs or any(job.is_of_group for job in one.jobs)
        itself = [(writing.target(kinds.WORKLOAD, name, namespace), one.item, "")] if goes_itself else []
        for target, item, shown in [*((job.target, job.item, job.shown) for job in one.jobs), *itself]:
            uid = str(item.get("metadata", {}).get("uid") or "")
            steps[uid or target.where] = Step(Write(DELETE, target, dict(_OPTIONS), uid=uid), "deleted", name=shown)
        for job in one.jobs:
            if job.maker:
                run.warn(f"{text.clean(job.shown)} was made by {text.clean(job.maker)}, which may make it anew")
    return list(steps.values())


def _agreed(run: Run, doomed: Sequence[_Doomed], *, are_named: bool) -> bool:
    """Ask, in the words of the Go plugin; it asks only where jobs are deleted, and names them only for names."""
    lines: list[str] = []
    for one in doomed:
        if one.jobs and lines and are_named:
            lines.append("")
        lines += [f"  - {job.shown} associated with the {one.key} workload" for job in one.jobs]
    if are_named and not lines:
        return True
    if are_named:
        run.print("This operation will also delete:")
        for line in lines:
            run.print(line)
    else:
        run.print("This operation will also delete the jobs associated with these workloads.")
        for line in lines[:_MOST_NAMED]:
            run.note(line)
        if len(lines) > _MOST_NAMED:
            run.note(f"  and {len(lines) - _MOST_NAMED} more")
    return writing.confirm(run, "Do you want to proceed", yes=False, ends_line=False)
