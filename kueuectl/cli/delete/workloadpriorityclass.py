"""`kueuectl delete workloadpriorityclass`."""

from __future__ import annotations

from kueuectl.cli.frame import deleting, kinds
from kueuectl.cli.frame.kubectl import PassedOn

PARSER = PassedOn
command = deleting.command_for(
    kinds.WORKLOAD_PRIORITY_CLASS,
    about="Workloads keep the priority that they got from it.",
    examples=(
        "kueuectl delete workloadpriorityclass urgent",
        "kueuectl delete wpc urgent --ignore-not-found",
    ),
)
