"""Flavors, cohorts and queues."""

from __future__ import annotations

from tests.generate.draw import Draw
from tests.generate.places import Doc, Place, condition, quantity

WEIGHTS = ("0", "300m", "0.5", "1", "1", "1500m", "2", "4")
RESOURCES = ("cpu", "memory", "nvidia.com/gpu", "example.com/nic", "ephemeral-storage")
BOTH_STRATEGIES = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")
# What one unit of quota is, in the amounts that Kueue counts.
UNIT = {"cpu": 1000, "memory": 1 << 30, "ephemeral-storage": 1 << 30}
PODS = "pods"


class QueueMaker(Draw):
    """Makes what workloads wait for."""

    def _make_flavors(self) -> None:
        self.is_fair = self.chance("fair")
        self.fair: object = self.is_fair
        if self.is_fair and self.chance(0.4):
            both = self.draw.sample(BOTH_STRATEGIES, 2)
            self.fair = {"preemptionStrategies": self.draw.choice((both[:1], list(BOTH_STRATEGIES)))}
        wanted = max(1, self.size["resources"])
        self.resources = sorted(self.draw.sample(RESOURCES, min(wanted, len(RESOURCES))))
        if self.chance("pods"):
            self.resources.append(PODS)
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
            spec["stopPolicy"] = self.draw.choice(("Hold", "HoldAndDrain"))
        if self.chance("odd"):
            spec["namespaceSelector"] = {"matchLabels": {"example.com/tier": "a"}}
        if self.chance("odd"):
            queue.check = f"check-{number}"
            rule: Doc = {"name": queue.check}
            if self.chance(0.4):
                flavors = [flavor["name"] for group in spec["resourceGroups"] for flavor in group["flavors"]]
                rule["onFlavors"] = self.draw.sample(sorted(set(flavors)), 1)
            spec["admissionChecksStrategy"] = {"admissionChecks": [rule]}
            # A check that does not exist, or is not active, makes its queue inactive.
            if not self.chance("odd"):
                check = self.add("AdmissionCheck", queue.check, {"controllerName": "example.com/controller"})
                active = condition("Active", "Active", 0, is_true=not self.chance("odd"))
                check["status"] = {"conditions": [active]}
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
        if self.chance("roundabout"):
            limit = {"type": "Container", "defaultRequest": {"cpu": "100m", "memory": "64Mi"}}
            self.add("LimitRange", "defaults", {"limits": [limit]}, version="v1", namespace=namespace)
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
