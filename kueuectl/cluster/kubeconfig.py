"""Which cluster, as whom: kubeconfig files merged as kubectl merges them, then the flags on top.

Rules, in kubectl's order:
 1. --kubeconfig names one file, which must exist. Else KUBECONFIG lists files, of which absent ones are skipped. Else
    ~/.kube/config.
 2. Of several files the first to name a cluster, user, context or the current context wins; paths in a file are
    relative to its folder.
 3. --context, --cluster and --user choose among what the files hold; the other flags replace fields.
 4. No file that holds anything, and no --server: the service account of the pod that we run in.
Nothing is run and no credential is read here, see credentials.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from kueuectl.cluster.failures import clean
from kueuectl.cluster.options import ConnectionOptions
from kueuectl.errors import KueuectlError, UnreachableError, UsageError

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
DEFAULT_NAMESPACE = "default"

Block: TypeAlias = Mapping[str, object]

_SECTIONS = {"clusters": "cluster", "contexts": "context", "users": "user"}
_PATHS = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Target:
    """One cluster as one user: what a context and the flags come to. Paths in the blocks are absolute."""

    server: str
    namespace: str
    context: str
    cluster: Block
    # Holds secrets.
    user: Block = field(repr=False)
    # Where it came from, for the user: file names, or "the pod's service account".
    source: str = ""
    # The folder of the file that describes the user: a credentials program is looked up from there.
    folder: str = ""
    # What the kubeconfig calls the user.
    user_name: str = ""


@dataclass(slots=True)
class _Merged:
    current: str = ""
    clusters: dict[str, Block] = field(default_factory=dict)
    contexts: dict[str, Block] = field(default_factory=dict)
    users: dict[str, Block] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    def is_empty(self) -> bool:
        return not (self.clusters or self.contexts or self.users)


def text_of(block: Block, key: str) -> str:
    """The field's text; "" where it is absent or is no text."""
    value = block.get(key)
    return value if isinstance(value, str) else ""


def block_of(block: Block, key: str) -> Block:
    """The field's mapping; empty where it is absent or is no mapping."""
    value = block.get(key)
    return value if isinstance(value, dict) else {}


def resolve(options: ConnectionOptions) -> Target:
    """The cluster and user that the files and flags lead to.

    Raises KueuectlError for a file that is wrong and for a context, cluster or user that isn't there; UnreachableError
    where nothing says which cluster is meant.
    """
    if (options.as_groups or options.as_uid or options.as_user_extra) and not options.as_user:
        raise UsageError("--as-group, --as-uid and --as-user-extra need --as", hint="name the user too: --as USER")
    merged = _load(options)
    if merged.is_empty() and not options.server:
        in_pod = _service_account()
        if in_pod is None:
            raise UnreachableError(
                "no cluster is configured: there is no kubeconfig",
                hint="set KUBECONFIG or --kubeconfig, or read a dump instead with --from PATH or --from example:NAME",
            )
        return _with_flags(in_pod, options)
    context_name, context = _choose_context(merged, options)
    cluster_name = options.cluster or text_of(context, "cluster")
    user_name = options.user or text_of(context, "user")
    cluster = _named(merged.clusters, cluster_name, "cluster", context_name) if cluster_name else {}
    user = _named(merged.users, user_name, "user", context_name) if user_name else {}
    target = Target(
        server=text_of(cluster, "server"),
        namespace=text_of(context, "namespace") or DEFAULT_NAMESPACE,
        context=context_name,
        cluster=cluster,
        user=user,
        source=", ".join(merged.files),
        folder=merged.folders.get(user_name, ""),
        user_name=user_name,
    )
    return _with_flags(target, options)


def contexts(options: ConnectionOptions) -> tuple[str, ...]:
    """The names of all contexts, for completion and messages."""
    return tuple(_load(options).contexts)


def current_namespace(options: ConnectionOptions) -> str:
    """The namespace of the chosen context; "default" where it has none or there is no kubeconfig."""
    try:
        return resolve(options).namespace
    except UnreachableError:
        return DEFAULT_NAMESPACE


def _load(options: ConnectionOptions) -> _Merged:
    merged = _Merged()
    for path in _files(options):
        _merge(merged, path)
    return merged


def _files(options: ConnectionOptions) -> Iterable[Path]:
    if options.kubeconfig:
        path = Path(options.kubeconfig).expanduser()
        if not path.exists():
            raise KueuectlError(f"there is no kubeconfig {path}", hint="check --kubeconfig")
        return [path]
    listed = os.environ.get("KUBECONFIG", "")
    if listed:
        paths = [Path(part).expanduser() for part in listed.split(os.pathsep) if part]
    else:
        paths = [Path("~/.kube/config").expanduser()]
    return [path for path in paths if path.exists()]


