"""Both sides of a comparison, over many clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests import engine_run
from tests.differential import compare, oracle
from tests.differential.setups import SETUPS, TIES, Setup

# How often Kueue is asked again before a difference is believed.
AGAIN = 8


@dataclass(frozen=True)
class Verdict:
    """One cluster: what differs, and whether Kueue itself gave several answers."""

    setup: Setup
    id: str
    differences: tuple[str, ...]
    answers: int = 1


def ours(setup: Setup, case: dict[str, Any]) -> compare.Line:
    """What our engine makes of a cluster."""
    return compare.outcome(engine_run.run_case(case, engine_run.parse(list(setup.flags))))


def judge(setup: Setup, case: dict[str, Any], outcomes: Sequence[compare.Line]) -> Verdict:
    """Our outcome against those that are right."""
    found = compare.against(outcomes, ours(setup, case))
    return Verdict(setup, case["id"], tuple(found), len(outcomes))


def fresh(setup: Setup, seed: int, count: int) -> Iterator[Verdict]:
    """Clusters of new seeds, decided by the oracle now; it is asked again where the two differ."""
    cases = setup.cases(seed, count)
    for case, line in zip(cases, oracle.run(cases, *setup.flags), strict=True):
        verdict = judge(setup, case, [compare.outcome(line)])
        if verdict.differences:
            verdict = judge(setup, case, answers(setup, case, AGAIN))
        yield verdict


def answers(setup: Setup, case: dict[str, Any], times: int) -> list[compare.Line]:
    """The different outcomes that the oracle comes to in several runs."""
    found: list[compare.Line] = []
    for line in oracle.run([case] * times, *setup.flags):
        seen = compare.outcome(line)
        if seen not in found:
            found.append(seen)
    return found


def spread(count: int, names: Iterable[str] | None = None) -> list[tuple[Setup, int]]:
    """A number of clusters over the setups: the first ones get one more where it does not divide."""
    known = {TIES.name: TIES, **SETUPS}
    chosen = [known[name] for name in (names or SETUPS)]
    each, more = divmod(count, len(chosen))
    return [(setup, each + (index < more)) for index, setup in enumerate(chosen) if each or index < more]
