"""The plans of one part of a cluster: who may be evicted, which sets reach the goal, and how sure that is the best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property

from kueuectl.analysis import rebalance_bound, search
from kueuectl.analysis.goals import Gap, Need
from kueuectl.analysis.preempt import Loss
from kueuectl.analysis.rebalance_bound import Candidate
from kueuectl.analysis.search import Cost, Found, Problem
from kueuectl.analysis.trials import Outcome, Trials
from kueuectl.model.values import Struct

# Up to so many candidates every set is tried.
EXHAUSTIVE = 12
_MOST_TRIALS = 5000
# Both are bounded: trials cost about as much as the tree has workloads.
_WORK = 150_000
_MOST_SETS = 30_000
_FEW_SETS = 5_000


class Order(StrEnum):
    """What a plan is the best in; the other measures decide between equal ones."""

    FEWEST = "fewest evictions"
    LEAST_LOST = "least lost work"
    LOWEST_PRIORITY = "lowest priorities"
    # The fewest of those that reach the goal in whatever way the evictions land.
    STEADIEST = "holds however the evictions land"


class Ranked(Struct, frozen=True):
    """A set that reaches the goal. `is_proven`: none is better in that order. `bound`: none is smaller than this."""

    order: Order
    outcome: Outcome
    is_proven: bool
    bound: int


class PartResult(Struct, frozen=True):
    """What was found in one part. `hopeless` are gaps that no eviction can close; `open` are the others."""

    open: tuple[Gap, ...]
    hopeless: tuple[Gap, ...]
    plans: tuple[Ranked, ...]
    candidates: tuple[Candidate, ...]
    trials: int


class Allowance(Struct, frozen=True):
    """How much a plan may cost, followers included, and who may not be preempted even as a follower."""

    max_evictions: int | None = None
    max_gpu_seconds: int | None = None
    protected: frozenset[str] = frozenset()


def gpu_seconds(loss: Loss) -> int:
    """Lost work; nothing is lost where the workload has not run."""
    return loss.gpus * (loss.seconds or 0)


def cost_of(order: Order, losses: Sequence[Loss]) -> Cost:
    """The cost of evicting these: compared part by part."""
    lost = sum(map(gpu_seconds, losses))
    ranks = tuple(sorted((loss.priority for loss in losses), reverse=True))
    pods = sum(loss.pods for loss in losses)
    match order:
        case Order.FEWEST | Order.STEADIEST:
            return (len(losses), lost, ranks, pods)
        case Order.LEAST_LOST:
            return (lost, len(losses), ranks, pods)
        case Order.LOWEST_PRIORITY:
            return (ranks, lost, pods)


def in_order(losses: Iterable[Loss]) -> list[Loss]:
    """The order of steps: the lowest priority first, then the least lost work, so that stopping early costs least."""
    return sorted(losses, key=lambda loss: (loss.priority, gpu_seconds(loss), loss.workload))


class PartSearch:
    """Finds the plans of one part. `losses` has every workload that holds quota in it."""

    def __init__(
        self,
        trials: Trials,
        candidates: Sequence[Candidate],
        *,
        losses: Mapping[str, Loss],
        allowance: Allowance,
    ) -> None:
        self.trials = trials
        self.losses = losses
        self.allowance = allowance
        everything = trials.anyway.gaps
        wanted = frozenset().union(*(gap.wants for gap in everything))
        self.candidates = list(candidates)
        # Those that hold what is short: the first to look at where not every set can be tried.
        self.relevant = [c for c in candidates if not wanted.isdisjoint(c.usage)]
        keys = [candidate.key for candidate in candidates]
        self.hopeless = tuple(gap for gap in everything if not gap.wants or not trials.may_pass(keys, [gap]))
        self._given_up = frozenset(gap.key for gap in self.hopeless)
        self.open = tuple(gap for gap in everything if gap.key not in self._given_up)

    def run(self) -> PartResult:
        """All plans that trade differently, the one with the fewest evictions first."""
        plans: list[Ranked] = []
        if self.open and self.candidates:
            for order in Order:
                if order is Order.STEADIEST and (not plans or self.is_steady(plans[0].outcome)):
                    continue
                found = self._search(order, known=plans)
                if found is None and not plans:
                    break
                if found is not None and all(self._trades(found, other) for other in plans):
                    plans.append(found)
        return PartResult(
            open=self.open,
            hopeless=self.hopeless,
            plans=tuple(plans),
            candidates=tuple(self.candidates),
            trials=self.trials.tried,
        )

    def is_steady(self, outcome: Outcome) -> bool:
        """Whether the goal is reached too with Kueue at rest between two evictions, and with parked work late."""
        return self.holds_one_by_one(outcome) and self.holds_drained(outcome)

    def holds_one_by_one(self, outcome: Outcome) -> bool:
        """Whether the goal is reached too when Kueue comes to rest between two evictions."""
        keys = [loss.workload for loss in in_order(self.losses[key] for key in outcome.victims)]
        return len(keys) < 2 or self._reaches(self.trials.one_by_one(keys))

    def holds_drained(self, outcome: Outcome) -> bool:
        """Whether the goal is reached too when parked workloads come back only after the others had their turn."""
        return self._reaches(self.trials.drained(outcome.victims))

    def _reaches(self, outcome: Outcome) -> bool:
        """Whether an outcome is what the goal wants, as far as that can be had."""
        return outcome.is_settled and not outcome.back and all(gap.key in self._given_up for gap in outcome.gaps)

    def losses_of(self, outcome: Outcome) -> list[Loss]:
        """What the victims and the followers of an outcome lose."""
        return [self.losses[key] for key in (*outcome.victims, *(key for key, _ in outcome.followers))]

    def _trades(self, found: Ranked, other: Ranked) -> bool:
        """Whether a plan is better than another one in what it was searched for."""
        mine, theirs = self.losses_of(found.outcome), self.losses_of(other.outcome)
        match found.order:
            case Order.LEAST_LOST:
                return sum(map(gpu_seconds, mine)) < sum(map(gpu_seconds, theirs))
            case Order.LOWEST_PRIORITY:
                return max(loss.priority for loss in mine) < max(loss.priority for loss in theirs)
            case _:
                return found.outcome.victims != other.outcome.victims

    def _is_affordable(self, losses: Sequence[Loss]) -> bool:
        """Whether a whole set keeps to the limits."""
        most, seconds = self.allowance.max_evictions, self.allowance.max_gpu_seconds
        if most is not None and len(losses) > most:
            return False
        return seconds is None or sum(map(gpu_seconds, losses)) <= seconds

    def _whole_cost(self, order: Order, keys: Iterable[str]) -> Cost | None:
        """The cost of a plan with its followers; None when it does not reach the goal, or costs more than allowed."""
        outcome = self.trials.evict(keys)
        if not self._reaches(outcome):
            return None
        if any(key in self.allowance.protected or key not in self.losses for key, _ in outcome.followers):
            return None
        losses = self.losses_of(outcome)
        if not self._is_affordable(losses):
            return None
        if order is Order.STEADIEST and not self.is_steady(outcome):
            return None
        return cost_of(order, losses)

    def _search(self, order: Order, *, known: Sequence[Ranked]) -> Ranked | None:
        """The best plan in an order: of all sets where these can be tried, else of relevant candidates first."""
        starts = [ranked.outcome.victims for ranked in known]
        if len(self.candidates) > EXHAUSTIVE and 0 < len(self.relevant) < len(self.candidates):
            first = self._search_in(order, self.relevant, starts=starts)
            if first is not None:
                starts.append(first.outcome.victims)
        return self._search_in(order, self.candidates, starts=starts)

    def _search_in(
        self, order: Order, among: Sequence[Candidate], *, starts: Sequence[tuple[str, ...]]
    ) -> Ranked | None:
        ordered = sorted(among, key=lambda c: (cost_of(order, [c.loss]), c.key))

        def keys_of(chosen: tuple[int, ...]) -> list[str]:
            return [ordered[index].key for index in chosen]

        most = self.allowance.max_evictions
        problem = Problem(
            size=len(ordered),
            cost_of=lambda chosen: cost_of(order, [ordered[index].loss for index in chosen]),
            try_set=lambda chosen: self._whole_cost(order, keys_of(chosen)),
            may_pass=lambda chosen: (
                self._is_affordable([ordered[index].loss for index in chosen])
                and self.trials.may_pass(keys_of(chosen), self.open)
            ),
            max_size=len(ordered) if most is None else min(most, len(ordered)),
        )
        start = self._start(order, ordered, problem, starts=starts)
        few = len(ordered) <= EXHAUSTIVE and order is Order.FEWEST
        max_trials = max(self._budget, min(_MOST_TRIALS, self._work)) if few else self._budget
        if not few and start is not None and len(start) == self._least:
            # There is no smaller one: what is left to find is one that loses less work.
            max_trials //= 4
        found = search.cheapest(problem, max_trials=max_trials, max_sets=_MOST_SETS if few else _FEW_SETS, start=start)
        if found.best is None:
            return None
        outcome = self.trials.evict(keys_of(found.best))
        # What all candidates were not tried for is not proven.
        complete = found.is_proven and len(ordered) == len(self.candidates)
        bound = self._bound(order, found, complete=complete)
        return Ranked(order, outcome, is_proven=complete, bound=bound)

    def _bound(self, order: Order, found: Found, *, complete: bool) -> int:
        """No plan has fewer evictions than this, followers included; 0 where that was not asked."""
        if order not in (Order.FEWEST, Order.STEADIEST) or found.cost is None:
            return 0
        if complete:
            count = found.cost[0]
            assert isinstance(count, int)
            return count
        return max(found.hopeless + 1, self._least)

    @cached_property
    def _least(self) -> int:
        """How many evictions it takes at least, as far as that can be told without a trial."""
        return rebalance_bound.of(self.trials, self.open, self.relevant)

    @property
    def _budget(self) -> int:
        """How many trials a search may take that can't try every set."""
        return max(20, min(400, self._work))

    @property
    def _work(self) -> int:
        return _WORK // max(1, len(self.trials.state.workloads))

    def _start(
        self,
        order: Order,
        ordered: Sequence[Candidate],
        problem: Problem,
        *,
        starts: Sequence[tuple[str, ...]],
    ) -> tuple[int, ...] | None:
        """A set that passes, to be bettered: one that was found before, else a greedy one."""
        places = {candidate.key: index for index, candidate in enumerate(ordered)}

        def passes(chosen: tuple[int, ...]) -> bool:
            return problem.try_set(chosen) is not None

        known = list(starts)
        if not known:
            greedy = self._greedy(order)
            known = [] if greedy is None else [tuple(greedy)]
        there = [keys for keys in known if all(key in places for key in keys)]
        indexes = [tuple(sorted(places[key] for key in keys)) for keys in there]
        found = [start for start in indexes if passes(start)]
        if not found:
            return None
        best = min(found, key=problem.cost_of)
        if len(best) <= self._budget:
            best = search.smaller(best, passes)
        if len(ordered) > EXHAUSTIVE:
            best = search.swapped(best, len(ordered), passes=passes, tries=min(60, self._budget))
        return best

    def _greedy(self, order: Order) -> list[str] | None:
        """Evict for one gap after another, as long as that brings the goal nearer."""
        chosen: list[str] = []
        banned: set[str] = set()
        most = self.allowance.max_evictions or len(self.relevant)
        for _ in range(self._budget):
            outcome = self.trials.evict(chosen)
            if not outcome.is_settled:
                return None
            if outcome.back:
                # Who comes straight back was the wrong choice.
                banned.update(outcome.back)
                chosen = [key for key in chosen if key not in banned]
                continue
            left = [gap for gap in outcome.gaps if gap.key not in self._given_up]
            if not left:
                return chosen
            wanted = [_together(left), *left] if len(left) > 1 and not chosen else left
            more = next((found for gap in wanted if (found := self._cover(order, gap, {*chosen, *banned}))), None)
            if more is None or len(chosen) + len(more) > most:
                return None
            chosen += more
        return None

    def _cover(self, order: Order, gap: Gap, out: set[str]) -> list[str]:
        """Candidates that free what a gap is short of, in the way that takes the fewest; empty when none can."""
        for needs in sorted(gap.needs, key=lambda needs: (rebalance_bound.count(self.relevant, needs), needs)):
            left = list(needs)
            chosen: list[str] = []
            while left:
                pick = self._pick(order, left, {*out, *chosen})
                if pick is None:
                    break
                chosen.append(pick.key)
                left = [need._replace(amount=need.amount - rebalance_bound.held(pick, need)) for need in left]
                left = [need for need in left if need.amount > 0]
            else:
                return chosen
        return []

    def _pick(self, order: Order, needs: Sequence[Need], out: set[str]) -> Candidate | None:
        """The candidate that does the most: the cheapest one that is enough by itself, else the largest."""
        best: tuple[object, ...] | None = None
        found = None
        for candidate in self.relevant:
            if candidate.key in out:
                continue
            covered = sum(min(1.0, rebalance_bound.held(candidate, need) / need.amount) for need in needs) / len(needs)
            key = (-round(covered, 6), cost_of(order, [candidate.loss]), candidate.key)
            if covered > 0.0 and (best is None or key < best):
                best, found = key, candidate
        return found


def _together(gaps: Sequence[Gap]) -> Gap:
    """All gaps as one, each in the first way to place its workload: large victims may serve several of them."""
    total: dict[tuple[str, str, str], int] = {}
    free: dict[tuple[str, str, str], int] = {}
    for gap in gaps:
        for need in gap.needs[0] if gap.needs else ():
            key = (need.flavor, need.resource, "" if gap.workload else need.node)
            # What is free is so only once.
            total[key] = total.get(key, 0) + need.amount + need.free
            free[key] = max(free.get(key, 0), need.free)
    needs = [
        Need(flavor, resource, amount - free[flavor, resource, node], node)
        for (flavor, resource, node), amount in sorted(total.items())
    ]
    return Gap("", needs=(tuple(needs),))
