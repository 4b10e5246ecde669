"""Concurrent admission: variants of one workload, each for other flavors (KEP-8691)."""

from __future__ import annotations

from typing import Any

import pytest

from kueuectl.engine.simulate import Simulation
from kueuectl.engine.workloads import ALLOWED_FLAVORS_ANNOTATION, PARENT_LABEL
from kueuectl.model.workloads import Owner, Workload
from tests.engine.scene import holding, outcomes, queue, simulation, waiting

ON = {"ConcurrentAdmission": True}
FLAVORS = {"reserved": 4, "on-demand": 4, "spot": 4}


def variant(name: str, flavor: str, *, held: bool = False, parent: str = "parent", **fields: Any) -> Workload:
    """A variant of a workload for one flavor; `held`: admitted there."""
    owner = Owner("kueue.x-k8s.io/v1beta2", "Workload", parent, uid=f"{parent}-uid", is_controller=True)
    values = {"annotations": ((ALLOWED_FLAVORS_ANNOTATION, flavor),), "owners": (owner,), **fields}
    return holding(name, "a", 4, flavor=flavor, **values) if held else waiting(name, "a", 4, **values)


def run(*workloads: Workload, gates: dict[str, bool] = ON, **fields: Any) -> Simulation:
    """A simulation of one queue."""
    return simulation([queue("a", flavors=FLAVORS, **fields)], workloads, **gates)


SKIPPED = ("asks", "a more favorable variant is admitted", "FAILED_AFTER_NOMINATION")
MIGRATES = ("asks", "waits for a less favorable variant to leave", "PENDING_MIGRATION")
UNACCEPTABLE = ("asks", "below the last acceptable flavor", "GENERIC")
ADMITTED = ("asks", "admitted", "GENERIC")
NO_FIT = ("asks", "no fit", "NO_FIT")


@pytest.mark.parametrize(
    ("name", "sibling", "asks", "fields", "want"),
    [
        ("better than its sibling", variant("runs", "spot", held=True), variant("asks", "on-demand"), {}, MIGRATES),
        ("worse than its sibling", variant("runs", "on-demand", held=True), variant("asks", "spot"), {}, SKIPPED),
        (
            "of another parent",
            variant("runs", "spot", held=True, parent="p"),
            variant("asks", "on-demand"),
            {},
            ADMITTED,
        ),
        (
            "better, but not good enough to migrate",
            variant("runs", "spot", held=True),
            variant("asks", "on-demand"),
            {"last_acceptable_flavor": "reserved"},
            UNACCEPTABLE,
        ),
        (
            "good enough to migrate",
            variant("runs", "spot", held=True),
            variant("asks", "on-demand"),
            {"last_acceptable_flavor": "on-demand"},
            MIGRATES,
        ),
        (
            "never good enough, and would not fit",
            variant("runs", "spot", held=True),
            variant("asks", "gone"),
            {"last_acceptable_flavor": "reserved"},
            NO_FIT,
        ),
    ],
)
def test_variant(
    name: str, sibling: Workload, asks: Workload, fields: dict[str, Any], want: tuple[str, str, str]
) -> None:
    assert outcomes(run(sibling, asks, **fields)) == [want], name


def test_without_the_gate_variants_are_workloads_like_others() -> None:
    found = run(variant("runs", "spot", held=True), variant("asks", "on-demand"), gates={})
    assert outcomes(found) == [("asks", "admitted", "GENERIC")]


def test_a_migration_evicts_the_sibling_for_good() -> None:
    found = run(variant("first", "spot", creation=1), variant("second", "on-demand", creation=2))
    steps = [outcomes(found)[0][:2] for _ in range(3)]
    assert steps == [
        ("first", "admitted"),
        ("second", "waits for a less favorable variant to leave"),
        ("second", "admitted"),
    ]
    assert found.evictions == {"team-a/first": "FlavorMigration"}
    assert list(found.snapshot.held) == ["team-a/second"]
    assert list(found.pools.queues["a"].inadmissible) == ["team-a/first"]


def test_the_parent_is_not_scheduled() -> None:
    parent = waiting("parent", "a", 4, labels=((PARENT_LABEL, "true"),))
    assert outcomes(run(parent)) == []
    assert outcomes(run(parent, gates={})) == [("parent", "admitted", "GENERIC")]
