"""`kueuectl delete resourceflavor`."""

from __future__ import annotations

from kueuectl.cli.frame import deleting, kinds
from kueuectl.cli.frame.kubectl import PassedOn

PARSER = PassedOn
command = deleting.command_for(
    kinds.RESOURCE_FLAVOR,
    about="A flavor stays as long as a ClusterQueue names it.",
    examples=(
        "kueuectl delete resourceflavor spot",
        "kueuectl delete rf -l pool=old --timeout 30s",
    ),
)
