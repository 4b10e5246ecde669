"""`kueuectl lint`: exit codes, formats, manifests beside a state and alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from kueuectl.store import examples
from tests.cli.harness import Result, cli
from tests.lint.build import SOUND, Doc, cohort, door, flavor, queue, workload

STD = {"std": {"cpu": "8", "memory": "32Gi"}}
WORSE = queue("one", {"gone": {"cpu": "8", "memory": "32Gi"}}, cohortName="all")
SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def write(path: Path, *docs: Doc) -> str:
    path.write_text("---\n".join(yaml.safe_dump(doc, sort_keys=False) for doc in docs), "utf-8")
    return str(path)


@pytest.fixture
def state(tmp_path: Path) -> str:
    return write(tmp_path / "state.yaml", *SOUND)


def lint(*args: str, **options: Any) -> Result:
    return cli("lint", *args, **options)


def codes(result: Result) -> list[str]:
    return [item["code"] for item in json.loads(result.out)["items"]]


def test_nothing_found(state: str) -> None:
    result = lint("--from", state)
    assert (result.code, result.out) == (0, "No findings.\n")


def test_a_report_says_what_why_and_what_to_do(tmp_path: Path) -> None:
    docs = [doc for doc in SOUND if doc["metadata"]["name"] != "one" or doc["kind"] != "ClusterQueue"]
    path = write(tmp_path / "state.yaml", *docs, WORSE)
    result = lint("--from", path)
    assert result.code == 1
    assert result.out.splitlines() == [
        "error FLAVOR_MISSING: A ResourceFlavor is missing.",
        "  OBJECT             FIELD                                    FINDING",
        '  ClusterQueue one   spec.resourceGroups[0].flavors[0].name   there is no ResourceFlavor "gone"',
        "  Why: A ClusterQueue with a missing flavor is inactive and admits nothing, not even with its other flavors.",
        "  Fix: Create the ResourceFlavor, correct the name, or take the flavor out.",
        "",
        "1 error.",
    ]


@pytest.mark.parametrize(
    ("doc", "threshold", "want"),
    [
        (WORSE, "error", 1),
        (WORSE, "never", 0),
        (cohort("al"), "error", 0),
        (cohort("al"), "warning", 0),
        (cohort("al"), "info", 1),
        (queue("one", STD, cohortName="alll"), "error", 0),
        (queue("one", STD, cohortName="alll"), "warning", 1),
        (queue("one", STD, cohortName="all"), "info", 0),
    ],
)
def test_exit_code_by_severity(doc: Doc, threshold: str, want: int, state: str, tmp_path: Path) -> None:
    changed = write(tmp_path / "changed.yaml", doc)
    result = lint("--from", state, "-f", changed, "--fail-on", threshold)
    assert result.code == want, result.out + result.err


def test_manifests_are_judged_together_with_the_state(state: str, tmp_path: Path) -> None:
    changed = write(tmp_path / "changed.yaml", queue("three", STD, cohortName="all"), door("three", "three"))
    assert codes(lint("--from", state, "-f", changed, "-o", "json")) == []
    larger = write(tmp_path / "larger.yaml", queue("three", {"std": {"cpu": "20", "memory": "1Gi"}}, cohortName="all"))
    found = json.loads(lint("--from", state, "-f", larger, "-o", "json").out)
    assert [(item["code"], item["kind"], item["name"]) for item in found["items"]] == [
        ("QUOTA_ABOVE_CAPACITY", "ResourceFlavor", "std"),
        ("QUEUE_WITHOUT_DOOR", "ClusterQueue", "three"),
    ]


def test_what_was_wrong_before_is_not_told(tmp_path: Path) -> None:
    before = write(tmp_path / "before.yaml", *SOUND, flavor("spare"), queue("bad", {"gone": {"cpu": "1"}}))
    changed = write(tmp_path / "changed.yaml", queue("one", {"std": {"cpu": "9", "memory": "32Gi"}}, cohortName="all"))
    result = lint("--from", before, "-f", changed, "-o", "json")
    assert (result.code, codes(result)) == (0, [])
    assert set(codes(lint("--from", before, "-o", "json"))) >= {"FLAVOR_MISSING", "FLAVOR_UNUSED"}


def test_manifests_alone(tmp_path: Path) -> None:
    folder = tmp_path / "queues"
    folder.mkdir()
    write(folder / "queue.yaml", WORSE)
    result = lint("-f", str(folder))
    assert result.code == 0
    assert result.out.startswith("No findings.\nNot checked for want of ")
    assert "ResourceFlavor objects (none in the input)" in result.out
    assert result.err == "No cluster is configured and no --from is given: the files are judged alone.\n"
    write(folder / "flavor.yaml", flavor("gon"))
    result = lint("-f", str(folder), "--alone")
    assert (result.code, result.err) == (1, "")
    assert 'there is no ResourceFlavor "gone"; did you mean "gon"?' in result.out


def test_manifests_that_are_refused_are_findings_with_file_and_line(state: str, tmp_path: Path) -> None:
    broken = queue("one", {"std": {"cpu": "8", "memory": {"nominalQuota": "1", "lendingLimit": "2"}}}, cohortName="all")
    broken["spec"]["queueingStrategy"] = "Strict"
    wrong = queue(
        "two", {"std": {"cpu": "8", "memory": {"nominalQuota": "1Gi", "lendingLimit": "2Gi"}}}, cohortName="all"
    )
    path = write(tmp_path / "broken.yaml", broken, wrong, door("new", "one"))
    result = lint("--from", state, "-f", path, "-o", "json")
    assert result.code == 1
    items = json.loads(result.out)["items"]
    lines = Path(path).read_text("utf-8").splitlines()
    shown = {(item["code"], item["name"], item["path"], lines[item["line"] - 1].strip()) for item in items}
    quota = "spec.resourceGroups[0].flavors[0].resources[1].lendingLimit"
    assert shown == {
        ("INVALID_MANIFEST", "one", "spec.queueingStrategy", "queueingStrategy: Strict"),
        ("INVALID_MANIFEST", "two", quota, "lendingLimit: 2Gi"),
    }
    assert {item["source"] for item in items} == {path}


def test_an_object_that_cannot_be_read_is_not_missing(tmp_path: Path) -> None:
    broken = flavor("gone", nodeLabels={"pool": "x"}) | {"spec": {"nodeLabels": "pool"}}
    path = write(tmp_path / "files.yaml", flavor("std"), broken, WORSE)
    assert codes(lint("-f", path, "-o", "json")) == [
        "INVALID_MANIFEST",
        "FLAVOR_UNUSED",
    ]


def test_the_same_object_twice_with_other_contents(tmp_path: Path) -> None:
    path = write(tmp_path / "files.yaml", queue("one", STD, cohortName="all"), WORSE)
    result = lint("-f", path)
    assert result.code == 1
    assert "comes twice with different contents" in result.out


def test_kinds_of_no_concern_and_jobs_are_passed_over(tmp_path: Path) -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {}}
    other = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": {"a": [1]}}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
    path = write(tmp_path / "files.yaml", job, other, secret)
    result = lint("-f", path, "--alone")
    assert (result.code, result.out) == (0, "No findings.\n")
    assert result.err == "1 job is passed over: dry-run --submit tells what becomes of it.\n"


def test_the_configuration_may_be_among_the_files(state: str, tmp_path: Path) -> None:
    config = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "fairSharing": {}}
    zero = queue("one", STD, cohortName="all", fairSharing={"weight": "0"})
    path = write(tmp_path / "files.yaml", config, zero)
    assert codes(lint("--from", state, "-f", path, "-o", "json")) == ["WEIGHT_ZERO"]
    inside = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
        "data": {"controller_manager_config.yaml": yaml.safe_dump(config)},
    }
    path = write(tmp_path / "files.yaml", inside, zero)
    assert codes(lint("--from", state, "-f", path, "-o", "json")) == ["WEIGHT_ZERO"]
    path = write(tmp_path / "files.yaml", zero)
    assert codes(lint("--from", state, "-f", path, "-o", "json")) == ["WEIGHT_WITHOUT_FAIR_SHARING"]


def test_standard_input(state: str) -> None:
    result = lint("--from", state, "-f", "-", "-o", "json", stdin=yaml.safe_dump(WORSE))
    assert codes(result) == ["FLAVOR_MISSING"]
    assert [item["source"] for item in json.loads(result.out)["items"]] == ["<stdin>"]
    assert lint("--from", "-", "-f", "-").code == 2


def test_ignored_codes(state: str, tmp_path: Path) -> None:
    path = write(tmp_path / "files.yaml", WORSE)
    result = lint("--from", state, "-f", path, "--ignore", "flavor_missing")
    assert (result.code, result.out) == (0, "No findings.\n")


@pytest.mark.parametrize(
    ("args", "want"),
    [
        (["--fail-on", "fatal"], "invalid value 'fatal' for --fail-on"),
        (["--ignore", "NOPE"], "unknown code 'NOPE' for --ignore"),
        (["--alone"], "--alone is for files"),
    ],
)
def test_usage_errors(args: list[str], want: str, state: str) -> None:
    result = lint("--from", state, *args)
    assert (result.code, result.err.splitlines()[0]) == (2, f"Error: {want}")


def test_a_file_that_is_no_yaml_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("a: [")
    result = lint("-f", str(tmp_path / "bad.yaml"))
    assert (result.code, result.out) == (1, "")
    assert "bad.yaml: is not YAML" in result.err


def test_hostile_names_reach_no_terminal(tmp_path: Path) -> None:
    bad = queue("one", {"gone\x1b[31m": {"cpu": "8"}}, cohortName="all")
    path = write(tmp_path / "files.yaml", flavor("std"), bad)
    for form in ("table", "wide", "json", "yaml", "sarif", "name"):
        result = lint("-f", path, "-o", form, is_tty=True)
        assert "\x1b[31m" not in result.out


def test_codes_are_listed() -> None:
    result = lint("--codes")
    assert result.code == 0
    assert result.out.splitlines()[0].split() == ["CODE", "SEVERITY", "MEANING"]


# What examples are there to show.
WANT = {"four-tenants": ["WORKLOAD_NEVER_FITS"], "uncovered-resource": ["RESOURCE_UNCOVERED"]}


@pytest.mark.parametrize("name", examples.names())
def test_examples_hold_no_mistakes_but_those_that_they_show(name: str) -> None:
    result = lint("--from", f"example:{name}", "-o", "json")
    assert codes(result) == WANT.get(name, [])
    assert json.loads(result.out)["notChecked"] == []


def test_the_other_formats(state: str, tmp_path: Path) -> None:
    path = write(tmp_path / "files.yaml", WORSE, workload("w", "one", cpu="1"))
    wide = lint("--from", state, "-f", path, "-o", "wide")
    assert wide.out.splitlines()[0].split() == ["SEVERITY", "CODE", "OBJECT", "FIELD", "FINDING", "WHY", "FIX", "WHERE"]
    assert lint("--from", state, "-f", path, "-o", "name").out == "clusterqueue.kueue.x-k8s.io/one\n"
    template = lint("--from", state, "-f", path, "-o", "jsonpath={.items[*].code} {.summary.error}")
    assert template.out == "FLAVOR_MISSING 1"
    assert yaml.safe_load(lint("--from", state, "-f", path, "-o", "yaml").out)["kind"] == "LintReport"


def test_shared_dumps_and_cases_are_judged_without_a_fault(tmp_path: Path) -> None:
    if not (SHARED / "cases").is_dir():
        pytest.skip("../shared/cases is not there")
    found = set()
    for path in sorted((SHARED / "cases").glob("*.expect.json")):
        name = path.name.removesuffix(".expect.json")
        config = SHARED / "cases" / f"{name}.config.yaml"
        extra = ["--kueue-config", str(config)] if config.is_file() else []
        result = lint("--from", str(SHARED / "cases" / f"{name}.yaml"), *extra, "--fail-on", "never", "-o", "json")
        assert result.code == 0, (name, result.err)
        found |= set(codes(result))
    assert found == {
        "CLUSTER_QUEUE_MISSING",
        "FLAVOR_MISSING",
        "HEAD_BLOCKED",
        "LOCAL_QUEUE_MISSING",
        "NAMESPACE_NOT_SELECTED",
        "RESOURCE_UNCOVERED",
        "WEIGHT_ZERO",
        "WORKLOAD_NEVER_FITS",
    }
    folder = tmp_path / "dump"
    shutil.copytree(SHARED / "dump", folder)
    assert codes(lint("--from", str(folder), "-o", "json")) == []
