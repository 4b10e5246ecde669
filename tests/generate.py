"""Random clusters, one JSON case a line, valid for Kueue's API and the same for the same seed.

    python -m tests.generate --seed 7 --cases 100 [--recipe NAME] [--set NAME=VALUE]...

A recipe says how large and how odd the clusters are; `--set` changes one of its numbers, as N or as a range A-B that is
drawn from for each cluster. All creation times, all reservation times and all UIDs are different, so that no decision
depends on a tie. The lines are described in tests/oracle/README.md.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.recipes import RECIPES, Range, Recipe, changed

Doc = dict[str, Any]

API = "kueue.x-k8s.io/v1beta2"
NOW = datetime(2026, 3, 2, 9, 0, 0, tzinfo=UTC)
PRIORITIES = (-50, 0, 0, 0, 10, 10, 200, 5000)
WEIGHTS = ("0", "300m", "0.5", "1", "1", "1500m", "2", "4")
RESOURCES = ("cpu", "memory", "nvidia.com/gpu", "example.com/nic", "ephemeral-storage")
# What one unit of quota is, and the step in which pods ask for it, in the amounts that Kueue counts.
UNIT = {"cpu": 1000, "memory": 1 << 30, "ephemeral-storage": 1 << 30}
STEP = {"cpu": 100, "memory": 1 << 26, "ephemeral-storage": 1 << 26}
BOTH_STRATEGIES = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")


@dataclass(eq=False)
class Place:
    """A cohort or a queue while the cluster is made: its quota, and what is in use of it."""

    name: str
    parent: Place | None = None
    nominal: dict[tuple[str, str], int] = field(default_factory=dict)
    borrow: dict[tuple[str, str], int] = field(default_factory=dict)
    used: dict[tuple[str, str], int] = field(default_factory=dict)
    members: list[Place] = field(default_factory=list)
    # Of queues only.
    spec: Doc = field(default_factory=dict)
    doors: list[tuple[str, str]] = field(default_factory=list)
    check: str | None = None

    @property
    def root(self) -> Place:
        """The top of its tree."""
        return self if self.parent is None else self.parent.root

    def total(self, key: tuple[str, str]) -> int:
        """Quota of it and of all below, less what is in use: lending limits are not looked at."""
        own = self.nominal.get(key, 0) - self.used.get(key, 0)
        return own + sum(member.total(key) for member in self.members)


class Maker:
    """Makes one cluster."""

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
        return _text(self.seconds[kind].pop())

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

    def case(self) -> Doc:
        """The whole cluster as a line of the oracle's input."""
        self._make_flavors()
        self._make_cohorts()
        for number in range(max(1, self.size["queues"])):
            self._make_queue(number)
        self._make_classes()
        specs: list[tuple[Place, Doc]] = []
        for number in range(self.size["workloads"]):
            twin = self.draw.choice(specs) if specs and self.chance("twins") else None
            queue, spec = twin or self._make_spec()
            specs.append((queue, spec))
            self._make_workload(number, queue, json.loads(json.dumps(spec)))
        return {
            "id": f"seed-{self.seed}",
            "now": _text(0),
            "given": {"fairSharing": self.fair, "featureGates": dict(self.size["gates"])},
            "objects": self.objects,
        }

    def _make_flavors(self) -> None:
        self.is_fair = self.chance("fair")
        self.fair: object = self.is_fair
        if self.is_fair and self.chance(0.4):
            both = self.draw.sample(BOTH_STRATEGIES, 2)
            self.fair = {"preemptionStrategies": self.draw.choice((both[:1], list(BOTH_STRATEGIES)))}
        wanted = max(1, self.size["resources"])
        self.resources = sorted(self.draw.sample(RESOURCES, min(wanted, len(RESOURCES))))
        for number in range(max(1, self.size["flavors"])):
            name, spec = f"pool-{number}", {}
            if self.chance(0.75):
                spec["nodeLabels"] = {"example.com/pool": name, "example.com/zone": self.draw.choice("xyz")}
            if self.chance("taints"):
                effect = self.draw.choice(("NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule"))
                spec["nodeTaints"] = [{"key": "example.com/only", "value": name, "effect": effect}]
                if self.chance(0.2):
                    spec["tolerations"] = [{"key": "example.com/only", "operator": "Exists"}]
            self.flavors[name] = spec
            # A flavor that does not exist makes the queues inactive that name it.
            if number == 0 or not self.chance("odd"):
                self.add("ResourceFlavor", name, spec)
        names, cut = list(self.flavors), len(self.resources) // 2
        self.groups = [(self.resources, names)]
        if cut and len(names) > 1 and self.chance(0.4):
            half = self.draw.randint(1, len(names) - 1)
            self.groups = [(self.resources[:cut], names[:half]), (self.resources[cut:], names[half:])]

    def _make_cohorts(self) -> None:
        for number in range(self.size["roots"]):
            level = [Place(f"tree-{number}")]
            tree = list(level)
            for _ in range(1, self.size["depth"]):
                level = [self._child(parent, n) for parent in level for n in range(self.draw.randint(0, 2))]
                tree += level
            self.cohorts += tree
            for place in tree:
                # One that no object stands for exists by its name alone.
                if place.parent is None and len(tree) == 1 and self.chance(0.5):
                    continue
                spec: Doc = {} if place.parent is None else {"parentName": place.parent.name}
                if self.chance("cohort_quota"):
                    spec["resourceGroups"] = self._quotas(place, self.size["quota"] / 2)
                if self.is_fair and self.chance(0.5):
                    spec["fairSharing"] = {"weight": self.draw.choice(WEIGHTS)}
                self.add("Cohort", place.name, spec)

    @staticmethod
    def _child(parent: Place, number: int) -> Place:
        child = Place(f"{parent.name}-{number}", parent)
        parent.members.append(child)
        return child

    def _quotas(self, place: Place, size: float) -> list[Doc]:
        groups = []
        for resources, names in self.groups:
            some = self.draw.sample(names, self.draw.randint(1, len(names))) if self.chance(0.4) else names
            if self.chance(0.3):
                some = self.draw.sample(some, len(some))
            flavors = []
            for name in some:
                rows = [self._row(place, name, resource, size) for resource in resources]
                flavors.append({"name": name, "resources": rows})
            groups.append({"coveredResources": resources, "flavors": flavors})
        return groups

    def _row(self, place: Place, flavor: str, resource: str, size: float) -> Doc:
        unit = UNIT.get(resource, 1)

        def amount(low: float, high: float) -> int:
            return round(self.draw.uniform(low, high) * size) * unit

        nominal = 0 if self.chance("no_quota") else amount(0.3, 1.7)
        place.nominal[flavor, resource] = nominal
        row = {"name": resource, "nominalQuota": quantity(resource, nominal)}
        if place.parent is not None and self.chance("limits"):
            place.borrow[flavor, resource] = amount(0, 1.5)
            row["borrowingLimit"] = quantity(resource, place.borrow[flavor, resource])
        if place.parent is not None and self.chance("limits"):
            # A queue may not lend more than it has; a cohort may, since its members lend too.
            lent = amount(0, 1.3)
            row["lendingLimit"] = quantity(resource, lent if place in self.cohorts else min(nominal, lent))
        return row

    def _make_queue(self, number: int) -> None:
        parent = None
        if self.cohorts and not self.chance("lonely"):
            roots = [place for place in self.cohorts if place.parent is None]
            # Trees in turn, so that they are of one size.
            root = roots[number % len(roots)]
            parent = self.draw.choice([place for place in self.cohorts if place.root is root])
        queue = Place(f"queue-{number}", parent)
        if parent is not None:
            parent.members.append(queue)
        spec: Doc = {"namespaceSelector": {}, "resourceGroups": self._quotas(queue, self.size["quota"])}
        spec["queueingStrategy"] = "StrictFIFO" if self.chance("strict") else "BestEffortFIFO"
        if parent is not None:
            spec["cohortName"] = parent.name
        if self.chance("preempting"):
            spec["preemption"] = self._preemption()
        spec["flavorFungibility"] = self._fungibility()
        if self.is_fair and self.chance(0.6):
            spec["fairSharing"] = {"weight": self.draw.choice(WEIGHTS)}
        if self.chance("odd"):
            spec["stopPolicy"] = "Hold"
        if self.chance("odd"):
            spec["namespaceSelector"] = {"matchLabels": {"example.com/tier": "a"}}
        if self.chance("odd"):
            queue.check = f"check-{number}"
            check = self.add("AdmissionCheck", queue.check, {"controllerName": "example.com/controller"})
            check["status"] = {"conditions": [condition("Active", "Active", 0)]}
            spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": queue.check}]}
        queue.spec = spec
        self.add("ClusterQueue", queue.name, spec)
        for door in range(2 if self.chance(0.3) else 1):
            self._make_door(queue, f"team-{number}-{door}")
        self.queues.append(queue)

    def _make_door(self, queue: Place, namespace: str) -> None:
        labels = {"kubernetes.io/metadata.name": namespace, "example.com/tier": self.draw.choice("ab")}
        self.add("Namespace", namespace, None, version="v1", labels=labels)
        spec = {"clusterQueue": queue.name, "stopPolicy": "Hold" if self.chance("odd") else "None"}
        self.add("LocalQueue", "jobs", spec, namespace=namespace)
        queue.doors.append((namespace, "jobs"))

    def _preemption(self) -> Doc:
        reclaim = self.draw.choice(("Never", "LowerPriority", "Any", "Any"))
        within = self.draw.choice(("Never", "LowerPriority", "LowerPriority", "LowerOrNewerEqualPriority"))
        found: Doc = {"reclaimWithinCohort": reclaim, "withinClusterQueue": within}
        if reclaim != "Never" and not self.is_fair and self.chance(0.4):
            found["borrowWithinCohort"] = {"policy": "LowerPriority"}
            if self.chance(0.6):
                found["borrowWithinCohort"]["maxPriorityThreshold"] = self.draw.choice((-50, 0, 10, 200))
        return found

    def _fungibility(self) -> Doc:
        policies = ("MayStopSearch", "TryNextFlavor")
        found = {"whenCanBorrow": self.draw.choice(policies)}
        found["whenCanPreempt"] = self.draw.choice((*policies, policies[1]))
        if set(found.values()) == {"TryNextFlavor"} and self.chance(0.5):
            found["preference"] = self.draw.choice(("BorrowingOverPreemption", "PreemptionOverBorrowing"))
        return found

    def _make_classes(self) -> None:
        for value in sorted(set(PRIORITIES)):
            self.add("WorkloadPriorityClass", _class_name(value), None).update(value=value, description="")

    def _make_spec(self) -> tuple[Place, Doc]:
        queue = self.draw.choice(self.queues)
        # Most ask for little, few for much; together about `load` times the quota of their queue.
        each = self.size["load"] * len(self.queues) / self.size["workloads"]
        share = min(1.6, each * self.draw.expovariate(1.0) + each / 20)
        covered = [name for group in queue.spec["resourceGroups"] for name in group["coveredResources"]]
        asked = covered if self.chance(0.6) else self.draw.sample(covered, self.draw.randint(1, len(covered)))
        priority = self.draw.choice(PRIORITIES)
        spec: Doc = {"podSets": self._pod_sets(asked, share), "priority": priority}
        if self.chance(0.3):
            spec["priorityClassRef"] = {
                "group": "kueue.x-k8s.io",
                "kind": "WorkloadPriorityClass",
                "name": _class_name(priority),
            }
        return queue, spec

    def _pod_sets(self, asked: list[str], share: float) -> list[Doc]:
        names = ["main"]
        if self.chance("several_pod_sets"):
            names = ["launcher", "worker", "evaluator"][: self.draw.randint(2, 3)]
        flexible = self.draw.choice(names) if self.chance("partial") else None
        found = []
        for name in names:
            count = 1 if name == "launcher" else self.draw.randint(1, 8)
            requests = {}
            for resource in asked:
                whole = share * self.size["quota"] * UNIT.get(resource, 1) / len(names) / count
                step = STEP.get(resource, 1)
                requests[resource] = quantity(resource, max(step, round(whole / step) * step))
            pod_set: Doc = {"name": name, "count": count, "template": {"metadata": {}, "spec": self._pod(requests)}}
            if name == flexible and count > 1:
                pod_set["minCount"] = self.draw.randint(1, count)
            found.append(pod_set)
        return found

    def _pod(self, requests: dict[str, str]) -> Doc:
        container = {"name": "main", "image": "example.com/image", "resources": {"requests": requests}}
        spec: Doc = {"containers": [container], "restartPolicy": "Never"}
        if self.chance("selectors"):
            spec.update(self._selection())
        if self.chance(0.5):
            spec["tolerations"] = [{"key": "example.com/only", "operator": "Exists"}]
            if self.chance(0.5):
                value = self.draw.choice(list(self.flavors))
                spec["tolerations"] = [
                    {"key": "example.com/only", "operator": "Equal", "value": value, "effect": "NoSchedule"}
                ]
        return spec

    def _selection(self) -> Doc:
        kind = self.draw.randrange(4)
        if kind == 0:
            # A label that no flavor says anything about.
            return {"nodeSelector": {"example.com/disk": "fast"}}
        if kind == 1:
            return {"nodeSelector": {"example.com/pool": self.draw.choice(list(self.flavors))}}
        operator = self.draw.choice(("In", "NotIn"))
        values = self.draw.sample("xyz", self.draw.randint(1, 2))
        term = {"matchExpressions": [{"key": "example.com/zone", "operator": operator, "values": values}]}
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        return {"affinity": {"nodeAffinity": required}}

    def _make_workload(self, number: int, queue: Place, spec: Doc) -> None:
        namespace, door = self.draw.choice(queue.doors)
        spec = {"queueName": door, "active": not self.chance("odd"), **spec}
        created = self.second("created")
        workload = self.add(
            "Workload", f"job-{number}", spec, namespace=namespace, creationTimestamp=created, generation=1
        )
        if spec["active"] and self.chance("held"):
            self._hold(workload, queue)
        elif self.chance("odd"):
            # Was evicted before, and waits: for its time, or for its controller.
            later = self.draw.choice((-600, 2, 600))
            workload["status"] = {"requeueState": {"count": 1, "requeueAt": _text(-later)}}
            waits = condition("Requeued", "PodsReadyTimeout", 40, is_true=self.chance(0.7))
            workload["status"]["conditions"] = [condition("QuotaReserved", "Pending", 40, is_true=False), waits]

    def _hold(self, workload: Doc, queue: Place) -> None:
        """Give a workload quota where there is some left, or, seldom, anyway."""
        ignores = self.chance("overcommitted")
        wanted: dict[tuple[str, str], int] = {}
        assigned = []
        for pod_set in workload["spec"]["podSets"]:
            requests = pod_set["template"]["spec"]["containers"][0]["resources"]["requests"]
            count = self.draw.randint(pod_set.get("minCount", pod_set["count"]), pod_set["count"])
            entry: Doc = {"name": pod_set["name"], "count": count, "flavors": {}, "resourceUsage": {}}
            for group in queue.spec["resourceGroups"]:
                asked = {r: count * parse(r, requests[r]) for r in group["coveredResources"] if r in requests}
                names = [flavor["name"] for flavor in group["flavors"] if self._suits(pod_set, flavor["name"])]
                self.draw.shuffle(names)
                for name in names:
                    total = {(name, r): n + wanted.get((name, r), 0) for r, n in asked.items()}
                    if ignores or all(_has_room(queue, key, amount) for key, amount in total.items()):
                        break
                else:
                    return
                for resource, amount in asked.items():
                    wanted[name, resource] = wanted.get((name, resource), 0) + amount
                    entry["flavors"][resource] = name
                    entry["resourceUsage"][resource] = quantity(resource, amount)
            assigned.append(entry)
        for key, amount in wanted.items():
            queue.used[key] = queue.used.get(key, 0) + amount
        self._reserve(workload, queue, assigned)

    def _reserve(self, workload: Doc, queue: Place, assigned: list[Doc]) -> None:
        at = self.second("reserved")
        conditions = [{**condition("QuotaReserved", "QuotaReserved", 0), "lastTransitionTime": at}]
        status = {"admission": {"clusterQueue": queue.name, "podSetAssignments": assigned}, "conditions": conditions}
        workload["status"] = status
        if queue.check is not None:
            state = self.draw.choice(("Ready", "Pending"))
            row = {"name": queue.check, "state": state, "message": "", "lastTransitionTime": at}
            status["admissionChecks"] = [row]
            if state == "Pending":
                return
        conditions.append({**condition("Admitted", "Admitted", 0), "lastTransitionTime": at})
        if self.chance("odd"):
            reason = self.draw.choice(("InClusterQueue", "InCohortReclamation", "InCohortReclaimWhileBorrowing"))
            conditions += [condition("Evicted", "Preempted", 30), condition("Preempted", reason, 30)]
        elif self.chance("odd"):
            conditions.append(condition("Evicted", "PodsReadyTimeout", 30))
        if self.chance("odd"):
            entry = self.draw.choice(assigned)
            status["reclaimablePods"] = [{"name": entry["name"], "count": self.draw.randint(0, entry["count"])}]

    def _suits(self, pod_set: Doc, name: str) -> bool:
        """Whether pods could run on the flavor, as far as taints and node selectors go: enough for a likely state."""
        flavor, pod = self.flavors[name], pod_set["template"]["spec"]
        labels = flavor.get("nodeLabels", {})
        if any(key in labels and labels[key] != value for key, value in pod.get("nodeSelector", {}).items()):
            return False
        tolerations = pod.get("tolerations", []) + flavor.get("tolerations", [])
        return not flavor.get("nodeTaints") or any(t["operator"] == "Exists" or t["value"] == name for t in tolerations)


