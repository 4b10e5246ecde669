"""Sources to a state, with its settings and its time."""

from __future__ import annotations

import gc
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from kueuectl import times
from kueuectl.errors import InputError, KueuectlError, UsageError
from kueuectl.store.load import Loaded, load, load_settings

NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: NAME}\n"
NO_CONFIG = "the input has no Configuration of Kueue, so the defaults of v0.19 are used; --kueue-config FILE sets it"
NO_TIME = "the input does not say when it was saved, so the clock of this machine is used; --now TIME sets it"
CONFIG = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
CLOCK = 99


def namespace(name: str) -> str:
    return NAMESPACE.replace("NAME", name)


def read(*arguments: str, stdin: bytes = b"", **options: Any) -> Loaded:
    return load(arguments, stdin=io.BytesIO(stdin), clock=lambda: CLOCK, **options)


def names(loaded: Loaded) -> list[str]:
    return list(loaded.state.namespaces)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "dump.yaml"
    path.write_text(namespace("a") + "---\n" + namespace("b"))
    found = read(str(path))
    assert names(found) == ["a", "b"]
    assert found.origin == str(path)


def test_a_folder_is_read_one_level_deep_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "2.yml").write_text(namespace("b"))
    (tmp_path / "1.yaml").write_text(namespace("a"))
    (tmp_path / "3.json").write_text(json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "c"}}))
    (tmp_path / "4.txt").write_text("not read")
    (tmp_path / ".5.yaml").write_text("not read")
    (tmp_path / "6.yaml").mkdir()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "7.yaml").write_text(namespace("d"))
    assert names(read(str(tmp_path))) == ["a", "b", "c"]


def test_standard_input_and_files_together(tmp_path: Path) -> None:
    path = tmp_path / "dump.yaml"
    path.write_text(namespace("a"))
    found = read(str(path), "-", stdin=namespace("b").encode())
    assert names(found) == ["a", "b"]


CONTENTS = [
    ("JSON with a byte order mark", b'\xef\xbb\xbf{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}}'),
    ("JSON after blank lines", b'\n\n {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}}\n'),
    ("JSON in sixteen bits", '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}}'.encode("utf-16")),
    ("YAML in sixteen bits", namespace("a").encode("utf-16")),
    ("YAML that starts with a brace", b"{apiVersion: v1, kind: Namespace, metadata: {name: a}}"),
    ("YAML that starts with a comment", b"# saved\n---\n" + namespace("a").encode()),
    ("YAML with carriage returns", namespace("a").replace("\n", "\r\n").encode()),
    (
        "a List in YAML",
        b"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: a}\nkind: List",
    ),
]


@pytest.mark.parametrize(("name", "content"), CONTENTS, ids=[name for name, _ in CONTENTS])
def test_the_format_is_told_from_the_content(name: str, content: bytes) -> None:
    assert names(read("-", stdin=content)) == ["a"]


BAD = [
    ("nothing", b"", "is empty"),
    ("blanks", b" \n\n ", "is empty"),
    ("a binary file", b"\x7fELF\x00\x01", "is a binary file"),
    ("a compressed file", gzip.compress(b"x"), "is compressed"),
    ("no YAML", b"a: [", "is not YAML"),
    ("no JSON", b'{"a": ]', "is not JSON"),
    ("JSON that is cut off", b'{"apiVersion":"v1","kind":"Lis', "is not JSON: Input data was truncated"),
    ("sixteen bits that are cut off", b"\xff\xfe{", "is not text"),
    ("a message", b"error: the server doesn't have a resource type", "kind: has no kind"),
    ("a wrong type", b"apiVersion: v1\nkind: Namespace\nmetadata: {name: 5}", "metadata.name: expected a string"),
    (
        "an answer of the server",
        b'{"apiVersion":"v1","kind":"Status","code":403}',
        "Status: kind: is an answer of an API server",
    ),
    ("a table", b"apiVersion: meta.k8s.io/v1\nkind: Table\nrows: []", "Table: kind: is a table, not an object"),
    ("a list that lost its items", b"apiVersion: v1\nkind: List", "List: items: is a list without items"),
    ("a bare array", b'[{"apiVersion":"v1","kind":"Namespace"}]', "expected an object, found a list"),
    ("brackets without end", b"[" * 100_000 + b"]" * 100_000, "is nested too deeply"),
    ("maps without end", b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "is nested too deeply"),
    ("a version to come", b"apiVersion: v3\nkind: Namespace\nmetadata: {name: a}", "apiVersion: version 'v3'"),
]


