"""The comparison itself: it must see every kind of difference, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests import generate
from tests.differential import compare
from tests.generate import recipes

Line = dict[str, Any]


def line(**changes: Any) -> Line:
    """A run of one cycle in which one workload is admitted and one is put back."""
    pod_sets = [{"name": "main", "count": 2, "flavors": {"cpu": "spot"}, "resourceUsage": {"cpu": "2"}}]
    admitted = {"clusterQueue": "a", "admitted": True, "podSets": pod_sets, "usage": {"main": {"spot/cpu": 2000}}}
    cycle: Line = {
        "cycle": 1,
        "order": {"a": ["team/x", "team/y"]},
        "admitted": [{"workload": "team/x", **admitted}],
        "pending": [{"workload": "team/y", "message": "no", "requeueReason": "NoFit", "where": "inadmissible"}],
    }
    final: Line = {
        "admitted": {"team/x": admitted},
        "inadmissible": {"a": ["team/y"]},
        "usage": {"a": {"spot/cpu": 2000}},
        "messages": {"team/y": {"reason": "Pending", "message": "no"}},
    }
    cycle |= changes.pop("cycle", {})
    final |= changes.pop("final", {})
    return {"fixpoint": True, "cycles": [cycle], "final": final, "elapsedMs": 1.0, **changes}


@pytest.mark.parametrize(
    ("name", "changed", "want"),
    [
        ("nothing", line(), None),
        ("times do not count", line(elapsedMs=99), None),
        ("empty tables do not count", line(cycle={"evicted": [], "requeued": 0}), None),
        ("unused flavors do not count", line(final={"usage": {"a": {"spot/cpu": 2000, "big/cpu": 0}}}), None),
        ("order", line(cycle={"order": {"a": ["team/y", "team/x"]}}), "cycle 1 order a"),
        ("not admitted", line(cycle={"admitted": []}), "cycle 1 admitted team/x"),
        (
            "message",
            line(cycle={"pending": [{"workload": "team/y", "message": "yes", "requeueReason": "", "where": "active"}]}),
            "cycle 1 pending team/y",
        ),
        ("preempted", line(cycle={"preempted": [{"workload": "team/z", "reason": "r"}]}), "cycle 1 preempted team/z"),
        ("woken", line(cycle={"requeued": 3}), "cycle 1 requeued"),
        ("usage at the end", line(final={"usage": {"a": {"spot/cpu": 1}}}), "final usage a"),
        ("left over", line(final={"inadmissible": {}}), "final inadmissible"),
        ("shares", line(final={"shares": {"a": 12}}), "final shares"),
        ("another end", line(fixpoint=False, livelock=True), "end"),
    ],
)
def test_differences(name: str, changed: Line, want: str | None) -> None:
    found = compare.differences(compare.outcome(line()), compare.outcome(changed))
    assert any(text.startswith(want) for text in found) if want else not found, name


def test_a_message_of_what_we_never_tried_is_not_ours_to_write() -> None:
    theirs = line(final={"messages": {"team/y": {"message": "no"}, "team/z": {"message": "Preempted to"}}})
    assert compare.differences(compare.outcome(theirs), compare.outcome(line())) == []


def test_of_a_livelock_only_the_first_cycles_count() -> None:
    cycles = line()["cycles"]
    short = line(fixpoint=False, livelock=True, cycles=cycles * 60)
    long = line(fixpoint=False, livelock=True, cycles=[*cycles * 60, {"cycle": 61, "requeued": 9}])
    assert compare.differences(compare.outcome(short), compare.outcome(long)) == []


def test_one_of_several_answers_is_enough() -> None:
    answers = [compare.outcome(line(cycle={"order": {"a": ["team/y", "team/x"]}})), compare.outcome(line())]
    assert compare.against(answers, compare.outcome(line())) == []
    assert compare.against(answers[:1], compare.outcome(line())) != []


def test_generated_clusters_are_the_same_for_the_same_seed() -> None:
    first = list(generate.cases(5, 2, recipes.RECIPES["mixed"]))
    assert first == list(generate.cases(5, 2, recipes.RECIPES["mixed"]))
    assert first[1] == next(iter(generate.cases(6, 1, recipes.RECIPES["mixed"])))


@pytest.mark.parametrize("recipe", ["mixed", "odd", "crowded"])
def test_nothing_in_a_generated_cluster_is_tied(recipe: str) -> None:
    for case in generate.cases(1, 10, recipes.RECIPES[recipe]):
        metadata = [found["metadata"] for found in case["objects"]]
        created = [found["creationTimestamp"] for found in metadata if "creationTimestamp" in found]
        reserved = [
            condition["lastTransitionTime"]
            for found in case["objects"]
            for condition in found.get("status", {}).get("conditions", [])
            if condition["type"] == "QuotaReserved" and condition["status"] == "True"
        ]
        for values in (created, reserved, [found["uid"] for found in metadata]):
            assert len(values) == len(set(values)), case["id"]
