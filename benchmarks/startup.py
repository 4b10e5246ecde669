"""How fast commands start: python -m benchmarks.startup [--runs 11] [--installed]

Median CPU time (user and system) of fresh processes, in turns with `python -c pass` so that noise is shared, and the
ratio of the two. Interpreters run without site hooks, since those of an editable install would flatter the ratios;
with `--installed` they run as they are installed. Bytecode is compiled first, as pip does when it installs. What the
libraries cost by themselves is printed beside it. Exits with 1 when a ratio is above its limit.
"""

from __future__ import annotations

import argparse
import compileall
import os
import statistics
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
DUMP = REPOSITORY / "tests" / "cli" / "data" / "two-teams.yaml"
OFFLINE = ["--from", str(DUMP), "--now", "2026-11-29T12:00:00Z"]
# Refuses at once, so what is measured is the client's imports.
NOWHERE = ["--server", "http://127.0.0.1:1", "--request-timeout", "1s"]
FAST, PLAIN, CLUSTER = 2.5, 15.0, 28.0
LIBRARIES = ("typer, msgspec", "urllib3")

COMMANDS: list[tuple[list[str], float]] = [
    (["--help"], FAST),
    (["list", "workload", "--help"], FAST),
    (["version", "--client"], FAST),
    (["__complete", "list", ""], FAST),
    (["options"], PLAIN),
    (["list", "clusterqueue", *OFFLINE], PLAIN),
    (["list", "workload", *OFFLINE], PLAIN),
    (["list", "workload", "-o", "json", *OFFLINE], PLAIN),
    (["tree", *OFFLINE], PLAIN),
    (["queue", "training", *OFFLINE], PLAIN),
    (["list", "clusterqueue", *NOWHERE], CLUSTER),
]


def cpu_seconds(command: list[str]) -> float:
    """User and system time of one process, its output thrown away."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.execv(command[0], command)
    _, _, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime


def interpreter(*, installed: bool) -> tuple[list[str], list[str]]:
    """How to run nothing, and how to run the program."""
    if installed:
        return [sys.executable, "-c", "pass"], [sys.executable, "-m", "kueuectl"]
    paths = [str(REPOSITORY), *(path for path in sys.path if path.endswith("site-packages"))]
    boot = f"import sys; sys.path[:0] = {paths!r}; from kueuectl.__main__ import main; main()"
    return [sys.executable, "-S", "-c", "pass"], [sys.executable, "-S", "-c", boot]


def importing(names: str) -> list[str]:
    """A process that only imports."""
    paths = [path for path in sys.path if path.endswith("site-packages")]
    return [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {paths!r}; import {names}"]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--installed", action="store_true")
    options = parser.parse_args()
    nothing, program = interpreter(installed=options.installed)
    # A machine may be set not to write bytecode: then every start would compile all of it.
    compileall.compile_dir(REPOSITORY / "kueuectl", quiet=1)
    lines = [nothing, *([*program, *argv] for argv, _ in COMMANDS), *map(importing, LIBRARIES)]
    times: list[list[float]] = [[] for _ in lines]
    for turn in range(options.runs + 1):
        for place, line in enumerate(lines):
            seconds = cpu_seconds(line)
            if turn:  # the first one warms the page cache and writes the bytecode
                times[place].append(seconds)
    base, *rest = [statistics.median(found) for found in times]
    print(f"{base * 1000:7.1f} ms          python -c pass")
    failed = False
    for (argv, limit), seconds in zip(COMMANDS, rest, strict=False):
        ratio = seconds / base
        failed |= ratio > limit
        shown = " ".join(word for word in argv if word not in (*OFFLINE, *NOWHERE))
        print(f"{seconds * 1000:7.1f} ms  {ratio:5.1f}x{' > ' if ratio > limit else ' of '}{limit:g}  {shown}")
    for names, seconds in zip(LIBRARIES, rest[len(COMMANDS) :], strict=True):
        print(f"{seconds * 1000:7.1f} ms  {seconds / base:5.1f}x        import {names} alone")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
