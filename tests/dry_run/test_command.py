"""`kueuectl dry-run` as a user runs it: answers word for word, exit codes, refusals."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from tests.cli.harness import Result, cli
from tests.dry_run import cluster

GOLDEN = Path(__file__).parent / "golden"
TENANTS = ("--from", "example:four-tenants")

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: tune, namespace: finetuning, labels: {kueue.x-k8s.io/queue-name: jobs}}
spec:
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers:
        - {name: main, image: tune, resources: {requests: {cpu: 4, memory: 40Gi, nvidia.com/gpu: 1}}}
"""
TEAM = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: evaluation}
spec:
  cohortName: fleet
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu, memory, nvidia.com/gpu]
      flavors:
        - name: spot
          resources:
            - {name: cpu, nominalQuota: 8}
            - {name: memory, nominalQuota: 80Gi}
            - {name: nvidia.com/gpu, nominalQuota: 2}
---
apiVersion: v1
kind: Namespace
metadata: {name: evaluation}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: jobs, namespace: evaluation}
spec: {clusterQueue: evaluation}
"""
SWEEP = """
grid:
  clusterqueue/pre-training:h100/nvidia.com/gpu.nominal: [16, 48]
  fairSharing: [false, true]
variants:
  - name: apart
    set: [cohort/training:parent=none]
