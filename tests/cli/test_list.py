"""Flags of `list`: what is kept, what is refused, what is said when there is nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
import yaml

from tests.cli.harness import Result, cli, teams

NAMES = "-o=jsonpath={range .items[*]}{.metadata.name}{' '}{end}"


def names(*args: str) -> list[str]:
    result = teams(*args, NAMES)
    assert result.code == 0, result.err
    return sorted(result.out.split())


@dataclass(frozen=True)
class Kept:
    line: str
    want: str


KEPT = [
    Kept("list workload", "api api-next job-big job-check job-off job-old job-run job-small pod-lab"),
    Kept("list workload -A", "api api-next job-big job-check job-off job-old job-run job-small pod-lab"),
    Kept("list workload -n team-b", "api api-next"),
    Kept("list workload -n team-b -A", "api api-next job-big job-check job-off job-old job-run job-small pod-lab"),
    Kept("-n team-b list workload", "api api-next"),
    Kept("list -n team-b workload", "api api-next"),
    Kept("list workload -nteam-b", "api api-next"),
    Kept("list workload --namespace=team-b", "api api-next"),
    Kept("list workload --status all --status pending -n team-b", "api api-next"),
    Kept("list workload --status PENDING -n team-b", "api-next"),
    Kept("list workload --status quotareserved", "job-check"),
    Kept("list workload --status admitted --status finished", "api job-old job-run"),
    Kept("list workload -c training --status pending", "job-big job-off job-small"),
    Kept("list workload --clusterqueue=serving", "api api-next"),
    Kept("list workload -q lab", "pod-lab"),
    Kept("list workload -c training -q lab", ""),
    Kept("list workload -l team=blue", "job-big job-run"),
    Kept("list workload -l team", "job-big job-run"),
    Kept("list workload -l !team,absent!=x -n team-b", "api api-next"),
    Kept("list workload -l team=blue,team!=blue", ""),
    Kept("list workload --field-selector metadata.name=api", "api"),
    Kept("list workload --field-selector metadata.namespace!=team-a", "api api-next"),
    Kept("list workload --for job/run", "job-run"),
    Kept("list workload --for jobs.batch/run", "job-run"),
    Kept("list workload --for Job.v1.batch/run", "job-run"),
    Kept("list workload --for pod/lab", "pod-lab"),
    Kept("list workload api job-run", "api job-run"),
    Kept("list workload api api", "api"),
    Kept("list workload/api", "api"),
    Kept("list kwl -n team-b", "api api-next"),
    Kept("list kueueworkloads -n team-b", "api api-next"),
    Kept("list WL -n team-b", "api api-next"),
    Kept("list Workloads.kueue.x-k8s.io -n team-b", "api api-next"),
    Kept("list cq", "lab serving training"),
    Kept("list clusterqueues --active true", "serving training"),
    Kept("list cq --active=false", "lab"),
    Kept("list cq -l team=lab", "lab"),
    Kept("list lq -c lab", "lab"),
    Kept("list rf -l tier", "spot"),
    Kept("list cohort", "research"),
    Kept("list topologies", "hall"),
    Kept("list admissionchecks", "budget"),
    Kept("list wpc", "batch urgent"),
    Kept("list pods --for job/run", "run-0 run-1"),
    Kept("list po --for pod/run-0", "run-0"),
]


@pytest.mark.parametrize("case", KEPT, ids=lambda case: case.line)
def test_what_is_kept(case: Kept) -> None:
    assert names(*case.line.split()) == case.want.split()


@dataclass(frozen=True)
class Refused:
    line: str
    code: int
    want: str


REFUSED = [
    Refused("list workload --status evicted", 2, "invalid status value (evicted). Must be"),
    Refused("list cq --active=true,false", 2, "only one --active can be given"),
    Refused("list cq --active=maybe", 2, "invalid value 'maybe' for --active"),
    Refused("list cq --active true --active false", 2, "only one --active can be given"),
    Refused("list cq nope", 3, 'clusterqueues.kueue.x-k8s.io "nope" not found'),
    Refused("list lq nope -n team-a", 3, 'localqueues.kueue.x-k8s.io "nope" not found in namespace team-a'),
    Refused("list workload --for job/none", 3, 'jobs.batch "none" not found'),
    Refused("list workload --for widget.example.com/none", 3, 'widget.example.com "none" not found'),
    Refused("list pods --for job/none", 3, 'jobs.batch "none" not found'),
    Refused("list workload --for job", 2, "invalid value 'job' for --for"),
    Refused("list workload --for /x", 2, "invalid value '/x' for --for"),
    Refused("list pods", 2, "missing option '--for'"),
    Refused("list workload -l a=(", 2, "invalid value 'a=(' for --selector"),
    Refused("list workload --field-selector spec.x=1", 2, "--field-selector: 'spec.x' is not supported"),
    Refused("list cq lab -l team=lab", 2, "names and selectors can't be combined"),
    Refused("list nope", 2, "unknown command 'nope' for 'kueuectl list'"),
    Refused("list clusterqueu", 2, "unknown command 'clusterqueu' for 'kueuectl list'"),
    Refused("list cq -o xml", 2, "unknown output format 'xml'"),
    Refused("list cq -o go-template={{.", 1, "template, line 1, column 1: an action has no closing braces"),
    Refused("list cq -o go-template={{.items.x}}", 1, "template, line 1, column 3: a list has no field x"),
    Refused("list cq -o go-template-file=/nonexistent", 1, "/nonexistent: can't read the expression: No such file"),
    Refused("list cq -o json --template={{.x}}", 2, "-o json can't be combined with --template"),
    Refused("list cq --allow-missing-template-keys=x", 2, "invalid value 'x' for --allow-missing-template-keys"),
    Refused(
        "list cq --template={{.x}} --allow-missing-template-keys=false",
        1,
        "template, line 1, column 3: there is no field x",
    ),
    Refused("list cq -o jsonpath={.x} --allow-missing-template-keys=false", 1, "jsonpath: .x is not found"),
    Refused("describe cq --template={{.x}}", 2, "describe takes no --template"),
    Refused("list cq -o jsonpath={.items[", 2, "jsonpath: can't read the path '.items['"),
    Refused("list cq -o jsonpath-file=/nonexistent", 1, "/nonexistent: can't read the expression: No such file"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.line)
def test_what_is_refused(case: Refused) -> None:
    result = teams(*case.line.split())
    assert (result.code, result.out) == (case.code, "")
    assert result.err.startswith(f"Error: {case.want}")


def test_typing_errors_get_a_suggestion() -> None:
    result = teams("list", "clusterqueu")
    assert "did you mean 'clusterqueue'?" in result.err


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("list workload -n nowhere", "No resources found in nowhere namespace."),
        ("list workload --status finished -n team-b", "No resources found in team-b namespace."),
        ("list workload -A -q none", "No resources found"),
        ("list cq -l team=none", "No resources found"),
        ("list workload --for job/idle", "No resources found"),
        ("list pods --for job/idle -n team-a", "No resources found in team-a namespace."),
        ("list workload -n nowhere -o name", "No resources found in nowhere namespace."),
        ("list workload -n nowhere -o custom-columns=A:.a", "No resources found in nowhere namespace."),
    ],
)
def test_an_empty_list_is_said_on_stderr(line: str, want: str) -> None:
    assert teams(*line.split()) == Result(0, "", want + "\n")


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_an_empty_list_is_a_list_for_machines(form: str) -> None:
    result = teams("list", "workload", "-n", "nowhere", "-o", form)
    assert result.code == 0
    assert yaml.safe_load(result.out) == {
        "apiVersion": "v1",
        "items": [],
        "kind": "List",
        "metadata": {"resourceVersion": ""},
    }


def test_json_passes_raw_objects_through() -> None:
    listed = json.loads(teams("list", "cq", "-o", "json").out)
    assert [item["metadata"]["name"] for item in listed["items"]] == ["training", "serving", "lab"]
    assert listed["items"][0]["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["borrowingLimit"] == "4"


def test_managed_fields_only_when_asked_for() -> None:
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": "old", "managedFields": [{"manager": "kubectl"}]},
        "spec": {"cohort": "c"},
    }
    for flags, kept in (((), False), (("--show-managed-fields",), True)):
        result = cli(
            "list", "cq", "-o", "json", "--from", "-", "--now", "2026-11-29T12:00:00Z", *flags, stdin=json.dumps(queue)
        )
        item = json.loads(result.out)["items"][0]
        assert item["apiVersion"] == "kueue.x-k8s.io/v1beta1"
        assert item["spec"] == {"cohort": "c"}
        assert ("managedFields" in item["metadata"]) is kept


def test_names_and_custom_columns() -> None:
    assert teams("list", "lq", "-n", "team-b", "-o", "name").out == "localqueue.kueue.x-k8s.io/serve\n"
    result = teams("list", "wpc", "-o", "custom-columns=NAME:.metadata.name,VALUE:.value", "--no-headers")
    assert result.out == "urgent   1000\nbatch    10\n"
    assert teams("list", "pods", "--for", "job/run", "-o", "name").out == "pod/run-0\npod/run-1\n"
