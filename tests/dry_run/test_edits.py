"""The texts of --set and --delete: what they change, and how they are refused."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kueuectl.analysis import dry_run_changes
from kueuectl.cli.frame import changing
from kueuectl.cli.frame.changing import Changed, Wanted
from kueuectl.cli.frame.environment import Environment
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.errors import InputError, KueuectlError, NotFoundError, UsageError
from kueuectl.report.views import dry_run_words
from tests.cli.harness import Stream
from tests.dry_run.cluster import GPU, NOW, SETTINGS, queue, state, workload

CLUSTER = state(
    queue("blue", 8, cohort="all"),
    queue("red", 8, cohort="all"),
    queue("lone", 8, cohort=None),
    workload("blue", "held", 4, held="default"),
    workload("blue", "waits", 4),
    workload("red", "waits", 4),
)


def apply(*arguments: str, namespace: str = "") -> Changed:
    """Do the changes of alternating options and values."""
    run = Run(Environment(stdin=Stream(), stdout=Stream(), stderr=Stream()))
    run.flags.sources.append("test")
    run.flags.namespace = namespace or None
    pairs = list(zip(arguments[::2], arguments[1::2], strict=True))
    wanted = Wanted(
        sets=[value for option, value in pairs if option == "--set"],
        deletes=[value for option, value in pairs if option == "--delete"],
        drains=[value for option, value in pairs if option == "--drain"],
    )
    return changing.apply(run, Loaded(CLUSTER, SETTINGS, NOW), wanted)


def told(changed: Changed) -> list[str]:
    """The changes as the command tells them."""
    changes = dry_run_changes.between(CLUSTER, changed.state)
    return [line for change in changes for line in dry_run_words.change(change)]


QUOTA = f"of {GPU} in flavor default"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (f"clusterqueue/blue:default/{GPU}.nominal=4", f"ClusterQueue blue: nominal quota {QUOTA} 8 -> 4"),
        (f"cq/blue:default/{GPU}.nominalQuota=12", f"ClusterQueue blue: nominal quota {QUOTA} 8 -> 12"),
        (f"cq/blue:default/{GPU}.borrowing-limit=0", f"ClusterQueue blue: borrowing limit {QUOTA} unlimited -> 0"),
        (f"cq/blue:default/{GPU}.lending_limit=3", f"ClusterQueue blue: lending limit {QUOTA} unlimited -> 3"),
        ("cq/blue:weight=1500m", "ClusterQueue blue: weight none -> 1.5"),
        ("cq/blue:cohort=none", "ClusterQueue blue: cohort all -> none"),
        ("cq/lone:cohortName=all", "ClusterQueue lone: cohort none -> all"),
        ("cq/blue:strategy=strictfifo", "ClusterQueue blue: queueing strategy BestEffortFIFO -> StrictFIFO"),
        ("cq/blue:stop-policy=Hold", "ClusterQueue blue: stop policy None -> Hold"),
        ("cq/blue:reclaim-within-cohort=none", "ClusterQueue blue: reclaimWithinCohort Any -> Never"),
        ("cq/blue:whenCanBorrow=TryNextFlavor", "ClusterQueue blue: whenCanBorrow MayStopSearch -> TryNextFlavor"),
        ("cohort/all:weight=2", "Cohort all created: weight 2"),
        ("lq/blue/main:stop-policy=HoldAndDrain", "LocalQueue blue/main: stop policy None -> HoldAndDrain"),
        ("workload/held:priority=7", "Workload blue/held: priority 0 -> 7"),
        ("wl/blue/waits:active=false", "Workload blue/waits: active true -> false"),
        ("wl/red/waits:count=2", "Workload red/waits: pods of pod set main 4 -> 2"),
        ("wl/red/waits:main.min-count=2", "Workload red/waits: least pods of pod set main none -> 2"),
        ("wl/red/waits:queue=other", "Workload red/waits: queue main -> other"),
    ],
)
def test_set(text: str, want: str) -> None:
    assert told(apply("--set", text)) == [want]


def test_several_changes_count_together() -> None:
    changed = apply("--set", "cq/lone:cohort=all", "--set", f"cq/lone:default/{GPU}.borrowing-limit=2")
    assert len(told(changed)) == 2


def test_a_name_in_two_namespaces_needs_one() -> None:
    with pytest.raises(UsageError, match="several namespaces"):
        apply("--set", "workload/waits:priority=1")
    assert told(apply("--set", "workload/waits:priority=1", namespace="red")) == ["Workload red/waits: priority 0 -> 1"]


@dataclass(frozen=True)
class Refusal:
    """A change that can't be made."""

    text: str
    error: type[KueuectlError]
    problem: str
    path: str = ""