"""


def run(*arguments: str, stdin: str = "") -> Result:
    """Run the command on the example with four tenants."""
    return cli("dry-run", *TENANTS, *arguments, stdin=stdin)


@dataclass(frozen=True)
class Case:
    """A command line and the golden file of its answer."""

    name: str
    arguments: tuple[str, ...] = ()
    stdin: str = ""
    code: int = 0


CASES = [
    Case("no-change"),
    Case("less-quota", ("--set", "clusterqueue/pre-training:h100/nvidia.com/gpu.nominal=8")),
    Case("higher-priority", ("--set", "workload/llama-pretrain:priority=5000")),
    Case("moved-cohort", ("--set", "cohort/training:parent=none", "-o", "wide")),
    Case("drained-queue", ("--set", "cq/pre-training:stop-policy=HoldAndDrain")),
    Case("deleted-queue", ("--delete", "cq/pre-training")),
    Case("drained-nodes", ("--drain", "fleet.example.com/pool=h100")),
    Case("submitted-job", ("--submit", "-"), JOB),
    Case("submitted-urgent-job", ("--submit", "-", "--priority-class", "urgent"), JOB),
    Case("new-team", ("-f", "-"), TEAM),
    Case("new-team-document", ("-f", "-", "-o", "yaml"), TEAM),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_answer(case: Case) -> None:
    found = run(*case.arguments, stdin=case.stdin)
    assert (found.code, found.err) == (case.code, "")
    check_golden(f"{case.name}.txt", found.out)


def check_golden(name: str, text: str) -> None:
    """Compare with a golden file; KUEUECTL_UPDATE_GOLDEN=1 writes it instead."""
    path = GOLDEN / name
    if os.environ.get("KUEUECTL_UPDATE_GOLDEN"):
        path.write_text(text, "utf-8")
    assert path.is_file(), f"no golden file {name}: run with KUEUECTL_UPDATE_GOLDEN=1 and read what it wrote"
    assert text == path.read_text("utf-8")


@dataclass(frozen=True)
class Exit:
    """A command line with --detailed-exitcode, and its code."""

    name: str
    arguments: tuple[str, ...]
    want: int
    stdin: str = ""
    words: tuple[str, ...] = field(default=())


@pytest.mark.parametrize(
    "case",
    [
        Exit("nothing changes", ("--set", "cq/pre-training:stop-policy=None"), 0),
        Exit("something changes", ("--set", "cq/pre-training:stop-policy=Hold"), 2),
        Exit("without a change, where it settles", (), 2),
        Exit("a submitted job waits", ("--submit", "-"), 2, JOB),
        Exit("a submitted job is admitted", ("--submit", "-", "--priority-class", "urgent"), 0, JOB),
        Exit("a job of -f is a change", ("-f", "-", "--priority-class", "urgent"), 2, JOB),
        Exit("an error", ("--set", "cq/none:weight=1"), 1, words=("not found",)),
        Exit("a wrong word", ("--set", "cq/pre-training:weight"), 1, words=("is no change",)),
        Exit("an option that isn't there", ("--nope",), 1, words=("no such option",)),
        Exit("a broken manifest", ("-f", "-"), 1, "kind: [", ("<stdin>",)),
    ],
    ids=lambda case: case.name,
)
def test_detailed_exit_code(case: Exit) -> None:
    found = run(*case.arguments, "--detailed-exitcode", stdin=case.stdin)
    assert found.code == case.want, found.err
    for word in case.words:
        assert word in found.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--set", "cq/none:weight=1"), 3, 'clusterqueues.kueue.x-k8s.io "none" not found'),
        (("--set", "cq/pre-training:size=1"), 2, "'size' is no field of a ClusterQueue"),
        (("--delete", "queue"), 2, "names no LocalQueue"),
        (("--delete", "thing/x"), 2, "unknown kind 'thing'"),
        (("--drain", "nobody"), 3, 'nodes "nobody" not found'),
        (("--drain", "pool=none"), 3, "no node has the labels pool=none"),
        (("--queue", "main"), 2, "are for jobs"),
        (("--max-rounds", "0"), 2, "at least 1"),
        (("-f", "-", "--submit", "-"), 2, "only once"),
        (("-f", "/does/not/exist"), 1, "/does/not/exist"),
    ],
)
def test_refused(arguments: tuple[str, ...], code: int, words: str) -> None:
    found = run(*arguments)
    assert (found.code, found.out) == (code, "")
    assert words in found.err


def test_a_manifest_is_refused_with_its_field_path() -> None:
    found = run("-f", "-", stdin=TEAM.replace("nominalQuota: 2", "nominalQuote: 2"))
    where = "<stdin>: ClusterQueue evaluation: spec.resourceGroups[0].flavors[0].resources[2].nominalQuote"
    assert found.code == 1
    assert f"Error: {where}: unknown field, did you mean nominalQuota?" in found.err


def test_a_job_is_refused_with_its_own_field_path() -> None:
    found = run("--submit", "-", stdin=JOB.replace("image: tune", "imag: tune"))
    assert "<stdin>: Job finetuning/tune: spec.template.spec.containers[0].imag" in found.err


def test_what_decides_nothing_is_passed_over() -> None:
    found = run("-f", "-", stdin="{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}")
    assert found.code == 0
    assert "no decision depends on ConfigMap settings" in found.err


def test_the_same_manifest_twice_must_be_the_same() -> None:
    assert run("-f", "-", stdin=f"{TEAM}\n---\n{TEAM}").code == 0
    found = run("-f", "-", stdin=f"{TEAM}\n---\n{TEAM.replace('nominalQuota: 2', 'nominalQuota: 3')}")
    assert "comes twice with different contents" in found.err


def test_folders_and_several_files(tmp_path: Path) -> None:
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "queue.yaml").write_text(TEAM, "utf-8")
    job = JOB.replace("finetuning", "evaluation").replace("memory: 40Gi", "memory: 4Gi")
    (tmp_path / "job.yaml").write_text(job, "utf-8")
    found = run("-f", str(folder), "-f", str(tmp_path / "job.yaml"), "-o", "json")
    document = json.loads(found.out)
    assert [change["kind"] for change in document["changes"]] == ["ClusterQueue", "LocalQueue", "Namespace", "Workload"]
    assert document["submitted"][0]["job"] == "Job evaluation/tune"


def test_a_dump_of_the_cluster_changes_nothing(tmp_path: Path) -> None:
    """The manifests that describe what is there are no change."""
    docs = [*cluster.queue("blue", 8), cluster.flavor(), cluster.workload("blue", "one", 4, held="default")]
    path = tmp_path / "state.yaml"
    path.write_text(yaml.safe_dump_all(docs), "utf-8")
    found = cli("dry-run", "--from", str(path), "--now", "2026-11-29T12:00:00Z", "-f", str(path), "--detailed-exitcode")
    assert found.code == 0, found.out


def test_names_and_columns_are_of_affected_workloads() -> None:
    found = run("--set", "workload/llama-pretrain:priority=5000", "-o", "custom-columns=E:.effect,W:.workload")
    assert found.out.splitlines()[0].split() == ["E", "W"]
    assert "preempted" in found.out


def test_hostile_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "evil.yaml"
    path.write_text('{"apiVersion": "v1", "kind": "Secret\\u001b[31m", "metadata": {"name": "a\\u001b]0;x"}}', "utf-8")
    found = run("-f", str(path))
    assert "\x1b" not in found.err + found.out


def test_sweep(tmp_path: Path) -> None:
    path = tmp_path / "sweep.yaml"
    path.write_text(SWEEP, "utf-8")
    found = run("--sweep", str(path))
    assert (found.code, found.err) == (0, "")
    check_golden("sweep.txt", found.out)
    document = json.loads(run("--sweep", str(path), "-o", "json").out)
    assert [len(row["values"]) for row in document["items"]] == [0, 2, 2, 2, 2, 0]
    alone = json.loads(run("--set", "cohort/training:parent=none", "-o", "json").out)
    assert document["items"][-1]["admitted"] - document["items"][0]["admitted"] == alone["summary"]["admitted"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1]", "expected a map"),
        ("{}", "names no variants"),
        ("{grid: {a: 1}}", "grid.a: expected a list of values"),
        ("{grids: {}}", "grids: unknown field"),
        ("{grid: {gate/None: [true]}}", "grid.gate/None: no gate of this name"),
        ("{grid: {fairSharing: [7]}}", "grid.fairSharing: expected true, false"),
        ("{grid: {'cq/none:weight': [1]}}", 'clusterqueues.kueue.x-k8s.io "none" not found'),
        ("{variants: [{set: []}]}", "variants[0]: expected a map with a name"),
        ("{variants: [{name: a, sets: []}]}", "variants[0].sets: unknown field"),
    ],
)
def test_sweep_is_refused(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "sweep.yaml"
    path.write_text(text, "utf-8")
    found = run("--sweep", str(path))
    assert (found.code, found.out) == (1, "")
    assert words in found.err


def test_too_many_variants_are_refused(tmp_path: Path) -> None:
    values = "[" + ", ".join(map(str, range(200))) + "]"
    path = tmp_path / "sweep.yaml"
    path.write_text(f"{{grid: {{'cq/pre-training:weight': {values}, 'cq/fine-tuning:weight': {values}}}}}", "utf-8")
    assert "more than 10000 combinations" in run("--sweep", str(path)).err


def test_a_cycle_names_the_file_that_makes_it(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: fleet}, spec: {parentName: training}}",
        "utf-8",
    )
    result = cli("dry-run", "-f", str(path), *TENANTS)
    assert result.code == 1
    assert f"{path}: Cohort fleet: spec.parentName: cohorts form a cycle" in result.err
