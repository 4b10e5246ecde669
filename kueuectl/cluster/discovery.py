"""Which versions of an API group the server serves, and which resources are in them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kueuectl.cluster.failures import ForbiddenError, MissingError
from kueuectl.cluster.kinds import KUEUE_GROUP, STATE_KINDS, Kind, Resource
from kueuectl.errors import UnreachableError

if TYPE_CHECKING:
    from kueuectl.cluster.client import Client

# Kueue's versions that are understood, the preferred one first, whatever the server prefers.
_KUEUE_VERSIONS = ("v1beta2", "v1beta1", "v1alpha1")
# Groups of Kubernetes itself whose v1 every release serves: no need to ask.
_BUILT_IN = ("", "apps", "batch")


class Discovery:
    """Remembers what the server said, so that each group is asked about once.

    Where discovery is forbidden, what is known is taken for served: a list then tells.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._versions: dict[str, tuple[str, ...]] = {}
        self._resources: dict[tuple[str, str], dict[str, str]] = {}

    def versions(self, group: str) -> tuple[str, ...]:
        """The served versions of a group, the one to use first; none where the group isn't served."""
        if not group:
            return ("v1",)
        with self._lock:
            if group not in self._versions:
                self._versions[group] = self._ask_versions(group)
            return self._versions[group]

    def resources(self, group: str, version: str) -> dict[str, str]:
        """Plurals by kind that a version of a group serves; empty where it isn't served."""
        with self._lock:
            if (group, version) not in self._resources:
                self._resources[group, version] = self._ask_resources(group, version)
            return self._resources[group, version]

    def served(self, kind: Kind) -> str | None:
        """The best version in which a kind is served; None where it isn't. Kinds of Kubernetes itself always are."""
        if kind.group != KUEUE_GROUP:
            return kind.versions[0]
        offered = self.versions(kind.group)
        for version in kind.versions:
            if version in offered and kind.name in self.resources(kind.group, version):
                return version
        return None

    def find(self, resource: Resource) -> tuple[str, str]:
        """The version and plural to ask for a resource by; raises MissingError where the server doesn't have it."""
        if resource.plural and resource.group in _BUILT_IN:
            return "v1", resource.plural
        for version in self.versions(resource.group):
            found = self.resources(resource.group, version)
            plural = found.get(resource.name) or (resource.plural if resource.plural in found.values() else "")
            if plural:
                return version, plural
        group = f" (group {resource.group})" if resource.group else ""
        raise MissingError(
            f"the cluster has no kind {resource.name}{group}", hint="is the controller that brings it installed?"
        )

    def _ask_versions(self, group: str) -> tuple[str, ...]:
        try:
            body = self._client.get(f"/apis/{group}", what=f"ask for the versions of {group}")
        except MissingError:
            return ()
        except ForbiddenError:
            return _KUEUE_VERSIONS if group == KUEUE_GROUP else ("v1",)
        document = _document(body, self._client.server)
        names = [str(entry["version"]) for entry in _entries(document, "versions") if "version" in entry]
        if group == KUEUE_GROUP:
            return tuple(version for version in _KUEUE_VERSIONS if version in names)
        preferred = document.get("preferredVersion")
        first = preferred.get("version") if isinstance(preferred, dict) else None
        return tuple(sorted(names, key=lambda name: name != first))

    def _ask_resources(self, group: str, version: str) -> dict[str, str]:
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        try:
            body = self._client.get(path, what=f"ask for the kinds of {group or 'core'}/{version}")
        except MissingError:
            return {}
        except ForbiddenError:
            return {kind.name: kind.plural for kind in STATE_KINDS if kind.group == group}
        document = _document(body, self._client.server)
        return {
            str(entry["kind"]): str(entry["name"])
            for entry in _entries(document, "resources")
            # The others are subresources: workloads/status.
            if "kind" in entry and "/" not in str(entry.get("name", "/"))
        }


def _document(body: bytes, server: str) -> dict[str, object]:
    try:
        value = json.loads(body)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise UnreachableError(
            f"{server} does not answer as an API server does", hint="check the address; a proxy may stand in between"
        )
    return value


def _entries(document: dict[str, object], key: str) -> Iterable[dict[str, object]]:
    entries = document.get(key)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
