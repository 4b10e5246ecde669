"""What a case says against what we say: shares, where the cluster settles, and each waiting workload explained."""

from __future__ import annotations

import math
from typing import Any

from kueuectl import times
from kueuectl.analysis import dry_run, explain
from kueuectl.analysis.explanation import Explanation, ResourceRow
from kueuectl.engine import shares, snapshot, workloads
from kueuectl.engine.simulate import Simulation, admission_of, waits_for_checks
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Admission
from kueuectl.quantity import parse_amount
from tests.cases.case import Case
from tests.conformance.case import same

_MAX_ROUNDS = 1000
# Time stands still, but what was admitted later stays later.
_TICK = 1


def compare(case: Case) -> list[str]:
    """The differences, as sentences; none means that the case passes."""
    state, settings, now = case.read()
    explained = {
        key: explain.workload(state, settings, now=now, key=key, with_proposals=False)[0]
        for key in case.expect.get("pending") or {}
    }
    differences = _compare_shares(case, state, settings)
    differences += _compare_fixpoint(case, settle(state, settings, now))
    for key, want in (case.expect.get("pending") or {}).items():
        differences += [f"{key}: {text}" for text in _compare_workload(explained[key], want)]
    if case.expect.get("nondeterministic") and all(found.verdict.deterministic for found in explained.values()):
        differences.append("is a tie, and nothing says so")
    return differences


def _compare_shares(case: Case, state: ClusterState, settings: Settings) -> list[str]:
    want = {name: math.inf if value == "inf" else value for name, value in (case.expect.get("shares") or {}).items()}
    got = {}
    for tree in snapshot.build(state, settings).trees:
        for node in (*tree.queues, *tree.cohorts.values()):
            got[node.name] = shares.share(node, tree.resource_of, tree.resources).precise
    return [
        f"share of {name}: got {got.get(name)}, want {value}"
        for name, value in want.items()
        if name not in got or not math.isclose(got[name], value, rel_tol=1e-6, abs_tol=1e-6)
    ]


def settle(state: ClusterState, settings: Settings, now: int) -> dict[str, Any]:
    """Where things are when nothing changes any more, in the shape of an expectation."""
    settled = dry_run.controlled(state, now)
    simulation = Simulation(settled, settings, now=now, tick=_TICK)
    ending = simulation.run(max_rounds=_MAX_ROUNDS)
    admitted, reserved = {}, []
    for key, info in simulation.snapshot.held.items():
        entry = simulation.assigned.get(key)
        found = info.workload.admission if entry is None else admission_of(entry)
        assert found is not None
        admitted[key] = _admission(found)
        if waits_for_checks(entry) if entry is not None else not workloads.is_admitted(info.workload):
            reserved.append(key)
    finished = [key for key, found in settled.workloads.items() if workloads.is_finished(found)]
    finished += simulation.replaced
    return {
        "isFixpoint": ending.is_fixpoint,
        "admitted": admitted,
        "reserved": sorted(reserved),
        "evicted": dict(simulation.evictions),
        "pending": sorted(set(settled.workloads) - set(admitted) - set(finished)),
        "finished": sorted(finished),
    }


def _admission(found: Admission) -> dict[str, Any]:
    return {
        "flavors": {f"{each.name}/{resource}": flavor for each in found.pod_sets for resource, flavor in each.flavors},
        "count": {each.name: each.count for each in found.pod_sets},
    }


def _compare_fixpoint(case: Case, got: dict[str, Any]) -> list[str]:
    wanted = [want for want in (case.expect.get("fixpoint"), *(case.expect.get("alternatives") or ())) if want]
    found = [_differs(got, want) for want in wanted]
    return [] if not found or [] in found else found[0]


def _differs(got: dict[str, Any], want: dict[str, Any]) -> list[str]:
    differences = [] if got["isFixpoint"] else ["does not settle"]
    for field in ("admitted", "reserved", "evicted", "pending", "finished"):
        if field in want:
            value = sorted(want[field]) if isinstance(want[field], list) else want[field]
            differences += same(field, got[field], value)
    return differences


def _compare_workload(got: Explanation, want: dict[str, Any]) -> list[str]:
    code = got.verdict.code.value
    allowed = want.get("verdictAny") or [want["verdict"]]
    differences = [] if code in allowed else [f"verdict: got {code}, want {' or '.join(allowed)}"]
    victims = want.get("victimsAny") or [want.get("victims") or []]
    if "victims" in want or "victimsAny" in want:
        found = sorted(got.preemption.victims)
        differences += [] if found in [sorted(each) for each in victims] else same("victims", found, victims)
    facts: dict[str, Any] = {
        "behind": got.verdict.behind,
        "flavors": {f"{each.name}/{resource}": flavor for each in got.pod_sets for resource, flavor in each.chosen},
        "checks": sorted(got.open_checks),
        "until": times.format_time(got.until) if got.until is not None else None,
        "resources": sorted(got.uncovered),
        "replaces": got.replaces,
        "reasons": {flavor.name: flavor.out for each in got.pod_sets for flavor in each.flavors if flavor.out},
    }
    for name, value in facts.items():
        if name in want:
            differences += same(name, value, want[name])
    counts = {each.name: each.granted for each in got.pod_sets}
    for name, count in (want.get("count") or {}).items():
        differences += same(f"pods of {name}", counts.get(name), count)
    return differences + _compare_numbers(got, want)


def _compare_numbers(got: Explanation, want: dict[str, Any]) -> list[str]:
    """Numbers by flavor and resource; where several pod sets ask, the last one's, which has the others before it."""
    rows: dict[str, ResourceRow] = {
        f"{flavor.name}/{row.name}": row for each in got.pod_sets for flavor in each.flavors for row in flavor.resources
    }
    fields = {"missing": "missing", "missingInMessage": "message_missing", "max": "maximum"}
    differences = []
    for name, attribute in fields.items():
        for key, text in (want.get(name) or {}).items():
            row = rows.get(key)
            amount = parse_amount(key.partition("/")[2], text)
            differences += same(f"{name} of {key}", None if row is None else getattr(row, attribute), amount)
    return differences