@pytest.mark.parametrize(("name", "content", "problem"), BAD, ids=[name for name, _, _ in BAD])
def test_bad_input(name: str, content: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        read("-", stdin=content)
    assert str(caught.value).startswith("<stdin>: ")
    assert caught.value.exit_code == 1


def test_lists_may_be_in_lists() -> None:
    items = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in "ab"]
    inner = {"apiVersion": "v1", "kind": "NamespaceList", "items": [{"metadata": {"name": "c"}}]}
    doc = {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "List", "items": items}, inner]}
    assert names(read("-", stdin=json.dumps(doc).encode())) == ["a", "b", "c"]


def test_a_fault_in_the_last_file_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "1.yaml").write_text(namespace("a"))
    (tmp_path / "2.yaml").write_text(namespace("b") + "spec: {}\nmetadata: {}\n")
    with pytest.raises(InputError, match="is there twice") as caught:
        read(str(tmp_path))
    assert caught.value.source == str(tmp_path / "2.yaml")


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder") as caught:
        read(str(tmp_path / "nothing.yaml"))
    assert caught.value.exit_code == 1
    with pytest.raises(InputError, match="no file that ends in"):
        read(str(tmp_path))
    with pytest.raises(InputError, match=r"cannot be read|no such file"):
        read("bad\0name")
    with pytest.raises(InputError, match="there is no example 'nothing'"):
        read("example:nothing")
    with pytest.raises(UsageError, match="an empty path names nothing"):
        read("")


def test_arguments_that_make_no_sense() -> None:
    with pytest.raises(UsageError, match="nothing to read"):
        read()
    with pytest.raises(UsageError, match="only once"):
        read("-", "-")
    with pytest.raises(UsageError, match="--now: 'soon' is not a time"):
        read("-", stdin=namespace("a").encode(), now="soon")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "dump.yaml"
    path.write_text("x")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        read(str(path))


SAVED = "apiVersion: kueuectl/v1alpha1\nkind: Dump\nsavedAt: 'TIME'\n---\n"
TIMES = [
    ("the option", SAVED.replace("TIME", "2026-01-01T00:00:00Z"), "2026-05-05T00:00:00Z", "2026-05-05T00:00:00Z", []),
    ("the dump", SAVED.replace("TIME", "2026-01-01T00:00:00Z"), None, "2026-01-01T00:00:00Z", []),
    ("the clock", "", None, times.format_time(CLOCK), [NO_TIME]),
]


@pytest.mark.parametrize(("name", "head", "now", "want", "warnings"), TIMES, ids=[entry[0] for entry in TIMES])
def test_the_time(name: str, head: str, now: str | None, want: str, warnings: list[str]) -> None:
    found = read("-", stdin=(head + namespace("a")).encode(), now=now)
    assert times.format_time(found.now) == want
    assert [text for text in found.warnings if text != NO_CONFIG] == warnings
    assert found.warnings == found.state.warnings


def test_a_list_may_say_when_it_was_saved() -> None:
    meta = {"annotations": {"kueuectl.io/saved-at": "2026-01-01T00:00:00Z"}}
    doc = {"apiVersion": "v1", "kind": "List", "metadata": meta, "items": []}
    assert times.format_time(read("-", stdin=json.dumps(doc).encode()).now) == "2026-01-01T00:00:00Z"
    meta["annotations"]["kueuectl.io/saved-at"] = "once"
    with pytest.raises(InputError, match="'once' is not a time"):
        read("-", stdin=json.dumps(doc).encode())


