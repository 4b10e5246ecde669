"""A live cluster as the source of a run. Imports the client only in functions: it is dear."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kueuectl.cli.frame.connecting import client as client
from kueuectl.cli.frame.connecting import current_namespace as current_namespace
from kueuectl.cli.frame.connecting import options as options
from kueuectl.cli.frame.kinds import Kind, Reference
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.errors import NotFoundError
from kueuectl.model.state import ClusterState, HiddenKind, OwnerObject
from kueuectl.model.values import replace

if TYPE_CHECKING:
    from kueuectl.cluster.client import Client
    from kueuectl.cluster.kinds import Resource


def load(run: Run, kinds: Sequence[Kind], *, with_settings: bool) -> Loaded:
    """Only these kinds, side by side; the first must be readable, of the others what can't be is a warning."""
    from kueuectl.api import configuration
    from kueuectl.cluster import installation
    from kueuectl.cluster.parallel import side_by_side

    connection = client(run)
    within = "" if run.flags.all_namespaces else run.flags.namespace or current_namespace(run)
    settings = [configuration.defaults().settings]

    def find_settings() -> ClusterState:
        # What may not be read there only moves a place in a queue: no warning on a mere list.
        settings[0] = installation.find(connection).settings
        return ClusterState()

    tasks: list[Callable[[], ClusterState]] = [
        (lambda kind=kind, place=place: _list(connection, kind, within, is_needed=place == 0))  # type: ignore[misc]
        for place, kind in enumerate(kinds)
    ]
    if with_settings:
        tasks.append(find_settings)
    state = _joined(side_by_side(tasks, stop=connection.stop)) if tasks else ClusterState()
    for warning in state.warnings:
        run.warn(warning)
    return Loaded(state, settings[0], connection.now)


def _list(connection: Client, kind: Kind, namespace: str, *, is_needed: bool) -> ClusterState:
    """All objects of a kind, of one namespace where the kind has them and one is named."""
    from kueuectl.cluster import kinds as served
    from kueuectl.cluster import lists
    from kueuectl.cluster.failures import ForbiddenError, MissingError

    known = next(found for found in served.STATE_KINDS if found.name == kind.name)
    version = connection.discovery.served(known)
    where = f" in {namespace}" if namespace and known.is_namespaced else ""
    try:
        if version is None:
            raise MissingError(f"the cluster has no kind {kind.name}", hint="is Kueue installed there?")
        path = served.path_of(known, version, namespace=namespace if known.is_namespaced else "")
        return lists.collect(connection, lists.Listing(path, f"list {known.plural}{where}")).state()
    except (ForbiddenError, MissingError) as error:
        if is_needed:
            raise
        reason = "forbidden" if isinstance(error, ForbiddenError) else "not served"
        warning = f"can't list {known.plural}: {known.without}"
        return ClusterState(hidden=(HiddenKind(kind.name, reason),), warnings=(warning,))


def _joined(states: Sequence[ClusterState]) -> ClusterState:
    values: dict[str, Any] = {}
    for name in ClusterState.__struct_fields__:
        found = [getattr(state, name) for state in states]
        filled = [value for value in found if value]
        if isinstance(found[0], dict):
            values[name] = {key: value for part in filled for key, value in part.items()}
        else:
            values[name] = tuple(value for part in filled for value in part)
    return ClusterState(**values)


def load_all(run: Run) -> Loaded:
    """All that decisions depend on, with Kueue's own configuration unless --kueue-config names another."""
    from kueuectl.cluster.read import read_state

    namespaces = (run.flags.namespace,) if run.flags.namespace else None
    with run.progress("reading") as progress:
        reading = read_state(client(run), namespaces=namespaces, progress=progress)
    for warning in reading.warnings:
        run.warn(warning)
    settings = reading.settings
    if run.flags.kueue_config is not None:
        from kueuectl.store.load import load_settings

        settings = load_settings(run.flags.kueue_config, stdin=run.environment.stdin_bytes)
    return Loaded(reading.state, settings, reading.now)


def raw(run: Run, kind: Kind, *, namespace: str | None) -> Iterator[dict[str, Any]]:
    """Raw objects of a kind, page by page."""
    from kueuectl.cluster.read import list_raw

    return list_raw(client(run), kind, namespace=namespace or "")


def raw_or_warn(
    run: Run, kind: Resource, *, without: str, namespace: str = "", label_selector: str = ""
) -> Iterator[dict[str, Any]]:
    """Raw objects of a kind; a warning where it may not be listed, nothing where it isn't served."""
    from kueuectl.cluster.failures import ForbiddenError
    from kueuectl.cluster.read import list_raw

    try:
        yield from list_raw(client(run), kind, namespace=namespace, label_selector=label_selector)
    except ForbiddenError:
        run.warn(f"can't list {kind.plural}: {without}")
    except NotFoundError:
        return


def with_owner(run: Run, state: ClusterState, reference: Reference, *, namespace: str | None) -> ClusterState:
    """The state with the objects of that name among its owners: one where a namespace is chosen, else of all."""
    from kueuectl.cluster.read import list_raw, read_owner

    connection = client(run)
    found: list[OwnerObject] = []
    try:
        if namespace is not None:
            places = [namespace]
        else:
            by_name = f"metadata.name={reference.name}"
            items = list_raw(connection, reference.kind, field_selector=by_name)
            places = [str(item["metadata"].get("namespace") or "") for item in items]
        for place in places:
            found.append(read_owner(connection, reference.kind, place, reference.name))
    except NotFoundError:
        return state
    return replace(state, owners=(*state.owners, *found))
