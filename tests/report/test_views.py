"""Views of the model: numbers of trees and shares, bars, positions, who belongs to whom."""

from __future__ import annotations

import pytest

from kueuectl.model.conditions import Condition
from kueuectl.model.queues import ClusterQueue, Cohort, FlavorQuotas, LocalQueue, ResourceGroup, ResourceQuota
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState, OwnerObject
from kueuectl.model.workloads import Admission, Container, Owner, PodSet, PodSetAssignment, PodTemplate, Workload
from kueuectl.report.views import drawing, owners, positions, shares, tree, usage, workloads

SECOND = 1_000_000_000
GPU = "example.com/gpu"


def queue(
    name: str, nominal: int, *, cohort: str | None = "all", lend: int | None = None, weight: float | None = None
) -> ClusterQueue:
    quota = ResourceQuota(GPU, nominal, lending_limit=lend)
    return ClusterQueue(
        name,
        cohort=cohort,
        resource_groups=(ResourceGroup((GPU,), (FlavorQuotas("std", (quota,)),)),),
        fair_weight=weight,
        stop_policy="None",
    )


def held(name: str, target: str, amount: int) -> Workload:
    return Workload(
        "team",
        name,
        uid=name,
        creation=0,
        queue_name=target,
        pod_sets=(PodSet("main", 1, PodTemplate((Container("c", ((GPU, amount * 10**9),)),))),),
        conditions=(Condition("QuotaReserved", "True"), Condition("Admitted", "True")),
        admission=Admission(target, (PodSetAssignment("main", ((GPU, "std"),), ((GPU, amount),), 1),)),
    )


def state(*queues: ClusterQueue, used: dict[str, int], cohorts: tuple[Cohort, ...] = ()) -> ClusterState:
    running = {f"team/{name}-job": held(f"{name}-job", name, amount) for name, amount in used.items() if amount}
    return ClusterState(
        cluster_queues={found.name: found for found in queues},
        cohorts={cohort.name: cohort for cohort in cohorts},
        workloads=running,
    )


def lines(found: ClusterState, cohort: str | None = None) -> dict[str, tuple[int, ...]]:
    """nominal, used, borrowed, lent, available by name."""
    return {
        node.name: (line.nominal, line.used, line.borrowed, line.lent, line.available)
        for root in usage.views(found, Settings(), cohort=cohort)
        for _, node in root.walk()
        for line in node.lines
    }


def test_a_borrower_and_its_lenders() -> None:
    found = state(queue("a", 4), queue("b", 6), queue("c", 6), used={"a": 7, "b": 2})
    want = {
        "all": (16, 9, 0, 0, 7),
        "a": (4, 7, 3, 0, 7),
        # Either of the two may be the lender.
        "b": (6, 2, 0, 3, 7),
        "c": (6, 0, 0, 3, 7),
    }
    assert lines(found) == want


def test_quota_above_the_lending_limit_is_never_lent() -> None:
    found = state(queue("a", 4), queue("b", 6, lend=1), used={"a": 5})
    assert lines(found) == {"all": (10, 5, 0, 0, 0), "a": (4, 5, 1, 0, 0), "b": (6, 0, 0, 1, 5)}


def test_borrowing_from_outside_the_cohort_is_lent_by_the_other_cohort() -> None:
    found = state(
        queue("a", 1, cohort="left"),
        queue("b", 5, cohort="right"),
        used={"a": 4},
        cohorts=(Cohort("left", "all"), Cohort("right", "all")),
    )
    assert lines(found) == {
        "all": (6, 4, 0, 0, 2),
        "left": (1, 4, 3, 0, 2),
        "a": (1, 4, 3, 0, 2),
        "right": (5, 0, 0, 3, 2),
        "b": (5, 0, 0, 3, 2),
    }


def test_one_cohort_of_a_tree() -> None:
    found = state(
        queue("a", 1, cohort="left"),
        queue("b", 5, cohort="right"),
        used={},
        cohorts=(Cohort("left", "all"), Cohort("right", "all")),
    )
    assert set(lines(found, "right")) == {"right", "b"}
    assert usage.is_cohort(found, "all")
    assert not usage.is_cohort(found, "a")


def test_shares_are_not_rounded_and_rank_from_the_lowest() -> None:
    found = state(queue("a", 4, weight=3), queue("b", 4, weight=0), queue("c", 5), used={"a": 6, "b": 5})
    (root,) = usage.views(found, Settings())
    shown = {node.name: (tree.share_text(node.share), node.rank, shares.arithmetic(node)) for node in root.children}
    assert shown == {
        "a": ("51.2821", 2, "2 / 13 x 1000 / 3 = 51.2821"),
        "b": ("inf", 3, "1 / 13 x 1000 / 0 = inf"),
        "c": ("0", 1, "borrows nothing"),
    }
    assert tree.share_document(root.children[1].share)["value"] == "inf"


