"""Fair sharing between whole branches of a tree: observed on Kueue's scheduler."""

from __future__ import annotations

import pytest

from kueuectl.model.queues import Cohort
from kueuectl.model.settings import FAIR_SHARING_STRATEGIES
from kueuectl.model.values import replace
from tests.engine.scene import holding, queue, simulation, waiting


@pytest.mark.parametrize(
    ("name", "gate", "want"),
    [
        ("a branch within its quota goes first, though the queue in it borrows", True, ["inner", "outer"]),
        ("without the gate the lower share goes first", False, ["outer", "inner"]),
    ],
)
def test_borrowing_is_looked_at_level_by_level(name: str, gate: bool, want: list[str]) -> None:
    # The branch borrows much of the other flavor, hence its high share; of what `inner` asks for it has plenty.
    found = simulation(
        [
            queue("inside", "branch", flavors={"spot": 0, "reserved": 0}),
            queue("neighbour", "branch", flavors={"spot": 8, "reserved": 0}),
            queue("outside", "root", flavors={"spot": 0, "reserved": 8}),
            queue("lender", "root", flavors={"spot": 8, "reserved": 8}),
        ],
        [
            holding("busy", "neighbour", 8, flavor="reserved"),
            waiting("inner", "inside", 2, creation=2),
            waiting("outer", "outside", 1, creation=1),
            holding("reserved-is-taken", "lender", 8, flavor="reserved"),
        ],
        cohorts=[Cohort("root"), Cohort("branch", "root")],
        fair_sharing=FAIR_SHARING_STRATEGIES,
        FairSharingPrioritizeNonBorrowing=gate,
    )
    done = found.step()
    assert [entry.info.workload.name for entry in done.decision.entries] == want, name


def test_zero_of_a_borrowed_flavor_is_not_borrowing() -> None:
    found = simulation(
        [
            queue("borrower", "root", flavors={"spot": 0, "reserved": 4}),
            queue("other", "root", flavors={"spot": 4, "reserved": 1}),
            queue("lender", "root", flavors={"spot": 8, "reserved": 8}),
        ],
        [
            holding("busy", "borrower", 4, flavor="spot"),
            replace(waiting("asks-nothing", "borrower", 0), creation=2),
            replace(waiting("asks", "other", 5), creation=1),
        ],
        cohorts=[Cohort("root")],
        fair_sharing=FAIR_SHARING_STRATEGIES,
    )
    assert [entry.info.workload.name for entry in found.step().decision.entries] == ["asks-nothing", "asks"]
