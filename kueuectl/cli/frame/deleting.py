"""Delete objects of Kueue other than Workloads: by name, by selector, or all, and wait until they are gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from kueuectl.cli.frame import getting, listing, loading, writing
from kueuectl.cli.frame.getting import Wanted
from kueuectl.cli.frame.kinds import Kind
from kueuectl.cli.frame.parameters import FieldSelector, Selector
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import DryRun, KeepGoing, Mode, Step, Yes
from kueuectl.errors import NotFoundError, UnreachableError, UsageError
from kueuectl.model.writes import DELETE, Target, Write

CASCADES = ("background", "orphan", "foreground")
_LOOK_SECONDS = 0.5
# How long waiting is silent.
_PATIENCE = 4

Item = dict[str, Any]


@dataclass(frozen=True)
class Wish:
    """What is to be deleted, and how."""

    names: Sequence[str]
    selector: str | None = None
    field_selector: str | None = None
    every: bool = False
    cascade: str = "background"
    wait: str = "true"
    timeout: str = ""
    ignore_not_found: bool = False
    yes: bool = False
    keep_going: bool = False


def command_for(kind: Kind, *, about: str, examples: tuple[str, str]) -> Callable[..., None]:
    """The command that deletes objects of a kind; `about` is a paragraph of its help."""

    def command(
        ctx: typer.Context,
        names: list[str] | None = None,
        selector: Selector = None,
        field_selector: FieldSelector = None,
        every: Annotated[
            bool, typer.Option("--all", help="Delete all of them; of the namespace, if they have one.")
        ] = False,
        cascade: Annotated[
            str,
            typer.Option(
                "--cascade",
                metavar="CASCADE",
                help="What is owned goes too (background, foreground) or stays (orphan).",
            ),
        ] = "background",
        wait: Annotated[
            str, typer.Option("--wait", metavar="BOOL", help="Wait until they are gone, not only marked.")
        ] = "true",
        timeout: Annotated[
            str,
            typer.Option(
                "--timeout", metavar="DURATION", help="Wait no longer than this, as 30s; 0 or nothing is for ever."
            ),
        ] = "",
        ignore_not_found: Annotated[
            bool, typer.Option("--ignore-not-found", help="Take a name that isn't there for no error.")
        ] = False,
        dry_run: DryRun = "none",
        yes: Yes = False,
        keep_going: KeepGoing = False,
    ) -> None:
        mode = writing.mode(dry_run)
        wish = Wish(
            names or (),
            selector,
            field_selector,
            every,
            cascade,
            wait,
            timeout,
            ignore_not_found,
            yes,
            keep_going,
        )
        delete(ctx.obj, kind, wish, mode=mode)

    word = kind.name.lower()
    shown = "\n".join(f"  {example}" for example in examples)
    command.__doc__ = (
        f"Delete {_plural(kind)}.\n\nkubectl answers where it is installed. {about}\n\n\b\nExamples:\n{shown}\n"
    )
    command.__annotations__["names"] = Annotated[
        list[str] | None, typer.Argument(metavar=f"[{word.upper()}]...", help="Their names.")
    ]
    return command


def _plural(kind: Kind) -> str:
    """The plural as the kind is spelled: Topologies."""
    return f"{kind.name[:-1]}ies" if kind.plural.endswith("ies") else kind.name + kind.plural[len(kind.name) :]


def delete(run: Run, kind: Kind, wish: Wish, *, mode: Mode) -> None:
    """Delete what is wished for; raises UsageError for a wish that contradicts itself."""
    seconds = _checked(wish)
    writing.writer(run)
    found = _found(run, kind, wish)
    if not found:
        if not wish.names:
            run.note(listing.empty_message(kind, loading.namespace(run) if kind.is_namespaced else None))
        return
    if not wish.names and mode is Mode.NONE:
        run.print(f"This operation will delete {len(found)} {_plural(kind) if len(found) > 1 else kind.name}:")
        for item in found:
            run.print(f"  - {_target(kind, item).where}")
        if not writing.confirm(run, "Do you want to proceed", yes=wish.yes):
            run.print("Deletion is canceled")
            return
    steps = [_step(kind, item, wish.cascade) for item in found]
    writing.carry_out(run, steps, mode=mode, keep_going=wish.keep_going)
    if mode is Mode.NONE and wish.wait == "true":
        _wait(run, steps, seconds)


def _checked(wish: Wish) -> float:
    """How many seconds to wait at most, 0 for ever."""
    from kueuectl.cluster.options import parse_duration

    if not all(wish.names):
        # An empty name is the path of all of them.
        raise UsageError("resource name may not be empty", hint="is a variable of your script empty?")
    if wish.names and (wish.selector or wish.field_selector or wish.every):
        raise UsageError("name cannot be provided when a selector is specified", hint="give names, or -l, or --all")
    if not (wish.names or wish.selector or wish.field_selector or wish.every):
        raise UsageError("no object named", hint="give names, a selector with -l, or --all")
    if wish.cascade not in CASCADES:
        raise UsageError(f"invalid cascade value ({wish.cascade})", hint=f"use one of: {', '.join(CASCADES)}")
    if wish.wait not in ("true", "false"):
        raise UsageError(f"invalid value {wish.wait!r} for --wait", hint="use true or false")
    return parse_duration(wish.timeout, flag="--timeout") if wish.timeout else 0


def _found(run: Run, kind: Kind, wish: Wish) -> list[Item]:
    missing: list[NotFoundError] = []
    wanted = Wanted(kind, tuple(dict.fromkeys(wish.names)), wish.selector, wish.field_selector)
    found = getting.items(run, wanted, missing=missing)
    if missing and not wish.ignore_not_found and not (found and wish.keep_going):
        # Nothing is deleted yet: half of what was named would be a surprise.
        getting.tell_missing(run, missing)
    return found


def _target(kind: Kind, item: Item) -> Target:
    metadata = item["metadata"]
    return writing.target(kind, str(metadata["name"]), str(metadata.get("namespace") or ""))


def _step(kind: Kind, item: Item, cascade: str) -> Step:
    target = _target(kind, item)
    body = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": cascade.capitalize()}
    write = Write(DELETE, target, body, uid=str(item["metadata"].get("uid") or ""))
    inside = f" from {target.namespace} namespace" if target.namespace else ""
    return Step(write, f"deleted{inside}", item, name=f'{kind.name.lower()}.{kind.group} "{target.name}"')


def _wait(run: Run, steps: Sequence[Step], seconds: float) -> None:
    """Look until all are gone; raises UnreachableError when that takes too long."""
    hand = writing.writer(run)
    looks = 0
    for step in steps:
        while _is_there(hand.read, step.write):
            if seconds and looks * _LOOK_SECONDS >= seconds:
                raise UnreachableError(
                    f"timed out waiting until {step.shown} is gone",
                    hint="it is marked for deletion, and goes once nothing uses it any more",
                )
            if looks == _PATIENCE:
                run.note(f"{step.shown} is marked for deletion, and goes once nothing uses it any more; waiting")
            run.environment.sleep(_LOOK_SECONDS)
            looks += 1


def _is_there(read: Callable[[Target], Item], write: Write) -> bool:
    """Whether the object that was deleted is still there, not another one of its name."""
    try:
        item = read(write.target)
    except NotFoundError:
        return False
    return not write.uid or bool(item["metadata"].get("uid") == write.uid)
