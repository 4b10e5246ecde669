"""Small scenes, one for each verdict and for the rules that are easy to get wrong.

`python -m tests.golden.small_scenes` writes scenes/NAME.yaml. Each function is a scene; its docstring is the header of
the file. Workloads have no owners, queues no statuses, times are a minute apart in the order of the calls.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path

from tests.golden.compose import Doc, Quota, Scene, pods

FOLDER = Path(__file__).parent / "scenes"
DAY = "2026-11-20T12:00:00Z"
SCENES: list[Callable[[Small], None]] = []


class Small(Scene):
    """A scene with one flavor `std`, and shorter calls."""

    def __init__(self, name: str, about: str) -> None:
        super().__init__(name, DAY, about)
        self.namespace("team")
        self.minute = 0

    def clock(self) -> str:
        """The next minute of the morning."""
        self.minute += 1
        return f"10:{self.minute:02}"

    def door(self, queue: str, cohort: str = "", *, quotas: dict[str, Quota] | None = None, **options: object) -> None:
        """A ClusterQueue and the LocalQueue of the same name that leads to it."""
        self.queue(queue, cohort, quotas=quotas or {"std": {"cpu": "10"}}, **options)  # type: ignore[arg-type]
        self.local("team", queue, queue)

    def run(self, name: str, queue: str, cpu: str, *, flavor: str = "std", rank: int = 0, **options: object) -> Doc:
        """A workload that holds quota."""
        at = self.clock()
        return self.workload(
            f"team/{name}",
            pods("main", 1, cpu=cpu),
            queue=queue,
            created=f"{at}:00",
            admitted=f"{at}:05",
            flavors={"": flavor},
            rank=("", rank),
            owner="",
            **options,  # type: ignore[arg-type]
        )

    def wait(self, name: str, queue: str, *pod_sets: Doc, cpu: str = "", rank: int = 0, **options: object) -> Doc:
        """A workload without quota."""
        return self.workload(
            f"team/{name}",
            *(pod_sets or (pods("main", 1, cpu=cpu),)),
            queue=queue,
            created=f"{self.clock()}:00",
            rank=("", rank),
            owner="",
            **options,  # type: ignore[arg-type]
        )


def scene(build: Callable[[Small], None]) -> Callable[[Small], None]:
    """Register a scene."""
    SCENES.append(build)
    return build


def _cpu(
    nominal: int, borrowing: int | None = None, lending: int | None = None, *, flavor: str = "std"
) -> dict[str, Quota]:
    limits = tuple(None if limit is None else str(limit) for limit in (borrowing, lending))
    return {flavor: {"cpu": (str(nominal), *limits)}}  # type: ignore[dict-item]


@scene
def held(s: Small) -> None:
    """Switched off, gated by a controller, held by its owner; and one that none of this concerns."""
    s.flavor("std")
    s.door("q")
    s.wait("off", "q", cpu="1", active=False)
    s.wait("gated", "q", cpu="1")["metadata"]["annotations"] = {
        "kueue.x-k8s.io/admission-gated-by": "example.com/budget"
    }
    on_hold = s.condition("QuotaReserved", "OnHold", "The workload is on hold", at="10:30:00", status="False")
    s.wait("scaled-down", "q", cpu="1", conditions=[on_hold])
    s.wait("free", "q", cpu="1")


@scene
def no_queue(s: Small) -> None:
    """No such LocalQueue, no such ClusterQueue, a stopped one of each kind, and one that names a missing flavor."""
    s.flavor("std")
    s.door("stopped", stopPolicy="Hold")
    s.queue("behind-a-stopped-door", quotas=_cpu(10))
    s.local("team", "stopped-door", "behind-a-stopped-door", stop="Hold")
    s.local("team", "to-nowhere", "gone")
    s.door("broken", quotas=_cpu(10, flavor="gone"))
    for name, queue in (("a", "absent"), ("b", "to-nowhere"), ("c", "stopped"), ("d", "stopped-door"), ("e", "broken")):
        s.wait(name, queue, cpu="1")


@scene
def stopped_still_lends(s: Small) -> None:
    """The quota of a stopped queue can be borrowed, and what it runs can't be preempted."""
    s.flavor("std")
    s.door("stopped", "pool", stopPolicy="Hold")
    s.door("other", "pool", within="LowerPriority", reclaim="Any")
    s.run("keeps-running", "stopped", "12")
    s.wait("borrower", "other", cpu="8")
    s.wait("larger", "other", cpu="9", rank=5)


