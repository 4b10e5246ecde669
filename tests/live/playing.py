"""Plays a scenario: makes its objects, asks the program, makes the change, and waits until Kueue has settled."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from kueuectl.cluster.client import Client
from tests.cli.harness import cli
from tests.live import making
from tests.live.controlplane import ControlPlane, items, send
from tests.live.making import Step
from tests.live.scenarios import Scenario
from tests.live.watching import Watch

_PATCHES = {list: "application/json-patch+json", dict: "application/merge-patch+json"}
_POLL = 0.2
# Kueue collects events that let parked workloads come back for a second.
_QUIET = 1.3
# How long nothing has to move where it is not what was foretold, and where Kueue says nothing of somebody.
_SILENCE = 4.0
_NO_ANSWER = 20.0
_LIMIT = 90.0
# Seconds for which a workload that was evicted from outside may not queue.
_PAUSE = 10
# One question at a time: the program is run in this process, and the machine has few cores.
_ASKING = threading.Lock()


@dataclass(frozen=True)
class Fact:
    """Where a workload is. `flavors` by pod set and resource; `counts` by pod set, both empty without quota."""

    admitted: bool = False
    reserved: bool = False
    queue: str = ""
    flavors: tuple[tuple[str, str], ...] = ()
    counts: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Seen:
    """A workload on the server. Evictions are counted by reason, over its whole life."""

    fact: Fact
    key: str
    queue: str = ""
    message: str = ""
    preempted: str = ""
    evictions: tuple[tuple[str, int], ...] = ()


@dataclass
class Foretold:
    """What the program said: where everybody ends, who is evicted on the way and why, and who may end elsewhere."""

    facts: dict[str, Fact]
    evicted: dict[str, str]
    elsewhere: set[str] = field(default_factory=set)
    verdicts: dict[str, str] = field(default_factory=dict)
    # What a plan does.
    steps: tuple[Step, ...] = ()
    # Only who holds quota is foretold, not in which flavors.
    is_loose: bool = False


@dataclass
class Played:
    """A scenario that was played."""

    before: dict[str, Seen]
    foretold: Foretold
    after: dict[str, Seen]
    # Who waits although nothing stands in its way, before something happens in its tree.
    slept: frozenset[str] = frozenset()

    def evicted(self) -> set[str]:
        """Who was evicted after the change. Kueue counts its own evictions, not those of others."""
        none = Seen(Fact(), "")
        found = set()
        for name, seen in self.after.items():
            old = self.before.get(name, none)
            if seen.evictions != old.evictions or (seen.preempted and not old.preempted):
                found.add(name)
        return found | {name for name, seen in self.before.items() if seen.fact.reserved and name not in self.after}


class Play:
    """One scenario in one cluster, under a prefix of its own."""

    def __init__(self, plane: ControlPlane, watch: Watch, scenario: Scenario, *, prefix: str, folder: Path) -> None:
        self.plane = plane
        self.watch = watch
        self.scenario = scenario
        self.prefix = prefix
        self._jobs: set[str] = set()
        self.file = folder / f"{prefix}.yaml"

    def run(self) -> Played:
        """Play it from the beginning to the end."""
        sleepers = set(self.scenario.sleeps)
        with self.plane.client() as client:
            send(client, "POST", making.path("Namespace", ""), {"metadata": {"name": self.prefix}})
            for wave in self.scenario.setup:
                self._make(client, wave)
                before = self._settle()
            foretold = self._ask(before)
            self._make(client, self.scenario.change or foretold.steps)
            after = self._settle(Played(before, foretold, {}, frozenset(sleepers)))
            slept = frozenset(name for name in sleepers if not after[name].fact.reserved)
            if slept:
                self._nudge(client, before[min(slept)].queue)
                after = self._settle(Played(before, foretold, {}))
        return Played(before, foretold, after, slept)

    # -- the change

    def _own(self, value: Any) -> Any:
        return json.loads(json.dumps(value).replace("~", self.prefix))

    def _make(self, client: Client, steps: Iterable[Step]) -> None:
        for step in steps:
            body = self._named(step.body)
            if step.verb == "create":
                send(client, "POST", making.path(step.kind, self.prefix), body)
                if step.kind == "Job":
                    self._jobs.add(body["metadata"]["name"])
                continue
            name = self._own(step.name)
            if name.startswith("job:"):
                name = self.observe(client)[name.removeprefix("job:")].key.partition("/")[2]
            where = making.path(step.kind, self.prefix, name)
            if step.verb == "delete":
                self._jobs.discard(name)
                send(client, "DELETE", where, {"propagationPolicy": "Background"})
            elif step.verb == "status":
                send(client, "PATCH", where + "/status", {"status": body}, content_type=_PATCHES[dict])
            elif step.verb == "evict":
                self._evict(client, where)
            else:
                send(client, "PATCH", where, body, content_type=_PATCHES[type(body)])

    def _named(self, body: Any) -> Any:
        """The body with the prefix in its names. JSON patches have slashes that are escaped with a tilde: none here."""
        return self._own(body)

    def _evict(self, client: Client, where: str) -> None:
        """Evict a workload from outside. It may queue again only after a while: parked workloads wake up to a second
        later than it would, and would find the quota taken again.
        """
        now = datetime.now(UTC)
        found = json.loads(client.get(where, what="get"))
        common = {"status": "True", "message": "Preempted by the tests", "lastTransitionTime": _time(now)}
        made = [{"type": "Evicted", "reason": "Preempted"}, {"type": "Preempted", "reason": "InClusterQueue"}]
        kept = [one for one in found["status"]["conditions"] if one["type"] not in ("Evicted", "Preempted")]
        status = {
            "conditions": [*kept, *(one | common for one in made)],
            "requeueState": {"requeueAt": _time(now + timedelta(seconds=_PAUSE))},
        }
        send(client, "PATCH", where + "/status", {"status": status}, content_type=_PATCHES[dict])

    # -- the question

    def _ask(self, before: dict[str, Seen]) -> Foretold:
        objects = [self._named(step.body) for step in self.scenario.change if step.verb == "create"]
        if not objects and "{file}" in self.scenario.ask:
            objects = self._changed()
        self.file.write_text(yaml.safe_dump_all(objects))
        words = [self._own(word).replace("{file}", str(self.file)) for word in self.scenario.ask]
        for name, seen in before.items():
            words = [word.replace(f"{{wl:{name}}}", seen.key) for word in words]
        done = self.program(*words, "-o", "json")
        assert done.code == 0, f"{' '.join(words)}: exit code {done.code}\n{done.err}"
        return foretell(json.loads(done.out), before)

    def _nudge(self, client: Client, queue_name: str) -> None:
        """Something ends in the tree of a queue: a workload that asks for nothing."""
        self._make(client, making.made(making.workload("nudge", queue_name, 0)))
        until = time.monotonic() + _LIMIT
        while not self.observe(client)["nudge"].fact.reserved:
            assert time.monotonic() < until, "a workload that asks for nothing is not admitted"
            time.sleep(_POLL)
        self._make(client, making.gone("Workload", "nudge"))

    def _changed(self) -> list[dict[str, Any]]:
        """The objects as a patch leaves them; the server says it, by a dry run."""
        found = []
        with self.plane.client() as client:
            for step in self.scenario.change:
                body = self._named(step.body)
                where = making.path(step.kind, self.prefix, self._own(step.name)) + "?dryRun=All"
                found.append(send(client, "PATCH", where, body, content_type=_PATCHES[type(body)]))
        return found

    def program(self, *words: str) -> Any:
        """Run the program as an administrator in the scenario's namespace."""
        with _ASKING:
            return cli(*words, "-n", self.prefix, "--kubeconfig", self.plane.kubeconfig)

    # -- what Kueue does

    def observe(self, client: Client) -> dict[str, Seen]:
        """All workloads of the scenario, by the names of their Jobs (or their own)."""
        return dict(observed(one) for one in items(client, making.path("Workload", self.prefix)))

    def _settle(self, expected: Played | None = None) -> dict[str, Seen]:
        """Wait until nothing has moved for a while, as `_is_over` says."""
        began = since = time.monotonic()
        last: object = None
        while True:
            look = self.watch.look(self.prefix)
            now = time.monotonic()
            found = dict(map(observed, look.workloads))
            version = sorted((one["metadata"]["uid"], one["metadata"]["resourceVersion"]) for one in look.workloads)
            if version != last:
                last, since = version, now
            is_answered = self._jobs <= found.keys() and all(
                seen.message or seen.fact.reserved for seen in found.values()
            )
            as_expected = expected is None or not differences(replace(expected, after=found))
            # Parked workloads come back a second after quota was freed, and an eviction takes several steps.
            quiet = (_QUIET if as_expected else _SILENCE) if is_answered else _NO_ANSWER
            if now - since > quiet and look.canary > since + quiet - _QUIET:
                return found
            assert now - began < _LIMIT, f"Kueue does not come to rest in {_LIMIT:g} s: {found}"
            time.sleep(_POLL)


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def observed(one: dict[str, Any]) -> tuple[str, Seen]:
    """A workload as the server has it."""
    meta, status = one["metadata"], one.get("status") or {}
    owners = meta.get("ownerReferences") or [{"name": meta["name"]}]
    conditions = {entry["type"]: entry for entry in status.get("conditions") or []}
    true = {kind for kind, entry in conditions.items() if entry["status"] == "True"}
    admission = status.get("admission")
    holds = admission is not None and "QuotaReserved" in true and "Finished" not in true
    fact = Fact()
    if holds:
        rows = admission["podSetAssignments"]
        fact = Fact(
            admitted="Admitted" in true,
            reserved=True,
            queue=admission["clusterQueue"],
            flavors=tuple(
                sorted(
                    (f"{row['name']}/{resource}", flavor)
                    for row in rows
                    for resource, flavor in (row.get("flavors") or {}).items()
                )
            ),
            counts=tuple(sorted((row["name"], row.get("count", 0)) for row in rows)),
        )
    evictions: Counter[str] = Counter()
    for row in (status.get("schedulingStats") or {}).get("evictions") or []:
        evictions[row["reason"]] += row["count"]
    seen = Seen(
        fact=fact,
        key=f"{meta['namespace']}/{meta['name']}",
        queue=one["spec"].get("queueName", ""),
        message=conditions.get("QuotaReserved", {}).get("message", ""),
        preempted=conditions["Preempted"]["reason"] if "Preempted" in true else "",
        evictions=tuple(sorted(evictions.items())),
    )
    return str(owners[0]["name"]), seen


