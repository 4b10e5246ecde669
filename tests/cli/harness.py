"""Runs command lines in this process, as a user would see them: code, stdout, stderr."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kueuectl.cli.app import run
from kueuectl.cli.frame.environment import Environment

DATA = Path(__file__).parent / "data"
GOLDEN = Path(__file__).parent / "golden"
TEAMS = DATA / "two-teams.yaml"
NOW = "2026-11-29T12:00:00Z"


@dataclass(frozen=True)
class Result:
    """What came of a command line."""

    code: int
    out: str
    err: str


class Stream(io.StringIO):
    """A stream with an encoding, as a terminal or pipe has one."""

    def __init__(self, text: str = "", *, encoding: str = "utf-8") -> None:
        super().__init__(text)
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


def cli(
    *args: str,
    stdin: str = "",
    variables: Mapping[str, str] | None = None,
    program: str = "kueuectl",
    is_tty: bool = False,
    columns: int = 200,
    encoding: str = "utf-8",
    sleep: Callable[[float], None] = lambda seconds: None,
    execute: Callable[..., object] | None = None,
) -> Result:
    """Run a command line; without a terminal unless `is_tty`."""
    out, err = Stream(encoding=encoding), Stream(encoding=encoding)
    environment = Environment(
        stdin=io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"),
        stdout=out,
        stderr=err,
        variables={"KUBECONFIG": os.devnull, **(variables or {})},
        program=program,
        clock=lambda: 0,
        sleep=sleep,
        **({} if execute is None else {"execute": execute}),  # type: ignore[arg-type]
        stdout_is_tty=is_tty,
        columns=columns,
    )
    code = run(args, environment)
    return Result(code, out.getvalue(), err.getvalue())


def teams(*args: str, **options: object) -> Result:
    """Run a command line on the dump of the two teams, at its time."""
    return cli(*args, "--from", str(TEAMS), "--now", NOW, **options)  # type: ignore[arg-type]


def check_golden(name: str, text: str) -> None:
    """Compare with a golden file; KUEUECTL_UPDATE_GOLDEN=1 writes it instead."""
    path = GOLDEN / name
    if os.environ.get("KUEUECTL_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert path.is_file(), f"no golden file {name}: run with KUEUECTL_UPDATE_GOLDEN=1 and read what it wrote"
    assert text == path.read_text("utf-8")
