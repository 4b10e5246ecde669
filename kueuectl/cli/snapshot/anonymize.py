"""`kueuectl snapshot anonymize`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kueuectl import __version__
from kueuectl.cli.frame import saving
from kueuectl.cli.frame.run import Run
from kueuectl.errors import KueuectlError

_STDOUT = "-"


def command(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write, or - for standard output.")],
    seed: Annotated[int, typer.Option("--seed", metavar="NUMBER", help="Draw the new names from this number.")] = 0,
    names: Annotated[
        str | None,
        typer.Option("--names", metavar="FILE", help="Write the old and the new names to this file, for yourself."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """Save a dump that tells nothing about the cluster.

    It gives the same answers: names and UIDs are replaced by ones that sort alike, since they break ties; equal names
    stay equal; labels that something selects are renamed, and what decides nothing is dropped. Amounts, times,
    priorities and names of resources stay. The same seed gives the same names.

    \b
    Examples:
      kueuectl snapshot anonymize report.json --from cluster.json
      kueuectl snapshot anonymize report.json --names private.json --seed 7
    """
    from kueuectl.store import anonymize, save

    run: Run = ctx.obj
    run.rereads_input = True
    for path in (file, names):
        if path is not None and path != _STDOUT and not force and Path(path).exists():
            raise KueuectlError(f"{path} is there already", hint="--force replaces it")
    saved_at, objects = saving.objects(run)
    made = anonymize.anonymize(objects, seed=seed)
    if names is not None:
        anonymize.write_names(names, made.names)
    if file == _STDOUT:
        run.environment.stdout.flush()
        count = save.write(run.environment.stdout.buffer, made.objects, saved_at=saved_at, version=__version__)
    else:
        count = save.save(file, made.objects, saved_at=saved_at, version=__version__)
    run.note(f"Saved {count} objects{'' if file == _STDOUT else f' to {file}'}.")
    if made.private_resources:
        run.note(f"Names of resources stay; these are not known everywhere: {', '.join(made.private_resources)}.")
