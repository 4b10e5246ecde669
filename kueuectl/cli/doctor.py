"""`kueuectl doctor`."""

from __future__ import annotations

from typing import Any

import typer

from kueuectl import KUEUE_TARGET, __version__, times
from kueuectl.cli.frame import loading, output
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import parts, summary, unmodelled


def command(ctx: typer.Context) -> None:
    """Check what can be read, known and modelled.

    Shows versions, the configuration and where it came from, feature gates that differ from the defaults, what may not
    be read and what is unknown for that, which verbs are missing for which commands, and features in use that answers
    here can't take into account.

    \b
    Examples:
      kueuectl doctor
      kueuectl doctor --from cluster.json -o yaml
    """
    run = ctx.obj
    server = {} if run.is_offline else _server(run)
    loaded = loading.load_all(run)
    found = _document(run, loaded, server)
    output.document(run, lambda: found, shown=lambda: _show(run, found), items="access")


def _server(run: Run) -> dict[str, Any]:
    from kueuectl.cli.frame import live
    from kueuectl.cluster import access, installation

    connection = live.client(run)
    allowed = access.what_is_allowed(connection, namespace=run.flags.namespace or "")
    return {
        "address": connection.server,
        "context": connection.context,
        "version": access.server_version(connection),
        "kueueVersion": installation.find(connection).version,
        "kueueApiVersions": list(access.kueue_api_versions(connection)),
        "access": [
            {
                "name": f"{one.verb} {one.resource}",
                "verb": one.verb,
                "resource": one.resource,
                "namespace": one.namespace,
                "allowed": one.allowed,
                "without": "" if one.allowed else one.without,
                "commands": list(one.commands),
            }
            for one in allowed
        ],
    }


def _document(run: Run, loaded: Loaded, server: dict[str, Any]) -> dict[str, Any]:
    state = loaded.state
    access = server.pop("access", [])
    return {
        **output.header("Doctor"),
        "client": {"version": f"v{__version__}", "kueueTarget": KUEUE_TARGET},
        "server": server or None,
        "sources": list(run.flags.sources),
        "now": times.format_time(loaded.now),
        "configuration": summary.configuration(loaded.settings),
        "objects": summary.counts(state),
        "access": access,
        "hidden": [{"kind": one.kind, "reason": one.reason, "detail": one.detail} for one in state.hidden],
        "notModelled": [
            {"feature": one.feature, "meaning": one.meaning, "usedBy": list(one.used_by)}
            for one in unmodelled.find(state, loaded.settings)
        ],
    }


def _show(run: Run, found: dict[str, Any]) -> None:
    _section(run, "Versions", _versions(found))
    _section(run, "Configuration", _configuration(found["configuration"]))
    _section(run, "Objects", [(kind, str(count)) for kind, count in found["objects"].items()])
    if found["access"]:
        run.print("Access")
        columns = (Column("VERB"), Column("RESOURCE"), Column("ALLOWED", is_state=True), Column("WITHOUT IT"))
        rows = [(one["verb"], one["resource"], parts.flag(one["allowed"]), _lack(one)) for one in found["access"]]
        output.table(run, Table(columns, rows))
        run.print()
    hidden = [(one["kind"], " ".join(filter(None, (one["reason"], one["detail"])))) for one in found["hidden"]]
    _section(run, "Not readable", hidden or [("nothing", "")])
    missing = [(one["feature"], f"{one['meaning']} ({', '.join(one['usedBy'])})") for one in found["notModelled"]]
    _section(run, "In use and not modelled", missing or [("nothing", "")], is_last=True)


def _lack(one: dict[str, Any]) -> str:
    """What can't be known or done without an access that is refused."""
    if one["allowed"]:
        return ""
    return f"no {', '.join(one['commands'])}" if one["commands"] else str(one["without"])


def _section(run: Run, title: str, rows: list[tuple[str, str]], *, is_last: bool = False) -> None:
    run.print(title)
    width = max(len(name) for name, _ in rows) if rows else 0
    for name, value in rows:
        run.print(f"  {name:<{width}}  {value}".rstrip())
    if not is_last:
        run.print()


def _versions(found: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("client", f"{found['client']['version']}, decides as Kueue {found['client']['kueueTarget']}")]
    server = found["server"]
    if server is None:
        return [*rows, ("state", ", ".join(found["sources"])), ("time", found["now"])]
    served = ", ".join(server["kueueApiVersions"]) or "none"
    return [
        *rows,
        ("server", f"{server['version']} at {server['address']}"),
        ("context", server["context"] or "none"),
        ("kueue", f"{server['kueueVersion'] or 'unknown version'}, API {served}"),
        ("time", found["now"]),
    ]


def _configuration(found: dict[str, Any]) -> list[tuple[str, str]]:
    ready = found["waitForPodsReady"]
    rows = [
        ("source", found["source"]),
        ("fair sharing", "off" if found["fairSharing"] is None else ", ".join(found["fairSharing"]) or "on"),
        ("wait for pods ready", "off" if ready is None else "blocks admission" if ready["blockAdmission"] else "on"),
        ("admission fair sharing", "on" if found["admissionFairSharing"] else "off"),
        ("undeclared resources", found["quotaCheckStrategy"]),
    ]
    for key, title in (("excludeResourcePrefixes", "excluded"), ("transformedResources", "transformed")):
        if found[key]:
            rows.append((title, ", ".join(found[key])))
    changed = ", ".join(f"{name}={parts.flag(value)}" for name, value in found["gates"].items())
    return [*rows, ("changed gates", changed or "none")]
