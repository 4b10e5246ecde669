"""What a cluster holds, read from its API server: the whole state, owners on demand, raw objects.

Rules.
 1. One list per kind, cluster-wide, in pages, kinds side by side. No request per object.
 2. A kind that RBAC hides is tried again in the given namespaces where it lives in them; what is still hidden becomes a
    HiddenKind and a warning that says what can't be known. A state without ClusterQueues and Workloads is an error.
 3. v1beta2 is read where it is served, else v1beta1.
 4. `now` is the server's clock.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kueuectl import times
from kueuectl.api import raw
from kueuectl.api.collect import Collector
from kueuectl.cluster import installation, kinds, lists
from kueuectl.cluster.client import Client
from kueuectl.cluster.failures import ForbiddenError, MissingError
from kueuectl.cluster.installation import Installation
from kueuectl.cluster.kinds import Kind, Resource
from kueuectl.cluster.lists import Listing
from kueuectl.cluster.parallel import side_by_side
from kueuectl.errors import NotFoundError, UnreachableError
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState, HiddenKind, OwnerObject
from kueuectl.model.values import replace

FORBIDDEN = "forbidden"
NOT_SERVED = "not served"
_LARGEST_SKEW_SECONDS = 60

# Told of each page: the kind's plural, how many objects were read, and how many there are in all.
Progress = Callable[[str, int, int], None]


class Reading(NamedTuple):
    """The state, Kueue's settings, the server's time in nanoseconds, and what the user should know about them."""

    state: ClusterState
    settings: Settings
    now: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Listed:
    """What the lists of one kind gave."""

    collectors: tuple[Collector, ...] = ()
    hidden: HiddenKind | None = None
    warnings: tuple[str, ...] = ()
    refusal: ForbiddenError | None = None


def read_state(client: Client, *, namespaces: Sequence[str] | None = None, progress: Progress | None = None) -> Reading:
    """Read all that decisions depend on.

    `namespaces` are those to fall back to where a cluster-wide list is forbidden; the context's one by default.
    `progress` may be called from any thread, after each page but a list's last. Raises UnreachableError where neither
    ClusterQueues nor Workloads can be read, InputError for an object that is wrong.
    """
    reader = _Reader(client, tuple(namespaces or (client.current_namespace,)), progress)
    collecting = gc.isenabled()
    gc.disable()
    try:
        results = side_by_side(reader.tasks(), stop=client.stop)
        state = _joined([one for one in results if isinstance(one, _Listed)])
    finally:
        # What was read stays: the collector need not look at it again and again.
        gc.freeze()
        if collecting:
            gc.enable()
    found = next(one for one in results if isinstance(one, Installation))
    warnings = (*state.warnings, *found.warnings, *_skew(client))
    return Reading(replace(state, warnings=warnings), found.settings, client.now, warnings)


def read_owner(client: Client, resource: Resource, namespace: str, name: str) -> OwnerObject:
    """One object that owns workloads or pods. Raises NotFoundError where it, or its kind, isn't there."""
    body = _get(client, resource, namespace, name)
    collector = Collector()
    collector.add(body, source=f"{resource.name} {namespace}/{name}")
    owners = collector.state().owners
    if not owners:
        raise NotFoundError(f"{resource.name} is not a kind that owns workloads")
    return owners[0]


def read_pods(client: Client, namespace: str, label_selector: str = "") -> tuple[OwnerObject, ...]:
    """The pods of a namespace that match a label selector, in the form of Kubernetes (`a=b,c in (d, e)`)."""
    selection = _selection(label_selector, "")
    listing = Listing(kinds.path_of(kinds.POD, "v1", namespace=namespace), f"list pods in {namespace}", selection)
    return lists.collect(client, listing).state().owners


def list_raw(
    client: Client, resource: Resource, *, namespace: str = "", label_selector: str = "", field_selector: str = ""
) -> Iterator[dict[str, Any]]:
    """Objects as the API server gives them, page by page; of all namespaces where none is named.

    Each holds apiVersion and kind, and managedFields too. Raises NotFoundError where the kind isn't served.
    """
    version, plural = client.discovery.find(resource)
    found = kinds.Kind(resource.name, plural, resource.group, (version,), "", resource.is_namespaced)
    scope = f" in {namespace}" if namespace and resource.is_namespaced else ""
    path = kinds.path_of(found, version, namespace=namespace)
    return lists.stream(client, Listing(path, f"list {plural}{scope}", _selection(label_selector, field_selector)))


def get_raw(client: Client, resource: Resource, namespace: str, name: str) -> dict[str, Any]:
    """One object as the API server gives it. Raises NotFoundError where it, or its kind, isn't there."""
    return raw.open_object(_get(client, resource, namespace, name), source=f"{resource.name} {name}")