def test_of_several_times_the_latest_counts_with_a_warning(tmp_path: Path) -> None:
    for name, time in (("1", "2026-01-02T00:00:00Z"), ("2", "2026-01-01T00:00:00Z")):
        (tmp_path / f"{name}.yaml").write_text(SAVED.replace("TIME", time) + namespace("a"))
    found = read(str(tmp_path))
    assert times.format_time(found.now) == "2026-01-02T00:00:00Z"
    assert any("saved at different times" in text for text in found.warnings)


def config_map(name: str, text: str) -> str:
    data = {"controller_manager_config.yaml": text}
    meta = {"name": name, "namespace": "kueue-system"}
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}) + "\n---\n"


DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: kueue-controller-manager, namespace: kueue-system}
spec:
  template:
    spec:
      containers: [{name: manager, args: [--feature-gates=ConcurrentAdmission=true]}]
---
"""


def test_defaults_are_said() -> None:
    found = read("-", stdin=namespace("a").encode())
    assert found.settings.fair_sharing is None
    assert NO_CONFIG in found.warnings


def test_the_configuration_of_the_option_counts_first(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(CONFIG)
    found = read("-", stdin=(CONFIG.replace("fairSharing: {}", "") + "---\n" + namespace("a")).encode())
    assert (found.settings.fair_sharing, found.settings.source) == (None, "<stdin>")
    found = read("-", stdin=namespace("a").encode(), kueue_config=str(config))
    assert found.settings.fair_sharing is not None
    assert found.settings.source == str(config)
    assert NO_CONFIG not in found.warnings
    assert load_settings(str(config)).fair_sharing is not None


def test_a_dump_may_hold_the_config_map_and_deployment_of_kueue() -> None:
    other = config_map("jobset-manager-config", "apiVersion: config.jobset.x-k8s.io/v1alpha1\nkind: Configuration\n")
    text = "---\n" + other + config_map("kueue-manager-config", CONFIG) + DEPLOYMENT + namespace("a")
    found = read("-", stdin=text.encode())
    assert found.settings.fair_sharing is not None
    assert found.settings.gate("ConcurrentAdmission")
    assert found.settings.source == "<stdin>: ConfigMap kueue-system/kueue-manager-config"


def test_gates_of_the_deployment_count_without_a_configuration() -> None:
    found = read("-", stdin=(DEPLOYMENT + namespace("a")).encode())
    assert found.settings.gate("ConcurrentAdmission")


def test_two_configurations_are_refused_unless_they_are_equal() -> None:
    twice = CONFIG + "---\n" + CONFIG
    assert read("-", stdin=twice.encode()).settings.fair_sharing is not None
    with pytest.raises(InputError, match="a second Configuration of Kueue"):
        read("-", stdin=(twice + "manageJobsWithoutQueueName: true\n").encode())


CONFIG_FAULTS = [
    ("no Configuration", namespace("a"), "holds no Configuration of Kueue"),
    ("a fault in it", CONFIG + "waitForPodsReady: 5\n", "waitForPodsReady: expected a map"),
    ("a fault in the text of a ConfigMap", config_map("c", CONFIG + "resources: x\n"), "resources: expected a map"),
    ("text of a ConfigMap that is no YAML", config_map("c", "a: ["), "is not YAML"),
]


@pytest.mark.parametrize(("name", "text", "problem"), CONFIG_FAULTS, ids=[name for name, _, _ in CONFIG_FAULTS])
def test_a_faulty_configuration(name: str, text: str, problem: str, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(text)
    with pytest.raises(KueuectlError, match=problem) as caught:
        read("-", stdin=namespace("a").encode(), kueue_config=str(config))
    assert str(caught.value).startswith(str(config))


@pytest.mark.parametrize("is_on", [True, False])
def test_the_garbage_collector_is_left_as_it_was(is_on: bool) -> None:
    was_on = gc.isenabled()
    try:
        (gc.enable if is_on else gc.disable)()
        read("-", stdin=namespace("a").encode())
        assert gc.isenabled() is is_on
        with pytest.raises(InputError):
            read("-", stdin=b"x")
        assert gc.isenabled() is is_on
    finally:
        (gc.enable if was_on else gc.disable)()
