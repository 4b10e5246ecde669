"""What is recorded of a scene, and how it is worked out. Golden files have two parts.

`kueue` is what Kueue's own engine does: what the first evaluation of each workload gives, and where things are when
nothing moves any more. It is recorded by `tests.golden.record` with the oracle, and compared with our engine.
`explain` is what the project says of each workload and queue. It was read against the first part when it was recorded.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from kueuectl import times
from kueuectl.analysis import explain, queues
from kueuectl.analysis.explanation import Explanation
from kueuectl.api import configuration, objects
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.quantity import format_amount
from kueuectl.report import narrate
from tests import engine_run
from tests.golden import oracle, recipes

HERE = Path(__file__).parent
Doc = dict[str, Any]


@dataclass(frozen=True)
class Dump:
    """A scene in its file, with what the project reads in it."""

    path: Path
    objects: list[Doc]
    config: Doc | None
    state: ClusterState
    settings: Settings
    now: int

    @property
    def golden(self) -> Path:
        """The file of its answers."""
        return HERE / f"{self.path.stem}.json"

    def case(self) -> Doc:
        """The line for the oracle."""
        return oracle.case(self.path.stem, self.objects, now=times.format_time(self.now), config=self.config)


def paths() -> list[Path]:
    """The shipped examples, and the small scenes."""
    found = [*sorted(recipes.FOLDER.glob("*.yaml")), *sorted((HERE / "scenes").glob("*.yaml"))]
    return [path for path in found if not path.name.endswith(".config.yaml")]


def read(path: Path) -> Dump:
    """Read a scene with the Configuration beside it."""
    docs = oracle.documents(path)
    beside = path.with_name(f"{path.stem}.config.yaml")
    config = yaml.safe_load(beside.read_text("utf-8")) if beside.is_file() else None
    read_config = configuration.defaults() if config is None else configuration.read(config)
    state = objects.decode_state([(path.name, doc) for doc in docs])
    return Dump(path, docs, config, state, read_config.settings, times.parse(oracle.saved_at(path)))


def by_our_engine(dump: Dump) -> Doc:
    """The `kueue` part as our engine has it."""
    options = argparse.Namespace(
        one_cycle=False, max_cycles=0, requeue="each", quiet=False, no_cycles=False, backoff=True, no_defaults=False
    )
    # Through JSON, as the oracle's answer comes.
    return digest(json.loads(json.dumps(engine_run.run_case(dump.case(), options))))


def digest(output: Doc) -> Doc:
    """What is kept of an answer in the oracle's shape."""
    first: Doc = {}
    evicted: Doc = {}
    for cycle in output["cycles"]:
        victims: dict[str, Doc] = {}
        for row in cycle.get("preempted", ()):
            victims.setdefault(row["preemptor"], {})[row["workload"]] = row["reason"]
            evicted[row["workload"]] = row["reason"]
        for row in cycle.get("admitted", ()):
            first.setdefault(row["workload"], {"admitted": _pod_sets(row)})
        for row in cycle.get("pending", ()):
            key = row["workload"]
            found = {"message": row["message"], "goes back to": row["where"]}
            first.setdefault(key, {**found, **({"victims": victims[key]} if key in victims else {})})
        for key in cycle.get("evicted", ()):
            evicted.setdefault(key, "before")
    final = output["final"]
    end = {
        "admitted": {key: _pod_sets(row) for key, row in sorted(final["admitted"].items())},
        "reserved": sorted(key for key, row in final["admitted"].items() if not row["admitted"]),
        "evicted": dict(sorted(evicted.items())),
        "waiting": {name: keys for name, keys in sorted((final.get("active") or {}).items()) if keys},
        "inadmissible": {name: keys for name, keys in sorted((final.get("inadmissible") or {}).items()) if keys},
        "shares": dict(sorted((final.get("shares") or {}).items())),
        "inactive": dict(sorted((final.get("inactive") or {}).items())),
    }
    return {
        "fixpoint": output["fixpoint"],
        "first": dict(sorted(first.items())),
        "end": {key: value for key, value in end.items() if value},
    }


def _pod_sets(row: Doc) -> Doc:
    return {
        pod_set["name"]: {"count": pod_set["count"], "flavors": dict(sorted(pod_set["flavors"].items()))}
        for pod_set in row["podSets"]
    }


def by_explain(dump: Dump) -> Doc:
    """The `explain` part."""
    state, settings, now = dump.state, dump.settings, dump.now
    told = {}
    for key in sorted(state.workloads):
        found, entry = explain.workload(state, settings, now=now, key=key)
        told[key] = _told(found, "" if entry is None else narrate.entry(entry))
    verdicts = {
        f"ClusterQueue {name}": str(queues.cluster_queue(state, settings, now=now, name=name).verdict.code)
        for name in sorted(state.cluster_queues)
    }
    verdicts |= {
        f"LocalQueue {key}": str(queues.local_queue(state, settings, now=now, key=key).verdict.code)
        for key in sorted(state.local_queues)
    }
    return {"workloads": told, "queues": verdicts}


def _told(found: Explanation, message: str) -> Doc:
    """What is kept of an explanation; what it does not have is left out."""
    rows = [(pod_set, flavor) for pod_set in found.pod_sets for flavor in pod_set.flavors]
    short = [
        (flavor.name, row)
        for _, flavor in rows
        for row in flavor.resources
        if flavor.out in ("quota", "") and flavor.mode != "NotTried" and row.missing
    ]
    whole = {
        "verdict": str(found.verdict.code),
        "behind": found.verdict.behind,
        "message": message,
        "flavors": {f"{ps.name}/{resource}": flavor for ps in found.pod_sets for resource, flavor in ps.chosen},
        "counts": {ps.name: ps.granted for ps in found.pod_sets if ps.granted != ps.count},
        "out": {f"{ps.name}/{flavor.name}": flavor.out for ps, flavor in rows if flavor.out},
        "missing": {f"{name}/{row.name}": format_amount(row.name, row.missing) for name, row in short},
        "limits": {
            f"{name}/{row.name}": f"{row.limited_by.kind} of {row.limited_by.node}"
            for name, row in short
            if row.limited_by
        },
        "victims": sorted(found.preemption.victims),
        "candidates": {row.workload: row.finding for row in found.preemption.candidates},
        "uncovered": list(found.uncovered),
        "checks": list(found.open_checks),
        "until": "" if found.until is None else times.format_time(found.until),
        "eviction": "" if found.eviction is None else f"{found.eviction.reason} by {found.eviction.preemptor or '-'}",
        "proposals": [_proposal(row) for row in found.proposals],
        "warnings": [str(row.code) for row in found.warnings],
    }
    return {key: value for key, value in whole.items() if value}


def _proposal(row: Any) -> str:
    parts = [str(row.kind), row.target.key, row.what, row.after, *(f"preempts {key}" for key in row.victims)]
    return ", ".join(part for part in parts if part)
