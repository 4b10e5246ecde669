"""How simulations end: at rest, in a preemption loop with its members, at the limit; and what drain makes different."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kueuectl.analysis import dry_run, dry_run_play
from kueuectl.analysis.dry_run_play import EndKind
from kueuectl.model.settings import FAIR_SHARING_STRATEGIES, Settings
from tests import generate, scenes
from tests.dry_run import cluster
from tests.dry_run.cluster import NOW, SETTINGS, queue, state, workload
from tests.generate import recipes

DATA = Path(__file__).parent / "data"
LOOPS = [json.loads(line) for line in (DATA / "loops.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("entry", LOOPS, ids=lambda entry: entry["case"]["id"])
def test_a_preemption_loop_is_told_with_its_members(entry: dict[str, Any]) -> None:
    """Random clusters that Kueue's own scheduler goes round in."""
    scene = scenes.read(entry["case"])
    found = dry_run.settle(scene.state, scene.settings, now=scene.now)
    (loop,) = found.loops
    assert (list(loop.members), loop.period) == (entry["members"], entry["period"])
    assert not found.after.is_settled
    assert found.elsewhere == (), "what does not rest can't be compared"


CROWDED = state(
    queue("blue", 8),
    queue("red", 8),
    *(workload("blue", f"small-{number}", 1, minute=number) for number in range(12)),
)


def test_the_limit_of_rounds_is_told() -> None:
    found = dry_run.settle(CROWDED, SETTINGS, now=NOW, max_rounds=5)
    (ended,) = found.after.endings
    assert (ended.kind, ended.rounds) == (EndKind.LIMIT, 5)
    assert ended.members == ("blue/small-4",)


def test_rest_is_told() -> None:
    (ended,) = dry_run.settle(CROWDED, SETTINGS, now=NOW).after.endings
    assert (ended.kind, ended.rounds, ended.root) == (EndKind.FIXPOINT, 12, "all")


@pytest.mark.parametrize(("queues", "want"), [(1, 1000), (8, 1000), (50, 640), (100, 160), (250, 25), (5000, 25)])
def test_rounds_of_large_trees(queues: int, want: int) -> None:
    assert dry_run_play.round_limit(queues) == want


def test_both_ways_to_wake_pools_are_tried() -> None:
    """Of random clusters some end elsewhere when pools are woken late; both ends are told."""
    differing = 0
    for doc in generate.cases(1, 60, recipes.RECIPES["classical"]):
        scene = scenes.read(doc)
        found = dry_run.settle(scene.state, scene.settings, now=scene.now)
        differing += bool(found.elsewhere)
        for row in found.elsewhere:
            assert row.each != row.drain
    assert differing


def cohort(name: str, parent: str) -> cluster.Doc:
    """A cohort below another."""
    metadata = {"name": name}
    return {"apiVersion": cluster.API, "kind": "Cohort", "metadata": metadata, "spec": {"parentName": parent}}


def test_a_choice_between_equal_cohorts_is_told() -> None:
    """Under fair sharing Kueue takes one of two sibling cohorts with the same share by chance."""
    tied = state(
        cohort("left", "root"),
        cohort("right", "root"),
        cohort("own", "root"),
        queue("blue", 0, cohort="left"),
        queue("red", 0, cohort="right"),
        queue("green", 12, cohort="own"),
        workload("blue", "one", 6, held="default", minute=1),
        workload("red", "two", 6, held="default", minute=2),
        workload("green", "three", 6, minute=3),
    )
    fair = Settings(fair_sharing=FAIR_SHARING_STRATEGIES)
    found = dry_run.settle(tied, fair, now=NOW)
    assert found.after.ties == [("green/three", ("left", "right"))]
    assert dry_run.settle(tied, SETTINGS, now=NOW).after.ties == []


def test_the_same_input_gives_the_same_answer() -> None:
    (doc,) = generate.cases(7, 1, recipes.RECIPES["fair"])
    scene = scenes.read(doc)
    one = dry_run.settle(scene.state, scene.settings, now=scene.now)
    other = dry_run.settle(scene.state, scene.settings, now=scene.now)
    assert one.after.preemptions == other.after.preemptions
    assert one.difference.nodes == other.difference.nodes
