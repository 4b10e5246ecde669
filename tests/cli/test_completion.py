"""Completion: the protocol of kubectl, and scripts for four shells."""

from __future__ import annotations

import shutil
import socket
import subprocess

import pytest

from kueuectl import __main__
from kueuectl.cli import _fast, completion
from kueuectl.cli.frame import names
from tests.cli.harness import TEAMS, cli
from tests.cluster.fake import FakeServer, running
from tests.cluster.objects import cluster_queue


def complete(*words: str, capsys: pytest.CaptureFixture[str]) -> tuple[list[str], int]:
    assert _fast.complete(list(words)) == 0
    *lines, directive = capsys.readouterr().out.splitlines()
    assert directive.startswith(":")
    return [line.partition("\t")[0] for line in lines], int(directive[1:])


FROM = ("--from", str(TEAMS))


@pytest.mark.parametrize(
    ("words", "want", "directive"),
    [
        (("sn",), ["snapshot"], 4),
        (("list", "cl"), ["clusterqueue"], 4),
        (("list", "CL"), ["clusterqueue"], 4),
        (("-n", "x", "list", "cl"), ["clusterqueue"], 4),
        (("list", "wl", "--stat"), ["--status"], 4),
        (("list", "wl", "--status", "ad"), ["admitted"], 4),
        (("list", "wl", "--status=ad"), ["admitted"], 4),
        (("list", "cq", "-o", "js"), ["json", "jsonpath=", "jsonpath-as-json=", "jsonpath-file="], 4),
        (("list", "cq", "-o", "custom"), ["custom-columns="], 6),
        (("completion", ""), ["bash", "zsh", "fish", "powershell"], 4),
        (("top", "c"), ["clusterqueues", "cohorts"], 4),
        (("list", "cq", "--kubeconfig", ""), [], 0),
        (("list", "cq", "--now", ""), [], 4),
        (("nope", ""), [], 4),
        (("list", "cq", *FROM, ""), ["lab", "serving", "training"], 4),
        (("list", "cq", *FROM, "lab", ""), ["serving", "training"], 4),
        (("list", "cq", *FROM, "--", "s"), ["serving"], 4),
        (("queue", *FROM, "t"), ["training"], 4),
        (("list", "lq", *FROM, "-n", "team-a", ""), ["lab", "train"], 4),
        (("list", "wl", *FROM, "-c", "s"), ["serving"], 4),
        (("list", "wl", *FROM, "-n", ""), ["team-a", "team-b"], 4),
        (("tree", *FROM, ""), ["research"], 4),
        (("explain", "local"), ["localqueue/"], 6),
        (("list", "wl", "--for", "rayj"), ["rayjob/"], 6),
        (("get", "w"), ["workload/", "workloadpriorityclass/"], 6),
        (("describe", *FROM, "cq", "t"), ["training"], 4),
        (("edit", *FROM, "topo/"), ["topo/hall"], 4),
        (("delete", "cohort", *FROM, ""), ["research"], 4),
        (("create", "cq", "a", "--dry-run", "s"), ["server"], 4),
        (("explain", *FROM, "cq/t"), ["cq/training"], 4),
        (("explain", *FROM, "wl", "job-b"), ["job-big"], 4),
        (("explain", *FROM, "job/"), ["job/big", "job/idle", "job/run"], 4),
        (("list", "wl", *FROM, "--for", "pod/"), ["pod/run-0", "pod/run-1"], 4),
        (("list", "cq", "--from", "/nonexistent", ""), [], 4),
        (("list", "cq", "--kubeconfig", "/nonexistent", ""), [], 4),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_candidates(
    words: tuple[str, ...], want: list[str], directive: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complete(*words, capsys=capsys) == (want, directive)


def test_commands_come_with_what_they_do(capsys: pytest.CaptureFixture[str]) -> None:
    _fast.complete(["list", "top"])
    assert capsys.readouterr().out == "topology\tList Topologies with their levels\n:4\n"


def test_examples_are_offered_as_sources(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = complete("list", "cq", "--from", "example:", capsys=capsys)
    assert "example:four-tenants" in found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_scripts(shell: str) -> None:
    result = cli("completion", shell)
    assert (result.code, result.out) == (0, completion.script(shell))
    assert "__complete" in result.out


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_the_bash_script_completes() -> None:
    script = (
        completion.script("bash")
        + """
kueuectl() { printf 'one\\tfirst\\ntwo\\n:4\\n'; }
COMP_WORDS=(kueuectl list ''); COMP_CWORD=2
_kueuectl
echo "${COMPREPLY[@]}"
"""
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("one two\n", "")


def test_the_executable_that_kubectl_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["kubectl_complete-kueue", "list", "clu"])
    with pytest.raises(SystemExit) as left:
        __main__.complete()
    assert left.value.code == 0
    assert capsys.readouterr().out == "clusterqueue\tList ClusterQueues\n:4\n"


def test_a_server_that_says_nothing_is_not_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert complete("list", "cq", "--server", server, "", capsys=capsys) == ([], 4)
    assert names.SECONDS < 2, "with the start of the program it is two seconds"
    assert capsys.readouterr().err == ""


def test_names_on_a_cluster_take_one_request(fake: FakeServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert complete("list", "cq", "--server", fake.url, "t", capsys=capsys) == (["training"], 4)
    assert fake.paths() == ["/apis/kueue.x-k8s.io/v1beta2/clusterqueues"]


def test_names_are_found_where_only_the_older_version_is_served(capsys: pytest.CaptureFixture[str]) -> None:
    older = FakeServer(versions=("v1beta1",))
    older.put("/apis/kueue.x-k8s.io/v1beta1/clusterqueues", cluster_queue("training", version="v1beta1"))
    with running(older):
        assert complete("list", "cq", "--server", older.url, "", capsys=capsys) == (["training"], 4)