@scene
def checks(s: Small) -> None:
    """Quota reserved and the check open; the check passed; and one that comes new."""
    s.flavor("std")
    s.check("nodes")
    s.door("q", checks=("nodes",))
    row = {"lastTransitionTime": s.time("10:20:00"), "message": "", "name": "nodes"}
    s.run("open", "q", "2", reserved=True, checks=[{**row, "state": "Pending"}])
    s.run("passed", "q", "2", checks=[{**row, "state": "Ready"}])
    s.wait("new", "q", cpu="3")


@scene
def namespace_denied(s: Small) -> None:
    """A ClusterQueue that selects other namespaces, one that selects none, and a StrictFIFO queue that goes on."""
    s.flavor("std")
    s.namespace("guests", tier="guest")
    s.door("staff-only", namespaceSelector={"matchLabels": {"tier": "staff"}})
    s.door("nobody", namespaceSelector=None)
    s.door(
        "guests", strategy="StrictFIFO", namespaceSelector={"matchExpressions": [{"key": "tier", "operator": "Exists"}]}
    )
    s.local("guests", "guests", "guests")
    s.wait("wrong-label", "staff-only", cpu="1")
    s.wait("none-selected", "nobody", cpu="1")
    s.wait("head", "guests", cpu="1")
    s.workload("guests/welcome", pods("main", 1, cpu="1"), queue="guests", created="10:40:00", owner="")


@scene
def backoff(s: Small) -> None:
    """Evicted, and not to queue before a time; another whose time has come; a third behind them."""
    s.flavor("std")
    s.door("q")
    for name, until in (("later", "12:03:20"), ("again", "11:58:00")):
        text = f"Exceeded the PodsReady timeout team/{name}"
        done = name == "again"
        s.wait(
            name,
            "q",
            cpu="4",
            conditions=[
                s.condition("QuotaReserved", "Pending", text, at="11:56:00", status="False"),
                s.condition("Evicted", "PodsReadyTimeout", text, at="11:55:50"),
                s.condition(
                    "Requeued",
                    "BackoffFinished" if done else "PodsReadyTimeout",
                    "The workload backoff was finished" if done else text,
                    at="11:58:00" if done else "11:56:00",
                    status="True" if done else "False",
                ),
            ],
            status={"requeueState": {"count": 1} if done else {"count": 3, "requeueAt": s.time(until)}},
        )
    s.wait("third", "q", cpu="6")


@scene
def behind_head(s: Small) -> None:
    """A head that lacks one CPU blocks a StrictFIFO queue, and a BestEffortFIFO queue passes over the same head."""
    s.flavor("std")
    for queue, strategy in (("strict", "StrictFIFO"), ("loose", "BestEffortFIFO")):
        s.door(queue, strategy=strategy)
        s.run(f"{queue}-runs", queue, "5")
        s.wait(f"{queue}-head", queue, cpu="6")
        s.wait(f"{queue}-second", queue, cpu="2")
    s.wait("strict-vip", "strict", cpu="7", rank=10)


@scene
def invalid(s: Small) -> None:
    """Requests above a LimitRange, and above their own limits."""
    s.flavor("std")
    s.add(
        "v1",
        "LimitRange",
        "caps",
        namespace="team",
        spec={"limits": [{"type": "Container", "max": {"cpu": "3"}, "defaultRequest": {"cpu": "2"}}]},
    )
    s.door("q")
    s.wait("above-the-range", "q", cpu="4")
    odd = pods("main", 1, cpu="2")
    odd["spec"]["containers"][0]["resources"]["limits"] = {"cpu": "1"}
    s.wait("above-its-limit", "q", odd)
    s.wait("defaulted", "q", pods("main", 2))


@scene
def uncovered(s: Small) -> None:
    """A resource that no group covers; a request of zero for it does not count."""
    s.flavor("std")
    s.door("q")
    s.wait("asks-for-gpu", "q", pods("main", 1, cpu="1", gpu="1"))
    s.wait("asks-for-none", "q", pods("main", 1, cpu="1", gpu="0"))


@scene
def no_flavor(s: Small) -> None:
    """Taints and selectors rule every flavor out; capacity rules out what they leave."""
    taint = {"effect": "NoSchedule", "key": "example.com/reserved", "value": "yes"}
    s.flavor("tainted", nodeLabels={"example.com/pool": "x"}, nodeTaints=[taint])
    s.flavor("plain", nodeLabels={"example.com/pool": "y"})
    s.door("q", quotas={**_cpu(10, flavor="tainted"), **_cpu(4, flavor="plain")})
    s.wait("nowhere", "q", pods("main", 1, cpu="1", selector={"example.com/pool": "z"}))
    s.wait("only-tainted", "q", pods("main", 1, cpu="1", selector={"example.com/pool": "x"}))
    s.wait("too-large-for-plain", "q", cpu="6")
    tolerates = {"key": "example.com/reserved", "operator": "Exists"}
    s.wait("tolerates", "q", pods("main", 1, cpu="6", tolerations=[tolerates]))


