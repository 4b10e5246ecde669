"""Dominant resource shares with their arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kueuectl import quantity
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import drawing, tree
from kueuectl.report.views.usage import NodeView


def table(roots: Sequence[NodeView], *, is_unicode: bool) -> Table:
    """One line for each node: what it borrows of its dominant resource, its share and how that was worked out."""
    columns = (
        Column("NAME"),
        Column("WEIGHT", right=True),
        Column("RESOURCE"),
        Column("NOMINAL", right=True),
        Column("USED", right=True),
        Column("BORROWED", right=True),
        Column("LENDABLE", right=True),
        Column("SHARE", right=True),
        Column("RANK", right=True),
        Column("ARITHMETIC", is_prose=True),
    )
    rows = []
    for branch in drawing.branches(roots, lambda node: node.children, is_unicode=is_unicode):
        node = branch.node
        title = f"cohort {node.name}" if node.kind == "Cohort" else node.name
        rows.append(
            (
                branch.first + title,
                f"{node.weight:g}",
                *_amounts(node),
                tree.share_text(node.share),
                f"{node.rank}/{node.siblings}" if node.siblings > 1 else "",
                arithmetic(node),
            )
        )
    return Table(columns, rows)


def _amounts(node: NodeView) -> tuple[str, str, str, str, str]:
    """Resource, nominal, used, borrowed and lendable of the dominant resource; empty where nothing is borrowed."""
    resource = node.share.resource
    if not resource:
        return "", "", "", "", ""
    borrowed, lendable = _of(node, resource)
    nominal = sum(line.nominal for line in node.lines if line.resource == resource)
    used = sum(line.used for line in node.lines if line.resource == resource)
    shown = [quantity.format_amount(resource, value) for value in (nominal, used, borrowed, lendable)]
    return resource, shown[0], shown[1], shown[2], shown[3]


def _of(node: NodeView, resource: str) -> tuple[int, int]:
    for name, borrowed, lendable in node.borrowing:
        if name == resource:
            return borrowed, lendable
    return 0, 0


def arithmetic(node: NodeView) -> str:
    """How the share comes about: borrowed over lendable in thousandths, over the weight."""
    resource = node.share.resource
    if not resource:
        return "borrows nothing" if node.siblings > 1 or node.borrowing else ""
    borrowed, lendable = _of(node, resource)
    left = f"{quantity.format_amount(resource, borrowed)} / {quantity.format_amount(resource, lendable)} x 1000"
    return f"{left} / {node.weight:g} = {tree.share_text(node.share)}"


def document(roots: Sequence[NodeView]) -> list[dict[str, Any]]:
    """Every node of the trees, parents first, with the borrowing of each resource."""
    found = []
    for root in roots:
        for depth, node in root.walk():
            entry = tree.node_document(node, nested=False)
            entry["depth"] = depth
            entry["siblings"] = node.siblings
            entry["borrowing"] = [
                {
                    "resource": resource,
                    "borrowed": quantity.format_amount(resource, borrowed),
                    "lendable": quantity.format_amount(resource, lendable),
                    "ratio": borrowed * 1000 / lendable if lendable > 0 else None,
                }
                for resource, borrowed, lendable in node.borrowing
            ]
            found.append(entry)
    return found
