"""From a job or pod to its workload, and the story of one that has none."""

from __future__ import annotations

from kueuectl.analysis.explanation import Code, Explanation, Ref, Step, StepName, StepState, Verdict
from kueuectl.engine import workloads
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState, OwnerObject

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"


def chain(state: ClusterState, kind: str, name: str, namespace: str | None) -> list[tuple[str, str, str | None]]:
    """The object and its owners, from the bottom up, as (kind, name, namespace)."""
    found: list[tuple[str, str, str | None]] = [(kind, name, namespace)]
    seen = {(kind.lower(), name)}
    waiting = [thing for thing in state.owners if _is(thing, kind, name, namespace)]
    while waiting:
        thing = waiting.pop(0)
        for owner in thing.owners:
            if (owner.kind.lower(), owner.name) not in seen:
                seen.add((owner.kind.lower(), owner.name))
                found.append((owner.kind, owner.name, thing.namespace))
                waiting += [other for other in state.owners if _is(other, owner.kind, owner.name, thing.namespace)]
    return found


def _is(thing: OwnerObject, kind: str, name: str, namespace: str | None) -> bool:
    return (
        thing.name == name
        and thing.kind.lower() == kind.lower()
        and (namespace is None or thing.namespace == namespace)
    )


def foremost(state: ClusterState, keys: list[str]) -> str:
    """Of several workloads of one object: one that is not finished, the newest."""
    found = [state.workloads[key] for key in keys]
    found.sort(key=lambda workload: (workloads.is_finished(workload), -(workload.creation or 0), workload.key))
    return found[0].key


def without_workload(
    state: ClusterState, settings: Settings, kind: str, name: str, namespace: str | None
) -> Explanation:
    """NO_WORKLOAD, and why: no queue name, or Kueue has not made its Workload yet."""
    thing = next((found for found in state.owners if _is(found, kind, name, namespace)), None)
    facts: list[tuple[str, str]] = [("kind", kind)]
    if thing is not None:
        queue = dict(thing.labels).get(QUEUE_LABEL, "")
        facts.append(("queue", queue))
        facts.append(("suspended", "" if thing.suspended is None else str(thing.suspended).lower()))
        if queue and f"{thing.namespace}/{queue}" not in state.local_queues:
            facts.append(("missingQueue", queue))
    if settings.frameworks:
        facts.append(("frameworks", ", ".join(settings.frameworks)))
    inside = thing.namespace if thing is not None else namespace or ""
    return Explanation(
        object=Ref(thing.kind if thing is not None else kind, name, inside),
        verdict=Verdict(Code.NO_WORKLOAD, facts=tuple(facts)),
        steps=(Step(StepName.WORKLOAD, StepState.BLOCKED),),
    )
