"""Chance, and the objects that it makes."""

from __future__ import annotations

import random
from dataclasses import fields
from typing import Any

from tests.generate.places import API, Doc, Place, text
from tests.generate.recipes import Range, Recipe


class Draw:
    """What is drawn for one cluster, and its objects so far."""

    def __init__(self, seed: int, recipe: Recipe) -> None:
        self.draw = random.Random(seed)
        self.seed = seed
        drawn = {}
        for spec in fields(recipe):
            value = getattr(recipe, spec.name)
            drawn[spec.name] = value if spec.name == "gates" else self._between(spec.name, value)
        self.size: dict[str, Any] = drawn
        self.objects: list[Doc] = []
        self.seconds: dict[str, list[int]] = {}
        self.flavors: dict[str, Doc] = {}
        self.cohorts: list[Place] = []
        self.queues: list[Place] = []

    def _between(self, name: str, value: Range) -> float:
        low, high = value
        counted = ("queues", "roots", "depth", "flavors", "resources", "workloads")
        return self.draw.randint(int(low), int(high)) if name in counted else self.draw.uniform(low, high)

    def chance(self, name: str | float) -> bool:
        """Throw a coin that falls as often as the recipe (or the number) says."""
        return self.draw.random() < (self.size[name] if isinstance(name, str) else name)

    def second(self, kind: str) -> str:
        """A moment before now that nothing else of this kind has."""
        if kind not in self.seconds:
            count = self.size["workloads"] + 20
            self.seconds[kind] = self.draw.sample(range(60, 60 + 12 * count), count)
        return text(self.seconds[kind].pop())

    def add(self, kind: str, name: str, spec: Doc | None, *, version: str = API, **metadata: Any) -> Doc:
        """Add an object."""
        doc: Doc = {"apiVersion": version, "kind": kind, "metadata": {"name": name, "uid": self.uid(), **metadata}}
        if spec is not None:
            doc["spec"] = spec
        self.objects.append(doc)
        return doc

    def uid(self) -> str:
        """A new UID."""
        digits = f"{self.draw.getrandbits(128):032x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
