"""Builds the programs of the live tests and collects what they read: python -m tests.live.build

The cache is KUEUECTL_TEST_CACHE, else $XDG_CACHE_HOME/kueuectl-tests, else ~/.cache/kueuectl-tests. What lies there is
named after the versions and this recipe, so a change of either builds anew beside the old one.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

KUBERNETES = "1.36.3"
ETCD = "3.6.16"
KUEUE = "0.19.2"
KWOK = "0.8.0"
# The oldest Go that builds these versions.
GO = (1, 26)

_KUBE = "k8s.io/kubernetes"
_KUEUE = "sigs.k8s.io/kueue"
_KWOK = "sigs.k8s.io/kwok"
# Package and version of each program, by its name.
_PROGRAMS = {
    "etcd": ("go.etcd.io/etcd/server/v3", ETCD),
    "kube-apiserver": (f"{_KUBE}/cmd/kube-apiserver", KUBERNETES),
    "kube-controller-manager": (f"{_KUBE}/cmd/kube-controller-manager", KUBERNETES),
    "kube-scheduler": (f"{_KUBE}/cmd/kube-scheduler", KUBERNETES),
    "kubectl": (f"{_KUBE}/cmd/kubectl", KUBERNETES),
    "kueue": (f"{_KUEUE}/cmd/kueue", KUEUE),
    "kueuectl": (f"{_KUEUE}/cmd/kueuectl", KUEUE),
    "kwok": (f"{_KWOK}/cmd/kwok", KWOK),
}
# kwok's own descriptions of what a kubelet does to nodes and pods.
_STAGES = (
    "node/fast/node-initialize",
    "node/heartbeat-with-lease/node-heartbeat-with-lease",
    "pod/fast/pod-ready",
    "pod/fast/pod-complete",
    "pod/fast/pod-delete",
)


class MissingError(Exception):
    """Something that the live tests need is not there; the text says what."""


@dataclass(frozen=True)
class Built:
    """A folder with bin/ (the programs) and manifests/ (Kueue's CRDs and webhooks, kwok's stages)."""

    folder: Path

    def program(self, name: str) -> Path:
        """The path of a program."""
        return self.folder / "bin" / name

    @property
    def crds(self) -> list[Path]:
        """The files of Kueue's CRDs."""
        return sorted((self.folder / "manifests/crds").glob("*.yaml"))

    @property
    def webhooks(self) -> Path:
        """The file of Kueue's webhook configurations."""
        return self.folder / "manifests/webhooks.yaml"

    def stage(self, name: str) -> Path:
        """The file of one of kwok's stages."""
        return self.folder / f"manifests/stages/{name}.yaml"


def cache() -> Path:
    """The folder that everything built goes to."""
    if os.environ.get("KUEUECTL_TEST_CACHE"):
        return Path(os.environ["KUEUECTL_TEST_CACHE"]).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "kueuectl-tests"


def find() -> Built | None:
    """What was built before, if it was."""
    folder = cache() / _key()
    return Built(folder) if (folder / "done").exists() else None


def build(*, say: bool = True) -> Built:
    """What was built before, or built now; raises MissingError without a Go that can."""
    found = find()
    if found:
        return found
    _check_go()
    root = cache()
    root.mkdir(parents=True, exist_ok=True)
    with _alone(root / "lock"):
        found = find()
        if found:
            return found
        began = time.monotonic()
        if say:
            print(f"building Kubernetes, Kueue and kwok into {root}: about 14 CPU minutes", file=sys.stderr)
        folder = root / _key()
        shutil.rmtree(folder, ignore_errors=True)
        _compile(folder)
        (folder / "done").touch()
        if say:
            print(f"built in {time.monotonic() - began:.0f} s", file=sys.stderr)
    return Built(folder)


def _key() -> str:
    recipe = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    return f"kubernetes-{KUBERNETES}-etcd-{ETCD}-kueue-{KUEUE}-{recipe}"


def _check_go() -> None:
    if shutil.which("go") is None:
        raise MissingError("needs Go to build Kubernetes, Kueue and kwok")
    text = subprocess.run(["go", "version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"go(\d+)\.(\d+)", text)
    if match is None or (int(match[1]), int(match[2])) < GO:
        raise MissingError(f"needs Go {GO[0]}.{GO[1]} or newer to build Kueue {KUEUE}, found {text.strip() or 'none'}")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One build at a time: two would take twice as long each."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _compile(folder: Path) -> None:
    module = folder / "module"
    module.mkdir(parents=True)
    (module / "go.mod").write_text(f"module live\n\ngo {GO[0]}.{GO[1]}.0\n")
    # k8s.io/kubernetes asks for its own parts at v0.0.0, which only exist under their real versions.
    for part in _staged(module):
        _go(module, "mod", "edit", f"-replace={part}={part}@v0.{KUBERNETES.partition('.')[2]}")
    _go(module, "get", "-tool", *(f"{package}@v{version}" for package, version in _PROGRAMS.values()))
    flags = f"-ldflags={_linker_flags()}"
    for name, (package, _) in _PROGRAMS.items():
        # No debug information is compiled that -s -w would drop again.
        _go(module, "build", "-gcflags=all=-dwarf=false", flags, "-o", f"../bin/{name}", package)
    _collect(module, folder / "manifests")


def _linker_flags() -> str:
    version = "k8s.io/component-base/version"
    variables = {
        f"{version}.gitVersion": f"v{KUBERNETES}",
        f"{version}.gitMajor": "1",
        f"{version}.gitMinor": KUBERNETES.split(".")[1],
        f"{version}.gitTreeState": "clean",
        f"{_KUEUE}/pkg/version.GitVersion": f"v{KUEUE}",
        # Where the visibility server looks for its certificate; relative, so that a cluster may lie anywhere.
        f"{_KUEUE}/pkg/visibility.certDir": "certs",
    }
    return " ".join(["-s", "-w", *(f"-X {name}={value}" for name, value in variables.items())])


def _collect(module: Path, manifests: Path) -> None:
    """Copy what the modules bring besides programs: Kueue's CRDs and webhooks, kwok's stages."""
    components = _source(module, _KUEUE) / "config/components"
    shutil.copytree(components / "crd/bases", manifests / "crds")
    shutil.copy(components / "webhook/manifests.yaml", manifests / "webhooks.yaml")
    (manifests / "stages").mkdir()
    for stage in _STAGES:
        shutil.copy(_source(module, _KWOK) / f"kustomize/stage/{stage}.yaml", manifests / "stages")
    for path in manifests.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _source(module: Path, path: str) -> Path:
    """The folder of a module's source."""
    return Path(_go(module, "list", "-m", "-f", "{{.Dir}}", path).strip())


def _staged(module: Path) -> list[str]:
    """The modules that k8s.io/kubernetes keeps in its own tree."""
    downloaded = json.loads(_go(module, "mod", "download", "-json", f"{_KUBE}@v{KUBERNETES}"))
    described = json.loads(_go(module, "mod", "edit", "-json", downloaded["GoMod"]))
    return [one["Old"]["Path"] for one in described["Replace"] if one["New"]["Path"].startswith("./staging/")]


def _go(module: Path, *arguments: str) -> str:
    environment = os.environ | {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod"}
    done = subprocess.run(
        ["nice", "-n", "15", "go", *arguments], cwd=module, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        tail = "\n".join(done.stderr.splitlines()[-15:])
        raise MissingError(f"go {' '.join(arguments[:2])} failed:\n{tail}")
    return done.stdout


if __name__ == "__main__":
    try:
        print(build().folder)
    except MissingError as error:
        sys.exit(f"tests.live.build: {error}")
