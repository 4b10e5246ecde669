"""Machine formats: JSON, YAML, names, jsonpath, Go templates and custom columns, in the dialect of kubectl."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kueuectl.errors import UsageError
from kueuectl.report import text

_EXPRESSIONS = ("jsonpath", "jsonpath-as-json", "go-template", "custom-columns")
KINDS = ("table", "wide", "json", "yaml", "kyaml", "name", *_EXPRESSIONS)
# Formats whose argument may come from a file; the command line reads the file and hands in its text.
FILE_KINDS = {
    "jsonpath-file": "jsonpath",
    "go-template-file": "go-template",
    "templatefile": "go-template",
    "custom-columns-file": "custom-columns",
}
_OTHER_NAMES = {"template": "go-template"}
# Formats whose argument may come from --template.
_TEMPLATED = ("jsonpath", "jsonpath-as-json", "jsonpath-file", "go-template", "go-template-file", "templatefile")
# Formats that single commands take beside these.
SPECIAL_KINDS = ("plan", "sarif")

# Harmless inside a JSON string when escaped, but a terminal could act on them, or nobody sees them: C1 controls, DEL,
# bidirectional controls, zero-width characters and tags. JSON escapes the other controls by itself.
_HOSTILE = (
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_INDENT = 4
# What YAML 1.2 reads as a number and YAML 1.1 doesn't: it has to be quoted, or another reader changes its type.
_NUMBER_1_2 = r"[-+]?(?:\.?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|0o[0-7]+|0x[0-9a-fA-F]+)\Z"


class Format(NamedTuple):
    """What `-o` asked for: a kind of KINDS and, for those that take one, the expression."""

    kind: str = "table"
    argument: str = ""

    @property
    def is_table(self) -> bool:
        """Whether people read it: table or wide."""
        return self.kind in ("table", "wide")

    @property
    def is_document(self) -> bool:
        """Whether it is made of one whole document: the others can be written object by object."""
        return self.kind in ("kyaml", "jsonpath", "jsonpath-as-json", "go-template")

    @property
    def is_wide(self) -> bool:
        """Whether the additional columns are wanted."""
        return self.kind == "wide"


def parse(value: str | None, template: str | None = None) -> Format:
    """The format of an `-o` value; kinds of FILE_KINDS are kept for `with_text`.

    `template` is that of --template: it is the expression where `-o` has none, and alone it means a Go template. Raises
    UsageError for a format that isn't known. Whether a command takes one of SPECIAL_KINDS is checked where the command
    is known.
    """
    if value is None:
        return Format("go-template", template) if template else Format()
    kind, equals, argument = value.partition("=")
    kind = _OTHER_NAMES.get(kind, kind)
    if template:
        if argument or kind not in _TEMPLATED:
            raise UsageError(f"-o {value} can't be combined with --template", hint="write -o go-template")
        argument = template
    takes_argument = kind in _EXPRESSIONS or kind in FILE_KINDS
    if kind not in KINDS and kind not in FILE_KINDS and kind not in SPECIAL_KINDS:
        raise unknown(value)
    if takes_argument and not argument:
        raise UsageError(f"-o {kind} needs an expression", hint=f"write it as -o {kind}={_example(kind)}")
    if equals and not takes_argument and not (kind == "plan" and argument):
        raise UsageError(f"-o {kind} takes no expression", hint=f"write it as -o {kind}")
    return Format(kind, argument)


def unknown(value: str, also: tuple[str, ...] = ()) -> UsageError:
    """The error for a format that a command does not take; `also` are those that it takes beside the common ones."""
    return UsageError(f"unknown output format {value!r}", hint=f"use one of: {', '.join((*KINDS, *FILE_KINDS, *also))}")


def _example(kind: str) -> str:
    path = "'{.items[*].metadata.name}'"
    shown = {"jsonpath": path, "jsonpath-as-json": path, "custom-columns": "NAME:.metadata.name"}
    shown["go-template"] = "'{{range .items}}{{.metadata.name}} {{end}}'"
    return shown.get(kind, "FILE")


def with_text(form: Format, content: str) -> Format:
    """The format whose expression was kept in a file, with the content of that file."""
    argument = content
    if form.kind == "custom-columns-file":
        argument = _columns_of_template(content)
    return Format(FILE_KINDS[form.kind], argument)


def check(form: Format) -> None:
    """Raise UsageError or InputError for an expression that can't be read, before anything is loaded for it."""
    if form.kind in ("jsonpath", "jsonpath-as-json"):
        from kueuectl.report import jsonpath

        jsonpath.parse(form.argument)
    elif form.kind == "custom-columns":
        from kueuectl.report import columns

        columns.parse(form.argument)
    elif form.kind == "go-template":
        from kueuectl.report import gotemplate

        gotemplate.parse(form.argument)