def foretell(document: dict[str, Any], before: dict[str, Seen]) -> Foretold:
    """What an answer says, with workloads named by their Jobs."""
    names = {seen.key: name for name, seen in before.items()}
    if document["kind"] == "EvictionEffect":
        evicted = {names[row["workload"]]: row["reason"] for row in document["evicted"]}
        return _of_evictions(before, evicted, names, document)
    if document["kind"] == "Rebalance":
        assert document["items"], document
        plan = document["items"][0]
        evicted = {names[row["workload"]]: row["reason"] for row in plan["steps"]}
        found = _of_evictions(before, evicted, names, plan)
        if any(row["action"] == "hold" for row in plan["steps"]):
            off = {"spec": {"active": False}}
            found.steps = tuple(step for name in evicted for step in making.patched("Workload", f"job:{name}", off))
        return found
    return _of_dry_run(document, before, names)


def _of_evictions(
    before: dict[str, Seen], evicted: dict[str, str], names: dict[str, str], document: dict[str, Any]
) -> Foretold:
    """Who holds quota after evictions, and after those that they lead to."""
    facts = {name: replace(seen.fact, flavors=(), counts=()) for name, seen in before.items()}
    further = [row if isinstance(row, str) else row["workload"] for row in document["preempted"]]
    lost = {*evicted, *(names[key] for key in further)}
    facts |= dict.fromkeys(lost, Fact())
    for row in document.get("items", document.get("admitted")):
        facts[names[row["workload"]]] = Fact(admitted=True, reserved=True, queue=row["clusterQueue"])
    returned = {names[key] for key in document.get("returned", ())}
    facts |= {name: replace(before[name].fact, flavors=(), counts=()) for name in returned}
    reasons = evicted | {names[key]: "" for key in further}
    return Foretold(facts, reasons, steps=making.evicted(*evicted), is_loose=True)


