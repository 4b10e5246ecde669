"""Runs the engine on cases, one JSON document per line, and writes its decisions in the oracle's shape.

    python -m tests.engine_run [--one-cycle] [--max-cycles N] [--requeue each|drain] [--quiet] [--no-cycles]
                               [--backoff] [--no-defaults] [FILE...]

Without files it reads standard input. Input and output lines are described in tests/oracle/README.md.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

from kueuectl import times
from kueuectl.engine import shares, workloads
from kueuectl.engine.entries import Entry
from kueuectl.engine.reasons import REQUEUE_NAMES
from kueuectl.engine.simulate import Round, Simulation, admission_of, waits_for_checks
from kueuectl.model.workloads import Admission
from kueuectl.quantity import format_amount
from kueuectl.report import narrate
from tests import scenes


def main(argv: list[str]) -> int:
    """Run each case, print one line for each."""
    options = parse(argv)
    for line in lines(options.files):
        print(json.dumps(run_case(json.loads(line), options), separators=(",", ":")), flush=True)
    return 0


def parse(argv: list[str]) -> argparse.Namespace:
    """The options of a command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.engine_run", description=__doc__)
    parser.add_argument("--one-cycle", action="store_true")
    parser.add_argument("--max-cycles", type=int, default=0)
    parser.add_argument("--requeue", choices=["each", "drain"], default="each")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--no-cycles", action="store_true")
    parser.add_argument("--backoff", action="store_true")
    parser.add_argument("--no-defaults", action="store_true")
    parser.add_argument("files", nargs="*", metavar="FILE")
    return parser.parse_args(argv)


def lines(files: list[str]) -> Iterator[str]:
    """Non-empty lines of the files; "-", or no file at all, is standard input."""
    for name in files or ["-"]:
        if name == "-":
            yield from (line for line in sys.stdin if line.strip())
            continue
        with open(name, encoding="utf-8") as stream:
            yield from (line for line in stream if line.strip())