def _columns_of_template(content: str) -> str:
    """`HEADER:PATH` pairs from kubectl's file form: a line of headers over a line of paths."""
    rows = [line.split() for line in content.splitlines() if line.strip()]
    if len(rows) != 2 or len(rows[0]) != len(rows[1]):
        raise UsageError("a custom-columns file has one line of headers and one line of as many paths")
    return ",".join(f"{header}:{path}" for header, path in zip(*rows, strict=True))


def to_json(value: Any, *, ordered: bool = False) -> str:
    """Indented JSON without a line end. `ordered` sorts the keys, as kubectl does for objects of the API."""
    import msgspec

    body = msgspec.json.encode(value, order="sorted" if ordered else None)
    return _defused(msgspec.json.format(body, indent=_INDENT).decode())


def to_compact_json(value: Any) -> str:
    """JSON in one line, as jsonpath shows maps and lists."""
    import msgspec

    return _defused(msgspec.json.encode(value).decode())


def _defused(body: str) -> str:
    if body.isascii() and "\x7f" not in body:
        return body
    return re.sub(_HOSTILE, _escaped, body)


def _escaped(match: re.Match[str]) -> str:
    """A character as JSON escapes it: by its units of sixteen bits."""
    units = match.group().encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def json_list(items: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A Kubernetes List of raw objects as JSON in pieces; one object is in memory at a time."""
    yield '{\n    "apiVersion": "v1",\n    "items": ['
    separator = "\n"
    for item in items:
        body = to_json(item, ordered=True).replace("\n", "\n        ")
        yield f"{separator}        {body}"
        separator = ",\n"
    closing = "]" if separator == "\n" else "\n    ]"
    yield closing + ',\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n'


def to_yaml(value: Any, *, ordered: bool = False) -> str:
    """Block style YAML with a line end; `ordered` sorts the keys. Strings are quoted where a reader could differ."""
    import yaml

    hostile = re.search(_HOSTILE, to_compact_json_raw(value)) is not None
    return yaml.dump(
        value,
        Dumper=_dumper(),
        sort_keys=ordered,
        default_flow_style=False,
        allow_unicode=not hostile,
        width=2**20,
    )


def to_compact_json_raw(value: Any) -> str:
    """JSON in one line with nothing escaped beyond what JSON asks for: to search in, not to show."""
    import msgspec

    return msgspec.json.encode(value).decode()


def yaml_list(items: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A Kubernetes List of raw objects as YAML in pieces; one object is in memory at a time."""
    yield "apiVersion: v1\n"
    first = True
    for item in items:
        if first:
            yield "items:\n"
            first = False
        body = to_yaml(item, ordered=True).rstrip("\n").split("\n")
        yield "- " + "\n  ".join(body) + "\n"
    if first:
        yield "items: []\n"
    yield 'kind: List\nmetadata:\n  resourceVersion: ""\n'


_DUMPERS: list[Any] = []


def _dumper() -> Any:
    """The C dumper of PyYAML without aliases, and with the numbers of YAML 1.2 quoted."""
    if not _DUMPERS:
        import yaml

        parent: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        dumper: Any = type("Dumper", (parent,), {"ignore_aliases": lambda self, data: True})
        dumper.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(_NUMBER_1_2), list("-+.0123456789"))
        _DUMPERS.append(dumper)
    return _DUMPERS[0]


_KUEUE_GROUP = "kueue.x-k8s.io"
_KUEUE_KINDS = ("ClusterQueue", "LocalQueue", "Cohort", "ResourceFlavor", "Workload")


def row_name(row: dict[str, Any], kind: str = "") -> str:
    """What a row of an answer is about, as `object_name` writes it; "" for what is about no object.

    A row is an object, or names one under `object`, or a workload as namespace/name, or only its name: then all are of
    `kind`.
    """
    if isinstance(row.get("metadata"), dict):
        return object_name(row)
    subject = row.get("object")
    if isinstance(subject, dict):
        return row_name(subject)
    if row.get("workload"):
        kind, name = "Workload", str(row["workload"]).rpartition("/")[2]
    else:
        kind = str(row.get("kind") or kind)
        name = str(row.get("name") or (row.get("flavor") if kind == "ResourceFlavor" else "") or "")
    version = f"{_KUEUE_GROUP}/" if kind in _KUEUE_KINDS else ""
    return object_name({"apiVersion": version, "kind": kind, "name": name}) if kind and name else ""


def object_name(item: dict[str, Any]) -> str:
    """`kind.group/name` as kubectl prints it with `-o name`: pod/a, clusterqueue.kueue.x-k8s.io/b."""
    kind = str(item.get("kind") or "object").lower()
    version = str(item.get("apiVersion") or "")
    group = version.rpartition("/")[0]
    metadata = item.get("metadata")
    name = str(metadata.get("name") or "") if isinstance(metadata, dict) else str(item.get("name") or "")
    return text.clean(f"{kind}.{group}/{name}" if group else f"{kind}/{name}")
