"""`kueuectl delete cohort`."""

from __future__ import annotations

from kueuectl.cli.frame import deleting, kinds
from kueuectl.cli.frame.kubectl import PassedOn

PARSER = PassedOn
command = deleting.command_for(
    kinds.COHORT,
    about="ClusterQueues stay in a cohort that they name; what is gone are its quota, limits and parent.",
    examples=(
        "kueuectl delete cohort research",
        "kueuectl delete cohort --all --dry-run=server",
    ),
)
