"""Plans for small clusters: who is evicted, who is not, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from kueuectl.analysis import rebalance
from kueuectl.analysis.goals import Goal, GoalKind
from kueuectl.analysis.rebalance import Protection, Request, Result, Shield
from kueuectl.model.queues import ClusterQueue, Preemption
from kueuectl.model.selectors import LabelSelector
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState, OwnerObject
from kueuectl.model.values import replace
from kueuectl.model.workloads import Owner, Workload
from tests.rebalance.scene import FAIR, NOW, cluster, holding, queue, waiting

PLAIN = Settings()
FIT = Goal(GoalKind.FIT, "a/w")
NOMINAL, WITHIN, FAIRLY = Goal(GoalKind.NOMINAL), Goal(GoalKind.WITHIN_QUOTA), Goal(GoalKind.FAIR)
TWO = (queue("a", 8), queue("b", 8))
WANTED = waiting("w", "a", 8)


def find(
    queues: Iterable[ClusterQueue],
    workloads: Iterable[Workload],
    goal: Goal = FIT,
    *,
    settings: Settings = PLAIN,
    **asked: Any,
) -> Result:
    return search(cluster(queues, workloads), goal, settings=settings, **asked)


def search(state: ClusterState, goal: Goal, *, settings: Settings = PLAIN, **asked: Any) -> Result:
    return rebalance.find(state, settings, now=NOW, request=Request(goal, **asked))


def victims(result: Result) -> list[list[str]]:
    """The victims of every plan, in the order of the steps."""
    return [[loss.workload for loss in plan.victims] for plan in result.plans]


@dataclass(frozen=True)
class Case:
    name: str
    queues: tuple[ClusterQueue, ...]
    workloads: list[Workload]
    want: list[list[str]]
    goal: Goal = FIT
    settings: Settings = PLAIN
    asked: dict[str, Any] = field(default_factory=dict)


CASES = [
    Case(
        "one large victim rather than two small ones",
        TWO,
        [WANTED, holding("s1", "b", 4), holding("s2", "b", 4), holding("big", "b", 8)],
        [["b/big"]],
    ),
    Case(
        "of equal ones the least lost work",
        TWO,
        [WANTED, holding("long", "b", 8, hours=9), holding("short", "b", 8, hours=2)],
        [["b/short"]],
    ),
    Case(
        "of equal work the lowest priority",
        TWO,
        [WANTED, holding("high", "b", 8, priority=5), holding("low", "b", 8, priority=1)],
        [["b/low"]],
    ),
    Case(
        "who would come straight back is no victim",
        (queue("a", 8, cohort=None),),
        [WANTED, holding("x", "a", 8, priority=10)],
        [],
    ),
    Case(
        "but may be held",
        (queue("a", 8, cohort=None),),
        [WANTED, holding("x", "a", 8, priority=10)],
        [["a/x"]],
        asked={"hold": True},
    ),
    Case(
        "nothing is done where Kueue does it by itself",
        (queue("a", 8, preemption=Preemption("Never", "Any")), TWO[1]),
        [WANTED, holding("big", "b", 16)],
        [],
        goal=NOMINAL,
    ),
    Case("lent quota is taken back", TWO, [WANTED, holding("big", "b", 16)], [["b/big"]], goal=NOMINAL),
    Case(
        "the smallest excess that is enough",
        (queue("a", 8, cohort=None),),
        [holding("x1", "a", 4, hours=9), holding("x2", "a", 2), holding("x3", "a", 2), holding("x4", "a", 3, hours=2)],
        [["a/x4"], ["a/x2", "a/x3"]],
        goal=WITHIN,
    ),
    Case(
        "fewer hours or fewer evictions",
        TWO,
        [WANTED, holding("big", "b", 8, hours=100), holding("s1", "b", 4, hours=1), holding("s2", "b", 4, hours=2)],
        [["b/big"], ["b/s1", "b/s2"]],
    ),
    Case(
        "lower priorities or fewer evictions",
        TWO,
        [WANTED, holding("big", "b", 8, priority=50), holding("s1", "b", 4), holding("s2", "b", 4, hours=2)],
        [["b/big"], ["b/s1", "b/s2"]],
    ),
    Case(
        "the rich make room for the poor",
        (queue("a", 4), queue("b", 4), queue("c", 8)),
        [holding("x1", "b", 8), holding("x2", "b", 4), holding("y", "a", 4), waiting("w", "a", 4)],
        [["b/x2"]],
        goal=FAIRLY,
        settings=FAIR,
    ),
    Case(
        "the limit of evictions is kept",
        TWO,
        [WANTED, holding("s1", "b", 4), holding("s2", "b", 4), holding("s3", "b", 8, priority=99)],
        [["b/s3"]],
        asked={"max_evictions": 1},
    ),
    Case(
        "the limit of lost work is kept",
        TWO,
        [WANTED, holding("big", "b", 8, hours=10), holding("s1", "b", 4), holding("s2", "b", 4)],
        [["b/s1", "b/s2"]],
        asked={"max_lost_gpu_hours": 9.0},
    ),
    Case("no plan within the limits", TWO, [WANTED, holding("big", "b", 16)], [], asked={"max_lost_gpu_hours": 15.0}),
    Case(
        "work that has not run yet is lost for nothing",
        TWO,
        [
            WANTED,
            holding("runs", "b", 8),
            replace(holding("new", "b", 8), conditions=holding("new", "b", 8).conditions[:1]),
        ],
        [["b/new"]],
    ),
    Case(
        "only the named cohort is touched",
        (queue("a", 8, cohort="left"), queue("b", 8, cohort="left"), queue("c", 1, cohort="right")),
        [WANTED, holding("big", "b", 16), holding("over", "c", 2)],
        [["c/over"]],
        goal=Goal(GoalKind.WITHIN_QUOTA, cohort="right"),
    ),
    Case(
        "all trees are brought in order together",
        (queue("a", 8, cohort=None), queue("c", 1, cohort=None)),
        [holding("x", "a", 9), holding("y", "c", 2)],
        [["a/x", "c/y"]],
        goal=WITHIN,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_plans(case: Case) -> None:
    result = find(case.queues, case.workloads, case.goal, settings=case.settings, **case.asked)
    assert victims(result) == case.want
    assert all(plan.is_proven for plan in result.plans)


BIG = holding("big", "b", 8, hours=6, priority=7, labels=(("keep", "true"),))
OTHER = holding("other", "b", 8, hours=20, priority=3)


@pytest.mark.parametrize(
    ("protection", "want", "why"),
    [
        (Protection(), "b/big", None),
        (Protection(priority=7), "b/other", Shield.PRIORITY),
        (Protection(priority=8), "b/big", None),
        (Protection(younger_than=7 * 3600), "b/other", Shield.YOUNG),
        (Protection(older_than=7 * 3600), "b/big", Shield.OLD),
        (Protection(labels=(LabelSelector((("keep", "true"),)),)), "b/other", Shield.LABELS),
        (Protection(namespaces=frozenset({"a"})), "b/big", None),
    ],
    ids=["nobody", "priority", "higher priority", "young", "old", "labels", "other namespace"],
)
def test_protected_workloads_are_spared(protection: Protection, want: str, why: Shield | None) -> None:
    result = find(TWO, [WANTED, BIG, OTHER], protection=protection)
    assert victims(result)[0] == [want]
    assert {shield for shield, count in result.shielded.items() if count} == ({why} if why else set())


def test_a_namespace_is_spared() -> None:
    result = find(TWO, [WANTED, BIG, OTHER], protection=Protection(namespaces=frozenset({"b"})))
    assert victims(result) == []
    assert [gap.key for gap in result.hopeless] == [("a", "a/w", "")]


def test_labels_of_the_owner_protect_too() -> None:
    owned = replace(BIG, labels=(), owners=(Owner("batch/v1", "Job", "big", "job-uid", True),))
    job = OwnerObject("batch/v1", "Job", "b", "big", "job-uid", labels=(("keep", "true"),))
    state = replace(cluster(TWO, [WANTED, owned, OTHER]), owners=(job,))
    labels = (LabelSelector((("keep", "true"),)),)
    assert victims(search(state, FIT, protection=Protection(labels=labels)))[0] == ["b/other"]


def test_a_victim_may_start_again_in_another_flavor() -> None:
    queues = (
        queue("a", 8, flavors=("fast",)),
        queue("b", 8, flavors=("slow",)),
        queue("c", 0, flavors=("fast", "slow")),
    )
    result = find(queues, [WANTED, holding("x", "c", 8, flavor="fast")])
    assert victims(result) == [["c/x"]]
    [plan] = result.plans
    assert [(row.workload, row.flavors) for row in plan.moved] == [("c/x", (("main", "example.com/gpu", "slow"),))]
    assert [row.workload for row in plan.admitted] == ["a/w"]


def test_followers_are_counted() -> None:
    # Evicting b's workload lets a's better one in, which then preempts the other one of its own queue.
    queues = (queue("a", 8, preemption=Preemption("LowerPriority", "Never")), queue("b", 8))
    better = waiting("w", "a", 12, priority=9)
    result = find(queues, [better, holding("own", "a", 8, priority=1), holding("x", "b", 4), holding("y", "b", 4)])
    for plan in result.plans:
        assert plan.evictions == len(plan.victims) + len(plan.followers)


def test_evictions_that_have_to_land_together_are_told() -> None:
    # When the first one is gone, the small one behind takes its place before the second one goes.
    small = waiting("small", "b", 4, created=0.5)
    result = find(TWO, [WANTED, small, holding("s1", "b", 8, priority=-1), holding("s2", "b", 8, priority=-1, hours=2)])
    assert result.plans
    for plan in result.plans:
        assert plan.one_by_one
    queues = (queue("a", 16), queue("b", 0))
    both = find(queues, [waiting("w", "a", 16), small, *(holding(f"s{n}", "b", 8, priority=-1) for n in range(2))])
    assert [plan.one_by_one for plan in both.plans] == [False]


def test_hopeless_gaps_don_t_keep_others_from_being_closed() -> None:
    queues = (queue("a", 8), queue("b", 8), queue("c", 8, cohort=None))
    workloads = [WANTED, holding("big", "b", 16, priority=1), holding("own", "c", 8, priority=1), waiting("w", "c", 1)]
    result = find(queues, workloads, NOMINAL, protection=Protection(namespaces=frozenset({"c"})))
    assert victims(result) == [["b/big"]]
    assert [gap.key for gap in result.hopeless] == []


def test_what_can_never_fit_is_out_of_reach() -> None:
    result = find(TWO, [waiting("w", "a", 99), holding("big", "b", 16)])
    assert (result.plans, [gap.key for gap in result.hopeless]) == ((), [("a", "a/w", "")])


def test_a_workload_in_no_queue_is_out_of_reach() -> None:
    result = find(TWO, [waiting("w", "x", 1, namespace="a")])
    assert [gap.key for gap in result.hopeless] == [("", "a/w", "")]


def test_a_reached_goal_needs_nothing() -> None:
    result = find(TWO, [holding("w", "a", 4)])
    assert (result.gaps, result.hopeless, result.plans) == ((), (), ())


def test_other_gpu_resources_can_be_named() -> None:
    workloads = [WANTED, holding("long", "b", 8, hours=9), holding("short", "b", 8, hours=2)]
    result = find(TWO, workloads, gpu_resources=frozenset({"example.com/card"}))
    assert result.plans[0].gpu_hours == 16.0


def many(count: int, gpus: int = 1) -> list[Workload]:
    return [holding(f"x{number:02}", "b", gpus, hours=1 + number) for number in range(count)]


def test_beyond_twelve_candidates_a_bound_is_given() -> None:
    result = find(TWO, [waiting("w", "a", 6), *many(16)])
    [plan] = result.plans
    assert [loss.workload for loss in plan.victims] == [f"b/x{number:02}" for number in range(6)]
    assert plan.bound == 6


def test_many_large_excesses_are_found_greedily() -> None:
    result = find((queue("b", 10, cohort=None),), many(40), WITHIN)
    assert len(result.plans[0].victims) == 30
    assert result.plans[0].bound == 30


def test_nodes_compare_without_and_with_the_plan() -> None:
    [plan] = find(TWO, [WANTED, holding("big", "b", 16)], NOMINAL).plans
    rows = {node.name: node for node in plan.nodes}
    assert [(row.before, row.after) for row in rows["a"].usage] == [(0, 8)]
    assert [(row.before, row.after) for row in rows["b"].usage] == [(16, 0)]
    assert (rows["a"].waiting_before, rows["a"].waiting_after) == (1, 0)
    assert (rows["all"].usage[0].nominal, rows["b"].waiting_after) == (16, 1)


def test_a_plan_is_proven_again_on_a_later_state() -> None:
    state = cluster(TWO, [WANTED, holding("big", "b", 16)])
    [now] = rebalance.prove(state, Settings(), now=NOW, goal=FIT, keys=["b/big"])
    assert (now.is_settled, now.gaps, now.back) == (True, (), ())
    fuller = cluster(TWO, [WANTED, holding("big", "b", 8), holding("rival", "a", 8)])
    [later] = rebalance.prove(fuller, Settings(), now=NOW, goal=FIT, keys=["b/gone"])
    assert [gap.key for gap in later.gaps] == [("a", "a/w", "")]