@pytest.mark.parametrize(
    "case",
    [
        Refusal("cq/blue", UsageError, "is no change"),
        Refusal("cq/blue:weight", UsageError, "is no change"),
        Refusal("job/blue:weight=1", UsageError, "unknown kind 'job'"),
        Refusal("cq/a/b:weight=1", UsageError, "names no ClusterQueue"),
        Refusal("cq/blue:size=1", UsageError, "'size' is no field of a ClusterQueue"),
        Refusal("cq/blue:nominal=1", UsageError, "'nominal' is no field of a ClusterQueue"),
        Refusal("cq/blue:default/cpu.weight=1", UsageError, "'weight' is no field of a ClusterQueue"),
        Refusal("cq/none:weight=1", NotFoundError, 'clusterqueues.kueue.x-k8s.io "none" not found'),
        Refusal("cohort/none:weight=1", NotFoundError, 'cohorts.kueue.x-k8s.io "none" not found'),
        Refusal("cq/blue:default/cpu.nominal=1", KueuectlError, "has no quota default/cpu"),
        Refusal(f"cq/blue:default/{GPU}.nominal=x", UsageError, "'x' is not a quantity"),
        Refusal(f"cq/blue:default/{GPU}.nominal=none", UsageError, "nominal can't be none"),
        Refusal("cq/blue:strategy=LIFO", UsageError, "'LIFO' is none of StrictFIFO, BestEffortFIFO"),
        Refusal("wl/blue/waits:priority=high", UsageError, "'high' is not a whole number"),
        Refusal("wl/blue/waits:active=maybe", UsageError, "neither true nor false"),
        Refusal("wl/blue/waits:worker.count=1", UsageError, "has no pod set worker"),
        Refusal(
            f"cq/blue:default/{GPU}.nominal=-1",
            InputError,
            "-1 is negative",
            "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota",
        ),
        Refusal(
            f"cq/lone:default/{GPU}.borrowing-limit=1",
            InputError,
            "can't be set without a cohort",
            "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit",
        ),
        Refusal(
            f"cq/blue:default/{GPU}.lending-limit=9",
            InputError,
            "9 is more than the nominal quota 8",
            "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit",
        ),
        Refusal("cq/blue:weight=-1", InputError, "-1 is negative", "spec.fairSharing.weight"),
        Refusal("cq/blue:cohort=No_Name", InputError, "is not valid", "spec.cohortName"),
        Refusal(
            "cq/blue:preference=BorrowingOverPreemption",
            InputError,
            "can only be set when",
            "spec.flavorFungibility.preference",
        ),
        Refusal("lq/blue/main:cluster-queue=red", InputError, "can't be changed once it is set", "spec.clusterQueue"),
        Refusal("wl/blue/held:queue=x", InputError, "can't be changed while quota is reserved", "spec.queueName"),
        Refusal("wl/blue/held:count=1", InputError, "can't be changed while quota is reserved", "spec.podSets"),
        Refusal("wl/red/waits:count=-1", InputError, "-1 is too small", "spec.podSets[0].count"),
        Refusal("wl/red/waits:min-count=5", InputError, "5 is more than the count 4", "spec.podSets[0].minCount"),
        Refusal("cohort/all:parent=all", InputError, "can't be its own parent", "spec.parentName"),
    ],
    ids=lambda case: case.text,
)
def test_refused(case: Refusal) -> None:
    with pytest.raises(case.error) as caught:
        apply("--set", case.text)
    assert case.problem in caught.value.problem
    if isinstance(caught.value, InputError):
        assert caught.value.path == case.path


def test_cycles_are_refused_together() -> None:
    with pytest.raises(InputError, match=r"cohorts form a cycle: all -> top -> all|top -> all -> top"):
        apply("--set", "cohort/all:parent=top", "--set", "cq/lone:cohort=top", "--set", "cohort/top:parent=all")


@pytest.mark.parametrize(
    ("text", "want", "note"),
    [
        ("workload/held", ["Workload blue/held deleted"], ""),
        ("wl/red/waits", ["Workload red/waits deleted"], ""),
        ("lq/red/main", ["LocalQueue red/main deleted"], "NO_QUEUE"),
        ("cq/blue", ["ClusterQueue blue deleted"], "TERMINATING"),
        ("cq/lone", ["ClusterQueue lone deleted"], ""),
        ("flavor/default", [], "IN_USE"),
        ("ns/red", ["LocalQueue red/main deleted", "Namespace red deleted", "Workload red/waits deleted"], ""),
    ],
)
def test_delete(text: str, want: list[str], note: str) -> None:
    changed = apply("--delete", text)
    assert told(changed) == want
    assert [str(entry.code) for entry in changed.notes] == ([note] if note else [])


def test_a_queue_in_use_stays_terminating() -> None:
    assert apply("--delete", "cq/blue").state.cluster_queues["blue"].deletion == NOW
    assert "lone" not in apply("--delete", "cq/lone").state.cluster_queues


@pytest.mark.parametrize("text", ["cq/none", "wl/blue/none", "job/none", "cohort/none", "node/none"])
def test_delete_of_what_is_not_there(text: str) -> None:
    with pytest.raises(NotFoundError):
        apply("--delete", text)
