"""What Kueue's own plugin printed, beside what ours prints for the same lines on the same cluster, saved.

The captures lie beside the project, in ../shared/kueuectl-go, with a dump of the cluster that they were taken on. A
line is compared where both can be: same output, same error or not. What differs on purpose is listed with the reason,
and has to differ.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from kueuectl.api import patches
from tests.cli.harness import Result, cli
from tests.cli.two_teams import Live, fake, live
from tests.cluster.fake import FakeServer

__all__ = ["fake", "live"]

SHARED = Path(__file__).resolve().parents[3] / "shared"
CAPTURES = SHARED / "kueuectl-go"
DUMP = [str(path) for path in sorted((SHARED / "dump").glob("*.json")) if "v1beta1" not in path.name]
# When the lists were taken; ages aren't compared.
NOW = "2026-11-29T18:53:47Z"

pytestmark = pytest.mark.skipif(
    not CAPTURES.is_dir() or not DUMP, reason="needs ../shared/kueuectl-go and ../shared/dump"
)


class Capture(NamedTuple):
    """A line without the program's name, its standard output, and whether it failed."""

    line: str
    out: str
    failed: bool


def captures(name: str) -> list[Capture]:
    """The lines of a file that are the plugin's own, without variables and pipes."""
    found = []
    text = (CAPTURES / f"{name}.txt").read_text("utf-8") if CAPTURES.is_dir() else ""
    for part in re.split(r"(?m)^\$ ", text)[1:]:
        line, _, rest = part.partition("\n")
        if line.startswith("kueuectl ") and "#" not in line:
            out = "".join(row + "\n" for row in rest.rstrip("\n").split("\n") if not row.startswith(("! ", "[exit ")))
            found.append(Capture(line.removeprefix("kueuectl "), out.lstrip("\n"), "[exit " in rest))
    return found


# Line -> why ours differs.
BETTER = {
    "list clusterqueues": "plurals are known",
    "list localqueues -A": "plurals are known",
    "list resourceflavors": "plurals are known",
    "list wl -A": "wl is an alias",
    "list workloads -A": "plurals are known",
    "list cq -o wide": "-o wide works on lists",
    "list cq -o name": "-o name works on lists",
    "list rf -o name": "-o name works on lists",
    "list lq -n team-a -o name": "-o name works on lists",
    "list workload -n team-a -o wide": "-o wide works on lists",
    "list workload -n team-a -o name": "-o name works on lists",
    "list cq --no-headers": "--no-headers works on lists",
    "list cq cq": "a name is looked for",
    "list rf tas": "a name is looked for",
    "list workload -A -c cq": "pending workloads are found through their LocalQueue",
    "list workload -A -c fb": "pending workloads are found through their LocalQueue",
    "list workload -n team-a --for job/none": "an object that isn't there is an error",
    "list pods --for job/none -n team-t": "an object that isn't there is an error",
    "list pods --for deployment/x -n team-a": "an object that isn't there is an error",
    "list pods --for pod/lone -n team-a": "a pod alone is its own group",
    "list workload": "a dump has no current namespace: all are listed",
    "list localqueue": "a dump has no current namespace: all are listed",
}
LISTS = [
    capture
    for name in ("list-clusterqueue", "list-localqueue", "list-pods", "list-resourceflavor", "list-workload")
    for capture in captures(name)
    if not re.search(r"-o (json|yaml)", capture.line)
]


def on_dump(line: str) -> Result:
    """Ours on the saved cluster."""
    sources = [word for path in DUMP for word in ("--from", path)]
    return cli(*shlex.split(line), *sources, "--now", NOW)


def without_times(out: str) -> list[list[str]]:
    """The words of each line, without ages and running times."""
    return [[word for word in row.split() if not re.fullmatch(r"(\d+[dhms])+", word)] for row in out.splitlines()]


@pytest.mark.parametrize("capture", LISTS, ids=lambda capture: capture.line)
def test_lists(capture: Capture) -> None:
    done = on_dump(capture.line)
    same = (without_times(done.out), done.code != 0) == (without_times(capture.out), capture.failed)
    assert same == (capture.line not in BETTER), f"{BETTER.get(capture.line, '')}\n{done.out}{done.err}\n{capture.out}"


def test_all_that_differs_is_captured() -> None:
    assert set(BETTER) <= {capture.line for capture in LISTS}


# The server of the tests checks nothing and fills nothing in, and it has no namespaces that could be missing.
UNCHECKED = ("create lq made-lq4 -c cq -n nowhere",)
FRACTION = "create cq made-5 --nominal-quota default:cpu=1.5"


def test_creations(live: Live, fake: FakeServer) -> None:
    root = "/apis/kueue.x-k8s.io/v1beta2"
    fake.put(
        f"{root}/clusterqueues",
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "cq"}},
    )
    checked = 0
    for capture in captures("create"):
        if capture.line in UNCHECKED:
            continue
        done = live(*capture.line.split(" ") if "default:" in capture.line else shlex.split(capture.line))
        if capture.line == FRACTION:
            assert done.code == 0, "a fraction is a quota"
            fake.objects[f"{root}/clusterqueues"].pop()
            continue
        assert (done.code != 0) == capture.failed, f"{capture.line}\n{done.err}"
        if capture.failed:
            continue
        if re.search("-o (yaml|json)", capture.line):
            ours, theirs = yaml.safe_load(done.out), yaml.safe_load(capture.out)
            assert patches.holds(theirs["spec"], ours["spec"]), capture.line
            assert (ours["apiVersion"], ours["kind"]) == (theirs["apiVersion"], theirs["kind"])
            assert ours["metadata"]["name"] == theirs["metadata"]["name"]
        else:
            assert done.out == capture.out
        checked += 1
    assert checked >= 14


@pytest.mark.parametrize("line", ["describe cq cq", "describe lq lq -n team-a", "describe rf tas"])
def test_descriptions(line: str) -> None:
    """Digits aside: the dump was saved a minute earlier."""
    (capture,) = [one for one in captures("passthrough") if one.line == line]
    done = on_dump(line)
    assert re.sub(r"\d+", "N", done.out) == re.sub(r"\d+", "N", capture.out)


@pytest.mark.parametrize(
    "line", ["get cq", "get cq -o wide", "get lq -A", "get workload -A", "get rf", "get kwl -n team-a"]
)
def test_tables_of_get(line: str) -> None:
    (capture,) = [one for one in captures("passthrough") if one.line == line]
    done = on_dump(line)
    titles = re.split(r"\s{2,}", capture.out.splitlines()[0])
    assert re.split(r"\s{2,}", done.out.splitlines()[0]) == titles
    # Of those that both have: queues were made in between, and counts went on.
    ours = {tuple(row.split()[: titles.index("NAME") + 1]) for row in done.out.splitlines()[1:]}
    theirs = {tuple(row.split()[: titles.index("NAME") + 1]) for row in capture.out.splitlines()[1:]}
    assert ours <= theirs
