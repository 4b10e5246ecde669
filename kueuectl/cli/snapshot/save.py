"""`kueuectl snapshot save`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from kueuectl import __version__
from kueuectl.cli.frame import loading
from kueuectl.cli.frame.kinds import OWNER_KINDS
from kueuectl.cli.frame.run import Run
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
    saved_at, objects = _from_dumps(run) if run.is_offline else _from_cluster(run)
    if file == _STDOUT:
        run.environment.stdout.flush()
        count = save.write(run.environment.stdout.buffer, objects, saved_at=saved_at, version=__version__)
    else:
        count = save.save(file, objects, saved_at=saved_at, version=__version__)
    run.note(f"Saved {count} objects{'' if file == _STDOUT else f' to {file}'}.")


def _from_dumps(run: Run) -> tuple[int, Iterator[dict[str, Any]]]:
    """The time of the dumps, and their objects of every kind that was found in them."""
    from kueuectl.report.views import summary

    loaded = loading.load(run)
    if run.flags.kueue_config is not None:
        run.warn("the Configuration of --kueue-config is not saved: give it again with the dump")
    kinds = (*summary.counts(loaded.state), "ConfigMap", "Deployment")
    return loaded.now, loading.raw_of_kinds(run, kinds)


def _from_cluster(run: Run) -> tuple[int, Iterator[dict[str, Any]]]:
    """The server's time, and all that decides something: Kueue's kinds, what they refer to, how Kueue is set up."""
    from kueuectl.cli.frame import live
    from kueuectl.cluster import access

    connection = live.client(run)
    access.server_version(connection)  # the server's clock is known once it has answered
    return connection.now, _listed(run)


def _listed(run: Run) -> Iterator[dict[str, Any]]:
    from kueuectl.cli.frame import live
    from kueuectl.cluster import installation
    from kueuectl.cluster import kinds as served

    makers: set[str] = {"Job", "Pod"}
    for kind in served.STATE_KINDS:
        for item in live.raw_or_warn(run, kind, without=kind.without):
            if kind is served.WORKLOAD:
                makers |= _owner_kinds(item)
            yield item
    where = installation.find(live.client(run)).namespace
    for kind in (served.DEPLOYMENT, served.CONFIG_MAP):
        yield from live.raw_or_warn(run, kind, without=kind.without, namespace=where)
    for owner in OWNER_KINDS:
        if owner.name in makers:
            selector = "kueue.x-k8s.io/queue-name"
            yield from live.raw_or_warn(run, owner, without="some owners are unknown", label_selector=selector)


def _owner_kinds(workload: dict[str, Any]) -> set[str]:
    references = workload.get("metadata", {}).get("ownerReferences")
    return {str(one.get("kind")) for one in references or () if isinstance(one, dict)}
