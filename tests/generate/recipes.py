"""How random clusters are made: sizes and chances for `tests.generate`, by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

Range = tuple[float, float]


@dataclass(frozen=True)
class Recipe:
    """How clusters are made. Counts and sizes first, then chances from 0 to 1; each is a range to draw from."""

    queues: Range = (1, 7)
    roots: Range = (0, 2)
    depth: Range = (1, 3)
    flavors: Range = (1, 4)
    resources: Range = (1, 3)
    workloads: Range = (2, 36)
    # Mean nominal quota of a queue in units; and what its workloads ask for together, as a multiple of that.
    quota: Range = (16, 16)
    load: Range = (0.6, 4)
    held: Range = (0, 0.8)
    fair: Range = (0.5, 0.5)
    lonely: Range = (0.1, 0.1)
    strict: Range = (0.3, 0.3)
    preempting: Range = (0.8, 0.8)
    limits: Range = (0.3, 0.3)
    no_quota: Range = (0.1, 0.1)
    cohort_quota: Range = (0.3, 0.3)
    several_pod_sets: Range = (0.3, 0.3)
    partial: Range = (0.2, 0.2)
    selectors: Range = (0.25, 0.25)
    taints: Range = (0.3, 0.3)
    twins: Range = (0.25, 0.25)
    # Quota for the number of pods; pods that ask in roundabout ways (limits, init containers, defaults of LimitRanges).
    pods: Range = (0.15, 0.15)
    roundabout: Range = (0.1, 0.1)
    overcommitted: Range = (0.03, 0.03)
    odd: Range = (0.03, 0.03)
    gates: tuple[tuple[str, bool], ...] = ()


def _pinned(**values: float) -> dict[str, Range]:
    return {name: (value, value) for name, value in values.items()}


_PLAIN = _pinned(depth=1, flavors=3, resources=2, quota=100, load=2, fair=0, preempting=0, strict=0, odd=0, lonely=0)
_LARGE = replace(Recipe(), **_PLAIN, **_pinned(held=0, overcommitted=0, twins=0, pods=0, roundabout=0))
RECIPES: dict[str, Recipe] = {
    "mixed": Recipe(),
    "deep": replace(Recipe(), **_pinned(depth=4, lonely=0), queues=(4, 10), roots=(1, 2)),
    "classical": replace(Recipe(), **_pinned(fair=0, preempting=1), held=(0.5, 0.9), load=(2, 4)),
    "fair": replace(Recipe(), **_pinned(fair=1, preempting=1, lonely=0), held=(0.5, 0.9), load=(2, 4)),
    "limited": replace(Recipe(), **_pinned(limits=0.8, no_quota=0.4, cohort_quota=0.6)),
    "choosy": replace(Recipe(), **_pinned(selectors=0.7, taints=0.8), flavors=(3, 5)),
    "partial": replace(Recipe(), **_pinned(partial=0.8, several_pod_sets=0.6)),
    "odd": replace(Recipe(), **_pinned(odd=0.25, overcommitted=0.3)),
    "crowded": replace(Recipe(), queues=(2, 5), workloads=(80, 160)),
    # For benchmarks: cohorts of eight queues, everything waits at first, or (full) half of it holds the quota.
    "plain": _LARGE,
    "preempting": replace(_LARGE, **_pinned(preempting=0.8, strict=0.3)),
    "fair-preempting": replace(_LARGE, **_pinned(preempting=0.8, strict=0.3, fair=1)),
    "full": replace(_LARGE, **_pinned(preempting=0.8, strict=0.3, held=0.6, load=4)),
    "full-fair": replace(_LARGE, **_pinned(preempting=0.8, strict=0.3, held=0.6, load=4, fair=1)),
}


def changed(recipe: Recipe, settings: Iterable[str]) -> Recipe:
    """The recipe with NAME=VALUE settings applied; gates as gate:NAME=true."""
    for setting in settings:
        name, _, text = setting.partition("=")
        if name.startswith("gate:"):
            recipe = replace(recipe, gates=(*recipe.gates, (name[5:], text == "true")))
            continue
        if name not in {spec.name for spec in fields(recipe)}:
            raise ValueError(f"no such number in a recipe: {name}")
        low, _, high = text.partition("-")
        recipe = replace(recipe, **{name: (float(low), float(high or low))})
    return recipe