def _of_dry_run(document: dict[str, Any], before: dict[str, Seen], names: dict[str, str]) -> Foretold:
    for fate in document["submitted"]:
        names[fate["workload"]] = fate["job"].rpartition("/")[2] or fate["workload"].rpartition("/")[2]
    # The dry run tells where everybody in the trees is that it simulated: the others stay as they are.
    facts = {name: seen.fact for name, seen in before.items()}
    fixpoint = document["fixpoint"]
    for key in (*(row["workload"] for row in fixpoint["pending"]), *fixpoint["unqueued"]):
        if key in names:
            facts[names[key]] = Fact()
    for row in fixpoint["admitted"]:
        if row["workload"] in names:
            facts[names[row["workload"]]] = _held(row)
    items = [row for row in document["items"] if row["workload"] in names]
    for row in items:
        if row["effect"] == "deleted":
            facts.pop(names[row["workload"]], None)
    evicted = {names[row["workload"]]: row["reason"] for row in fixpoint["evicted"] if row["workload"] in names}
    evicted |= {names[row["workload"]]: "Deactivated" for row in items if row["effect"] == "deactivated"}
    return Foretold(
        facts=facts,
        evicted=evicted,
        elsewhere={
            names[row["workload"]] for row in document["simulation"]["drain"]["differs"] if row["workload"] in names
        },
        verdicts={names[row["workload"]]: row["verdict"]["code"] for row in document["submitted"] if row["verdict"]},
    )


def _held(row: dict[str, Any]) -> Fact:
    return Fact(
        admitted=not row["reservedOnly"],
        reserved=True,
        queue=row["clusterQueue"],
        flavors=tuple(sorted((f"{one['podSet']}/{one['resource']}", one["flavor"]) for one in row["flavors"])),
        counts=tuple(sorted(row["counts"].items())),
    )


def differences(played: Played) -> list[str]:
    """Where what was foretold and what came disagree, one line each."""
    foretold, after = played.foretold, played.after
    free = foretold.elsewhere | played.slept
    found = []
    for name in sorted((foretold.facts.keys() | after.keys()) - free):
        said = foretold.facts.get(name, Fact())
        came = after[name].fact if name in after else Fact()
        if foretold.is_loose:
            came = replace(came, flavors=(), counts=())
        if came != said:
            found.append(f"{name}: foretold {said}, but {came}")
    evicted = played.evicted() & foretold.facts.keys()
    for name in sorted((foretold.evicted.keys() ^ evicted) - free):
        found.append(f"{name}: evicted {name in evicted}, foretold {foretold.evicted.get(name, 'no')}")
    for name in sorted(foretold.evicted.keys() & evicted):
        reason = foretold.evicted[name]
        seen = after.get(name)
        if seen is not None and seen.preempted and reason and seen.preempted != reason:
            found.append(f"{name}: Preempted has reason {seen.preempted}, foretold {reason}")
    return found
