"""A plan: intended writes, what they rest on, and what they promise.

A plan is made by the engine on one state and carried out on a later one, so it names every object that it rests on by
uid and resourceVersion. What an object is to the plan is its role:

- victim: it is evicted by a step; a step is only taken while uid and resourceVersion are the same.
- beneficiary: it gets quota because of the plan.
- holder, waiter: other workloads of the same trees. They change all the time; where one did, the promise has to be
  worked out again before the first step.
- quota: ClusterQueues, cohorts and flavors that the promise was worked out with. door: LocalQueues. Their specs have to
  be the same: the generation says so where the API server keeps one, since Kueue counts workloads in their status and
  every count is a new resourceVersion; without a generation the resourceVersion has to be the same.
"""

from __future__ import annotations

from kueuectl.model.values import Struct

SCHEMA_VERSION = 1

EVICT = "evict"
HOLD = "hold"
ACTIONS = (EVICT, HOLD)

# The goal of a plan whose victims were named by the user.
NAMED = "named"

VICTIM = "victim"
BENEFICIARY = "beneficiary"
HOLDER = "holder"
WAITER = "waiter"
QUOTA = "quota"
DOOR = "door"
ROLES = (VICTIM, BENEFICIARY, HOLDER, WAITER, QUOTA, DOOR)


class Precondition(Struct, frozen=True):
    """An object as it was when the plan was made. `namespace` is "" for kinds without one."""

    kind: str
    namespace: str
    name: str
    uid: str
    resource_version: str
    role: str
    generation: int = 0

    @property
    def key(self) -> str:
        """namespace/name, or the name."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Step(Struct, frozen=True):
    """Evict a workload as Kueue preempts one, or hold it (deactivate it), so that it does not come back.

    `reason` is that of the Preempted condition; "" is the general one.
    """

    action: str
    namespace: str
    name: str
    uid: str
    resource_version: str
    cluster_queue: str = ""
    priority: int = 0
    pods: int = 0
    gpus: int = 0
    running_seconds: int | None = None
    reason: str = ""

    @property
    def key(self) -> str:
        """namespace/name of the workload."""
        return f"{self.namespace}/{self.name}"


class Promised(Struct, frozen=True):
    """A workload that gets quota, with its (pod set, resource, flavor) triples."""

    workload: str
    cluster_queue: str
    flavors: tuple[tuple[str, str, str], ...] = ()


class Promise(Struct, frozen=True):
    """What is foretold for after the last step, when Kueue has come to rest.

    `preempted` are workloads that Kueue then preempts by itself; `returned` are victims that start again elsewhere.
    """

    admitted: tuple[Promised, ...] = ()
    preempted: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()


class Plan(Struct, frozen=True):
    """Steps in their order. `made_at` is in nanoseconds; `goal` and `cohort` are what was asked for."""

    made_at: int
    tool_version: str
    kueue_target: str
    goal: str
    cohort: str = ""
    steps: tuple[Step, ...] = ()
    promise: Promise = Promise()
    preconditions: tuple[Precondition, ...] = ()
    schema_version: int = SCHEMA_VERSION
