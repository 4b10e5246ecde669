"""The journal of a plan: what was begun and what is done, on disk before anything else happens.

Rules.
 1. PLAN.journal lies beside PLAN: one JSON object a line, each written in one go and synced before the call returns.
 2. The first line names the plan by its digest; a journal of another plan is refused.
 3. A step has a `begin` line before its write is sent and a `done` line after it. A step that was begun and is not done
    may have been carried out: who goes on has to look. `failed` says that it certainly was not.
 4. A process that is killed leaves a last line without its end, which counts for nothing and is cut off. Any other
    line that can't be read is an error, since nobody knows what it said.
 5. One process at a time: the file is locked while it is open, and the lock ends with the process.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from kueuectl import times
from kueuectl.errors import ConflictError, InputError, KueuectlError

SCHEMA_VERSION = 1
SUFFIX = ".journal"
OPEN, BEGIN, DONE, FAILED, END = "open", "begin", "done", "failed", "end"
_MOST_BYTES = 64 * 2**20

Line = dict[str, Any]


class Journal:
    """The journal of one plan, open and locked; close it, or use it in a `with` block.

    `begun` and `done` are numbers of steps, from 0 (from 1 in the file), with their lines; `begun` are those that are
    not known to be done or to have failed. `end` is the last line about the outcome, None before there is one.
    `started` is when the first step was begun, in nanoseconds; 0 before.
    """

    def __init__(self, path: str, descriptor: int, *, digest: str) -> None:
        self.path = path
        self.begun: dict[int, Line] = {}
        self.done: dict[int, Line] = {}
        self.end: Line | None = None
        self.started = 0
        self._descriptor = descriptor
        self._digest = digest

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the file and its lock back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def begin(self, step: int, *, now: int, **facts: object) -> None:
        """A step's write is about to be sent."""
        self._append({"event": BEGIN, "step": step + 1, "at": times.format_time(now), **facts})

    def finish(self, step: int, *, now: int, **facts: object) -> None:
        """A step is done: its write was carried out, once."""
        self._append({"event": DONE, "step": step + 1, "at": times.format_time(now), **facts})

    def fail(self, step: int, *, now: int, **facts: object) -> None:
        """A step's write was refused, so it was not carried out."""
        self._append({"event": FAILED, "step": step + 1, "at": times.format_time(now), **facts})

    def conclude(self, *, now: int, **facts: object) -> None:
        """What came of the whole."""
        self._append({"event": END, "at": times.format_time(now), **facts})

    # -- the file

    def _append(self, line: Line) -> None:
        raw = (json.dumps(line, separators=(",", ":")) + "\n").encode()
        start = os.lseek(self._descriptor, 0, os.SEEK_CUR)
        try:
            while raw:
                raw = raw[os.write(self._descriptor, raw) :]
            os.fsync(self._descriptor)
        except OSError as error:
            # The next line must not follow half of this one.
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, start)
                os.lseek(self._descriptor, start, os.SEEK_SET)
            raise _unwritable(self.path, error) from error
        self._take(line, 0)

    def read(self) -> None:
        """Take what the file holds and cut off a last line without its end; begin the file where it is empty."""
        raw = _whole(self._descriptor, self.path)
        kept = self.take(raw)
        try:
            if kept < len(raw):
                os.ftruncate(self._descriptor, kept)
            os.lseek(self._descriptor, kept, os.SEEK_SET)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        if not kept:
            self._append({"event": OPEN, "schemaVersion": SCHEMA_VERSION, "plan": self._digest})
            _sync_folder(self.path)

    def take(self, raw: bytes) -> int:
        """Take all whole lines of a file; how many bytes they are."""
        kept = raw.rfind(b"\n") + 1
        for number, text in enumerate(raw[:kept].split(b"\n")[:-1], start=1):
            self._take(self._line(text, number), number)
        return kept

    def _line(self, text: bytes, number: int) -> Line:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise self._wrong(number, "is no line of a journal")
        if number == 1:
            self._check_head(found)
        return found

    def _check_head(self, line: Line) -> None:
        if line.get("event") != OPEN:
            raise self._wrong(1, "does not begin a journal")
        if line.get("schemaVersion") != SCHEMA_VERSION:
            raise self._wrong(1, "is of a version that this program can't read")
        if line.get("plan") != self._digest:
            raise ConflictError(
                f"{self.path} is the journal of another plan", hint="move it away if that plan needs no more"
            )

    def _take(self, line: Line, number: int) -> None:
        event, step = line.get("event"), line.get("step")
        if event == OPEN and number in (0, 1):
            return
        if event == END:
            self.end = line
            return
        if event not in (BEGIN, DONE, FAILED) or not isinstance(step, int) or isinstance(step, bool) or step < 1:
            raise self._wrong(number, "is no line of a journal")
        step -= 1
        self.begun.pop(step, None)
        if event == BEGIN:
            self.begun[step] = line
            self.started = self.started or self._time(line, number)
        elif event == DONE:
            self.done[step] = line

    def _time(self, line: Line, number: int) -> int:
        try:
            return times.parse(str(line.get("at")))
        except InputError:
            raise self._wrong(number, "is no line of a journal") from None

    def _wrong(self, number: int, problem: str) -> InputError:
        hint = "look at the workloads before you move the journal away: nobody else knows what was done"
        return InputError(problem, source=self.path, path=f"line {number}", hint=hint)


def open_journal(plan_path: str, *, digest: str) -> Journal:
    """The journal beside a plan, read and locked; made where there is none.

    Raises ConflictError where another process has it or it belongs to another plan, InputError for a line that can't
    be read.
    """
    path = path_of(plan_path)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    except OSError as error:
        raise _unwritable(path, error) from error
    found = Journal(path, descriptor, digest=digest)
    try:
        _lock(descriptor, path)
        found.read()
    except BaseException:
        found.close()
        raise
    return found


def look(plan_path: str, *, digest: str) -> Journal:
    """What the journal of a plan says now, without its lock and without a change; it can't be written to."""
    path = path_of(plan_path)
    found = Journal(path, -1, digest=digest)
    try:
        raw = Path(path).read_bytes()
    except FileNotFoundError:
        return found
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or 'the system refuses'}", source=path) from error
    found.take(raw)
    return found


def path_of(plan_path: str) -> str:
    """Where the journal of a plan lies; the same for every way to name the plan."""
    return os.path.realpath(plan_path) + SUFFIX


def _lock(descriptor: int, path: str) -> None:
    try:
        import fcntl
    except ImportError:
        raise KueuectlError("plans can't be carried out on this system: it has no file locks") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ConflictError(
            f"another process carries this plan out: {path} is locked", hint="wait for it, or end it first"
        ) from None
    except OSError as error:
        raise _unwritable(path, error) from error


def _whole(descriptor: int, path: str) -> bytes:
    parts = []
    size = 0
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        while part := os.read(descriptor, 2**20):
            parts.append(part)
            size += len(part)
            if size > _MOST_BYTES:
                raise InputError("is too large for a journal", source=path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or 'the system refuses'}", source=path) from error
    return b"".join(parts)


def _sync_folder(path: str) -> None:
    """Make the name of a new file last; not every system lets a folder be synced."""
    with contextlib.suppress(OSError):
        folder = os.open(Path(path).parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _unwritable(path: str, error: OSError) -> KueuectlError:
    return KueuectlError(f"{path}: cannot be written: {error.strerror or 'the system refuses'}")
