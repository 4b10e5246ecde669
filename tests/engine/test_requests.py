"""What a workload asks for, and what it holds."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuectl.engine.amounts import INT64_MAX
from kueuectl.engine.requests import PodSetRequests, RequestsReader
from kueuectl.model.settings import DEFAULT_GATES, Settings, Transformation
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import Admission, Container, PodTemplate
from tests.engine.build import admission, condition, container, nanos, pod_set, template, workload

GPU = "example.com/gpu"


def read(asked: Any, settings: Settings | None = None) -> tuple[PodSetRequests, ...]:
    return RequestsReader(ClusterState(), settings or Settings()).of(asked)


def test_totals_are_those_of_one_pod_times_the_count() -> None:
    got = read(workload(pod_set(3, cpu="500m", memory="1Gi"), pod_set(1, "driver", cpu="2")))
    assert [(found.name, found.count, found.single, found.total, found.flavors) for found in got] == [
        ("main", 3, {"cpu": 500, "memory": 2**30}, {"cpu": 1500, "memory": 3 * 2**30}, None),
        ("driver", 1, {"cpu": 2000}, {"cpu": 2000}, None),
    ]


@pytest.mark.parametrize(
    ("name", "pods", "count", "want"),
    [
        ("a part of a unit is rounded up for each pod", template(container(memory="1500m")), 3, {"memory": 6}),
        (
            "after the containers were added up",
            template(container(memory="500m"), container(memory="500m")),
            3,
            {"memory": 3},
        ),
        ("nothing is below zero", template(container(cpu="-10m")), 2, {"cpu": 0}),
        ("a request of zero stays", template(container(gpu="0")), 2, {GPU: 0}),
        ("totals end at 64 bits", template(container(cpu="4300k")), 2**31 - 1, {"cpu": INT64_MAX}),
        ("no pods ask for nothing", template(container(cpu="1")), 0, {"cpu": 0}),
    ],
)
def test_arithmetic(name: str, pods: PodTemplate, count: int, want: dict[str, int]) -> None:
    assert read(workload(pod_set(count, pods=pods)))[0].total == want, name


def test_excluded_prefixes_are_left_out() -> None:
    settings = Settings(exclude_resource_prefixes=("networking.", "example.com/"))
    pods = template(Container("c", requests=(("cpu", 10**9), ("example.com/gpu", 10**9), ("networking.x/eth", 10**9))))
    assert read(workload(pod_set(pods=pods)), settings)[0].total == {"cpu": 1000}


class Transformed(NamedTuple):
    name: str
    requests: dict[str, str]
    rules: tuple[Transformation, ...]
    want: dict[str, int]


def rule(given: str, *, strategy: str = "Replace", by: str = "", **outputs: str) -> Transformation:
    return Transformation(given, strategy, by, nanos(**outputs))


TRANSFORMED = [
    Transformed(
        "Retain keeps the input",
        {"cpu": "2"},
        (rule("cpu", strategy="Retain", credits="3"),),
        want={"cpu": 2000, "credits": 6},
    ),
    Transformed(
        "Replace drops it", {"cpu": "2", "memory": "4"}, (rule("cpu", credits="3"),), want={"credits": 6, "memory": 4}
    ),
    Transformed("without outputs it is gone", {"cpu": "2", "memory": "4"}, (rule("cpu"),), want={"memory": 4}),
    Transformed(
        "an output adds to a request", {"cpu": "2", "credits": "5"}, (rule("cpu", credits="1"),), want={"credits": 7}
    ),
    Transformed("rounding comes last", {"cpu": "500m"}, (rule("cpu", credits="3"),), want={"credits": 2}),
    Transformed(
        "and once",
        {"cpu": "1", "gpu": "1"},
        (rule("cpu", credits="300m"), rule(GPU, credits="300m")),
        want={"credits": 1},
    ),
    Transformed(
        "outputs are not transformed again", {"cpu": "2"}, (rule("cpu", gpu="1"), rule(GPU, credits="7")), want={GPU: 2}
    ),
    Transformed("an input may feed itself", {"cpu": "1500m"}, (rule("cpu", cpu="100m"),), want={"cpu": 150}),
    Transformed(
        "multiplied by another request",
        {"gpu": "2", "slices": "1024"},
        (rule("slices", by=GPU, credits="1"),),
        want={"credits": 2048, GPU: 2},
    ),
    Transformed("that is missing", {"slices": "1024"}, (rule("slices", by=GPU, credits="1"),), want={"credits": 1024}),
    Transformed(
        "or zero", {"gpu": "0", "slices": "1024"}, (rule("slices", by=GPU, credits="1"),), want={"credits": 0, GPU: 0}
    ),
    Transformed(
        "or in parts of a cpu",
        {"cpu": "1500m", "slices": "10"},
        (rule("slices", by="cpu", credits="1"),),
        want={"credits": 15, "cpu": 1500},
    ),
    Transformed("of what is not asked for", {"memory": "1"}, (rule("cpu", credits="1"),), want={"memory": 1}),
]


@pytest.mark.parametrize("row", TRANSFORMED, ids=lambda row: row.name)
def test_transformations(row: Transformed) -> None:
    pods = template(Container("c", requests=nanos(**row.requests)))
    assert read(workload(pod_set(pods=pods)), Settings(transformations=row.rules))[0].total == row.want


class Counted(NamedTuple):
    name: str
    fields: dict[str, Any]
    want: tuple[int, int]
    reclaims: bool = True


# Of five pods with one cpu each: how many count, and how many millicores.
COUNTED = [
    Counted("pending", {}, want=(5, 5000)),
    Counted("pending, two pods are finished", {"reclaimable_pods": (("main", 2),)}, want=(3, 3000)),
    Counted("pending, more are finished than there are", {"reclaimable_pods": (("main", 9),)}, want=(0, 0)),
    Counted("pending, pods of another set are finished", {"reclaimable_pods": (("other", 2),)}, want=(5, 5000)),
    Counted("without the feature", {"reclaimable_pods": (("main", 2),)}, want=(5, 5000), reclaims=False),
    Counted("admitted", {"admission": admission(count=5, cpu=5000)}, want=(5, 5000)),
    Counted("admitted without a recorded count", {"admission": admission(cpu=5000)}, want=(5, 5000)),
    Counted("admitted with fewer pods", {"admission": admission(count=3, cpu=3000)}, want=(3, 3000)),
    Counted(
        "admitted with fewer pods than are left",
        {"admission": admission(count=3, cpu=3000), "reclaimable_pods": (("main", 2),)},
        want=(3, 3000),
    ),
    Counted(
        "admitted, some finished since",
        {"admission": admission(count=3, cpu=3000), "reclaimable_pods": (("main", 3),)},
        want=(2, 2000),
    ),
    Counted(
        "what does not divide is cut",
        {"admission": admission(count=3, cpu=10_000), "reclaimable_pods": (("main", 3),)},
        want=(2, 6666),
    ),
    Counted(
        "admitted, all finished",
        {"admission": admission(count=5, cpu=5000), "reclaimable_pods": (("main", 5),)},
        want=(0, 0),
    ),
    Counted("admitted with more pods than the spec has", {"admission": admission(count=8, cpu=8000)}, want=(5, 5000)),
    Counted("an admission of no pods is taken as it is", {"admission": admission(count=0, cpu=5000)}, want=(0, 5000)),
    Counted("an admission of a pod set that is gone", {"admission": admission("gone", count=5, cpu=5000)}, want=(0, 0)),
    Counted(
        "admitted, without the feature",
        {"admission": admission(count=5, cpu=5000), "reclaimable_pods": (("main", 3),)},
        want=(5, 5000),
        reclaims=False,
    ),
]


@pytest.mark.parametrize("row", COUNTED, ids=lambda row: row.name)
def test_counts(row: Counted) -> None:
    settings = Settings(gates={**DEFAULT_GATES, "ReclaimablePods": row.reclaims})
    (got,) = read(workload(pod_set(5, cpu="1"), **row.fields), settings)
    assert (got.count, got.total["cpu"]) == row.want
    assert got.flavors == ({"cpu": "default"} if "admission" in row.fields else None)


def test_an_admitted_workload_can_be_read_as_if_it_were_pending() -> None:
    asked = workload(pod_set(5, cpu="1"), admission=admission(count=3, cpu=3000))
    (got,) = RequestsReader(ClusterState(), Settings()).pending(asked)
    assert (got.count, got.total, got.flavors) == (5, {"cpu": 5000}, None)


def test_an_admission_of_fewer_pod_sets_only_counts_while_it_holds_quota() -> None:
    broken = workload(pod_set(3, cpu="1"), admission=Admission("queue"))
    assert [found.count for found in read(broken)] == [3]
    held = replace(broken, conditions=(condition("QuotaReserved"),))
    assert read(held) == ()


@pytest.mark.parametrize(("count", "want"), [(5, 5000), (3, 3000), (1, 1000), (0, 0), (7, 7000)])
def test_scaling_for_partial_admission(count: int, want: int) -> None:
    (got,) = read(workload(pod_set(5, cpu="1")))
    scaled = got.scaled_to(count)
    assert (scaled.count, scaled.total, scaled.name, scaled.shape) == (count, {"cpu": want}, got.name, got.shape)


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(0, 10**15))
def test_scaling_is_exact_for_equal_pods(count: int, other: int, amount: int) -> None:
    asked = PodSetRequests("main", count, {"cpu": amount}, {"cpu": amount * count})
    assert asked.scaled_to(other).total == {"cpu": amount * other}


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 10**13))
def test_more_pods_never_ask_for_less(few: int, more: int, nano: int) -> None:
    few, more = min(few, more), max(few, more)
    pods = template(Container("c", requests=(("cpu", nano),)))
    (small,), (large,) = (read(workload(pod_set(count, pods=pods))) for count in (few, more))
    assert small.total["cpu"] <= large.total["cpu"]


def test_equal_templates_have_one_shape_and_others_have_another() -> None:
    reader = RequestsReader(ClusterState(), Settings())

    def shape(**fields: Any) -> int:
        return reader.of(workload(pod_set(pods=template(container(cpu="1"), **fields))))[0].shape

    plain = shape()
    assert shape() == plain
    assert shape(labels=(("app", "x"),), annotations=(("a", "b"),)) == plain
    assert shape(node_selector=(("type", "a"),)) != plain
    assert shape(runtime_class="sandboxed") != plain
    assert shape(other_constraints='{"ports":[[80]]}') != plain


def test_workloads_of_one_template_share_their_numbers() -> None:
    """50,000 workloads of a few templates must not cost 50,000 dicts."""
    reader = RequestsReader(ClusterState(), Settings())
    pods = template(container(cpu="1"))
    first, second = (reader.of(workload(pod_set(4, pods=pods), name=name))[0] for name in ("a", "b"))
    assert first is second
