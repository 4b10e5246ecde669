"""Usage with bars: who uses how much of what, the fullest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from kueuectl import quantity
from kueuectl.engine import workloads as facts
from kueuectl.engine.snapshot import Snapshot
from kueuectl.model.flavors import Node, ResourceFlavor
from kueuectl.model.state import ClusterState
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import drawing, parts, tree, workloads
from kueuectl.report.views.usage import NodeView

_TEXTS = ("CLUSTERQUEUE", "STATUS")


class Row(NamedTuple):
    """A line of `top`: a name, what is used of what, and further cells by column title."""

    name: tuple[str, ...]
    flavor: str
    resource: str
    used: int
    whole: int
    extra: tuple[str, ...] = ()
    facts: Mapping[str, Any] = MappingProxyType({})

    @property
    def fullness(self) -> float:
        """Used in parts of the whole; infinite for usage without quota."""
        if self.whole > 0:
            return self.used / self.whole
        return float("inf") if self.used > 0 else 0.0


class Page(NamedTuple):
    """What `top` shows of one kind: titles of the name's columns and of the further ones, and rows."""

    names: tuple[str, ...]
    extra: tuple[str, ...]
    rows: list[Row]


def table(page: Page, *, is_unicode: bool) -> Table:
    """The rows, the fullest first, with a bar."""
    columns = (
        *map(Column, page.names),
        Column("FLAVOR"),
        Column("RESOURCE"),
        Column("USED", right=True),
        Column("OF", right=True),
        Column("USAGE"),
        Column("%", right=True),
        *(Column(title, right=title not in _TEXTS, is_state=title == "STATUS") for title in page.extra),
    )
    rows = [
        (
            *row.name,
            row.flavor,
            row.resource,
            quantity.format_amount(row.resource, row.used),
            quantity.format_amount(row.resource, row.whole),
            drawing.bar(row.used, row.whole, is_unicode=is_unicode),
            drawing.percent(row.used, row.whole),
            *row.extra,
        )
        for row in ordered(page.rows)
        # Neither quota nor usage: nothing to look at.
        if row.whole or row.used
    ]
    return Table(columns, rows)


def ordered(rows: Iterable[Row]) -> list[Row]:
    """1. the fullest first, 2. by name, 3. flavor, 4. resource."""
    return sorted(rows, key=lambda row: (-row.fullness, row.name, row.flavor, row.resource))


def document(page: Page) -> list[dict[str, Any]]:
    """The rows as maps; amounts are quantities."""
    titles = [title.lower() for title in page.names]
    return [
        {
            **dict(zip(titles, row.name, strict=True)),
            "flavor": row.flavor,
            "resource": row.resource,
            "used": quantity.format_amount(row.resource, row.used),
            "of": quantity.format_amount(row.resource, row.whole),
            **row.facts,
        }
        for row in ordered(page.rows)
    ]


def cluster_queues(roots: Sequence[NodeView], counts: Mapping[str, tuple[int, int]]) -> Page:
    """ClusterQueues: usage of nominal quota, what is borrowed, the share and how many workloads wait."""
    rows = []
    for node in _nodes(roots, "ClusterQueue"):
        pending = counts.get(node.name, (0, 0))[0]
        for line in node.lines:
            borrowed = quantity.format_amount(line.resource, line.borrowed)
            rows.append(
                Row(
                    (node.name,),
                    line.flavor,
                    line.resource,
                    line.used,
                    line.nominal,
                    (borrowed, tree.share_text(node.share), str(pending)),
                    {"borrowed": borrowed, "share": tree.share_document(node.share), "pending": pending},
                )
            )
    return Page(("NAME",), ("BORROWED", "SHARE", "PENDING"), rows)


def cohorts(roots: Sequence[NodeView]) -> Page:
    """Cohorts: usage of all quota below."""
    rows = []
    for node in _nodes(roots, "Cohort"):
        for line in node.lines:
            borrowed = quantity.format_amount(line.resource, line.borrowed)
            rows.append(
                Row(
                    (node.name,),
                    line.flavor,
                    line.resource,
                    line.used,
                    line.nominal,
                    (borrowed, tree.share_text(node.share)),
                    {"borrowed": borrowed, "share": tree.share_document(node.share)},
                )
            )
    return Page(("NAME",), ("BORROWED", "SHARE"), rows)


