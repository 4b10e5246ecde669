"""quota-*: capacity, shares and usage in the tree of cohorts."""

from __future__ import annotations

from typing import Any

from kueuectl.engine import quota, shares, snapshot, workloads
from kueuectl.engine.quota import Node
from kueuectl.engine.shares import Share
from kueuectl.engine.snapshot import QueueNode, Snapshot, Tree
from kueuectl.quantity import format_amount
from tests.conformance.case import Case, same
from tests.conformance.registry import suite


def fr_of(tree: Tree, key: str) -> int:
    """The index of "flavor/resource"; resources may have slashes of their own."""
    flavor, _, resource = key.partition("/")
    return tree.index[flavor, resource]


def key_of(tree: Tree, fr: int) -> str:
    """The "flavor/resource" of an index."""
    return "/".join(tree.frs[fr])


def use(node: QueueNode, usage: dict[str, int] | None) -> None:
    """Add usage that no workload stands for."""
    for key, amount in (usage or {}).items():
        quota.add_usage(node, fr_of(node.tree, key), amount)


@suite("quota-available")
def available(case: Case) -> list[str]:
    built = snapshot.build(case.state(), case.settings())
    for name, usage in (case.given.get("usage") or {}).items():
        use(built.queues[name], usage)
    now, potential = {}, {}
    for name, node in built.queues.items():
        keys = {key_of(node.tree, fr): fr for fr in node.defined}
        now[name] = {key: max(0, quota.available(node, fr)) for key, fr in keys.items()}
        potential[name] = {key: node.potential[fr] for key, fr in keys.items()}
    return same("available", now, case.expect["wantAvailable"]) + same(
        "potentially available", potential, case.expect["wantPotentiallyAvailable"]
    )


@suite("quota-share")
def share(case: Case) -> list[str]:
    built = snapshot.build(case.state(), case.settings())
    for usage in (case.given.get("usage"), case.given.get("flvResQ")):
        use(built.queues["cq"], usage)
    got = [_share(node, tree) for tree in built.trees for node in (*tree.queues, *tree.cohorts.values())]
    want = [
        (doc["Name"], doc["NodeType"], doc["Borrowing"], doc["DrName"], doc["DrValue"])
        for doc in case.expect.get("want") or ()
    ]
    return same("shares", sorted(got), sorted(want))


def _share(node: Node, tree: Tree) -> tuple[str, bool, bool, str, int]:
    found = shares.share(node, tree.resource_of, tree.resources)
    borrows = node.parent is not None and bool(shares.borrowed_by_resource(node, tree.resource_of))
    return node.name, not node.is_queue, borrows, found.resource, found.rounded


@suite("quota-share-precise")
def precise(case: Case) -> list[str]:
    drs = case.given["drs"]
    got = Share(drs["unweightedRatio"], drs["fairWeight"], drs.get("dominantResource") or "").precise
    return same("precise share", got, float(case.expect["want"]))


@suite("quota-usage")
def usage(case: Case) -> list[str]:
    node = next(iter(snapshot.build(case.state(), case.settings()).queues.values()))
    held = list(node.held.values())
    admitted = [info for info in held if workloads.is_admitted(info.workload)]
    used = [0] * len(node.tree.frs)
    for info in admitted:
        for fr, amount in info.usage:
            used[fr] += amount
    expect = case.expect
    return (
        same("reserving", len(held), expect.get("wantReservingWorkloads", 0))
        + same("admitted", len(admitted), expect.get("wantAdmittedWorkloads", 0))
        + same("reserved", _rows(node, node.usage), expect.get("wantReservedResources") or [])
        + same("used", _rows(node, used), expect.get("wantUsedResources") or [])
    )


def _rows(node: QueueNode, amounts: list[int]) -> list[dict[str, Any]]:
    """Usage as the status of a ClusterQueue has it."""
    rows = []
    for group in node.groups:
        for option in group.flavors:
            resources = []
            for name, fr in sorted(option.frs.items()):
                over = amounts[fr] - node.nominal[fr] if node.parent is not None else 0
                texts = {"total": format_amount(name, amounts[fr]), "borrowed": format_amount(name, max(0, over))}
                resources.append({"name": name, **texts})
            rows.append({"name": option.name, "resources": resources})
    return rows


@suite("quota-add-remove")
def add_remove(case: Case) -> list[str]:
    """The cases don't say what the workloads of the scene ask for, only where it ends.

    So the end is set up in the ClusterQueues, and workloads of every size come and go, in all of them: the cohorts must
    follow, and be at the end what Kueue says that they are.
    """
    built = snapshot.build(case.state(), case.settings())
    want = case.expect["want"]["Manager"]
    nodes = {name: doc["ResourceNode"] for name, doc in want["clusterQueues"].items()}
    for name, doc in nodes.items():
        use(built.queues[name], doc["Usage"])
    _come_and_go(built, len(case.given.get("remove") or ()) + len(case.given.get("add") or ()))
    cohorts = {name: doc["ResourceNode"] for name, doc in (want.get("cohorts") or {}).items()}
    return _compare("ClusterQueue", built.queues, nodes) + _compare("Cohort", built.cohorts, cohorts)


@suite("quota-add-remove-lending")
def add_remove_lending(case: Case) -> list[str]:
    return add_remove(case)


def _come_and_go(built: Snapshot, times: int) -> None:
    for round_ in range(times):
        added = []
        for node in built.queues.values():
            for fr in node.defined:
                amount = (round_ + 1) * (node.subtree[fr] // 3 + 1)
                quota.add_usage(node, fr, amount)
                added.append((node, fr, amount))
        for node, fr, amount in added if round_ % 2 else reversed(added):
            quota.remove_usage(node, fr, amount)


def _compare(kind: str, nodes: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    differences = same(f"names of {kind}s", sorted(nodes), sorted(wanted))
    for name, doc in wanted.items():
        node: Node = nodes[name]
        tree = next(queue for queue in _below(node) if isinstance(queue, QueueNode)).tree
        quotas = {key_of(tree, fr): node.subtree[fr] for fr in node.defined}
        used = {key_of(tree, fr): node.usage[fr] for fr in node.defined}
        differences += same(f"{kind} {name} subtree quota", quotas, doc.get("SubtreeQuota") or {})
        differences += same(f"{kind} {name} usage", used, doc.get("Usage") or {})
    return differences


def _below(node: Node) -> list[Node]:
    return [node] + [found for child in (*node.children, *node.queues) for found in _below(child)]