@pytest.mark.parametrize(
    ("used", "whole", "want"),
    [
        (0, 10, ".........."),
        (1, 1000, "#........."),
        (5, 10, "#####....."),
        (999, 1000, "#########."),
        (10, 10, "##########"),
        (30, 10, "##########"),
        (0, 0, ".........."),
        (3, 0, "##########"),
    ],
)
def test_bars(used: int, whole: int, want: str) -> None:
    assert drawing.bar(used, whole, is_unicode=False) == want


def test_branches() -> None:
    below = {"a": ["b", "c"], "b": ["d"], "c": [], "d": []}
    drawn = [branch.first + branch.node for branch in drawing.branches(["a"], below.__getitem__, is_unicode=False)]
    assert drawn == ["a", "|- b", "|  `- d", "`- c"]


def waiting(name: str, *, priority: int = 0, created: int = 0, target: str = "lq", active: bool = True) -> Workload:
    return Workload(
        "team", name, uid=name, creation=created * SECOND, queue_name=target, priority=priority, active=active
    )


def test_positions_count_within_the_local_queue() -> None:
    every = [
        waiting("late", created=9),
        waiting("early", created=1),
        waiting("urgent", priority=10, created=20),
        waiting("off", priority=99, active=False),
        waiting("other", target="other"),
        waiting("stopped", target="stopped"),
        waiting("lost", target="missing"),
        held("runs", "cq", 1),
    ]
    found = ClusterState(
        cluster_queues={"cq": queue("cq", 1)},
        local_queues={
            "team/lq": LocalQueue("team", "lq", "cq"),
            "team/other": LocalQueue("team", "other", "cq"),
            "team/stopped": LocalQueue("team", "stopped", "cq", stop_policy="Hold"),
        },
        workloads={workload.key: workload for workload in every},
    )
    want = {"team/urgent": 0, "team/early": 1, "team/late": 2, "team/other": 0}
    assert positions.in_local_queues(found, Settings(), every) == want


def owner(kind: str, name: str, *, uid: str = "") -> Owner:
    return Owner("batch/v1" if kind == "Job" else "v1", kind, name, uid, is_controller=True)


def test_owners_are_followed_down_to_workloads_and_pods() -> None:
    jobs = (
        OwnerObject("jobset.x-k8s.io/v1alpha2", "JobSet", "team", "train", uid="1"),
        OwnerObject("batch/v1", "Job", "team", "train-workers-0", uid="2", owners=(owner("JobSet", "train", uid="1"),)),
    )
    ownership = owners.Ownership(ClusterState(owners=jobs), kind="JobSet", name="train", group="", namespace="team")
    assert ownership.is_known
    assert ownership.owns_workload(Workload("team", "w", owners=(owner("JobSet", "train"),)))
    assert not ownership.owns_workload(Workload("team", "w", owners=(owner("JobSet", "other"),)))
    assert not ownership.owns_workload(Workload("elsewhere", "w", owners=(owner("JobSet", "train"),)))
    pod = {
        "metadata": {"namespace": "team", "name": "p", "ownerReferences": [{"kind": "Job", "name": "x", "uid": "2"}]}
    }
    assert ownership.owns_pod(pod)
    assert not ownership.owns_pod({"metadata": {"namespace": "team", "name": "p"}})
    labels = {"jobset.sigs.k8s.io/jobset-name": "train"}
    assert ownership.owns_pod({"metadata": {"namespace": "team", "name": "p", "labels": labels}})
    assert not ownership.owns_pod({"metadata": {"namespace": "elsewhere", "name": "p", "labels": labels}})


def test_the_pods_of_a_group_belong_together() -> None:
    label = ((owners.POD_GROUP, "gang"),)
    pods = tuple(OwnerObject("v1", "Pod", "team", name, labels=label) for name in ("p0", "p1"))
    ownership = owners.Ownership(ClusterState(owners=pods), kind="Pod", name="p0", group="", namespace=None)
    assert ownership.owns_pod({"metadata": {"namespace": "team", "name": "p1", "labels": dict(label)}})
    assert not ownership.owns_pod({"metadata": {"namespace": "other", "name": "p1", "labels": dict(label)}})
    assert ownership.owns_workload(Workload("team", "gang"))


@pytest.mark.parametrize(
    ("owned", "labels", "want"),
    [
        ((owner("Job", "train"),), (), ("job", "train")),
        ((), (), ("", "")),
        ((owner("Pod", "p0"),), ((owners.POD_GROUP, "gang"),), ("pod", "gang")),
        ((Owner("v1", "Pod", "p0"), Owner("v1", "Pod", "p1")), (), ("pod", "w")),
    ],
)
def test_job_of_a_workload(
    owned: tuple[Owner, ...], labels: tuple[tuple[str, str], ...], want: tuple[str, str]
) -> None:
    assert workloads.job(Workload("team", "w", owners=owned, labels=labels)) == want
