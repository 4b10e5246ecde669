"""Which admission checks keep a workload out when it gets quota: observed on Kueue's scheduler."""

from __future__ import annotations

import pytest

from kueuectl.engine import checks, reconcile
from kueuectl.model.queues import AdmissionCheckRule, LocalQueue
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import CheckState
from tests.engine.scene import queue, waiting

READY, PENDING = CheckState("c", "Ready"), CheckState("c", "Pending")
STRANGER = CheckState("other", "Pending")


@pytest.mark.parametrize(
    ("on_flavors", "assigned", "states", "want"),
    [
        pytest.param((), {"default"}, (), False, id="nothing listed yet"),
        pytest.param((), {"default"}, (PENDING,), False, id="not ready"),
        pytest.param((), {"default"}, (READY,), True, id="ready"),
        pytest.param((), {"default"}, (READY, STRANGER), False, id="a listed check counts, though nobody asks for it"),
        pytest.param(("spot",), {"default"}, (), True, id="of another flavor"),
        pytest.param(("spot",), {"spot", "default"}, (), False, id="of one of its flavors"),
        pytest.param((), set(), (), True, id="no flavor, no check"),
        pytest.param((), set(), (PENDING,), False, id="no flavor, but a listed check"),
    ],
)
def test_checks_keep_workloads_out(
    on_flavors: tuple[str, ...], assigned: set[str], states: tuple[CheckState, ...], want: bool
) -> None:
    asking = replace(queue("a"), admission_checks=(AdmissionCheckRule("c", on_flavors),))
    assert checks.lets_in(asking, assigned, states) is want


def test_states_of_checks_that_the_queue_does_not_name_are_dropped() -> None:
    asking = replace(queue("a"), admission_checks=(AdmissionCheckRule("c", ()),))
    subject = replace(waiting("w", "a", 1), checks=(READY, STRANGER))
    key = f"{subject.namespace}/{subject.name}"
    door = LocalQueue(subject.namespace, subject.queue_name, "a")
    state = ClusterState(
        cluster_queues={"a": asking}, local_queues={f"{door.namespace}/{door.name}": door}, workloads={key: subject}
    )
    assert reconcile.settled(state, 0).workloads[key].checks == (READY,)
    nowhere = replace(state, local_queues={})
    assert reconcile.settled(nowhere, 0) is nowhere