@scene
def never_fits(s: Small) -> None:
    """More than nominal plus what may be borrowed; more than the whole cohort has; just within reach."""
    s.flavor("std")
    s.door("capped", "pool", quotas=_cpu(10, 3))
    s.door("open", "pool", quotas=_cpu(6))
    s.wait("above-the-limit", "capped", cpu="14")
    s.wait("above-the-cohort", "open", cpu="17")
    s.wait("within-reach", "capped", cpu="13")


@scene
def borrow_limit(s: Small) -> None:
    """A borrowing limit of the queue, one of a cohort above, and a limit of zero."""
    s.flavor("std")
    s.cohort("top", quotas=_cpu(30))
    s.cohort("part", "top", quotas=_cpu(0, 4))
    s.door("own-limit", "top", quotas=_cpu(8, 5))
    s.door("limit-above", "part", quotas=_cpu(8))
    s.door("zero", "top", quotas=_cpu(8, 0))
    for queue in ("own-limit", "limit-above", "zero"):
        s.run(f"{queue}-runs", queue, "6")
    s.wait("b1", "own-limit", cpu="8")
    s.wait("b2", "limit-above", cpu="7")
    s.wait("b3", "zero", cpu="3")


@scene
def lend_limit(s: Small) -> None:
    """A lending limit of another queue, one of its cohort, and none that matters."""
    s.flavor("std")
    s.cohort("top")
    s.cohort("part", "top", quotas=_cpu(0, None, 6))
    s.door("keeper", "part", quotas=_cpu(20, None, 9))
    s.door("sibling", "part", quotas=_cpu(4))
    s.door("outsider", "top", quotas=_cpu(5))
    s.run("sibling-runs", "sibling", "2")
    s.wait("l1", "sibling", cpu="12")
    s.wait("l2", "outsider", cpu="11")
    s.wait("l3", "sibling", cpu="3", rank=9)


@scene
def quota(s: Small) -> None:
    """Not enough is free, and no policy allows to preempt: alone, and in a cohort."""
    s.flavor("std")
    s.door("alone")
    s.door("one", "pool")
    s.door("two", "pool")
    s.run("alone-runs", "alone", "7")
    s.run("one-runs", "one", "14")
    s.wait("q1", "alone", cpu="4")
    s.wait("q2", "two", cpu="9")


@scene
def no_victims(s: Small) -> None:
    """Preemption is on and nobody may be taken: equal priority, queues that do not borrow, policies of others."""
    s.flavor("std")
    s.door("equals", within="LowerPriority")
    s.run("equal", "equals", "8", rank=3)
    s.wait("n1", "equals", cpu="5", rank=3)
    s.door("wants-back", "pool", reclaim="LowerPriority")
    s.door("borrows", "pool")
    s.door("modest", "pool")
    s.run("important", "borrows", "16", rank=7)
    s.run("own", "modest", "9")
    s.wait("n2", "wants-back", cpu="7", rank=7)


@scene
def within_queue(s: Small) -> None:
    """Preemption inside one queue: the lowest priority first, the newest of those, and no more than needed."""
    s.flavor("std")
    s.door("q", within="LowerPriority")
    s.run("low-old", "q", "3", rank=1)
    s.run("low-new", "q", "3", rank=1)
    s.run("middle", "q", "4", rank=5)
    s.wait("vip", "q", cpu="3", rank=9)


@scene
def newer_equal(s: Small) -> None:
    """LowerOrNewerEqualPriority: a newer one of the same priority may go, an older one may not."""
    s.flavor("std")
    s.door("q", within="LowerOrNewerEqualPriority")
    s.run("older", "q", "5", rank=2)
    s.wait("waits", "q", cpu="5", rank=2)
    s.run("newer", "q", "5", rank=2)


@scene
def reclaim(s: Small) -> None:
    """A queue takes back what another borrowed; a victim that turns out to be unnecessary is put back."""
    s.flavor("std")
    s.door("owner", "pool", quotas=_cpu(12), reclaim="Any")
    s.door("guest", "pool", quotas=_cpu(4))
    s.run("small", "guest", "2", rank=1)
    s.run("medium", "guest", "4", rank=2)
    s.run("large", "guest", "8", rank=3)
    s.wait("claim", "owner", cpu="9")


