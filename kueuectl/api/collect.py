"""Collects decoded objects into a ClusterState: lists and pages, duplicates, versions, cycles of cohorts.

Rules, in order: (1) equal objects are one; (2) of two API versions of one object the preferred one counts, with a
warning; (3) two objects of one version with different contents are an error; (4) nothing of a page is kept when a
part of it is wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import msgspec

from kueuectl.api import decoding, installation, wire
from kueuectl.api.decoding import Kind, Model, NotJSONError
from kueuectl.api.installation import Found
from kueuectl.api.pool import Pool
from kueuectl.errors import InputError, KueuectlError
from kueuectl.model.queues import MAX_COHORT_LEVELS
from kueuectl.model.state import ClusterState, OwnerObject

# The annotation of a list that `snapshot save` writes.
SAVED_AT = "kueuectl.io/saved-at"
_KIND = re.compile(rb'"kind"\s*:\s*"(\w{1,63})"')
_PEEK = 2048
# Names of a cycle that a message lists.
_SHOWN = 12


class ListMeta(wire.Wire):
    """metadata of a list: where the next page starts."""

    continue_: str | None = msgspec.field(default=None, name="continue")
    resource_version: str | None = None
    remaining_item_count: int | None = None
    annotations: wire.StringMap | None = None


class Envelope(wire.Wire):
    """A list, or an object whose other fields do not matter yet."""

    api_version: str | None = None
    kind: str | None = None
    metadata: msgspec.Raw = msgspec.Raw()
    items: msgspec.Raw = msgspec.Raw()


_ENVELOPE = msgspec.json.Decoder(Envelope)
_LIST_META = msgspec.json.Decoder(ListMeta)
_RAWS = msgspec.json.Decoder(list[msgspec.Raw])
_SHAPES = {kind.name: kind for kind in decoding.KINDS}
# Models whose class does not name their kind are told apart by their own field.
_FIELDS = {
    "ClusterQueue": "cluster_queues",
    "LocalQueue": "local_queues",
    "Cohort": "cohorts",
    "ResourceFlavor": "flavors",
    "Workload": "workloads",
    "AdmissionCheck": "admission_checks",
    "Topology": "topologies",
    "WorkloadPriorityClass": "workload_priority_classes",
    "PriorityClass": "priority_classes",
    "Namespace": "namespaces",
    "Node": "nodes",
    "LimitRange": "limit_ranges",
    "RuntimeClass": "runtime_classes",
}
_OWNERS = ""


class Collector:
    """Takes objects, lists and pages in any order and gives the state. Not for use by several threads at once."""

    def __init__(self, *, strict: bool = True) -> None:
        self.pool = Pool(strict=strict)
        # What says how Kueue is configured, in the order in which it was found.
        self.configurations: list[Found] = []
        self.flags: dict[str, bool] = {}
        # When the dumps among the sources were saved.
        self.saved_at: list[int] = []
        self._objects: dict[str, dict[str, Any]] = {name: {} for name in (*_FIELDS, _OWNERS)}
        # Only objects that are not of the preferred version, which is rare.
        self._versions: dict[tuple[str, str], str] = {}
        self._both: Counter[str] = Counter()
        self._unknown: Counter[str] = Counter()
        # By kind: from which position on the objects come from which source.
        self._sources: dict[str, list[tuple[int, str]]] = {name: [] for name in self._objects}

    def add(self, raw: bytes | msgspec.Raw, *, source: str = "") -> None:
        """Take an object or a list, as JSON."""
        envelope = self._envelope(raw, source)
        if envelope is not None:
            self.add_page(bytes(envelope.items), source=source, default=list_default(envelope))
            self._note_meta(envelope, source)
        else:
            self._add_one(raw, source, None)

    def add_list(self, raw: bytes, *, source: str = "") -> ListMeta:
        """Take a list as the API server sends it; its metadata, for the next page."""
        envelope = self._envelope(raw, source)
        if envelope is None:
            raise InputError("expected a list", source=source)
        self.add_page(bytes(envelope.items), source=source, default=list_default(envelope))
        return self._note_meta(envelope, source)

    def add_header(self, raw: bytes, *, source: str = "") -> wire.Header | None:
        """Take a list whose items come as pages; what they are where they don't say so themselves."""
        envelope = self._envelope(raw, source)
        if envelope is None:
            raise InputError(
                "has items, but its kind is no list", source=source, path="kind", hint="is the end of it cut off?"
            )
        self._note_meta(envelope, source)
        return list_default(envelope)

    def add_page(self, raw: bytes, *, source: str = "", default: wire.Header | None = None) -> None:
        """Take a JSON array of objects. default: what they are where they don't say so themselves."""
        if raw in (b"", b"null"):
            return
        self.pool.recent.clear()
        kind = self._guess(raw, default)
        if kind is None or not self._add_alike(raw, kind, source=source, default=default):
            try:
                parts = _RAWS.decode(raw)
            except msgspec.ValidationError as error:
                raise InputError(f"expected a list: {error}", source=source, path="items") from error
            except (msgspec.DecodeError, RecursionError) as error:
                raise NotJSONError(f"is not JSON: {error}", source=source, path="items") from error
            for part in parts:
                self._add_one(part, source, default)

    def state(self) -> ClusterState:
        """What was collected. Raises InputError for a cycle of cohorts when strict."""
        if self.pool.strict:
            self._refuse_cycles()
        objects: dict[str, Any] = {field: self._objects[kind] for kind, field in _FIELDS.items()}
        return ClusterState(**objects, owners=tuple(self._objects[_OWNERS].values()), warnings=self.warnings())

    def warnings(self) -> tuple[str, ...]:
        """What was passed over or merged, as plain sentences."""
        found = [
            f"{count} {kind} object(s) are there in two API versions; the newer one is used"
            for kind, count in sorted(self._both.items())
        ]
        found += [
            f"{count} object(s) of the unknown kind {kind} of Kueue are not looked at"
            for kind, count in sorted(self._unknown.items())
        ]
        return tuple(found)

    def _note_meta(self, envelope: Envelope, source: str) -> ListMeta:
        """The metadata of a list; a dump says in there when it was saved."""
        try:
            meta = _LIST_META.decode(envelope.metadata) if bytes(envelope.metadata) else ListMeta()
            saved = (meta.annotations or {}).get(SAVED_AT)
            if saved:
                self.saved_at.append(self.pool.time(saved) or 0)
        except (msgspec.DecodeError, KueuectlError) as error:
            problem = error.problem if isinstance(error, KueuectlError) else str(error)
            raise InputError(problem, source=source, obj=envelope.kind or "", path="metadata") from error
        return meta

    def _envelope(self, raw: bytes | msgspec.Raw, source: str) -> Envelope | None:
        """The list that this is, None for anything else (which is then refused as an object, with a better error)."""
        try:
            envelope = _ENVELOPE.decode(raw)
        except msgspec.ValidationError:
            return None
        except RecursionError as error:
            raise NotJSONError("is nested too deeply", source=source) from error
        except msgspec.DecodeError as error:
            raise NotJSONError(f"is not JSON: {error}", source=source) from error
        is_list = (envelope.kind or "").endswith("List") and bytes(envelope.items) != b""
        return envelope if is_list else None

    def _guess(self, raw: bytes, default: wire.Header | None) -> Kind | None:
        """The kind that all of a page probably is; a wrong guess costs time, not correctness."""
        if default is not None:
            return _SHAPES.get(default.kind or "")
        match = _KIND.search(raw, 0, _PEEK)
        return _SHAPES.get(match.group(1).decode()) if match else None

    def _add_alike(self, raw: bytes, kind: Kind, *, source: str, default: wire.Header | None) -> bool:
        """Take a page of one kind at once; False when it isn't one, or has a fault that is to be found one by one."""
        pool, build = self.pool, decoding.build
        try:
            found = decoding.page_decoder(kind.name).decode(raw)
            for entry in found:
                if default is not None:
                    entry.kind, entry.api_version = entry.kind or default.kind, entry.api_version or default.api_version
                if entry.kind != kind.name or entry.api_version not in kind.versions:
                    return False
            models = [build(entry, kind, pool) for entry in found]
        except (msgspec.DecodeError, KueuectlError, RecursionError):
            return False
        held, preferred = self._objects[kind.name], kind.versions[0]
        self._note_source(kind, source)
        for entry, model in zip(found, models, strict=True):
            key = f"{model.namespace}/{model.name}" if kind.is_namespaced else model.name  # type: ignore[union-attr]
            if key in held or entry.api_version != preferred:
                self._put(kind, entry.api_version, model, source=source)
            else:
                held[key] = model
        return True

    def _add_one(self, raw: bytes | msgspec.Raw, source: str, default: wire.Header | None) -> None:
        try:
            model, header, kind = decoding.decode_bytes(raw, source=source, pool=self.pool, default=default)
        except InputError:
            if self._envelope(raw, source) is None:
                raise
            # A list in a list, as tools make that join dumps.
            self.add(raw, source=source)
            return
        if model is not None:
            self._put(kind, header.api_version or "", model, source=source)
            if header.kind == "Deployment":
                self.flags.update(installation.flags(raw, source=source))
        elif header.kind == "ConfigMap":
            self.configurations += installation.configurations(raw, source=source)
        elif header.kind == "Configuration":
            self.configurations.append(Found(source, msgspec.json.decode(raw)))
        elif header.kind == "Dump":
            self.saved_at += installation.saved_at(raw, source=source)
        elif decoding.is_unknown(header):
            self._unknown[(header.kind or "")[:63]] += 1

    def _put(self, kind: Kind, version: str, model: Model, *, source: str) -> None:
        """Rules 1 to 3."""
        held = self._objects[kind.name]
        key = key_of(model, kind)
        before = held.get(key)
        if before is None:
            self._note_source(kind, source)
            held[key] = model
            if kind.versions and version != kind.versions[0]:
                self._versions[kind.name, key] = version
            return
        preferred = kind.versions[0] if kind.versions else version
        known = self._versions.get((kind.name, key), preferred)
        if known == version:
            if before != model:
                raise self._conflict(kind, key, source)
            return
        self._both[kind.name] += 1
        if kind.versions.index(version) < kind.versions.index(known):
            held[key] = model
            self._versions[kind.name, key] = version

    def _note_source(self, kind: Kind, source: str) -> None:
        runs = self._sources[kind.name]
        if not runs or runs[-1][1] != source:
            runs.append((len(self._objects[kind.name]), source))

    def _conflict(self, kind: Kind, key: str, source: str) -> InputError:
        name = key if kind.name == _OWNERS else f"{kind.name} {key}"
        first = self._source_of(kind.name, key)
        where = f" (first in {first})" if first and first != source else ""
        return InputError(f"comes twice with different contents{where}", source=source, obj=name)

    def _source_of(self, kind: str, key: str) -> str:
        position = list(self._objects[kind]).index(key)
        return [source for start, source in self._sources[kind] if start <= position][-1]

    def _refuse_cycles(self) -> None:
        """Refuse cohorts above themselves, and trees of more levels than are read."""
        cohorts = self._objects["Cohort"]
        levels: dict[str, int] = {}
        for name in cohorts:
            path: dict[str, None] = {}
            at: str | None = name
            while at is not None and at not in levels:
                if at in path:
                    raise self._bad_parent(at, f"cohorts form a cycle: {_arrows(list(path), at)}")
                path[at] = None
                at = cohorts[at].parent if at in cohorts else None
            above = levels[at] if at is not None else 0
            for level, member in enumerate(reversed(path), start=above + 1):
                levels[member] = level
            if levels[name] > MAX_COHORT_LEVELS:
                raise self._bad_parent(name, f"is more than {MAX_COHORT_LEVELS} levels below the root of its cohorts")

    def _bad_parent(self, name: str, problem: str) -> InputError:
        return InputError(
            problem,
            source=self._source_of("Cohort", name),
            obj=f"Cohort {name}",
            path="spec.parentName",
            hint="take the parentName of one of them away",
        )


def _arrows(path: list[str], name: str) -> str:
    """A cycle as text, of a long one the start and the end."""
    cycle = [*path[path.index(name) :], name]
    if len(cycle) > _SHOWN:
        cycle[_SHOWN // 2 : -_SHOWN // 2] = ["..."]
    return " -> ".join(cycle)


def list_default(envelope: Envelope) -> wire.Header | None:
    """What the items of a typed list are: built-in kinds leave it out of the items."""
    kind = envelope.kind or ""
    if kind == "List":
        return None
    return wire.Header(api_version=envelope.api_version, kind=kind[: -len("List")])


def key_of(model: Model, kind: Kind) -> str:
    """The key that the state has an object under; owners are told apart by group and kind too."""
    if not kind.is_namespaced:
        return model.name
    key = f"{model.namespace}/{model.name}"  # type: ignore[union-attr]
    if isinstance(model, OwnerObject):
        group = model.api_version.rpartition("/")[0]
        return f"{model.kind}.{group} {key}" if group else f"{model.kind} {key}"
    return key
