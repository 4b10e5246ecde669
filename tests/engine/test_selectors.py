"""Selectors, taints and tolerations."""

from __future__ import annotations

import pytest

from kueuectl.engine import selectors
from kueuectl.model.selectors import LabelSelector, NodeSelectorTerm, Requirement, Taint, Toleration

LABELS = {"team": "a", "gen": "5"}


@pytest.mark.parametrize(
    ("name", "selector", "want"),
    [
        ("a missing selector matches nothing", None, False),
        ("an empty one everything", LabelSelector(), True),
        ("an equal label", LabelSelector((("team", "a"),)), True),
        ("another value", LabelSelector((("team", "b"),)), False),
        ("all parts must hold", LabelSelector((("team", "a"),), (Requirement("gen", "In", ("4",)),)), False),
        ("an expression alone", LabelSelector((), (Requirement("gen", "Exists"),)), True),
    ],
)
def test_label_selectors(name: str, selector: LabelSelector | None, want: bool) -> None:
    assert selectors.matches(selector, LABELS) is want, name


@pytest.mark.parametrize(
    ("key", "operator", "values", "want"),
    [
        ("team", "In", ("b", "a"), True),
        ("team", "In", ("b",), False),
        ("team", "In", (), False),
        ("zone", "In", ("",), False),
        ("team", "NotIn", ("b",), True),
        ("team", "NotIn", ("a",), False),
        ("zone", "NotIn", ("a",), True),
        ("team", "Exists", (), True),
        ("zone", "Exists", (), False),
        ("team", "DoesNotExist", (), False),
        ("zone", "DoesNotExist", (), True),
        ("gen", "Gt", ("4",), True),
        ("gen", "Gt", ("5",), False),
        ("gen", "Lt", ("6",), True),
        ("gen", "Lt", ("5",), False),
        ("gen", "Gt", ("x",), False),
        ("team", "Gt", ("1",), False),
        ("zone", "Gt", ("1",), False),
        ("gen", "Gt", ("1", "2"), False),
        ("gen", "Unknown", ("5",), False),
    ],
)
def test_expressions(key: str, operator: str, values: tuple[str, ...], want: bool) -> None:
    assert selectors.holds(Requirement(key, operator, values), LABELS) is want


def test_an_empty_term_matches_no_node() -> None:
    fields = {"metadata.name": "node-1"}
    assert not selectors.term_holds(NodeSelectorTerm(), LABELS, fields)
    term = NodeSelectorTerm((Requirement("team", "Exists"),), (Requirement("metadata.name", "In", ("node-1",)),))
    assert selectors.term_holds(term, LABELS, fields)
    assert not selectors.term_holds(term, LABELS, {"metadata.name": "node-2"})


TAINT = Taint("key", "10", "NoSchedule")


@pytest.mark.parametrize(
    ("name", "toleration", "want"),
    [
        ("equal", Toleration("key", "Equal", "10"), True),
        ("equal is the default", Toleration("key", "", "10"), True),
        ("another value", Toleration("key", "Equal", "11"), False),
        ("another key", Toleration("other", "Exists"), False),
        ("exists", Toleration("key", "Exists"), True),
        ("everything", Toleration("", "Exists"), True),
        ("every key with the value", Toleration("", "Equal", "10"), True),
        ("the effect", Toleration("key", "Exists", "", "NoSchedule"), True),
        ("another effect", Toleration("key", "Exists", "", "NoExecute"), False),
        ("greater", Toleration("key", "Gt", "5"), True),
        ("not greater", Toleration("key", "Gt", "10"), False),
        ("less", Toleration("key", "Lt", "15"), True),
        ("not a number", Toleration("key", "Lt", "many"), False),
        ("an unknown operator", Toleration("key", "Like", "10"), False),
    ],
)
def test_tolerations(name: str, toleration: Toleration, want: bool) -> None:
    assert selectors.tolerates(toleration, TAINT) is want, name


@pytest.mark.parametrize(
    ("name", "taints", "tolerations", "want"),
    [
        ("none", (), (), None),
        (
            "the first one that is not tolerated",
            (Taint("a", "", "NoExecute"), TAINT),
            (Toleration("a", "Exists"),),
            TAINT,
        ),
        ("a preference keeps nobody out", (Taint("a", "", "PreferNoSchedule"),), (), None),
        ("all tolerated", (TAINT,), (Toleration("x", "Exists"), Toleration("key", "Exists")), None),
    ],
)
def test_untolerated(
    name: str, taints: tuple[Taint, ...], tolerations: tuple[Toleration, ...], want: Taint | None
) -> None:
    assert selectors.untolerated(taints, tolerations) == want, name
