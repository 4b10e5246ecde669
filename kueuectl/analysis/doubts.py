"""How far an answer can be trusted: what was not read, what is not modelled, where the cluster itself disagrees."""

from __future__ import annotations

from kueuectl.analysis.explanation import Code, Explanation, Verdict, Warning, WarningCode
from kueuectl.engine import workloads
from kueuectl.model import conditions
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload

MINUTE = 60_000_000_000

# What cannot be known about a workload without a kind, and whether that can change the verdict.
_DECISIVE = {
    "ResourceFlavor": True,
    "Cohort": True,
    "ClusterQueue": True,
    "LocalQueue": True,
    "Workload": True,
    "Namespace": False,
    "LimitRange": False,
    "RuntimeClass": False,
    "AdmissionCheck": False,
    "Topology": False,
    "Node": False,
}
# Verdicts that need nothing but the workload itself.
_OWN = frozenset({Code.HELD, Code.FINISHED, Code.ADMITTED, Code.CHECKS, Code.EVICTING, Code.BACKOFF})
# Verdicts that a placement on nodes could still turn around.
_GOOD = frozenset({Code.FITS, Code.PREEMPTING})


def about(
    state: ClusterState, settings: Settings, subject: Workload, explanation: Explanation, *, now: int
) -> tuple[Warning, ...]:
    """The warnings about one explanation."""
    return (
        *_hidden(state, explanation.verdict),
        *_not_modelled(state, settings, subject, explanation),
        *_stale(state.workloads[subject.key], explanation.verdict, now),
    )


def applied(explanation: Explanation, found: tuple[Warning, ...]) -> Explanation:
    """The explanation with its warnings; UNKNOWN where one of them decides."""
    verdict = explanation.verdict
    for warning in found:
        facts = dict(warning.facts)
        if facts.get("decides") == "true":
            verdict = Verdict(Code.UNKNOWN, facts=(("why", facts.get("what", "")), ("would", str(verdict.code))))
            break
    return replace(explanation, verdict=verdict, warnings=(*explanation.warnings, *found))


def _hidden(state: ClusterState, verdict: Verdict) -> list[Warning]:
    found = []
    for entry in state.hidden:
        if entry.kind not in _DECISIVE or entry.reason == "not served":
            continue
        decides = _DECISIVE[entry.kind] and verdict.code not in _OWN
        found.append(
            Warning(
                WarningCode.HIDDEN_KIND,
                (("what", entry.kind), ("reason", entry.reason), ("decides", "true" if decides else "")),
            )
        )
    return found


def _not_modelled(
    state: ClusterState, settings: Settings, subject: Workload, explanation: Explanation
) -> list[Warning]:
    """Features that the engine does not decide, where they could turn this answer around."""
    if explanation.verdict.code in _OWN:
        return []
    is_good = explanation.verdict.code in _GOOD
    used = [(what, is_good) for what in _features(state, settings, subject, explanation)]
    queue = state.cluster_queues.get(explanation.queue.cluster_queue)
    if queue is not None and queue.admission_mode and settings.admission_fair_sharing is not None:
        # It moves workloads within their queue; who gets quota in the end it seldom changes.
        used.append(("the order by past usage (admission fair sharing)", False))
    return [
        Warning(WarningCode.NOT_MODELLED, (("what", what), ("decides", "true" if decides else "")))
        for what, decides in used
    ]


def _waits_for_pods(state: ClusterState, settings: Settings) -> bool:
    """Whether admission stands still since pods of somebody are not ready (waitForPodsReady.blockAdmission)."""
    ready = settings.wait_for_pods_ready
    if ready is None or not ready.block_admission:
        return False
    return any(
        workloads.is_admitted(other)
        and workloads.holds_quota(other)
        and not conditions.is_true(other.conditions, _PODS_READY)
        for other in state.workloads.values()
    )


_PODS_READY = "PodsReady"


def _features(state: ClusterState, settings: Settings, subject: Workload, explanation: Explanation) -> list[str]:
    found = []
    if _waits_for_pods(state, settings):
        found.append("waiting for pods of others to be ready (waitForPodsReady.blockAdmission)")
    chosen = {flavor for pod_set in explanation.pod_sets for _, flavor in pod_set.chosen}
    placed = any(name in state.flavors and state.flavors[name].topology is not None for name in chosen)
    asks = any(pod_set.topology_request is not None and _asks(pod_set.topology_request) for pod_set in subject.pod_sets)
    if settings.gate("TopologyAwareScheduling") and (placed or asks):
        found.append("topology-aware placement")
    if any(pod_set.template.resource_claims for pod_set in subject.pod_sets):
        found.append("dynamic resource allocation")
    return found


def _asks(request: object) -> bool:
    """Whether a topology request asks for a placement, and does not only name label keys."""
    names = ("required", "preferred", "slice_required", "pod_set_group")
    return any(getattr(request, name) for name in names) or bool(getattr(request, "unconstrained", False))


def _stale(subject: Workload, verdict: Verdict, now: int) -> list[Warning]:
    """Where the object's own status contradicts the verdict."""
    found = []
    reserved = conditions.find(subject.conditions, workloads.QUOTA_RESERVED)
    if verdict.code is Code.FITS and reserved is not None and reserved.status == "False":
        found.append(_contradiction("refusedButFits", reserved.message, reserved.last_transition, now))
    evicted = conditions.find(subject.conditions, workloads.EVICTED)
    if evicted is not None and evicted.status == "True" and workloads.holds_quota(subject):
        since = evicted.last_transition
        if since is not None and now - since > MINUTE:
            found.append(_contradiction("evictedButHolds", evicted.message, since, now))
    requeued = conditions.find(subject.conditions, workloads.REQUEUED)
    if requeued is not None and requeued.status == "False" and verdict.code not in (*_OWN, Code.NO_QUEUE):
        found.append(_contradiction("notRequeued", requeued.message, requeued.last_transition, now))
    return found


def _contradiction(what: str, message: str, since: int | None, now: int) -> Warning:
    age = "" if since is None else str(now - since)
    return Warning(WarningCode.STALE, (("what", what), ("message", message), ("age", age)))
