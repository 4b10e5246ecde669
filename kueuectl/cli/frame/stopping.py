"""What `stop` and `resume` of queues have in common: one field, with what it means for those who run and wait."""

from __future__ import annotations

from kueuectl.api import patches
from kueuectl.cli.frame import loading, writing
from kueuectl.cli.frame.kinds import Kind
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import Step


def set_policy(run: Run, kind: Kind, name: str, *, policy: str, dry_run: str) -> None:
    """Write spec.stopPolicy of a queue, guarded by the version that was read."""
    mode = writing.mode(dry_run)
    inside = (loading.namespace(run) or "default") if kind.is_namespaced else ""
    target = writing.target(kind, name, inside)
    hand = writing.writer(run)
    item = hand.read(target)
    if mode is not writing.Mode.CLIENT and policy != patches.NONE:
        _tell_counts(run, kind, item, policy=policy)
    patch = patches.stop_policy(policy)
    write = writing.patch(target, patch, item)
    writing.carry_out(run, [Step(write, "", patches.merged(item, patch))], mode=mode)


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
