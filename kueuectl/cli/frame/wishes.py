"""How a plan is to be carried out: the options that the commands share, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from kueuectl import times
from kueuectl.cli.frame import writing
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import Mode
from kueuectl.errors import InputError, UsageError

Apply = Annotated[bool, typer.Option("--apply", help="Carry it out, after asking.")]
Timeout = Annotated[
    str,
    typer.Option(
        "--timeout", metavar="DURATION", help="Follow what comes of it for so long, as 2m; 0 doesn't follow at all."
    ),
]
PlanFile = Annotated[
    str | None,
    typer.Option(
        "--plan-file",
        metavar="FILE",
        help="Keep the plan in this file, its journal beside it; by default in the working directory.",
    ),
]
Backoff = Annotated[
    str | None,
    typer.Option(
        "--backoff",
        metavar="DURATION",
        help="Keep evicted workloads from coming back for so long, as 90s; by default while their pods may take to"
        " end.",
    ),
]
FOR_LONG = "2m"


@dataclass(frozen=True)
class Wishes:
    """How a plan is to be carried out.

    timeout: seconds to follow, 0 for not at all. backoff: nanoseconds that victims are kept from coming back, None for
    what their pods say.
    """

    yes: bool = False
    keep_going: bool = False
    timeout: float = 120.0
    plan_file: str | None = None
    mode: Mode = Mode.NONE
    backoff: int | None = None


def of(
    run: Run,
    *,
    yes: bool,
    keep_going: bool,
    timeout: str,
    dry_run: str,
    backoff: str | None = None,
    plan_file: str | None = None,
) -> Wishes:
    """What the options say. Raises UsageError for values that are none, and where the state is a dump."""
    if run.is_offline:
        raise UsageError("a dump can't be written to", hint="leave --from out, or keep a plan with -o plan=FILE")
    mode = writing.mode(dry_run)
    if not run.format.is_table and not yes and mode is Mode.NONE:
        raise UsageError("-o needs --yes here: the question would stand in the answer")
    return Wishes(
        yes=yes,
        keep_going=keep_going,
        timeout=_duration(timeout, "--timeout") / times.SECOND,
        plan_file=plan_file,
        mode=mode,
        backoff=None if backoff is None else _duration(backoff, "--backoff"),
    )


def _duration(value: str, flag: str) -> int:
    from kueuectl.api import durations

    try:
        found = durations.parse(value)
    except InputError as error:
        raise UsageError(f"invalid value {value!r} for {flag}", hint=error.hint) from error
    if found < 0:
        raise UsageError(f"{flag} can't be below zero")
    return found
