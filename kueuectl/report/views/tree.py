"""The tree of cohorts with quota, usage and shares, as a table and as a document."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kueuectl import quantity
from kueuectl.engine.shares import Share
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import drawing
from kueuectl.report.views.usage import Line, NodeView


def table(roots: Sequence[NodeView], *, limits: bool, is_unicode: bool) -> Table:
    """One line for each flavor-resource of each node."""
    columns = [
        Column("NAME"),
        Column("FLAVOR"),
        Column("RESOURCE"),
        Column("NOMINAL", right=True),
        Column("USED", right=True),
        Column("BORROWED", right=True),
        Column("LENT", right=True),
        Column("AVAILABLE", right=True),
        *((Column("BORROWING LIMIT", right=True), Column("LENDING LIMIT", right=True)) if limits else ()),
        Column("SHARE", right=True),
        Column("WEIGHT", right=True),
    ]
    rows = []
    for branch in drawing.branches(roots, lambda node: node.children, is_unicode=is_unicode):
        node = branch.node
        tail = (share_text(node.share), f"{node.weight:g}")
        name = branch.first + _title(node)
        if not node.lines:
            rows.append((name, *[""] * (len(columns) - 3), *tail))
        for place, line in enumerate(node.lines):
            cells = _cells(line, limits=limits, is_root=node.is_root)
            rows.append((name if place == 0 else branch.rest, *cells, *(tail if place == 0 else ("", ""))))
    return Table(tuple(columns), rows)


def _title(node: NodeView) -> str:
    if node.kind == "Cohort":
        return f"cohort {node.name}"
    return node.name if node.is_active else f"{node.name} (inactive)"


def _cells(line: Line, *, limits: bool, is_root: bool) -> tuple[str, ...]:
    def shown(value: int) -> str:
        return quantity.format_amount(line.resource, value)

    cells = (
        line.flavor,
        line.resource,
        *map(shown, (line.nominal, line.used, line.borrowed, line.lent, line.available)),
    )
    if not limits:
        return cells
    if is_root:
        # There is nobody to borrow from or to lend to.
        return (*cells, "-", "-")
    return (*cells, *(limit_text(line.resource, limit) for limit in (line.borrowing_limit, line.lending_limit)))


def limit_text(resource: str, limit: int | None) -> str:
    """A limit, "none" where there is no limit."""
    return "none" if limit is None else quantity.format_amount(resource, limit)


def share_text(share: Share) -> str:
    """A share in thousandths over the weight, with what rounding would hide; "inf" for weight 0."""
    value = share.precise
    return "inf" if math.isinf(value) else f"{value:.6g}"


def document(roots: Sequence[NodeView]) -> list[dict[str, Any]]:
    """The trees as nested maps; amounts are quantities, shares in thousandths over the weight."""
    return [node_document(root) for root in roots]


def node_document(node: NodeView, *, nested: bool = True) -> dict[str, Any]:
    """A node, with its children inside if `nested`."""
    found: dict[str, Any] = {
        "kind": node.kind,
        "name": node.name,
        "hasObject": node.has_object,
        "active": node.is_active,
        "weight": node.weight,
        "share": share_document(node.share),
        "rank": node.rank,
        "quota": [_line_document(line) for line in node.lines],
    }
    if nested:
        found["children"] = [node_document(child) for child in node.children]
    return found


def share_document(share: Share) -> dict[str, Any]:
    """A share: unrounded, as Kueue rounds it, and its dominant resource. Infinite is "inf": JSON has no such number."""
    value = share.precise
    return {
        "value": "inf" if math.isinf(value) else value,
        "rounded": share.rounded,
        "dominantResource": share.resource,
    }


def _line_document(line: Line) -> dict[str, Any]:
    def shown(value: int | None) -> str | None:
        return None if value is None else quantity.format_amount(line.resource, value)

    return {
        "flavor": line.flavor,
        "resource": line.resource,
        "nominal": shown(line.nominal),
        "ownNominal": shown(line.own),
        "used": shown(line.used),
        "borrowed": shown(line.borrowed),
        "lent": shown(line.lent),
        "available": shown(line.available),
        "borrowingLimit": shown(line.borrowing_limit),
        "lendingLimit": shown(line.lending_limit),
    }
