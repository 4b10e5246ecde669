"""limitrange-summary and the workload-* suites about requests: defaults, totals, what is invalid."""

from __future__ import annotations

from typing import Any

from kueuectl import quantity
from kueuectl.engine import limits
from kueuectl.engine.requests import PodSetRequests, RequestsReader
from kueuectl.model.state import ClusterState, LimitRange, LimitRangeItem
from tests.conformance.case import Case, decode, same, state_of, workload
from tests.conformance.registry import NotDue, suite

_PATH = "spec.podSets[{}].template.spec"


@suite("limitrange-summary")
def summary(case: Case) -> list[str]:
    ranges: list[LimitRange] = [decode(doc) for doc in case.given.get("ranges") or ()]
    got = {kind: _item(item) for kind, item in limits.summarize(ranges).items()}
    want = {kind: _item_of(doc) for kind, doc in (case.expect.get("expected") or {}).items()}
    return same("summary", got, want)


def _item(item: LimitRangeItem) -> dict[str, dict[str, int]]:
    lists = {
        "default": item.default,
        "defaultRequest": item.default_request,
        "max": item.max,
        "min": item.min,
        "maxLimitRequestRatio": item.max_ratio,
    }
    return {name: dict(values) for name, values in lists.items() if values}


def _item_of(doc: dict[str, Any]) -> dict[str, dict[str, int]]:
    lists = {name: values for name, values in doc.items() if name != "type" and values}
    return {name: {key: quantity.parse(text) for key, text in values.items()} for name, values in lists.items()}


@suite("workload-adjust-resources")
def adjust(case: Case) -> list[str]:
    asked = workload(case.given["wl"])
    want = workload(case.expect["wantWl"])
    state = state_of([*(case.given.get("limitranges") or ()), *(case.given.get("runtimeClasses") or ())])
    reader = RequestsReader(state, case.settings())
    differences = same("number of pod sets", len(asked.pod_sets), len(want.pod_sets))
    for pod_set, wanted in zip(asked.pod_sets, want.pod_sets, strict=False):
        differences += same(pod_set.name, reader.adjusted(pod_set, asked.namespace), wanted.template)
    return differences


@suite("workload-info")
def info(case: Case) -> list[str]:
    asked = workload(case.given["workload"])
    want = case.expect.get("wantInfo") or {}
    if any(total.get("TopologyRequest") for total in want.get("TotalRequests") or ()):
        raise NotDue("topology-aware scheduling")
    prefixes = case.given.get("excludeResourcePrefixes") or ()
    settings = case.settings(exclude_resource_prefixes=tuple(prefixes))
    totals = RequestsReader(ClusterState(), settings).of(asked)
    queue = asked.admission.cluster_queue if asked.admission else ""
    return same("ClusterQueue", queue, want.get("ClusterQueue") or "") + same(
        "totals", [_total(total) for total in totals], [_wanted(total) for total in want.get("TotalRequests") or ()]
    )


def _total(total: PodSetRequests) -> tuple[str, int, dict[str, int], dict[str, str]]:
    return total.name, total.count, total.total, total.flavors or {}


def _wanted(doc: dict[str, Any]) -> tuple[str, int, dict[str, int], dict[str, str]]:
    return doc.get("Name") or "", doc.get("Count") or 0, doc.get("Requests") or {}, doc.get("Flavors") or {}


@suite("workload-validate-resources")
def validate_resources(case: Case) -> list[str]:
    asked = workload(case.given["workloadInfo"]["Obj"])
    problems = RequestsReader(ClusterState(), case.settings()).problems(asked)
    return same("problems", [problem.text for problem in problems], case.expect.get("wantError") or [])


@suite("workload-validate-limitrange")
def validate_ranges(case: Case) -> list[str]:
    asked = workload(case.given["workload"])
    found: LimitRange | None = decode(case.given["limitRange"]) if case.given.get("limitRange") else None
    ranges = [found] if found is not None and found.namespace == asked.namespace else []
    got = [
        problem.text
        for index, pod_set in enumerate(asked.pod_sets)
        for problem in limits.outside_ranges(pod_set.template, limits.summarize(ranges), _PATH.format(index))
    ]
    return same("problems", got, case.expect.get("wantError") or [])
