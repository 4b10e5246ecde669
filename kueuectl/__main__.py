"""Entry points of the console scripts. Imports nothing before it knows that it must."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code; help and completion are answered without loading the rest."""
    from kueuectl.cli import _fast

    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        _fill_streams()
    argv = sys.argv[1:]
    program = _fast.program(sys.argv[0])
    code = _fast.answer(argv, program)
    if code is None:
        from kueuectl.cli.app import run

        code = run(argv, program=program)
    sys.exit(code)


def _fill_streams() -> None:
    """Give the streams that were closed before the start: nothing is read, and what is written goes nowhere."""
    import os

    # In the order of their descriptors, since the lowest free one is taken.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115


def complete() -> None:
    """What kubectl runs to complete `kubectl kueue ...`: the words of the command line are the arguments."""
    from kueuectl.cli import _fast

    sys.exit(_fast.complete(sys.argv[1:]))


if __name__ == "__main__":
    main()
