"""Where a state is not as a goal wants it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from kueuectl.analysis import goals
from kueuectl.analysis.goals import Gap, Goal, GoalKind
from kueuectl.engine.simulate import Simulation
from kueuectl.model.queues import ClusterQueue, Cohort
from kueuectl.model.settings import Settings
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload
from tests.rebalance.scene import FAIR, NOW, cluster, holding, queue, waiting


@dataclass(frozen=True)
class Case:
    name: str
    goal: Goal
    queues: list[ClusterQueue]
    workloads: list[Workload]
    want: list[tuple[str, str, str]]
    cohorts: list[Cohort] = field(default_factory=list)
    settings: Settings = FAIR


def gaps(case: Case) -> list[Gap]:
    state = cluster(case.queues, case.workloads, cohorts=case.cohorts)
    return goals.gaps(Simulation(state, case.settings, now=NOW), case.goal)


NOMINAL, WITHIN, FAIRLY = Goal(GoalKind.NOMINAL), Goal(GoalKind.WITHIN_QUOTA), Goal(GoalKind.FAIR)
TWO = [queue("a", 8), queue("b", 8)]
LENT = [holding("big", "b", 16)]

CASES = [
    Case("quota that was lent and is wanted", NOMINAL, TWO, [*LENT, waiting("w", "a", 8)], [("a", "a/w", "")]),
    Case("more than nominal quota is no right", NOMINAL, TWO, [*LENT, waiting("w", "a", 9)], []),
    Case("what is in use of nominal quota counts", NOMINAL, TWO, [holding("x", "a", 4), waiting("w", "a", 5)], []),
    Case(
        "of equal workloads the first one stands for all",
        NOMINAL,
        TWO,
        [*LENT, waiting("w1", "a", 2, created=3), waiting("w2", "a", 2, created=2)],
        [("a", "a/w1", "")],
    ),
    Case(
        "nobody passes the head of a StrictFIFO queue",
        NOMINAL,
        [queue("a", 8, queueing_strategy="StrictFIFO"), TWO[1]],
        [*LENT, waiting("head", "a", 9, created=3), waiting("w", "a", 2)],
        [],
    ),
    Case(
        "with partial admission the fewest pods count",
        NOMINAL,
        TWO,
        [*LENT, waiting("w", "a", 1, pods=20, least=8)],
        [("a", "a/w", "")],
    ),
    Case(
        "a stopped queue wants nothing",
        NOMINAL,
        [queue("a", 8, stop_policy="Hold"), TWO[1]],
        [waiting("w", "a", 1)],
        [],
    ),
    Case(
        "only the named cohort is judged",
        Goal(GoalKind.NOMINAL, cohort="right"),
        [queue("a", 8, cohort="left"), queue("b", 8, cohort="left"), queue("c", 8, cohort="right")],
        [*LENT, waiting("w", "a", 8)],
        [],
    ),
    Case("a root beyond its quota", WITHIN, [queue("a", 8, cohort=None)], [holding("x", "a", 10)], [("a", "", "")]),
    Case("borrowing is no excess", WITHIN, TWO, LENT, []),
    Case(
        "borrowing beyond the limit",
        WITHIN,
        [TWO[0], queue("b", 8, borrowing_limit=4)],
        [holding("x", "b", 13)],
        [("b", "", "")],
    ),
    Case(
        "a cohort beyond its quota, not its members",
        WITHIN,
        [queue("a", 4), queue("b", 4)],
        [holding("x", "a", 5), holding("y", "b", 5)],
        [("all", "", "")],
    ),
    Case(
        "the poor wait and the rich borrow",
        FAIRLY,
        [queue("a", 4), queue("b", 4), queue("c", 8)],
        [holding("x", "b", 12), holding("y", "a", 4), waiting("w", "a", 4)],
        [("a", "a/w", "b")],
    ),
    Case(
        "one more workload would turn the tables",
        FAIRLY,
        [queue("a", 4), queue("b", 4), queue("c", 8)],
        [holding("x", "b", 10), holding("y", "a", 6), waiting("w", "a", 5)],
        [],
    ),
    Case(
        "weights count",
        FAIRLY,
        [queue("a", 4), queue("b", 4, fair_weight=4.0), queue("c", 8)],
        [holding("x", "b", 12), holding("y", "a", 4), waiting("w", "a", 4)],
        [],
    ),
    Case(
        "siblings are cohorts too",
        FAIRLY,
        [queue("a", 4, cohort="left"), queue("b", 4, cohort="right"), queue("c", 8, cohort="root")],
        [holding("x", "b", 12), holding("y", "a", 4), waiting("w", "a", 4)],
        [("a", "a/w", "right")],
        cohorts=[Cohort("left", "root"), Cohort("right", "root")],
    ),
    Case("room for one workload", Goal(GoalKind.FIT, "a/w"), TWO, [*LENT, waiting("w", "a", 8)], [("a", "a/w", "")]),
    Case("it has quota", Goal(GoalKind.FIT, "b/big"), TWO, LENT, []),
    Case("it is in no queue", Goal(GoalKind.FIT, "a/w"), TWO, [waiting("w", "x", 1, namespace="a")], [("", "a/w", "")]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gaps(case: Case) -> None:
    assert [gap.key for gap in gaps(case)] == case.want


def test_gaps_say_what_is_missing() -> None:
    case = Case("", NOMINAL, TWO, [holding("big", "b", 14), waiting("w", "a", 8)], [])
    [gap] = gaps(case)
    assert gap.needs == ((("default", "example.com/gpu", 6, "", 2),),)
    assert gap.wants == {("default", "example.com/gpu")}


def test_gaps_have_the_shares_they_compare() -> None:
    case = next(case for case in CASES if case.name == "the poor wait and the rich borrow")
    [gap] = gaps(case)
    assert (gap.share, gap.other_share) == (250.0, 500.0)


def test_looking_leaves_everything_as_it_was() -> None:
    for case in CASES:
        state = cluster(case.queues, case.workloads, cohorts=case.cohorts)
        simulation = Simulation(state, case.settings, now=NOW)
        before = {name: list(node.usage) for name, node in simulation.snapshot.queues.items()}
        goals.gaps(simulation, case.goal)
        assert {name: list(node.usage) for name, node in simulation.snapshot.queues.items()} == before


def test_a_check_that_failed_is_no_right() -> None:
    from kueuectl.model.workloads import CheckState

    refused = replace(waiting("w", "a", 8), checks=(CheckState("c", "Rejected"),))
    assert gaps(Case("", NOMINAL, TWO, [*LENT, refused], [])) == []
