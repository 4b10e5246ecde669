"""What a workload asks for, per pod set: for one pod and in total, as Kueue counts it.

Rules (docs: Workload, Resource requests; KEP-2937 transformations; KEP-78 reclaimable pods; KEP-420 partial admission):

1. Templates are completed first: runtime class overhead, LimitRange defaults, limits as requests (`limits`).
2. One pod's requests are summed exactly (`pods`); resources with an excluded prefix are dropped, then transformations
   apply: outputs per unit of input, times the request of `multiplyBy` where the pod has it. Then amounts are rounded
   up, and nothing is below zero.
3. The total is that times the count, less the pods that are already finished (reclaimable), saturated.
4. A workload that has an admission takes totals, flavors and counts from it; when pods were reclaimed since, the total
   is divided by the admitted count, cut to an integer, and multiplied again. One that waits and whose admission has
   other pod sets than it is read as if it had none.

The dicts that are handed out are shared between workloads: read them, never change them.
"""

from __future__ import annotations

from typing import NamedTuple

from kueuectl.engine import amounts, limits, pods
from kueuectl.engine.limits import Problem, Summary
from kueuectl.model import conditions
from kueuectl.model.settings import Settings, Transformation
from kueuectl.model.state import ClusterState, LimitRange
from kueuectl.model.values import Struct, replace
from kueuectl.model.workloads import PodSet, PodTemplate, Workload

_EMPTY: Summary = {}
_NANO_CUBED = amounts.NANO**3
_MEMO_LIMIT = 100_000


class PodSetRequests(Struct, frozen=True):
    """Requests of one pod set. Amounts by resource, sorted by name; `flavors` only where it holds quota.

    `shape` is equal for pod sets whose templates mean the same to the scheduler, within one reader.
    """

    name: str
    count: int
    single: dict[str, int]
    total: dict[str, int]
    flavors: dict[str, str] | None = None
    shape: int = 0

    def scaled_to(self, count: int) -> PodSetRequests:
        """The same for another number of pods (partial admission): the total is divided first, as Kueue does."""
        if count == self.count or self.count == 0:
            return self if count == self.count else replace(self, count=count)
        single = {name: _divide(value, self.count) for name, value in self.total.items()}
        total = {name: amounts.saturate(value * count) for name, value in single.items()}
        return PodSetRequests(self.name, count, single, total, self.flavors, self.shape)


class _Template(NamedTuple):
    """What was found out about a template. Keeps the parts alive whose identities are the key."""

    source: PodTemplate
    adjusted: PodTemplate
    single: dict[str, int]
    shape: int
    known: dict[tuple[str, int], PodSetRequests]