class _Reader:
    """What one read needs: the connection, where to fall back to, and whom to tell."""

    def __init__(self, client: Client, namespaces: tuple[str, ...], progress: Progress | None) -> None:
        self._client = client
        self._namespaces = namespaces
        self._progress = progress

    def tasks(self) -> list[Callable[[], _Listed | Installation]]:
        """One task per kind, and one for Kueue itself."""
        tasks: list[Callable[[], _Listed | Installation]] = [
            lambda kind=kind: self._list(kind)  # type: ignore[misc]
            for kind in kinds.STATE_KINDS
        ]
        tasks.append(lambda: installation.find(self._client))
        return tasks

    def _list(self, kind: Kind) -> _Listed:
        version = self._client.discovery.served(kind)
        if version is None:
            return _Listed(hidden=HiddenKind(kind.name, NOT_SERVED))
        path = kinds.path_of(kind, version)
        try:
            return _Listed((self._collect(kind, Listing(path, f"list {kind.plural}")),))
        except MissingError:
            return _Listed(hidden=HiddenKind(kind.name, NOT_SERVED))
        except ForbiddenError as refusal:
            return self._fall_back(kind, version, refusal)

    def _collect(self, kind: Kind, listing: Listing) -> Collector:
        progress = self._progress
        seen = None if progress is None else lambda done, total: progress(kind.plural, done, total)
        return lists.collect(self._client, listing, seen=seen)

    def _fall_back(self, kind: Kind, version: str, refusal: ForbiddenError) -> _Listed:
        """The kind in the namespaces that were named, as far as that is allowed."""
        collectors, read = [], []
        for namespace in self._namespaces:
            try:
                if kind.is_namespaced:
                    path = kinds.path_of(kind, version, namespace=namespace)
                    collectors.append(self._collect(kind, Listing(path, f"list {kind.plural} in {namespace}")))
                elif kind is kinds.NAMESPACE:
                    collectors.append(self._one(kind, version, namespace))
                else:
                    break
            except (ForbiddenError, MissingError):
                continue
            read.append(namespace)
        if read:
            where = f"read only in {', '.join(read)}"
            problem = f"not allowed to list {kind.plural} of all namespaces, {where}: elsewhere {kind.without}"
        else:
            where = ""
            problem = f"not allowed to list {kind.plural}: {kind.without}"
        hidden = HiddenKind(kind.name, FORBIDDEN, where)
        return _Listed(tuple(collectors), hidden, (problem,), None if read else refusal)

    def _one(self, kind: Kind, version: str, name: str) -> Collector:
        collector = Collector()
        path = kinds.path_of(kind, version, name=name)
        collector.add(self._client.get(path, what=f"get {kind.name} {name}"), source=f"{kind.name} {name}")
        return collector


def _joined(listed: Sequence[_Listed]) -> ClusterState:
    """One state of all lists; raises UnreachableError where what matters most is not in it."""
    hidden = tuple(one.hidden for one in listed if one.hidden)
    missing = {one.kind: one.reason for one in hidden if not one.detail}
    if kinds.CLUSTER_QUEUE.name in missing and kinds.WORKLOAD.name in missing:
        if NOT_SERVED in (missing[kinds.CLUSTER_QUEUE.name], missing[kinds.WORKLOAD.name]):
            raise UnreachableError(
                f"the cluster has no kinds of Kueue ({kinds.KUEUE_GROUP})", hint="is Kueue installed there?"
            )
        refusal = next(one.refusal for one in listed if one.hidden and one.hidden.kind == kinds.WORKLOAD.name)
        assert refusal is not None
        refusal.hint = "neither ClusterQueues nor Workloads can be read; name a namespace with -n, or ask for a role"
        raise refusal
    held: dict[str, Any] = {}
    warnings: list[str] = []
    for one in listed:
        for state in (collector.state() for collector in one.collectors):
            for name in _HELD:
                value = getattr(state, name)
                if value:
                    held[name] = (held[name] | value) if name in held else value
            warnings += state.warnings
        warnings += one.warnings
    return ClusterState(**held, hidden=hidden, warnings=tuple(warnings))


# The fields of a state that hold objects by key.
_HELD = tuple(name for name in ClusterState.__struct_fields__ if name not in ("owners", "hidden", "warnings"))


def _skew(client: Client) -> tuple[str, ...]:
    ahead = client.skew_seconds
    if abs(ahead) <= _LARGEST_SKEW_SECONDS:
        return ()
    span = times.format_age(int(abs(ahead)) * times.SECOND)
    return (f"this machine's clock is {span} {'ahead of' if ahead > 0 else 'behind'} the server's, which is used",)


def _get(client: Client, resource: Resource, namespace: str, name: str) -> bytes:
    version, plural = client.discovery.find(resource)
    found = kinds.Kind(resource.name, plural, resource.group, (version,), "", resource.is_namespaced)
    where = f"{namespace}/{name}" if resource.is_namespaced else name
    try:
        return client.get(
            kinds.path_of(found, version, namespace=namespace, name=name), what=f"get {resource.name} {where}"
        )
    except MissingError:
        raise NotFoundError(f"there is no {resource.name} {where}") from None


def _selection(label_selector: str, field_selector: str) -> dict[str, str]:
    pairs = {"labelSelector": label_selector, "fieldSelector": field_selector}
    return {key: value for key, value in pairs.items() if value}
