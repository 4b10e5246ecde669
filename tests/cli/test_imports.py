"""What a command may load: start-up is part of the interface."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.harness import NOW, TEAMS

HEAVY = (
    "kubernetes",
    "rich",
    "yaml",
    "msgspec",
    "jsonpath_ng",
    "typer",
    "requests",
    "urllib3",
    "pydantic",
    "kueuectl.engine",
)


def loaded(*argv: str) -> set[str]:
    """Which of the heavy modules a command line loads."""
    program = (
        "import sys, io\n"
        "from kueuectl import __main__\n"
        f"sys.argv = ['kueuectl', *{list(argv)!r}]\n"
        "out, sys.stdout = sys.stdout, io.StringIO()\n"
        "try:\n    __main__.main()\n"
        "except SystemExit:\n    pass\n"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules], file=out)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "KUBECONFIG": os.devnull, "COLUMNS": "200"},
    )
    return set(done.stdout.split())


DUMP = ("--from", str(TEAMS), "--now", NOW)


@pytest.mark.parametrize(
    ("argv", "may"),
    [
        (("--help",), set()),
        (("list", "workload", "--help"), set()),
        (("version", "--client"), set()),
        (("__complete", "list", ""), set()),
        (("__complete", "list", "wl", "--status", ""), set()),
        (("list", "nope"), {"typer"}),
        (("options",), {"typer"}),
        (("completion", "bash"), {"typer"}),
        (("list", "cq", *DUMP), {"typer", "msgspec", "yaml"}),
        (("list", "cq", *DUMP, "-o", "json"), {"typer", "msgspec", "yaml"}),
        (("list", "cq", *DUMP, "-o", "jsonpath={.kind}"), {"typer", "msgspec", "yaml", "jsonpath_ng"}),
        (("list", "workload", *DUMP), {"typer", "msgspec", "yaml", "kueuectl.engine"}),
        (("tree", *DUMP), {"typer", "msgspec", "yaml", "kueuectl.engine"}),
        (("queue", "training", *DUMP), {"typer", "msgspec", "yaml", "kueuectl.engine"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_heavy_modules(argv: tuple[str, ...], may: set[str]) -> None:
    assert loaded(*argv) <= may


# The standard library's share of the fast path, beyond what an idle interpreter has loaded.
FAST = {"kueuectl", "kueuectl.__main__", "kueuectl.cli", "kueuectl.cli._fast", "kueuectl.cli._pages"}


def test_the_fast_path_loads_nothing_else() -> None:
    program = (
        "import sys\nbefore = set(sys.modules)\n"
        "from kueuectl import __main__\n"
        "sys.argv = ['kueuectl', 'list', 'workload', '--help']\n"
        "try:\n    __main__.main()\n"
        "except SystemExit:\n    pass\n"
        "print(*(set(sys.modules) - before), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stderr.split()) - {"__future__"} <= FAST
