"""One sentence for each verdict, step, candidate, proposal and warning of an explanation."""

from __future__ import annotations

from kueuectl import quantity, times
from kueuectl.analysis.explanation import (
    CandidateRow,
    ChangeKind,
    Code,
    Explanation,
    FlavorRow,
    Limit,
    LimitKind,
    Proposal,
    Ref,
    ResourceRow,
    Step,
    StepName,
    StepState,
    Warning,
    WarningCode,
)

Short = tuple[FlavorRow, ResourceRow]


def verdict(found: Explanation, *, now: int) -> str:
    """Why, in one or two sentences, with the numbers that matter."""
    facts = dict(found.verdict.facts)
    queue = found.queue.cluster_queue
    match found.verdict.code:
        case Code.FINISHED:
            return "It ran to its end."
        case Code.HELD:
            return _held(facts)
        case Code.ADMITTED:
            return _admitted(found, facts, now)
        case Code.EVICTING:
            return f"It was evicted ({facts.get('evicted', '')}) and still holds its quota until its pods are gone."
        case Code.NO_QUEUE:
            return _no_queue(facts)
        case Code.CHECKS:
            names = ", ".join(found.open_checks) or "its admission checks"
            return f"Quota is reserved in ClusterQueue {queue}; it waits for admission checks: {names}."
        case Code.NAMESPACE_DENIED:
            return f"ClusterQueue {facts.get('queue', queue)} does not select namespace {facts.get('namespace', '')}."
        case Code.BACKOFF:
            if found.until is None or found.until <= now:
                return "It was evicted and may not queue again yet."
            left = times.format_age(found.until - now)
            return f"It was evicted and may not queue again until {times.format_time(found.until)}, in {left}."
        case Code.BEHIND_HEAD:
            return (
                f"ClusterQueue {queue} is StrictFIFO, and its head {found.verdict.behind} can't be admitted: "
                "nothing behind it is looked at."
            )
        case Code.INVALID:
            return found.message or "Its requests break a limit."
        case Code.UNCOVERED_RESOURCE:
            return f"No resource group of ClusterQueue {queue} covers {', '.join(found.uncovered)}."
        case Code.UNKNOWN:
            return _unknown(facts)
        case Code.NO_WORKLOAD:
            return _no_workload(facts)
        case _:
            return _by_quota(found)


def _by_quota(found: Explanation) -> str:
    queue = found.queue.cluster_queue
    short = shortage(found)
    match found.verdict.code:
        case Code.NO_FLAVOR:
            return f"Taints, node selectors or affinity rule out every flavor of ClusterQueue {queue}."
        case Code.NEVER_FITS:
            return _never_fits(queue, short)
        case Code.BORROW_LIMIT | Code.LEND_LIMIT | Code.QUOTA:
            return f"{_lacks(short, queue)}. {_binds(short)}{_owned(short, queue)}"
        case Code.NO_VICTIMS:
            return f"{_lacks(short, queue)}, and no allowed set of victims makes room.{_owned(short, queue)}"
        case Code.PREEMPTING:
            return f"It preempts {_list(found.preemption.victims)}: {_lacks(short, queue)}."
        case Code.CONTENDED:
            rival = f" {found.verdict.behind}" if found.verdict.behind else ""
            return f"It would fit alone, but another workload{rival} comes first in the same cycle."
        case Code.PODS_READY_BLOCK:
            return f"Everything fits, but pods of {found.verdict.behind or 'another workload'} are not ready."
        case Code.FRAGMENTED:
            return "Quota would do, but no topology domain has room."
        case _:
            return _fits(found)


def _fits(found: Explanation) -> str:
    chosen = dict.fromkeys(flavor for pod_set in found.pod_sets for _, flavor in pod_set.chosen)
    place = f" on flavor{'s' if len(chosen) > 1 else ''} {', '.join(chosen)}" if chosen else ""
    fewer = [p for p in found.pod_sets if p.granted != p.count]
    partial = "".join(f" with {p.granted} of {p.count} pods of {p.name}" for p in fewer)
    again = " It may be refused once more before that, while the search of flavors goes on." if _twice(found) else ""
    queue = found.queue.cluster_queue
    return f"Nothing stands in its way: its next evaluation reserves quota in {queue}{place}{partial}.{again}"


def _twice(found: Explanation) -> bool:
    return dict(found.verdict.facts).get("refusedBefore") == "true"


def _held(facts: dict[str, str]) -> str:
    match facts.get("why"):
        case "gated":
            return f"Admission gates are closed: {facts.get('gates', '')}."
        case "onHold":
            return "Its owner holds it back (scaled to zero)."
        case _:
            reason = facts.get("evicted")
            why = f" It was evicted before: {facts.get('evictedMessage') or reason}." if reason else ""
            return f"It is switched off (spec.active is false).{why}"