def run_case(case: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """The decisions on one case."""
    scene = scenes.read(case, strict=not options.no_defaults)
    gc.collect()
    gc.freeze()
    gc.disable()
    started, cpu = time.perf_counter(), time.process_time()
    simulation = Simulation(
        scene.state, scene.settings, now=scene.now, requeue=options.requeue, honours_backoff=options.backoff
    )
    cycles: list[dict[str, Any]] = []
    out: dict[str, Any] = {"id": case["id"], "fixpoint": False, "cycles": cycles}
    evaluations = 0

    def note(done: Round) -> None:
        nonlocal evaluations
        evaluations += len(done.decision.entries)
        if not options.no_cycles:
            cycles.append(cycle_line(simulation, done))

    turning: tuple[Round, ...] = ()
    if options.one_cycle:
        if simulation.pools.has_heads():
            note(simulation.step(settle=False))
    else:
        limit = options.max_cycles or 10 * len(scene.state.workloads) + 100
        ending = simulation.run(max_rounds=limit, on_round=note)
        out["fixpoint"], out["livelock"] = ending.is_fixpoint, ending.is_livelock
        turning = ending.turning
    out["elapsedMs"] = round((time.perf_counter() - started) * 1000, 3)
    out["cpuMs"] = round((time.process_time() - cpu) * 1000, 3)
    gc.enable()
    gc.unfreeze()
    out["nCycles"] = simulation.rounds
    out["evaluations"] = evaluations
    out["final"] = final_line(simulation, turning, quiet=options.quiet)
    return out


def cycle_line(simulation: Simulation, done: Round) -> dict[str, Any]:
    """One cycle in the oracle's shape."""
    decision = done.decision
    admitted = {entry.info.key: entry for entry in decision.admitted}
    line: dict[str, Any] = {"cycle": done.number, "at": times.format_time(done.at), "order": order_of(decision.entries)}
    line["admitted"] = [
        {"workload": key, **describe(admission_of(entry), admitted=not waits_for_checks(entry))}
        for key, entry in sorted(admitted.items())
    ]
    gone = [
        {"workload": victim.info.key, "reason": victim.reason, "preemptor": entry.info.key}
        for victim, entry in decision.preempted
    ]
    # Variants that make room for a better one: the oracle names no reason of a preemption, and no preemptor.
    gone += [{"workload": sibling.key, "evictedReason": workloads.MIGRATION} for sibling, _ in decision.migrated]
    line["preempted"] = sorted(gone, key=lambda found: found["workload"])
    line["pending"] = [
        {
            "workload": entry.info.key,
            "clusterQueue": entry.queue.name,
            "message": narrate.entry(entry),
            "requeueReason": REQUEUE_NAMES[entry.requeue],
            "where": "active" if entry.info.key in done.in_heap else "inadmissible",
        }
        for entry in sorted(decision.entries, key=lambda entry: entry.info.key)
        if entry.info.key not in admitted
    ]
    line["evicted"] = list(done.evicted)
    line["requeued"] = done.woken
    return {key: value for key, value in line.items() if value or key in ("cycle", "at")}


def order_of(entries: Iterable[Entry]) -> dict[str, list[str]]:
    """Evaluated workloads in the order in which they were taken, by root cohort (or queue without one)."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        if entry.assignment is not None:
            path = entry.queue.path
            found.setdefault(path[-1].name if path else entry.queue.name, []).append(entry.info.key)
    return found


def describe(admission: Admission, *, admitted: bool) -> dict[str, Any]:
    """An admission in the oracle's shape."""
    pod_sets, usage = [], {}
    for pod_set in admission.pod_sets:
        flavors = dict(pod_set.flavors)
        pod_sets.append(
            {
                "name": pod_set.name,
                "flavors": flavors,
                "resourceUsage": {name: format_amount(name, amount) for name, amount in pod_set.usage},
                "count": pod_set.count,
            }
        )
        usage[pod_set.name] = {f"{flavors.get(name, '')}/{name}": amount for name, amount in pod_set.usage}
    return {"clusterQueue": admission.cluster_queue, "admitted": admitted, "podSets": pod_sets, "usage": usage}


def final_line(simulation: Simulation, turning: Iterable[Round], *, quiet: bool) -> dict[str, Any]:
    """Where things are at the end."""
    snapshot = simulation.snapshot
    admitted: dict[str, Any] = {}
    for key, info in sorted(snapshot.held.items()):
        entry = simulation.assigned.get(key)
        if entry is not None:
            admitted[key] = describe(admission_of(entry), admitted=not waits_for_checks(entry))
        else:
            assert info.workload.admission is not None
            is_admitted = any(c.type == "Admitted" and c.status == "True" for c in info.workload.conditions)
            admitted[key] = describe(info.workload.admission, admitted=is_admitted)
    active, inadmissible, usage = {}, {}, {}
    for name, pool in simulation.pools.queues.items():
        waiting = [info.key for info in pool.ordered()]
        active[name] = [key for key in waiting if key in pool.active]
        inadmissible[name] = [key for key in waiting if key in pool.inadmissible]
        node = snapshot.queues[name]
        # Of a queue that takes no work the oracle tells only the flavors that it still has.
        shown = range(len(node.usage)) if node.active else node.defined
        usage[name] = {"/".join(node.tree.frs[fr]): node.usage[fr] for fr in shown}
    final: dict[str, Any] = {
        "admitted": admitted,
        "active": {name: keys for name, keys in active.items() if keys},
        "inadmissible": {name: keys for name, keys in inadmissible.items() if keys},
        "usage": usage,
        "inactive": {
            node.name: {"reason": node.inactive_reason, "message": node.inactive_message}
            for node in snapshot.queues.values()
            if not node.active
        },
    }
    final["messages"] = {key: {"message": message_of(entry)} for key, entry in sorted(simulation.last_entries.items())}
    if snapshot.settings.fair_sharing is not None:
        final["shares"] = {
            node.name: shares.share(node, tree.resource_of, tree.resources).rounded
            for tree in snapshot.trees
            for node in (*tree.queues, *tree.cohorts.values())
        }
    found: dict[str, list[str]] = {}
    for done in turning:
        for entry in done.decision.entries:
            text = message_of(entry)
            if text not in found.setdefault(entry.info.key, []):
                found[entry.info.key].append(text)
    final["turning"] = {key: texts for key, texts in sorted(found.items()) if len(texts) > 1}
    return {key: value for key, value in final.items() if value or key in ("admitted", "messages")}


def message_of(entry: Entry) -> str:
    """The message that the workload's condition would have."""
    return narrate.entry(entry)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
