"""Carry out writes: show, ask, try on the server, write one by one, a line for each.

Rules.
 1. Nothing is asked for one object that the command names; a batch, and whatever evicts, is asked about unless --yes.
 2. Every write of a batch is tried with dryRun=All before the first is sent; one that the server would refuse stops
    all.
 3. Steps go one after the other. The first that fails ends the command, unless `keep_going`; then the exit code is that
    of the first failure, and what was not done is told, name by name.
 4. --dry-run=client prints and sends nothing, --dry-run=server sends trials only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kueuectl.cli.frame import output
from kueuectl.cli.frame.kinds import Kind
from kueuectl.cli.frame.run import Run
from kueuectl.errors import KueuectlError, UsageError
from kueuectl.model.writes import PATCH, Target, Write
from kueuectl.report import text

if TYPE_CHECKING:
    from kueuectl.cluster.write import Writer

Item = dict[str, Any]

DryRun = Annotated[
    str,
    typer.Option(
        "--dry-run",
        metavar="MODE",
        help="Write (none), only print what would be written (client), or have the server try it (server).",
    ),
]
Yes = Annotated[bool, typer.Option("-y", "--yes", help="Don't ask.")]
KeepGoing = Annotated[bool, typer.Option("--keep-going", help="Go on with the next object after a failure.")]


class Mode(Enum):
    """What --dry-run asks for."""

    NONE = "none"
    CLIENT = "client"
    SERVER = "server"

    @property
    def suffix(self) -> str:
        """What lines of results end with."""
        return "" if self is Mode.NONE else f" ({self.value} dry run)"


def mode(value: str) -> Mode:
    """The mode of a --dry-run value; raises UsageError for another word."""
    try:
        return Mode(value)
    except ValueError:
        raise UsageError(
            f'invalid dry-run value ({value}). Must be "none", "server", or "client"', hint="the default is none"
        ) from None


@dataclass(frozen=True)
class Step:
    """A write with the word for its result ("stopped"), and the object as it would be, for --dry-run=client."""

    write: Write
    done: str
    preview: Item | None = None


def target(kind: Kind, name: str, namespace: str = "") -> Target:
    """An object of a kind by name."""
    return Target(kind.name, kind.group, kind.plural, name, namespace if kind.is_namespaced else "")


def patch(found: Target, body: Item, item: Item, *, subresource: str = "") -> Write:
    """A merge patch of an object that was read, refused by the server once it is another one."""
    metadata = item.get("metadata") or {}
    version = str(metadata.get("resourceVersion") or "")
    uid = str(metadata.get("uid") or "")
    return Write(PATCH, found, body, uid=uid, resource_version=version, subresource=subresource)


def writer(run: Run) -> Writer:
    """The hand that writes, over the connection of the run. Raises UsageError where the state is a dump."""
    if run.is_offline:
        raise UsageError("a dump can't be written to", hint="leave --from out, or try the change with dry-run")
    from kueuectl.cli.frame import live
    from kueuectl.cluster.write import Writer

    return Writer(live.client(run))


def confirm(run: Run, question: str, *, yes: bool) -> bool:
    """Whether to go on: --yes, or a y on standard input. The question goes to stdout as the Go plugin has it."""
    if yes:
        return True
    out = run.environment.stdout
    out.write(text.clean(f"{question} (y/n)? "))
    out.flush()
    answer = run.environment.stdin.readline().strip().lower()
    if not run.environment.stdin_is_tty:
        out.write("\n")
    return answer in ("y", "yes")


def carry_out(run: Run, steps: Sequence[Step], *, mode: Mode, keep_going: bool = False) -> None:
    """Do the steps in their order and print each result; see the rules of this module."""
    if mode is Mode.CLIENT:
        _print(run, steps, [step.preview or _bare(step.write) for step in steps], mode)
        return
    hand = writer(run)
    if mode is Mode.SERVER or len(steps) > 1:
        tried = _each(run, steps, hand.check, mode if mode is Mode.SERVER else None, keep_going=keep_going)
        if mode is Mode.SERVER:
            return
        steps = tried
    _each(run, steps, hand.send, mode, keep_going=keep_going)


def _each(
    run: Run, steps: Sequence[Step], act: Callable[[Write], Item], mode: Mode | None, *, keep_going: bool
) -> list[Step]:
    """Act on each step and print its result where a mode is given; the steps that went well."""
    well: list[Step] = []
    found: list[Item] = []
    first: KueuectlError | None = None
    for place, step in enumerate(steps):
        try:
            found.append(act(step.write))
        except KueuectlError as error:
            if first is None:
                first = error
            if not keep_going:
                _print(run, well, found, mode)
                _tell_rest(run, steps[place + 1 :], is_trial=mode is not Mode.NONE)
                raise
            run.note(f"Error: {error}")
            continue
        well.append(step)
        if mode is not None and run.format.is_table:
            _print(run, [step], found[-1:], mode)
            run.environment.stdout.flush()
    if mode is not None and not run.format.is_table:
        _print(run, well, found, mode)
    if first is not None and (mode is not None or not well):
        raise KueuectlFailures(first, len(steps) - len(well), len(steps))
    return well


class KueuectlFailures(KueuectlError):
    """Some of many writes failed; the exit code is that of the first."""

    def __init__(self, first: KueuectlError, failed: int, count: int) -> None:
        super().__init__(f"{failed} of {count} writes failed", hint=first.hint)
        self.exit_code = first.exit_code


def _tell_rest(run: Run, rest: Sequence[Step], *, is_trial: bool) -> None:
    if rest and not is_trial:
        names = ", ".join(named(step.write.target) for step in rest)
        run.note(f"Not done after the failure: {names}")


def named(found: Target) -> str:
    """kind.group/name, as kubectl names a result."""
    kind = found.kind.lower()
    return f"{kind}.{found.group}/{found.name}" if found.group else f"{kind}/{found.name}"


def _print(run: Run, steps: Sequence[Step], items: Sequence[Item], mode: Mode | None) -> None:
    if mode is None or not steps:
        return
    if run.format.is_table:
        for step in steps:
            run.print(" ".join(part for part in (named(step.write.target), step.done) if part) + mode.suffix)
        return
    if len(items) == 1:
        output.one(run, items[0])
    else:
        output.objects(run, items, empty="")


def _bare(write: Write) -> Item:
    if isinstance(write.body, dict) and write.body.get("kind"):
        return write.body
    return {"apiVersion": write.target.group, "kind": write.target.kind, "metadata": {"name": write.target.name}}
