"""The shipped examples, as they are composed: `python -m tests.golden.recipes` writes kueuectl/store/examples/.

The messages of refused workloads are those that Kueue writes for them; a test compares them with what the engine says.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import kueuectl
from tests.golden.compose import Doc, Scene, pods
from tests.golden.four_tenants import four_tenants

FOLDER = Path(kueuectl.__file__).parent / "store" / "examples"
DAY = "2026-11-16T14:00:00Z"
HIGH, NORMAL, LOW = ("high", 1000), ("normal", 100), ("low", 10)


def _cpus(count: int, each: int = 1) -> Doc:
    """One pod set of pods with some CPUs each, and 4Gi for each CPU."""
    return pods("main", count, cpu=str(each), memory=f"{4 * each}Gi", image="batch:1.0")


def _quota(cpus: int, borrowing: int | None = None, lending: int | None = None) -> Doc:
    """Quota of CPUs with limits, and 4Gi of memory for each without."""
    limits = tuple(None if limit is None else str(limit) for limit in (borrowing, lending))
    return {"nodes": {"cpu": (str(cpus), *limits), "memory": f"{8 * cpus}Gi"}}


def _scene(name: str, about: str, *, namespaces: tuple[str, ...], cpus: int) -> Scene:
    """A scene with one flavor, three priorities and nodes of 32 CPUs."""
    scene = Scene(name, DAY, about)
    for namespace in namespaces:
        scene.namespace(namespace)
    scene.flavor("nodes", nodeLabels={"example.com/pool": "batch"})
    for index in range(-(-cpus // 32)):
        scene.node(f"node-{index}", labels={"example.com/pool": "batch"}, cpu="32", memory="256Gi")
    for rank in (HIGH, NORMAL, LOW):
        scene.priority_class(*rank)
    return scene


def _running(scene: Scene, key: str, *pod_sets: Doc, at: str, **more: object) -> None:
    """A job that was admitted one second after it was created."""
    admitted = f"{at}:01"
    options: Doc = {"queue": "jobs", "rank": NORMAL, "flavors": {"": "nodes"}, **more}
    scene.workload(key, *pod_sets, created=f"{at}:00", admitted=admitted, **options)


def _waiting(scene: Scene, key: str, *pod_sets: Doc, at: str, why: str = "", **more: object) -> None:
    """A job that waits; `why` is what Kueue wrote when it looked at it, "" when it never did."""
    options: Doc = {"queue": "jobs", "rank": NORMAL, **more}
    refused = (f"{at}:01", why) if why else None
    scene.workload(key, *pod_sets, created=f"{at}:00", refused=refused, **options)


def _short(resource: str, missing: int, *, pod_set: str = "main", flavor: str = "nodes") -> str:
    """Kueue's message for one resource that is short."""
    return (
        f"couldn't assign flavors to pod set {pod_set}: insufficient unused quota for {resource} in flavor {flavor}, "
        f"{missing} more needed"
    )


def strict_head() -> Scene:
    """A StrictFIFO head that blocks jobs that would fit."""
    scene = _scene(
        "strict-head",
        """
ClusterQueue nightly is StrictFIFO. Its head, reindex, needs 4 CPUs more than are free. Behind it two jobs wait that
would fit right now; nothing looks at them, so Kueue wrote no reason on them either.

  kueuectl explain workload/thumbnails -n media --from example:strict-head
      what keeps it: the head, not quota; and what would get it past the head
  kueuectl queue nightly --from example:strict-head
      the order, and who would fit
  kueuectl explain clusterqueue/nightly --from example:strict-head
""",
        namespaces=("media", "search"),
        cpus=40,
    )
    scene.queue("nightly", quotas=_quota(32), strategy="StrictFIFO")
    scene.queue("ad-hoc", quotas=_quota(8))
    scene.local("media", "jobs", "nightly")
    scene.local("media", "ad-hoc", "ad-hoc")
    scene.local("search", "jobs", "nightly")
    _running(scene, "search/backup", _cpus(5, 4), at="11:30")
    _waiting(scene, "search/reindex", _cpus(4, 4), at="12:10", why=_short("cpu", 4))
    _waiting(scene, "media/thumbnails", _cpus(4), at="12:40")
    _waiting(scene, "media/transcode", _cpus(4, 2), at="13:05")
    _waiting(scene, "search/spellcheck", _cpus(5, 4), at="13:20")
    return scene


