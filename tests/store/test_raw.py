"""Raw objects come out as they are."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from kueuectl.errors import InputError
from kueuectl.store import raw

V1BETA1, V1BETA2 = "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"


def flavor(name: str, version: str = V1BETA2) -> dict[str, Any]:
    meta = {"name": name, "managedFields": [{"manager": "m"}]}
    return {"apiVersion": version, "kind": "ResourceFlavor", "metadata": meta, "spec": {"any": [1, 2.5, None]}}


def iterate(*docs: dict[str, Any], kinds: tuple[str, ...] = ("ResourceFlavor",), **options: Any) -> list[Any]:
    text = "\n".join(json.dumps(doc) for doc in docs).encode()
    return list(raw.iterate(["-"], stdin=io.BytesIO(text), kinds=kinds, **options))


def test_objects_are_passed_through() -> None:
    assert iterate(flavor("a", V1BETA1), flavor("b")) == [flavor("a", V1BETA1), flavor("b")]


def test_other_kinds_are_left_out() -> None:
    other = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}
    assert iterate(flavor("a"), other) == [flavor("a")]


def test_managed_fields_may_be_left_out() -> None:
    assert iterate(flavor("a"), managed_fields=False)[0]["metadata"] == {"name": "a"}


def test_lists_are_opened_and_their_items_say_what_they_are() -> None:
    doc = {"kind": "NamespaceList", "apiVersion": "v1", "items": [{"metadata": {"name": "n"}}]}
    want = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}
    assert iterate(doc, kinds=("Namespace",)) == [want]


def test_lists_may_be_in_lists() -> None:
    doc = {"apiVersion": "v1", "kind": "List", "items": [flavor("a")]}
    assert iterate({"apiVersion": "v1", "kind": "List", "items": [flavor("b"), doc]}) == [flavor("b"), flavor("a")]


def test_long_lists_are_opened_page_by_page() -> None:
    doc = {"apiVersion": "v1", "items": [flavor(f"f{i}") for i in range(2000)], "kind": "List"}
    assert [entry["metadata"]["name"] for entry in iterate(doc)] == [f"f{i}" for i in range(2000)]


@pytest.mark.parametrize("versions", [(V1BETA1, V1BETA2), (V1BETA2, V1BETA1)], ids=["old first", "new first"])
def test_of_two_versions_the_newer_comes(versions: tuple[str, str]) -> None:
    assert iterate(*[flavor("a", version) for version in versions]) == [flavor("a", V1BETA2)]


def test_nothing_comes_of_an_input_with_a_fault() -> None:
    text = json.dumps(flavor("a")).encode() + b'{"apiVersion":'
    with pytest.raises(InputError, match="is not JSON"):
        next(raw.iterate(["-"], stdin=io.BytesIO(text), kinds=("ResourceFlavor",)))
