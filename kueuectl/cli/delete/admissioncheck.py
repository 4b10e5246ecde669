"""`kueuectl delete admissioncheck`."""

from __future__ import annotations

from kueuectl.cli.frame import deleting, kinds
from kueuectl.cli.frame.kubectl import PassedOn

PARSER = PassedOn
command = deleting.command_for(
    kinds.ADMISSION_CHECK,
    about="A ClusterQueue that names a check which is gone becomes inactive.",
    examples=(
        "kueuectl delete admissioncheck provisioning",
        "kueuectl delete ac -l team=ml-research --yes",
    ),
)
