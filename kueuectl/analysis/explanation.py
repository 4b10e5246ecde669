"""What an explanation holds: facts as data, in the order in which a reader asks for them. English is made in report."""

from __future__ import annotations

from enum import StrEnum

from kueuectl.engine.reasons import FlavorReason
from kueuectl.model.conditions import Condition
from kueuectl.model.values import Struct, field
from kueuectl.model.workloads import Amounts


class Code(StrEnum):
    """Verdicts. A closed list: when several would do, the first one counts."""

    HELD = "HELD"
    ADMITTED = "ADMITTED"
    NO_QUEUE = "NO_QUEUE"
    CHECKS = "CHECKS"
    NAMESPACE_DENIED = "NAMESPACE_DENIED"
    BACKOFF = "BACKOFF"
    BEHIND_HEAD = "BEHIND_HEAD"
    INVALID = "INVALID"
    UNCOVERED_RESOURCE = "UNCOVERED_RESOURCE"
    NO_FLAVOR = "NO_FLAVOR"
    NEVER_FITS = "NEVER_FITS"
    BORROW_LIMIT = "BORROW_LIMIT"
    LEND_LIMIT = "LEND_LIMIT"
    QUOTA = "QUOTA"
    NO_VICTIMS = "NO_VICTIMS"
    FRAGMENTED = "FRAGMENTED"
    PREEMPTING = "PREEMPTING"
    CONTENDED = "CONTENDED"
    PODS_READY_BLOCK = "PODS_READY_BLOCK"
    FITS = "FITS"
    FINISHED = "FINISHED"
    EVICTING = "EVICTING"
    NO_WORKLOAD = "NO_WORKLOAD"
    UNKNOWN = "UNKNOWN"
    # Queues and cohorts.
    ACTIVE = "ACTIVE"
    INACTIVE = "INACTIVE"
    STOPPED = "STOPPED"


