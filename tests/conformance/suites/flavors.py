"""flavors-* and podset-reducer: which flavors a workload gets in one ClusterQueue, and why not others."""

from __future__ import annotations

from typing import Any

from kueuectl.engine import snapshot, workloads
from kueuectl.engine.flavors import grades, reducer
from kueuectl.engine.flavors.assigner import Assigner
from kueuectl.engine.flavors.assignment import Assignment, Attempt, PodSetResult
from kueuectl.engine.infos import Info
from kueuectl.engine.reasons import Grade, Possibility
from kueuectl.engine.snapshot import QueueNode, Snapshot
from kueuectl.model.flavors import ResourceFlavor
from kueuectl.model.queues import FlavorFungibility
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import Admission, PodSetAssignment, Workload
from kueuectl.quantity import format_amount
from kueuectl.report import narrate
from tests.conformance.case import Case, pod_set, same, workload_of
from tests.conformance.registry import NotDue, suite
from tests.conformance.suites.quotas import key_of, use

_QUEUE = "test-clusterqueue"
_SECOND = "test-secondary-clusterqueue"


class _Oracle:
    """Answers of the case about preemption; where it says nothing there are victims, and nothing is borrowed then."""

    def __init__(self, case: Case) -> None:
        self.answers: dict[str, dict[str, int]] = case.given.get("simulationResult") or {}

    def simulate(self, info: Info, queue: QueueNode, *, fr: int, amount: int) -> tuple[Possibility, int]:
        """See `PreemptionOracle`."""
        answer = self.answers.get(key_of(queue.tree, fr))
        if answer is None:
            return Possibility.PREEMPT, 0
        return Possibility(answer["preemptionPossiblity"]), answer["borrowingAfterSimulation"]


def _assigner(built: Snapshot, case: Case) -> Assigner:
    assigner = Assigner(built, _Oracle(case))
    assigner.trace = True
    return assigner


@suite("flavors-assign")
def assign(case: Case) -> list[str]:
    return _assign(case, case.state())


@suite("flavors-deleted")
def deleted(case: Case) -> list[str]:
    """All flavors of the ClusterQueue are part of the scene, but the one that was deleted and is called so."""
    state = case.state()
    for group in state.cluster_queues[_QUEUE].resource_groups:
        for flavor in group.flavors:
            if not flavor.name.startswith("deleted"):
                state.flavors.setdefault(flavor.name, ResourceFlavor(flavor.name))
    return _assign(case, state)


def _assign(case: Case, state: ClusterState) -> list[str]:
    given = case.given
    built = snapshot.build(state, case.settings())
    use(built.queues[_QUEUE], given.get("clusterQueueUsage"))
    if _SECOND in built.queues:
        use(built.queues[_SECOND], given.get("secondaryClusterQueueUsage"))
    asked = workload_of(given.get("wlPods") or [], reclaimablePods=given.get("wlReclaimablePods") or [])
    queue = built.queues[_QUEUE]
    if given.get("preemptWorkloadSlice"):
        asked = _replacing(built, queue, asked, given["preemptWorkloadSlice"])
    found = _assigner(built, case).assign(built.reader.read(asked), queue)
    want = case.expect["wantAssignment"]
    differences = same("mode", int(found.mode), case.expect.get("wantRepMode", 0))
    differences += same("borrowing", found.height, want.get("Borrowing", 0))
    differences += same("no-fit reason", narrate.blocker(found.blocker), want.get("NoFitReason") or "")
    usage = {key_of(queue.tree, fr): amount for fr, amount in found.usage.items()}
    differences += same("usage", usage, (want.get("Usage") or {}).get("Quota") or {})
    names = [result.name for result in found.pod_sets]
    differences += same("pod sets", names, [doc["Name"] for doc in want.get("PodSets") or ()])
    for result, doc in zip(found.pod_sets, want.get("PodSets") or (), strict=False):
        differences += _compare(result, doc) + _attempts(found, result.name, doc)
    return differences


def _replacing(built: Snapshot, queue: QueueNode, asked: Workload, old: dict[str, Any]) -> Workload:
    """The workload as the slice that takes the place of another one, which holds quota but is in no usage."""
    pod_sets = tuple(
        PodSetAssignment(
            doc["Name"],
            tuple(sorted((doc.get("Flavors") or {}).items())),
            tuple(sorted((doc.get("Requests") or {}).items())),
            doc.get("Count") or 0,
        )
        for doc in old.get("TotalRequests") or ()
    )
    replaced = replace(asked, name="replaced", admission=Admission(queue.name, pod_sets))
    queue.held[replaced.key] = built.reader.read(replaced)
    return replace(asked, annotations=((workloads.REPLACES_ANNOTATION, replaced.key),))


