"""`patch` without kubectl: merge patches as they are, JSON patches worked out here, guarded, never done twice."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kueuectl.api import json_patch, patches
from kueuectl.errors import InputError
from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault

QUEUES = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
NAMED = "clusterqueue.kueue.x-k8s.io/training"
STOP = '{"spec":{"stopPolicy":"Hold"}}'
ADD = '[{"op":"add","path":"/spec/resourceGroups/0/coveredResources/-","value":"example.com/a"}]'

OBJECT: dict[str, Any] = {"a": {"b": [1, 2, 3], "c": "x"}, "d/e": 1}
OPERATIONS = {
    "add a field": ([{"op": "add", "path": "/f", "value": 2}], {**OBJECT, "f": 2}),
    "replace": ([{"op": "replace", "path": "/a/c", "value": "y"}], {**OBJECT, "a": {"b": [1, 2, 3], "c": "y"}}),
    "remove": ([{"op": "remove", "path": "/a"}], {"d/e": 1}),
    "append": ([{"op": "add", "path": "/a/b/-", "value": 4}], {**OBJECT, "a": {"b": [1, 2, 3, 4], "c": "x"}}),
    "insert": ([{"op": "add", "path": "/a/b/0", "value": 0}], {**OBJECT, "a": {"b": [0, 1, 2, 3], "c": "x"}}),
    "remove from a list": ([{"op": "remove", "path": "/a/b/1"}], {**OBJECT, "a": {"b": [1, 3], "c": "x"}}),
    "replace in a list": (
        [{"op": "replace", "path": "/a/b/1", "value": 9}],
        {**OBJECT, "a": {"b": [1, 9, 3], "c": "x"}},
    ),
    "escaped keys": ([{"op": "replace", "path": "/d~1e", "value": 2}], {**OBJECT, "d/e": 2}),
    "move": ([{"op": "move", "from": "/a/c", "path": "/g"}], {"a": {"b": [1, 2, 3]}, "d/e": 1, "g": "x"}),
    "copy": ([{"op": "copy", "from": "/a/b", "path": "/g"}], {**OBJECT, "g": [1, 2, 3]}),
    "test, then act": (
        [{"op": "test", "path": "/a/c", "value": "x"}, {"op": "remove", "path": "/a/c"}],
        {**OBJECT, "a": {"b": [1, 2, 3]}},
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_json_patch_is_done_and_told_as_a_merge_patch(name: str) -> None:
    operations, want = OPERATIONS[name]
    before = json.dumps(OBJECT)
    after = json_patch.apply(OBJECT, operations)
    assert after == want
    assert json.dumps(OBJECT) == before, "the object that was read stays as it is"
    assert patches.merged(OBJECT, json_patch.difference(OBJECT, after)) == want


@pytest.mark.parametrize(
    ("operations", "want"),
    [
        ([{"op": "remove", "path": "/none"}], "the patch: [0]: there is no /none"),
        ([{"op": "replace", "path": "/a/x", "value": 1}], "there is no /a/x"),
        ([{"op": "add", "path": "/a/b/9", "value": 1}], "there is no /a/b/9"),
        ([{"op": "add", "path": "/a/b/01", "value": 1}], "there is no /a/b/01"),
        ([{"op": "add", "path": "a", "value": 1}], "does not start with /"),
        ([{"op": "add", "path": "/a"}], "add needs a value"),
        ([{"op": "move", "path": "/a"}], "move needs from"),
        ([{"op": "test", "path": "/a/c", "value": "z"}], "test: /a/c has another value"),
        ([{"op": "turn", "path": "/a"}], "'turn' is none of"),
        ([{"op": "remove", "path": ""}], "the whole object can't be removed"),
        (["x"], "is no operation"),
        ({"a": 1}, "a JSON patch is a list of operations"),
    ],
)
def test_an_operation_that_can_not_be_done_is_refused(operations: Any, want: str) -> None:
    with pytest.raises(InputError) as caught:
        json_patch.apply(OBJECT, operations)
    assert want in str(caught.value)


@pytest.mark.parametrize("operation", [{"op": "add", "value": 1}, {"op": "remove"}, {"op": "replace", "value": []}])
def test_a_patch_that_takes_the_metadata_away_is_refused(live: Live, fake: FakeServer, operation: Any) -> None:
    queue(fake)["metadata"]["resourceVersion"] = "7"
    result = live("patch", "cq", "training", "--type", "json", "-p", json.dumps([{**operation, "path": "/metadata"}]))
    assert (result.code, result.out) == (1, "")
    assert "leaves an object without metadata" in result.err
    assert fake.store.done == []


def queue(fake: FakeServer) -> Any:
    """The stored queue."""
    return next(one for one in fake.objects[QUEUES] if one["metadata"]["name"] == "training")  # type: ignore[index]


@pytest.mark.parametrize(
    "words",
    [
        ("cq", "training", "--type", "merge", "-p", STOP),
        ("cq/training", "-p", STOP),
        ("clusterqueues.kueue.x-k8s.io", "training", "--type=strategic", "--patch=spec: {stopPolicy: Hold}"),
        ("cq", "training", "--type=json", "-p", '[{"op":"add","path":"/spec/stopPolicy","value":"Hold"}]'),
    ],
)
def test_the_patch_is_sent(live: Live, fake: FakeServer, words: tuple[str, ...]) -> None:
    before = queue(fake)["spec"]
    result = live("patch", *words)
    assert (result.code, result.out) == (0, f"{NAMED} patched\n"), result.err
    assert queue(fake)["spec"] == {**before, "stopPolicy": "Hold"}
    again = live("patch", *words)
    assert again.out == f"{NAMED} patched (no change)\n"


def test_a_patch_is_read_from_a_file(live: Live, fake: FakeServer, tmp_path: Any) -> None:
    file = tmp_path / "patch.yaml"
    file.write_text("spec:\n  stopPolicy: Hold\n")
    assert live("patch", "cq", "training", "--patch-file", str(file)).code == 0
    assert queue(fake)["spec"]["stopPolicy"] == "Hold"


@pytest.mark.parametrize("mode", ["client", "server"])
def test_a_dry_run_stores_nothing(live: Live, fake: FakeServer, mode: str) -> None:
    words = ("patch", "cq", "training", "-p", STOP, f"--dry-run={mode}")
    assert live(*words).out == f"{NAMED} patched ({mode} dry run)\n"
    assert json.loads(live(*words, "-o", "json").out)["spec"]["stopPolicy"] == "Hold"
    assert fake.store.done == []


@pytest.mark.parametrize(
    ("words", "code", "want"),
    [
        (("cq", "training"), 2, "must specify --patch or --patch-file"),
        (("cq", "training", "-p", "{}", "--patch-file", "x"), 2, "must specify --patch or --patch-file"),
        (("cq", "training", "-p", "[]"), 1, "a merge patch is a map"),
        (("cq", "training", "-p", "{", "--type=merge"), 1, "the patch"),
        (("cq", "training", "-p", "{}", "--type=apply"), 2, "invalid patch type 'apply'"),
        (("cq", "training", "--type=json", "-p", '[{"op":"remove","path":"/none"}]'), 1, "there is no /none"),
        (("cq", "nobody", "-p", "{}"), 3, 'clusterqueues.kueue.x-k8s.io "nobody" not found'),
        (("cq", "a", "b", "-p", "{}"), 2, "patch takes one object"),
        (("node", "a", "-p", "{}"), 2, "unknown type 'node'"),
        (("cq", "a", "-p", "{}", "--from", "example:four-tenants"), 2, "a dump can't be written to"),
    ],
)
def test_what_can_not_be_patched_is_an_error(
    live: Live, fake: FakeServer, words: tuple[str, ...], code: int, want: str
) -> None:
    result = live("patch", *words)
    assert (result.code, result.out) == (code, ""), result.err
    assert want.lower() in result.err.lower()
    assert fake.store.done == []


@pytest.mark.parametrize("kind", ["merge", "json"])
@pytest.mark.parametrize("lose", [False, True])
def test_a_lost_answer_does_nothing_twice(live: Live, fake: FakeServer, kind: str, lose: bool) -> None:
    fake.faults.append(Fault(QUEUES, method="PATCH", hang_up=True, lose=lose, times=1))
    before = list(queue(fake)["spec"]["resourceGroups"][0]["coveredResources"])
    result = live("patch", "cq", "training", "--type", kind, "-p", ADD if kind == "json" else STOP)
    assert result.code == 0, result.err
    assert len(fake.store.done) == 1
    if kind == "json":
        assert queue(fake)["spec"]["resourceGroups"][0]["coveredResources"] == [*before, "example.com/a"]


def test_the_refusal_of_the_server_is_told_in_its_words(live: Live, fake: FakeServer) -> None:
    said = 'ClusterQueue.kueue.x-k8s.io "training" is invalid: spec.stopPolicy: Unsupported value: "Never"'
    body = json.dumps({"kind": "Status", "message": said, "code": 422}).encode()
    fake.faults.append(Fault(QUEUES, method="PATCH", status=422, body=body))
    result = live("patch", "cq", "training", "-p", '{"spec":{"stopPolicy":"Never"}}')
    assert (result.code, result.err) == (1, f"Error: {said}\n")