class Ref(Struct, frozen=True):
    """An object by kind and name; namespace "" for cluster-wide kinds."""

    kind: str
    name: str
    namespace: str = ""

    @property
    def key(self) -> str:
        """namespace/name, or the name alone."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class StepState(StrEnum):
    """How far a workload got at one step on its way."""

    PASSED = "passed"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"
    NOT_REACHED = "not reached"


class StepName(StrEnum):
    """The steps, in the order of the verdicts."""

    WORKLOAD = "workload"
    ACTIVE = "active"
    LOCAL_QUEUE = "localQueue"
    CLUSTER_QUEUE = "clusterQueue"
    CHECKS = "admissionChecks"
    NAMESPACE = "namespaceSelector"
    BACKOFF = "backoff"
    POSITION = "position"
    REQUESTS = "requests"
    FLAVORS = "flavors"
    QUOTA = "quota"
    PREEMPTION = "preemption"
    CYCLE = "cycle"
    PODS_READY = "podsReady"


class Step(Struct, frozen=True):
    """One step; `facts` are (name, value) pairs for the sentence that report makes of it."""

    name: StepName
    state: StepState
    facts: tuple[tuple[str, str], ...] = ()


class LimitKind(StrEnum):
    """What binds when something is short."""

    NOMINAL = "nominalQuota"
    BORROWING_LIMIT = "borrowingLimit"
    LENDING_LIMIT = "lendingLimit"
    COHORT_CAPACITY = "cohortCapacity"


class Limit(Struct, frozen=True):
    """The limit that binds, and the node (ClusterQueue or cohort) that has it."""

    kind: LimitKind
    node: str
    is_cohort: bool = False


class ResourceRow(Struct, frozen=True):
    """One resource of one flavor for one pod set (or group of pod sets); amounts.

    `requested` includes what earlier pod sets of the workload take; `available` may be negative when the queue is
    over its quota; `missing` is requested minus available, never below zero; `maximum` is reached with the whole
    cohort idle; `message_missing` is the number in Kueue's message, None where there is none.
    """

    name: str
    requested: int
    nominal: int
    used: int
    borrowable: int
    available: int
    missing: int
    maximum: int
    limited_by: Limit | None = None
    message_missing: int | None = None
    # Other ClusterQueues of the cohort tree that use more than their nominal quota, and by how much; the most first.
    borrowers: tuple[tuple[str, int], ...] = ()


class FlavorRow(Struct, frozen=True):
    """One flavor. mode: Fit, Preempt, NoFit or NotTried; out: taint, affinity, quota, capacity or ""."""

    name: str
    mode: str
    out: str = ""
    height: int = 0
    reasons: tuple[FlavorReason, ...] = ()
    resources: tuple[ResourceRow, ...] = ()
    is_chosen: bool = False


class PodSetRow(Struct, frozen=True):
    """One pod set. `chosen` has (resource, flavor) pairs that it gets or would get; `granted` is the pod count."""

    name: str
    count: int
    granted: int
    requests: Amounts = ()
    flavors: tuple[FlavorRow, ...] = ()
    chosen: tuple[tuple[str, str], ...] = ()


class ShareFact(Struct, frozen=True):
    """A comparison of shares that decided about a candidate. Precise shares, in thousandths over the weight."""

    strategy: str
    preemptor_node: str
    target_node: str
    preemptor_share: float
    target_share: float


class CandidateRow(Struct, frozen=True):
    """A workload that was considered for preemption, in the order of evaluation.

    `finding` is a value of engine.preemption.notes.Finding, `reason` that of the Preempted condition for victims.
    """

    workload: str
    cluster_queue: str
    priority: int
    finding: str
    detail: str = ""
    reason: str = ""
    share: ShareFact | None = None
    reserved_at: int | None = None


class PreemptionFacts(Struct, frozen=True):
    """Candidates and victims; `ties` are groups of cohorts between which Kueue picks at random."""

    candidates: tuple[CandidateRow, ...] = ()
    victims: tuple[str, ...] = ()
    ties: tuple[tuple[str, ...], ...] = ()


class ChangeKind(StrEnum):
    """A single change that an administrator or owner could make."""

    NOMINAL_QUOTA = "nominalQuota"
    BORROWING_LIMIT = "borrowingLimit"
    LENDING_LIMIT = "lendingLimit"
    PRIORITY = "priority"
    COUNT = "count"
    QUEUE = "queue"
    FINISH = "finish"
    ACTIVATE = "activate"
    RESUME_CLUSTER_QUEUE = "resumeClusterQueue"
    RESUME_LOCAL_QUEUE = "resumeLocalQueue"
    STRATEGY = "queueingStrategy"
    COVER_RESOURCE = "coverResource"
    EXCLUDE_PREFIX = "excludeResourcePrefix"
    IGNORE_UNDECLARED = "ignoreUndeclared"
    TOLERATION = "toleration"
    NODE_SELECTOR = "nodeSelector"
    NAMESPACE_LABELS = "namespaceLabels"
    SET_ASIDE = "setAside"
    RECLAIM = "reclaimWithinCohort"


class Proposal(Struct, frozen=True):
    """A change, proven by running the engine with it: what its verdict becomes.

    target names the object to change; `before` and `after` are texts as the object would have them; `cost` orders
    proposals (lower first) and is not shown.
    """

    kind: ChangeKind
    target: Ref
    verdict: Code
    what: str = ""
    before: str = ""
    after: str = ""
    cost: int = 0
    victims: tuple[str, ...] = ()
    # Victims that hold no quota yet: they would get it first, and lose it again.
    newcomers: tuple[str, ...] = ()


class WarningCode(StrEnum):
    """What a reader has to know about how far to trust the answer."""

    STALE = "STALE"
    HIDDEN_KIND = "HIDDEN_KIND"
    NOT_MODELLED = "NOT_MODELLED"
    SCAN_STATE = "SCAN_STATE"
    TIE = "TIE"
    LONG_RUN = "LONG_RUN"
    LOOP = "LOOP"


class Warning(Struct, frozen=True):
    """A warning; `facts` as in Step."""

    code: WarningCode
    facts: tuple[tuple[str, str], ...] = ()


class Verdict(Struct, frozen=True):
    """The answer. `behind` is the head or the workload that blocks; `facts` feed the sentence."""

    code: Code
    behind: str = ""
    deterministic: bool = True
    facts: tuple[tuple[str, str], ...] = ()


class Eviction(Struct, frozen=True):
    """The last eviction of a workload, with the preemptor resolved to a name where it can be."""

    at: int | None
    reason: str
    preemption_reason: str = ""
    message: str = ""
    preemptor: str = ""
    preemptor_uid: str = ""
    preemptor_priority: int | None = None
    own_priority: int | None = None
    preemptor_path: str = ""
    own_path: str = ""
    # With fair sharing: the nodes right below the lowest common ancestor and their shares now, not at that time.
    preemptor_share: tuple[str, float] | None = None
    own_share: tuple[str, float] | None = None


class QueueFacts(Struct, frozen=True):
    """Where a workload stands: its queues, position (from 1; 0 unknown) among `waiting`, strategy and head."""

    local_queue: str = ""
    cluster_queue: str = ""
    cohort_path: tuple[str, ...] = ()
    strategy: str = ""
    position: int = 0
    waiting: int = 0
    head: str = ""
    is_parked: bool = False


class Explanation(Struct, frozen=True):
    """The whole story of one object."""

    object: Ref
    verdict: Verdict
    steps: tuple[Step, ...] = ()
    queue: QueueFacts = QueueFacts()
    priority: int | None = None
    queued_at: int | None = None
    owner: Ref | None = None
    pod_sets: tuple[PodSetRow, ...] = ()
    preemption: PreemptionFacts = PreemptionFacts()
    proposals: tuple[Proposal, ...] = ()
    conditions: tuple[Condition, ...] = ()
    # The message that Kueue would write for this verdict, "" where it writes none; engine data, made into text later.
    message: str = ""
    eviction: Eviction | None = None
    open_checks: tuple[str, ...] = ()
    # (check, state, message) of all checks that the status lists.
    checks: tuple[tuple[str, str, str], ...] = ()
    until: int | None = None
    uncovered: tuple[str, ...] = ()
    replaces: str = ""
    warnings: tuple[Warning, ...] = ()
    # Explanations of the parts of a queue: its waiting workloads by verdict are in report; see analysis.queues.
    related: tuple[Ref, ...] = field(default=())