class RequestsReader:
    """Reads requests of workloads of one state. Equal templates are worked out once; safe for one thread."""

    def __init__(self, state: ClusterState, settings: Settings) -> None:
        self._state = state
        self._excluded = settings.exclude_resource_prefixes
        self._transformations = {entry.input: entry for entry in settings.transformations}
        self._reclaims = settings.gate("ReclaimablePods")
        ranges: dict[str, list[LimitRange]] = {}
        for found in state.limit_ranges.values():
            ranges.setdefault(found.namespace, []).append(found)
        self._summaries = {namespace: limits.summarize(found) for namespace, found in ranges.items()}
        self._templates: dict[tuple[object, ...], _Template] = {}
        self._shapes: dict[tuple[object, ...], int] = {}

    def of(self, workload: Workload) -> tuple[PodSetRequests, ...]:
        """Requests of all pod sets: of its admission where it has one, else as `pending`."""
        if workload.admission is not None and _counts(workload):
            return self._admitted(workload)
        return self.pending(workload)

    def pending(self, workload: Workload) -> tuple[PodSetRequests, ...]:
        """Requests of all pod sets as they would queue now, whatever was admitted before."""
        reclaimable = dict(workload.reclaimable_pods) if self._reclaims and workload.reclaimable_pods else None
        found = []
        for pod_set in workload.pod_sets:
            template = self._template(pod_set.template, workload.namespace)
            count = pod_set.count
            if reclaimable:
                count = max(count - reclaimable.get(pod_set.name, 0), 0)
            asked = template.known.get((pod_set.name, count))
            if asked is None:
                total = {name: amounts.saturate(value * count) for name, value in template.single.items()}
                asked = PodSetRequests(pod_set.name, count, template.single, total, None, template.shape)
                template.known[pod_set.name, count] = asked
            found.append(asked)
        return tuple(found)

    def adjusted(self, pod_set: PodSet, namespace: str) -> PodTemplate:
        """The template of a pod set with all defaults filled in."""
        return self._template(pod_set.template, namespace).adjusted

    def problems(self, workload: Workload) -> tuple[Problem, ...]:
        """Why the requests are invalid; empty when they are not. LimitRanges are looked at when the rest is right."""
        found: list[Problem] = []
        paths = [f"spec.podSets[{index}].template.spec" for index in range(len(workload.pod_sets))]
        templates = [self.adjusted(pod_set, workload.namespace) for pod_set in workload.pod_sets]
        for path, template in zip(paths, templates, strict=True):
            found += limits.above_limits(template, path)
        summary = self._summaries.get(workload.namespace)
        if found or summary is None:
            return tuple(found)
        for path, template in zip(paths, templates, strict=True):
            found += limits.outside_ranges(template, summary, path)
        return tuple(found)

    def _admitted(self, workload: Workload) -> tuple[PodSetRequests, ...]:
        admission = workload.admission
        assert admission is not None
        reclaimable = dict(workload.reclaimable_pods) if self._reclaims else {}
        pod_sets = {pod_set.name: pod_set for pod_set in workload.pod_sets}
        found = []
        for assignment in admission.pod_sets:
            pod_set = pod_sets.get(assignment.name)
            wanted = max(pod_set.count - reclaimable.get(pod_set.name, 0), 0) if pod_set else 0
            count = assignment.count
            if count is None:
                count = pod_set.count if pod_set else 0
            total = dict(assignment.usage)
            single = {name: _divide(value, count) for name, value in total.items()} if count else total
            shape = self._template(pod_set.template, workload.namespace).shape if pod_set else 0
            held = PodSetRequests(assignment.name, count, single, total, dict(assignment.flavors), shape)
            found.append(held.scaled_to(wanted) if wanted < count else held)
        return tuple(found)

    def _template(self, template: PodTemplate, namespace: str) -> _Template:
        summary = self._summaries.get(namespace)
        # Templates that differ in labels only share their parts.
        key = (
            id(template.containers),
            id(template.init_containers),
            id(template.overhead),
            id(template.pod_requests),
            id(template.pod_limits),
            id(template.node_selector),
            id(template.node_affinity),
            id(template.preferred_affinity),
            id(template.tolerations),
            id(template.resource_claims),
            template.runtime_class,
            template.other_constraints,
            namespace if summary is not None else None,
        )
        known = self._templates.get(key)
        if known is None:
            if len(self._templates) >= _MEMO_LIMIT:
                self._templates.clear()
            known = self._templates[key] = self._work_out(template, _EMPTY if summary is None else summary)
        return known

    def _work_out(self, template: PodTemplate, summary: Summary) -> _Template:
        runtime_class = self._state.runtime_classes.get(template.runtime_class) if template.runtime_class else None
        adjusted = limits.adjust(template, summary, runtime_class.overhead if runtime_class else None)
        single = self._single(adjusted)
        shape = self._shapes.setdefault(_shape(adjusted), len(self._shapes) + 1)
        return _Template(template, adjusted, single, shape, {})

    def _single(self, adjusted: PodTemplate) -> dict[str, int]:
        """Amounts of one pod."""
        exact = pods.total_requests(adjusted)
        if self._excluded:
            exact = {name: value for name, value in exact.items() if not name.startswith(self._excluded)}
        if self._transformations.keys().isdisjoint(exact):
            return {name: max(amounts.of_nano(name, exact[name]), 0) for name in sorted(exact)}
        finer = transform(exact, self._transformations)
        return {name: max(amounts.of_nano(name, finer[name], per_unit=_NANO_CUBED), 0) for name in sorted(finer)}


def transform(requests: dict[str, int], transformations: dict[str, Transformation]) -> dict[str, int]:
    """Requests after transformations by input (KEP-2937), from nano-units to exact steps of 10^-27.

    All inputs are read from the same requests: outputs are not transformed again.
    """
    found: dict[str, int] = {}
    for name, value in requests.items():
        rule = transformations.get(name)
        if rule is None or rule.strategy != "Replace":
            found[name] = found.get(name, 0) + value * amounts.NANO**2
        if rule is not None:
            times = requests.get(rule.multiply_by, amounts.NANO) if rule.multiply_by else amounts.NANO
            for output, factor in rule.outputs:
                found[output] = found.get(output, 0) + value * factor * times
    return found


def _counts(workload: Workload) -> bool:
    """Whether an admission says what is asked for; not where a workload waits with a broken one, for fewer pod sets."""
    admission = workload.admission
    assert admission is not None
    if len(admission.pod_sets) == len(workload.pod_sets):
        return True
    return conditions.is_true(workload.conditions, "QuotaReserved")


def _divide(value: int, count: int) -> int:
    """The quotient, cut towards zero."""
    return value // count if value >= 0 else -(-value // count)


def _shape(template: PodTemplate) -> tuple[object, ...]:
    """What the scheduler looks at in a template (KEP-9694): not labels, limits, or names."""
    return (
        tuple(container.requests for container in template.init_containers),
        tuple(container.requests for container in template.containers),
        template.pod_requests,
        template.node_selector,
        template.node_affinity,
        template.preferred_affinity,
        template.tolerations,
        template.runtime_class,
        template.overhead,
        template.resource_claims,
        template.other_constraints,
    )