def _nodes(roots: Sequence[NodeView], kind: str) -> list[NodeView]:
    return [node for root in roots for _, node in root.walk() if node.kind == kind]


def local_queues(built: Snapshot, counts: Mapping[str, tuple[int, int]]) -> Page:
    """LocalQueues: what their workloads use, of the nominal quota of the ClusterQueue."""
    used: dict[tuple[str, str, str, str], int] = {}
    for info in built.held.values():
        queue = info.queue
        if queue is None:
            continue
        for fr, amount in info.usage:
            flavor, resource = queue.tree.frs[fr]
            key = (info.workload.namespace, info.workload.queue_name, flavor, resource)
            used[key] = used.get(key, 0) + amount
    rows = []
    for (namespace, name, flavor, resource), amount in used.items():
        local = built.state.local_queues.get(f"{namespace}/{name}")
        queue = built.queues.get(local.cluster_queue) if local is not None else None
        place = queue.tree.index.get((flavor, resource)) if queue is not None else None
        whole = queue.nominal[place] if queue is not None and place is not None else 0
        pending = counts.get(f"{namespace}/{name}", (0, 0))[0]
        target = local.cluster_queue if local is not None else ""
        rows.append(
            Row(
                (namespace, name),
                flavor,
                resource,
                amount,
                whole,
                (target, str(pending)),
                {"clusterQueue": target, "pending": pending},
            )
        )
    return Page(("NAMESPACE", "NAME"), ("CLUSTERQUEUE", "PENDING"), rows)


def flavors(roots: Sequence[NodeView], state: ClusterState) -> Page:
    """Flavors: usage of all nominal quota, beside what the nodes that match the flavor can hold."""
    nominal: dict[tuple[str, str], int] = {}
    used: dict[tuple[str, str], int] = {}
    for root in roots:
        for line in root.lines:
            key = (line.flavor, line.resource)
            nominal[key] = nominal.get(key, 0) + line.nominal
            used[key] = used.get(key, 0) + line.used
    capacity = {name: _capacity(flavor, state.nodes.values()) for name, flavor in state.flavors.items()}
    is_known = bool(state.nodes)
    rows = []
    for (flavor, resource), whole in nominal.items():
        count, amounts = capacity.get(flavor, (0, {}))
        held = quantity.format_amount(resource, amounts.get(resource, 0)) if is_known else parts.UNKNOWN
        rows.append(
            Row(
                ("",),
                flavor,
                resource,
                used[flavor, resource],
                whole,
                (held, str(count) if is_known else parts.UNKNOWN),
                {"allocatable": held if is_known else None, "nodes": count if is_known else None},
            )
        )
    return Page((), ("ALLOCATABLE", "NODES"), [row._replace(name=()) for row in rows])


def _capacity(flavor: ResourceFlavor, nodes: Iterable[Node]) -> tuple[int, dict[str, int]]:
    """How many ready nodes have all labels of the flavor, and what they hold together."""
    wanted = set(flavor.node_labels)
    total: dict[str, int] = {}
    count = 0
    for node in nodes:
        if node.is_ready and not node.unschedulable and wanted <= set(node.labels):
            count += 1
            for resource, amount in node.allocatable:
                total[resource] = total.get(resource, 0) + amount
    return count, total


def running(built: Snapshot, *, keep: Callable[[str], bool]) -> Page:
    """Workloads that hold quota: how much of their ClusterQueue's nominal quota each one uses, at its largest part."""
    rows = []
    for info in built.held.values():
        queue, workload = info.queue, info.workload
        if queue is None or not info.usage or not keep(workload.namespace):
            continue
        fr, amount = max(info.usage, key=lambda pair: (_part(pair[1], queue.nominal[pair[0]]), queue.tree.frs[pair[0]]))
        flavor, resource = queue.tree.frs[fr]
        state = "EVICTING" if facts.is_evicted(workload) else workloads.status(workload)
        rows.append(
            Row(
                (workload.namespace, workload.name),
                flavor,
                resource,
                amount,
                queue.nominal[fr],
                (queue.name, str(info.priority), state),
                {"clusterQueue": queue.name, "priority": info.priority, "status": state},
            )
        )
    return Page(("NAMESPACE", "NAME"), ("CLUSTERQUEUE", "PRIORITY", "STATUS"), rows)


def _part(amount: int, whole: int) -> float:
    return amount / whole if whole > 0 else float(amount > 0)
