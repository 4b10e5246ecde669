"""The numbers behind an evaluation, read off the snapshot that it is made on."""

from __future__ import annotations

from kueuectl.analysis.explanation import (
    CandidateRow,
    FlavorRow,
    Limit,
    LimitKind,
    PodSetRow,
    PreemptionFacts,
    ResourceRow,
    ShareFact,
)
from kueuectl.engine import quota, snapshot
from kueuectl.engine.flavors.assignment import Assignment, Attempt
from kueuectl.engine.infos import Info
from kueuectl.engine.nominate import Nominator
from kueuectl.engine.preemption.notes import Finding, Notes, ShareCheck
from kueuectl.engine.quota import Node
from kueuectl.engine.reasons import (
    AffinityMismatch,
    ExceedsCapacity,
    FlavorReason,
    Grade,
    InsufficientQuota,
    Mode,
    Untolerated,
)
from kueuectl.engine.snapshot import FlavorOption, Group, QueueNode

_MODE_NAMES = {Mode.NO_FIT: "NoFit", Mode.PREEMPT: "Preempt", Mode.DEFERRED_FIT: "DeferredFit", Mode.FIT: "Fit"}


def collect(nominator: Nominator, info: Info, queue: QueueNode) -> tuple[tuple[PodSetRow, ...], PreemptionFacts]:
    """The table of pod sets and flavors, and the candidates for preemption, as an evaluation now sees them."""
    assigner = nominator.assigner
    assigner.trace = True
    try:
        full = assigner.assign(info, queue)
    finally:
        assigner.trace = False
    entry = nominator.nominate(info, queue)
    chosen = entry.assignment if entry.assignment is not None else full
    rows = tuple(_pod_set_row(nominator, info, queue, index, full=full, chosen=chosen) for index in _indexes(info))
    facts = PreemptionFacts()
    if full.mode is Mode.PREEMPT:
        notes = Notes()
        victims = nominator.preemptor.victims_for(info, queue, chosen, notes=notes)
        facts = PreemptionFacts(
            candidates=tuple(
                _candidate_row(note.info, note.finding, note.detail, note.share) for note in notes.entries
            ),
            victims=tuple(victim.info.key for victim in victims),
            ties=tuple(notes.ties),
        )
    return rows, facts


def _indexes(info: Info) -> range:
    return range(len(info.requests))


def _candidate_row(info: Info, finding: Finding, detail: str, share: ShareCheck | None) -> CandidateRow:
    fact = None
    if share is not None:
        fact = ShareFact(
            share.strategy, share.preemptor_node, share.target_node, share.preemptor_share, share.target_share
        )
    queue = info.queue.name if info.queue is not None else ""
    chosen = finding is Finding.CHOSEN
    return CandidateRow(
        workload=info.key,
        cluster_queue=queue,
        priority=info.priority,
        finding=str(finding),
        detail="" if chosen else detail,
        reason=detail if chosen else "",
        share=fact,
        reserved_at=info.reserved_at or None,
    )


def _pod_set_row(
    nominator: Nominator, info: Info, queue: QueueNode, index: int, *, full: Assignment, chosen: Assignment
) -> PodSetRow:
    asked = info.requests[index]
    name = asked.name
    picked = next((result for result in chosen.pod_sets if result.name == name), None)
    complete = chosen.mode is not Mode.NO_FIT and picked is not None
    picks = tuple(sorted((r, p.flavor) for r, p in picked.picks.items())) if complete and picked is not None else ()
    granted = picked.count if complete and picked is not None else asked.count
    rows: list[FlavorRow] = []
    groups: list[Group] = []
    for resource in asked.total:
        group = queue.group_of.get(resource)
        if group is not None and group not in groups:
            groups.append(group)
    attempts = [attempt for attempt in full.attempts if name in attempt.pod_sets]
    reached = any(result.name == name for result in full.pod_sets)
    for group in groups:
        out = nominator.assigner.mismatches(info, index, group, queue=queue)
        for option, reasons in zip(group.flavors, out, strict=True):
            attempt = _attempt_for(attempts, option)
            row = _flavor_row(queue, option, asked.total, attempt=attempt, excluded=reasons, before=full.usage)
            if any(r in group.covered and f == option.name for r, f in picks):
                row = _with_choice(row)
            rows.append(row if reached or reasons else _not_tried(row))
    return PodSetRow(
        name=name,
        count=asked.count,
        granted=granted,
        requests=tuple(sorted(asked.total.items())),
        flavors=tuple(rows),
        chosen=picks,
    )


