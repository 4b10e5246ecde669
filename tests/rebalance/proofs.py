"""Plans carried out on Kueue's own scheduler: victims are evicted in a random cluster, and the promise has to hold.

What the oracle made of each evicted cluster is kept in golden.jsonl.xz, so that plans can be checked without Go.
"""

from __future__ import annotations

import copy
import json
import lzma
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kueuectl.analysis import goals, rebalance
from kueuectl.analysis.goals import Goal, GoalKind
from kueuectl.analysis.rebalance import Proposed, Request, Result
from kueuectl.engine.simulate import Simulation
from kueuectl.quantity import format_amount
from tests import scenes
from tests.differential import golden, oracle
from tests.differential.setups import Setup
from tests.dry_run import random_changes

Doc = dict[str, Any]

GOLDEN = Path(__file__).parent / "golden.jsonl.xz"
FLAGS = ("--quiet", "--no-cycles", "--backoff")
# Small clusters that are nearly full, since plans are worth something there.
FULL = ("queues=2-4", "workloads=6-18", "held=0.6-0.95", "load=1-3", "overcommitted=0.2", "preempting=0.4")
SETUPS = {name: Setup(name, name, FULL) for name in ("mixed", "fair", "classical", "limited", "partial", "deep")}
# Half of the queues have no quota of their own here, and borrow from the others.
_UNEVEN = ("queues=3-6", "workloads=10-24", "held=0.7-0.95", "load=1-2", "preempting=0.2", "no_quota=0.5", "limits=0.1")
SETUPS["uneven"] = Setup("uneven", "mixed", (*_UNEVEN, "lonely=0"))
ONLY = {"uneven": ("nominal",)}
# How many clusters of each are recorded, from seed 1 on.
RECORDED = {"mixed": 20, "fair": 24, "classical": 24, "limited": 16, "partial": 12, "deep": 10, "uneven": 40}
# Only plans that are found after so many trials are recorded: tests have to be quick.
MOST_TRIALS = 60
# Waiting workloads of each cluster that room is made for.
_FITS = 2
_ROUNDS = 2000


@dataclass(frozen=True)
class Attempt:
    """One plan for one cluster: what it promises, and the cluster with its victims evicted."""

    case: Doc
    result: Result
    plan: Proposed

    @property
    def goal(self) -> Goal:
        """What the plan is for."""
        return self.result.request.goal

    @property
    def victims(self) -> list[str]:
        """Keys of the evicted workloads, sorted."""
        return sorted(loss.workload for loss in self.plan.victims)

    @property
    def evicted(self) -> Doc:
        """The cluster with the conditions of the victims as Kueue writes them."""
        return evict(self.case, self.victims)


def key_of(doc: Doc) -> str:
    """namespace/name of an object."""
    return f"{doc['metadata'].get('namespace', '')}/{doc['metadata']['name']}"


def evict(case: Doc, keys: Collection[str]) -> Doc:
    """A cluster with these workloads preempted; their jobs have not stopped yet."""
    changed = copy.deepcopy(case)
    for doc in changed["objects"]:
        if doc["kind"] == "Workload" and key_of(doc) in keys:
            kept = [c for c in doc["status"]["conditions"] if c["type"] not in ("Evicted", "Preempted")]
            marks = [_condition("Evicted", "Preempted", case), _condition("Preempted", "InClusterQueue", case)]
            doc["status"]["conditions"] = [*kept, *marks]
    # The oracle runs the scheduler alone.
    random_changes.controlled(changed["objects"], case["now"])
    return changed


def _condition(kind: str, reason: str, case: Doc) -> Doc:
    message = "Preempted by an administrator"
    return {"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": case["now"]}


def settled(case: Doc, admitted: dict[str, Doc]) -> Doc:
    """A cluster where exactly these workloads hold quota: what Kueue came to."""
    changed = copy.deepcopy(case)
    gone = ("QuotaReserved", "Admitted", "Evicted", "Preempted", "Requeued")
    for doc in changed["objects"]:
        if doc["kind"] != "Workload":
            continue
        status = doc.setdefault("status", {})
        is_out = any(_keeps_out(condition) for condition in status.get("conditions", []))
        status["conditions"] = [c for c in status.get("conditions", []) if c["type"] not in gone]
        if is_out:
            status["conditions"].append({**_condition("Requeued", "Pending", case), "status": "False"})
        status.pop("admission", None)
        given = admitted.get(key_of(doc))
        if given is not None:
            status["admission"] = {"clusterQueue": given["clusterQueue"], "podSetAssignments": given["podSets"]}
            status["conditions"].append(_condition("QuotaReserved", "QuotaReserved", case))
            status["conditions"].append(_condition("Admitted", "Admitted", case))
    return changed