def lending_three_deep() -> Scene:
    """Lending limits at each of three levels."""
    scene = _scene(
        "lending-three-deep",
        """
Quota lies idle, and yet three jobs wait: at each of three levels of the cohort tree a lending limit keeps some back.

  cohort campus
    cohort science                  lends at most 10 CPUs to the rest of the campus
      cohort physics                lends at most 16 CPUs to the rest of science
        ClusterQueue physics-theory   20 CPUs, all in use
        ClusterQueue physics-lab      40 CPUs, idle, lends at most 24
      ClusterQueue biology          20 CPUs, all in use
    ClusterQueue humanities         8 CPUs, all in use

  kueuectl explain workload/spectra -n physics-theory --from example:lending-three-deep
      stopped by the limit of a ClusterQueue
  kueuectl explain workload/protein-fold -n biology --from example:lending-three-deep
      stopped by the limit of cohort physics
  kueuectl explain workload/census -n humanities --from example:lending-three-deep
      stopped by the limit of cohort science
  kueuectl tree --from example:lending-three-deep --limits
""",
        namespaces=("physics-theory", "physics-lab", "biology", "humanities"),
        cpus=88,
    )
    scene.cohort("campus")
    scene.cohort("science", "campus", quotas=_quota(0, None, 10))
    scene.cohort("physics", "science", quotas=_quota(0, None, 16))
    scene.queue("physics-theory", "physics", quotas=_quota(20))
    scene.queue("physics-lab", "physics", quotas=_quota(40, None, 24))
    scene.queue("biology", "science", quotas=_quota(20))
    scene.queue("humanities", "campus", quotas=_quota(8))
    for name in ("physics-theory", "physics-lab", "biology", "humanities"):
        scene.local(name, "jobs", name)
    _running(scene, "physics-theory/lattice", _cpus(10, 2), at="09:00")
    _running(scene, "biology/genome-map", _cpus(5, 4), at="09:30")
    _running(scene, "humanities/translate", _cpus(8), at="09:40")
    _waiting(scene, "physics-theory/spectra", _cpus(15, 2), at="10:00", why=_short("cpu", 6))
    _waiting(scene, "biology/protein-fold", _cpus(5, 4), at="10:30", why=_short("cpu", 4))
    _waiting(scene, "humanities/census", _cpus(12), at="11:00", why=_short("cpu", 2))
    return scene


def fair_weights() -> Scene:
    """Fair sharing with weights."""
    scene = _scene(
        "fair-weights",
        """
Fair sharing is on (see fair-weights.config.yaml). Each team owns 16 CPUs, and 48 more belong to cohort research for all
of them. Vision has weight 2, the others 1: when all want more, vision shall borrow twice as much.

Speech came first and borrowed most. What each team may take from it now depends on the shares:

  kueuectl shares --from example:fair-weights
      the shares and how they are worked out
  kueuectl explain workload/segment-all -n vision --from example:fair-weights
      vision has the lower share: it preempts
  kueuectl explain workload/align-more -n speech --from example:fair-weights
      speech has the highest share: nobody gives way to it
""",
        namespaces=("vision", "speech", "robotics"),
        cpus=96,
    )
    scene.cohort("research", quotas=_quota(48), share=0)
    for team, weight, share in (("vision", "2", 42), ("speech", "1", 375), ("robotics", "1", 42)):
        policies = {"within": "LowerPriority", "reclaim": "Any"}
        scene.queue(team, "research", quotas=_quota(16), weight=weight, share=share, **policies)
        scene.local(team, "jobs", team)
    _running(scene, "speech/align-base", _cpus(4, 4), at="08:00")
    _running(scene, "speech/align-de", _cpus(4, 4), at="08:10")
    _running(scene, "speech/align-fr", _cpus(4, 3), at="08:20")
    _running(scene, "speech/align-pl", _cpus(2, 4), at="08:30")
    _running(scene, "vision/segment-base", _cpus(6, 4), at="09:00")
    _running(scene, "robotics/grasp-base", _cpus(5, 4), at="09:10")
    _waiting(scene, "speech/align-more", _cpus(2, 4), at="10:00", why=_short("cpu", 8))
    _waiting(scene, "vision/segment-all", _cpus(4, 4), at="13:59")
    return scene