def _admitted(found: Explanation, facts: dict[str, str], now: int) -> str:
    chosen = dict.fromkeys(flavor for pod_set in found.pod_sets for _, flavor in pod_set.chosen)
    place = f" on {', '.join(chosen)}" if chosen else ""
    text = f"It holds quota in ClusterQueue {found.queue.cluster_queue}{place}."
    if facts.get("evicted"):
        text += f" It was evicted ({facts['evicted']}): its pods should be stopping."
    return text


def _no_queue(facts: dict[str, str]) -> str:
    name = f"{facts.get('kind', 'queue')} {facts.get('name', '')}"
    if facts.get("missing") == "true":
        return f"{name} does not exist." if facts.get("name") else "It names no LocalQueue."
    return f"{name} takes no work: {facts.get('message') or facts.get('reason', '')}."


def _no_workload(facts: dict[str, str]) -> str:
    if not facts.get("queue"):
        return (
            "Kueue has no Workload for it: it carries no kueue.x-k8s.io/queue-name label, so Kueue may not manage it."
        )
    if facts.get("missingQueue"):
        return f"Kueue has no Workload for it. Its LocalQueue {facts['missingQueue']} does not exist in its namespace."
    text = f"Kueue has made no Workload for it yet, though it names LocalQueue {facts['queue']}."
    if facts.get("suspended") == "false":
        return f"{text} It is not suspended: it runs without Kueue's admission."
    return f"{text} Look whether the integration of its kind is enabled in Kueue's Configuration."


def _unknown(facts: dict[str, str]) -> str:
    why = facts.get("why", "")
    if why == "neverEvaluated":
        return "It was not evaluated before nothing changed any more, and nothing says why."
    would = f" Without that the verdict would be {facts['would']}." if facts.get("would") else ""
    return f"It can't be known: {why} decides, and was not read or is not modelled.{would}"


def shortage(found: Explanation) -> Short | None:
    """The flavor and resource that are short: of those that lack something, where the least share is missing."""
    rows = [
        (flavor, resource)
        for pod_set in found.pod_sets
        for flavor in pod_set.flavors
        for resource in flavor.resources
        if flavor.out not in ("taint", "affinity") and flavor.mode != "NotTried" and resource.missing
    ]
    chosen = [row for row in rows if row[0].is_chosen]
    rows = chosen or rows
    if not rows:
        return None
    return min(rows, key=lambda row: (row[1].missing / max(1, row[1].requested), row[0].name, row[1].name))


def _lacks(short: Short | None, queue: str) -> str:
    if short is None:
        return f"Not enough quota is free in ClusterQueue {queue}"
    flavor, row = short
    return f"{_amount(row, row.missing)} more {row.name} needed in flavor {flavor.name} of ClusterQueue {queue}"


def _owned(short: Short | None, queue: str) -> str:
    """A word on quota that the queue owns, does not use and cannot have."""
    if short is None or not short[1].borrowers or short[1].used + short[1].requested > short[1].nominal:
        return ""
    row = short[1]
    has = f"{_amount(row, row.used)} of its own {_amount(row, row.nominal)}"
    return f" {queue} uses only {has}: the rest is borrowed by {borrowers(row)}."


def borrowers(row: ResourceRow) -> str:
    """Who uses more of a resource than its nominal quota."""
    return _list(tuple(f"{name} ({_amount(row, amount)})" for name, amount in row.borrowers), 3)


def _amount(row: ResourceRow, value: int) -> str:
    return quantity.format_amount(row.name, value)


def _never_fits(queue: str, short: Short | None) -> str:
    if short is None:
        return f"It asks for more than ClusterQueue {queue} could ever reach."
    flavor, row = short
    return (
        f"It asks for {_amount(row, row.requested)} {row.name}, and ClusterQueue {queue} reaches "
        f"{_amount(row, row.maximum)} of it in flavor {flavor.name} with the whole cohort idle."
    )


def _binds(short: Short | None) -> str:
    if short is None or short[1].limited_by is None:
        return "It fits when others finish."
    return f"{limit(short[1].limited_by)}; it fits when others finish."


def limit(found: Limit) -> str:
    """Which limit of which node binds."""
    node = f"{'cohort' if found.is_cohort else 'ClusterQueue'} {found.node}"
    match found.kind:
        case LimitKind.NOMINAL:
            return f"The nominal quota of {node} is used up"
        case LimitKind.BORROWING_LIMIT:
            return f"The borrowing limit of {node} binds"
        case LimitKind.LENDING_LIMIT:
            return f"{node[0].upper()}{node[1:]} keeps its free quota by a lending limit"
        case LimitKind.COHORT_CAPACITY:
            return f"All quota of {node} is in use"


