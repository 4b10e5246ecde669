"""Builds the oracle (tests/oracle) once for each state of its sources, and runs it.

The cache is KUEUECTL_TEST_CACHE, else $XDG_CACHE_HOME/kueuectl-tests, else ~/.cache/kueuectl-tests: outside of the
checkout, since the program is large and built from its sources alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parents[1] / "oracle"


class MissingError(Exception):
    """The oracle can't be had; the text says why."""


def cache() -> Path:
    """The folder that the program is kept in."""
    chosen = os.environ.get("KUEUECTL_TEST_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "kueuectl-tests"


def path() -> Path:
    """Where the program of the present sources lies, or will lie."""
    digest = hashlib.sha256()
    for source in sorted(SOURCES.iterdir()):
        if source.suffix in {".go", ".s", ".mod", ".sum"}:
            digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return cache() / f"oracle-{digest.hexdigest()[:16]}"


def build() -> Path:
    """The program, built when it was not yet; raises MissingError without a Go that can."""
    program = path()
    if program.exists():
        return program
    if shutil.which("go") is None:
        raise MissingError("needs Go to build the oracle from Kueue's sources (tests/oracle)")
    program.parent.mkdir(parents=True, exist_ok=True)
    with (program.parent / "oracle.lock").open("w") as lock:
        # One build at a time: it takes minutes when nothing of it was compiled before.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            _compile(program)
    return program


def _compile(program: Path) -> None:
    print(f"building {program}: minutes on the first time", file=sys.stderr)
    fresh = program.with_suffix(".new")
    command = ["nice", "-n", "15", "go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(fresh), "."]
    environment = os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly"}
    done = subprocess.run(command, cwd=SOURCES, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        tail = "\n".join(done.stderr.splitlines()[-10:])
        raise MissingError(f"go build of tests/oracle failed:\n{tail}")
    fresh.replace(program)


def run(cases: Iterable[dict[str, Any]], *flags: str) -> Iterator[dict[str, Any]]:
    """The oracle's answers, in the order of the cases."""
    text = "".join(json.dumps(case, separators=(",", ":")) + "\n" for case in cases)
    command = ["nice", str(build()), *flags]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"oracle: {done.stderr.strip()[-2000:]}")
    for line in done.stdout.splitlines():
        yield json.loads(line)
