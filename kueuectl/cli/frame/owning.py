"""The jobs and pods behind Workloads, as objects that can be written.

Rules.
 1. Owner references say whose a Workload is. Where a job and pods own it together, the job is meant: its pods come and
    go with it. Where only pods do (a pod group), all of them are.
 2. A Workload that is owned by another Workload belongs to the owners of that one.
 3. An owner whose uid is another one by now is gone: what has its name was made later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from kueuectl.api import patches
from kueuectl.cli.frame import kinds, stopping, writing
from kueuectl.cli.frame.kinds import Kind
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.writing import Step
from kueuectl.errors import KueuectlError, NotFoundError, UnreachableError
from kueuectl.model.workloads import Owner
from kueuectl.model.writes import Target
from kueuectl.report import text

Item = dict[str, Any]
_POD_GROUP = "kueue.x-k8s.io/pod-group-name"
# Workloads that own Workloads are one level deep.
_LEVELS = 4


class Job(NamedTuple):
    """An owner as it is now, and how results name it: plural.group/name."""

    target: Target
    item: Item

    @property
    def shown(self) -> str:
        """jobs.batch/train."""
        found = self.target
        resource = f"{found.plural}.{found.group}" if found.group else found.plural
        return f"{resource}/{found.name}"

    @property
    def is_of_group(self) -> bool:
        """Whether it is a pod of a pod group."""
        labels = self.item.get("metadata", {}).get("labels") or {}
        return self.target.kind == kinds.POD.name and _POD_GROUP in labels

    @property
    def maker(self) -> str:
        """Kind/name of what made it and would make it anew; "" where nothing did."""
        rows = self.item.get("metadata", {}).get("ownerReferences") or []
        return next((f"{row.get('kind')}/{row.get('name')}" for row in rows if row.get("controller")), "")


def references(item: Item) -> tuple[Owner, ...]:
    """The owner references of a raw object."""
    rows = item.get("metadata", {}).get("ownerReferences") or []
    return tuple(
        Owner(
            api_version=str(row.get("apiVersion") or ""),
            kind=str(row.get("kind") or ""),
            name=str(row.get("name") or ""),
            uid=str(row.get("uid") or ""),
            is_controller=bool(row.get("controller")),
        )
        for row in rows
        if isinstance(row, dict)
    )


def jobs(run: Run, key: str, owners: Sequence[Owner], *, levels: int = _LEVELS) -> list[Job]:
    """The owners of the workload with this key that are there, read now; see the rules.

    Raises an error that names workload and owner where one can't be read: its kind is not served, or is forbidden.
    """
    namespace = key.partition("/")[0]
    found: list[Job] = []
    for owner in _meant(owners):
        job = _read(run, key, owner, namespace)
        if job is None:
            continue
        if owner.kind == kinds.WORKLOAD.name and levels:
            found += jobs(run, key, references(job.item), levels=levels - 1) or [job]
        else:
            found.append(job)
    return found


def _meant(owners: Iterable[Owner]) -> list[Owner]:
    others = [owner for owner in owners if owner.kind != kinds.POD.name]
    return others or list(owners)


def _read(run: Run, key: str, owner: Owner, namespace: str) -> Job | None:
    """The owner; None where it is gone."""
    from kueuectl.cli.frame import live

    group = owner.api_version.rpartition("/")[0]
    known = kinds.find(f"{owner.kind}.{group}" if group else owner.kind, kinds.OWNER_KINDS)
    plural = known.plural if known is not None and known.group == group else ""
    try:
        _, plural = live.client(run).discovery.find(Kind(owner.kind, plural, group))
    except (NotFoundError, UnreachableError) as error:
        raise _unreadable(error, key, owner) from None
    target = Target(owner.kind, group, plural, owner.name, namespace)
    try:
        item = writing.writer(run).read(target)
    except NotFoundError:
        return None
    except UnreachableError as error:
        raise _unreadable(error, key, owner) from None
    uid = item.get("metadata", {}).get("uid")
    return None if owner.uid and uid != owner.uid else Job(target, item)


def _unreadable(error: KueuectlError, key: str, owner: Owner) -> KueuectlError:
    named = f"workload {text.clean(key)} belongs to {text.clean(owner.kind)} {text.clean(owner.name)}"
    return type(error)(f"{named}: {error.problem}", hint=error.hint)


def relabel(job: Job, label: str, value: str, *, done: str, name: str = "") -> Step:
    """A step that sets a label of a job.

    A job that changed meanwhile is written all the same while it is suspended, or not, as before, with the same label.
    """
    body = patches.label(label, value)
    write = writing.patch(job.target, body, job.item)

    def facts(item: Item) -> tuple[Any, ...]:
        spec, labels = item.get("spec") or {}, item.get("metadata", {}).get("labels") or {}
        return spec.get("suspend"), bool(spec.get("schedulingGates")), labels.get(label)

    before = facts(job.item)
    again = stopping.renewing(write, lambda now: facts(now) == before)
    return Step(write, done, patches.merged(job.item, body), name=name, again=again)
