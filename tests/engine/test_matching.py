"""Which flavors pods could run on."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from kueuectl.engine.flavors import matching
from kueuectl.engine.reasons import AffinityMismatch, FlavorReason, TopologyUnsupported, Untolerated
from kueuectl.model.flavors import ResourceFlavor, Topology
from kueuectl.model.selectors import NodeSelectorTerm, Requirement, Taint, Toleration
from kueuectl.model.workloads import PodSet, SliceConstraint, TopologyRequest
from tests.engine.build import template

SPOT = Taint("instance", "spot", "NoSchedule")
GEN = Taint("gen", "5", "NoExecute")


def term(key: str, operator: str = "In", *values: str) -> NodeSelectorTerm:
    return NodeSelectorTerm((Requirement(key, operator, values),))


class Row(NamedTuple):
    name: str
    flavor: dict[str, Any]
    pod: dict[str, Any]
    want: tuple[FlavorReason, ...] = ()


_A = {"node_labels": (("type", "a"),)}
ROWS = [
    Row("a flavor without labels and taints takes all", {}, {"node_selector": (("type", "b"),)}),
    Row("an equal node selector", _A, {"node_selector": (("type", "a"),)}),
    Row("another node selector", _A, {"node_selector": (("type", "b"),)}, want=(AffinityMismatch("f"),)),
    Row("a key that the flavor says nothing about", _A, {"node_selector": (("zone", "b"),)}),
    Row("affinity that matches", _A, {"node_affinity": (term("type", "In", "a", "b"),)}),
    Row("affinity that does not", _A, {"node_affinity": (term("type", "NotIn", "a"),)}, want=(AffinityMismatch("f"),)),
    Row("terms are alternatives", _A, {"node_affinity": (term("type", "In", "b"), term("type", "Exists"))}),
    Row(
        "a term about other labels leaves it open",
        _A,
        {"node_affinity": (term("type", "In", "b"), term("zone", "In", "z"))},
    ),
    Row(
        "in one term all of the flavor's labels count",
        {"node_labels": (("gen", "5"), ("type", "a"))},
        {"node_affinity": (NodeSelectorTerm((Requirement("type", "In", ("a",)), Requirement("gen", "Gt", ("5",)))),)},
        want=(AffinityMismatch("f"),),
    ),
    Row(
        "fields of nodes are not looked at",
        _A,
        {"node_affinity": (NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n",)),)),)},
    ),
    Row("no terms at all", _A, {"node_affinity": ()}),
    Row(
        "selector and affinity must both hold",
        _A,
        {"node_selector": (("type", "a"),), "node_affinity": (term("type", "In", "b"),)},
        want=(AffinityMismatch("f"),),
    ),
    Row("a taint", {"node_taints": (SPOT,)}, {}, want=(Untolerated("f", SPOT),)),
    Row("a tolerated taint", {"node_taints": (SPOT,)}, {"tolerations": (Toleration("instance", "Exists"),)}),
    Row(
        "a taint that the flavor tolerates",
        {"node_taints": (SPOT,), "tolerations": (Toleration("instance", "Exists"),)},
        {},
    ),
    Row(
        "pods and flavor tolerate together",
        {"node_taints": (SPOT, GEN), "tolerations": (Toleration("instance", "Exists"),)},
        {"tolerations": (Toleration("gen", "Gt", "4"),)},
    ),
    Row(
        "the taint comes before the labels",
        {"node_taints": (SPOT,), **_A},
        {"node_selector": (("type", "b"),)},
        want=(Untolerated("f", SPOT), AffinityMismatch("f")),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_mismatches(row: Row) -> None:
    assert matching.mismatches(ResourceFlavor("f", **row.flavor), template(**row.pod)) == row.want


_ONLY = TopologyUnsupported("f", 'Flavor "f" supports only TopologyAwareScheduling')
_NOT = TopologyUnsupported("f", 'Flavor "f" does not support TopologyAwareScheduling')
_LEVEL = TopologyUnsupported("f", 'Flavor "f" does not contain the requested level')


@pytest.mark.parametrize(
    ("name", "topology", "request_", "is_implied", "want"),
    [
        ("neither asks", None, None, False, None),
        ("the flavor only", "racks", None, False, _ONLY),
        ("the flavor, and all of its queue's", "racks", None, True, None),
        ("a request that asks for no placement", "racks", TopologyRequest(pod_index_label="i"), False, _ONLY),
        ("the pod set only", None, TopologyRequest(required="rack"), False, _NOT),
        ("both", "racks", TopologyRequest(required="rack"), False, None),
        ("unconstrained", "racks", TopologyRequest(unconstrained=True), False, None),
        ("a level that is missing", "racks", TopologyRequest(preferred="zone"), False, _LEVEL),
        (
            "a slice level that is missing",
            "racks",
            TopologyRequest(required="rack", slice_required="zone"),
            False,
            _LEVEL,
        ),
        (
            "a layer of slices that is missing",
            "racks",
            TopologyRequest(required="rack", slice_constraints=(SliceConstraint("zone", 2),)),
            False,
            _LEVEL,
        ),
    ],
)
def test_topology(
    name: str,
    topology: str | None,
    request_: TopologyRequest | None,
    is_implied: bool,
    want: TopologyUnsupported | None,
) -> None:
    got = matching.topology_mismatch(
        ResourceFlavor("f", topology=topology),
        PodSet("main", 1, template(), topology_request=request_),
        topologies={"racks": Topology("racks", ("block", "rack"))},
        is_implied=is_implied,
    )
    assert got == want, name