@scene
def borrow_and_preempt(s: Small) -> None:
    """borrowWithinCohort: one that borrows may take lower priorities up to the threshold from others."""
    s.flavor("std")
    policy = {
        "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 4},
        "reclaimWithinCohort": "LowerPriority",
        "withinClusterQueue": "LowerPriority",
    }
    s.door("pushes", "pool", quotas=_cpu(6), preemption=policy)
    s.door("gives", "pool", quotas=_cpu(6))
    s.run("below", "gives", "6", rank=2)
    s.run("above", "gives", "4", rank=5)
    s.wait("push", "pushes", cpu="8", rank=8)


@scene
def contended(s: Small) -> None:
    """Two queues want the last of the cohort: the higher priority is served; with StrictFIFO a head without victims
    withholds what another could borrow."""
    s.flavor("std")
    s.door("one", "pool", quotas=_cpu(4))
    s.door("two", "pool", quotas=_cpu(4))
    s.wait("first", "one", cpu="6", rank=2)
    s.wait("second", "two", cpu="6", rank=1)
    s.door(
        "guards", "other-pool", quotas=_cpu(8), strategy="StrictFIFO", within="LowerPriority", reclaim="LowerPriority"
    )
    s.door("hopes", "other-pool", quotas=_cpu(0))
    s.run("guarded", "guards", "5")
    s.wait("blocked", "guards", cpu="6")
    s.wait("hopeful", "hopes", cpu="2")


@scene
def same_victims(s: Small) -> None:
    """Two queues want the same victim in one cycle: one preempts, the other comes again."""
    s.flavor("std")
    for name in ("left", "right"):
        s.door(name, "pool", quotas=_cpu(4), reclaim="Any")
    s.door("guest", "pool", quotas=_cpu(0))
    s.run("victim", "guest", "8")
    s.wait("w-left", "left", cpu="4", rank=2)
    s.wait("w-right", "right", cpu="4", rank=1)


