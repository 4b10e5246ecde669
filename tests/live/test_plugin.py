"""`kubectl kueue ...` through a real kubectl: the plugin mechanism, help texts, exit codes, completion."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kueuectl import __version__
from tests.live import build
from tests.live.controlplane import ControlPlane

ENTRIES = {"kubectl-kueue": "main", "kubectl_complete-kueue": "complete"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH with the two programs that kubectl looks for, as pip installs them."""
    found = tmp_path_factory.mktemp("plugin")
    for name, entry in ENTRIES.items():
        program = found / name
        program.write_text(
            f"#!{sys.executable}\nimport sys\nsys.argv[0] = {name!r}\n"
            f"from kueuectl.__main__ import {entry}\nsys.exit({entry}())\n"
        )
        program.chmod(0o755)
    return found


def kubectl(plane: ControlPlane, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A run of the real kubectl."""
    built = build.find()
    assert built is not None
    path = os.pathsep.join((str(folder), os.environ["PATH"]))
    root = str(Path(__file__).resolve().parents[2])
    environment = {"PATH": path, "HOME": str(folder), "KUBECONFIG": plane.kubeconfig, "PYTHONPATH": root}
    return subprocess.run(
        [str(built.program("kubectl")), *words], env=environment, capture_output=True, text=True, check=False
    )


def test_kubectl_finds_the_plugin(plane: ControlPlane, folder: Path) -> None:
    assert "kubectl-kueue" in kubectl(plane, folder, "plugin", "list").stdout
    said = kubectl(plane, folder, "kueue", "version", "--client").stdout
    assert said.startswith(f"Client Version: v{__version__}\n")


def test_it_reads_the_cluster_of_the_kubeconfig(plane: ControlPlane, folder: Path) -> None:
    done = kubectl(plane, folder, "kueue", "explain", "job", "train-9", "-n", "team-a", "--context", "admin")
    assert (done.returncode, done.stderr) == (0, "")
    assert "research" in done.stdout


def test_help_and_errors_name_the_plugin(plane: ControlPlane, folder: Path) -> None:
    shown = kubectl(plane, folder, "kueue", "explain", "--help").stdout
    assert shown.startswith("Usage: kubectl kueue explain ")
    assert " kueuectl " not in shown
    wrong = kubectl(plane, folder, "kueue", "list", "nope")
    assert wrong.returncode == 2
    assert "unknown command 'nope' for 'kubectl kueue list'" in wrong.stderr
    missing = kubectl(plane, folder, "kueue", "list", "cq", "nobody", "--context", "admin")
    assert missing.returncode == 3


@pytest.mark.parametrize(
    ("words", "want"),
    [
        (("list", "clu"), ["clusterqueue"]),
        (("list", "cq", "--context", "admin", "re"), ["research"]),
        (("list", "wl", "-o", "jsonpath-f"), ["jsonpath-file="]),
    ],
)
def test_kubectl_completes_it(words: tuple[str, ...], want: list[str], plane: ControlPlane, folder: Path) -> None:
    done = kubectl(plane, folder, "__complete", "kueue", *words)
    assert [row.partition("\t")[0] for row in done.stdout.splitlines() if not row.startswith(":")] == want
