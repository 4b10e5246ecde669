"""Random clusters, one JSON case a line, valid for Kueue's API and the same for the same seed.

    python -m tests.generate --seed 7 --cases 100 [--recipe NAME] [--set NAME=VALUE]...

A recipe says how large and how odd the clusters are; `--set` changes one of its numbers, as N or as a range A-B that is
drawn from for each cluster. All creation times, all reservation times and all UIDs are different, so that no decision
depends on a tie. The lines are described in tests/oracle/README.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.generate.places import Doc
from tests.generate.recipes import Recipe
from tests.generate.workloads import Maker


def cases(seed: int, count: int, recipe: Recipe) -> Iterable[Doc]:
    """Clusters of consecutive seeds."""
    return (Maker(number, recipe).case() for number in range(seed, seed + count))
