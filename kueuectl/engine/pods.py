"""What one pod asks for, by Kubernetes' rules (KEP-753 sidecar containers, KEP-2837 pod-level resources), exact.

1. Containers and sidecars run together: their requests add up.
2. An init container runs beside the sidecars that started before it: the largest of these sums is a lower bound.
3. Pod-level requests replace the sum for the resources that Kubernetes supports there.
4. The overhead of the runtime class comes on top.
"""

from __future__ import annotations

from kueuectl.model.workloads import NanoList, PodTemplate

_POD_LEVEL = frozenset({"cpu", "memory"})
_HUGE_PAGES = "hugepages-"


def total_requests(template: PodTemplate) -> dict[str, int]:
    """Nano-units of each resource that a pod of the template asks for; the template's defaults must be filled in."""
    total: dict[str, int] = {}
    for container in template.containers:
        _add(total, container.requests)
    if template.init_containers:
        _start_up(template, total)
    for name, value in template.pod_requests or ():
        if name in _POD_LEVEL or name.startswith(_HUGE_PAGES):
            total[name] = value
    _add(total, template.overhead)
    return total


def _start_up(template: PodTemplate, total: dict[str, int]) -> None:
    """Add the sidecars, and raise the total to what the start of the pod needs."""
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in template.init_containers:
        if container.is_sidecar:
            _add(total, container.requests)
            _add(sidecars, container.requests)
            _raise(peak, sidecars)
        else:
            beside = dict(sidecars)
            _add(beside, container.requests)
            _raise(peak, beside)
    _raise(total, peak)


def _add(total: dict[str, int], values: NanoList) -> None:
    for name, value in values:
        total[name] = total.get(name, 0) + value


def _raise(total: dict[str, int], floor: dict[str, int]) -> None:
    for name, value in floor.items():
        if name not in total or total[name] < value:
            total[name] = value
