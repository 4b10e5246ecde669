"""One run of the program: its environment, its flags, and the only way to stdout and stderr."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from kueuectl.cli.frame.environment import Environment
from kueuectl.cli.frame.flags import Flags
from kueuectl.errors import InputError, UsageError
from kueuectl.report import formats, text

# How flags of Go say it.
_TRUE = ("true", "True", "TRUE", "t", "T", "1")
_FALSE = ("false", "False", "FALSE", "f", "F", "0")


class Run:
    """What commands are given. Answers go to stdout, everything else to stderr."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.flags = Flags()
        # What was read or opened already in this run, by name.
        self.cache: dict[str, Any] = {}
        # Whether the command reads its input a second time, even to show a table.
        self.rereads_input = False
        self._warned: set[str] = set()
        self._closers: list[Callable[[], None]] = []

    @cached_property
    def format(self) -> formats.Format:
        """The output format that was asked for; expressions in files are read."""
        form = formats.parse(self.flags.output, self.flags.template)
        if form.kind not in formats.FILE_KINDS:
            return form
        from pathlib import Path

        try:
            content = Path(form.argument).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise InputError(f"can't read the expression: {reason}", source=form.argument) from error
        return formats.with_text(form, content.rstrip("\n") if form.kind == "custom-columns-file" else content)

    @property
    def allows_missing_keys(self) -> bool:
        """Whether templates may name fields that aren't there. Raises UsageError for a value that is neither."""
        given = self.flags.allow_missing_template_keys
        if given not in (None, *_TRUE, *_FALSE):
            raise UsageError(f"invalid value {given!r} for --allow-missing-template-keys", hint="use true or false")
        return given not in _FALSE

    @property
    def is_offline(self) -> bool:
        """Whether the state comes from dumps."""
        return bool(self.flags.sources)

    def write(self, pieces: Iterable[str]) -> None:
        """Write pieces of the answer as they are; the caller made them safe to show."""
        out = self.environment.stdout
        buffer: list[str] = []
        size = 0
        for piece in pieces:
            buffer.append(piece)
            size += len(piece)
            if size > 65_536:
                out.write("".join(buffer))
                buffer.clear()
                size = 0
        out.write("".join(buffer))

    def print(self, line: str = "") -> None:
        """Write one line of the answer; what a terminal could act on is escaped.

        Line breaks too: a message of the cluster must not look like lines of ours.
        """
        self.environment.stdout.write(text.clean(line) + "\n")

    def note(self, line: str) -> None:
        """Say something beside the answer, on stderr, in one line."""
        self.environment.stderr.write(text.clean(line) + "\n")

    def warn(self, problem: str) -> None:
        """Warn on stderr; the same warning only once."""
        if problem not in self._warned:
            self._warned.add(problem)
            self.note(f"Warning: {problem}")

    def forget_state(self) -> None:
        """Read the state anew the next time; the connection stays."""
        self.cache.pop("dump", None)

    def on_close(self, closer: Callable[[], None]) -> None:
        """Have something closed at the end of the run."""
        self._closers.append(closer)

    def close(self) -> None:
        """Close what was opened, the last one first."""
        while self._closers:
            self._closers.pop()()

    @contextlib.contextmanager
    def progress(self, doing: str) -> Iterator[Callable[[str, int, int], None] | None]:
        """Show how far a long read is, in one line on stderr that is wiped at the end; nothing without a terminal."""
        stderr = self.environment.stderr
        if not self.environment.stderr_is_tty or self.environment.is_dumb:
            yield None
            return

        def show(what: str, done: int, total: int) -> None:
            counted = f"{done} of {total}" if total > done else str(done)
            stderr.write(f"\r\x1b[K{doing} {text.clean(what)}: {counted}")
            stderr.flush()

        try:
            yield show
        finally:
            stderr.write("\r\x1b[K")
            stderr.flush()

    def check_flags(self) -> None:
        """Refuse combinations of global flags that contradict each other."""
        flags = self.flags
        if flags.output is not None or flags.template:
            formats.check(self.format)
        _ = self.allows_missing_keys
        if flags.now is not None and not flags.sources:
            raise UsageError("--now needs --from: a live cluster has its own time")
        if flags.kueue_config == "-" and "-" in flags.sources:
            raise UsageError("standard input can be read only once", hint="save the Configuration to a file")