def preemption() -> Scene:
    """A team reclaims its quota."""
    scene = _scene(
        "preemption",
        """
Team A left most of its 24 CPUs idle, and team B borrowed them. Now team A wants 14 back; its policy is
reclaimWithinCohort: Any. Team C uses just what it owns.

  kueuectl explain workload/forecast -n team-a --from example:preemption
      who is preempted for it, and why the others are not
""",
        namespaces=("team-a", "team-b", "team-c"),
        cpus=64,
    )
    scene.queue("team-a", "plant", quotas=_quota(24), within="LowerPriority", reclaim="Any")
    scene.queue("team-b", "plant", quotas=_quota(24), within="LowerPriority")
    scene.queue("team-c", "plant", quotas=_quota(16))
    for team in ("team-a", "team-b", "team-c"):
        scene.local(team, "jobs", team)
    _running(scene, "team-a/dashboard", _cpus(2, 2), at="07:00")
    _running(scene, "team-b/simulate", _cpus(5, 4), at="08:00", rank=HIGH)
    _running(scene, "team-b/crawl", _cpus(4, 2), at="08:30", rank=LOW)
    _running(scene, "team-b/index", _cpus(3, 4), at="09:00")
    _running(scene, "team-b/tiles", _cpus(2, 2), at="09:20", rank=LOW)
    _running(scene, "team-c/archive", _cpus(4, 4), at="06:00", rank=LOW)
    _waiting(scene, "team-a/forecast", _cpus(7, 2), at="13:59")
    return scene


def preempted() -> Scene:
    """A job that was preempted."""
    scene = _scene(
        "preempted",
        """
Job crawl of team B ran on quota that it had borrowed. Half an hour ago it was preempted, and waits again.

  kueuectl explain workload/crawl -n team-b --from example:preempted
      by whom, under which rule, with which priorities; and what would bring it back
  kueuectl explain workload/forecast -n team-a --from example:preempted
      the job that took its place
""",
        namespaces=("team-a", "team-b"),
        cpus=48,
    )
    scene.queue("team-a", "plant", quotas=_quota(24), within="LowerPriority", reclaim="LowerPriority")
    scene.queue("team-b", "plant", quotas=_quota(24), within="LowerPriority")
    for team in ("team-a", "team-b"):
        scene.local(team, "jobs", team)
    _running(scene, "team-a/dashboard", _cpus(5, 2), at="07:00")
    _running(scene, "team-b/simulate", _cpus(6, 4), at="08:00")
    scene.workload(
        "team-a/forecast",
        _cpus(7, 2),
        queue="jobs",
        created="13:28:40",
        admitted="13:28:44",
        flavors={"": "nodes"},
        rank=HIGH,
    )
    preemptor = (
        f"(UID: {scene.uid('Workload', 'forecast', 'team-a')}, JobUID: {scene.uid('Job', 'forecast', 'team-a')})"
    )
    text = (
        f"Preempted to accommodate a workload {preemptor} due to reclamation within the cohort; "
        "preemptor path: /plant/team-a; preemptee path: /plant/team-b"
    )
    scene.workload(
        "team-b/crawl",
        _cpus(5, 2),
        queue="jobs",
        created="08:30:00",
        rank=LOW,
        refused=("13:28:45", _short("cpu", 10)),
        conditions=[
            scene.condition("Evicted", "Preempted", text, at="13:28:41"),
            scene.condition(
                "Admitted", "NoReservation", "The workload has no reservation", at="13:28:43", status="False"
            ),
            scene.condition("Preempted", "InCohortReclamation", text, at="13:28:41"),
            scene.condition("Requeued", "Preempted", text, at="13:28:43"),
            scene.condition(
                "PodsReady", "WaitForStart", "Not all pods are ready or succeeded", at="13:28:42", status="False"
            ),
        ],
        status={
            "accumulatedPastExecutionTimeSeconds": 17_920,
            "schedulingStats": {"evictions": [{"count": 1, "reason": "Preempted", "underlyingCause": ""}]},
        },
    )
    return scene


