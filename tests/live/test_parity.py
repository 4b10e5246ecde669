"""Commands that Kueue's own plugin and kubectl have too, beside them, on a real API server with Kueue's webhooks.

Ours runs without a kubectl on its PATH, so that it answers by itself. Ages are left out: they go on in between.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Result, cli
from tests.live.build import Built
from tests.live.controlplane import ControlPlane

ROOT = "/apis/kueue.x-k8s.io/v1beta2"
_TIMES = re.compile(r"\b(\d+[dhms])+\b")


def ours(plane: ControlPlane, line: str, **options: Any) -> Result:
    """Our answer."""
    return cli(*shlex.split(line), "--kubeconfig", plane.kubeconfig, **options)


def theirs(built: Built, plane: ControlPlane, program: str, line: str) -> subprocess.CompletedProcess[str]:
    """What the plugin or kubectl answers."""
    words = [str(built.program(program)), *shlex.split(line), "--kubeconfig", plane.kubeconfig]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)


def timeless(out: str) -> list[str]:
    """The lines without ages, and without the blanks that fit them."""
    return [" ".join(_TIMES.sub("AGE", line).split()) for line in out.splitlines()]


def spec(plane: ControlPlane, path: str) -> Any:
    """The stored spec of an object; None where there is none."""
    from kueuectl.cluster.failures import MissingError

    with plane.client() as client:
        try:
            return json.loads(client.get(f"{ROOT}/{path}", what="get"))["spec"]
        except MissingError:
            return None


FULL = {
    "cq": "clusterqueues.kueue.x-k8s.io",
    "lq": "localqueues.kueue.x-k8s.io",
    "wl": "workloads.kueue.x-k8s.io",
    "rf": "resourceflavors.kueue.x-k8s.io",
    "cohort": "cohorts.kueue.x-k8s.io",
    "wpc": "workloadpriorityclasses.kueue.x-k8s.io",
}
READ = (
    "get cq",
    "get cq -o wide",
    "get cq,lq -n team-a",
    "get lq -A --show-labels",
    "get wl -A",
    "get rf",
    "get cohort",
    "get wpc",
    "get cq research serving --no-headers",
    "get cq -o name",
    "get cq research -o json",
    "get cq -o json",
    "get lq -n nowhere",
    "get cq -l a=b",
    "get cq -o jsonpath='{.items[*].metadata.name}'",
    "get cq -o custom-columns=N:.metadata.name,C:.spec.cohortName",
    "describe cq research",
    "describe lq -n team-a",
    "describe rf default",
    "describe wpc high",
    "describe wl -n team-a",
)


def for_kubectl(line: str) -> str:
    """The line with kinds by their full names."""
    verb, kinds, *rest = line.split(" ")
    return " ".join([verb, ",".join(FULL[kind] for kind in kinds.split(",")), *rest])


@pytest.mark.parametrize("line", READ)
def test_what_is_read_is_what_kubectl_shows(line: str, plane: ControlPlane, built: Built) -> None:
    done, want = ours(plane, line), theirs(built, plane, "kubectl", for_kubectl(line))
    assert (done.code, want.returncode) == (0, 0), done.err + want.stderr
    assert timeless(done.out) == timeless(want.stdout)
    assert done.err.rstrip(".\n") == want.stderr.rstrip(".\n")


LISTED = (
    "list cq",
    "list lq -n team-a",
    "list lq -A -c research",
    "list workload -n team-a --status admitted",
    "list workload -n team-a --status finished",
    "list workload -n team-a --for job/train-0",
    "list rf",
    "list lq",
    "list cq -l a=b",
    "list pods --for job/train-0 -n team-a",
    "list cq -o jsonpath='{.items[*].metadata.name}'",
)


@pytest.mark.parametrize("line", LISTED)
def test_lists_are_those_of_the_plugin(line: str, plane: ControlPlane, built: Built) -> None:
    done, want = ours(plane, line), theirs(built, plane, "kueuectl", line)
    assert (done.code, want.returncode) == (0, 0), done.err + want.stderr
    assert timeless(done.out) == timeless(want.stdout)
    assert done.err.rstrip(".\n") == want.stderr.rstrip(".\n")


# What is typed, and where the object is stored.
MADE = {
    "create clusterqueue made": "clusterqueues/made",
    "create cq made --cohort co --queuing-strategy StrictFIFO --namespace-selector x=1,y=2 --reclaim-within-cohort Any"
    " --preemption-within-cluster-queue LowerPriority": "clusterqueues/made",
    "create cq made --cohort co --nominal-quota 'default:cpu=9;memory=36Gi,tas:cpu=18;memory=72Gi'"
    " --borrowing-limit 'default:cpu=1;memory=1Gi' --lending-limit 'default:cpu=1;memory=1Gi'": "clusterqueues/made",
    "create cq made --nominal-quota default:cpu=1,tas:memory=1Gi": "clusterqueues/made",
    "create lq made -c research -n team-a": "namespaces/team-a/localqueues/made",
    "create lq made -c nothere -i -n team-a": "namespaces/team-a/localqueues/made",
    "create rf made": "resourceflavors/made",
    "create rf made --node-labels a/b=c,d=e --node-taints a=b:NoSchedule,c:NoExecute"
    " --tolerations a=b:NoSchedule,c,:PreferNoSchedule": "resourceflavors/made",
    "create cq made --nominal-quota default:cpu=1 --dry-run=server": "clusterqueues/made",
}


@pytest.mark.parametrize("line", MADE)
def test_what_is_made_is_what_the_plugin_makes(line: str, plane: ControlPlane, built: Built) -> None:
    path = MADE[line]
    want = theirs(built, plane, "kueuectl", line)
    stored = spec(plane, path)
    forget(plane, path)
    done = ours(plane, line)
    try:
        assert (done.code, done.out, done.err) == (want.returncode, want.stdout, want.stderr)
        assert spec(plane, path) == stored
        assert (stored is None) == ("--dry-run" in line)
    finally:
        forget(plane, path)


def forget(plane: ControlPlane, path: str) -> None:
    """Delete what a test made, if it is there."""
    kind, name = path.split("/")[-2:]
    done = ours(plane, f"delete {kind} {name} -n team-a --ignore-not-found")
    assert done.code == 0, done.err


REFUSED = (
    "create rf default",
    "create lq made -c nothere -n team-a",
    "create lq made -c research -n nowhere",
    "create rf made --context viewer",
)


@pytest.mark.parametrize("line", REFUSED)
def test_a_refusal_is_told_in_the_same_words(line: str, plane: ControlPlane, built: Built) -> None:
    done, want = ours(plane, line), theirs(built, plane, "kueuectl", line)
    assert 0 not in (done.code, want.returncode)
    assert done.err.splitlines()[0] == want.stderr.splitlines()[0]


def test_a_cohort_and_a_fraction_are_made(plane: ControlPlane) -> None:
    line = "create cohort made --parent all --weight 1.5 --nominal-quota default:cpu=1.5 --lending-limit default:cpu=0"
    try:
        assert ours(plane, line).out == "cohort.kueue.x-k8s.io/made created\n"
        stored = spec(plane, "cohorts/made")
        assert (stored["parentName"], stored["fairSharing"]) == ("all", {"weight": "1.5"})
        (flavor,) = stored["resourceGroups"][0]["flavors"]
        assert flavor["resources"] == [{"name": "cpu", "nominalQuota": "1.5", "lendingLimit": "0"}]
    finally:
        forget(plane, "cohorts/made")


@pytest.fixture
def made(plane: ControlPlane) -> Any:
    """A ClusterQueue to change."""
    assert ours(plane, "create cq made --nominal-quota default:cpu=1").code == 0
    yield "clusterqueues/made"
    forget(plane, "clusterqueues/made")


PATCHES = (
    """--type merge -p '{"spec":{"stopPolicy":"Hold"}}'""",
    """--type json -p '[{"op":"replace","path":"/spec/stopPolicy","value":"Hold"}]'""",
    """-p 'spec: {stopPolicy: Hold}'""",
)


@pytest.mark.parametrize("patch", PATCHES)
def test_a_patch_is_stored(patch: str, plane: ControlPlane, made: str) -> None:
    done = ours(plane, f"patch cq made {patch}")
    assert (done.code, done.out) == (0, "clusterqueue.kueue.x-k8s.io/made patched\n"), done.err
    assert spec(plane, made)["stopPolicy"] == "Hold"
    assert ours(plane, f"patch cq made {patch}").out == "clusterqueue.kueue.x-k8s.io/made patched (no change)\n"


def test_what_the_server_refuses_changes_nothing(plane: ControlPlane, made: str) -> None:
    before = spec(plane, made)
    done = ours(plane, """patch cq made -p '{"spec":{"stopPolicy":"Never"}}'""")
    assert (done.code, done.out) == (1, "")
    assert 'spec.stopPolicy: Unsupported value: "Never"' in done.err
    assert spec(plane, made) == before


def test_an_edit_is_stored(plane: ControlPlane, made: str) -> None:
    variables = {"EDITOR": "sed -i 's/BestEffortFIFO/StrictFIFO/'"}
    done = ours(plane, "edit cq made", variables=variables)
    assert (done.code, done.out) == (0, "clusterqueue.kueue.x-k8s.io/made edited\n"), done.err
    assert spec(plane, made)["queueingStrategy"] == "StrictFIFO"
    done = ours(plane, "edit cq made", variables=variables)
    assert (done.code, done.err) == (0, "Edit cancelled, no changes made.\n")


def test_a_deletion_says_what_kubectl_says(plane: ControlPlane, built: Built, made: str) -> None:
    line = "delete {} made --dry-run=server"
    done = ours(plane, line.format("cq"))
    assert done.out == theirs(built, plane, "kubectl", line.format(FULL["cq"])).stdout
    assert spec(plane, made) is not None
    done = ours(plane, "delete cq made")
    assert (done.code, done.out) == (0, 'clusterqueue.kueue.x-k8s.io "made" deleted\n'), done.err
    assert spec(plane, made) is None


def test_a_queue_in_use_is_waited_for_only_so_long(plane: ControlPlane) -> None:
    """A LocalQueue keeps nothing, a flavor stays as long as a queue names it."""
    try:
        assert ours(plane, "create rf held").code == 0
        assert ours(plane, "create cq holder --nominal-quota held:cpu=1").code == 0
        done = ours(plane, "delete rf held --timeout 1s", sleep=time.sleep)
        assert (done.code, "timed out waiting" in done.err) == (5, True)
    finally:
        forget(plane, "clusterqueues/holder")
        forget(plane, "resourceflavors/held")


def program(built: Built, plane: ControlPlane, line: str) -> subprocess.CompletedProcess[str]:
    """Ours as a process, with kubectl on its PATH."""
    environment = {
        **os.environ,
        "PATH": f"{built.folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "KUBECONFIG": plane.kubeconfig,
    }
    words = [sys.executable, "-m", "kueuectl", *shlex.split(line)]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_kubectl_takes_over_where_it_is(plane: ControlPlane, built: Built) -> None:
    done = program(built, plane, "-n team-a get kwl --sort-by=.metadata.name -o name")
    assert (done.returncode, done.stdout.count("workload.kueue.x-k8s.io/")) == (0, 3), done.stderr
    done = program(built, plane, "get cq nope")
    assert (done.returncode, done.stderr.startswith("Error from server (NotFound)")) == (1, True)
    assert program(built, plane, "get nodes").returncode == 2
