"""One case: a dump, a configuration, and what the tool has to say about it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.store.load import load

# What is not built yet, of what cases may need. Decided by needs, never by id.
NOT_BUILT = frozenset({"topology", "waitForPodsReady", "admissionFairSharing"})


@dataclass(frozen=True)
class Case:
    """A case with its expectation."""

    id: str
    folder: Path
    expect: dict[str, Any]

    @property
    def missing_features(self) -> list[str]:
        """What it needs and the project does not have."""
        return sorted(NOT_BUILT.intersection(self.expect.get("needs") or ()))

    def read(self) -> tuple[ClusterState, Settings, int]:
        """The state, the settings, and the time that it is judged at."""
        config = self.expect.get("config")
        found = load(
            [str(self.folder / f"{self.id}.yaml")],
            stdin=BytesIO(),
            kueue_config=str(self.folder / config) if config else None,
            now=self.expect["now"],
            clock=lambda: 0,
        )
        return found.state, found.settings, found.now


def read(folder: Path, ids: list[str] | None = None) -> list[Case]:
    """The cases of a folder by id; of the given ids only, where there are some."""
    found = {}
    for path in sorted(folder.glob("*.expect.json")):
        expect = json.loads(path.read_text(encoding="utf-8"))
        found[expect["id"]] = Case(expect["id"], folder, expect)
    missing = sorted(set(ids or ()) - set(found))
    if missing or not found:
        raise FileNotFoundError(f"no case {', '.join(missing)} in {folder}" if missing else f"no cases in {folder}")
    return [found[name] for name in (ids or found)]
