"""What namespaces and runtime classes do to pod templates: defaults, overhead, and what makes a workload invalid.

Rules (docs: Workload, Resource requests; Kubernetes: LimitRange):

1. A runtime class with overhead adds it where the template has none.
2. Defaults of Container limits fill the containers; those of Pod limits fill pod-level resources, where these are used.
3. Limits stand in for missing requests, of containers and of the pod.
4. Requests must not exceed limits. Requests and limits of containers must keep to the Container limits of the
   namespace, the whole pod's requests to its Pod limits. Ratios are not checked.

Several LimitRanges of a namespace count together: the lowest max and ratio, the highest min, the first default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kueuectl.engine import pods
from kueuectl.model.state import LimitRange, LimitRangeItem
from kueuectl.model.values import replace
from kueuectl.model.workloads import Container, NanoList, PodTemplate

CONTAINER = "Container"
POD = "Pod"
Summary = Mapping[str, LimitRangeItem]
"""The limits of a namespace by type."""


class AboveLimits(NamedTuple):
    """Requests above the own limits. `path` is the field, as the API server writes it."""

    path: str
    resources: tuple[str, ...]

    @property
    def text(self) -> str:
        """The words of Kueue."""
        return _invalid(self.path, self.resources, "requests must not exceed its limits")


class AboveRange(NamedTuple):
    """Requests or limits above the max of the namespace's LimitRanges."""

    path: str
    resources: tuple[str, ...]

    @property
    def text(self) -> str:
        """The words of Kueue."""
        return _invalid(self.path, self.resources, "requests must not be above the limitRange max")


class BelowRange(NamedTuple):
    """Requests or limits below the min of the namespace's LimitRanges."""

    path: str
    resources: tuple[str, ...]

    @property
    def text(self) -> str:
        """The words of Kueue."""
        return _invalid(self.path, self.resources, "requests must not be below the limitRange min")


Problem = AboveLimits | AboveRange | BelowRange


def message(problems: Sequence[Problem]) -> str:
    """What Kueue writes into the condition of a workload with these problems; all are of one kind."""
    texts = list(dict.fromkeys(problem.text for problem in problems))
    joined = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    if isinstance(problems[0], AboveLimits):
        return f"resources validation failed: {joined}"
    return f"resources didn't satisfy LimitRange constraints: {joined}"


def summarize(ranges: Iterable[LimitRange]) -> Summary:
    """The limits of one namespace, from its LimitRanges in the order of their names; empty without any."""
    summary: dict[str, LimitRangeItem] = {}
    for limit_range in sorted(ranges, key=lambda found: found.name):
        for item in limit_range.items:
            known = summary.get(item.type)
            summary[item.type] = item if known is None else _combine(known, item)
    return summary


def adjust(template: PodTemplate, summary: Summary, overhead: NanoList | None) -> PodTemplate:
    """The template with all defaults filled in; `overhead` is that of its runtime class. Rules 1 to 3."""
    containers = tuple(_adjust_container(found, summary.get(CONTAINER)) for found in template.containers)
    init = tuple(_adjust_container(found, summary.get(CONTAINER)) for found in template.init_containers)
    requests, limits = template.pod_requests, template.pod_limits
    if requests is not None or limits is not None:
        item = summary.get(POD)
        if item is not None:
            limits = merge(limits or (), item.default)
            requests = merge(requests or (), item.default_request)
        requests = merge(requests or (), limits or ())
    return replace(
        template,
        containers=containers,
        init_containers=init,
        pod_requests=requests,
        pod_limits=limits,
        overhead=template.overhead or overhead or (),
    )


def above_limits(template: PodTemplate, path: str) -> list[AboveLimits]:
    """Where an adjusted template requests more than its own limits; `path` is that of the pod spec."""
    found = []
    for name, container in _containers(template, path):
        greater = _greater(container.requests, container.limits)
        if greater:
            found.append(AboveLimits(name, greater))
    greater = _greater(template.pod_requests or (), template.pod_limits or ())
    if greater:
        found.append(AboveLimits(f"{path}.resources", greater))
    return found


def outside_ranges(template: PodTemplate, summary: Summary, path: str) -> list[Problem]:
    """Where an adjusted template breaks the limits of its namespace."""
    found: list[Problem] = []
    item = summary.get(CONTAINER)
    if item is not None:
        for name, container in _containers(template, path):
            found += _outside(item, name, container.requests, container.limits)
    item = summary.get(POD)
    if item is not None:
        total = tuple(sorted(pods.total_requests(template).items()))
        found += _outside(item, path, total, ())
    return found


def merge(first: NanoList, second: NanoList) -> NanoList:
    """Both lists; the first one counts where both have a resource."""
    if not second:
        return first
    return tuple(sorted({**dict(second), **dict(first)}.items()))


def _adjust_container(container: Container, item: LimitRangeItem | None) -> Container:
    limits = merge(container.limits, item.default) if item else container.limits
    requests = merge(container.requests, item.default_request) if item else container.requests
    requests = merge(requests, limits)
    if limits == container.limits and requests == container.requests:
        return container
    return replace(container, limits=limits, requests=requests)


def _combine(first: LimitRangeItem, second: LimitRangeItem) -> LimitRangeItem:
    return LimitRangeItem(
        type=first.type,
        max=_lower(first.max, second.max),
        min=_higher(first.min, second.min),
        default=merge(first.default, second.default),
        default_request=merge(first.default_request, second.default_request),
        max_ratio=_lower(first.max_ratio, second.max_ratio),
    )


def _lower(first: NanoList, second: NanoList) -> NanoList:
    values = dict(first)
    for name, value in second:
        values[name] = min(value, values.get(name, value))
    return tuple(sorted(values.items()))


def _higher(first: NanoList, second: NanoList) -> NanoList:
    values = dict(first)
    for name, value in second:
        values[name] = max(value, values.get(name, value))
    return tuple(sorted(values.items()))


def _containers(template: PodTemplate, path: str) -> list[tuple[str, Container]]:
    found = [(f"{path}.initContainers[{index}]", c) for index, c in enumerate(template.init_containers)]
    return found + [(f"{path}.containers[{index}]", c) for index, c in enumerate(template.containers)]


def _greater(values: NanoList, bounds: NanoList) -> tuple[str, ...]:
    """Names whose value is above its bound, sorted; a missing bound bounds nothing."""
    limits = dict(bounds)
    return tuple(name for name, value in values if name in limits and value > limits[name])


def _outside(item: LimitRangeItem, path: str, requests: NanoList, limits: NanoList) -> list[Problem]:
    found: list[Problem] = []
    above = _greater(_higher(requests, limits), item.max)
    if above:
        found.append(AboveRange(path, above))
    # The bound may not be above the value.
    below = _greater(item.min, _lower(requests, limits))
    if below:
        found.append(BelowRange(path, below))
    return found


def _invalid(path: str, resources: tuple[str, ...], problem: str) -> str:
    names = ",".join(f'"{name}"' for name in resources)
    return f"{path}: Invalid value: [{names}]: {problem}"
