"""What is compared: ways to make clusters, and flags that both sides run with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests import generate
from tests.differential import ties
from tests.generate import recipes


@dataclass(frozen=True)
class Setup:
    """A recipe of `tests.generate` with changes, and flags of the oracle and of `tests.engine_run`."""

    name: str
    recipe: str
    settings: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    # How often Kueue is asked when its answers are recorded, to see whether it gives several.
    asked: int = 8

    def cases(self, seed: int, count: int) -> list[dict[str, Any]]:
        """Clusters of consecutive seeds; their ids name the setup."""
        recipe = recipes.changed(recipes.RECIPES[self.recipe], self.settings)
        return [{**case, "id": f"{self.name}/{case['id']}"} for case in generate.cases(seed, count, recipe)]


@dataclass(frozen=True)
class HandMade(Setup):
    """Clusters that are the same for every seed: those on which Kueue draws lots."""

    def cases(self, seed: int, count: int) -> list[dict[str, Any]]:
        """All of them."""
        return ties.cases()


TIES = HandMade("ties", "", flags=("--one-cycle",), asked=60)


def _gate(name: str, recipe: str, gate: str, value: str) -> Setup:
    return Setup(name, recipe, (f"gate:{gate}={value}",))


SETUPS = {
    setup.name: setup
    for setup in (
        Setup("mixed", "mixed"),
        Setup("deep", "deep"),
        Setup("classical", "classical"),
        Setup("fair", "fair"),
        Setup("limited", "limited"),
        Setup("choosy", "choosy"),
        Setup("partial", "partial"),
        Setup("odd", "odd"),
        Setup("crowded", "crowded"),
        Setup("backoff", "odd", flags=("--backoff",)),
        Setup("drain", "mixed", flags=("--requeue", "drain")),
        Setup("one-cycle", "classical", flags=("--one-cycle",)),
        Setup("one-fair-cycle", "fair", flags=("--one-cycle",)),
        _gate("recompute", "classical", "RecomputeAssignmentUponPreemptionTargetsOverlap", "true"),
        _gate("preemptors-first", "classical", "PrioritizePreemptorWorkloads", "true"),
        _gate("fair-preemptors-first", "fair", "PrioritizePreemptorWorkloads", "true"),
        _gate("by-time-alone", "classical", "PrioritySortingWithinCohort", "false"),
        _gate("older-progress", "mixed", "FlavorFungibilityPreserveScanProgress", "false"),
        _gate("no-fungibility", "mixed", "FlavorFungibility", "false"),
        _gate("no-shapes", "mixed", "SchedulingEquivalenceHashing", "false"),
        _gate("all-or-nothing", "partial", "PartialAdmission", "false"),
        _gate("borrowers-alike", "fair", "FairSharingPrioritizeNonBorrowing", "false"),
        _gate("share-rules-only", "fair", "FairSharingPreemptWithinNominal", "false"),
    )
}

# How many clusters of each setup are recorded, all from the seed on that RECORDED_FROM says.
RECORDED = {
    "mixed": 50,
    "deep": 30,
    "classical": 40,
    "fair": 40,
    "limited": 25,
    "choosy": 20,
    "partial": 20,
    "odd": 25,
    "crowded": 4,
    "backoff": 15,
    "drain": 20,
    "one-cycle": 20,
    "one-fair-cycle": 20,
}
RECORDED_FROM = 1
# Setups that only change a gate get as many.
RECORDED_GATE = 8


def recorded() -> list[tuple[Setup, int]]:
    """The setups of the golden data, with how many clusters of each."""
    return [(TIES, 0), *((setup, RECORDED.get(name, RECORDED_GATE)) for name, setup in SETUPS.items())]
