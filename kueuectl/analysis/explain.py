"""Why a workload waits, or does not: the verdict, and the way to it step by step."""

from __future__ import annotations

from kueuectl.analysis import doubts, evaluate, history, proposals, verdicts
from kueuectl.analysis.evaluate import Evaluation
from kueuectl.analysis.explanation import (
    Code,
    Explanation,
    PodSetRow,
    PreemptionFacts,
    Proposal,
    QueueFacts,
    Ref,
    Step,
    StepName,
    StepState,
    Verdict,
    Warning,
    WarningCode,
)
from kueuectl.engine import activeness, checks, priority, reconcile, requests, selectors, workloads
from kueuectl.engine.entries import Entry
from kueuectl.model.queues import ClusterQueue
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload

Facts = tuple[tuple[str, str], ...]

# Steps after which something else than the workload's own spec decides, in order.
_ORDER = tuple(StepName)


def workload(
    state: ClusterState, settings: Settings, *, now: int, key: str, with_proposals: bool = True
) -> tuple[Explanation, Entry | None]:
    """The explanation of a workload, and the entry of its evaluation for the message that Kueue would write.

    `key` is namespace/name and must exist.
    """
    settled = reconcile.settled(state, now)
    subject = settled.workloads[key]
    found: Evaluation | None = None
    verdict = _without_evaluation(subject, settled, settings, now)
    if verdict is None:
        found = evaluate.evaluate(settled, settings, now=now, key=key)
        verdict = verdicts.of(found)
    uncovered = _uncovered(subject, settled, settings)
    if found is not None and uncovered and verdict.code in _BY_FLAVORS:
        verdict = replace(verdict, code=Code.UNCOVERED_RESOURCE)
    explanation = _explanation(subject, settled, settings, now=now, verdict=verdict, found=found)
    explanation = replace(
        explanation,
        uncovered=uncovered if verdict.code is Code.UNCOVERED_RESOURCE else (),
        conditions=state.workloads[key].conditions,
    )
    entry = found.entry if found is not None else None
    doubtful = doubts.about(state, settings, subject, explanation, now=now)
    explanation = doubts.applied(explanation, doubtful)
    if with_proposals:
        explanation = replace(explanation, proposals=_proposals(settled, settings, now, explanation))
    return explanation, entry


_BY_FLAVORS = frozenset({Code.NO_FLAVOR, Code.NEVER_FITS, Code.BORROW_LIMIT, Code.LEND_LIMIT, Code.QUOTA})


# How many lost races of a cycle an experiment looks past: it asks whether the workload gets quota, not when.
_PATIENCE = 3


def verdict_only(
    state: ClusterState, settings: Settings, *, now: int, key: str, at_once: bool = False
) -> proposals.Proof:
    """The verdict alone, the victims, and what that cost: for experiments. The state must be settled.

    With `at_once` the workload is evaluated in the present state, whoever comes before it.
    """
    subject = state.workloads[key]
    verdict = _without_evaluation(subject, state, settings, now)
    if verdict is not None:
        return proposals.Proof(verdict)
    found = evaluate.evaluate(state, settings, now=now, key=key, patience=_PATIENCE, at_once=at_once)
    return proposals.Proof(verdicts.of(found), found.preemption.victims, found.effort)


def _proposals(state: ClusterState, settings: Settings, now: int, explanation: Explanation) -> tuple[Proposal, ...]:
    # Where its turn was too far away to be played, it is so in every experiment.
    at_once = any(warning.code in (WarningCode.LONG_RUN, WarningCode.LOOP) for warning in explanation.warnings)

    def prove(changed: ClusterState, with_settings: Settings, key: str) -> proposals.Proof:
        return verdict_only(changed, with_settings, now=now, key=key, at_once=at_once)

    return proposals.find(state, settings, explanation, prove=prove)


