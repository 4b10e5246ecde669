"""Follow what comes of a plan: look at what was foretold again and again, until it came or the time is up.

Kueue collects events that let parked workloads come back for a second, so nothing is final before it has held for
longer than that.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kueuectl import times
from kueuectl.cli.frame import live
from kueuectl.cli.frame.run import Run
from kueuectl.errors import UnreachableError
from kueuectl.model.plan import Plan
from kueuectl.model.values import replace

if TYPE_CHECKING:
    from kueuectl.analysis.following import Foretold, Sight
    from kueuectl.cluster.client import Client

_POLL = 0.25
_SLOWEST = 2.0
_QUIET = 1.5


def follow(
    run: Run, plan: Plan, *, since: int, before: Mapping[str, int], timeout: float
) -> tuple[Sequence[Sight], Sequence[str]]:
    """What was found of each line, and who was preempted without being foretold. `timeout` in seconds."""
    from kueuectl.analysis import following

    client = live.client(run)
    lines = following.foretold(plan)
    floor = since // times.SECOND * times.SECOND
    began = time.monotonic()
    arrived: dict[int, float] = {}
    with run.progress("following") as show:
        while True:
            failure: UnreachableError | None = None
            try:
                found = _look(client, lines, since=floor, before=before)
            except UnreachableError as error:
                # What was written stays written: there is time to come back.
                failure = error
            passed = time.monotonic() - began
            if failure is not None:
                arrived.clear()
                if passed >= timeout:
                    raise failure
                client.wait(_poll(passed))
                continue
            for number, sight in enumerate(found):
                if not sight.came:
                    arrived.pop(number, None)
                else:
                    arrived.setdefault(number, passed)
            if show is not None:
                show("lines that came", len(arrived), len(lines))
            all_came = len(arrived) == len(lines)
            if passed >= timeout or (all_came and passed - max(arrived.values(), default=0.0) >= min(_QUIET, timeout)):
                break
            client.wait(min(_poll(passed), max(0.01, timeout - passed)))
    timed = tuple(replace(sight, seconds=arrived.get(number)) for number, sight in enumerate(found))
    return timed, _others(run, client, plan, before=before, since=floor)


def _poll(passed: float) -> float:
    """Often at first, since most of it happens within a second, then less and less."""
    return min(_SLOWEST, max(_POLL, passed / 10))


def _look(client: Client, lines: Sequence[Foretold], *, since: int, before: Mapping[str, int]) -> list[Sight]:
    from kueuectl.analysis import following
    from kueuectl.cluster import workloads

    seen = {key: workloads.one(client, key) for key in dict.fromkeys(line.workload for line in lines)}
    return [following.look(line, seen[line.workload], since=since, before=before) for line in lines]


def _others(run: Run, client: Client, plan: Plan, *, before: Mapping[str, int], since: int) -> Sequence[str]:
    from kueuectl.analysis import following
    from kueuectl.cluster import workloads

    try:
        found = workloads.everywhere(client)
    except UnreachableError as error:
        run.warn(f"can't tell whether Kueue preempted others: {error}")
        return ()
    return following.unforeseen(plan, found, before=before, since=since)
