"""The engine's working state: trees of queues with quota, and the workloads that hold it.

One tree for each root cohort, and one for each ClusterQueue without a cohort. Names become indexes once, here.
Everything after is do and undo on the same objects: `hold` and `release` change who holds quota for good,
`add_all` and `remove_all` of `quota` try things out. Nothing is ever copied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kueuectl.engine import activeness, quota, workloads
from kueuectl.engine.infos import Info, InfoReader
from kueuectl.engine.quota import Node
from kueuectl.model.queues import ClusterQueue, Cohort, ResourceGroup
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState

FlavorResource = tuple[str, str]
_TIMESTAMP_BUFFER = 300_000_000_000


class Tree:
    """A root with everything below it, and the table of its flavor-resources."""

    __slots__ = ("cohorts", "frs", "index", "is_cyclic", "queues", "resource_of", "resources", "root")

    def __init__(self) -> None:
        self.frs: list[FlavorResource] = []
        self.index: dict[FlavorResource, int] = {}
        self.resources: list[str] = []
        self.resource_of: list[int] = []
        self.queues: list[QueueNode] = []
        self.cohorts: dict[str, Node] = {}
        self.root: Node
        # The cohorts form a cycle, which is cut at the root: nothing is admitted in it, nothing moves (KEP-79).
        self.is_cyclic = False

    def fr(self, flavor: str, resource: str) -> int:
        """The index of a flavor-resource; a new one is added to the table."""
        key = (flavor, resource)
        found = self.index.get(key)
        if found is None:
            found = self.index[key] = len(self.frs)
            self.frs.append(key)
            if resource not in self.resources:
                self.resources.append(resource)
            self.resource_of.append(self.resources.index(resource))
        return found


class FlavorOption:
    """One flavor of a resource group: its name and the flavor-resource of each covered resource."""

    __slots__ = ("frs", "name")

    def __init__(self, name: str, frs: dict[str, int]) -> None:
        self.name = name
        self.frs = frs


class Group:
    """A resource group of a ClusterQueue."""

    __slots__ = ("covered", "flavors", "spec")

    def __init__(self, spec: ResourceGroup, tree: Tree) -> None:
        self.spec = spec
        self.covered = frozenset(spec.covered_resources)
        self.flavors = [
            FlavorOption(f.name, {q.name: tree.fr(f.name, q.name) for q in f.resources}) for f in spec.flavors
        ]


class QueueNode(Node):
    """A ClusterQueue in the tree."""

    __slots__ = (
        "always_reclaims",
        "borrow_policy",
        "borrow_threshold",
        "buffer",
        "generation",
        "group_of",
        "groups",
        "held",
        "inactive_message",
        "inactive_reason",
        "is_strict",
        "reclaim",
        "sorted_held",
        "spec",
        "tree",
        "within",
    )

    def __init__(self, spec: ClusterQueue, tree: Tree, groups: list[Group]) -> None:
        super().__init__(
            spec.name, len(tree.frs), is_queue=True, weight=1.0 if spec.fair_weight is None else spec.fair_weight
        )
        self.spec = spec
        self.tree = tree
        self.groups = groups
        # The first group that covers a resource; the API allows no second one.
        self.group_of: dict[str, Group] = {r: group for group in reversed(groups) for r in group.spec.covered_resources}
        self.held: dict[str, Info] = {}
        # Held workloads in candidate order; None after a change, made again when asked for.
        self.sorted_held: list[Info] | None = None
        self.inactive_reason = ""
        self.inactive_message = ""
        self.is_strict = spec.queueing_strategy == "StrictFIFO"
        # Moves when quota is taken or freed for good; searches of flavors look at it (`pending`, rule 5).
        self.generation = 0
        preemption = spec.preemption
        self.within = preemption.within_cluster_queue
        self.reclaim = preemption.reclaim_within_cohort
        self.borrow_policy = preemption.borrow_within_cohort
        self.borrow_threshold = preemption.max_priority_threshold
        self.always_reclaims = preemption.reclaim_within_cohort == "Any"
        # How much newer (nanoseconds) a workload of equal priority has to be for LowerOrNewerEqualPriority.
        self.buffer = 0
        _set_quota(self, spec.resource_groups, tree)

    def candidates(self) -> list[Info]:
        """Held workloads in candidate order (see `Info.set_holding`)."""
        found = self.sorted_held
        if found is None:
            found = self.sorted_held = sorted(self.held.values(), key=_candidate_key)
        return found

    @property
    def borrows_by_preemption(self) -> bool:
        """Whether borrowWithinCohort is configured to do anything."""
        return self.borrow_policy is not None and self.borrow_policy != "Never"


def _candidate_key(info: Info) -> tuple[int, int, int, str, str]:
    return info.candidate_key


class Snapshot:
    """Queues, cohorts and held workloads of the trees that were asked for."""

    __slots__ = ("cohorts", "held", "queues", "reader", "settings", "state", "trees")

    def __init__(self, state: ClusterState, settings: Settings, reader: InfoReader) -> None:
        self.state = state
        self.settings = settings
        self.reader = reader
        self.trees: list[Tree] = []
        self.queues: dict[str, QueueNode] = {}
        self.cohorts: dict[str, Node] = {}
        self.held: dict[str, Info] = {}

    def hold(self, info: Info, queue: QueueNode) -> None:
        """The workload takes its usage in the queue. Inverse: `release`."""
        info.queue = queue
        queue.held[info.key] = info
        queue.sorted_held = None
        self.held[info.key] = info
        quota.add_all(queue, info.usage)

    def release(self, info: Info) -> None:
        """The workload gives its usage back. Inverse: `hold`."""
        queue = info.queue
        assert queue is not None
        del queue.held[info.key]
        queue.sorted_held = None
        del self.held[info.key]
        quota.remove_all(queue, info.usage)


def build(
    state: ClusterState,
    settings: Settings,
    *,
    roots: Collection[str] | None = None,
    reader: InfoReader | None = None,
) -> Snapshot:
    """The snapshot of a state; with `roots`, only the trees with those root names (see `root_of`).

    A `reader` may come from a snapshot of another state that differs in queues and workloads only.
    """
    snapshot = Snapshot(state, settings, reader or InfoReader(state, settings))
    members: dict[str, list[ClusterQueue]] = {}
    for queue in sorted(state.cluster_queues.values(), key=lambda q: q.name):
        members.setdefault(root_of(state, queue), []).append(queue)
    for cohort in state.cohorts.values():
        members.setdefault(root_of_cohort(state, cohort.name), [])
    holders = _holders(snapshot, members if roots is None else {r: members[r] for r in roots if r in members})
    for root in sorted(members):
        if roots is None or root in roots:
            _build_tree(snapshot, root, members[root], holders)
    return snapshot


def root_of(state: ClusterState, queue: ClusterQueue) -> str:
    """The name of the tree that a ClusterQueue is in: "cohort NAME", or "queue NAME" without a cohort."""
    if queue.cohort is None:
        return f"queue {queue.name}"
    return root_of_cohort(state, queue.cohort)


def root_of_cohort(state: ClusterState, name: str) -> str:
    """The name of the tree that a cohort is in."""
    """A cycle is cut at its first member by name, so that all of its members agree on the root."""
    path = [name]
    while True:
        cohort = state.cohorts.get(path[-1])
        if cohort is None or not cohort.parent:
            return f"cohort {path[-1]}"
        if cohort.parent in path:
            return f"cohort {min(path[path.index(cohort.parent) :])}"
        path.append(cohort.parent)


def _holders(snapshot: Snapshot, members: dict[str, list[ClusterQueue]]) -> dict[str, list[Info]]:
    """Workloads that hold quota, by ClusterQueue, in the order of their keys."""
    wanted = {queue.name for queues in members.values() for queue in queues}
    found: dict[str, list[Info]] = {}
    for workload in snapshot.state.workloads.values():
        admission = workload.admission
        if admission is None or admission.cluster_queue not in wanted or not workloads.holds_quota(workload):
            continue
        info = snapshot.reader.read(workload)
        found.setdefault(admission.cluster_queue, []).append(info)
    return found


def _build_tree(snapshot: Snapshot, root: str, queues: list[ClusterQueue], holders: dict[str, list[Info]]) -> None:
    tree = Tree()
    groups = {queue.name: [Group(group, tree) for group in queue.resource_groups] for queue in queues}
    cohorts = _cohorts_below(snapshot.state, root, queues)
    tree.is_cyclic = bool(cohorts and cohorts[root.removeprefix("cohort ")].parent)
    for cohort in cohorts.values():
        for group in cohort.resource_groups:
            Group(group, tree)
    for queue in queues:
        for info in holders.get(queue.name, ()):
            info.set_holding(
                usage_of(info, tree),
                reserved_at=workloads.reservation_time(info.workload),
                evicted=workloads.is_evicted(info.workload),
            )
    nodes = {name: _cohort_node(cohort, tree) for name, cohort in cohorts.items()}
    for name in sorted(cohorts):
        parent = cohorts[name].parent
        if parent and f"cohort {name}" != root:
            nodes[parent].children.append(nodes[name])
            nodes[name].parent = nodes[parent]
    for queue in queues:
        _add_queue(snapshot, QueueNode(queue, tree, groups[queue.name]), nodes, holders.get(queue.name, []))
    tree.cohorts = nodes
    tree.root = nodes[root.removeprefix("cohort ")] if nodes else tree.queues[0]
    resettle(tree)
    snapshot.trees.append(tree)
    snapshot.cohorts.update(nodes)


def resettle(tree: Tree) -> None:
    """Compute all that follows from nominal quotas, limits and the usage of ClusterQueues."""
    size = len(tree.frs)
    quota.settle(tree.root, size)
    quota.settle_down(tree.root, size, resource_of=tree.resource_of, resources=len(tree.resources))


def _cohorts_below(state: ClusterState, root: str, queues: list[ClusterQueue]) -> dict[str, Cohort]:
    """Cohort objects of the tree, with made-up ones for cohorts that are only named."""
    found: dict[str, Cohort] = {}
    if not root.startswith("cohort "):
        return found
    names = [root.removeprefix("cohort "), *(q.cohort for q in queues if q.cohort)]
    names += [name for name in state.cohorts if root_of_cohort(state, name) == root]
    for name in names:
        while name not in found:
            cohort = state.cohorts.get(name) or Cohort(name)
            found[name] = cohort
            if not cohort.parent or f"cohort {name}" == root:
                break
            name = cohort.parent
    return found


def _cohort_node(cohort: Cohort, tree: Tree) -> Node:
    weight = 1.0 if cohort.fair_weight is None else cohort.fair_weight
    node = Node(cohort.name, len(tree.frs), is_queue=False, weight=weight)
    _set_quota(node, cohort.resource_groups, tree)
    return node


def _set_quota(node: Node, groups: Iterable[ResourceGroup], tree: Tree) -> None:
    for group in groups:
        for flavor in group.flavors:
            for entry in flavor.resources:
                fr = tree.index[flavor.name, entry.name]
                node.nominal[fr] = entry.nominal
                node.borrow[fr] = entry.borrowing_limit
                node.lend[fr] = entry.lending_limit
                node.defined.append(fr)


def _add_queue(snapshot: Snapshot, node: QueueNode, cohorts: dict[str, Node], holders: list[Info]) -> None:
    status = activeness.cluster_queue(node.spec, snapshot.state, snapshot.settings)
    node.active = status.active
    if snapshot.settings.gate("SchedulerTimestampPreemptionBuffer"):
        node.buffer = _TIMESTAMP_BUFFER
    node.inactive_reason = status.reason
    node.inactive_message = status.message
    if node.tree.is_cyclic:
        node.active = False
        node.inactive_reason, node.inactive_message = "CohortCycle", "The cohorts above form a cycle"
    if node.spec.cohort is not None:
        node.parent = cohorts[node.spec.cohort]
        node.parent.queues.append(node)
    node.index = len(snapshot.queues)
    node.tree.queues.append(node)
    snapshot.queues[node.name] = node
    for info in holders:
        info.queue = node
        node.held[info.key] = info
        snapshot.held[info.key] = info
        for fr, amount in info.usage:
            node.usage[fr] += amount


def usage_of(info: Info, tree: Tree) -> tuple[tuple[int, int], ...]:
    """What a workload with flavors uses, per flavor-resource; adds to the tree's table what is not in it."""
    total: dict[int, int] = {}
    for pod_set in info.requests:
        flavors = pod_set.flavors or {}
        for resource, amount in pod_set.total.items():
            flavor = flavors.get(resource)
            if flavor is not None:
                fr = tree.fr(flavor, resource)
                total[fr] = total.get(fr, 0) + amount
    return tuple(total.items())
