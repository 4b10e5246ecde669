"""Carry out writes: show, ask, try on the server, write one by one, a line for each.

Rules.
 1. Nothing is asked for one object that the command names; a batch, and whatever evicts, is asked about unless --yes.
 2. Every write of a batch is tried with dryRun=All before the first is sent; one that the server would refuse stops
    all.
 3. Steps go one after the other. The first that fails ends the command, unless `keep_going`; then the exit code is that
    of the first failure, and what was not done is told, name by name.
 4. --dry-run=client prints and sends nothing, --dry-run=server sends trials only.
 5. An object that was changed since it was read is read again; the step says whether that matters (`again`).
 6. A reader of stdout that goes away in the middle changes nothing: the rest is done, and the exit code tells of it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kueuectl.cli.frame import loading, output
from kueuectl.cli.frame.kinds import Kind
from kueuectl.cli.frame.run import Run
from kueuectl.errors import ConflictError, KueuectlError, UsageError
from kueuectl.model.writes import PATCH, Target, Write
from kueuectl.report import text

if TYPE_CHECKING:
    from kueuectl.cluster.write import Writer

Item = dict[str, Any]
# An object that somebody else keeps changing is read again so often.
_RENEWALS = 3

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
    """A write with the word for its result ("stopped"), and the object as it would be, for --dry-run=client.

    `name` is how the result is named where that differs from kind.group/name. `again` is given the object where it was
    changed since it was read, and returns the write for it, or None where the conflict has to stand.
    """

    write: Write
    done: str
    preview: Item | None = None
    name: str = ""
    again: Callable[[Item], Write | None] | None = None

    @property
    def shown(self) -> str:
        """How the object is named in results."""
        return self.name or named(self.write.target)


def target(kind: Kind, name: str, namespace: str = "") -> Target:
    """An object of a kind by name."""
    return Target(kind.name, kind.group, kind.plural, name, namespace if kind.is_namespaced else "")


def chosen(run: Run, kind: Kind, name: str) -> Target:
    """The object of that name, in the namespace that the flags choose; raises UsageError where they choose all."""
    if not kind.is_namespaced:
        return target(kind, name)
    if run.flags.all_namespaces:
        raise UsageError(
            "a resource cannot be retrieved by name across all namespaces", hint="choose one with -n, and leave -A out"
        )
    return target(kind, name, loading.namespace(run) or "default")


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


def confirm(run: Run, question: str, *, yes: bool, ends_line: bool = True) -> bool:
    """Whether to go on: --yes, or a y on standard input. The question goes to stdout as the Go plugin has it.

    Where stdout is for a program, it goes to stderr instead.
    Without a terminal nobody ends its line by an answer; that is done here unless `ends_line` is off.
    """
    if yes:
        return True
    out = run.environment.stdout if run.format.is_table else run.environment.stderr
    out.write(text.clean(f"{question} (y/n)? "))
    out.flush()
    try:
        answer = run.environment.stdin.readline().strip().lower()
    except UnicodeDecodeError:
        answer = ""
    if ends_line and not run.environment.stdin_is_tty:
        out.write("\n")
    return answer in ("y", "yes")


def cancel(run: Run, what: str) -> None:
    """Tell that nothing is done, where the question was asked: "Hold is canceled"."""
    tell = run.print if run.format.is_table else run.note
    tell(f"{what} is canceled")


def carry_out(run: Run, steps: Sequence[Step], *, mode: Mode, keep_going: bool = False) -> None:
    """Do the steps in their order and print each result; see the rules of this module."""
    if mode is Mode.CLIENT:
        _print(run, steps, [step.preview or _bare(step.write) for step in steps], mode)
        return
    hand = writer(run)
    count, failed = len(steps), None
    if mode is Mode.SERVER or count > 1:
        steps, failed = _each(run, steps, hand, mode if mode is Mode.SERVER else None, keep_going=keep_going)
    if mode is not Mode.SERVER and steps:
        steps, later = _each(run, steps, hand, mode, keep_going=keep_going)
        failed = failed or later
    if failed is not None:
        raise KueuectlFailures(failed, count - len(steps), count)


def _each(
    run: Run, steps: Sequence[Step], hand: Writer, mode: Mode | None, *, keep_going: bool
) -> tuple[list[Step], KueuectlError | None]:
    """Do each step, or try it unless the mode is NONE; print its result where a mode is given.

    Returns the steps that went well, and the first failure of those that did not.
    """
    act = hand.send if mode is Mode.NONE else hand.check
    well: list[Step] = []
    found: list[Item] = []
    first: KueuectlError | None = None
    for place, step in enumerate(steps):
        try:
            found.append(_done(hand, step, act))
        except (KueuectlError, KeyboardInterrupt) as error:
            if not keep_going or isinstance(error, KeyboardInterrupt):
                if not run.format.is_table:
                    _print(run, well, found, mode)
                if mode is Mode.NONE:
                    _tell_end(run, steps[place:], error)
                elif mode is None:
                    run.note("Nothing was written.")
                raise
            first = first or error
            run.note(f"Error: {error}")
            continue
        well.append(step)
        if mode is not None and run.format.is_table:
            _print(run, [step], found[-1:], mode)
    if mode is not None and not run.format.is_table:
        _print(run, well, found, mode)
    return well, first


def _done(hand: Writer, step: Step, act: Callable[[Write], Item]) -> Item:
    """The object after the step; one that was changed since it was read is tried again where the step allows it."""
    write = step.write
    for _ in range(_RENEWALS):
        try:
            return act(write)
        except ConflictError:
            renewed = None if step.again is None else step.again(hand.read(write.target))
            if renewed is None:
                raise
            write = renewed
    return act(write)


class KueuectlFailures(KueuectlError):
    """Some of many writes failed; the exit code is that of the first."""

    def __init__(self, first: KueuectlError, failed: int, count: int) -> None:
        super().__init__(f"{failed} of {count} writes failed", hint=first.hint)
        self.exit_code = first.exit_code


def _tell_end(run: Run, rest: Sequence[Step], error: BaseException) -> None:
    """What was not done; the first of the rest is the one that failed, or was being written."""
    if isinstance(error, KeyboardInterrupt):
        run.note(f"Interrupted while {rest[0].shown} was written: look at it before you go on")
    if rest[1:]:
        run.note(f"Not done after the failure: {', '.join(step.shown for step in rest[1:])}")


def named(found: Target) -> str:
    """kind.group/name, as kubectl names a result."""
    kind = found.kind.lower()
    return f"{kind}.{found.group}/{found.name}" if found.group else f"{kind}/{found.name}"


@contextlib.contextmanager
def telling(run: Run) -> Iterator[None]:
    """Write what is done to stdout, at once; once nobody reads it any more it goes nowhere (rule 6)."""
    stdout = run.environment.stdout
    try:
        yield
        stdout.flush()
    except BrokenPipeError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())


def _print(run: Run, steps: Sequence[Step], items: Sequence[Item], mode: Mode | None) -> None:
    if mode is None or not steps:
        return
    with telling(run):
        if run.format.is_table:
            for step in steps:
                run.print(" ".join(part for part in (step.shown, step.done) if part) + mode.suffix)
        elif len(items) == 1:
            output.one(run, items[0])
        else:
            output.objects(run, items, empty="")


def _bare(write: Write) -> Item:
    if isinstance(write.body, dict) and write.body.get("kind"):
        return write.body
    return {"apiVersion": write.target.group, "kind": write.target.kind, "metadata": {"name": write.target.name}}
