"""All objects that a dump holds: of other dumps, or of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kueuectl.cli.frame import loading
from kueuectl.cli.frame.kinds import OWNER_KINDS
from kueuectl.cli.frame.run import Run

# What says how Kueue is configured, and which gates are on.
_CONFIGURING = ("Configuration", "ConfigMap", "Deployment")


def objects(run: Run) -> tuple[int, Iterator[dict[str, Any]]]:
    """The time of the state in nanoseconds, and its objects; a Configuration of --kueue-config counts alone."""
    saved_at, found = _from_dumps(run) if run.is_offline else _from_cluster(run)
    if run.flags.kueue_config is not None:
        found = _with_configuration(found, run.flags.kueue_config)
    return saved_at, found


def _with_configuration(found: Iterator[dict[str, Any]], path: str) -> Iterator[dict[str, Any]]:
    from kueuectl.store import raw

    yield from (item for item in found if item.get("kind") not in ("Configuration", "ConfigMap"))
    yield from raw.iterate([path], kinds=_CONFIGURING)


def _from_dumps(run: Run) -> tuple[int, Iterator[dict[str, Any]]]:
    """The time of the dumps, and their objects of every kind that was found in them."""
    from kueuectl.report.views import summary

    loaded = loading.load(run)
    kinds = (*summary.counts(loaded.state), *_CONFIGURING)
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
