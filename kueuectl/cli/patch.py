"""`kueuectl patch`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kueuectl.api import json_patch, patches
from kueuectl.cli.frame import kinds, writing
from kueuectl.cli.frame.kubectl import PassedOn
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import DryRun, Step
from kueuectl.errors import InputError, UsageError
from kueuectl.model.writes import PATCH, Write

PARSER = PassedOn
_TYPES = ("merge", "json", "strategic")


def command(
    ctx: typer.Context,
    words: Annotated[
        list[str], typer.Argument(metavar="KIND/NAME", help="The object: KIND/NAME, or KIND and NAME apart.")
    ],
    patch: Annotated[str, typer.Option("-p", "--patch", metavar="PATCH", help="The patch, as JSON or YAML.")] = "",
    patch_file: Annotated[str, typer.Option("--patch-file", metavar="FILE", help="Read the patch from here.")] = "",
    kind: Annotated[
        str,
        typer.Option(
            "--type", metavar="TYPE", help="merge, json, or strategic, which is a merge for Kueue's objects (default)."
        ),
    ] = "strategic",
    subresource: Annotated[
        str, typer.Option("--subresource", metavar="NAME", help="Patch this part: status or scale.")
    ] = "",
    dry_run: DryRun = "none",
) -> None:
    """Change fields of an object of Kueue.

    kubectl answers where it is installed. A JSON patch is tried on the object as it is now and refused once it changes.

    \b
    Examples:
      kueuectl patch clusterqueue team-a --type merge -p '{"spec":{"stopPolicy":"Hold"}}'
      kueuectl patch cq/team-a --type json -p '[{"op":"remove","path":"/spec/fairSharing"}]'
    """
    run = ctx.obj
    mode = writing.mode(dry_run)
    if kind not in _TYPES:
        raise UsageError(f"invalid patch type {kind!r}", hint=f"use one of: {', '.join(_TYPES)}")
    references = kinds.references(words, kinds.KUEUE_KINDS)
    if len(references) != 1:
        raise UsageError("patch takes one object", hint="call it once for each")
    body = _body(run, patch, patch_file)
    hand = writing.writer(run)
    reference = references[0]
    target = writing.chosen(run, reference.kind, reference.name)
    item = hand.read(target)
    if kind == "json":
        body = json_patch.change(item, json_patch.apply(item, body))
        write = writing.patch(target, body, item, subresource=subresource)
    elif not isinstance(body, dict):
        raise InputError("a merge patch is a map", source="the patch", hint="is it of --type json?")
    else:
        # Not guarded by a version, as kubectl has it: what a merge patch says holds whatever else was changed.
        write = Write(PATCH, target, body, uid=str(item["metadata"].get("uid") or ""), subresource=subresource)
    done = "patched (no change)" if patches.is_applied(item, body) else "patched"
    writing.carry_out(run, [Step(write, done, patches.merged(item, body))], mode=mode)


def _body(run: Run, patch: str, file: str) -> Any:
    """The patch that was given, decoded; raises UsageError without one, InputError for one that can't be read."""
    from kueuectl.store import load

    if bool(patch) == bool(file):
        raise UsageError("must specify --patch or --patch-file", hint="give the patch once")
    text = patch
    if file:
        try:
            text = run.environment.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "is not text"
            raise InputError(f"cannot be read: {reason}", source=file) from error
    return load.parse(text, source=file or "the patch")
