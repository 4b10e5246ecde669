"""`kueuectl delete clusterqueue`."""

from __future__ import annotations

from kueuectl.cli.frame import deleting, kinds
from kueuectl.cli.frame.kubectl import PassedOn

PARSER = PassedOn
command = deleting.command_for(
    kinds.CLUSTER_QUEUE,
    about="A ClusterQueue stays until its admitted workloads are gone; stop it first to see who they are.",
    examples=(
        "kueuectl delete clusterqueue team-a",
        "kueuectl delete cq team-a team-b --wait=false",
    ),
)