def short_limit(found: Limit | None) -> str:
    """The same in a table cell."""
    if found is None:
        return ""
    match found.kind:
        case LimitKind.COHORT_CAPACITY:
            return f"all of {found.node} in use"
        case _:
            return f"{found.kind} of {found.node}"


def counted(count: int, noun: str) -> str:
    """A number with its noun."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _list(names: tuple[str, ...], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


_STEPS = {
    StepName.WORKLOAD: "its Workload exists",
    StepName.ACTIVE: "switched on, not gated, not on hold",
    StepName.LOCAL_QUEUE: "LocalQueue {name} takes work",
    StepName.CLUSTER_QUEUE: "ClusterQueue {name} takes work",
    StepName.CHECKS: "no admission check is open",
    StepName.NAMESPACE: "the ClusterQueue selects its namespace",
    StepName.BACKOFF: "no backoff",
    StepName.POSITION: "its turn comes",
    StepName.REQUESTS: "its requests keep to all limits",
    StepName.FLAVORS: "a flavor suits it",
    StepName.QUOTA: "enough quota could be had",
    StepName.PREEMPTION: "enough is free, or others give way",
    StepName.CYCLE: "nobody comes first in the same cycle",
    StepName.PODS_READY: "the pods of others are ready",
}
_BLOCKED = {
    StepName.WORKLOAD: "it has no Workload",
    StepName.ACTIVE: "switched off, gated or on hold",
    StepName.LOCAL_QUEUE: "LocalQueue {name} takes no work",
    StepName.CLUSTER_QUEUE: "ClusterQueue {name} takes no work",
    StepName.CHECKS: "admission checks are open",
    StepName.NAMESPACE: "the ClusterQueue does not select its namespace",
    StepName.BACKOFF: "it may not queue again yet",
    StepName.POSITION: "the head of its queue blocks it",
    StepName.REQUESTS: "its requests break a limit",
    StepName.FLAVORS: "no flavor suits it",
    StepName.QUOTA: "not enough quota can be had",
    StepName.PREEMPTION: "not enough is free, and nobody may be preempted for it",
    StepName.CYCLE: "another workload comes first in the same cycle",
    StepName.PODS_READY: "pods of another workload are not ready",
}


def step(found: Step) -> str:
    """One step on the way: what holds, or what does not."""
    facts = dict(found.facts)
    texts = _BLOCKED if found.state is StepState.BLOCKED else _STEPS
    text = " ".join(texts[found.name].replace("{name}", facts.get("name", "")).split())
    if found.name is StepName.POSITION and facts.get("position", "0") != "0":
        return f"{text} (position {facts['position']} of {facts['waiting']}, {facts['strategy']})"
    return text


def candidate(row: CandidateRow, own: int | None) -> str:
    """Why a candidate was chosen or not; `own` is the priority of the workload that looks for victims."""
    match row.finding:
        case "chosen":
            return f"chosen: {row.reason}"
        case "priority" if own is not None:
            return f"priority {row.priority} is not below {own} ({row.detail})"
        case "not newer":
            return f"same priority, and not newer ({row.detail})"
        case "policy":
            return f"not allowed ({row.detail})"
    if row.share is not None:
        fact = row.share
        sign = "<=" if fact.strategy == "LessThanOrEqualToFinalShare" else "<"
        return (
            f"share rule {fact.strategy}: {fact.preemptor_node} {fact.preemptor_share:g} {sign} "
            f"{fact.target_node} {fact.target_share:g} does not hold"
        )
    return f"{row.finding}: {row.detail}" if row.detail else row.finding


def quantities(pairs: str) -> str:
    """resource=amount pairs with the amounts as quantities."""
    shown = []
    for pair in pairs.split(","):
        name, sign, value = pair.partition("=")
        whole = value.lstrip("-").isdecimal()
        shown.append(f"{name}={quantity.format_amount(name, int(value))}" if sign and whole else pair)
    return ", ".join(shown)


def _object(ref: Ref) -> str:
    return f"{ref.kind} {ref.key}"


def proposal(found: Proposal) -> str:
    """A change, in the imperative."""
    target, before, after = _object(found.target), found.before, found.after
    match found.kind:
        case ChangeKind.NOMINAL_QUOTA:
            text = f"raise nominalQuota of {target}, flavor {found.what}: {_from_to(before, after)}"
        case ChangeKind.BORROWING_LIMIT:
            text = f"raise borrowingLimit of {target}, flavor {found.what}: {_from_to(before, after)}"
        case ChangeKind.LENDING_LIMIT:
            text = f"raise lendingLimit of {target}, flavor {found.what}: {_from_to(before, after)}"
        case ChangeKind.PRIORITY:
            text = f"raise its priority from {before} to {after}"
        case ChangeKind.COUNT:
            text = f"ask for fewer pods: {found.what} {after} instead of {before}"
        case ChangeKind.QUEUE:
            text = f"move it to LocalQueue {after}"
        case ChangeKind.FINISH:
            text = f"wait for {target} to finish"
        case ChangeKind.ACTIVATE:
            text = "switch it on: set its spec.active to true"
        case ChangeKind.RESUME_CLUSTER_QUEUE:
            text = f"resume {target}: set its spec.stopPolicy to None"
        case ChangeKind.RESUME_LOCAL_QUEUE:
            text = f"resume {target}: set its spec.stopPolicy to None"
        case _:
            text = _policy(found)
    running = tuple(key for key in found.victims if key not in found.newcomers)
    parts = []
    if running:
        parts.append(f"preempts {_list(running, 3)}")
    if found.newcomers:
        parts.append(f"{_list(found.newcomers, 3)} would start first, and be preempted for it")
    return f"{text} ({'; '.join(parts)})" if parts else text


def _from_to(before: str, after: str) -> str:
    """resource=amount pairs as `cpu from 4 to 6, memory from 1Gi to 2Gi`."""
    old = dict(pair.partition("=")[::2] for pair in before.split(","))
    new = [pair.partition("=")[::2] for pair in after.split(",")]
    rows = [(name, _number(name, old.get(name, "")), _number(name, value)) for name, value in new]
    return ", ".join(f"{name} from {was} to {becomes}" for name, was, becomes in rows)


def _number(name: str, value: str) -> str:
    return quantity.format_amount(name, int(value)) if value.lstrip("-").isdecimal() else value or "none"


def _policy(found: Proposal) -> str:
    target = _object(found.target)
    match found.kind:
        case ChangeKind.STRATEGY:
            return f"let {target} pass over its head: queueingStrategy {found.after}"
        case ChangeKind.RECLAIM:
            return f"let {target} take its quota back: reclaimWithinCohort {found.after} instead of {found.before}"
        case ChangeKind.SET_ASIDE:
            return f"set the head aside: set spec.active of {target} to false"
        case ChangeKind.COVER_RESOURCE:
            return f"cover the resource in {target} with quota {quantities(found.after)}"
        case ChangeKind.EXCLUDE_PREFIX:
            return f"leave {found.after} out of quota: resources.excludeResourcePrefixes in Kueue's Configuration"
        case ChangeKind.IGNORE_UNDECLARED:
            return "ignore undeclared resources: resources.quotaCheckStrategy IgnoreUndeclared in Kueue's Configuration"
        case ChangeKind.TOLERATION:
            return f"let its pods tolerate {found.after} ({found.what})"
        case ChangeKind.NODE_SELECTOR:
            return "drop its node selector and affinity" + (f" ({found.before})" if found.before else "")
        case _:
            return f"label {target} with {found.after}"


def warning(found: Warning, *, now: int) -> str:
    """What to keep in mind."""
    facts = dict(found.facts)
    match found.code:
        case WarningCode.STALE:
            return _stale(facts)
        case WarningCode.HIDDEN_KIND:
            return f"{facts.get('what', '')} objects could not be read ({facts.get('reason', '')})"
        case WarningCode.NOT_MODELLED:
            return f"{facts.get('what', '')} is not modelled: it may still keep the workload from running"
        case WarningCode.SCAN_STATE:
            return "where its search of flavors stands is in no API object: taken as not begun"
        case WarningCode.TIE:
            return f"Kueue picks between equal shares at random here: {facts.get('between', '')}"
        case WarningCode.LONG_RUN:
            return f"not evaluated within {facts.get('rounds', '')} cycles: this is the answer for the present state"
        case WarningCode.LOOP:
            rounds = facts.get("rounds", "")
            return f"the workloads of this cohort preempt each other in a loop (seen after {rounds} cycles)"


def _stale(facts: dict[str, str]) -> str:
    age = times.format_age(int(facts["age"])) if facts.get("age") else "unknown time"
    message = facts.get("message", "")
    match facts.get("what"):
        case "evictedButHolds":
            return f"evicted {age} ago and still holds its quota: its job should have stopped ({message})"
        case "notRequeued":
            return f"its Requeued condition is False since {age}, though nothing keeps it from queueing"
        case _:
            return f"Kueue wrote {age} ago that it was refused, which is out of date: {message or 'no message'}"
