"""What one pod asks for."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuectl.engine import pods
from kueuectl.model.workloads import Container, PodTemplate
from tests.engine.build import container, nanos, template


class Row(NamedTuple):
    name: str
    pod: PodTemplate
    want: dict[str, str]


ROWS = [
    Row(
        "containers add up",
        template(container(cpu="1", memory="1Gi"), container(cpu="500m")),
        want={"cpu": "1500m", "memory": "1Gi"},
    ),
    Row("nothing asked for", template(container()), want={}),
    Row(
        "an init container is a lower bound",
        template(container(cpu="1", memory="2Gi"), init_containers=(container(cpu="3", memory="1Gi"),)),
        want={"cpu": "3", "memory": "2Gi"},
    ),
    Row(
        "init containers run one after the other",
        template(container(cpu="1"), init_containers=(container(cpu="2"), container(cpu="3"))),
        want={"cpu": "3"},
    ),
    Row(
        "a sidecar runs beside the containers",
        template(container(cpu="1"), init_containers=(container(cpu="2", is_sidecar=True),)),
        want={"cpu": "3"},
    ),
    Row(
        "an init container runs beside earlier sidecars only",
        template(
            container(cpu="1"),
            init_containers=(container(cpu="5"), container(cpu="2", is_sidecar=True), container(cpu="4")),
        ),
        want={"cpu": "6"},
    ),
    Row(
        "a sidecar that comes later does not count for an init container",
        template(container(cpu="1"), init_containers=(container(cpu="5"), container(cpu="1", is_sidecar=True))),
        want={"cpu": "5"},
    ),
    Row(
        "pod-level requests replace the sum, upwards and downwards",
        template(container(cpu="2", memory="1Gi", gpu="1"), pod_requests=nanos(cpu="1", memory="4Gi")),
        want={"cpu": "1", "memory": "4Gi", "example.com/gpu": "1"},
    ),
    Row(
        "pod-level requests of other resources are ignored",
        template(container(gpu="1"), pod_requests=nanos(gpu="4")),
        want={"example.com/gpu": "1"},
    ),
    Row(
        "overhead comes on top of pod-level requests",
        template(container(cpu="2"), pod_requests=nanos(cpu="1"), overhead=nanos(cpu="100m", memory="10Mi")),
        want={"cpu": "1100m", "memory": "10Mi"},
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_total_requests(row: Row) -> None:
    assert sorted(pods.total_requests(row.pod).items()) == sorted(
        (name, dict(nanos(x=text))["x"]) for name, text in row.want.items()
    )


_CONTAINERS = st.lists(
    st.builds(
        lambda cpu, sidecar: Container("c", requests=(("cpu", cpu),), is_sidecar=sidecar),
        st.integers(0, 10**12),
        st.booleans(),
    ),
    max_size=4,
).map(tuple)


@given(_CONTAINERS, _CONTAINERS, _CONTAINERS)
def test_more_containers_never_ask_for_less(
    containers: tuple[Container, ...], init: tuple[Container, ...], more: tuple[Container, ...]
) -> None:
    few = pods.total_requests(PodTemplate(containers=containers, init_containers=init)).get("cpu", 0)
    for pod in (
        PodTemplate(containers=containers + more, init_containers=init),
        PodTemplate(containers=containers, init_containers=init + more),
    ):
        assert pods.total_requests(pod).get("cpu", 0) >= few


@given(_CONTAINERS, _CONTAINERS)
def test_a_pod_asks_for_what_any_of_its_phases_needs(
    containers: tuple[Container, ...], init: tuple[Container, ...]
) -> None:
    """The rule said differently: the largest sum of what runs at the same time."""
    total = pods.total_requests(PodTemplate(containers=containers, init_containers=init)).get("cpu", 0)
    phases, running = [], 0
    for found in init:
        phases.append(running + found.requests[0][1])
        running += found.requests[0][1] if found.is_sidecar else 0
    phases.append(running + sum(found.requests[0][1] for found in containers))
    assert total == max(phases)
