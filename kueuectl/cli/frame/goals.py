"""What a command line asks of a plan: the goal, who is protected, how much it may cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kueuectl import times
from kueuectl.analysis.goals import Goal, GoalKind
from kueuectl.analysis.rebalance import Protection, Request
from kueuectl.api import durations
from kueuectl.cli.frame import kinds, objects, selectors
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.selectors import Term
from kueuectl.errors import InputError, KueuectlError, NotFoundError, UsageError
from kueuectl.model.selectors import LabelSelector, Requirement
from kueuectl.report import text
from kueuectl.report.views import usage

GOALS = "fair, nominal, fit:WORKLOAD, within-quota"
_OPERATORS = {"in": "In", "notin": "NotIn", "exists": "Exists", "missing": "DoesNotExist"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for, as it was written."""

    goal: str | None = None
    cohort: str | None = None
    max_evictions: int | None = None
    max_lost_gpu_hours: float | None = None
    gpu_resources: Sequence[str] = ()
    priority: int | None = None
    older_than: str | None = None
    younger_than: str | None = None
    namespaces: Sequence[str] = ()
    selectors: Sequence[str] = ()
    hold: bool = False


def request(run: Run, loaded: Loaded, wanted: Wanted) -> Request:
    """The request, with its names looked up. Raises errors of usage, and for what is not there."""
    if wanted.max_evictions is not None and wanted.max_evictions < 0:
        raise UsageError("--max-evictions can't be below zero")
    hours = wanted.max_lost_gpu_hours
    if hours is not None and (not math.isfinite(hours) or hours < 0):
        raise UsageError("--max-lost-gpu-hours has to be a number of hours")
    return Request(
        goal=goal(run, loaded, wanted.goal, cohort=wanted.cohort),
        protection=Protection(
            priority=wanted.priority,
            older_than=seconds(wanted.older_than, flag="--protect-older-than"),
            younger_than=seconds(wanted.younger_than, flag="--protect-younger-than"),
            namespaces=frozenset(wanted.namespaces),
            labels=tuple(selector(found, flag="--protect-selector") for found in wanted.selectors),
        ),
        max_evictions=wanted.max_evictions,
        max_lost_gpu_hours=hours,
        gpu_resources=frozenset(wanted.gpu_resources),
        hold=wanted.hold,
        backoff=not wanted.hold,
    )


def goal(run: Run, loaded: Loaded, word: str | None, *, cohort: str | None) -> Goal:
    """The goal of a word; without one, fair with fair sharing on, else nominal."""
    if cohort is not None and not usage.is_cohort(loaded.state, cohort):
        raise NotFoundError(f'{kinds.COHORT.resource} "{text.clean(cohort)}" not found')
    if word is None:
        word = GoalKind.FAIR if loaded.settings.fair_sharing is not None else GoalKind.NOMINAL
    name, colon, workload = word.partition(":")
    kind = next((found for found in GoalKind if found == name), None)
    if kind is None:
        raise UsageError(f"unknown goal {word!r}", hint=f"use one of: {GOALS}")
    if kind is GoalKind.DEFRAG:
        raise KueuectlError("goal defrag needs the topology of nodes, which is not modelled yet")
    if kind is not GoalKind.FIT:
        if colon:
            raise UsageError(f"goal {name} takes no name", hint=f"use one of: {GOALS}")
        return Goal(kind, cohort=cohort or "")
    if not workload:
        raise UsageError("goal fit needs a workload", hint="write it as fit:NAME or fit:NAMESPACE/NAME")
    if cohort is not None:
        raise UsageError("goal fit takes no cohort: the workload says where to look")
    return Goal(kind, objects.workload(run, loaded.state, workload))


def seconds(value: str | None, *, flag: str) -> int | None:
    """Whole seconds of a duration."""
    if value is None:
        return None
    try:
        found = durations.parse(value)
    except InputError as error:
        raise UsageError(f"invalid value {value!r} for {flag}", hint=error.hint) from error
    if found < 0:
        raise UsageError(f"{flag} can't be below zero")
    return found // times.SECOND


def selector(value: str, *, flag: str) -> LabelSelector:
    """A label selector of the command line."""
    terms = selectors.parse(value, flag=flag)
    if not terms:
        raise UsageError(f"{flag} needs a selector", hint="write it as key=value,other!=value")
    return LabelSelector(match_expressions=tuple(map(_requirement, terms)))


def _requirement(term: Term) -> Requirement:
    return Requirement(term.key, _OPERATORS[term.operator], term.values)