def partial_admission() -> Scene:
    """A job that can run with fewer pods."""
    scene = _scene(
        "partial-admission",
        """
Job render asks for 10 pods and is content with 4 (annotation kueue.x-k8s.io/job-min-parallelism): it gets as many as
fit. Job encode runs that way already. Job stitch can't do with less than all of its pods.

  kueuectl explain workload/render -n media --from example:partial-admission
      with how many pods it will start
  kueuectl explain workload/encode -n media --from example:partial-admission
  kueuectl explain workload/stitch -n media --from example:partial-admission
      what is short, and the largest number of pods that would fit
""",
        namespaces=("media",),
        cpus=32,
    )
    scene.queue("studio", quotas=_quota(32))
    scene.local("media", "jobs", "studio")
    minimum = {"kueue.x-k8s.io/job-min-parallelism": "4"}
    frames = pods("main", 12, min_count=4, cpu="2", memory="8Gi", image="encoder:6.1")
    _running(scene, "media/upload", _cpus(2, 2), at="08:00")
    _running(scene, "media/encode", frames, at="09:00", counts={"main": 6}, owner_annotations=minimum)
    frames = pods("main", 10, min_count=4, cpu="2", memory="8Gi", image="renderer:3.3")
    _waiting(scene, "media/render", frames, at="13:59", owner_annotations=minimum)
    _waiting(scene, "media/stitch", _cpus(10, 2), at="10:00", why=_short("cpu", 4), rank=LOW)
    return scene


def checks_and_backoff() -> Scene:
    """Admission checks: open, asking for a retry, rejected, passed."""
    scene = _scene(
        "checks-and-backoff",
        """
ClusterQueue cloud has an admission check, capacity: quota alone is not enough, somebody has to provide nodes too.

  kueuectl explain workload/train-b -n ml-research --from example:checks-and-backoff
      it holds quota and waits for the check
  kueuectl explain workload/train-c -n ml-research --from example:checks-and-backoff
      the check asked for another try later: until when it may not queue
  kueuectl explain workload/train-d -n ml-research --from example:checks-and-backoff
      the check rejected it: switched off until somebody switches it on again
  kueuectl list workload --from example:checks-and-backoff
""",
        namespaces=("ml-research",),
        cpus=64,
    )
    scene.check("capacity")
    scene.queue("cloud", quotas=_quota(64), checks=("capacity",))
    scene.local("ml-research", "jobs", "cloud")
    _running(scene, "ml-research/train-a", _cpus(4, 4), at="12:00", checks=[_check("Ready", "12:03:10", scene)])
    _running(
        scene,
        "ml-research/train-b",
        _cpus(4, 4),
        at="13:50",
        reserved=True,
        checks=[_check("Pending", "13:50:03", scene, message="Waiting for 4 nodes, none of them is there yet")],
    )
    text = 'Evicted due to AdmissionCheck in Retry state: "capacity" (no machines left in the zone)'
    _evicted(
        scene,
        "train-c",
        text,
        reason="AdmissionCheck",
        at="13:51",
        status={
            "admissionChecks": [
                _check(
                    "Pending",
                    "13:51:10",
                    scene,
                    message="Reset to Pending after eviction. Previously: Retry",
                    requeueAfterSeconds=1200,
                    retryCount=2,
                )
            ],
            "requeueState": {"count": 2, "requeueAt": scene.time("14:11:10")},
            "schedulingStats": {"evictions": [{"count": 2, "reason": "AdmissionCheck", "underlyingCause": ""}]},
        },
    )
    text = (
        'The workload is deactivated due to AdmissionCheck in Rejected state: "capacity" (machine type is not offered)'
    )
    _evicted(
        scene,
        "train-d",
        text,
        reason="DeactivatedDueToAdmissionCheck",
        at="13:20",
        active=False,
        status={
            "admissionChecks": [
                _check("Pending", "13:20:10", scene, message="Reset to Pending after eviction. Previously: Rejected")
            ],
            "schedulingStats": {
                "evictions": [{"count": 1, "reason": "Deactivated", "underlyingCause": "AdmissionCheck"}]
            },
        },
    )
    return scene


def _check(state: str, at: str, scene: Scene, *, message: str = "", **more: int) -> Doc:
    return {"lastTransitionTime": scene.time(at), "message": message, "name": "capacity", "state": state, **more}