def _attempt_for(attempts: list[Attempt], option: FlavorOption) -> Attempt | None:
    """The attempt of a flavor for these resources; a flavor may stand in several groups."""
    frs = set(option.frs.values())
    for attempt in attempts:
        if attempt.flavor == option.name and (not attempt.checks or any(check[1] in frs for check in attempt.checks)):
            return attempt
    return None


def _with_choice(row: FlavorRow) -> FlavorRow:
    return FlavorRow(row.name, row.mode, row.out, row.height, row.reasons, row.resources, is_chosen=True)


def _not_tried(row: FlavorRow) -> FlavorRow:
    return FlavorRow(row.name, "NotTried", row.out, row.height, row.reasons, row.resources)


def _flavor_row(
    queue: QueueNode,
    option: FlavorOption,
    requests: dict[str, int],
    *,
    attempt: Attempt | None,
    excluded: tuple[FlavorReason, ...],
    before: dict[int, int],
) -> FlavorRow:
    checks = {check[0]: check for check in attempt.checks} if attempt is not None else {}
    rows = []
    for resource, amount in sorted(requests.items()):
        fr = option.frs.get(resource)
        if fr is None:
            continue
        check = checks.get(resource)
        wanted = check[2] if check is not None else amount
        reasons = attempt.reasons if attempt is not None else []
        rows.append(resource_row(queue, resource, fr, wanted=wanted, message_missing=_in_message(reasons, resource)))
    if excluded:
        return FlavorRow(option.name, "NoFit", _out(excluded, None), 0, excluded, tuple(rows))
    if attempt is None:
        return FlavorRow(option.name, "NotTried", "", 0, (), tuple(rows))
    grade, height = attempt.graded
    return FlavorRow(
        option.name,
        _MODE_NAMES[attempt.mode],
        _out(tuple(attempt.reasons), grade),
        height,
        tuple(attempt.reasons),
        tuple(rows),
    )


def _in_message(reasons: list[FlavorReason], resource: str) -> int | None:
    for reason in reasons:
        if isinstance(reason, InsufficientQuota) and reason.resource == resource:
            return reason.missing
    return None


def _out(reasons: tuple[FlavorReason, ...], grade: Grade | None) -> str:
    """The one word for why a flavor is out; "" for one that fits."""
    if grade is Grade.FIT:
        return ""
    for kind, word in (
        (Untolerated, "taint"),
        (AffinityMismatch, "affinity"),
        (ExceedsCapacity, "capacity"),
        (InsufficientQuota, "quota"),
    ):
        if any(isinstance(reason, kind) for reason in reasons):
            return word
    return "other" if reasons else ""


def resource_row(
    queue: QueueNode, resource: str, fr: int, *, wanted: int, message_missing: int | None = None
) -> ResourceRow:
    """The numbers of one flavor-resource of a queue for a request."""
    free = quota.available(queue, fr)
    own = max(0, queue.nominal[fr] - queue.usage[fr])
    missing = max(0, wanted - free)
    return ResourceRow(
        name=resource,
        requested=wanted,
        nominal=queue.nominal[fr],
        used=queue.usage[fr],
        borrowable=max(0, free - min(own, max(0, free))),
        available=free,
        missing=missing,
        maximum=queue.potential[fr],
        limited_by=binding_limit(queue, fr) if missing else None,
        message_missing=message_missing,
        borrowers=_borrowers(queue, fr) if missing else (),
    )


