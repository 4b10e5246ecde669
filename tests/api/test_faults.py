"""What is wrong with an object is told with its file, its name and the field path."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from kueuectl.api import objects
from kueuectl.errors import InputError

V1BETA2 = "kueue.x-k8s.io/v1beta2"


class Case(NamedTuple):
    name: str
    kind: str
    part: Any
    path: str
    problem: str


def _groups(**quota: Any) -> dict[str, Any]:
    flavors = [{"name": "f", "resources": [{"name": "cpu", **quota}]}]
    return {"spec": {"resourceGroups": [{"coveredResources": ["cpu"], "flavors": flavors}]}}


def _container(**container: Any) -> dict[str, Any]:
    return {"spec": {"podSets": [{"template": {"spec": {"containers": [{"name": "ok"}, container]}}}]}}


CASES = [
    Case(
        "a quantity that does not parse",
        "ClusterQueue",
        _groups(nominalQuota="5 cores"),
        "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota",
        "'5 cores' is not a quantity",
    ),
    Case(
        "a quantity that is a boolean",
        "ClusterQueue",
        _groups(nominalQuota=True),
        "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota",
        "expected a string or a number, found the boolean true",
    ),
    Case(
        "a negative quota",
        "ClusterQueue",
        _groups(nominalQuota="-1"),
        "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota",
        "must not be negative",
    ),
    Case("a number for a text", "ClusterQueue", {"spec": {"cohortName": 5}}, "spec.cohortName", "expected a string"),
    Case("a text for a list", "ClusterQueue", {"spec": {"resourceGroups": "x"}}, "spec.resourceGroups", "a list"),
    Case("a list for a map", "ClusterQueue", {"spec": []}, "spec", "expected a map, found a list"),
    Case("a text for metadata", "ClusterQueue", {"metadata": "x"}, "metadata", "expected a map"),
    Case(
        "a number as a label's value",
        "Namespace",
        {"metadata": {"name": "n", "labels": {"ok": "1", "team": 5}}},
        "metadata.labels[team]",
        "expected a string, found the number 5",
    ),
    Case(
        "a policy that there is not",
        "ClusterQueue",
        {"spec": {"preemption": {"reclaimWithinCohort": "Sometimes"}}},
        "spec.preemption.reclaimWithinCohort",
        "'Sometimes' is none of Never, LowerPriority, Any",
    ),
    Case(
        "a misspelt strategy",
        "ClusterQueue",
        {"spec": {"queueingStrategy": "StrictFifo"}},
        "spec.queueingStrategy",
        "'StrictFifo' is none of",
    ),
    Case(
        "a flavor that lacks a covered resource",
        "ClusterQueue",
        {
            "spec": {
                "resourceGroups": [
                    {
                        "coveredResources": ["cpu", "memory"],
                        "flavors": [{"name": "f", "resources": [{"name": "cpu", "nominalQuota": 1}]}],
                    }
                ]
            }
        },
        "spec.resourceGroups[0].flavors[0].resources",
        "its resources are not the covered resources",
    ),
    Case(
        "a request deep in a template",
        "Workload",
        _container(name="c", resources={"requests": {"cpu": "1", "memory": "1Gigabyte"}}),
        "spec.podSets[0].template.spec.containers[1].resources.requests[memory]",
        "'1Gigabyte' is not a quantity",
    ),
    Case(
        "a wrong type deep in a template",
        "Workload",
        _container(name="c", resources={"requests": ["cpu"]}),
        "spec.podSets[0].template.spec.containers[1].resources.requests",
        "expected a map, found a list",
    ),
    Case(
        "a time that is none",
        "Workload",
        {"status": {"conditions": [{"lastTransitionTime": "yesterday"}]}},
        "status.conditions[0].lastTransitionTime",
        "'yesterday' is not a time",
    ),
    Case(
        "a time of the 32nd hour",
        "Workload",
        {"metadata": {"name": "n", "creationTimestamp": "2026-11-29T32:00:00Z"}},
        "metadata.creationTimestamp",
        "is not a time",
    ),
    Case(
        "a count below zero", "Workload", {"spec": {"podSets": [{"count": -1}]}}, "spec.podSets[0].count", "-1 is not"
    ),
    Case("a priority beyond 32 bits", "Workload", {"spec": {"priority": 2**31}}, "spec.priority", "is not between"),
    Case("a fraction of pods", "Workload", {"spec": {"podSets": [{"count": 1.5}]}}, "spec.podSets[0].count", "integer"),
    Case(
        "a topology slice with too few values",
        "Workload",
        {
            "status": {
                "admission": {
                    "podSetAssignments": [
                        {"topologyAssignment": {"slices": [{"domainCount": 3, "podCounts": {"individual": [1]}}]}}
                    ]
                }
            }
        },
        "",
        "does not have as many values as its domainCount, 3",
    ),
    Case(
        "a topology slice with a billion domains",
        "Workload",
        {
            "status": {
                "admission": {"podSetAssignments": [{"topologyAssignment": {"slices": [{"domainCount": 2**30}]}}]}
            }
        },
        "",
        "more than 100000 domains",
    ),
    Case("a name that would not be taken", "Workload", {"metadata": {"name": "Job/1"}}, "metadata.name", "valid name"),
    Case(
        "a name with escapes", "Workload", {"metadata": {"name": "a\x1b[31m"}}, "metadata.name", "'a\\x1b[31m' is not"
    ),
    Case("no name", "Workload", {"metadata": {}}, "metadata.name", "has no name"),
    Case("no kind", "", {}, "kind", "has no kind"),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_fault(case: Case) -> None:
    version = "v1" if case.kind == "Namespace" else V1BETA2
    doc = {"apiVersion": version, "kind": case.kind, "metadata": {"name": "n"}, **case.part}
    with pytest.raises(InputError) as caught:
        objects.decode(doc, source="dump.yaml")
    error = caught.value
    assert case.problem in error.problem
    assert error.path == case.path
    assert error.source == "dump.yaml"
    assert str(error).startswith("dump.yaml: ")


def test_the_object_is_named_with_its_namespace() -> None:
    doc = {
        "apiVersion": V1BETA2,
        "kind": "Workload",
        "metadata": {"name": "run", "namespace": "team-a"},
        "spec": {"queueName": []},
    }
    with pytest.raises(InputError) as caught:
        objects.decode(doc, source="dump.yaml")
    assert str(caught.value) == "dump.yaml: Workload team-a/run: spec.queueName: expected a string, found a list"


def test_a_value_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be written as JSON"):
        objects.decode({"apiVersion": V1BETA2, "kind": "Cohort", "metadata": {"name": object()}})
