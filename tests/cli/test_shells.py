"""The completion scripts in the shells that they are for, with the program behind them."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kueuectl.cli import completion
from tests.cli.harness import TEAMS

FROM = f"--from {TEAMS}"
# What is typed, and what has to be offered.
LINES = (
    ("kueuectl list cl", ["clusterqueue"]),
    ("kueuectl sna", ["snapshot"]),
    ("kueuectl list wl --stat", ["--status"]),
    (f"kueuectl list cq {FROM} l", ["lab"]),
    (f"kueuectl list cq {FROM} ", ["lab", "serving", "training"]),
    (f"kueuectl list wl {FROM} -n ", ["team-a", "team-b"]),
    (f"kueuectl tree {FROM} ", ["research"]),
    ("kueuectl list cq --from /nonexistent nothing", []),
)


@pytest.fixture(scope="module")
def shell_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the program as a command."""
    folder = tmp_path_factory.mktemp("shells")
    program = folder / "kueuectl"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kueuectl "$@"\n')
    program.chmod(0o755)
    for shell in ("bash", "zsh", "fish"):
        (folder / f"completion.{shell}").write_text(completion.script(shell))
    return folder


def variables(home: Path) -> dict[str, str]:
    """The environment of a shell: the program comes first, no kubeconfig."""
    path = f"{home}{os.pathsep}{os.environ['PATH']}"
    root = str(Path(__file__).resolve().parents[2])
    return {
        "PATH": path,
        "HOME": str(home),
        "KUBECONFIG": os.devnull,
        "PYTHONPATH": root,
        "TERM": "dumb",
        "LC_ALL": "C",
    }


def needs(shell: str) -> str:
    """The program of a shell; skips where it isn't installed."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"no {shell} on this machine")
    return found


@pytest.mark.parametrize(("line", "want"), LINES)
def test_bash_offers(line: str, want: list[str], shell_home: Path) -> None:
    script = f"""
source {shell_home}/completion.bash
line={line!r}
read -ra COMP_WORDS <<< "$line"
[[ $line == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) COMP_LINE=$line COMP_POINT=${{#line}}
_kueuectl
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        [needs("bash"), "--norc", "-c", script], env=variables(shell_home), capture_output=True, text=True, check=False
    )
    assert ([word for word in done.stdout.split("\n") if word], done.stderr) == (want, "")


@pytest.mark.parametrize(("line", "want"), LINES)
def test_fish_offers(line: str, want: list[str], shell_home: Path) -> None:
    script = f"source {shell_home}/completion.fish; complete -C {line!r}"
    done = subprocess.run(
        [needs("fish"), "--no-config", "-c", script],
        env=variables(shell_home) | {"XDG_CONFIG_HOME": str(shell_home), "XDG_DATA_HOME": str(shell_home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ([row.partition("\t")[0] for row in done.stdout.splitlines()], done.stderr) == (want, "")


class Zsh:
    """An interactive zsh on a terminal of its own: zsh completes nowhere else."""

    def __init__(self, program: str, home: Path) -> None:
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.execve(program, [program, "-f", "-i"], variables(home))
        self._send(
            "PS1= PS2= RPS1=; unsetopt zle_bracketed_paste beep; autoload -Uz compinit; compinit -u -D; "
            f"source {home}/completion.zsh; "
            # Offered words are put on the line all at once, and ^X shows the line instead of running it.
            "zstyle ':completion:*' insert-tab false; "
            "all() { compstate[insert]=all; }; comppostfuncs=(all); "
            "_kueuectl_all() { _kueuectl; comppostfuncs=(all); compstate[insert]=all }; "
            "compdef _kueuectl_all kueuectl; "
            "show() { print -r -- $'\\n'\"<<$BUFFER>>\"; BUFFER= }; zle -N show; bindkey '^X' show; "
            "print READY$((1+1))\r"
        )
        self._until("READY2")

    def offered(self, line: str) -> str:
        """The line after a tab."""
        self._send(line + "\t\x18")
        return re.findall(r"<<(.*?)>>", self._until(">>"), re.DOTALL)[-1].replace("\r", "").replace("\n", "")

    def close(self) -> None:
        """End it."""
        os.close(self._terminal)
        os.waitpid(self.pid, 0)

    def _send(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def _until(self, mark: str) -> str:
        seen, end = "", time.monotonic() + 60
        while mark not in seen:
            ready, _, _ = select.select([self._terminal], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"zsh says nothing more: {seen[-500:]!r}"
            seen += os.read(self._terminal, 65_536).decode("utf-8", "replace")
        return seen


@pytest.fixture(scope="module")
def zsh(shell_home: Path) -> Iterator[Zsh]:
    """A zsh with the completion loaded."""
    shell = Zsh(needs("zsh"), shell_home)
    yield shell
    shell.close()


@pytest.mark.parametrize(("line", "want"), LINES)
def test_zsh_offers(line: str, want: list[str], zsh: Zsh) -> None:
    before = line[: len(line) - len(line.rpartition(" ")[2])]
    found = zsh.offered(line)
    assert found.startswith(before)
    assert sorted(found.removeprefix(before).split()) == sorted(want or [line.rpartition(" ")[2]])
