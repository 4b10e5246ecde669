"""v1beta1 gives the same model as v1beta2, and versions that are not known are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kueuectl.api import objects
from kueuectl.errors import InputError

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "dump"


class Pair(NamedTuple):
    name: str
    kind: str
    old: dict[str, Any]
    new: dict[str, Any]


def _admission(topology: dict[str, Any]) -> dict[str, Any]:
    assignment = {"name": "main", "topologyAssignment": {"levels": ["rack"], **topology}}
    return {"status": {"admission": {"clusterQueue": "cq", "podSetAssignments": [assignment]}}}


PAIRS = [
    Pair("the cohort", "ClusterQueue", {"spec": {"cohort": "c"}}, {"spec": {"cohortName": "c"}}),
    Pair(
        "policies named after what stops the search",
        "ClusterQueue",
        {"spec": {"flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"}}},
        {"spec": {"flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "MayStopSearch"}}},
    ),
    Pair(
        "a plain list of admission checks",
        "ClusterQueue",
        {"spec": {"admissionChecks": ["a", "b"]}},
        {"spec": {"admissionChecksStrategy": {"admissionChecks": [{"name": "a"}, {"name": "b"}]}}},
    ),
    Pair(
        "usage of a LocalQueue",
        "LocalQueue",
        {"status": {"flavorUsage": [{"name": "f", "resources": [{"name": "cpu", "total": "1"}]}]}},
        {"status": {"flavorsUsage": [{"name": "f", "resources": [{"name": "cpu", "total": "1"}]}]}},
    ),
    Pair(
        "a priority class of Kueue",
        "Workload",
        {"spec": {"priorityClassName": "p", "priorityClassSource": "kueue.x-k8s.io/workloadpriorityclass"}},
        {"spec": {"priorityClassRef": {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "p"}}},
    ),
    Pair(
        "a priority class of pods",
        "Workload",
        {"spec": {"priorityClassName": "p", "priorityClassSource": "scheduling.k8s.io/priorityclass"}},
        {"spec": {"priorityClassRef": {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": "p"}}},
    ),
    Pair(
        "the misspelt execution time",
        "Workload",
        {"status": {"accumulatedPastExexcutionTimeSeconds": 7}},
        {"status": {"accumulatedPastExecutionTimeSeconds": 7}},
    ),
    Pair(
        "a topology assignment as plain domains",
        "Workload",
        _admission({"domains": [{"values": ["r1"], "count": 2}, {"values": ["r2"], "count": 2}]}),
        _admission(
            {
                "slices": [
                    {
                        "domainCount": 2,
                        "valuesPerLevel": [{"individual": {"prefix": "r", "roots": ["1", "2"]}}],
                        "podCounts": {"universal": 2},
                    }
                ]
            }
        ),
    ),
]


def _doc(kind: str, version: str, part: dict[str, Any]) -> dict[str, Any]:
    meta = {"name": "n", "namespace": "team-a"} if kind in ("Workload", "LocalQueue") else {"name": "n"}
    return {"apiVersion": f"kueue.x-k8s.io/{version}", "kind": kind, "metadata": meta, **part}


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])
def test_old_and_new_are_equal(pair: Pair) -> None:
    old = objects.decode(_doc(pair.kind, "v1beta1", pair.old))
    new = objects.decode(_doc(pair.kind, "v1beta2", pair.new))
    assert old == new
    assert new != objects.decode(_doc(pair.kind, "v1beta2", {}))


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])
def test_fields_of_the_old_version_are_not_read_in_the_new_one(pair: Pair) -> None:
    if pair.name in ("policies named after what stops the search", "usage of a LocalQueue"):
        pytest.skip("the field has one meaning in both")
    if "topology" in pair.name:
        pytest.skip("the two forms stand side by side in one field")
    assert objects.decode(_doc(pair.kind, "v1beta2", pair.old)) == objects.decode(_doc(pair.kind, "v1beta2", {}))


def test_a_cohort_of_v1alpha1_names_its_parent_otherwise() -> None:
    old = objects.decode(_doc("Cohort", "v1alpha1", {"spec": {"parent": "p"}}))
    assert old == objects.decode(_doc("Cohort", "v1beta2", {"spec": {"parentName": "p"}}))


REFUSED = [
    ("a version to come", "kueue.x-k8s.io/v1", "Workload"),
    ("a version that never had the kind", "kueue.x-k8s.io/v1alpha1", "Workload"),
    ("a built-in kind of another version", "v2", "Node"),
]


@pytest.mark.parametrize(("name", "version", "kind"), REFUSED, ids=[name for name, _, _ in REFUSED])
def test_unknown_version_is_refused(name: str, version: str, kind: str) -> None:
    with pytest.raises(InputError) as caught:
        objects.decode({"apiVersion": version, "kind": kind, "metadata": {"name": "n"}}, source="dump.yaml")
    error = caught.value
    assert (error.source, error.object, error.path) == ("dump.yaml", f"{kind} n", "apiVersion")
    assert error.hint.startswith("known: ")


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/dump is not there")
@pytest.mark.parametrize("name", ["clusterqueues", "workloads"])
def test_a_real_cluster_reads_the_same_in_both_versions(name: str) -> None:
    new, old = (json.loads((SHARED / f"{name}{suffix}.json").read_text()) for suffix in ("", "-v1beta1"))
    assert objects.decode_state([("new", new)]) == objects.decode_state([("old", old)])
