"""Scenes as lines for Kueue's own engine: `python -m tests.golden.oracle DUMP... > cases.jsonl`.

The oracle is a program that runs Kueue's scheduler in process on one case a line. What it answers is recorded in the
`kueue` part of the golden files, see `tests.golden.record`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

Doc = dict[str, Any]
DAY = "2026-11-29T12:00:00Z"
# Kinds that Kueue's engine looks at. Owners of workloads are not among them: a running job behind each is assumed.
KINDS = frozenset(
    {
        "ClusterQueue",
        "LocalQueue",
        "Cohort",
        "ResourceFlavor",
        "Workload",
        "AdmissionCheck",
        "Topology",
        "WorkloadPriorityClass",
        "PriorityClass",
        "Namespace",
        "Node",
        "LimitRange",
        "RuntimeClass",
    }
)


def documents(path: Path) -> list[Doc]:
    """The objects of a dump, Lists opened."""
    found: list[Doc] = []
    for doc in yaml.load_all(path.read_text("utf-8"), Loader=_Loader):
        if doc:
            found.extend(doc["items"] if doc.get("kind") == "List" else [doc])
    return found


def case(name: str, objects: list[Doc], *, now: str, config: Doc | None) -> Doc:
    """One line for the oracle. Of a Configuration it takes fair sharing, feature gates and transformations."""
    config = config or {}
    given = {
        "fairSharing": (config["fairSharing"] or True) if "fairSharing" in config else False,
        "featureGates": config.get("featureGates") or {},
        "resourceTransformations": (config.get("resources") or {}).get("transformations") or [],
    }
    return {"id": name, "now": now, "given": given, "objects": [doc for doc in objects if doc["kind"] in KINDS]}


def lines(paths: list[Path]) -> Iterator[str]:
    """A line for each dump; NAME.config.yaml beside it is its Configuration."""
    for path in paths:
        beside = path.with_name(f"{path.stem}.config.yaml")
        config = yaml.load(beside.read_text("utf-8"), Loader=_Loader) if beside.is_file() else None
        yield json.dumps(case(path.stem, documents(path), now=saved_at(path) or DAY, config=config))


def saved_at(path: Path) -> str:
    """When a dump was saved, "" where it does not say."""
    for doc in yaml.load_all(path.read_text("utf-8"), Loader=_Loader):
        if doc and doc.get("kind") == "List":
            return str((doc["metadata"].get("annotations") or {}).get("kueuectl.io/saved-at", ""))
    return ""


class _Loader(yaml.CSafeLoader):
    """Leaves timestamps as text, as JSON has them."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rows if not tag.endswith("timestamp")]
    for first, rows in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


if __name__ == "__main__":
    for line in lines([Path(name) for name in sys.argv[1:]]):
        print(line)
