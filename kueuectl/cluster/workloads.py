"""Single workloads and all of them, as models: what is looked at while a plan is carried out."""

from __future__ import annotations

from collections.abc import Mapping

from kueuectl.api.collect import Collector
from kueuectl.cluster import kinds, lists
from kueuectl.cluster.client import Client
from kueuectl.cluster.failures import MissingError
from kueuectl.model.workloads import Workload


def one(client: Client, key: str) -> Workload | None:
    """The workload NAMESPACE/NAME as it is now; None where it is gone."""
    namespace, _, name = key.partition("/")
    version, _ = client.discovery.find(kinds.WORKLOAD)
    path = kinds.path_of(kinds.WORKLOAD, version, namespace=namespace, name=name)
    try:
        body = client.get(path, what=f"get Workload {key}")
    except MissingError:
        return None
    collector = Collector()
    collector.add(body, source=f"Workload {key}")
    return collector.state().workloads.get(key)


def everywhere(client: Client) -> Mapping[str, Workload]:
    """All workloads of the cluster, by namespace/name. Raises ForbiddenError where they may not be listed."""
    version, _ = client.discovery.find(kinds.WORKLOAD)
    listing = lists.Listing(kinds.path_of(kinds.WORKLOAD, version), "list workloads")
    return lists.collect(client, listing).state().workloads