def _parse(path: Path) -> Block:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = yaml.load(path.read_bytes(), Loader=loader)
    except OSError as error:
        raise KueuectlError(f"can't read the kubeconfig {path}: {error.strerror}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # The parser's own message quotes the file, and the file holds secrets.
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise KueuectlError(f"the kubeconfig {path} is not YAML{where}", hint="kubectl config view checks it") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise KueuectlError(f"the kubeconfig {path} is not a mapping", hint="kubectl config view checks it")
    return value


def _merge(merged: _Merged, path: Path) -> None:
    value = _parse(path)
    folder = os.path.dirname(os.path.abspath(path))
    merged.files.append(str(path))
    merged.current = merged.current or text_of(value, "current-context")
    for section, inner in _SECTIONS.items():
        into: dict[str, Block] = getattr(merged, section)
        entries = value.get(section) or []
        if not isinstance(entries, list):
            raise KueuectlError(f"the kubeconfig {path} is wrong: {section} is not a list")
        for index, entry in enumerate(entries):
            name = entry.get("name") if isinstance(entry, dict) else None
            if not isinstance(name, str) or not isinstance(entry.get(inner) or {}, dict):
                raise KueuectlError(f"the kubeconfig {path} is wrong: {section}[{index}] needs a name and a {inner}")
            if name in into:
                continue
            into[name] = _absolute(entry.get(inner) or {}, folder)
            if section == "users":
                merged.folders[name] = folder


def _absolute(block: Block, folder: str) -> Block:
    found = {key: os.path.join(folder, text_of(block, key)) for key in _PATHS if text_of(block, key)}
    return {**block, **found} if found else block


def _choose_context(merged: _Merged, options: ConnectionOptions) -> tuple[str, Block]:
    name = options.context or merged.current
    if name in merged.contexts:
        return name, merged.contexts[name]
    have = _some(merged.contexts)
    hint = f"contexts there: {have}" if have else "the kubeconfig holds no context"
    if name:
        raise KueuectlError(f"there is no context {clean(name)!r} in the kubeconfig", hint=hint)
    if options.server or options.cluster:
        return "", {}
    raise KueuectlError("the kubeconfig has no current context", hint=f"choose one with --context; {hint}")


def _named(entries: Mapping[str, Block], name: str, what: str, context: str) -> Block:
    if name in entries:
        return entries[name]
    by = f"context {clean(context)!r} names" if context else "the flags name"
    hint = f"{what}s there: {_some(entries) or 'none'}"
    raise KueuectlError(f"{by} the {what} {clean(name)!r}, which the kubeconfig lacks", hint=hint)


def _some(names: Iterable[str]) -> str:
    """The names in one line, not too many of them."""
    known = list(names)
    return clean(", ".join(known[:_SHOWN]) + (", ..." if len(known) > _SHOWN else ""), limit=1000)


def _service_account() -> Target | None:
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT")
    token = SERVICE_ACCOUNT / "token"
    if not host or not port or not token.is_file():
        return None
    namespace = SERVICE_ACCOUNT / "namespace"
    server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    return Target(
        server=server,
        namespace=(namespace.read_text().strip() if namespace.is_file() else "") or DEFAULT_NAMESPACE,
        context="",
        cluster={"server": server, "certificate-authority": str(SERVICE_ACCOUNT / "ca.crt")},
        user={"tokenFile": str(token)},
        source="the pod's service account",
    )


def _with_flags(target: Target, options: ConnectionOptions) -> Target:
    cluster = _override_cluster(dict(target.cluster), options)
    user = _override_user(dict(target.user), options)
    return Target(
        server=_server(text_of(cluster, "server"), cluster, user),
        namespace=target.namespace,
        context=target.context,
        cluster=cluster,
        user=user,
        source=target.source or "the flags",
        folder=target.folder,
        user_name="" if options.token or options.client_certificate else target.user_name,
    )


def _override_cluster(cluster: dict[str, object], options: ConnectionOptions) -> dict[str, object]:
    if options.server:
        cluster["server"] = options.server
    if options.tls_server_name:
        cluster["tls-server-name"] = options.tls_server_name
    if options.certificate_authority:
        cluster.pop("certificate-authority-data", None)
        cluster.pop("insecure-skip-tls-verify", None)
        cluster["certificate-authority"] = os.path.abspath(options.certificate_authority)
    if options.insecure_skip_tls_verify is not None:
        cluster["insecure-skip-tls-verify"] = options.insecure_skip_tls_verify
    if options.disable_compression:
        cluster["disable-compression"] = True
    return cluster


def _override_user(user: dict[str, object], options: ConnectionOptions) -> dict[str, object]:
    if options.token:
        for key in ("tokenFile", "exec", "auth-provider", "username", "password"):
            user.pop(key, None)
        user["token"] = options.token
    for key, value in (("client-certificate", options.client_certificate), ("client-key", options.client_key)):
        if value:
            user.pop(f"{key}-data", None)
            user[key] = os.path.abspath(value)
    if options.as_user:
        # The flags name another person: the groups of the file's one don't go with it.
        user = {key: value for key, value in user.items() if key not in ("as-groups", "as-uid", "as-user-extra")}
        user["as"] = options.as_user
        user["as-groups"] = list(options.as_groups)
        user["as-uid"] = options.as_uid
        user["as-user-extra"] = _extra(options.as_user_extra)
    return user


def _extra(pairs: Sequence[str]) -> dict[str, list[str]]:
    """Values by key, as the kubeconfig has them."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"--as-user-extra: {pair!r} is not KEY=VALUE")
        found.setdefault(key, []).append(value)
    return found


def _server(server: str, cluster: Block, user: Block) -> str:
    """The server's address; without a scheme it is https where anything about TLS is configured, as for kubectl."""
    if not server:
        raise KueuectlError("no server is configured", hint="name one with --context, --cluster or --server")
    if "://" not in server:
        keys = ("certificate-authority", "certificate-authority-data", "insecure-skip-tls-verify")
        of_user = ("client-certificate", "client-certificate-data")
        secure = any(cluster.get(key) for key in keys) or any(user.get(key) for key in of_user)
        server = f"{'https' if secure else 'http'}://{server}"
    if not server.startswith(("https://", "http://")):
        raise KueuectlError(f"the server {clean(server)!r} is neither http nor https", hint="check --server")
    return server.rstrip("/")
