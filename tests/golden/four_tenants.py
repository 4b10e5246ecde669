"""The recipe of example four-tenants."""

from __future__ import annotations

from tests.golden.compose import Doc, Scene, pods

_POOL = "fleet.example.com/pool"
_GPU_TAINT = {"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"}
_GPU_TOLERATION = {"effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists"}
_SPOT_TAINT = {"effect": "NoSchedule", "key": "fleet.example.com/spot", "value": "true"}
_ON_SPOT = {"effect": "NoSchedule", "key": "fleet.example.com/spot", "operator": "Equal", "value": "true"}

URGENT, STANDARD, SWEEP = ("urgent", 1000), ("standard", 100), ("sweep", 10)


def _per_gpu(count: int) -> Doc:
    return {"cpu": str(4 * count), "memory": f"{40 * count}Gi", "gpu": str(count)}


def four_tenants() -> Scene:
    """Four ML teams on one fleet."""
    scene = Scene(
        "four-tenants",
        "2026-11-16T14:00:00Z",
        """
Four ML teams share one GPU fleet: data preparation, pre-training, fine-tuning and inference batch.

  cohort fleet                  16 spot GPUs that belong to nobody
    cohort training             8 H100 GPUs that both training teams may borrow
      ClusterQueue pre-training       32 H100
      ClusterQueue fine-tuning        16 A100, 8 H100
    cohort platform
      ClusterQueue data-preparation   256 CPUs, 8 A100
      ClusterQueue inference-batch    8 L4, and spot when there is some

Fine-tuning borrowed what the others left idle. Now the others want it back, with different luck:

  kueuectl explain workload/llama-pretrain -n pretraining --from example:four-tenants
      a gang of 2 x 8 H100 waits although half of its team's quota is unused
  kueuectl explain workload/embed-corpus -n data-preparation --from example:four-tenants
      the starving team: 9 hours in the queue, and its policy forbids it to reclaim
  kueuectl explain workload/moe-frontier -n pretraining --from example:four-tenants
      the impossible job: 64 H100, and the fleet has 48
  kueuectl explain workload/captions-backfill -n inference-batch --from example:four-tenants
      a team that may reclaim: who is preempted for it
  kueuectl tree --from example:four-tenants
      who holds, borrows and lends what
""",
    )
    _fleet(scene)
    scene.cohort("fleet", quotas={"spot": {"cpu": "192", "memory": "2Ti", "gpu": "16"}})
    scene.cohort("training", "fleet", quotas={"h100": {"cpu": "192", "memory": "2Ti", "gpu": "8"}})
    scene.cohort("platform", "fleet")
    scene.queue(
        "pre-training",
        "training",
        within="LowerPriority",
        reclaim="LowerPriority",
        quotas={"h100": {"cpu": "768", "memory": "8Ti", "gpu": "32"}},
    )
    scene.queue(
        "fine-tuning",
        "training",
        within="LowerPriority",
        reclaim="LowerPriority",
        quotas={
            "a100": {"cpu": "192", "memory": "2Ti", "gpu": "16"},
            "h100": {"cpu": "192", "memory": "2Ti", "gpu": "8"},
            "l4": {"cpu": "0", "memory": "0", "gpu": "0"},
        },
    )
    scene.queue(
        "data-preparation",
        "platform",
        quotas={
            "cpu": {"cpu": "256", "memory": "1Ti", "gpu": "0"},
            "a100": {"cpu": "96", "memory": "1Ti", "gpu": "8"},
        },
    )
    scene.queue(
        "inference-batch",
        "platform",
        reclaim="Any",
        quotas={
            "spot": {"cpu": "0", "memory": "0", "gpu": "0"},
            "l4": {"cpu": "96", "memory": "1Ti", "gpu": "8"},
        },
    )
    for namespace, queue in _TEAMS.items():
        scene.namespace(namespace, team=queue)
        scene.local(namespace, "jobs", queue)
    _four_tenants_running(scene)
    _four_tenants_waiting(scene)
    return scene


_TEAMS = {
    "data-preparation": "data-preparation",
    "pretraining": "pre-training",
    "finetuning": "fine-tuning",
    "inference-batch": "inference-batch",
}


_GPU_NODES = (
    ("h100", 6, "192", "2Ti"),
    ("a100", 3, "96", "1Ti"),
    ("l4", 1, "96", "1Ti"),
    ("spot", 2, "96", "1Ti"),
)


def _fleet(scene: Scene) -> None:
    """Nodes and flavors of the fleet, and its priorities."""
    scene.flavor("cpu", nodeLabels={_POOL: "cpu"})
    for name in ("h100", "a100", "l4"):
        scene.flavor(name, nodeLabels={_POOL: name}, tolerations=[_GPU_TOLERATION])
    scene.flavor("spot", nodeLabels={_POOL: "spot"}, nodeTaints=[_SPOT_TAINT], tolerations=[_GPU_TOLERATION])
    for index in range(4):
        scene.node(f"cpu-{index}", labels={_POOL: "cpu"}, cpu="64", memory="256Gi")
    for pool, count, cpu, memory in _GPU_NODES:
        taints = [_GPU_TAINT, _SPOT_TAINT] if pool == "spot" else [_GPU_TAINT]
        for index in range(count):
            scene.node(f"{pool}-{index}", labels={_POOL: pool}, taints=taints, cpu=cpu, memory=memory, gpu="8")
    scene.priority_class(*URGENT, "deadlines that were agreed with the other teams")
    scene.priority_class(*STANDARD, "what teams use day by day")
    scene.priority_class(*SWEEP, "parameter sweeps, may be interrupted")


