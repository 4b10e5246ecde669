"""What every `list` command does: choose objects, print them as a table or as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from kueuectl.cli.frame import loading, objects, output, selectors
from kueuectl.cli.frame.kinds import Kind, Reference
from kueuectl.cli.frame.run import Run
from kueuectl.errors import NotFoundError, UsageError
from kueuectl.model.selectors import Labels
from kueuectl.report import text
from kueuectl.report.tables import Table


class Named(Protocol):
    """What a listed object has at least."""

    @property
    def name(self) -> str:
        """Its name."""


Item = TypeVar("Item", bound=Named)


def choose(
    items: Mapping[str, Item],
    *,
    kind: Kind,
    names: Sequence[str],
    namespace: str | None,
    selector: str | None = None,
    field_selector: str | None = None,
) -> list[Item]:
    """The objects of a namespace (None: of all) that the selectors keep, or those with the given names.

    Raises NotFoundError for a name that isn't there.
    """
    labels = selectors.parse(selector)
    fields = selectors.parse_fields(field_selector)
    if names and (labels or fields):
        raise UsageError("names and selectors can't be combined")
    found = [item for item in items.values() if namespace is None or getattr(item, "namespace", "") == namespace]
    if names:
        return _named(found, kind=kind, names=names, namespace=namespace)
    if labels:
        found = [item for item in found if selectors.matches(labels, dict(_labels(item)))]
    if fields:
        found = [item for item in found if selectors.matches(fields, _fields(item))]
    return found


def _labels(item: Named) -> Labels:
    found: Labels = getattr(item, "labels", ())
    return found


def _fields(item: Named) -> dict[str, str]:
    return {"metadata.name": item.name, "metadata.namespace": getattr(item, "namespace", "")}


def _named(items: Sequence[Item], *, kind: Kind, names: Sequence[str], namespace: str | None) -> list[Item]:
    chosen = []
    for name in dict.fromkeys(names):
        matches = [item for item in items if item.name == name]
        if not matches:
            where = f" in namespace {text.clean(namespace)}" if kind.is_namespaced and namespace is not None else ""
            error = objects.not_found(Reference(kind, name), [item.name for item in items])
            raise NotFoundError(error.problem + where, hint=error.hint)
        chosen += matches
    return chosen


def flag_bool(values: Sequence[str] | None, *, flag: str) -> bool | None:
    """The value of a true|false flag that may be given once; None where it wasn't."""
    if not values:
        return None
    words = [word for value in values for word in value.split(",")]
    if len(words) > 1:
        raise UsageError(f"only one {flag} can be given")
    value = words[0].lower()
    if value not in ("true", "false"):
        raise UsageError(f"invalid value {values[0]!r} for {flag}", hint="use true or false")
    return value == "true"


def empty_message(kind: Kind, namespace: str | None) -> str:
    """What is said on stderr when nothing was found, in kubectl's words."""
    if kind.is_namespaced and namespace is not None:
        return f"No resources found in {text.clean(namespace)} namespace."
    return "No resources found"


def show(
    run: Run,
    chosen: Sequence[Named],
    *,
    kind: Kind,
    namespace: str | None,
    table: Callable[[], Table],
) -> None:
    """Print the chosen objects: the table for people, the raw objects for machines."""
    empty = empty_message(kind, namespace)
    if run.format.is_table:
        if chosen:
            output.table(run, table())
        else:
            run.note(empty)
        return
    wanted = {(getattr(item, "namespace", ""), item.name) for item in chosen}
    output.objects(run, _raw(run, kind, namespace=namespace, wanted=wanted) if wanted else (), empty=empty)


def _raw(run: Run, kind: Kind, *, namespace: str | None, wanted: set[tuple[str, str]]) -> Any:
    """Raw objects with the wanted (namespace, name), each once, in the order of the source."""
    for item in loading.raw(run, kind, namespace=namespace):
        metadata = item.get("metadata")
        if isinstance(metadata, dict):
            key = (str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))
            if key in wanted:
                wanted.discard(key)
                yield item
