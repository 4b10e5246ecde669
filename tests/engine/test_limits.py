"""Defaults of namespaces, and what makes requests invalid."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from kueuectl.engine import limits
from kueuectl.engine.requests import RequestsReader
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState, LimitRange, LimitRangeItem, RuntimeClass
from kueuectl.model.workloads import PodTemplate
from tests.engine.build import container, nanos, pod_set, template, workload

_NONE: limits.Summary = {}


def test_the_lowest_max_the_highest_min_and_the_first_default_count() -> None:
    first = LimitRangeItem("Container", max=nanos(cpu="4"), min=nanos(cpu="1"), default=nanos(cpu="2"))
    second = LimitRangeItem(
        "Container", max=nanos(cpu="3", memory="1Gi"), min=nanos(cpu="2"), default=nanos(cpu="3", memory="1Gi")
    )
    got = limits.summarize([LimitRange("team-a", "b", (second,)), LimitRange("team-a", "a", (first,))])
    assert got == {
        "Container": LimitRangeItem(
            "Container",
            max=nanos(cpu="3", memory="1Gi"),
            min=nanos(cpu="2"),
            default=nanos(cpu="2", memory="1Gi"),
        )
    }


class Adjusted(NamedTuple):
    name: str
    given: PodTemplate
    want: PodTemplate
    items: tuple[LimitRangeItem, ...] = ()
    overhead: str | None = None


_CONTAINER = LimitRangeItem("Container", default=nanos(cpu="4"), default_request=nanos(cpu="3"))
_POD = LimitRangeItem("Pod", default=nanos(memory="2Gi"), default_request=nanos(memory="1Gi"))
ADJUSTED = [
    Adjusted(
        "limits stand in for missing requests",
        given=template(container(cpu="1", limits=nanos(cpu="2", memory="1Gi"))),
        want=template(container(cpu="1", memory="1Gi", limits=nanos(cpu="2", memory="1Gi"))),
    ),
    Adjusted(
        "pod-level limits as well",
        given=template(pod_limits=nanos(cpu="2")),
        want=template(pod_limits=nanos(cpu="2"), pod_requests=nanos(cpu="2")),
    ),
    Adjusted(
        "a default request comes before the limit",
        given=template(container(limits=nanos(cpu="6"))),
        want=template(container(cpu="3", limits=nanos(cpu="6"))),
        items=(_CONTAINER,),
    ),
    Adjusted(
        "Pod limits leave pods without pod-level resources alone",
        given=template(container(cpu="1")),
        want=template(container(cpu="1")),
        items=(_POD,),
    ),
    Adjusted(
        "Pod limits fill pod-level resources",
        given=template(pod_requests=nanos(cpu="1")),
        want=template(pod_requests=nanos(cpu="1", memory="1Gi"), pod_limits=nanos(memory="2Gi")),
        items=(_POD,),
    ),
    Adjusted(
        "the runtime class adds its overhead",
        given=template(container(cpu="1")),
        want=template(container(cpu="1"), overhead=nanos(cpu="250m")),
        overhead="250m",
    ),
    Adjusted(
        "overhead of the template stays",
        given=template(overhead=nanos(cpu="1")),
        want=template(overhead=nanos(cpu="1")),
        overhead="250m",
    ),
]


@pytest.mark.parametrize("row", ADJUSTED, ids=lambda row: row.name)
def test_adjust(row: Adjusted) -> None:
    overhead = None if row.overhead is None else nanos(cpu=row.overhead)
    summary = limits.summarize([LimitRange("team-a", "limits", row.items)]) if row.items else _NONE
    assert limits.adjust(row.given, summary, overhead) == row.want
    assert limits.adjust(row.want, summary, overhead) == row.want, "adjusting twice changes nothing"


class Invalid(NamedTuple):
    name: str
    given: PodTemplate
    want: str
    items: tuple[LimitRangeItem, ...] = ()


_SPEC = "spec.podSets[0].template.spec"
INVALID = [
    Invalid("nothing wrong", given=template(container(cpu="1", limits=nanos(cpu="1"))), want=""),
    Invalid(
        "requests above limits",
        given=template(container(cpu="2", memory="2Gi", limits=nanos(cpu="1", memory="1Gi"))),
        want=f'resources validation failed: {_SPEC}.containers[0]: Invalid value: ["cpu","memory"]: '
        "requests must not exceed its limits",
    ),
    Invalid(
        "several places are listed in brackets, init containers first",
        given=template(
            container(cpu="2", limits=nanos(cpu="1")),
            init_containers=(container(cpu="2", limits=nanos(cpu="1")),),
            pod_requests=nanos(cpu="9"),
            pod_limits=nanos(cpu="8"),
        ),
        want=f'resources validation failed: [{_SPEC}.initContainers[0]: Invalid value: ["cpu"]: requests must not '
        f'exceed its limits, {_SPEC}.containers[0]: Invalid value: ["cpu"]: requests must not exceed its limits, '
        f'{_SPEC}.resources: Invalid value: ["cpu"]: requests must not exceed its limits]',
    ),
    Invalid(
        "a container above the max",
        given=template(container(cpu="3")),
        items=(LimitRangeItem("Container", max=nanos(cpu="2")),),
        want=f"resources didn't satisfy LimitRange constraints: {_SPEC}.containers[0]: Invalid value: "
        '["cpu"]: requests must not be above the limitRange max',
    ),
    Invalid(
        "a limit above the max",
        given=template(container(cpu="1", limits=nanos(cpu="3"))),
        items=(LimitRangeItem("Container", max=nanos(cpu="2")),),
        want=f"resources didn't satisfy LimitRange constraints: {_SPEC}.containers[0]: Invalid value: "
        '["cpu"]: requests must not be above the limitRange max',
    ),
    Invalid(
        "a whole pod above the max, sidecars and overhead counted, and another resource below the min",
        given=template(
            container(cpu="1", memory="1Mi"),
            init_containers=(container(cpu="1", is_sidecar=True),),
            overhead=nanos(cpu="1"),
        ),
        items=(LimitRangeItem("Pod", max=nanos(cpu="2"), min=nanos(memory="1Gi")),),
        want=f'resources didn\'t satisfy LimitRange constraints: [{_SPEC}: Invalid value: ["cpu"]: requests must not '
        f'be above the limitRange max, {_SPEC}: Invalid value: ["memory"]: requests must not be below the limitRange '
        "min]",
    ),
    Invalid(
        "own limits are looked at first",
        given=template(container(cpu="3", limits=nanos(cpu="1"))),
        items=(LimitRangeItem("Container", max=nanos(cpu="2")),),
        want=f'resources validation failed: {_SPEC}.containers[0]: Invalid value: ["cpu"]: '
        "requests must not exceed its limits",
    ),
    Invalid(
        "what is not asked for breaks no limit",
        given=template(container(memory="1Gi")),
        items=(LimitRangeItem("Container", max=nanos(cpu="2"), min=nanos(cpu="1")),),
        want="",
    ),
    Invalid(
        "limits of volumes are not about pods",
        given=template(container(cpu="1")),
        items=(LimitRangeItem("PersistentVolumeClaim", min=nanos(cpu="2")),),
        want="",
    ),
    Invalid(
        "a default limit below the request makes it invalid",
        given=template(container(cpu="5")),
        items=(LimitRangeItem("Container", default=nanos(cpu="4")),),
        want=f'resources validation failed: {_SPEC}.containers[0]: Invalid value: ["cpu"]: '
        "requests must not exceed its limits",
    ),
]


@pytest.mark.parametrize("row", INVALID, ids=lambda row: row.name)
def test_problems(row: Invalid) -> None:
    state = ClusterState()
    if row.items:
        state.limit_ranges["team-a/limits"] = LimitRange("team-a", "limits", row.items)
    problems = RequestsReader(state, Settings()).problems(workload(pod_set(pods=row.given)))
    assert (limits.message(problems) if problems else "") == row.want


def test_limits_of_another_namespace_do_not_count() -> None:
    item = LimitRangeItem("Container", max=nanos(cpu="1"), default_request=nanos(cpu="7"))
    state = ClusterState(limit_ranges={"team-b/limits": LimitRange("team-b", "limits", (item,))})
    reader = RequestsReader(state, Settings())
    asked = workload(pod_set(cpu="2"))
    assert reader.problems(asked) == ()
    assert reader.of(asked)[0].total == {"cpu": 2000}


def test_a_missing_runtime_class_adds_nothing() -> None:
    state = ClusterState(runtime_classes={"known": RuntimeClass("known", nanos(cpu="1"))})
    reader = RequestsReader(state, Settings())
    totals = {
        name: reader.of(workload(pod_set(pods=template(container(cpu="1"), runtime_class=name))))[0].total["cpu"]
        for name in ("known", "missing", "")
    }
    assert totals == {"known": 2000, "missing": 1000, "": 1000}
