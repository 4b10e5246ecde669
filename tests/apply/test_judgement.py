"""Whether a plan may still be carried out, and whether what it foretold has come: without any server."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kueuectl.analysis import applying, following, preempt, preempt_plan
from kueuectl.analysis.applying import Doubt, Why
from kueuectl.analysis.following import Fate, Foretold, Now
from kueuectl.model.conditions import Condition
from kueuectl.model.plan import Plan
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import CheckState, Eviction, Owner, Workload
from tests.rebalance.scene import NOW, cluster, holding, queue, waiting

JOB = (Owner("batch/v1", "Job", "j", "job", is_controller=True),)
STATE = cluster(
    [queue("a", 4, generation=3), queue("b", 4, cohort=None)],
    [
        holding("v-1", "a", 2, owners=JOB),
        holding("v-2", "a", 2, owners=JOB),
        waiting("w", "a", 4, priority=5, owners=JOB),
        holding("far", "b", 4, owners=JOB),
    ],
)


def draft(*names: str, for_: str = "", hold: bool = False) -> preempt_plan.Draft:
    victims = [preempt.loss_of(STATE, Settings(), STATE.workloads[name], now=NOW) for name in names]
    return preempt_plan.of(
        STATE, Settings(), now=NOW, victims=victims, for_=for_, hold=hold, tool_version="1", kueue_target="v0.19.2"
    )


def plan() -> Plan:
    return draft("a/v-1", "a/v-2").plan


def with_workload(key: str, **changes: object) -> ClusterState:
    return replace(STATE, workloads={**STATE.workloads, key: replace(STATE.workloads[key], **changes)})


def without(key: str) -> ClusterState:
    return replace(STATE, workloads={name: one for name, one in STATE.workloads.items() if name != key})


def with_queue(**changes: object) -> ClusterState:
    return replace(STATE, cluster_queues={**STATE.cluster_queues, "a": replace(STATE.cluster_queues["a"], **changes)})


def test_a_plan_of_named_victims_rests_on_their_trees_only() -> None:
    made = plan()
    assert {(row.key, row.role) for row in made.preconditions} == {
        ("a", "quota"),
        ("default", "quota"),
        ("a/a", "door"),
        ("a/v-1", "victim"),
        ("a/v-2", "victim"),
        ("a/w", "beneficiary"),
    }
    assert [row.workload for row in made.promise.admitted] == ["a/w"]
    assert next(row for row in made.preconditions if row.kind == "ClusterQueue").generation == 3


@pytest.mark.parametrize(
    ("name", "state", "want"),
    [
        ("nothing changed", STATE, ()),
        ("a victim is gone", without("a/v-1"), (Doubt(Why.GONE, "Workload", "a/v-1"),)),
        ("another of its name", with_workload("a/v-1", uid="new"), (Doubt(Why.REPLACED, "Workload", "a/v-1"),)),
        ("a newer version", with_workload("a/v-1", resource_version="9"), (Doubt(Why.CHANGED, "Workload", "a/v-1"),)),
        ("its quota is gone", with_workload("a/v-1", active=False), (Doubt(Why.NO_QUOTA, "Workload", "a/v-1"),)),
        ("a waiter changed", with_workload("a/w", resource_version="9"), ()),
        ("a queue of another tree", replace(STATE, cluster_queues={"a": STATE.cluster_queues["a"]}), ()),
        ("counts in its status", with_queue(resource_version="99"), ()),
        ("its spec", with_queue(resource_version="99", generation=4), (Doubt(Why.CHANGED, "ClusterQueue", "a"),)),
        ("made anew", with_queue(uid="other"), (Doubt(Why.REPLACED, "ClusterQueue", "a"),)),
        ("no flavor", replace(STATE, flavors={}), (Doubt(Why.GONE, "ResourceFlavor", "default"),)),
        ("no door", replace(STATE, local_queues={}), (Doubt(Why.GONE, "LocalQueue", "a/a"),)),
    ],
)
def test_preconditions_by_role(name: str, state: ClusterState, want: tuple[Doubt, ...]) -> None:
    assert applying.unmet(plan(), state) == want


def test_without_a_generation_the_version_has_to_be_the_same() -> None:
    old = tuple(replace(row, generation=0) for row in plan().preconditions)
    found = applying.unmet(replace(plan(), preconditions=old), with_queue(resource_version="99"))
    assert found == (Doubt(Why.CHANGED, "ClusterQueue", "a"),)


def test_victims_behind_us_may_have_changed() -> None:
    state = with_workload("a/v-1", resource_version="9")
    assert applying.unmet(plan(), state, done=["a/v-1"]) == ()


def added(*more: Workload) -> ClusterState:
    return replace(STATE, workloads={**STATE.workloads, **{one.key: one for one in more}})


@pytest.mark.parametrize(
    ("name", "state", "want"),
    [
        ("nothing changed", STATE, set()),
        ("one more waits behind", added(waiting("late", "a", 4, created=0.5)), set()),
        ("one more waits before it", added(waiting("first", "a", 4, priority=9)), {Why.NOT_ADMITTED}),
        ("it has quota already", added(holding("w", "a", 0, priority=5)), {Why.NEEDLESS, Why.RETURNS}),
        ("it asks for more now", added(waiting("w", "a", 9, priority=5)), {Why.NOT_ADMITTED, Why.RETURNS}),
        ("it is gone", without("a/w"), {Why.NOT_ADMITTED, Why.RETURNS}),
    ],
)
def test_the_promise_is_worked_out_anew(name: str, state: ClusterState, want: set[Why]) -> None:
    found = applying.broken(plan(), state, Settings(), now=NOW)
    assert {doubt.why for doubt in found} == want, found


def test_a_goal_that_is_gone_is_no_promise() -> None:
    made = draft("a/v-1", "a/v-2", for_="a/w").plan
    assert made.goal == "fit:a/w"
    assert applying.broken(made, STATE, Settings(), now=NOW) == ()
    assert applying.broken(made, without("a/w"), Settings(), now=NOW) == (Doubt(Why.GONE, "Workload", "a/w"),)


def test_evictions_that_others_profit_from_one_by_one_are_told() -> None:
    assert draft("a/v-1", "a/v-2").one_by_one
    small = added(waiting("small", "a", 2, priority=-9))
    victims = [preempt.loss_of(small, Settings(), small.workloads[key], now=NOW) for key in ("a/v-1", "a/v-2")]
    found = preempt_plan.of(small, Settings(), now=NOW, victims=victims, tool_version="1", kueue_target="v0.19.2")
    assert not found.one_by_one


def test_one_eviction_is_not_enough_for_it() -> None:
    assert not draft("a/v-1", for_="a/w").reached
    assert draft("a/v-1").plan.promise.returned == ("a/v-1",)


# -- following


def change(found: Workload, **marks: str) -> Workload:
    """A workload with conditions, each "True" or "False"."""
    rows = tuple(row for row in found.conditions if row.type not in marks)
    made = tuple(Condition(kind, status, "r", last_transition=NOW) for kind, status in marks.items())
    return replace(found, conditions=(*rows, *made))


VICTIM = STATE.workloads["a/v-1"]
LEAVING = change(VICTIM, Evicted="True")
RELEASED = replace(change(LEAVING, QuotaReserved="False", Admitted="False"), admission=None)
BACK = change(VICTIM, Evicted="False")
PLACE = ("a", (("main", "example.com/gpu", "default"),))
OTHER = ("b", PLACE[1])
HELD = replace(change(RELEASED), active=False)
BARE = replace(LEAVING, active=False, owners=())
RESERVED = change(VICTIM, Admitted="False")
CHECKED = replace(RESERVED, checks=(CheckState("c", "Pending"),))
DONE = change(VICTIM, Finished="True")


@pytest.mark.parametrize(
    ("fate", "place", "found", "now", "came"),
    [
        (Fate.RELEASED, None, VICTIM, Now.ADMITTED, False),
        (Fate.RELEASED, None, LEAVING, Now.LEAVING, False),
        (Fate.RELEASED, None, RELEASED, Now.WAITING, True),
        (Fate.RELEASED, None, BACK, Now.ADMITTED, False),
        (Fate.RELEASED, None, DONE, Now.FINISHED, True),
        (Fate.RELEASED, None, None, Now.GONE, True),
        (Fate.RETURNED, None, RELEASED, Now.WAITING, False),
        (Fate.RETURNED, None, VICTIM, Now.ADMITTED, False),
        (Fate.RETURNED, None, BACK, Now.ADMITTED, True),
        (Fate.HELD, None, HELD, Now.HELD, True),
        (Fate.HELD, None, replace(LEAVING, active=False), Now.LEAVING, False),
        (Fate.HELD, None, BARE, Now.HELD, True),
        (Fate.HELD, None, RELEASED, Now.WAITING, False),
        (Fate.ADMITTED, PLACE, VICTIM, Now.ADMITTED, True),
        (Fate.ADMITTED, OTHER, VICTIM, Now.ADMITTED, False),
        (Fate.ADMITTED, PLACE, RESERVED, Now.RESERVED, False),
        (Fate.ADMITTED, PLACE, CHECKED, Now.RESERVED, True),
        (Fate.ADMITTED, PLACE, DONE, Now.FINISHED, True),
        (Fate.ADMITTED, PLACE, None, Now.GONE, False),
        (Fate.PREEMPTED, None, LEAVING, Now.LEAVING, True),
        (Fate.PREEMPTED, None, VICTIM, Now.ADMITTED, False),
    ],
)
def test_what_has_come(fate: Fate, place: applying.Place | None, found: Workload | None, now: Now, came: bool) -> None:
    sight = following.look(Foretold("a/v-1", fate, place), found, since=NOW, before={})
    assert (sight.now, sight.came) == (now, came)


def counted(count: int, then: Callable[[Workload], Workload] = lambda one: one) -> Workload:
    return replace(then(STATE.workloads["a/w"]), evictions=(Eviction("Preempted", "", count),))


@pytest.mark.parametrize(
    ("name", "found", "before", "want"),
    [
        ("evicted once more", counted(2), {"a/w": 1}, True),
        ("evicted long ago, and still waits", counted(1, lambda one: change(one, Evicted="True")), {"a/w": 1}, False),
        ("admitted after an old eviction", counted(1, lambda one: change(one, Evicted="False")), {"a/w": 1}, False),
        ("a server without counters", change(STATE.workloads["a/w"], Evicted="True"), {"a/w": 0}, True),
        ("nothing is known of it", STATE.workloads["a/w"], {}, False),
    ],
)
def test_who_else_was_preempted(name: str, found: Workload, before: dict[str, int], want: bool) -> None:
    others = following.unforeseen(plan(), {"a/w": found}, before=before, since=NOW)
    assert bool(others) == want
