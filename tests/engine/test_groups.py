"""ClusterQueues that the API would refuse, but that old objects and Kueue's own tests have."""

from __future__ import annotations

from kueuectl.engine import snapshot
from kueuectl.model.queues import ClusterQueue, FlavorQuotas, ResourceGroup, ResourceQuota
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState


def test_the_first_group_that_covers_a_resource_counts() -> None:
    groups = tuple(
        ResourceGroup(("cpu",), (FlavorQuotas(flavor, (ResourceQuota("cpu", 1000),)),)) for flavor in ("a", "b")
    )
    state = ClusterState(cluster_queues={"queue": ClusterQueue("queue", resource_groups=groups)})
    queue = snapshot.build(state, Settings()).queues["queue"]
    assert queue.group_of["cpu"].flavors[0].name == "a"
