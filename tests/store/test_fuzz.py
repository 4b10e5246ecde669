"""Whatever the input is, it is read or refused; no other error comes out."""

from __future__ import annotations

import contextlib
import io
import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from kueuectl.api import objects
from kueuectl.errors import KueuectlError
from kueuectl.store.load import load

KINDS = [
    ("kueue.x-k8s.io/v1beta2", "ClusterQueue"),
    ("kueue.x-k8s.io/v1beta1", "Workload"),
    ("kueue.x-k8s.io/v1beta2", "Workload"),
    ("kueue.x-k8s.io/v1beta2", "LocalQueue"),
    ("v1", "Node"),
    ("v1", "List"),
    ("v1", "NamespaceList"),
    ("v1", "ConfigMap"),
    ("apps/v1", "Deployment"),
    ("batch/v1", "Job"),
    ("kueuectl/v1alpha1", "Dump"),
    ("config.kueue.x-k8s.io/v1beta2", "Configuration"),
]
KEYS = [
    "metadata",
    "name",
    "namespace",
    "labels",
    "annotations",
    "ownerReferences",
    "creationTimestamp",
    "spec",
    "status",
    "podSets",
    "template",
    "containers",
    "resources",
    "requests",
    "count",
    "conditions",
    "admission",
    "podSetAssignments",
    "resourceUsage",
    "topologyAssignment",
    "slices",
    "domainCount",
    "valuesPerLevel",
    "podCounts",
    "universal",
    "individual",
    "roots",
    "resourceGroups",
    "flavors",
    "coveredResources",
    "nominalQuota",
    "items",
    "savedAt",
    "data",
    "controller_manager_config.yaml",
    "fairSharing",
    "weight",
    "allocatable",
    "taints",
    "args",
    "featureGates",
    "kind",
    "apiVersion",
    "admissionChecks",
    "preemption",
    "namespaceSelector",
    "matchExpressions",
    "waitForPodsReady",
    "timeout",
]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        ["", "1", "500m", "1e999", "-1", "2026-11-29T17:00:00Z", "x", "\ud83d\ude00", "a/b", "5m", "A=true"]
    ),
    st.text(max_size=8),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)),
    max_leaves=25,
)


def refused_or_read(text: bytes) -> None:
    # Any other error fails the test.
    with contextlib.suppress(KueuectlError):
        load(["-"], stdin=io.BytesIO(text), clock=lambda: 1)


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
@example(b"\xff\xfe\x00\xd8")
@example(b'{"kind":"\\ud800"}')
@example(b'{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"\xff"}}')
@example(b"a: \xff")
@example(b"%YAML 9.9\n---\na: 1")
@example(b"? ")
def test_any_bytes(text: bytes) -> None:
    refused_or_read(text)


@given(st.text(alphabet=st.sampled_from("{}[]:,-&*!|>'\"#%@`? \n\tabc01.~<"), max_size=120))
@settings(max_examples=400, deadline=None)
def test_any_punctuation(text: str) -> None:
    refused_or_read(text.encode())


@given(st.sampled_from(KINDS), TREES, TREES, TREES)
@settings(max_examples=400, deadline=None)
def test_any_object(kind: tuple[str, str], spec: Any, status: Any, items: Any) -> None:
    meta = {"name": "n", "namespace": "team-a"}
    doc = {"apiVersion": kind[0], "kind": kind[1], "metadata": meta, "spec": spec, "status": status, "items": items}
    refused_or_read(json.dumps(doc).encode())


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(KEYS), TREES, max_size=6), st.booleans())
@settings(max_examples=400, deadline=None)
def test_any_fields(kind: tuple[str, str], fields: dict[str, Any], strict: bool) -> None:
    with contextlib.suppress(KueuectlError):
        objects.decode({"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": "n"}, **fields}, strict=strict)
