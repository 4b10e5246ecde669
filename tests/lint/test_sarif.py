"""SARIF: the structure that the standard asks for, and places that lead to the line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from kueuectl.report import sarif
from tests.cli.harness import cli
from tests.lint.build import SOUND, cohort, flavor, queue

LEVELS = {"none", "note", "warning", "error"}
# The part of SARIF 2.1.0 that is used: what an object may hold, "*" before what it must.
SHAPES: dict[str, dict[str, str]] = {
    "log": {"$schema": "uri", "*version": "version", "*runs": "[run]"},
    "run": {
        "*tool": "tool",
        "invocations": "[invocation]",
        "columnKind": "text",
        "results": "[result]",
    },
    "tool": {"*driver": "component"},
    "component": {"*name": "text", "semanticVersion": "text", "rules": "[rule]"},
    "rule": {
        "*id": "text",
        "name": "text",
        "shortDescription": "message",
        "fullDescription": "message",
        "help": "message",
        "defaultConfiguration": "configuration",
    },
    "configuration": {"level": "level"},
    "message": {"*text": "text"},
    "invocation": {"*executionSuccessful": "boolean", "toolExecutionNotifications": "[notification]"},
    "notification": {"*message": "message", "level": "level"},
    "result": {
        "ruleId": "text",
        "ruleIndex": "integer",
        "level": "level",
        "*message": "message",
        "locations": "[location]",
        "partialFingerprints": "texts",
    },
    "location": {"physicalLocation": "physical", "logicalLocations": "[logical]"},
    "physical": {"artifactLocation": "artifact", "region": "region"},
    "artifact": {"uri": "uri"},
    "region": {"startLine": "line"},
    "logical": {"name": "text", "fullyQualifiedName": "text", "kind": "text"},
}
SCALARS: dict[str, Any] = {
    "text": lambda value: isinstance(value, str) and value,
    "uri": lambda value: isinstance(value, str) and " " not in value and urlsplit(value) is not None,
    "version": lambda value: value == "2.1.0",
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and value >= -1,
    "line": lambda value: isinstance(value, int) and value >= 1,
    "level": lambda value: value in LEVELS,
    "texts": lambda value: all(isinstance(part, str) for pair in value.items() for part in pair),
}


def faults(value: Any, shape: str, path: str = "$") -> list[str]:
    """Where a document differs from the shapes."""
    if shape.startswith("["):
        if not isinstance(value, list):
            return [f"{path}: no list"]
        return [fault for at, each in enumerate(value) for fault in faults(each, shape[1:-1], f"{path}[{at}]")]
    if shape in SCALARS:
        return [] if SCALARS[shape](value) else [f"{path}: {value!r} is no {shape}"]
    fields = {name.lstrip("*"): inner for name, inner in SHAPES[shape].items()}
    needed = {name[1:] for name in SHAPES[shape] if name.startswith("*")}
    found = [f"{path}.{name}: unknown" for name in value if name not in fields]
    found += [f"{path}.{name}: missing" for name in needed if name not in value]
    for name, inner in value.items():
        found += faults(inner, fields.get(name, "text"), f"{path}.{name}")
    return found


def document(*args: str) -> Any:
    return json.loads(cli("lint", *args, "-o", "sarif").out)


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    docs = [*SOUND[:-2], cohort("all"), flavor("spare"), queue("one", {"gone": {"cpu": "1"}}, cohortName="all")]
    replaced = [doc for doc in docs if doc["kind"] == "ClusterQueue" and doc["metadata"]["name"] == "one"]
    docs = [doc for doc in docs if doc["kind"] != "Node" and doc is not replaced[0]]
    path = tmp_path / "my queues" / "all.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump_all(docs, sort_keys=False), "utf-8")
    return path


def test_structure(manifests: Path) -> None:
    found = document("-f", str(manifests))
    assert faults(found, "log") == []
    run = found["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert len(run["results"]) >= 2
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert run["invocations"][0]["toolExecutionNotifications"], "what was not checked is said"


def test_the_checker_sees_faults() -> None:
    assert faults({"version": "2.0", "runs": [{"results": [{"level": "bad"}]}]}, "log") == [
        "$.version: '2.0' is no version",
        "$.runs[0].tool: missing",
        "$.runs[0].results[0].message: missing",
        "$.runs[0].results[0].level: 'bad' is no level",
    ]


def test_results_lead_to_the_line(manifests: Path) -> None:
    lines = manifests.read_text("utf-8").splitlines()
    for result in document("-f", str(manifests))["runs"][0]["results"]:
        physical = result["locations"][0]["physicalLocation"]
        assert unquote(urlsplit(physical["artifactLocation"]["uri"]).path) == str(manifests)
        if result["ruleId"] == "FLAVOR_MISSING":
            assert lines[physical["region"]["startLine"] - 1].strip() == "- name: gone"


def test_dumps_have_lines_too(manifests: Path) -> None:
    results = document("--from", str(manifests))["runs"][0]["results"]
    assert all("region" in result["locations"][0]["physicalLocation"] for result in results)


def test_fingerprints_tell_findings_apart_and_do_not_move(manifests: Path) -> None:
    def prints() -> list[str]:
        results = document("-f", str(manifests))["runs"][0]["results"]
        return [result["partialFingerprints"]["kueuectlFinding/v1"] for result in results]

    before = prints()
    manifests.write_text("# a comment\n\n" + manifests.read_text("utf-8"), "utf-8")
    assert prints() == before
    assert len(set(before)) == len(before)


@pytest.mark.parametrize(
    ("source", "want"),
    [
        ("queues/all.yaml", "queues/all.yaml"),
        ("my queues/ä.yaml", "my%20queues/%C3%A4.yaml"),
        ("/srv/queues/all.yaml", "file:///srv/queues/all.yaml"),
        ("example:four-tenants.yaml", "example:four-tenants.yaml"),
        ("<stdin>", "%3Cstdin%3E"),
    ],
)
def test_file_names_as_uris(source: str, want: str) -> None:
    assert sarif.uri_of(source) == want
