"""What `stop` and `resume` have in common: one field, with what it means for those who run and wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kueuectl.api import patches
from kueuectl.cli.frame import kinds, writing
from kueuectl.cli.frame.kinds import Kind
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import Step
from kueuectl.engine import workloads
from kueuectl.model.workloads import Workload
from kueuectl.model.writes import Write

Item = dict[str, Any]
STOPPED, RESUMED = "stopped", "resumed"


def set_policy(run: Run, kind: Kind, name: str, *, policy: str, dry_run: str) -> None:
    """Write spec.stopPolicy of a queue, guarded by the version that was read."""
    mode = writing.mode(dry_run)
    hand = writing.writer(run)
    target = writing.chosen(run, kind, name)
    item = hand.read(target)
    if mode is not writing.Mode.CLIENT and policy != patches.NONE:
        _tell_counts(run, kind, item, policy=policy)
    patch = patches.stop_policy(policy)
    write = writing.patch(target, patch, item)
    # The counters in its status change all the time.
    spec = item.get("spec")
    again = renewing(write, lambda now: now.get("spec") == spec)
    writing.carry_out(run, [Step(write, "", patches.merged(item, patch), again=again)], mode=mode)


def set_active(run: Run, name: str, *, active: bool, dry_run: str) -> None:
    """Write spec.active of a Workload, guarded by the version that was read."""
    mode = writing.mode(dry_run)
    hand = writing.writer(run)
    target = writing.chosen(run, kinds.WORKLOAD, name)
    item = hand.read(target)
    if mode is not writing.Mode.CLIENT:
        run.note(f"Workload {target.where}: {_fate(item, active=active)}")
    patch = patches.active(active)
    write = writing.patch(target, patch, item)
    before = facts(item)
    again = renewing(write, lambda now: facts(now) == before)
    done = RESUMED if active else STOPPED
    writing.carry_out(run, [Step(write, done, patches.merged(item, patch), again=again)], mode=mode)


def renewing(write: Write, is_alike: Callable[[Item], bool]) -> Callable[[Item], Write | None]:
    """For a step: the same patch of the object as it is now, while it is the same one and still alike."""

    def again(now: Item) -> Write | None:
        if now.get("metadata", {}).get("uid", "") != write.uid or not is_alike(now):
            return None
        assert isinstance(write.body, dict)
        return writing.patch(write.target, write.body, now)

    return again


def facts(item: Item) -> tuple[Any, ...]:
    """What a stop or resumption of a Workload rests on: is it active, has it quota reserved, admitted, finished."""
    spec = item.get("spec") or {}
    true = {row.get("type") for row in _conditions(item) if row.get("status") == "True"}
    return spec.get("active") is not False, "QuotaReserved" in true, "Admitted" in true, "Finished" in true


def facts_of(workload: Workload) -> tuple[Any, ...]:
    """The same of a workload in a state."""
    return (
        workload.active,
        workloads.is_reserved(workload),
        workloads.is_admitted(workload),
        workloads.is_finished(workload),
    )


def _conditions(item: Item) -> list[Item]:
    return (item.get("status") or {}).get("conditions") or []


def _fate(item: Item, *, active: bool) -> str:
    """Where it is, and what the write makes of it."""
    is_active, is_reserved, is_admitted, is_finished = facts(item)
    queue = (item.get("spec") or {}).get("queueName") or "none"
    if is_finished:
        return "finished; nothing changes for it"
    if active:
        return "not stopped; nothing changes for it" if is_active else f"stopped; it queues again in LocalQueue {queue}"
    if not is_active:
        return "stopped already"
    holder = ((item.get("status") or {}).get("admission") or {}).get("clusterQueue") or "?"
    if is_admitted:
        return f"admitted in ClusterQueue {holder}; it is evicted and its job stops"
    if is_reserved:
        return f"quota reserved in ClusterQueue {holder}, not admitted yet; it gives the quota back"
    return f"waiting in LocalQueue {queue}; it is not admitted until it is resumed"


def _tell_counts(run: Run, kind: Kind, item: dict[str, object], *, policy: str) -> None:
    """How many run, reserve quota and wait: they are what a stop touches."""
    status = item.get("status")
    counts = status if isinstance(status, dict) else {}
    running, reserving, waiting = (
        int(counts.get(name) or 0) for name in ("admittedWorkloads", "reservingWorkloads", "pendingWorkloads")
    )
    drained = policy == patches.HOLD_AND_DRAIN
    fate = "those are evicted" if drained else "those go on"
    run.note(f"{kind.name}: {running} admitted, {reserving} with quota reserved ({fate}), {waiting} waiting")
