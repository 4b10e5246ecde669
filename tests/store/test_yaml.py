"""YAML documents: structure, anchors, limits, pages of Lists."""

from __future__ import annotations

import io
from typing import Any

import pytest
import yaml

from kueuectl.api.collect import Collector
from kueuectl.errors import InputError
from kueuectl.store import yaml_builder, yaml_reader
from kueuectl.store.yaml_builder import Builder


def documents(text: str | bytes) -> list[Any]:
    raw = text.encode() if isinstance(text, str) else text
    builder = Builder(io.BytesIO(raw), source="x.yaml")
    found = []
    while True:
        is_there, doc = builder.next_document()
        if not is_there:
            return found
        found.append(doc)


DOCUMENTS = [
    ("maps, lists and scalars", "a: [1, {b: c}]\nd:\n- e\n- f: g\n", [{"a": [1, {"b": "c"}], "d": ["e", {"f": "g"}]}]),
    ("several documents", "a: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
    ("empty documents", "---\n---\na: 1\n", [None, {"a": 1}]),
    ("nothing", "# a comment\n", []),
    ("quoted texts stay texts", "a: '5'\nb: \"true\"\nc: 'null'\n", [{"a": "5", "b": "true", "c": "null"}]),
    ("blocks of text", "a: |\n  x\n  y\nb: >\n  p\n  q\n", [{"a": "x\ny\n", "b": "p q\n"}]),
    ("times stay texts", "a: 2026-11-29T17:00:00Z\n", [{"a": "2026-11-29T17:00:00Z"}]),
    ("keys become texts", "1: a\ntrue: b\n~: c\n1.5: d\n", [{"1": "a", "true": "b", "null": "c", "1.5": "d"}]),
    ("an alias", "a: &x {b: 1}\nc: *x\n", [{"a": {"b": 1}, "c": {"b": 1}}]),
    ("an alias of a text", "a: &x v\nb: *x\n", [{"a": "v", "b": "v"}]),
    ("anchors end with their document", "a: &x 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
    ("a merge key", "a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n", [{"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}]),
    (
        "a merge of several, the earlier wins",
        "a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}\n",
        [{"a": {"k": 1}, "b": {"k": 2, "l": 2}, "c": {"k": 1, "l": 2}}],
    ),
    ("a quoted << is a key", "a: {'<<': 1}\n", [{"a": {"<<": 1}}]),
    ("tags of the core schema", "a: !!str 5\nb: !!int '7'\nc: !!map {}\n", [{"a": "5", "b": 7, "c": {}}]),
    ("flow style over lines", '{"a": [1,\n 2], b: {}}\n', [{"a": [1, 2], "b": {}}]),
    ("sixteen bits", "\ufeffa: \u00e9\n".encode("utf-16-le"), [{"a": "\u00e9"}]),
]


@pytest.mark.parametrize(("name", "text", "want"), DOCUMENTS, ids=[name for name, _, _ in DOCUMENTS])
def test_documents(name: str, text: str | bytes, want: list[Any]) -> None:
    assert documents(text) == want


LEVELS = "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(9))
REFUSED = [
    ("no YAML", "a: [b", r"is not YAML: .*\(line 2, column 1\)"),
    ("a tab as indent", "a:\n\t- b\n", "is not YAML"),
    ("control characters", "a: \x01\n", "is not YAML"),
    ("bytes that are no text", b"a: \xff\xfe\xfa\n", "is not YAML"),
    ("a key twice", "a: 1\nb: 2\na: 3\n", r"the key 'a' is there twice \(line 3\)"),
    ("a map as a key", "? {a: 1}\n: b\n", "a map or list cannot be a key"),
    ("an alias of a map as a key", "a: &x {}\n*x : b\n", "a map or list cannot be a key"),
    ("an alias of itself", "a: &x [*x]\n", "stands for nothing, or for itself"),
    ("an alias of nothing", "a: *x\n", "stands for nothing|undefined alias"),
    ("code", "a: !!python/object/apply:os.system [ls]\n", "the tag .* is not allowed"),
    ("a tag of one's own", "a: !secret x\n", "does not fit"),
    ("a merge of a text", "a: {<<: x}\n", "a merge key wants a map"),
    ("deep nesting", "[" * 101 + "]" * 101, "nested more than 100 levels"),
    ("very deep nesting", "[" * 100_000, "nested more than 100 levels|nesting depth"),
    ("deep block nesting", "\n".join("  " * i + "a:" for i in range(150)), "nested more than 100 levels"),
    ("a few lines that stand for gigabytes", "a: &a [x, x]\n" + LEVELS, "aliases stand for more than"),
]


@pytest.mark.parametrize(("name", "text", "problem"), REFUSED, ids=[name for name, _, _ in REFUSED])
def test_refused(name: str, text: str | bytes, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        documents(text)
    assert caught.value.source == "x.yaml"


def test_an_object_may_not_have_a_million_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_builder, "MAX_NODES", 50)
    with pytest.raises(InputError, match="more than 50 nodes"):
        documents("a: [" + "x, " * 60 + "]")


def flavor(index: int) -> dict[str, Any]:
    meta = {"name": f"f{index}"}
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": meta}


HEADS = [
    ("as kubectl writes it, the kind at the end", {"apiVersion": "v1"}, {"kind": "List"}),
    ("the kind in front", {"apiVersion": "v1", "kind": "List"}, {}),
]


@pytest.mark.parametrize(("name", "head", "tail"), HEADS, ids=[name for name, _, _ in HEADS])
def test_a_long_list_goes_through_page_by_page(
    name: str, head: dict[str, Any], tail: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_builder, "PAGE_ITEMS", 3)
    monkeypatch.setattr(yaml_builder, "MAX_NODES", 40)
    doc = {**head, "items": [flavor(index) for index in range(10)], **tail}
    collector = Collector()
    yaml_reader.read(io.BytesIO(yaml.safe_dump(doc, sort_keys=False).encode()), collector, source="x")
    assert list(collector.state().flavors) == [f"f{index}" for index in range(10)]


def test_items_that_do_not_say_what_they_are_wait_for_their_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_builder, "PAGE_ITEMS", 2)
    doc = {"apiVersion": "v1", "items": [{"metadata": {"name": f"n{i}"}} for i in range(5)], "kind": "NamespaceList"}
    collector = Collector()
    yaml_reader.read(io.BytesIO(yaml.safe_dump(doc, sort_keys=False).encode()), collector, source="x")
    assert list(collector.state().namespaces) == ["n0", "n1", "n2", "n3", "n4"]


CUT = [
    (
        "a List that ends before its kind",
        "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Secret\n",
        "kind is no list",
    ),
    ("a text", "No resources found\n", "expected an object, found the string 'No resources found'"),
    ("a list", "- a\n", "expected an object, found a list"),
    ("only a comment", "# nothing\n", "holds no objects"),
]


@pytest.mark.parametrize(("name", "text", "problem"), CUT, ids=[name for name, _, _ in CUT])
def test_what_holds_no_objects(name: str, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        yaml_reader.read(io.BytesIO(text.encode()), Collector(), source="x")
