"""Show a table again and again: redrawn on a terminal, appended elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from kueuectl import times
from kueuectl.cli.frame import output
from kueuectl.cli.frame.run import Run
from kueuectl.errors import UsageError
from kueuectl.report.tables import Table

# Cursor home, and wipe what is below; the alternate screen keeps the shell's history as it was.
_ENTER, _LEAVE, _HOME = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l", "\x1b[H\x1b[J"


def repeat(run: Run, look: Callable[[], Table], *, interval: float) -> None:
    """Look and show until interrupted; only for a live cluster, in table form."""
    if run.is_offline:
        raise UsageError("--watch needs a cluster: a dump doesn't change")
    if not run.format.is_table:
        raise UsageError("--watch shows tables only", hint="leave -o out, or use -o wide")
    environment = run.environment
    out = environment.stdout
    redraws = environment.stdout_is_tty and not environment.is_dumb
    if redraws:
        out.write(_ENTER)
    try:
        while True:
            shown = look()
            if redraws:
                out.write(_HOME)
            run.print(times.format_time(environment.clock() // times.SECOND * times.SECOND))
            output.table(run, shown)
            out.flush()
            environment.sleep(interval)
            run.forget_state()
    finally:
        if redraws:
            out.write(_LEAVE)
            out.flush()