def _gang(workers: int) -> tuple[Doc, Doc]:
    """A launcher and its workers of 8 GPUs each: they start together or not at all."""
    return pods("launcher", 1, cpu="4", memory="16Gi"), pods("worker", workers, **_per_gpu(8))


def _four_tenants_running(scene: Scene) -> None:
    tuning: Doc = {"queue": "jobs", "flavors": {"": "h100"}, "owner": "JobSet"}
    scene.workload(
        "pretraining/vision-base", *_gang(2), created="02:10:00", admitted="02:10:01", rank=STANDARD, **tuning
    )
    scene.workload("finetuning/dpo-70b", *_gang(2), created="05:30:00", admitted="05:30:02", rank=URGENT, **tuning)
    scene.workload("finetuning/sft-chat", *_gang(1), created="05:45:00", admitted="05:45:01", rank=STANDARD, **tuning)
    scene.workload("finetuning/sft-code", *_gang(1), created="06:20:00", admitted="06:20:01", rank=STANDARD, **tuning)
    scene.workload(
        "finetuning/lora-base",
        pods("worker", 2, **_per_gpu(8)),
        queue="jobs",
        created="03:00:00",
        admitted="03:00:01",
        flavors={"": "a100"},
        rank=STANDARD,
    )
    for number, clock, flavor in ((1, "03:40", "a100"), (2, "03:41", "a100"), (3, "04:05", "l4")):
        scene.workload(
            f"finetuning/lora-sweep-{number}",
            pods("worker", 1, selector={_POOL: flavor}, **_per_gpu(4)),
            queue="jobs",
            created=f"{clock}:00",
            admitted=f"{clock}:02",
            flavors={"": flavor},
            rank=SWEEP,
        )
    scene.workload(
        "data-preparation/tokenize-web",
        pods("tokenizer", 16, cpu="8", memory="32Gi", image="tokenizer:1.9"),
        queue="jobs",
        created="12:05:00",
        admitted="12:05:01",
        flavors={"": "cpu"},
        rank=STANDARD,
    )
    scene.workload(
        "data-preparation/crawl-import",
        pods("importer", 8, cpu="16", memory="64Gi", image="importer:3.1"),
        queue="jobs",
        created="09:00:00",
        admitted="09:00:01",
        finished="11:48:20",
        flavors={"": "cpu"},
        rank=STANDARD,
    )
    scene.workload(
        "inference-batch/summaries-nightly",
        pods("server", 3, image="serving:0.7", tolerations=[_ON_SPOT], **_per_gpu(4)),
        queue="jobs",
        created="01:00:00",
        admitted="01:00:01",
        flavors={"": "spot"},
        rank=STANDARD,
    )
    scene.workload(
        "inference-batch/embeddings-refresh",
        pods("a7cfe4b6", 4, image="serving:0.7", **_per_gpu(1)),
        queue="jobs",
        created="11:15:00",
        admitted="11:15:04",
        flavors={"": "l4"},
        rank=STANDARD,
        owner="Pod",
    )


def _four_tenants_waiting(scene: Scene) -> None:
    scene.workload(
        "pretraining/moe-frontier",
        *_gang(8),
        queue="jobs",
        created="01:20:00",
        rank=STANDARD,
        owner="JobSet",
        refused=(
            "01:20:00",
            "couldn't assign flavors to pod set worker: insufficient quota for nvidia.com/gpu in flavor h100, "
            "previously considered podsets requests (0) + current podset request (64) > maximum capacity (48)",
        ),
    )
    scene.workload(
        "pretraining/llama-pretrain",
        *_gang(2),
        queue="jobs",
        created="08:12:00",
        rank=STANDARD,
        owner="JobSet",
        refused=(
            "08:12:00",
            "couldn't assign flavors to pod set worker: insufficient unused quota for nvidia.com/gpu in flavor h100, "
            "16 more needed",
        ),
    )
    scene.workload(
        "data-preparation/embed-corpus",
        pods("embedder", 8, image="embedder:5.0", **_per_gpu(1)),
        queue="jobs",
        created="04:55:00",
        rank=STANDARD,
        refused=(
            "04:55:00",
            "couldn't assign flavors to pod set embedder: insufficient quota for nvidia.com/gpu in flavor cpu, "
            "previously considered podsets requests (0) + current podset request (8) > maximum capacity (0), "
            "insufficient unused quota for nvidia.com/gpu in flavor a100, 8 more needed",
        ),
    )
    scene.workload(
        "data-preparation/clean-tables",
        pods("cleaner", 8, cpu="8", memory="16Gi", image="cleaner:2.2"),
        queue="jobs",
        created="13:59:59",
        rank=STANDARD,
    )
    scene.workload(
        "finetuning/lora-sweep-4",
        pods("worker", 1, selector={_POOL: "a100"}, **_per_gpu(4)),
        queue="jobs",
        created="06:30:00",
        rank=SWEEP,
        refused=(
            "06:30:00",
            "couldn't assign flavors to pod set worker: flavor h100 doesn't match node affinity, "
            "flavor l4 doesn't match node affinity, "
            "insufficient unused quota for nvidia.com/gpu in flavor a100, 4 more needed",
        ),
    )
    scene.workload(
        "inference-batch/captions-backfill",
        pods("server", 4, image="serving:0.7", **_per_gpu(1)),
        queue="jobs",
        created="13:59:58",
        rank=URGENT,
    )
