"""What `get` and `describe` read: objects by kind and name or by selector, from a cluster or from dumps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kueuectl.cli.frame import kinds, listing, loading, objects, output, selectors
from kueuectl.cli.frame.kinds import Kind, Reference
from kueuectl.cli.frame.run import Run
from kueuectl.errors import NotFoundError, UsageError
from kueuectl.report import text
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import printed

Item = dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """Objects of one kind: those with the names, or all that the selectors keep."""

    kind: Kind
    names: tuple[str, ...] = ()
    selector: str | None = None
    field_selector: str | None = None


def wanted(words: Sequence[str], *, selector: str | None = None, field_selector: str | None = None) -> list[Wanted]:
    """What `KIND[,KIND] [NAME]...` or `KIND/NAME...` asks for; raises UsageError."""
    if not words:
        raise UsageError("no object named", hint="write KIND, KIND NAME or KIND/NAME")
    selectors.parse(selector)
    selectors.parse_fields(field_selector)
    if "/" in words[0]:
        references = kinds.references(words, kinds.KUEUE_KINDS)
        found = [Wanted(reference.kind, (reference.name,)) for reference in references]
    else:
        chosen = [_known(word) for word in words[0].split(",")]
        names = tuple(dict.fromkeys(words[1:]))
        if any("/" in name for name in names):
            raise UsageError("write KIND NAME or KIND/NAME, not both")
        found = [Wanted(kind, names, selector, field_selector) for kind in dict.fromkeys(chosen)]
    if any(not name for one in found for name in one.names):
        raise UsageError("resource name may not be empty", hint="is a variable of your script empty?")
    if (selector or field_selector) and any(one.names for one in found):
        raise UsageError("name cannot be provided when a selector is specified")
    return found


def _known(word: str) -> Kind:
    kind = kinds.find(word, kinds.KUEUE_KINDS)
    if kind is None:
        names = ", ".join(sorted(kind.name.lower() for kind in kinds.KUEUE_KINDS))
        raise UsageError(f"unknown type {word!r}", hint=f"use one of: {names}")
    return kind


def namespace(run: Run, one: Wanted) -> str | None:
    """The namespace to look in; None for all. Raises UsageError for a name that could be in several."""
    if not one.kind.is_namespaced:
        return None
    if run.flags.all_namespaces and one.names:
        raise UsageError("a resource cannot be retrieved by name across all namespaces", hint="name it with -n")
    return loading.namespace(run)


def items(run: Run, one: Wanted, *, missing: list[NotFoundError]) -> list[Item]:
    """The raw objects; names that aren't there go to `missing`."""
    inside = namespace(run, one)
    if run.is_offline:
        return _offline(run, one, inside, missing)
    from kueuectl.cli.frame import live, writing
    from kueuectl.cluster.read import list_raw
    from kueuectl.cluster.write import Writer

    client = live.client(run)
    if not one.names:
        return list(
            list_raw(
                client,
                one.kind,
                namespace=inside or "",
                label_selector=one.selector or "",
                field_selector=one.field_selector or "",
            )
        )
    hand = Writer(client)
    found = []
    for name in one.names:
        try:
            found.append(hand.read(writing.target(one.kind, name, inside or "default")))
        except NotFoundError as error:
            missing.append(error)
    return found


def _offline(run: Run, one: Wanted, inside: str | None, missing: list[NotFoundError]) -> list[Item]:
    labels, fields = selectors.parse(one.selector), selectors.parse_fields(one.field_selector)
    held = [
        item
        for item in loading.raw(run, one.kind, namespace=inside)
        if isinstance(item.get("metadata"), dict)
        and selectors.matches(labels, _map_of(item["metadata"], "labels"))
        and selectors.matches(fields, _fields(item["metadata"]))
    ]
    if not one.names:
        return held
    found = []
    for name in one.names:
        named = [item for item in held if item["metadata"].get("name") == name]
        if not named:
            missing.append(
                objects.not_found(Reference(one.kind, name), [str(item["metadata"].get("name")) for item in held])
            )
        found += named
    return found


