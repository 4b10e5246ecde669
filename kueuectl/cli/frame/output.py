"""Print answers: tables for people, raw objects or documents for machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kueuectl.cli.frame.run import Run
from kueuectl.errors import UsageError
from kueuectl.report import formats, tables, terminal, text
from kueuectl.report.tables import Table

API_VERSION = "kueuectl/v1alpha1"


def table(run: Run, shown: Table) -> None:
    """Print a table: by rich on a terminal while it is small enough, else as plain aligned text."""
    headers = not run.flags.no_headers
    narrowed = shown.narrowed(wide=run.format.is_wide)
    environment = run.environment
    if environment.is_colored and terminal.fits(narrowed, environment.width, headers=headers):
        width = min(environment.width, 10_000)
        run.write([terminal.render(narrowed, width=width, headers=headers)])
        return
    run.write(line + "\n" for line in tables.lines(narrowed, headers=headers))


def blocks(run: Run, parts: Iterable[str | Table]) -> None:
    """Print lines and tables in their order."""
    for part in parts:
        if isinstance(part, Table):
            table(run, part)
        else:
            run.print(part)


def objects(run: Run, items: Iterable[dict[str, Any]], *, empty: str) -> None:
    """Print raw objects in the machine format that was asked for; `empty` is said on stderr when there are none."""
    form = run.format
    cleaned = items if run.flags.show_managed_fields else map(_without_managed_fields, items)
    if form.kind == "json":
        run.write(formats.json_list(cleaned))
    elif form.kind == "yaml":
        run.write(formats.yaml_list(cleaned))
    elif form.is_document:
        listed = {"apiVersion": "v1", "items": list(cleaned), "kind": "List", "metadata": {"resourceVersion": ""}}
        _write_document(run, listed, ordered=True)
    else:
        _objects_by_line(run, list(cleaned), empty=empty)


def one(run: Run, item: dict[str, Any]) -> None:
    """Print one raw object in the machine format that was asked for."""
    form = run.format
    cleaned = item if run.flags.show_managed_fields else _without_managed_fields(item)
    if form.kind == "json":
        run.write([formats.to_json(cleaned), "\n"])
    elif form.kind == "yaml":
        run.write([formats.to_yaml(cleaned, ordered=True)])
    elif form.is_document:
        _write_document(run, cleaned, ordered=True)
    else:
        _objects_by_line(run, [cleaned], empty="")


def _objects_by_line(run: Run, items: list[dict[str, Any]], *, empty: str) -> None:
    if run.format.kind == "name":
        run.write(formats.object_name(item) + "\n" for item in items)
    else:
        _custom_columns(run, items)
    if not items:
        run.note(empty)


def _custom_columns(run: Run, items: Sequence[dict[str, Any]]) -> None:
    from kueuectl.report import columns

    chosen = columns.parse(run.format.argument)
    if items:
        shown = columns.table(chosen, items)
        run.write(line + "\n" for line in tables.lines(shown, headers=not run.flags.no_headers))


def document(
    run: Run,
    made: Callable[[], dict[str, Any]],
    *,
    shown: Callable[[], None],
    items: str = "items",
    kind: str = "",
) -> None:
    """Print an answer of our own: `shown` for people, else the document in a machine format.

    Names and custom columns are taken from the document's list `items`, or from the document where it has none. `kind`
    is that of the items that don't say it.
    """
    form = run.format
    if form.is_table:
        shown()
        return
    value = made()
    if form.kind == "json":
        run.write([formats.to_json(value), "\n"])
    elif form.kind == "yaml":
        run.write([formats.to_yaml(value)])
    elif form.is_document:
        _write_document(run, value, ordered=False)
    elif form.kind == "name":
        _names(run, value.get(items, [value]), kind)
    else:
        _custom_columns(run, value.get(items, [value]))


def _names(run: Run, rows: Sequence[dict[str, Any]], kind: str) -> None:
    """The object of each row, once."""
    found = dict.fromkeys(formats.row_name(row, kind) for row in rows)
    if "" in found:
        raise UsageError("this answer has no names for -o name", hint="use -o json or -o yaml")
    run.write(f"{name}\n" for name in found)


def header(kind: str) -> dict[str, Any]:
    """apiVersion and kind of a document of ours."""
    return {"apiVersion": API_VERSION, "kind": kind}


def _write_document(run: Run, value: dict[str, Any], *, ordered: bool) -> None:
    """Print a whole document by a jsonpath or Go template, or in braces."""
    form = run.format
    if form.kind == "kyaml":
        from kueuectl.report import kyaml

        run.write([kyaml.document(value, ordered=ordered)])
        return
    # Where nothing was found no field is missing.
    allows = run.allows_missing_keys or value.get("items") == []
    if form.kind == "go-template":
        from kueuectl.report import gotemplate

        _write_template(run, gotemplate.render(gotemplate.parse(form.argument), value, allow_missing=allows))
        return
    from kueuectl.report import jsonpath

    parts = jsonpath.parse(form.argument)
    if form.kind == "jsonpath-as-json":
        run.write([jsonpath.render_json(parts, value, allow_missing=allows)])
    else:
        _write_template(run, jsonpath.render(parts, value, allow_missing=allows))


def _write_template(run: Run, filled: str) -> None:
    """A program gets the bytes as they are; on a terminal nothing may act on it."""
    run.write([text.clean_lines(filled) if run.environment.stdout_is_tty else filled])


def _without_managed_fields(item: dict[str, Any]) -> dict[str, Any]:
    metadata = item.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return item
    return item | {"metadata": {key: value for key, value in metadata.items() if key != "managedFields"}}
