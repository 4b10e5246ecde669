"""What a change consists of, object by object, and what there is to know about how it works."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from kueuectl.analysis import edits
from kueuectl.analysis.edits import FieldChange
from kueuectl.analysis.edits_delete import Note, NoteCode
from kueuectl.analysis.explanation import Ref
from kueuectl.model.queues import ClusterQueue, Cohort, LocalQueue
from kueuectl.model.state import KIND_FIELDS, ClusterState
from kueuectl.model.values import Struct
from kueuectl.model.workloads import Workload


class Verb(StrEnum):
    """What happens to an object."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"


class ObjectChange(Struct, frozen=True):
    """One object that differs; `fields` where they are known one by one."""

    target: Ref
    verb: Verb
    fields: tuple[FieldChange, ...] = ()


def between(before: ClusterState, after: ClusterState) -> tuple[ObjectChange, ...]:
    """The objects in which two states differ, by kind and key."""
    return tuple(change for kind, name in KIND_FIELDS.items() for change in _of_kind(kind, name, before, after))


def _of_kind(kind: str, name: str, before: ClusterState, after: ClusterState) -> Iterator[ObjectChange]:
    old: dict[str, object] = getattr(before, name)
    new: dict[str, object] = getattr(after, name)
    if old is new:
        return
    for key in sorted(old.keys() | new.keys()):
        one, other = old.get(key), new.get(key)
        if one is other or one == other:
            continue
        if one is None:
            yield ObjectChange(_ref(kind, key), Verb.CREATED, _fields(None, other))
        elif other is None or (_deletion(one) is None and _deletion(other) is not None):
            yield ObjectChange(_ref(kind, key), Verb.DELETED)
        else:
            yield ObjectChange(_ref(kind, key), Verb.CHANGED, _fields(one, other))


def _ref(kind: str, key: str) -> Ref:
    namespace, slash, name = key.rpartition("/")
    return Ref(kind, name if slash else key, namespace)


def _fields(one: object, other: object) -> tuple[FieldChange, ...]:
    if isinstance(one, ClusterQueue) and isinstance(other, ClusterQueue):
        return edits.changes_between(one, other)
    if isinstance(one, Cohort) and isinstance(other, Cohort):
        return edits.changes_between(one, other)
    if isinstance(one, LocalQueue) and isinstance(other, LocalQueue):
        return edits.changes_between(one, other)
    if isinstance(one, Workload) and isinstance(other, Workload):
        return edits.changes_between(one, other)
    if one is None and isinstance(other, Cohort):
        # It may have been there already, without an object: its fields say what is new about it.
        return edits.changes_between(Cohort(other.name), other)
    return ()


def _deletion(found: object) -> object:
    return getattr(found, "deletion", None)


def notes(before: ClusterState, after: ClusterState, changes: tuple[ObjectChange, ...]) -> tuple[Note, ...]:
    """What there is to know about changes that can be read off the states; deletions bring their own."""
    found: list[Note] = []
    for change in changes:
        facts = (("name", change.target.key),)
        if change.target.kind == "WorkloadPriorityClass" and change.verb is Verb.CHANGED:
            found.append(Note(NoteCode.KEEPS_PRIORITY, facts))
        if change.target.kind == "AdmissionCheck" and change.verb is Verb.CREATED:
            found.append(Note(NoteCode.ASSUMED_ACTIVE, facts))
    found += [Note(NoteCode.NOT_WOKEN, (("name", old),)) for old in sorted(_left(changes))]
    if any(_lowers(change) for change in changes):
        found.append(Note(NoteCode.EVICTS_NOTHING))
    stopped = [name for name, queue in after.cluster_queues.items() if _is_newly_stopped(before, name, queue)]
    if stopped:
        found.append(Note(NoteCode.STOPS_LENDING_NOT, (("name", ", ".join(sorted(stopped))),)))
    return tuple(found)


def _left(changes: tuple[ObjectChange, ...]) -> set[str]:
    """Cohorts that a ClusterQueue or another cohort leaves. Observed: Kueue wakes nobody there."""
    return {
        field.before
        for change in changes
        for field in change.fields
        if field.field in (edits.Field.COHORT, edits.Field.PARENT) and isinstance(field.before, str) and field.before
    }


def _lowers(change: ObjectChange) -> bool:
    """Whether a quota or a limit gets smaller, or a quota goes."""
    for field in change.fields:
        if field.field not in edits.QUOTA_FIELDS:
            continue
        before, after = field.before, field.after
        if field.field is edits.Field.NOMINAL:
            lower = isinstance(before, int) and (after is None or (isinstance(after, int) and after < before))
        else:
            lower = isinstance(after, int) and (before is None or (isinstance(before, int) and after < before))
        if lower:
            return True
    return False


def _is_newly_stopped(before: ClusterState, name: str, queue: ClusterQueue) -> bool:
    if queue.stop_policy == "None" or queue.cohort is None:
        return False
    old = before.cluster_queues.get(name)
    return old is None or old.stop_policy == "None"
