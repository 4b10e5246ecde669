"""What is known about draining nodes: capacity and quota, pods, placements."""

from __future__ import annotations

from kueuectl.analysis import drain
from kueuectl.model.flavors import Node
from kueuectl.model.state import ClusterState, OwnerObject
from kueuectl.model.values import replace
from kueuectl.model.workloads import Owner
from tests.dry_run.cluster import GPU, queue, state, workload


def node(name: str, pool: str, gpus: int) -> Node:
    """A ready node."""
    return Node(name, labels=(("kubernetes.io/hostname", name), ("pool", pool)), allocatable=((GPU, gpus),))


def pod(name: str, owner: Owner | None, on: str, phase: str = "Running") -> OwnerObject:
    """A pod on a node."""
    owners = () if owner is None else (owner,)
    return OwnerObject("v1", "Pod", "blue", name, uid=f"uid-{name}", owners=owners, phase=phase, node=on)


def cluster() -> ClusterState:
    """Two nodes of a pool, one of another, a job with pods on both pools."""
    found = state(queue("blue", 12), workload("blue", "train", 4, held="default"))
    job = Owner("batch/v1", "Job", "train", "uid-job", is_controller=True)
    whole = replace(found.workloads["blue/train"], owners=(job,))
    nodes = [node("a-0", "a", 8), node("a-1", "a", 8), node("b-0", "b", 8)]
    pods = [
        pod("one", job, "a-0"),
        pod("two", job, "b-0"),
        pod("ended", job, "a-0", "Succeeded"),
        pod("stranger", None, "a-0"),
    ]
    return replace(
        found,
        nodes={entry.name: entry for entry in nodes},
        flavors={"default": replace(found.flavors["default"], node_labels=(("pool", "a"),))},
        workloads={"blue/train": whole},
        owners=tuple(pods),
    )


def test_capacity_goes_and_quota_stays() -> None:
    found = drain.drain(cluster(), ["a-0"])
    (row,) = found.capacity
    assert (row.quota, row.used, row.before, row.after, row.excess) == (12, 4, 16, 8, 4)
    assert sorted(found.state.nodes) == ["a-1", "b-0"]


def test_pods_are_led_back_to_workloads() -> None:
    found = drain.drain(cluster(), ["a-0"])
    assert found.knows_pods
    assert found.running == (("", 1), ("blue/train", 1))


def test_a_node_that_no_flavor_matches() -> None:
    found = drain.drain(cluster(), ["b-0"])
    assert found.capacity == ()
    assert found.running == (("blue/train", 1),)


def test_flavors_that_share_nodes_are_told() -> None:
    both = cluster()
    flavors = {**both.flavors, "any": replace(both.flavors["default"], name="any", node_labels=())}
    assert drain.drain(replace(both, flavors=flavors), ["a-0"]).is_shared
    assert not drain.drain(both, ["a-0"]).is_shared


def test_pods_without_nodes_say_nothing() -> None:
    blind = replace(cluster(), owners=(pod("one", None, ""),))
    found = drain.drain(blind, ["a-0"])
    assert (found.knows_pods, found.running) == (False, ())