def _has_room(queue: Place, key: tuple[str, str], amount: int) -> bool:
    """Whether the queue may use that much more: of its own quota, or borrowed from its tree."""
    free = queue.nominal.get(key, 0) - queue.used.get(key, 0)
    if amount <= free:
        return True
    if queue.parent is None or amount > free + queue.borrow.get(key, amount):
        return False
    return amount <= queue.root.total(key)


def condition(kind: str, reason: str, seconds_ago: int, *, is_true: bool = True) -> Doc:
    """A condition as Kueue writes it."""
    status = "True" if is_true else "False"
    return {"type": kind, "status": status, "reason": reason, "message": kind, "lastTransitionTime": _text(seconds_ago)}


def quantity(resource: str, amount: int) -> str:
    """An amount in the API's spelling."""
    if resource == "cpu":
        return f"{amount // 1000}" if amount % 1000 == 0 else f"{amount}m"
    if amount and amount % (1 << 20) == 0:
        return f"{amount >> 20}Mi"
    return f"{amount}"


def parse(resource: str, text: str) -> int:
    """The amount of a quantity that `quantity` spelled."""
    if resource == "cpu":
        return int(text[:-1]) if text.endswith("m") else int(text) * 1000
    return int(text[:-2]) << 20 if text.endswith("Mi") else int(text)


def _text(seconds_ago: int) -> str:
    return (NOW - timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _class_name(value: int) -> str:
    return f"level-{value}" if value >= 0 else f"below-{-value}"


def cases(seed: int, count: int, recipe: Recipe) -> Iterable[Doc]:
    """Clusters of consecutive seeds."""
    return (Maker(number, recipe).case() for number in range(seed, seed + count))


def main(argv: list[str]) -> int:
    """Print clusters."""
    parser = argparse.ArgumentParser(prog="python -m tests.generate", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1)
    parser.add_argument("--recipe", choices=list(RECIPES), default="mixed")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    options = parser.parse_args(argv)
    for case in cases(options.seed, options.cases, changed(RECIPES[options.recipe], options.settings)):
        sys.stdout.write(json.dumps(case, separators=(",", ":")) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