def _evicted(scene: Scene, name: str, text: str, *, reason: str, at: str, status: Doc, active: bool = True) -> None:
    """A job that lost its reservation before it ran."""
    scene.workload(
        f"ml-research/{name}",
        _cpus(4, 4),
        queue="jobs",
        created="12:30:00" if active else "12:20:00",
        rank=NORMAL,
        refused=(f"{at}:12", text),
        conditions=[
            scene.condition("Evicted", reason, text, at=f"{at}:10"),
            scene.condition("Requeued", reason, text, at=f"{at}:12", status="False"),
        ],
        status=status,
        active=active,
    )


def uncovered_resource() -> Scene:
    """A resource that no group covers."""
    scene = _scene(
        "uncovered-resource",
        """
ClusterQueue batch has quota for CPUs and memory. Job sort also asks for ephemeral-storage, which no resource group
covers: it can never be admitted there, however much is idle. Its twin without that request would be.

  kueuectl explain workload/sort -n ml-research --from example:uncovered-resource
      the three ways out, each one tried
  kueuectl explain workload/sort-small -n ml-research --from example:uncovered-resource
""",
        namespaces=("ml-research",),
        cpus=32,
    )
    scene.queue("batch", quotas=_quota(32))
    scene.local("ml-research", "jobs", "batch")
    _running(scene, "ml-research/index", _cpus(2, 4), at="09:00")
    why = "couldn't assign flavors to pod set main: resource ephemeral-storage unavailable in ClusterQueue"
    scratch = pods("main", 4, cpu="2", memory="8Gi", storage="200Gi", image="sorter:1.4")
    _waiting(scene, "ml-research/sort", scratch, at="09:40", why=why)
    _waiting(scene, "ml-research/sort-small", pods("main", 4, cpu="2", memory="8Gi", image="sorter:1.4"), at="13:59")
    return scene


def borrowing_limit() -> Scene:
    """Borrowing limits of a queue and of a cohort."""
    scene = _scene(
        "borrowing-limit",
        """
Cohort company has 40 idle CPUs, and two jobs wait: one team may borrow only 6 of them, and all teams of cohort labs
together only 10.

  kueuectl explain workload/sweep -n team-a --from example:borrowing-limit
      stopped by the borrowing limit of its own queue
  kueuectl explain workload/scan -n team-b --from example:borrowing-limit
      stopped by the borrowing limit of a cohort above
  kueuectl tree --from example:borrowing-limit --limits
""",
        namespaces=("team-a", "team-b", "reserve"),
        cpus=80,
    )
    scene.cohort("company")
    scene.cohort("labs", "company", quotas=_quota(0, 10))
    scene.queue("team-a", "company", quotas=_quota(16, 6))
    scene.queue("team-b", "labs", quotas=_quota(24))
    scene.queue("reserve", "company", quotas=_quota(40))
    for team in ("team-a", "team-b", "reserve"):
        scene.local(team, "jobs", team)
    _running(scene, "team-a/train", _cpus(4, 4), at="09:00")
    _running(scene, "team-b/assemble", _cpus(6, 4), at="09:10")
    _waiting(scene, "team-a/sweep", _cpus(4, 2), at="10:00", why=_short("cpu", 2))
    _waiting(scene, "team-b/scan", _cpus(4, 3), at="10:30", why=_short("cpu", 2))
    return scene


RECIPES: tuple[Callable[[], Scene], ...] = (
    four_tenants,
    strict_head,
    lending_three_deep,
    fair_weights,
    preemption,
    preempted,
    partial_admission,
    checks_and_backoff,
    uncovered_resource,
    borrowing_limit,
)


_CONFIG = """# Kueue's Configuration in example {name}: what decisions depend on.
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
{fair}integrations:
  frameworks:
  - batch/job
  - jobset.x-k8s.io/jobset
  - pod
"""
_FAIR = """fairSharing:
  preemptionStrategies:
  - LessThanOrEqualToFinalShare
  - LessThanInitialShare
"""


def texts() -> dict[str, str]:
    """All dumps and Configurations by the names of their files."""
    out = {}
    for build in RECIPES:
        scene = build()
        out[f"{scene.name}.yaml"] = scene.text()
        fair = _FAIR if scene.name == "fair-weights" else ""
        out[f"{scene.name}.config.yaml"] = _CONFIG.format(name=scene.name, fair=fair)
    return out


def main(folder: Path) -> None:
    """Write all files."""
    for name, text in texts().items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