def _without_evaluation(subject: Workload, state: ClusterState, settings: Settings, now: int) -> Verdict | None:
    """The verdict where the scheduler never looks at the workload; None where it does. In the order of the list."""
    if workloads.is_finished(subject):
        return Verdict(Code.FINISHED)
    held = _held(subject, settings)
    if held:
        return Verdict(Code.HELD, facts=held)
    if workloads.is_admitted(subject) and workloads.holds_quota(subject):
        return Verdict(Code.ADMITTED, facts=_evicting(subject))
    if workloads.holds_quota(subject):
        queue = state.cluster_queues.get(subject.admission.cluster_queue) if subject.admission is not None else None
        if queue is not None and checks.open_checks(queue, subject):
            return Verdict(Code.CHECKS, facts=_evicting(subject))
        if workloads.is_evicted(subject):
            return Verdict(Code.EVICTING, facts=_evicting(subject))
        return Verdict(Code.ADMITTED)
    fault = activeness.queue_fault(subject, state, settings)
    if fault is not None:
        return Verdict(Code.NO_QUEUE, facts=_fault_facts(fault))
    local = state.local_queues[f"{subject.namespace}/{subject.queue_name}"]
    queue = state.cluster_queues[local.cluster_queue]
    namespace = state.namespaces.get(subject.namespace)
    denied = queue.namespace_selector is None or (
        namespace is not None and not selectors.matches(queue.namespace_selector, dict(namespace.labels))
    )
    if denied:
        return Verdict(Code.NAMESPACE_DENIED, facts=(("namespace", subject.namespace), ("queue", queue.name)))
    if workloads.waits_for_backoff(subject, now):
        return Verdict(Code.BACKOFF)
    return None


def _fault_facts(fault: activeness.QueueFault) -> Facts:
    status = fault.status
    return (
        ("kind", fault.kind),
        ("name", fault.name),
        ("missing", "true" if fault.is_missing else ""),
        ("reason", status.reason if status is not None else ""),
        ("message", status.message if status is not None else ""),
        ("kueue", fault.message),
    )


def _held(subject: Workload, settings: Settings) -> Facts:
    """Why the workload itself is switched off; empty when it is not."""
    if not subject.active:
        return (("why", "inactive"), *_evicting(subject))
    gates = workloads.gates(subject, settings)
    if gates and not workloads.holds_quota(subject):
        return (("why", "gated"), ("gates", ", ".join(gates)))
    if workloads.is_on_hold(subject):
        return (("why", "onHold"),)
    return ()


def _evicting(subject: Workload) -> Facts:
    for condition in subject.conditions:
        if condition.type == workloads.EVICTED and condition.status == "True":
            return (("evicted", condition.reason), ("evictedMessage", condition.message))
    return ()


def _uncovered(subject: Workload, state: ClusterState, settings: Settings) -> tuple[str, ...]:
    """Resources that the workload asks for and no group of its ClusterQueue covers."""
    if settings.quota_check_strategy == "IgnoreUndeclared" and settings.gate("QuotaCheckStrategy"):
        return ()
    queue = queue_of(subject, state)
    if queue is None:
        return ()
    covered = {name for group in queue.resource_groups for name in group.covered_resources}
    asked = requests.RequestsReader(state, settings).pending(subject)
    return tuple(
        sorted({name for pod_set in asked for name, amount in pod_set.total.items() if amount and name not in covered})
    )


def queue_of(subject: Workload, state: ClusterState) -> ClusterQueue | None:
    """The ClusterQueue that a workload is in, or would be in through its LocalQueue."""
    if subject.admission is not None:
        return state.cluster_queues.get(subject.admission.cluster_queue)
    local = state.local_queues.get(f"{subject.namespace}/{subject.queue_name}")
    return state.cluster_queues.get(local.cluster_queue) if local is not None else None


def _cohorts(queue: ClusterQueue, state: ClusterState) -> tuple[str, ...]:
    """The cohorts above a queue, up to the root; a cycle ends where it closes."""
    path: list[str] = []
    name = queue.cohort
    while name and name not in path:
        path.append(name)
        above = state.cohorts.get(name)
        name = above.parent if above is not None else ""
    return tuple(path)


