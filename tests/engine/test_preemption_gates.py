"""Gates that keep a workload from preempting until somebody opens them (KEP-8303)."""

from __future__ import annotations

import pytest

from kueuectl.model.workloads import Gate
from kueuectl.report import conditions, narrate
from tests.engine.build import condition
from tests.engine.scene import NOW, holding, outcomes, queue, simulation, waiting

ON = {"MultiKueueOrchestratedPreemption": True}
CLOSED, OPEN, NEW = Gate("manager", "Closed"), Gate("manager", "Open"), Gate("manager")


@pytest.mark.parametrize(
    ("name", "gate", "gates", "want"),
    [
        ("closed", CLOSED, ON, ("asks", "preemption gated", "PREEMPTION_GATED")),
        ("without a status yet", NEW, ON, ("asks", "preemption gated", "PREEMPTION_GATED")),
        ("open", OPEN, ON, ("asks", "preempting", "PENDING_PREEMPTION")),
        ("closed, feature off", CLOSED, {}, ("asks", "preempting", "PENDING_PREEMPTION")),
    ],
)
def test_gate(name: str, gate: Gate, gates: dict[str, bool], want: tuple[str, str, str]) -> None:
    asks = waiting("asks", "a", 4, priority=9, preemption_gates=(gate,))
    found = simulation([queue("a", "co", limit=0)], [holding("runs", "a", 3), asks], **gates)
    assert outcomes(found) == [want], name


def test_a_gated_workload_keeps_nothing_from_others() -> None:
    asks = waiting("asks", "a", 4, priority=9, preemption_gates=(CLOSED,))
    queues = [queue("a", "co", limit=0), queue("b", "co")]
    found = simulation(queues, [holding("runs", "a", 3), asks, waiting("other", "b", 5)], **ON)
    assert outcomes(found) == [
        ("asks", "preemption gated", "PREEMPTION_GATED"),
        ("other", "admitted", "GENERIC"),
    ]


def test_it_comes_before_the_question_whose_victims_these_are() -> None:
    queues = [queue("a", "co"), queue("b", "co"), queue("c", "co", flavors={"default": 0})]
    asks = waiting("asks", "b", 4, priority=1, preemption_gates=(CLOSED,))
    found = simulation(queues, [holding("runs", "c", 8), waiting("first", "a", 4, priority=9), asks], **ON)
    assert outcomes(found) == [
        ("first", "preempting", "PENDING_PREEMPTION"),
        ("asks", "preemption gated", "PREEMPTION_GATED"),
    ]


def test_conditions_are_written_once() -> None:
    asks = waiting("asks", "a", 4, priority=9, preemption_gates=(CLOSED,))
    found = simulation([queue("a", "co", limit=0)], [holding("runs", "a", 3), asks], **ON)
    entry = found.step().decision.entries[0]
    message = narrate.entry(entry)
    written = conditions.put_back(entry, found.settings, now=NOW)
    assert [(c.type, c.status, c.reason, c.message) for c in written] == [
        ("QuotaReserved", "False", "Pending", message),
        ("BlockedOnPreemptionGates", "True", "PreemptionGated", message),
    ]
    again = waiting(
        "asks", "a", 4, priority=9, preemption_gates=(CLOSED,), conditions=(written[1], condition("Requeued"))
    )
    found = simulation([queue("a", "co", limit=0)], [holding("runs", "a", 3), again], **ON)
    assert conditions.put_back(found.step().decision.entries[0], found.settings, now=NOW) == again.conditions
