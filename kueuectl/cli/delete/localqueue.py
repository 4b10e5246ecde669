"""`kueuectl delete localqueue`."""

from __future__ import annotations

from kueuectl.cli.frame import deleting, kinds
from kueuectl.cli.frame.kubectl import PassedOn

PARSER = PassedOn
command = deleting.command_for(
    kinds.LOCAL_QUEUE,
    about="Workloads that wait in it are admitted nowhere until there is one of that name again.",
    examples=(
        "kueuectl delete localqueue main -n team-a",
        "kueuectl delete lq -n team-a --all",
    ),
)
