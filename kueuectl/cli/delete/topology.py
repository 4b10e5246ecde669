"""`kueuectl delete topology`."""

from __future__ import annotations

from kueuectl.cli.frame import deleting, kinds
from kueuectl.cli.frame.kubectl import PassedOn

PARSER = PassedOn
command = deleting.command_for(
    kinds.TOPOLOGY,
    about="A Topology stays as long as a ResourceFlavor names it.",
    examples=(
        "kueuectl delete topology racks",
        "kueuectl delete topology racks --wait=false",
    ),
)
