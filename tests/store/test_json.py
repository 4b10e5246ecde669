"""JSON of any size: pages are cut right wherever the window happens to end."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from kueuectl.api.collect import Collector
from kueuectl.errors import InputError
from kueuectl.store import json_reader, scan

V1BETA2 = "kueue.x-k8s.io/v1beta2"


def workload(index: int, *, owners: int = 1, text: str = "plain") -> dict[str, Any]:
    owner = {"apiVersion": V1BETA2, "kind": "Workload", "name": "o", "uid": "u"}
    return {
        "apiVersion": V1BETA2,
        "kind": "Workload",
        "metadata": {
            "name": f"w{index}",
            "namespace": "team-a",
            "annotations": {"note": text},
            "ownerReferences": [owner] * owners,
        },
        "spec": {"queueName": "q", "podSets": [{"name": "main", "count": index + 1}]},
    }


def flavor(index: int) -> dict[str, Any]:
    return {"apiVersion": V1BETA2, "kind": "ResourceFlavor", "metadata": {"name": f"f{index}"}}


TRICKY = '},{"apiVersion":"x","kind":"Workload"]}\\ "[{'
LISTS = [
    ("one kind", [workload(i) for i in range(20)]),
    ("texts that look like the end of an item", [workload(i, text=TRICKY * (i % 3)) for i in range(20)]),
    ("owners that look like items", [workload(i, owners=4) for i in range(20)]),
    ("kinds in blocks", [*map(flavor, range(9)), *map(workload, range(9))]),
    ("kinds by turns", [entry for i in range(9) for entry in (flavor(i), workload(i))]),
    ("one item", [workload(0)]),
    ("no item", []),
]
LAYOUTS: list[tuple[str, dict[str, Any]]] = [
    ("compact", {"separators": (",", ":")}),
    ("as kubectl", {"indent": 4}),
    ("sorted", {"indent": 1, "sort_keys": True}),
    ("one space", {}),
]


def read(text: bytes, page_bytes: int) -> Collector:
    collector = Collector()
    json_reader.read(io.BytesIO(text), collector, source="x", page_bytes=page_bytes)
    return collector


@pytest.mark.parametrize(("layout", "options"), LAYOUTS, ids=[name for name, _ in LAYOUTS])
@pytest.mark.parametrize(("name", "items"), LISTS, ids=[name for name, _ in LISTS])
@pytest.mark.parametrize("kind_first", [True, False], ids=["kind first", "kind last"])
def test_every_window_gives_the_same(
    name: str, items: list[Any], layout: str, options: dict[str, Any], kind_first: bool
) -> None:
    ends = [("kind", "List"), ("metadata", {"resourceVersion": "7"})]
    pairs = [("apiVersion", "v1"), *(ends if kind_first else []), ("items", items), *([] if kind_first else ends)]
    text = json.dumps(dict(pairs), **options).encode()
    whole = read(text, 1 << 20).state()
    assert len(whole.workloads) + len(whole.flavors) == len(items)
    for page_bytes in (1, 17, 100, 333, 1000, 4096):
        assert read(text, page_bytes).state() == whole, page_bytes


STREAMS = [
    ("two objects", "\n", [flavor(1), flavor(2)]),
    ("no space between", "", [flavor(1), flavor(2)]),
    ("two lists", "\n", [{"apiVersion": "v1", "kind": "List", "items": [flavor(i)]} for i in (1, 2)]),
    (
        "a list, an object, a list",
        " ",
        [
            {"apiVersion": "v1", "items": [flavor(i) for i in range(1, 9)], "kind": "List"},
            flavor(9),
            {"apiVersion": "v1", "kind": "List", "items": [flavor(i) for i in range(10, 15)]},
        ],
    ),
]


@pytest.mark.parametrize(("name", "between", "docs"), STREAMS, ids=[name for name, _, _ in STREAMS])
def test_values_after_each_other(name: str, between: str, docs: list[Any]) -> None:
    text = between.join(json.dumps(doc) for doc in docs).encode()
    whole = read(text, 1 << 20).state()
    assert len(whole.flavors) >= 2
    for page_bytes in (1, 50, 333):
        assert read(text, page_bytes).state() == whole


@pytest.mark.parametrize("page_bytes", [1, 60, 1 << 20])
@pytest.mark.parametrize("kind_first", [True, False])
def test_items_without_kind_take_it_from_their_list(kind_first: bool, page_bytes: int) -> None:
    items = ("items", [{"metadata": {"name": f"n{i}"}} for i in range(9)])
    head = [("kind", "NamespaceList"), ("apiVersion", "v1")]
    text = json.dumps(dict([*head, items] if kind_first else [items, *head])).encode()
    assert len(read(text, page_bytes).state().namespaces) == 9


def test_items_that_are_in_a_nested_field_are_no_list() -> None:
    doc = {**flavor(1), "metadata": {"name": "f1", "annotations": {}}, "spec": {"items": [1, 2], "nodeLabels": {}}}
    for page_bytes in (1, 40, 1 << 20):
        assert list(read(json.dumps(doc).encode(), page_bytes).state().flavors) == ["f1"]


WHOLE = json.dumps({"apiVersion": "v1", "kind": "List", "items": [workload(i) for i in range(5)]}).encode()


@pytest.mark.parametrize("page_bytes", [64, 1 << 20])
def test_a_text_that_is_cut_off_anywhere_is_refused(page_bytes: int) -> None:
    for end in range(1, len(WHOLE), 7):
        with pytest.raises(InputError):
            read(WHOLE[:end], page_bytes)


BROKEN = [
    ("a comma too many", WHOLE.replace(b'}, {"apiVersion"', b'},, {"apiVersion"', 1)),
    ("a comma too few", WHOLE.replace(b'}, {"apiVersion"', b'} {"apiVersion"', 1)),
    ("a comma at the end", WHOLE.replace(b"}]}", b"},]}")),
    ("a bracket of the wrong kind", WHOLE.replace(b"}]}", b"}}}")),
    ("more after the end", WHOLE + b"]"),
    ("a list at the top", b"[" + json.dumps(flavor(1)).encode() + b"]"),
    ("an item that is a number", WHOLE.replace(b'"items": [', b'"items": [5, ')),
    ("items that are a text", b'{"apiVersion": "v1", "kind": "List", "items": "x"}'),
    ("items of what is no list", WHOLE.replace(b'"List"', b'"Pod"')),
]


@pytest.mark.parametrize("page_bytes", [1, 64, 1 << 20])
@pytest.mark.parametrize(("name", "text"), BROKEN, ids=[name for name, _ in BROKEN])
def test_broken(name: str, text: bytes, page_bytes: int) -> None:
    with pytest.raises(InputError):
        read(text, page_bytes)


def test_an_object_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_reader, "MAX_OBJECT_BYTES", 5000)
    with pytest.raises(InputError, match="or is not JSON"):
        read(b'{"a":"' + b"x" * 100_000, 100)


def test_a_file_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_reader, "MAX_FILE_BYTES", 500)
    with pytest.raises(InputError, match="is larger than"):
        read(WHOLE, 100)


ENDS = [
    ("an object", b'{"a":{"b":[1,"}"]}} rest', 19),
    ("a quote in a text", b'{"a":"\\"}"}x', 11),
    ("not all there", b'{"a":{"b":1}', None),
    ("a text that is not all there", b'{"a":"}', None),
]


@pytest.mark.parametrize(("name", "text", "want"), ENDS, ids=[name for name, _, _ in ENDS])
def test_value_end(name: str, text: bytes, want: int | None) -> None:
    assert scan.value_end(text, 0) == want


ITEMS = [
    ("closed", b"{},{}]x", (5, 5)),
    ("open", b'{"a":1},{"b":', (7, None)),
    ("none complete", b'{"a":"]', (0, None)),
    ("closed at once", b"]", (0, 0)),
]


@pytest.mark.parametrize(("name", "text", "want"), ITEMS, ids=[name for name, _, _ in ITEMS])
def test_items(name: str, text: bytes, want: tuple[int, int | None]) -> None:
    assert tuple(scan.items(text, 0)) == want


@pytest.mark.parametrize("shape", ["one object", "objects in a row", "a list"])
@pytest.mark.parametrize("page_bytes", [60, 1 << 20])
def test_a_fault_is_told_with_its_byte(shape: str, page_bytes: int) -> None:
    objects = [f'{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"n{n}"}}}}' for n in range(100)]
    text = {
        "one object": objects[0].replace('"n0"', '"n70"'),
        "objects in a row": "\n".join(objects),
        "a list": f'{{"apiVersion":"v1","kind":"List","items":[{",".join(objects)}]}}',
    }[shape]
    place = text.index('"n70"')
    broken = f"{text[:place]}?{text[place:]}".encode()
    with pytest.raises(InputError, match=rf"invalid character \(byte {place}\)"):
        read(broken, page_bytes)