def _borrowers(queue: QueueNode, fr: int) -> tuple[tuple[str, int], ...]:
    """Who has what the queue lacks: other queues of its tree above their nominal quota, the one with most first."""
    above = [(node.name, node.usage[fr] - node.nominal[fr]) for node in queue.tree.queues if node is not queue]
    return tuple(sorted((row for row in above if row[1] > 0), key=lambda row: (-row[1], row[0])))


def binding_limit(queue: QueueNode, fr: int) -> Limit:
    """Which limit of which node keeps the queue from having more of a flavor-resource now."""
    if queue.parent is None:
        return Limit(LimitKind.NOMINAL, queue.name)
    node: Node = queue
    cap: int | None = None
    binding: Node | None = None
    # Going up, what can still come from above gets smaller by each node's limit; the smallest one binds.
    for here in (queue, *queue.path):
        if here.parent is None:
            break
        limit = here.borrow[fr]
        if limit is not None:
            room = here.subtree[fr] - here.local[fr] + limit - max(0, here.usage[fr] - here.local[fr])
            above = quota.available(here.parent, fr)
            if room <= above and (cap is None or room <= cap):
                cap, binding = room, here
        node = here.parent
    if binding is not None:
        return Limit(LimitKind.BORROWING_LIMIT, binding.name, is_cohort=not binding.is_queue)
    keeper = _keeper(queue, node, fr)
    if keeper is not None:
        return Limit(LimitKind.LENDING_LIMIT, keeper.name, is_cohort=not keeper.is_queue)
    return Limit(LimitKind.COHORT_CAPACITY, node.name, is_cohort=True)


def _keeper(queue: QueueNode, root: Node, fr: int) -> Node | None:
    """The node whose lending limit keeps most from the queue; None where no single limit does.

    What a node gives when its limit is raised still has to pass the limits of the cohorts between it and the path of
    the queue. So of limits one above the other the upper one counts, as long as it keeps anything.
    """
    path = {id(queue), *(id(node) for node in queue.path)}
    best: Node | None = None
    most = 0
    stack: list[tuple[Node, int | None]] = [(root, None)]
    while stack:
        node, room = stack.pop()
        for child in (*node.children, *node.queues):
            if id(child) in path:
                stack.append((child, None))
                continue
            kept = quota.local_available(child, fr)
            if kept:
                gain = kept if room is None else min(kept, room)
                if gain > most:
                    best, most = child, gain
                continue
            limit = child.lend[fr]
            slack = room if limit is None else limit - child.subtree[fr]
            if room is not None and slack is not None:
                slack = min(slack, room)
            if slack is None or slack > 0:
                stack.append((child, slack))
    return best


def limits_in_the_way(nominator: Nominator, info: Info, queue: QueueNode) -> tuple[bool, bool]:
    """Whether the workload would fit now without borrowing limits on its path, and without lending limits in its tree.

    Both False when it fits anyway, or fits neither way. Do and undo on the snapshot.
    """
    if queue.parent is None:
        return False, False
    tried = info.last_tried
    info.last_tried = None
    if nominator.assigner.assign(info, queue).mode is Mode.FIT:
        info.last_tried = tried
        return False, False
    tree = queue.tree
    size = len(tree.frs)
    path: list[Node] = [queue, *queue.path]
    borrow = [node.borrow for node in path]
    for node in path:
        node.borrow = [None] * size
    snapshot.resettle(tree)
    without_borrowing = nominator.assigner.assign(info, queue).mode is Mode.FIT
    for node, limits in zip(path, borrow, strict=True):
        node.borrow = limits
    nodes: list[Node] = [*tree.queues, *tree.cohorts.values()]
    lend = [node.lend for node in nodes]
    for node in nodes:
        node.lend = [None] * size
    snapshot.resettle(tree)
    without_lending = nominator.assigner.assign(info, queue).mode is Mode.FIT
    for node, limits in zip(nodes, lend, strict=True):
        node.lend = limits
    snapshot.resettle(tree)
    info.last_tried = tried
    return without_borrowing, without_lending
