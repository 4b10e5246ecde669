"""cycle-*: one scheduling cycle over a whole cluster, or two of them."""

from __future__ import annotations

from typing import Any

from kueuectl import quantity
from kueuectl.engine.reasons import Requeue
from kueuectl.engine.simulate import Round, Simulation, admission_of
from kueuectl.model.settings import Settings
from kueuectl.model.workloads import Admission
from kueuectl.report import conditions, events
from kueuectl.report.events import Event
from tests.conformance.case import Case, Told, key_of, same, same_each, told, wanted_conditions
from tests.conformance.registry import suite

# The expected conditions are those with this gate on.
_OBSERVED = {"UnadmittedWorkloadsObservability": True}
_LEAST_MILLI = 1_000_000


class _Run:
    """A case under way: its simulation, and the conditions that it has written so far."""

    def __init__(self, case: Case, **gates: bool) -> None:
        self.case = case
        settings = case.settings()
        more = case.given.get("featureGates") or {}
        self.settings: Settings = case.settings(gates={**settings.gates, **_OBSERVED, **gates, **more})
        self.state = case.state(*(case.given.get("cqs") or ()))
        self.simulation = Simulation(self.state, self.settings, now=case.now, honours_backoff=False)
        self.simulation.nominator.assigner.trace = True
        self.conditions: dict[str, Told] = {key: told(found.conditions) for key, found in self.state.workloads.items()}

    def cycle(self) -> Round | None:
        """One cycle, without evictions; None without heads."""
        if not self.simulation.pools.has_heads():
            return None
        done = self.simulation.step(settle=False)
        if self.case.given.get("admissionError"):
            self._fail_admissions(done)
            return done
        for entry in done.decision.entries:
            admitted = entry in done.decision.admitted
            write = conditions.admitted if admitted else conditions.put_back
            self.conditions[entry.info.key] = told(write(entry, self.settings, now=done.at))
            if admitted and entry.replaces is not None:
                finished = conditions.replaced(entry.replaces, entry.info.workload, now=done.at)
                self.conditions[entry.replaces.key] = told(finished)
        for victim, entry in done.decision.preempted:
            written = conditions.preempted(victim, entry.info.workload, entry.queue, now=done.at)
            self.conditions[victim.info.key] = told(written)
        for sibling, entry in done.decision.migrated:
            self.conditions[sibling.key] = told(conditions.migrated(sibling, entry.info.workload, now=done.at))
        return done

    def _fail_admissions(self, done: Round) -> None:
        """The API server refuses what the cycle wanted to write."""
        for entry in done.decision.admitted:
            self.simulation.snapshot.release(entry.info)
            self.simulation.assigned.pop(entry.info.key)
            self.simulation.pools.queues[entry.queue.name].requeue(entry.info, Requeue.FAILED_AFTER_NOMINATION)

    def assignments(self) -> dict[str, Any]:
        """All that hold quota, with flavors, counts and usage."""
        found = {}
        for key, info in self.simulation.snapshot.held.items():
            entry = self.simulation.assigned.get(key)
            admission = info.workload.admission if entry is None else admission_of(entry)
            assert admission is not None
            found[key] = _admission(admission)
        return found

    def waiting(self, *, is_active: bool) -> dict[str, list[str]]:
        """Keys of waiting workloads by ClusterQueue: those in the heap, or those in the pool."""
        found = {}
        for name, pool in self.simulation.pools.queues.items():
            keys = sorted(pool.active if is_active else pool.inadmissible)
            if keys:
                found[name] = keys
        return found


def _admission(found: Admission) -> dict[str, Any]:
    pod_sets = [(pod_set.name, pod_set.count, dict(pod_set.flavors), dict(pod_set.usage)) for pod_set in found.pod_sets]
    return {"clusterQueue": found.cluster_queue, "podSets": pod_sets}


def _wanted_admission(doc: dict[str, Any]) -> dict[str, Any]:
    pod_sets = []
    for found in doc.get("podSetAssignments") or ():
        usage = {name: quantity.parse_amount(name, text) for name, text in (found.get("resourceUsage") or {}).items()}
        pod_sets.append((found["name"], found.get("count"), found.get("flavors") or {}, usage))
    return {"clusterQueue": doc["clusterQueue"], "podSets": pod_sets}


def _compare(run: _Run, done: Round | None) -> list[str]:
    expect = run.case.expect
    wanted = {key: _wanted_admission(doc) for key, doc in (expect.get("wantAssignments") or {}).items()}
    left, parked = ({k: sorted(v) for k, v in (expect.get(name) or {}).items() if v} for name in _LEFT)
    skipped = {name: count for name, count in (expect.get("wantSkippedPreemptions") or {}).items() if count}
    differences = (
        same_each("assignment of", run.assignments(), wanted)
        + same("left in the heaps", run.waiting(is_active=True), left)
        + same("left in the pools", run.waiting(is_active=False), parked)
        + same("skipped preemptions", {} if done is None else done.decision.skipped_preemptions, skipped)
    )
    return differences + _compare_conditions(run) + _compare_events(run, done)


_LEFT = ("wantLeft", "wantInadmissibleLeft")


def _compare_conditions(run: _Run) -> list[str]:
    if "wantWorkloads" not in run.case.expect:
        return []
    want = {key_of(doc): wanted_conditions(doc) for doc in run.case.expect["wantWorkloads"] or ()}
    return same_each("conditions of", run.conditions, want)


def _compare_events(run: _Run, done: Round | None) -> list[str]:
    """Events are listed in few cases, and in some of these without their messages."""
    listed = run.case.expect.get("wantEvents")
    if not listed or done is None:
        return []
    found = events.of_decision(done.decision, run.state, run.settings, now=done.at)
    want = [_event(doc) for doc in listed]
    texts = {event.message for event in want}
    got = [event if texts != {""} else event._replace(message="") for event in found]
    return same("events", sorted(got), sorted(want))


def _event(doc: dict[str, Any]) -> Event:
    key = f"{doc['Key'].get('Namespace') or ''}/{doc['Key']['Name']}"
    return Event(key, doc["EventType"], doc["Reason"], doc.get("Message") or "")


@suite("cycle-core")
def core(case: Case) -> list[str]:
    run = _Run(case)
    return _compare(run, run.cycle())


@suite("cycle-fair")
def fair(case: Case) -> list[str]:
    return core(case)


@suite("cycle-concurrent")
def concurrent(case: Case) -> list[str]:
    return core(case)


@suite("cycle-recompute")
def recompute(case: Case) -> list[str]:
    run = _Run(case, RecomputeAssignmentUponPreemptionTargetsOverlap=True)
    return _compare(run, run.cycle())


@suite("cycle-two-passes")
def two_passes(case: Case) -> list[str]:
    """A cycle, then workloads are deleted, and another cycle."""
    run = _Run(case)
    run.cycle()
    differences = _compare_conditions(run)
    simulation = run.simulation
    for doc in case.given.get("deleteWorkloads") or ():
        info = simulation.snapshot.held.get(f"{doc.get('Namespace') or ''}/{doc['Name']}")
        if info is not None and info.queue is not None:
            tree = info.queue.tree
            simulation.snapshot.release(info)
            simulation.pools.wake(tree)
    run.cycle()
    want = {k: _wanted_admission(doc) for k, doc in (case.expect.get("wantAdmissionsOnSecondSchedule") or {}).items()}
    return differences + same_each("assignment after the second cycle of", run.assignments(), want)
