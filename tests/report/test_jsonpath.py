"""kubectl's jsonpath dialect."""

from __future__ import annotations

from typing import Any

import pytest

from kueuectl.errors import InputError, UsageError
from kueuectl.report import jsonpath

DOCUMENT: dict[str, Any] = {
    "kind": "List",
    "items": [
        {
            "metadata": {"name": "a", "labels": {"kueue.x-k8s.io/queue-name": "lq", "my-team": "blue"}},
            "spec": {"count": 3, "active": True, "ratio": 0.5},
            "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Done", "status": "False"}]},
        },
        {"metadata": {"name": "b"}, "spec": {"count": 5, "active": False, "nothing": None}},
    ],
}


@pytest.mark.parametrize(
    ("template", "want"),
    [
        ("{.items[*].metadata.name}", "a b"),
        ("{.items[0].metadata.name}", "a"),
        ("{.items[-1].metadata.name}", "b"),
        ("{.items[-1:].metadata.name}", "b"),
        ("{.items[0:2].metadata.name}", "a b"),
        ("{.items[0,1].spec.count}", "3 5"),
        ("{.items[0]['metadata'].name}", "a"),
        ("{items[0].metadata.name}", "a"),
        (".items[0].metadata.name", "a"),
        ("{$.kind}/{@.kind}", "List/List"),
        ("{..name}", "a b"),
        ("{.items[*].nope}", ""),
        ("{.items[*].spec.nothing}", ""),
        ("{.items[*].spec.active}", "true false"),
        ("{.items[0].spec.ratio}", "0.5"),
        ("{.items[0].metadata.labels.my-team}", "blue"),
        (r"{.items[0].metadata.labels.kueue\.x-k8s\.io/queue-name}", "lq"),
        ("{.items[0].metadata.labels['kueue.x-k8s.io/queue-name']}", "lq"),
        ("{.items[0].metadata.labels}", '{"kueue.x-k8s.io/queue-name":"lq","my-team":"blue"}'),
        ("{.items[?(@.spec.count==5)].metadata.name}", "b"),
        ("{.items[?(@.spec.count>3)].metadata.name}", "b"),
        ("{.items[?(@.spec.count!=3)].metadata.name}", "b"),
        ("{.items[?(@.metadata.name=='a')].spec.count}", "3"),
        ('{.items[?(@.metadata.name=="a")].spec.count}', "3"),
        ("{.items[?(@.spec.active==true)].metadata.name}", "a"),
        ("{.items[?(@.status)].metadata.name}", "a"),
        (r"{.items[?(@.metadata.labels.kueue\.x-k8s\.io/queue-name=='lq')].metadata.name}", "a"),
        ('{.items[*].status.conditions[?(@.type=="Ready")].status}', "True"),
        ('{range .items[*]}{.metadata.name}{"\\t"}{.spec.count}{"\\n"}{end}', "a\t3\nb\t5\n"),
        ("{range .items[*]}{.metadata.name}:{range .status.conditions[*]} {.type}{end};{end}", "a: Ready Done;b:;"),
        ("{range .items[*]}{$.kind} {.metadata.name},{end}", "List a,List b,"),
        ("names: {.items[*].metadata.name}!", "names: a b!"),
        ("{'quoted'}{\" twice\"}", "quoted twice"),
        ("{.items[0].metadata.name .items[1].metadata.name}", "ab"),
    ],
)
def test_templates(template: str, want: str) -> None:
    assert jsonpath.render(jsonpath.parse(template), DOCUMENT) == want


@pytest.mark.parametrize(
    "template",
    ["{.items", "{range .items[*]}", "{end}", "{.items[}", "{.items[?(@.x==)]}", "{#}", "{.a[?(]}", "{range}{end}x{("],
)
def test_broken_templates_are_usage_errors(template: str) -> None:
    with pytest.raises(UsageError):
        jsonpath.parse(template)


@pytest.mark.parametrize("template", ["{" + ".a" * 5000 + "}", "{" + "[0]" * 5000 + "}", "{" + ".." * 5000 + "a}"])
def test_a_path_without_end_is_refused(template: str) -> None:
    with pytest.raises(UsageError, match="jsonpath: ") as caught:
        jsonpath.render(jsonpath.parse(template), DOCUMENT)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("template", "is_found"),
    [
        ("{.items[*].metadata.name}", True),
        ("{.items[*].spec.nothing}", True),
        ("{.items[*].status.conditions[*].type}", True),
        ("{.items[?(@.nope)]}", True),
        ("{range .items[?(@.nope)]}{.x}{end}", True),
        ("{range .items[*]}{.metadata.name}{end}", True),
        ("{range .items[*]}{.status.conditions}{end}", False),
        ("{range .nope[*]}x{end}", False),
        ("{.nope}", False),
        ("{.nope[0]}", False),
        ("{.items[*].nope}", False),
    ],
)
def test_fields_that_must_be_there(template: str, *, is_found: bool) -> None:
    parts = jsonpath.parse(template)
    if is_found:
        assert jsonpath.render(parts, DOCUMENT, allow_missing=False) == jsonpath.render(parts, DOCUMENT)
        return
    for render in (jsonpath.render, jsonpath.render_json):
        with pytest.raises(InputError, match=r" is not found$"):
            render(parts, DOCUMENT, allow_missing=False)


@pytest.mark.parametrize(
    ("template", "want"),
    [
        ("{.a[*]}", '[\n    1,\n    "x"\n]\n'),
        ("{.a[0]} and {.b}", "[\n    1\n]\n[\n    {}\n]\n"),
        ("{.none}", "[]\n"),
        ("{range .a[*]}{@}{end}", '[\n    1\n]\n[\n    "x"\n]\n'),
    ],
)
def test_results_as_json(template: str, want: str) -> None:
    assert jsonpath.render_json(jsonpath.parse(template), {"a": [1, "x"], "b": {}}) == want
