"""What dry-run predicts for a change, and what Kueue did, in one shape."""

from __future__ import annotations

from typing import Any

from kueuectl.analysis import dry_run
from kueuectl.analysis.dry_run import DryRun
from kueuectl.cli.frame import changing
from kueuectl.cli.frame.changing import Wanted
from kueuectl.cli.frame.environment import Environment
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from tests import scenes
from tests.cli.harness import Stream

Doc = dict[str, Any]


def wanted(arguments: list[str]) -> Wanted:
    """Pairs of an option and its value, as the command parses them."""
    pairs = list(zip(arguments[::2], arguments[1::2], strict=True))
    return Wanted(
        sets=[value for option, value in pairs if option == "--set"],
        deletes=[value for option, value in pairs if option == "--delete"],
    )


def predict(case: Doc, arguments: list[str]) -> DryRun:
    """The dry run of a change to a case."""
    scene = scenes.read(case)
    run = Run(Environment(stdin=Stream(), stdout=Stream(), stderr=Stream()))
    run.flags.sources.append("case")
    loaded = Loaded(scene.state, scene.settings, scene.now)
    changed = changing.apply(run, loaded, wanted(arguments))
    return dry_run.compare(scene.state, changed.state, scene.settings, now=scene.now)


def predicted(found: DryRun) -> Doc:
    """The end of the changed state."""
    end = found.after
    return {
        "admitted": {
            key: {
                "clusterQueue": held.cluster_queue,
                "flavors": sorted([list(part) for part in held.flavors]),
                "counts": dict(held.counts),
            }
            for key, held in sorted(end.held.items())
        },
        "preempted": sorted({(row.workload, row.preemptor, row.reason) for row in end.preemptions}),
        "pending": sorted(end.waiting),
        "loop": not end.is_settled,
    }


def decided(answer: Doc, found: DryRun) -> Doc:
    """What the oracle did in the trees that the dry run looked at."""
    queues = {name for kind, name in found.after.nodes if kind == "ClusterQueue"}
    final = answer["final"]
    admitted = {
        key: {
            "clusterQueue": held["clusterQueue"],
            "flavors": sorted(
                [pod_set["name"], resource, flavor]
                for pod_set in held["podSets"]
                for resource, flavor in (pod_set.get("flavors") or {}).items()
            ),
            "counts": {pod_set["name"]: pod_set["count"] for pod_set in held["podSets"]},
        }
        for key, held in sorted((final.get("admitted") or {}).items())
        if held["clusterQueue"] in queues
    }
    waiting = sorted(
        key
        for where in ("active", "inadmissible")
        for queue, keys in (final.get(where) or {}).items()
        if queue in queues
        for key in keys
    )
    known = {*admitted, *waiting}
    preempted = {
        (row["workload"], row["preemptor"], row["reason"])
        for cycle in answer.get("cycles") or ()
        for row in cycle.get("preempted") or ()
        if row["preemptor"] in known or row["workload"] in known
    }
    return {
        "admitted": admitted,
        "preempted": sorted(preempted),
        "pending": waiting,
        "loop": not answer.get("fixpoint"),
    }


def differences(want: Doc, got: Doc, *, reclaimable: frozenset[str] = frozenset()) -> list[str]:
    """What differs, as text. Where pods are reclaimable counts are left out: the oracle has those of the admission."""
    found = []
    for key in sorted(want["admitted"].keys() | got["admitted"].keys()):
        one, other = want["admitted"].get(key), got["admitted"].get(key)
        if key in reclaimable and one is not None and other is not None:
            one, other = {**one, "counts": 0}, {**other, "counts": 0}
        if one != other:
            found.append(f"{key}: Kueue {one}, dry-run {other}")
    for name in ("preempted", "pending"):
        if [list(row) if isinstance(row, tuple) else row for row in want[name]] != [
            list(row) if isinstance(row, tuple) else row for row in got[name]
        ]:
            found.append(f"{name}: Kueue {want[name]}, dry-run {got[name]}")
    return found
