"""What Kueue tells about the decisions of a cycle."""

from __future__ import annotations

from kueuectl.engine.simulate import Simulation
from kueuectl.model.flavors import ResourceFlavor
from kueuectl.model.queues import ClusterQueue
from kueuectl.model.selectors import Taint
from kueuectl.report import events
from tests.engine.scene import NOW, holding, queue, simulation, waiting

SECOND = 1_000_000_000


def told(found: Simulation) -> list[tuple[str, str, str]]:
    """Name, reason and message of the events of one cycle."""
    found.nominator.assigner.trace = True
    done = found.step()
    listed = events.of_decision(done.decision, found.snapshot.state, found.settings, now=done.at)
    return [(event.key.removeprefix("team-a/"), event.reason, event.message) for event in listed]


def three_flavors() -> ClusterQueue:
    """Flavors that are tainted, too small, and right."""
    return queue("a", "co", flavors={"tainted": 9, "small": 1, "right": 2})


def test_an_admission_tells_which_flavors_were_out() -> None:
    found = simulation([three_flavors(), queue("b", "co", flavors={"right": 2})], [waiting("asks", "a", 3)])
    taint = Taint("dedicated", "gpu", "NoSchedule")
    found.snapshot.state.flavors["tainted"] = ResourceFlavor("tainted", node_taints=(taint,))
    assert told(found) == [
        (
            "asks",
            "QuotaReserved",
            "Quota reserved in ClusterQueue a, wait time since queued was 9223372037s; Flavors considered: main: "
            "right(Fit;borrow=1), "
            "small(NoFit;insufficient quota for cpu in flavor small, previously considered podsets requests (0) + "
            "current podset request (3) > maximum capacity (1)), "
            "tainted(NoFit;untolerated taint {dedicated gpu NoSchedule <nil>} in flavor tainted)",
        ),
        ("asks", "Admitted", "Admitted by ClusterQueue a, wait time since reservation was 0s"),
    ]


def test_a_preemption_tells_both_priorities() -> None:
    asks = waiting("asks", "a", 4, priority=5, creation=NOW - 90 * SECOND)
    reason = "due to prioritization in the ClusterQueue; preemptor path: /a; preemptee path: /a"
    ranks = "preemptor effective priority: 5 (base: 5, boost: 0); preemptee effective priority: 0 (base: 0, boost: 0)"
    assert told(simulation([queue("a")], [holding("runs", "a", 4), asks])) == [
        ("runs", "EvictedDueToPreempted", f"Preempted to accommodate a workload (UID: asks, JobUID: UNKNOWN) {reason}"),
        ("runs", "Preempted", f"Preempted to accommodate a workload (UID: asks, JobUID: UNKNOWN) {reason}; {ranks}"),
        ("asks", "PreemptedWorkload", f"Preempted workload team-a/runs (UID: runs) in ClusterQueue a; {ranks}"),
        (
            "asks",
            "Pending",
            "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, "
            "4 more needed. Pending the preemption of 1 workload(s)",
        ),
    ]


def test_long_messages_are_cut() -> None:
    many = queue("a", flavors={f"flavor-with-a-long-name-{number:02}": 1 for number in range(20)})
    ((_, _, message),) = told(simulation([many], [waiting("asks", "a", 4)]))
    assert (len(message), message[-4:]) == (1024, " ...")
