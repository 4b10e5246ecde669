"""Objects to a state: lists, duplicates, versions, cycles, pages."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from kueuectl.api import objects, wire
from kueuectl.api.collect import Collector
from kueuectl.errors import InputError

OLD, NEW = "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"


def flavor(name: str, *, version: str = NEW, pool: str = "x") -> dict[str, Any]:
    labels = {"nodeLabels": {"pool": pool}}
    return {"apiVersion": version, "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": labels}


def cohort(name: str, parent: str | None) -> dict[str, Any]:
    return {"apiVersion": NEW, "kind": "Cohort", "metadata": {"name": name}, "spec": {"parentName": parent}}


def items(*docs: dict[str, Any], kind: str = "List", version: str = "v1") -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "items": list(docs)}


def test_lists_and_single_objects_give_one_state() -> None:
    docs = [("a.yaml", items(flavor("a"), flavor("b"))), ("b.yaml", flavor("c")), ("c.yaml", items())]
    assert list(objects.decode_state(docs).flavors) == ["a", "b", "c"]


def test_items_of_typed_lists_need_not_say_what_they_are() -> None:
    namespace = {"metadata": {"name": "team-a"}}
    state = objects.decode_state([("x", items(namespace, kind="NamespaceList"))])
    assert list(state.namespaces) == ["team-a"]


def test_a_list_without_items_is_empty() -> None:
    state = objects.decode_state([("x", {"apiVersion": "v1", "kind": "NamespaceList", "items": None})])
    assert state == objects.decode_state([])


def test_equal_objects_are_one() -> None:
    state = objects.decode_state([("a", flavor("a")), ("b", flavor("a"))])
    assert list(state.flavors) == ["a"]
    assert state.warnings == ()


def test_different_contents_in_one_version_are_an_error() -> None:
    with pytest.raises(InputError) as caught:
        objects.decode_state([("a.yaml", items(flavor("z"), flavor("a"))), ("b.yaml", flavor("a", pool="y"))])
    want = "b.yaml: ResourceFlavor a: comes twice with different contents (first in a.yaml)"
    assert str(caught.value) == want


@pytest.mark.parametrize("is_old_first", [True, False], ids=["the old one first", "the new one first"])
def test_of_two_versions_the_newer_counts_with_a_warning(is_old_first: bool) -> None:
    pair = [("a", flavor("a", version=OLD, pool="old")), ("b", flavor("a", pool="new"))]
    state = objects.decode_state(pair if is_old_first else pair[::-1])
    assert state.flavors["a"].node_labels == (("pool", "new"),)
    assert state.warnings == ("1 ResourceFlavor object(s) are there in two API versions; the newer one is used",)


def test_owners_of_one_name_are_told_apart_by_kind_and_group() -> None:
    meta = {"name": "n", "namespace": "team-a"}
    docs = [
        ("x", {"apiVersion": version, "kind": kind, "metadata": meta})
        for version, kind in (("batch/v1", "Job"), ("example.com/v1", "Job"), ("batch/v1", "CronJob"))
    ]
    assert len(objects.decode_state(docs).owners) == 3


def test_kinds_of_kueue_that_are_not_known_are_a_warning() -> None:
    doc = {"apiVersion": NEW, "kind": "Reservation", "metadata": {"name": "n"}}
    known = {"apiVersion": NEW, "kind": "MultiKueueCluster", "metadata": {"name": "n"}}
    state = objects.decode_state([("x", doc), ("x", doc), ("x", known)])
    assert state.owners == ()
    assert state.warnings == ("2 object(s) of the unknown kind Reservation of Kueue are not looked at",)


CYCLES = [
    ("a cohort that is its own parent", [("a", "a")], "a -> a"),
    ("three in a ring", [("a", "b"), ("b", "c"), ("c", "a")], "a -> b -> c -> a"),
    ("a ring above a chain", [("x", "a"), ("a", "b"), ("b", "a")], "a -> b -> a"),
]


@pytest.mark.parametrize(("name", "pairs", "want"), CYCLES, ids=[name for name, _, _ in CYCLES])
def test_a_cycle_of_cohorts_is_refused(name: str, pairs: list[tuple[str, str]], want: str) -> None:
    docs = [("dump.yaml", cohort(*pair)) for pair in pairs]
    with pytest.raises(InputError) as caught:
        objects.decode_state(docs)
    assert f"cohorts form a cycle: {want}" in str(caught.value)
    assert caught.value.path == "spec.parentName"
    assert len(objects.decode_state(docs, strict=False).cohorts) == len(pairs)


def test_a_parent_without_an_object_is_no_cycle() -> None:
    state = objects.decode_state([("x", cohort("a", "root")), ("x", cohort("b", "root"))])
    assert list(state.cohorts) == ["a", "b"]


def test_a_page_with_a_fault_leaves_nothing_behind() -> None:
    collector = Collector()
    page = json.dumps([flavor("a"), {**flavor("b"), "spec": 7}]).encode()
    with pytest.raises(InputError, match=r"ResourceFlavor b: spec: expected a map"):
        collector.add_page(page, source="x")


def test_a_page_of_mixed_kinds_is_read_like_a_page_of_one() -> None:
    docs = [flavor("a"), cohort("c", None), flavor("b"), {"apiVersion": "v1", "kind": "Secret"}]
    collector = Collector()
    collector.add_page(json.dumps(docs).encode(), source="x")
    state = collector.state()
    assert (list(state.flavors), list(state.cohorts)) == (["a", "b"], ["c"])


def test_a_list_tells_where_the_next_page_starts() -> None:
    body = {
        "kind": "ResourceFlavorList",
        "apiVersion": NEW,
        "metadata": {"resourceVersion": "7", "continue": "token", "remainingItemCount": 3},
        "items": [flavor("a")],
    }
    meta = Collector().add_list(json.dumps(body).encode())
    assert (meta.continue_, meta.resource_version, meta.remaining_item_count) == ("token", "7", 3)


NO_LIST = [
    ("an object", b'{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}', "expected a list"),
    ("no JSON", b'{"kind":', "is not JSON"),
    ("items that are no list", b'{"apiVersion":"v1","kind":"NamespaceList","items":5}', "expected a list"),
    ("an item that is no object", b'{"apiVersion":"v1","kind":"NodeList","items":[5]}', "expected an object"),
]


@pytest.mark.parametrize(("name", "body", "problem"), NO_LIST, ids=[name for name, _, _ in NO_LIST])
def test_what_is_no_list_is_refused(name: str, body: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Collector().add_list(body, source="x")


def test_wire_types_ignore_what_the_model_does_not_hold() -> None:
    found = msgspec.json.decode(b'{"metadata":{"name":"n","managedFields":[{"manager":"m"}]}}', type=wire.Namespace)
    assert msgspec.json.encode(found) == b'{"metadata":{"name":"n"}}'
