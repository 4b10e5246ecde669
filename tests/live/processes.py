"""Programs that run beside the tests: started in a folder, watched while waited for, killed at the end."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_LOG_LINES = 20


class StartError(Exception):
    """A program did not become ready; the text has the end of its log."""


class Processes:
    """The programs of one cluster; logs lie in the folder's logs/."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        (folder / "logs").mkdir(parents=True)

    def start(self, name: str, argv: Sequence[str], *, environment: dict[str, str] | None = None) -> None:
        """Start a program in the folder."""
        with self._log(name).open("ab") as log:
            self._running[name] = subprocess.Popen(
                list(argv),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | (environment or {}),
                # Ctrl-C of the tests is for the tests, which then stop these in order.
                start_new_session=True,
            )

    def wait(self, name: str, what: str, is_ready: Callable[[], bool], *, seconds: float = 90) -> None:
        """Ask until it is ready; raises StartError when the program ends or the time is over."""
        until = time.monotonic() + seconds
        last = ""
        while time.monotonic() < until and self._running[name].poll() is None:
            try:
                if is_ready():
                    return
            except Exception as error:
                last = str(error)
            time.sleep(0.05)
        tail = "\n".join(self._log(name).read_text(errors="replace").splitlines()[-_LOG_LINES:])
        raise StartError(f"{what} is not ready ({last or 'no answer'}); the end of {name}'s log:\n{tail}")

    def end(self, name: str) -> None:
        """Kill one program; it may be started again."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def stop(self) -> None:
        """Kill all, the last started first. Their data is thrown away, so they need not end in good order."""
        for process in reversed(self._running.values()):
            process.kill()
            process.wait()

    def _log(self, name: str) -> Path:
        return self.folder / "logs" / f"{name}.log"


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 that nothing listens on at this moment."""
    held = [socket.socket() for _ in range(count)]
    try:
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in held]
    finally:
        for one in held:
            one.close()
