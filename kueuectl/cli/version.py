"""`kueuectl version`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kueuectl import KUEUE_TARGET, __version__
from kueuectl.cli.frame import output
from kueuectl.cli.frame.run import Run


def command(
    ctx: typer.Context,
    client: Annotated[bool, typer.Option("--client", help="Print the client's version only; asks no server.")] = False,
) -> None:
    """Print the versions of client, server and Kueue.

    The target is the release of Kueue whose decisions are reproduced.

    \b
    Examples:
      kueuectl version --client
      kueuectl version -o json
    """
    run = ctx.obj
    found: dict[str, Any] = {
        **output.header("Version"),
        "client": f"v{__version__}",
        "kueueTarget": KUEUE_TARGET,
    }
    is_local = client or run.is_offline
    if run.format.is_table:
        run.print(f"Client Version: {found['client']}")
        run.print(f"Kueue Target: {found['kueueTarget']}")
        # What is known already is printed even when the server can't be reached.
        run.environment.stdout.flush()
    if not is_local:
        found |= _of_server(run)
    output.document(run, lambda: found, shown=lambda: None if is_local else _show_server(run, found))


def _of_server(run: Run) -> dict[str, Any]:
    from kueuectl.cli.frame import live
    from kueuectl.cluster import access, installation

    connection = live.client(run)
    server = access.server_version(connection)
    found = installation.find(connection)
    return {
        "server": server,
        "kueue": found.version,
        "kueueImage": found.image,
        "kueueApiVersions": list(access.kueue_api_versions(connection)),
    }


def _show_server(run: Run, found: dict[str, Any]) -> None:
    run.print(f"Server Version: {found['server']}")
    run.print(f"Kueue Version: {found['kueue'] or 'unknown'}")
    if found["kueueImage"]:
        run.print(f"Kueue Controller Manager Image: {found['kueueImage']}")
    run.print(f"Kueue API Versions: {', '.join(found['kueueApiVersions']) or 'none: Kueue is not installed'}")