def _explanation(
    subject: Workload,
    state: ClusterState,
    settings: Settings,
    *,
    now: int,
    verdict: Verdict,
    found: Evaluation | None,
) -> Explanation:
    queue = queue_of(subject, state)
    facts = QueueFacts(
        local_queue=subject.queue_name,
        cluster_queue=queue.name if queue is not None else "",
        cohort_path=_cohorts(queue, state) if queue is not None else (),
    )
    warnings: list[Warning] = []
    if found is not None:
        facts = QueueFacts(
            local_queue=subject.queue_name,
            cluster_queue=found.cluster_queue,
            cohort_path=found.path,
            strategy=found.strategy,
            position=found.position,
            waiting=found.waiting,
            head=found.head,
            is_parked=found.is_parked,
        )
        if found.stands_for:
            verdict = replace(verdict, facts=(*verdict.facts, ("standsFor", found.stands_for)))
        if found.refused_before:
            verdict = replace(verdict, facts=(*verdict.facts, ("refusedBefore", "true")))
            warnings.append(Warning(WarningCode.SCAN_STATE))
        if found.preemption.ties:
            ties = "; ".join(" or ".join(names) for names in found.preemption.ties)
            warnings.append(Warning(WarningCode.TIE, (("between", ties),)))
        if found.is_loop:
            warnings.append(Warning(WarningCode.LOOP, (("rounds", str(found.rounds)),)))
        elif found.is_long:
            warnings.append(Warning(WarningCode.LONG_RUN, (("rounds", str(found.rounds)),)))
    controller = next((owner for owner in subject.owners if owner.is_controller), None)
    return Explanation(
        object=Ref("Workload", subject.name, subject.namespace),
        verdict=verdict,
        steps=_steps(subject, state, settings, verdict, facts),
        queue=facts,
        priority=priority.effective(subject, state, settings),
        queued_at=workloads.queue_timestamp(subject, settings) or None,
        owner=Ref(controller.kind, controller.name, subject.namespace) if controller is not None else None,
        pod_sets=found.pod_sets if found is not None else _held_rows(subject, state, settings),
        preemption=found.preemption if found is not None else PreemptionFacts(),
        eviction=history.last_eviction(subject, state, settings),
        open_checks=checks.open_checks(queue, subject) if queue is not None and verdict.code is Code.CHECKS else (),
        checks=tuple((check.name, check.state, check.message) for check in subject.checks),
        until=subject.requeue.requeue_at if verdict.code is Code.BACKOFF and subject.requeue is not None else None,
        replaces=workloads.replaces(subject, settings) or "",
        warnings=tuple(warnings),
    )


def _held_rows(subject: Workload, state: ClusterState, settings: Settings) -> tuple[PodSetRow, ...]:
    """Pod sets of a workload that was not evaluated: what it asks for, and the flavors that it holds."""
    reader = requests.RequestsReader(state, settings)
    counts = {pod_set.name: pod_set.count for pod_set in subject.pod_sets}
    return tuple(
        PodSetRow(
            name=asked.name,
            count=counts.get(asked.name, asked.count),
            granted=asked.count,
            requests=tuple(sorted(asked.total.items())),
            chosen=tuple(sorted((asked.flavors or {}).items())),
        )
        for asked in reader.of(subject)
    )


# The step that each verdict is decided at.
_STEP_OF = {
    Code.FINISHED: StepName.ACTIVE,
    Code.HELD: StepName.ACTIVE,
    Code.NO_QUEUE: StepName.CLUSTER_QUEUE,
    Code.CHECKS: StepName.CHECKS,
    Code.NAMESPACE_DENIED: StepName.NAMESPACE,
    Code.BACKOFF: StepName.BACKOFF,
    Code.BEHIND_HEAD: StepName.POSITION,
    Code.INVALID: StepName.REQUESTS,
    Code.UNCOVERED_RESOURCE: StepName.FLAVORS,
    Code.NO_FLAVOR: StepName.FLAVORS,
    Code.NEVER_FITS: StepName.QUOTA,
    Code.BORROW_LIMIT: StepName.QUOTA,
    Code.LEND_LIMIT: StepName.QUOTA,
    Code.QUOTA: StepName.QUOTA,
    Code.NO_VICTIMS: StepName.PREEMPTION,
    Code.PREEMPTING: StepName.PREEMPTION,
    Code.CONTENDED: StepName.CYCLE,
    Code.PODS_READY_BLOCK: StepName.PODS_READY,
}


def _steps(
    subject: Workload, state: ClusterState, settings: Settings, verdict: Verdict, facts: QueueFacts
) -> tuple[Step, ...]:
    """The steps up to where the verdict was decided; those after it were not reached."""
    stop = _STEP_OF.get(verdict.code)
    if verdict.code is Code.NO_QUEUE and dict(verdict.facts).get("kind") == "LocalQueue":
        stop = StepName.LOCAL_QUEUE
    texts: dict[StepName, Facts] = {
        StepName.LOCAL_QUEUE: (("name", subject.queue_name),),
        StepName.CLUSTER_QUEUE: (("name", facts.cluster_queue),),
        StepName.POSITION: (
            ("position", str(facts.position)),
            ("waiting", str(facts.waiting)),
            ("strategy", facts.strategy),
        ),
    }
    steps = []
    blocked = False
    for name in _ORDER:
        if blocked:
            steps.append(Step(name, StepState.NOT_REACHED))
            continue
        here = name is stop
        if verdict.code is Code.UNKNOWN and name is StepName.CYCLE:
            steps.append(Step(name, StepState.UNKNOWN, verdict.facts))
            continue
        waits = here and verdict.code is not Code.PREEMPTING
        steps.append(Step(name, StepState.BLOCKED if waits else StepState.PASSED, texts.get(name, ())))
        blocked = here
    return tuple(steps)
