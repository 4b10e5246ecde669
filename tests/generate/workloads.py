"""Workloads: what they ask for, and what some of them hold."""

from __future__ import annotations

import json

from tests.generate.places import Doc, Place, condition, has_room, parse, quantity, text
from tests.generate.queues import PODS, UNIT, QueueMaker

PRIORITIES = (-50, 0, 0, 0, 10, 10, 200, 5000)
# The step in which pods ask for a resource, in the amounts that Kueue counts.
STEP = {"cpu": 100, "memory": 1 << 26, "ephemeral-storage": 1 << 26}


class Maker(QueueMaker):
    """Makes one cluster."""

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
            "now": text(0),
            "given": {"fairSharing": self.fair, "featureGates": dict(self.size["gates"])},
            "objects": self.objects,
        }

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
        asked = [resource for resource in asked if resource != PODS]
        if self.chance("odd"):
            # Nothing covers it.
            asked.append("example.com/unknown")
        spec: Doc = {"podSets": self._pod_sets(asked, share)}
        if priority or self.chance(0.7):
            spec["priority"] = priority
        if "priority" in spec and self.chance(0.3):
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
                if self.chance("odd"):
                    requests[resource] = "0"
            pod_set: Doc = {"name": name, "count": count, "template": {"metadata": {}, "spec": self._pod(requests)}}
            if name == flexible and count > 1:
                pod_set["minCount"] = self.draw.randint(1, count)
            found.append(pod_set)
        return found

    def _pod(self, requests: dict[str, str]) -> Doc:
        container = {"name": "main", "image": "example.com/image", "resources": {"requests": requests}}
        spec: Doc = {"containers": [container], "restartPolicy": "Never"}
        if self.chance("roundabout"):
            self._ask_in_a_roundabout_way(spec, requests)
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

    def _ask_in_a_roundabout_way(self, spec: Doc, requests: dict[str, str]) -> None:
        container = spec["containers"][0]
        kind = self.draw.randrange(4)
        if kind == 0:
            container["resources"] = {"limits": requests}
        elif kind == 1:
            setup = {"name": "setup", "image": "example.com/image", "resources": {"requests": dict(requests)}}
            spec["initContainers"] = [setup]
            if self.chance(0.5):
                setup["restartPolicy"] = "Always"
        elif kind == 2:
            container["resources"] = {"requests": requests, "limits": dict(requests)}
        else:
            container["resources"] = {}

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
        elif queue.check is not None and self.chance("odd"):
            state = self.draw.choice(("Retry", "Rejected", "Ready"))
            row = {"name": queue.check, "state": state, "message": "", "lastTransitionTime": text(50)}
            workload["status"] = {"admissionChecks": [row]}
        elif self.chance("odd"):
            # Was evicted before, and waits: for its time, or for its controller.
            later = self.draw.choice((-600, 2, 600))
            workload["status"] = {"requeueState": {"count": 1, "requeueAt": text(-later)}}
            waits = condition("Requeued", "PodsReadyTimeout", 40, is_true=self.chance(0.7))
            workload["status"]["conditions"] = [condition("QuotaReserved", "Pending", 40, is_true=False), waits]

    def _hold(self, workload: Doc, queue: Place) -> None:
        """Give a workload quota where there is some left, or, seldom, anyway."""
        ignores = self.chance("overcommitted")
        wanted: dict[tuple[str, str], int] = {}
        assigned = []
        for pod_set in workload["spec"]["podSets"]:
            resources = pod_set["template"]["spec"]["containers"][0]["resources"]
            requests = {**(resources.get("requests") or resources.get("limits") or {}), PODS: "1"}
            count = self.draw.randint(pod_set.get("minCount", pod_set["count"]), pod_set["count"])
            entry: Doc = {"name": pod_set["name"], "count": count, "flavors": {}, "resourceUsage": {}}
            for group in queue.spec["resourceGroups"]:
                asked = {r: count * parse(r, requests[r]) for r in group["coveredResources"] if r in requests}
                names = [flavor["name"] for flavor in group["flavors"] if self._suits(pod_set, flavor["name"])]
                self.draw.shuffle(names)
                for name in names:
                    total = {(name, r): n + wanted.get((name, r), 0) for r, n in asked.items()}
                    if ignores or all(has_room(queue, key, amount) for key, amount in total.items()):
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
            reason = self.draw.choice(("PodsReadyTimeout", "AdmissionCheck", "NodeFailures"))
            conditions.append(condition("Evicted", reason, 30))
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


def _class_name(value: int) -> str:
    return f"level-{value}" if value >= 0 else f"below-{-value}"