def _map_of(metadata: Item, key: str) -> dict[str, str]:
    found = metadata.get(key)
    return found if isinstance(found, dict) else {}


def _fields(metadata: Item) -> dict[str, str]:
    return {f"metadata.{key}": str(metadata.get(key) or "") for key in ("name", "namespace")}


@dataclass(frozen=True)
class Shown:
    """A table with the metadata of each row's object."""

    table: Table
    metadata: tuple[Item, ...]


def table(run: Run, one: Wanted, *, missing: list[NotFoundError]) -> Shown:
    """The objects as the server prints them, or by the same columns where no server does."""
    if run.is_offline:
        found = items(run, one, missing=missing)
        return _printed_here(found, one.kind, loading.load(run).now)
    from kueuectl.cli.frame import live
    from kueuectl.cluster import tables

    client = live.client(run)
    inside = namespace(run, one) or ""
    answers = []
    for name in one.names or ("",):
        choice = tables.Choice(inside, name, one.selector or "", one.field_selector or "")
        try:
            answers.append(tables.read(client, one.kind, choice))
        except NotFoundError as error:
            if not name:
                raise
            missing.append(error)
    if not answers or not answers[0].columns:
        return _printed_here([item for answer in answers for item in answer.items], one.kind, client.now)
    columns = tuple(Column(text.clean(title.upper()), wide=wide) for title, wide in answers[0].columns)
    rows = [row for answer in answers for row in answer.rows]
    return Shown(
        Table(columns, [tuple(map(_cell, cells)) for cells, _ in rows]), tuple(metadata for _, metadata in rows)
    )


def _printed_here(found: Sequence[Item], kind: Kind, now: int) -> Shown:
    return Shown(printed.table(found, kind=kind.name, now=now), tuple(item.get("metadata") or {} for item in found))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def with_columns(shown: Shown, *, kind: Kind, namespaces: bool, labels: bool, prefixed: bool) -> Table:
    """The table with the namespace in front, labels at the end, and names that tell their kind, as asked for."""
    columns, rows = shown.table.columns, list(shown.table.rows)
    if prefixed:
        head = f"{kind.name.lower()}.{kind.group}/"
        rows = [(head + row[0], *row[1:]) for row in rows]
    if namespaces and kind.is_namespaced:
        columns = (Column("NAMESPACE"), *columns)
        rows = [(str(held.get("namespace") or ""), *row) for row, held in zip(rows, shown.metadata, strict=True)]
    if labels:
        columns = (*columns, Column("LABELS"))
        rows = [(*row, _labels(held)) for row, held in zip(rows, shown.metadata, strict=True)]
    return Table(columns, rows)


def _labels(metadata: Item) -> str:
    found = _map_of(metadata, "labels")
    return ",".join(f"{key}={value}" for key, value in sorted(found.items())) or "<none>"


def empty(run: Run, chosen: Iterable[Wanted]) -> str:
    """What is said where nothing was found."""
    one = next(iter(chosen))
    return listing.empty_message(one.kind, namespace(run, one))


def show_raw(run: Run, chosen: Sequence[Wanted], *, missing: list[NotFoundError]) -> None:
    """Print the objects in a machine format: one that was named alone as itself, others as a List."""
    found = [item for one in chosen for item in items(run, one, missing=missing)]
    if len(chosen) == 1 and len(chosen[0].names) == 1:
        if found:
            output.one(run, found[0])
        return
    output.objects(run, found, empty="" if missing else empty(run, chosen))


def tell_missing(run: Run, missing: Sequence[NotFoundError]) -> None:
    """Raise the first error about a name that isn't there, after the others were told."""
    for error in missing[1:]:
        run.note(f"Error: {error}")
    if missing:
        raise missing[0]
