"""The process around a run: streams, terminal, environment variables and clock, made once and passed down."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import BinaryIO, TextIO

# Wide enough that nothing is ever cut where there is no terminal.
_ENDLESS = 100_000
_DEFAULT_WIDTH = 80


class Environment:
    """Streams and facts of one process. `program` is what the user typed: `kueuectl` or `kubectl kueue`."""

    def __init__(
        self,
        *,
        stdin: TextIO,
        stdout: TextIO,
        stderr: TextIO,
        variables: Mapping[str, str] = MappingProxyType({}),
        program: str = "kueuectl",
        clock: Callable[[], int] = time.time_ns,
        sleep: Callable[[float], None] = time.sleep,
        execute: Callable[[str, list[str], Mapping[str, str]], object] = os.execve,
        stdin_is_tty: bool = False,
        stdout_is_tty: bool = False,
        stderr_is_tty: bool = False,
        columns: int = _DEFAULT_WIDTH,
    ) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.variables = variables
        self.program = program
        self.clock = clock
        self.sleep = sleep
        self._execute = execute
        self.stdin_is_tty = stdin_is_tty
        self.stdout_is_tty = stdout_is_tty
        self.stderr_is_tty = stderr_is_tty
        self.columns = columns

    @classmethod
    def of_process(cls, program: str) -> Environment:
        """The environment of this process; streams write what their encoding lacks as escapes instead of failing."""
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
        return cls(
            stdin=sys.stdin,
            stdout=sys.stdout,
            stderr=sys.stderr,
            variables=os.environ,
            program=program,
            stdin_is_tty=_is_tty(sys.stdin),
            stdout_is_tty=_is_tty(sys.stdout),
            stderr_is_tty=_is_tty(sys.stderr),
            columns=_terminal_columns(os.environ),
        )

    def become(self, path: str, argv: Sequence[str]) -> object:
        """Let another program take the place of this process, with its streams and variables; raises OSError."""
        return self._execute(path, list(argv), dict(self.variables))

    @property
    def stdin_bytes(self) -> BinaryIO:
        """Standard input as bytes."""
        return self.stdin.buffer

    @property
    def is_dumb(self) -> bool:
        """Whether the terminal can do nothing but append text."""
        return self.variables.get("TERM") == "dumb"

    @property
    def is_colored(self) -> bool:
        """Whether stdout gets colour: NO_COLOR, then CLICOLOR_FORCE, then a terminal that isn't dumb."""
        if self.variables.get("NO_COLOR"):
            return False
        if self.variables.get("CLICOLOR_FORCE", "0") not in ("", "0"):
            return True
        return self.stdout_is_tty and not self.is_dumb

    @property
    def is_unicode(self) -> bool:
        """Whether stdout takes every character; drawings fall back to ASCII where it doesn't."""
        encoding = (getattr(self.stdout, "encoding", None) or "ascii").lower().replace("_", "-")
        return encoding in ("utf-8", "utf8", "utf-8-sig")

    @property
    def width(self) -> int:
        """Columns that a line may take: the terminal's, or no limit where there is none."""
        return self.columns if self.stdout_is_tty else _ENDLESS


def _is_tty(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # a closed stream
        return False


def _terminal_columns(variables: Mapping[str, str]) -> int:
    given = variables.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    for descriptor in (1, 2, 0):
        try:
            columns = os.get_terminal_size(descriptor).columns
        except (OSError, ValueError):
            continue
        if columns > 0:
            return columns
    return _DEFAULT_WIDTH
