"""`kueuectl edit`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame import editing, kinds, writing
from kueuectl.cli.frame.kubectl import PassedOn
from kueuectl.errors import UsageError

PARSER = PassedOn


def command(
    ctx: typer.Context,
    words: Annotated[
        list[str], typer.Argument(metavar="KIND/NAME", help="The object: KIND/NAME, or KIND and NAME apart.")
    ],
) -> None:
    """Change an object of Kueue in an editor.

    kubectl answers where it is installed. Otherwise the editor is KUBE_EDITOR, EDITOR or vi. What you saved is checked
    and written as long as nobody changed the object meanwhile; what can't be written is kept in a file.

    \b
    Examples:
      kueuectl edit clusterqueue team-a
      kueuectl edit localqueue/main -n team-a
    """
    run = ctx.obj
    references = kinds.references(words, kinds.KUEUE_KINDS)
    if len(references) != 1:
        raise UsageError("edit takes one object", hint="call it once for each")
    writing.writer(run)
    editing.edit(run, writing.chosen(run, references[0].kind, references[0].name))
