"""What the reading commands print about the two teams: tables and documents, word for word."""

from __future__ import annotations

import pytest

from tests.cli.harness import check_golden, teams

COMMANDS = [
    "list clusterqueue",
    "list clusterqueue -o wide",
    "list clusterqueue --active=false",
    "list clusterqueue -l team!=lab",
    "list clusterqueue serving -o json",
    "list localqueue",
    "list localqueue -o wide",
    "list localqueue -n team-a",
    "list localqueue --clusterqueue serving",
    "list workload",
    "list workload -o wide",
    "list workload -n team-a --status pending",
    "list workload -n team-b -o yaml",
    "list resourceflavor",
    "list resourceflavor -o wide",
    "list cohort",
    "list cohort -o wide",
    "list topology",
    "list admissioncheck -o wide",
    "list workloadpriorityclass",
    "list pods --for job/run",
    "list pods --for job/run -n team-a -o wide",
    "tree",
    "tree research --limits",
    "tree -o json",
    "shares",
    "shares -o yaml",
    "queue training",
    "queue training -o json",
    "queue serving",
    "queue lab",
    "top",
    "top localqueues",
    "top cohorts",
    "top flavors",
    "top workloads",
    "top workloads -o json",
    "snapshot show",
    "snapshot show -o json",
]


@pytest.mark.parametrize("line", COMMANDS)
def test_output(line: str) -> None:
    result = teams(*line.split())
    assert result.code == 0, result.err
    check_golden(line.replace(" ", "_").replace("/", "-") + ".txt", result.out)
