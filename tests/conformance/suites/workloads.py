"""Suites about the state of one workload: conditions, checks, order time, backoff, priority, equivalence."""

from __future__ import annotations

import json
from typing import Any

from kueuectl import times
from kueuectl.engine import checks, priority, workloads
from kueuectl.engine.requests import RequestsReader
from kueuectl.model.queues import ClusterQueue
from kueuectl.model.settings import Settings, WaitForPodsReady
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload
from tests.conformance.case import Case, decode, same, workload, workload_of
from tests.conformance.registry import suite

_STATE = ClusterState()


@suite("workload-on-hold")
def on_hold(case: Case) -> list[str]:
    return same("on hold", workloads.is_on_hold(workload(case.given["wl"])), case.expect.get("want", False))


@suite("workload-queue-timestamp")
def queue_timestamp(case: Case) -> list[str]:
    differences = []
    for options, want in case.expect["want"].items():
        strategy = json.loads(options)["PodsReadyRequeuingTimestamp"]
        settings = case.settings(wait_for_pods_ready=WaitForPodsReady(requeuing_timestamp=strategy))
        got = workloads.queue_timestamp(workload(case.given["wl"]), settings)
        differences += same(strategy, times.format_time(got), want)
    return differences


@suite("queue-backoff")
def backoff(case: Case) -> list[str]:
    waits = workloads.waits_for_backoff(workload(case.given["workloadInfo"]["Obj"]), case.now)
    return same("may be tried", not waits, case.expect.get("want", False))


@suite("workload-admission-checks")
def admission_checks(case: Case) -> list[str]:
    queue = decode(case.given["cq"])
    assert isinstance(queue, ClusterQueue)
    got = checks.required(queue, workload(case.given["wl"])) or ()
    return same("checks", list(got), sorted(case.expect.get("wantAdmissionChecks") or {}))


@suite("workload-admitted-condition")
def admitted_condition(case: Case) -> list[str]:
    given = case.given
    asked = workload_of(
        [],
        conditions=given.get("conditions") or [],
        admissionChecks=given.get("checkStates") or [],
        admission=given.get("admission"),
        accumulatedPastExecutionTimeSeconds=given.get("pastAdmittedTime"),
    )
    change = workloads.sync_admitted(replace(asked, generation=1), case.settings(), case.now)
    written = [_condition(doc) for doc in given.get("conditions") or ()]
    if change is not None:
        new = change.condition
        entry = (new.type, new.status, new.reason, new.observed_generation)
        places = [index for index, known in enumerate(written) if known[0] == new.type]
        if places:
            written[places[0]] = entry
        else:
            written.append(entry)
    past = asked.past_execution_seconds if change is None else change.past_seconds
    return (
        same("changes", change is not None, case.expect.get("wantChange", False))
        + same("seconds admitted before", past, case.expect.get("wantAdmittedTime", 0))
        + same("conditions", written, [_condition(doc) for doc in case.expect.get("wantConditions") or ()])
    )


def _condition(doc: dict[str, Any]) -> tuple[str, str, str, int]:
    return doc["type"], doc["status"], doc.get("reason") or "", doc.get("observedGeneration") or 0


@suite("workload-scheduling-hash")
def scheduling_hash(case: Case) -> list[str]:
    settings = case.settings()
    reader = RequestsReader(_STATE, settings)
    first, second = (_key(workload(case.given[name]), reader, settings) for name in ("wl1", "wl2"))
    return same("same shape", first == second, case.expect.get("wantSame", False))


def _key(asked: Workload, reader: RequestsReader, settings: Settings) -> object:
    rank = priority.effective(asked, _STATE, settings)
    return workloads.scheduling_key(asked, reader.of(asked), rank, settings)


@suite("priority-boost")
def boost(case: Case) -> list[str]:
    value, is_valid = priority.boost(workload(case.given["workload"]), case.settings())
    return same("boost", value, case.expect.get("wantBoost", 0)) + same(
        "error", not is_valid, case.expect.get("wantErr", False)
    )


@suite("priority-effective")
def effective(case: Case) -> list[str]:
    got = priority.effective(workload(case.given["workload"]), _STATE, case.settings())
    return same("priority", got, case.expect.get("wantPriority", 0))


@suite("priority-parse")
def parse(case: Case) -> list[str]:
    _, is_valid = priority.boost(workload(case.given["workload"]), case.settings())
    return effective(case) + same("error", not is_valid, case.expect.get("wantErr", False))


@suite("preempt-priority-info")
def priority_info(case: Case) -> list[str]:
    asked, settings = workload(case.given["wl"]), case.settings()
    return (
        same("base", priority.base(asked, _STATE), case.expect.get("wantBase", 0))
        + same("boost", priority.boost(asked, settings)[0], case.expect.get("wantBoost", 0))
        + same("effective", priority.effective(asked, _STATE, settings), case.expect.get("wantEffective", 0))
    )