def _compare(result: PodSetResult, want: dict[str, Any]) -> list[str]:
    flavors = {name: (pick.flavor, int(pick.mode), pick.tried) for name, pick in result.picks.items()}
    wanted = {
        name: (doc["Name"], doc["Mode"], doc["TriedFlavorIdx"]) for name, doc in (want.get("Flavors") or {}).items()
    }
    requests = {name: format_amount(name, amount) for name, amount in result.requests.items()}
    reasons = [narrate.flavor_reason(reason) for reason in result.reasons]
    what = f"pod set {result.name}"
    return (
        same(f"{what} count", result.count, want.get("Count", 0))
        + same(f"{what} flavors", flavors, wanted)
        + same(f"{what} requests", requests, want.get("Requests") or {})
        + same(f"{what} reasons", sorted(reasons), sorted((want.get("Status") or {}).get("reasons") or []))
    )


def _attempts(found: Assignment, name: str, want: dict[str, Any]) -> list[str]:
    """The cases list flavors that were never tried, and leave reasons out: what we tried must be right where listed.

    Kueue also rewrites a finished attempt when another resource group takes its resources over; ours stay as they were.
    """
    got = {attempt.flavor: attempt for attempt in found.attempts if name in attempt.pod_sets}
    differences = []
    for doc in want.get("FlavorAssignmentAttempts") or ():
        attempt = got.get(doc["Flavor"])
        taken_over = any("does not provide resource" in reason for reason in doc.get("Reasons") or ())
        if attempt is not None and not taken_over:
            differences += same(f"attempt {doc['Flavor']} for {name}", _attempt(attempt), _wanted(doc))
    return differences


def _attempt(attempt: Attempt) -> tuple[int, int, int | None]:
    possibility = attempt.possibility
    return int(attempt.mode), attempt.height, None if possibility is None else int(possibility)


def _wanted(doc: dict[str, Any]) -> tuple[int, int, int | None]:
    return doc["Mode"], doc["Borrow"], doc.get("PreemptionPossibility")


@suite("flavors-no-fit-reason")
def no_fit_reason(case: Case) -> list[str]:
    given = case.given
    if not given.get("cq"):
        raise NotDue("a scene that is built in code")
    built = snapshot.build(case.state(given["cq"], *(given.get("siblingCQs") or ())), case.settings())
    queue = built.queues[given["cq"]["metadata"]["name"]]
    use(queue, given.get("cqUsage"))
    for name, usage in (given.get("siblingCQUsage") or {}).items():
        use(built.queues[name], usage)
    allowed = given.get("allowedFlavors")
    annotations = {workloads.ALLOWED_FLAVORS_ANNOTATION: ",".join(allowed)} if allowed else {}
    asked = replace(workload_of([given["podSet"]]), annotations=tuple(annotations.items()))
    found = _assigner(built, case).assign(built.reader.read(asked), queue)
    # As in `_attempts`: flavors are listed that the search never came to.
    wanted = case.expect.get("wantFlavorAttempts") or {}
    attempts = {attempt.flavor: narrate.blocker(attempt.blocker) for attempt in found.attempts}
    listed = {name: token for name, token in wanted.items() if name in attempts}
    return same("attempts", {name: attempts[name] for name in listed}, listed) + same(
        "no-fit reason", narrate.blocker(found.blocker), case.expect.get("wantNoFitReason") or ""
    )


@suite("flavors-preferred")
def preferred(case: Case) -> list[str]:
    config = case.given.get("config") or {}
    fungibility = FlavorFungibility(
        when_can_borrow=config.get("whenCanBorrow") or "MayStopSearch",
        when_can_preempt=config.get("whenCanPreempt") or "TryNextFlavor",
        preference=config.get("preference"),
    )
    first, second = (
        (Grade(case.given[name]["preemptionMode"]), case.given[name]["borrowingLevel"]) for name in ("a", "b")
    )
    got = grades.is_preferred(first, second, preemption_first=grades.prefers_preemption(fungibility))
    return same("preferred", got, case.expect.get("wantPreferred", False))


@suite("podset-reducer")
def reduce(case: Case) -> list[str]:
    pod_sets = [pod_set(doc) for doc in case.given.get("podSets") or ()]
    full = [found.count for found in pod_sets]
    least = [found.count if found.min_count is None else found.min_count for found in pod_sets]
    limit = case.given.get("countLimit", 0)
    counts = reducer.search(full, least, lambda tried: tried if sum(tried) <= limit else None)
    return same("found", counts is not None, case.expect.get("wantFound", False)) + same(
        "count", sum(counts or ()), case.expect.get("wantCount", 0)
    )
