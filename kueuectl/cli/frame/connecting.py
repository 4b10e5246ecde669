"""The connection of a run. Imports the client only in functions, and no model: completion has to be quick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kueuectl.cli.frame.run import Run

if TYPE_CHECKING:
    from kueuectl.cluster.client import Client
    from kueuectl.cluster.options import ConnectionOptions


def options(run: Run) -> ConnectionOptions:
    """The connection flags of a run."""
    from kueuectl.cluster.options import ConnectionOptions

    flags = run.flags
    return ConnectionOptions(
        kubeconfig=flags.kubeconfig or "",
        context=flags.context or "",
        cluster=flags.cluster or "",
        user=flags.user or "",
        server=flags.server or "",
        token=flags.token or "",
        certificate_authority=flags.certificate_authority or "",
        insecure_skip_tls_verify=flags.insecure_skip_tls_verify or None,
        tls_server_name=flags.tls_server_name or "",
        client_certificate=flags.client_certificate or "",
        client_key=flags.client_key or "",
        as_user=flags.as_user or "",
        as_groups=tuple(flags.as_groups),
        as_uid=flags.as_uid or "",
        as_user_extra=tuple(flags.as_user_extra),
        disable_compression=flags.disable_compression,
        request_timeout=flags.request_timeout or "",
        page_size=run.environment.variables.get("KUEUECTL_LIST_REQUEST_LIMIT", ""),
    )


def client(run: Run) -> Client:
    """The connection of this run, made at the first call; `run.close` closes it."""
    found: Client | None = run.cache.get("client")
    if found is None:
        from kueuectl.cluster.client import connect

        found = connect(options(run), notify=run.note)
        run.cache["client"] = found
        run.on_close(found.close)
    return found


def current_namespace(run: Run) -> str:
    """The namespace of the chosen context."""
    from kueuectl.cluster import kubeconfig

    return kubeconfig.current_namespace(options(run))
