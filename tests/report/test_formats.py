"""Machine formats: what -o takes, and what comes out."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from kueuectl.errors import UsageError
from kueuectl.report import columns, formats, kyaml, tables

QUEUE = {
    "kind": "ClusterQueue",
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "metadata": {"name": "shared", "labels": {"tier": "gold"}},
    "spec": {"cohortName": "all"},
}


@pytest.mark.parametrize(
    ("value", "kind", "argument"),
    [
        (None, "table", ""),
        ("wide", "wide", ""),
        ("json", "json", ""),
        ("jsonpath={.a}", "jsonpath", "{.a}"),
        ("jsonpath={.a==b}", "jsonpath", "{.a==b}"),
        ("custom-columns=A:.a,B:.b", "custom-columns", "A:.a,B:.b"),
        ("jsonpath-file=x.txt", "jsonpath-file", "x.txt"),
        ("go-template={{.x}}", "go-template", "{{.x}}"),
        ("template={{eq .x 1}}", "go-template", "{{eq .x 1}}"),
        ("go-template-file=x", "go-template-file", "x"),
        ("templatefile=x", "templatefile", "x"),
    ],
)
def test_output_formats(value: str | None, kind: str, argument: str) -> None:
    assert formats.parse(value) == formats.Format(kind, argument)


@pytest.mark.parametrize(
    ("value", "template", "kind"),
    [
        (None, "{{.x}}", "go-template"),
        ("go-template", "{{.x}}", "go-template"),
        ("template", "{{.x}}", "go-template"),
        ("templatefile", "FILE", "templatefile"),
        ("go-template-file", "FILE", "go-template-file"),
        ("jsonpath", "{.x}", "jsonpath"),
        ("jsonpath-file", "FILE", "jsonpath-file"),
    ],
)
def test_the_expression_may_come_from_template(value: str | None, template: str, kind: str) -> None:
    assert formats.parse(value, template) == formats.Format(kind, template)


@pytest.mark.parametrize("value", ["go-template={{.x}}", "json", "wide", "custom-columns", "jsonpath={.x}"])
def test_template_with_another_expression_is_refused(value: str) -> None:
    with pytest.raises(UsageError, match="can't be combined with --template"):
        formats.parse(value, "{{.y}}")


def test_an_empty_template_is_none() -> None:
    assert formats.parse("json", "") == formats.Format("json")


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("go-template", "-o go-template needs an expression"),
        ("templatefile", "-o templatefile needs an expression"),
        ("jsonpath-as-json", "-o jsonpath-as-json needs an expression"),
        ("xml", "unknown output format 'xml'"),
        ("jsonpath", "-o jsonpath needs an expression"),
        ("json=x", "-o json takes no expression"),
        ("\x1b[1m", "unknown output format '\\x1b[1m'"),
    ],
)
def test_formats_that_are_refused(value: str, want: str) -> None:
    with pytest.raises(UsageError) as caught:
        formats.parse(value)
    assert str(caught.value) == want
    assert caught.value.hint


def test_kyaml_is_yaml_in_braces() -> None:
    value = {"a": 1, "no": True, "nvidia.com/gpu": "1", "l": ["x", None], "e": {}, "m": [{"b": "2\x9b"}, {"c": []}]}
    text = kyaml.document(value)
    assert yaml.safe_load(text) == value
    assert text == (
        '---\n{\n  a: 1,\n  "no": true,\n  nvidia.com/gpu: "1",\n  l: [\n    "x",\n    null,\n  ],\n  e: {},\n'
        '  m: [{\n    b: "2\\u009b",\n  }, {\n    c: [],\n  }],\n}\n'
    )
    assert kyaml.document({"b": 1, "a": 2}, ordered=True).index("a: 2") < 10


def test_json_list_is_a_kubernetes_list_with_sorted_keys() -> None:
    body = "".join(formats.json_list([QUEUE, QUEUE]))
    assert json.loads(body) == {
        "apiVersion": "v1",
        "kind": "List",
        "metadata": {"resourceVersion": ""},
        "items": [QUEUE] * 2,
    }
    assert body.startswith('{\n    "apiVersion": "v1",\n    "items": [\n        {\n            "apiVersion"')


@pytest.mark.parametrize("writer", [formats.json_list, formats.yaml_list])
def test_empty_lists_are_lists(writer: Any) -> None:
    assert yaml.safe_load("".join(writer([])))["items"] == []


def test_yaml_list_reads_back() -> None:
    assert yaml.safe_load("".join(formats.yaml_list([QUEUE, QUEUE])))["items"] == [QUEUE] * 2


@pytest.mark.parametrize(
    "value",
    ["1e3", "1E3", "12e03", "0o14", "0x1F", "yes", "no", "1", "1.5", "null", "~", "2026-11-29T17:00:00Z", "=", ""],
)
def test_yaml_quotes_what_any_reader_could_take_for_something_else(value: str) -> None:
    assert formats.to_yaml({"a": value}) == f"a: '{value}'\n"


def test_yaml_repeats_instead_of_using_aliases() -> None:
    shared = ["x"]
    assert formats.to_yaml({"a": shared, "b": shared}) == "a:\n- x\nb:\n- x\n"


HOSTILE = "a\x7f\x1b[2J\u202e\x9b\u200b\n\xad\u061c\U000e0041\U000e0101"


def test_hostile_text_survives_json_and_yaml_as_escapes() -> None:
    assert "\x7f" not in formats.to_json({"m": "\x7f"})
    for write, read in ((formats.to_json, json.loads), (formats.to_yaml, yaml.safe_load)):
        body = write({"m": HOSTILE})
        assert all(char == "\n" or char.isprintable() for char in body)
        assert read(body) == {"m": HOSTILE}


@pytest.mark.parametrize(
    ("item", "want"),
    [
        (QUEUE, "clusterqueue.kueue.x-k8s.io/shared"),
        ({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}}, "pod/p"),
        ({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p\x1b"}}, "pod/p\\x1b"),
        ({}, "object/"),
    ],
)
def test_names(item: dict[str, Any], want: str) -> None:
    assert formats.object_name(item) == want


def test_custom_columns() -> None:
    shape = columns.table(columns.parse("NAME:.metadata.name,TIER:{.metadata.labels.tier},NO:.spec.nothing"), [QUEUE])
    assert list(tables.lines(shape)) == ["NAME     TIER   NO", "shared   gold   <none>"]


def test_custom_columns_with_commas_in_brackets() -> None:
    parsed = columns.parse("A:.metadata['name','x'],B:.kind")
    assert [header for header, _ in parsed] == ["A", "B"]


@pytest.mark.parametrize("spec", ["NAME", "NAME:", ":.a", "A:.a,,B:.b", "A:.a[", "A:.a[?(@.x=]"])
def test_broken_custom_columns_are_usage_errors(spec: str) -> None:
    with pytest.raises(UsageError):
        columns.parse(spec)


def test_custom_columns_from_a_file() -> None:
    form = formats.with_text(formats.parse("custom-columns-file=x"), "NAME   KIND\n.metadata.name  .kind\n")
    assert form == formats.Format("custom-columns", "NAME:.metadata.name,KIND:.kind")
    with pytest.raises(UsageError):
        formats.with_text(formats.parse("custom-columns-file=x"), "NAME KIND\n.metadata.name\n")


@pytest.mark.parametrize(
    ("row", "kind", "want"),
    [
        ({"kind": "Cohort", "name": "a"}, "", "cohort.kueue.x-k8s.io/a"),
        ({"kind": "Job", "name": "a"}, "", "job/a"),
        ({"name": "a"}, "Workload", "workload.kueue.x-k8s.io/a"),
        ({"flavor": "a"}, "ResourceFlavor", "resourceflavor.kueue.x-k8s.io/a"),
        ({"workload": "team-a/b", "name": "x"}, "", "workload.kueue.x-k8s.io/b"),
        ({"kind": "Explanation", "object": {"kind": "LocalQueue", "name": "a"}}, "", "localqueue.kueue.x-k8s.io/a"),
        ({"kind": "Version", "client": "v1"}, "", ""),
        ({"name": "a"}, "", ""),
    ],
)
def test_names_of_rows(row: dict[str, Any], kind: str, want: str) -> None:
    assert formats.row_name(row, kind) == want