@scene
def fungible(s: Small) -> None:
    """The first flavor that fits counts; borrowing in the first one is preferred unless told otherwise."""
    s.flavor("first")
    s.flavor("second")
    both = {**_cpu(4, flavor="first"), **_cpu(10, flavor="second")}
    s.door("stops", "pool", quotas=both)
    fungibility = {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"}
    s.door("goes-on", "pool", quotas=both, flavorFungibility=fungibility)
    s.wait("borrows", "stops", cpu="6")
    s.wait("moves-on", "goes-on", cpu="7")


@scene
def greedy(s: Small) -> None:
    """Flavors are chosen pod set by pod set: the first one takes what the second would have needed."""
    s.flavor("small")
    s.flavor("big")
    s.door("q", quotas={**_cpu(6, flavor="big"), **_cpu(4, flavor="small")})
    s.wait("gang", "q", pods("driver", 1, cpu="3"), pods("workers", 2, cpu="2"))
    s.wait("too-wide", "q", pods("driver", 1, cpu="3"), pods("workers", 5, cpu="1"))


@scene
def settled(s: Small) -> None:
    """Finished, running, being evicted; and what the freed quota admits."""
    s.flavor("std")
    s.door("q")
    s.run("done", "q", "6", finished="11:00:00")
    s.run("runs", "q", "2")
    text = "Exceeded the PodsReady timeout team/"
    for name, is_reserved in (("stopping", False), ("leaving", True)):
        doc = s.run(name, "q", "4", reserved=is_reserved)
        evicted = s.condition("Evicted", "PodsReadyTimeout", text + name, at="11:59:50")
        doc["status"]["conditions"].append(evicted)
    s.wait("next", "q", cpu="4")


@scene
def stale(s: Small) -> None:
    """Kueue wrote hours ago that it does not fit; it would now."""
    s.flavor("std")
    s.door("q")
    why = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor std, 2 more needed"
    s.wait("left-behind", "q", cpu="4", refused=("10:01:00", why))


@scene
def alike(s: Small) -> None:
    """Of equal workloads one is evaluated for all (BestEffortFIFO); one that differs is looked at on its own."""
    s.flavor("std")
    s.door("q")
    s.run("runs", "q", "9")
    for index in range(3):
        s.wait(f"same-{index}", "q", cpu="2")
    s.wait("smaller", "q", cpu="1")


@scene
def reclaimable(s: Small) -> None:
    """Pods that ended give their quota back while the rest still runs."""
    s.flavor("std")
    s.door("q")
    at = s.clock()
    s.workload(
        "team/shrinking",
        pods("main", 4, cpu="2"),
        queue="q",
        created=f"{at}:00",
        admitted=f"{at}:05",
        flavors={"": "std"},
        owner="",
        status={"reclaimablePods": [{"name": "main", "count": 3}]},
    )
    s.wait("fills", "q", cpu="8")
    s.wait("waits", "q", cpu="3")


@scene
def fewer_pods(s: Small) -> None:
    """Partial admission: as many pods as fit, and not below the minimum."""
    s.flavor("std")
    s.door("q")
    s.run("runs", "q", "4")
    s.wait("flexible", "q", pods("main", 9, min_count=2, cpu="1"))
    s.wait("stubborn", "q", pods("main", 9, min_count=8, cpu="1"))


@scene
def order(s: Small) -> None:
    """Priority before age, the time of an eviction by a check in place of the age."""
    s.flavor("std")
    s.door("q", quotas=_cpu(3))
    text = 'Evicted due to AdmissionCheck in Retry state: "nodes" (later)'
    s.wait(
        "moved-back",
        "q",
        cpu="2",
        conditions=[
            s.condition("QuotaReserved", "Pending", text, at="11:30:00", status="False"),
            s.condition("Evicted", "AdmissionCheck", text, at="11:30:00"),
            s.condition("Requeued", "BackoffFinished", "The workload backoff was finished", at="11:40:00"),
        ],
    )
    s.wait("second", "q", cpu="3")
    s.wait("first", "q", cpu="3", rank=1)


@scene
def fair(s: Small) -> None:
    """Fair sharing: the smaller share takes from the larger one, by weight, and leaves it no smaller than itself."""
    s.flavor("std")
    s.cohort("pool", quotas=_cpu(20))
    s.door("heavy", "pool", quotas=_cpu(0), reclaim="Any", weight="3")
    s.door("light", "pool", quotas=_cpu(0), reclaim="Any", weight="1")
    for index in range(4):
        s.run(f"light-{index}", "light", "4")
    s.run("heavy-0", "heavy", "4")
    s.wait("more-heavy", "heavy", cpu="8")
    s.wait("more-light", "light", cpu="2")


@scene
def fair_equal(s: Small) -> None:
    """Fair sharing: of two equal shares nobody takes anything."""
    s.flavor("std")
    s.cohort("pool", quotas=_cpu(12))
    for name in ("one", "two"):
        s.door(name, "pool", quotas=_cpu(0), reclaim="Any")
        s.run(f"{name}-runs", name, "6")
        s.wait(f"{name}-waits", name, cpu="3")


@scene
def over_quota(s: Small) -> None:
    """Quota was lowered below what runs: more than the missing amount has to go."""
    s.flavor("std")
    s.door("q", quotas=_cpu(4))
    s.run("runs", "q", "7")
    s.wait("waits", "q", cpu="2")


def _shorten(doc: Doc) -> None:
    """Leave out what no decision depends on."""
    for part in ("finalizers", "generation", "resourceVersion"):
        doc["metadata"].pop(part, None)
    if doc["kind"] in ("Namespace", "ClusterQueue", "LocalQueue"):
        doc.pop("status")
    if doc["kind"] == "Namespace":
        doc.pop("spec")
    if doc["kind"] == "ClusterQueue" and doc["spec"]["namespaceSelector"] is None:
        del doc["spec"]["namespaceSelector"]
    if doc["kind"] == "Workload":
        doc.get("status", {}).pop("resourceRequests", None)
        for row in doc["spec"]["podSets"]:
            spec = row["template"]["spec"]
            row["template"] = {"spec": {key: spec[key] for key in spec if key in _DECISIVE}}
            for container in spec["containers"]:
                for part in ("image", "imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy"):
                    container.pop(part, None)


_DECISIVE = ("containers", "nodeSelector", "tolerations")
CONFIGS = {
    "fair": "fairSharing: {}\n",
    "fair-equal": "fairSharing: {}\n",
}
_HEAD = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"


def texts() -> dict[str, str]:
    """All scenes by the names of their files."""
    out = {}
    for build in SCENES:
        name = build.__name__.replace("_", "-")
        small = Small(name, inspect.getdoc(build) or "")
        build(small)
        for doc in small.objects:
            _shorten(doc)
        out[f"{name}.yaml"] = small.text(counts=False)
        if name in CONFIGS:
            out[f"{name}.config.yaml"] = _HEAD + CONFIGS[name]
    return out


if __name__ == "__main__":
    for file, text in texts().items():
        (Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER).joinpath(file).write_text(text, "utf-8")
