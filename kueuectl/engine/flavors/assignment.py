"""The outcome of flavor assignment: which flavor each resource of each pod set gets, and why others are out."""

from __future__ import annotations

from kueuectl.engine.flavors import grades
from kueuectl.engine.infos import Info, ScanState
from kueuectl.engine.reasons import Blocker, FlavorReason, Grade, Mode, Possibility, ResourceUncovered, blocker_of

_MODE = {
    Grade.NO_FIT: Mode.NO_FIT,
    Grade.NO_CANDIDATES: Mode.PREEMPT,
    Grade.PREEMPT: Mode.PREEMPT,
    Grade.RECLAIM: Mode.PREEMPT,
    Grade.FIT: Mode.FIT,
}
_POSSIBILITY = {
    Grade.NO_CANDIDATES: Possibility.NO_CANDIDATES,
    Grade.PREEMPT: Possibility.PREEMPT,
    Grade.RECLAIM: Possibility.RECLAIM,
}


class Pick:
    """The flavor of one resource."""

    __slots__ = ("flavor", "fr", "grade", "height", "tried")

    def __init__(self, flavor: str, fr: int, grade: Grade, height: int) -> None:
        self.flavor = flavor
        self.fr = fr
        self.grade = grade
        self.height = height
        self.tried = -1

    @property
    def mode(self) -> Mode:
        """The mode that Kueue reports for the grade."""
        return _MODE[self.grade]


class Attempt:
    """One flavor that was tried for the resources of one group; recorded for explanations only."""

    __slots__ = ("checks", "flavor", "graded", "pod_sets", "reasons")

    def __init__(self, flavor: str, pod_sets: tuple[str, ...]) -> None:
        self.flavor = flavor
        self.pod_sets = pod_sets
        self.graded: grades.Graded = (Grade.NO_FIT, 0)
        self.reasons: list[FlavorReason] = []
        # (resource, flavor-resource, requested with earlier pod sets, requested by this one, grade, height)
        self.checks: list[tuple[str, int, int, int, Grade, int]] = []

    @property
    def mode(self) -> Mode:
        """The mode that Kueue reports for the flavor."""
        return _MODE[self.graded[0]]

    @property
    def height(self) -> int:
        """How high it would borrow from: the highest of its resources, also where another one decides."""
        return max((check[-1] for check in self.checks), default=0)

    @property
    def possibility(self) -> Possibility | None:
        """What preemption could do for it; None where that was not asked for."""
        return _POSSIBILITY.get(self.graded[0])

    @property
    def blocker(self) -> Blocker | None:
        """What keeps it out; None for a flavor that fits, or may fit after a preemption. Its worst resource counts."""
        if self.graded[0] > Grade.NO_CANDIDATES:
            return None
        return min(map(blocker_of, self.reasons), default=None)


class PodSetResult:
    """What one pod set gets, or why it gets nothing."""

    __slots__ = ("count", "name", "picks", "reasons", "requests")

    def __init__(self, name: str, count: int, requests: dict[str, int]) -> None:
        self.name = name
        self.count = count
        self.requests = requests
        self.picks: dict[str, Pick] = {}
        self.reasons: list[FlavorReason] = []

    @property
    def mode(self) -> Mode:
        """The worst mode of its resources; a pod set without reasons fits (rule 6)."""
        if not self.reasons:
            return Mode.FIT
        if not self.picks:
            return Mode.NO_FIT
        return min(pick.mode for pick in self.picks.values())

    @property
    def blocker(self) -> Blocker | None:
        """What keeps the pod set out; None where it has flavors. The nearest flavor counts, and its worst resource."""
        if self.picks:
            return None
        worst: dict[str, Blocker] = {}
        for reason in self.reasons:
            name = "" if isinstance(reason, ResourceUncovered) else reason.flavor
            worst[name] = min(worst.get(name, Blocker.WAITING_FOR_QUOTA), blocker_of(reason))
        return max(worst.values(), default=None)


class Assignment:
    """The outcome for a workload. `usage` is what it would take, per flavor-resource."""

    __slots__ = ("attempts", "height", "is_unacceptable", "mode", "pod_sets", "replaces", "usage")

    def __init__(self) -> None:
        self.pod_sets: list[PodSetResult] = []
        self.usage: dict[int, int] = {}
        self.height = 0
        self.mode = Mode.FIT
        self.attempts: list[Attempt] = []
        # The search ended at a flavor that this variant of a workload may not migrate to.
        self.is_unacceptable = False
        # The workload slice that it takes the place of: `usage` is only what it takes beyond that one (`slices`).
        self.replaces: Info | None = None

    @property
    def blocker(self) -> Blocker | None:
        """What keeps the workload out when it does not fit. Only the last pod set has no flavors then."""
        return self.pod_sets[-1].blocker if self.mode is Mode.NO_FIT and self.pod_sets else None

    @property
    def full_usage(self) -> dict[int, int]:
        """What it takes with the slice that it replaces gone."""
        if self.replaces is None:
            return self.usage
        usage: dict[int, int] = {}
        for result in self.pod_sets:
            for resource, pick in result.picks.items():
                usage[pick.fr] = usage.get(pick.fr, 0) + result.requests[resource]
        return usage

    @property
    def last_tried(self) -> ScanState:
        """Where the next search of flavors goes on."""
        return tuple({resource: pick.tried for resource, pick in result.picks.items()} for result in self.pod_sets)

    @property
    def frs_to_preempt(self) -> frozenset[int]:
        """Flavor-resources that fit only after preemption."""
        return frozenset(
            pick.fr for result in self.pod_sets for pick in result.picks.values() if pick.mode is Mode.PREEMPT
        )


def has_pending_flavors(scan: ScanState | None) -> bool:
    """Whether a search stopped before the last flavor of some resource."""
    return scan is not None and any(index != -1 for picks in scan for index in picks.values())
