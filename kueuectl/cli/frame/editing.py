"""Change an object in an editor: hand it out as YAML, take it back, and write what is different."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from kueuectl.api import json_patch, manifests, patches
from kueuectl.api.faults import Fault
from kueuectl.api.validation import rules, schema
from kueuectl.cli.frame import writing
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import Mode, Step
from kueuectl.errors import InputError, KueuectlError
from kueuectl.model.writes import Target
from kueuectl.report import formats
from kueuectl.report import text as safe

_HEAD = """\
# Change the object below, save it and leave the editor. Lines that start with '#' are ignored.
# Nothing is written if nothing is changed, or if the file is empty.
"""
# By what an object is known: another one can't be made of it.
_IDENTITY = ("apiVersion", "kind")

Item = dict[str, Any]


def edit(run: Run, target: Target) -> None:
    """Let the user edit an object and write the changes; what could not be written is kept in its file."""
    item = writing.writer(run).read(target)
    metadata = {key: value for key, value in item["metadata"].items() if key != "managedFields"}
    shown = {**item, "metadata": metadata}
    path = _handed_out(_HEAD + formats.to_yaml(shown, ordered=True), target)
    is_kept = False
    try:
        patch = _taken_back(run, path, shown, target)
        if patch:
            write = writing.patch(target, patch, item)
            writing.carry_out(run, [Step(write, "edited", patches.merged(item, patch))], mode=Mode.NONE)
        else:
            run.note("Edit cancelled, no changes made.")
    except KeyboardInterrupt:
        is_kept = True
        run.note(f"What you wrote is kept in {path}")
        raise
    except KueuectlError as error:
        is_kept = True
        kept = f"what you wrote is kept in {path}" if path.is_file() else ""
        error.hint = "; ".join(part for part in (error.hint, kept) if part)
        raise
    finally:
        if not is_kept:
            path.unlink(missing_ok=True)


def _handed_out(content: str, target: Target) -> Path:
    """A file that only this user can read, with the object in it."""
    descriptor, name = tempfile.mkstemp(prefix=f"kueuectl-{target.kind.lower()}-", suffix=".yaml")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content)
    return Path(name)


def _taken_back(run: Run, path: Path, shown: Item, target: Target) -> Item:
    """What the user changed, as a merge patch; empty where nothing was. Raises InputError for what can't be written."""
    before = path.read_bytes()
    _open_editor(run, path)
    try:
        after = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or 'the system refuses'}", source=str(path)) from None
    if after == before or not after.strip():
        return {}
    from kueuectl.store import load

    try:
        text = after.decode()
    except UnicodeDecodeError:
        raise InputError("is not text", source=str(path)) from None
    edited = load.parse(text, source=str(path))
    if edited is None:
        return {}
    if not isinstance(edited, dict):
        raise InputError("expected an object", source=str(path))
    _check(edited, shown, target)
    patch = json_patch.change(shown, edited)
    patch.pop("status", None)
    return patch


def _check(edited: Item, shown: Item, target: Target) -> None:
    """Refuse another object, and what the API would refuse; faults that the object has already are its own."""
    named = edited.get("metadata")
    is_same = isinstance(named, dict) and all(
        (named.get(key) or "") == (shown["metadata"].get(key) or "") for key in ("name", "namespace")
    )
    if not is_same or any(edited.get(key) != shown.get(key) for key in _IDENTITY):
        raise InputError("is not the same object any more", obj=safe.clean(f"{target.kind} {target.where}"))
    found = [fault for fault in _faults(edited, shown) if fault not in _faults(shown, None)]
    manifests.refuse(found, source="", obj=safe.clean(f"{target.kind} {target.where}"))


def _faults(item: Item, old: Item | None) -> list[Fault]:
    if not schema.known(str(item.get("apiVersion")), str(item.get("kind"))):
        return []
    return rules.check_metadata(item) or schema.check(item) or rules.check(item, old)


def _open_editor(run: Run, path: Path) -> None:
    """Run the user's editor until it is left; raises KueuectlError where it fails."""
    variables = run.environment.variables
    editor = variables.get("KUBE_EDITOR") or variables.get("EDITOR") or "vi"
    run.environment.stdout.flush()
    try:
        code = subprocess.call([*shlex.split(editor), str(path)], env={**os.environ, **variables})
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise KueuectlError(
            f"can't run the editor {editor!r}: {reason}", hint="set KUBE_EDITOR or EDITOR, or install kubectl"
        ) from None
    if code:
        raise KueuectlError(f"the editor {editor!r} failed with exit code {code}")
