"""Priorities of workloads (docs: Workload Priority Class; KEP-7990, priority boost)."""

from __future__ import annotations

import re

from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Workload

BOOST_ANNOTATION = "kueue.x-k8s.io/priority-boost"
DEFAULT = 0
_INT32 = range(-(2**31), 2**31)
_INTEGER = re.compile(r"[+-]?\d{1,64}", re.ASCII)
# The WorkloadPriorityClass that stands in for none, with gate WorkloadPriorityClassDefaulting (KEP-10765).
_DEFAULT_CLASS = "default"


def effective(workload: Workload, state: ClusterState, settings: Settings) -> int:
    """The priority that orders and preempts: base plus boost. Wider than 32 bits, as Kueue's is."""
    rank = base(workload, state)
    if settings.gate("PriorityBoost"):
        rank += boost(workload, settings)[0]
    return rank


def base(workload: Workload, state: ClusterState) -> int:
    """spec.priority; where it is missing, the value of the class that the workload names, else 0.

    The API sets both or neither, so the class is only asked for manifests that no API server has seen yet.
    """
    if workload.priority is not None:
        return workload.priority
    ref = workload.priority_class
    if ref is None:
        return DEFAULT
    classes = state.priority_classes if ref.kind == "PriorityClass" else state.workload_priority_classes
    found = classes.get(ref.name)
    return DEFAULT if found is None else found.value


def boost(workload: Workload, settings: Settings) -> tuple[int, bool]:
    """The boost that an annotation asks for, and whether its text is a 32-bit integer (0 and False where not)."""
    if not workload.annotations or not settings.gate("PriorityBoost"):
        return 0, True
    text = next((value for key, value in workload.annotations if key == BOOST_ANNOTATION), "")
    if not text:
        return 0, True
    value = int(text) if _INTEGER.fullmatch(text) else None
    return (value, True) if value is not None and value in _INT32 else (0, False)


def of_classes(state: ClusterState, settings: Settings, *, workload_class: str = "", pod_class: str = "") -> int:
    """The priority that Kueue would give to a new job, from the classes that it and its pods name.

    1. The WorkloadPriorityClass of the job's label (or `default`, with its gate). 2. The pods' PriorityClass. 3. The
    global default PriorityClass, the highest if there are several. 4. 0. A named class that is missing counts as none.
    """
    if not workload_class and settings.gate("WorkloadPriorityClassDefaulting"):
        workload_class = _DEFAULT_CLASS
    found = state.workload_priority_classes.get(workload_class) or state.priority_classes.get(pod_class)
    if found is not None:
        return found.value
    return max((entry.value for entry in state.priority_classes.values() if entry.is_default), default=DEFAULT)
