"""Which code runs which suite, and which suites and cases are not due.

A handler takes a case and returns the differences that it found, as sentences; none means that the case passes. What
a case needs and the project does not have is a rule: by suite name here, or by what the case contains, raised as NotDue
in the handler. Never by id.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

from tests.conformance import suites
from tests.conformance.case import Case

Handler = Callable[[Case], list[str]]

_handlers: dict[str, Handler] = {}

# The scene of these suites is built in code by the test that they come from: they are there to read.
NOT_RUNNABLE = frozenset(
    {
        "reserve",
        "quota-borrowing-on",
        "flavors-reclaim-first",
        "flavors-hierarchical",
        "flavors-allowed",
        "flavors-scan-progress",
        "queue-requeue",
    }
)

# Suites of features that are not built yet, by the feature. A suite that gets a handler leaves this list.
NOT_BUILT = {
    "cycle-afs": "admission fair sharing",
    "cycle-tas": "topology-aware scheduling",
    "cycle-tas-cohorts": "topology-aware scheduling",
    "cycle-tas-preemption": "topology-aware scheduling",
    "flavors-leader-worker": "topology-aware scheduling",
    "queue-admission-fair-sharing": "admission fair sharing",
    "topology-find": "topology-aware scheduling",
    "topology-replace": "topology-aware scheduling",
    "workload-second-pass": "topology-aware scheduling",
    "workload-used-nodes": "topology-aware scheduling",
}


class NotDue(Exception):
    """A case needs a feature that the project does not have."""

    def __init__(self, feature: str) -> None:
        super().__init__(feature)
        self.feature = feature


def suite(name: str) -> Callable[[Handler], Handler]:
    """Register the handler of a suite."""

    def register(handler: Handler) -> Handler:
        if name in _handlers:
            raise ValueError(f"two handlers for suite {name}")
        _handlers[name] = handler
        return handler

    return register


def handler_of(name: str) -> Handler:
    """The handler of a suite; raises NotDue by the rules above, and KeyError for a suite that no rule covers."""
    load()
    if name in NOT_RUNNABLE:
        raise NotDue("a scene that is built in code")
    if name in _handlers:
        return _handlers[name]
    if name in NOT_BUILT:
        raise NotDue(NOT_BUILT[name])
    raise KeyError(name)


def load() -> dict[str, Handler]:
    """Import all modules of handlers, and return the handlers by suite name."""
    for module in pkgutil.iter_modules(suites.__path__):
        importlib.import_module(f"{suites.__name__}.{module.name}")
    return _handlers
