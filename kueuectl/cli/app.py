"""The entry of the command line: runs a command and turns what goes wrong into an exit code, in this one place."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from kueuectl import errors
from kueuectl.cli.frame.environment import Environment
from kueuectl.cli.frame.run import Run

INTERRUPTED = 130


def run(argv: Sequence[str], environment: Environment | None = None, *, program: str = "kueuectl") -> int:
    """Run a command line and return its exit code; whatever fails becomes `Error: ...` on stderr."""
    from typer import Abort, Exit
    from typer.exceptions import TyperException

    this = Run(environment or Environment.of_process(program))
    try:
        _invoke(this, list(argv))
        this.environment.stdout.flush()
    except errors.KueuectlError as error:
        return _fail(this, str(error), hint=error.hint, code=_error_code(argv, error.exit_code))
    except Exit as leave:
        return _flushed(this, leave.exit_code)
    except TyperException as error:
        code = _error_code(argv, errors.UsageError.exit_code)
        return _fail(this, _sentence(error), hint=_usage_hint(error), code=code)
    except (KeyboardInterrupt, Abort):
        return INTERRUPTED
    except BrokenPipeError:
        return _closed_pipe()
    except MemoryError:
        return _fail(this, "out of memory", hint="name fewer objects, or read a smaller dump", code=1)
    except Exception as error:
        # The one broad handler of the program: a fault of ours must not show a traceback to the user.
        if this.environment.variables.get("KUEUECTL_DEBUG"):
            import traceback

            traceback.print_exc(file=this.environment.stderr)
        return _fail(
            this,
            f"internal error: {type(error).__name__}: {error}",
            hint="set KUEUECTL_DEBUG=1 for details and report it",
            code=1,
        )
    finally:
        this.close()
    return 0


def _error_code(argv: Sequence[str], code: int) -> int:
    """The exit code of an error; with --detailed-exitcode 2 means that something changes, so that all errors are 1."""
    return 1 if "--detailed-exitcode" in argv else code


def _invoke(this: Run, argv: list[str]) -> None:
    from kueuectl.cli.frame import commands

    command = commands.root()
    with command.make_context(this.environment.program, argv, obj=this) as context:
        command.invoke(context)


def _flushed(this: Run, code: int) -> int:
    try:
        this.environment.stdout.flush()
    except BrokenPipeError:
        return _closed_pipe()
    return code


def _closed_pipe() -> int:
    """A reader that has seen enough is no error; stdout is led away so that the interpreter's last flush is quiet."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _fail(this: Run, problem: str, *, hint: str, code: int) -> int:
    try:
        this.environment.stdout.flush()
        this.note(f"Error: {problem}")
        if hint:
            this.note(f"Hint: {hint}")
    except BrokenPipeError:
        _closed_pipe()
    return code


def _sentence(error: Exception) -> str:
    """The parser's message as one of ours: lower case start, no full stop."""
    message = getattr(error, "format_message", error.__str__)().rstrip(".")
    return message[:1].lower() + message[1:] if message[1:2].islower() else message


def _usage_hint(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f"run '{context.command_path} --help'" if context is not None else ""
