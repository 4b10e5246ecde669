"""`kueuectl snapshot save`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kueuectl import __version__
from kueuectl.cli.frame import saving
from kueuectl.errors import KueuectlError

_STDOUT = "-"


def command(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write, or - for standard output.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> None:
    """Save all that the engine needs to a file.

    Objects are cut down to what decides something: no environment, arguments or images of containers, no Secrets. The
    time of the state is saved with them. With --from, dumps are put together into one.

    \b
    Examples:
      kueuectl snapshot save cluster.json
      kueuectl snapshot save - --context production > cluster.json
    """
    from kueuectl.store import save

    run = ctx.obj
    run.rereads_input = True
    if file != _STDOUT and not force and Path(file).exists():
        raise KueuectlError(f"{file} is there already", hint="--force replaces it")
    saved_at, objects = saving.objects(run)
    if file == _STDOUT:
        run.environment.stdout.flush()
        count = save.write(run.environment.stdout.buffer, objects, saved_at=saved_at, version=__version__)
    else:
        count = save.save(file, objects, saved_at=saved_at, version=__version__)
    run.note(f"Saved {count} objects{'' if file == _STDOUT else f' to {file}'}.")
