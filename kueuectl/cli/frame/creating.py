"""What every `create` command does: check the object, send it, say what was made."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kueuectl.api import new_objects
from kueuectl.cli.frame import writing
from kueuectl.cli.frame.kinds import Kind
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import Mode, Step
from kueuectl.errors import UsageError
from kueuectl.model.writes import CREATE, Write

Item = dict[str, Any]

_QUOTA = "as FLAVOR:RESOURCE=VALUE;RESOURCE=VALUE,FLAVOR:..."
NominalQuota = Annotated[
    list[str] | None,
    typer.Option("--nominal-quota", metavar="QUOTAS", help=f"What it owns, {_QUOTA}; may be repeated."),
]
BorrowingLimit = Annotated[
    list[str] | None,
    typer.Option("--borrowing-limit", metavar="QUOTAS", help="How much it may borrow, written as the quota is."),
]
LendingLimit = Annotated[
    list[str] | None,
    typer.Option("--lending-limit", metavar="QUOTAS", help="How much of its own it may lend, written as the quota is."),
]


def create(run: Run, kind: Kind, item: Item, *, mode: Mode) -> None:
    """Make an object; with Mode.CLIENT print it only. Raises InputError for one that would be refused."""
    if run.is_offline:
        raise UsageError("a dump can't be written to", hint="leave --from out, or try the change with dry-run -f")
    new_objects.check(item)
    metadata = item["metadata"]
    target = writing.target(kind, metadata["name"], metadata.get("namespace", ""))
    version = ""
    if mode is not Mode.CLIENT:
        from kueuectl.cli.frame import live

        version, _ = live.client(run).discovery.find(kind)
        item = new_objects.in_version(item, version)
    writing.carry_out(run, [Step(Write(CREATE, target, item, version=version), "created", item)], mode=mode)