def _keeps_out(condition: Doc) -> bool:
    """Whether the workload waits for its job controller before it queues again, and so is no gap."""
    is_true = condition["status"] == "True"
    if condition["type"] == "Requeued":
        return not is_true
    return condition["type"] == "Evicted" and is_true and condition["reason"] not in ("Preempted", "NodeFailures")


def attempts(case: Doc, texts: Collection[str] | None = None) -> Iterator[Attempt]:
    """Every plan for every goal of a cluster, or for those goals that are named."""
    scene = scenes.read(case)
    wanted = _goals(scene) if texts is None else map(parse, texts)
    for goal in wanted:
        result = rebalance.find(scene.state, scene.settings, now=scene.now, request=Request(goal))
        for plan in result.plans:
            yield Attempt(case, result, plan)


def parse(text: str) -> Goal:
    """A goal of its text."""
    kind, _, workload = text.partition(":")
    return Goal(GoalKind(kind), workload)


def _goals(scene: scenes.Scene) -> Iterator[Goal]:
    yield Goal(GoalKind.NOMINAL)
    yield Goal(GoalKind.WITHIN_QUOTA)
    yield Goal(GoalKind.FAIR)
    simulation = Simulation(scene.state, scene.settings, now=scene.now)
    simulation.run(max_rounds=_ROUNDS)
    waiting = [info.key for pool in simulation.pools.queues.values() for info in pool.ordered()]
    for key in waiting[:_FITS]:
        yield Goal(GoalKind.FIT, key)


def cases(seed: int, count: int) -> Iterator[Doc]:
    """Clusters of all recipes in turn."""
    for name in SETUPS:
        yield from SETUPS[name].cases(seed, -(-count // len(RECORDED)))


def faults(attempt: Attempt, admitted: dict[str, Doc]) -> list[str]:
    """What of a promise did not come true, when Kueue came to these admissions."""
    found = []
    plan, goal = attempt.plan, attempt.goal
    gained = {row.workload for row in (*plan.admitted, *plan.moved)}
    found += [f"{key} is not admitted" for key in sorted(gained - admitted.keys())]
    back = set(attempt.victims) & admitted.keys() - {row.workload for row in plan.moved}
    found += [f"{key} came back" for key in sorted(back)]
    if goal.kind is GoalKind.FIT:
        return found if goal.workload in admitted else [*found, "the goal is missed"]
    scene = scenes.read(settled(attempt.case, admitted))
    given_up = {gap.key for gap in attempt.result.hopeless}
    left = goals.gaps(Simulation(scene.state, scene.settings, now=scene.now), goal)
    return found + [f"gap: {gap.key}" for gap in left if gap.key not in given_up]


def ask(found: Iterable[Attempt]) -> Iterator[tuple[Attempt, dict[str, Doc] | None]]:
    """What Kueue comes to for each plan; None where it does not come to rest, or has no cycle at all."""
    listed = list(found)
    for attempt, line in zip(listed, oracle.run([each.evicted for each in listed], *FLAGS), strict=True):
        # Without a head there is no cycle, and the oracle lets nobody go.
        is_right = line["fixpoint"] and line["nCycles"]
        yield attempt, line["final"]["admitted"] if is_right else None


def assignments(admitted: dict[str, Doc]) -> dict[str, Doc]:
    """Admissions reduced to what the API keeps of them."""
    return {
        key: {"clusterQueue": given["clusterQueue"], "podSets": given["podSets"]} for key, given in admitted.items()
    }


def ours(case: Doc) -> dict[str, dict[str, dict[str, str]]]:
    """Who holds quota in our engine at the end: flavors and amounts by pod set."""
    scene = scenes.read(case)
    simulation = Simulation(scene.state, scene.settings, now=scene.now)
    simulation.run(max_rounds=_ROUNDS)
    found = {}
    for key, info in simulation.snapshot.held.items():
        assert info.queue is not None
        frs = info.queue.tree.frs
        total: dict[str, str] = {}
        for fr, amount in info.usage:
            flavor, resource = frs[fr]
            total[f"{flavor}/{resource}"] = format_amount(resource, amount)
        found[key] = {info.queue.name: total}
    return found


def digest(case: Doc) -> str:
    """A fingerprint of a cluster."""
    return golden.digest(case)


def read() -> list[Doc]:
    """The recorded plans."""
    with lzma.open(GOLDEN, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write(rows: Iterable[Doc]) -> None:
    """Record plans anew."""
    text = "".join(json.dumps(row, separators=(",", ":"), sort_keys=True) + "\n" for row in rows)
    GOLDEN.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
