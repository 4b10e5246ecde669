"""The texts of `--set` and `--delete` as changes: `KIND/[NAMESPACE/]NAME:FIELD=VALUE` and `KIND/[NAMESPACE/]NAME`.

A quota is named `FLAVOR/RESOURCE.nominal`: the flavor ends at the first `/`, the resource at the last `.`. Pods are
named `count`, or `PODSET.count` where there are several pod sets. The value `none` takes a limit away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kueuectl import quantity
from kueuectl.analysis import edits
from kueuectl.analysis.edits import Edit, Field, Obstacle, Refused, Value
from kueuectl.analysis.explanation import Ref
from kueuectl.cli.frame import kinds, objects
from kueuectl.cli.frame.kinds import Kind, Reference
from kueuectl.cli.frame.run import Run
from kueuectl.errors import KueuectlError, QuantityError, UsageError
from kueuectl.model.state import ClusterState

EDITABLE = (kinds.CLUSTER_QUEUE, kinds.COHORT, kinds.LOCAL_QUEUE, kinds.WORKLOAD)
NAMESPACE = Kind("Namespace", "namespaces", "", ("ns",), is_namespaced=False)
NODE = Kind("Node", "nodes", "", ("no",), is_namespaced=False)
DELETABLE = (
    *kinds.KUEUE_KINDS,
    NAMESPACE,
    NODE,
    Kind("PriorityClass", "priorityclasses", "scheduling.k8s.io", ("pc",), is_namespaced=False),
    Kind("LimitRange", "limitranges", "", ("limits",)),
    Kind("RuntimeClass", "runtimeclasses", "node.k8s.io", is_namespaced=False),
    *kinds.OWNER_KINDS,
)
_FORM = "write it as KIND/[NAMESPACE/]NAME:FIELD=VALUE"
_NONE = "none"
# Other words for fields: those of the API, without capitals and dashes.
_ALIASES = {
    "nominalquota": Field.NOMINAL,
    "cohortname": Field.COHORT,
    "parentname": Field.PARENT,
    "queueingstrategy": Field.STRATEGY,
    "queuename": Field.QUEUE,
}
_WORDS: Mapping[Field, tuple[str, ...]] = {
    Field.STRATEGY: ("StrictFIFO", "BestEffortFIFO"),
    Field.STOP_POLICY: ("None", "Hold", "HoldAndDrain"),
    Field.WITHIN_CLUSTER_QUEUE: ("Never", "LowerPriority", "LowerOrNewerEqualPriority"),
    Field.RECLAIM_WITHIN_COHORT: ("Never", "LowerPriority", "Any"),
    Field.BORROW_WITHIN_COHORT: ("Never", "LowerPriority"),
    Field.WHEN_CAN_BORROW: ("MayStopSearch", "TryNextFlavor"),
    Field.WHEN_CAN_PREEMPT: ("MayStopSearch", "TryNextFlavor"),
    Field.PREFERENCE: ("BorrowingOverPreemption", "PreemptionOverBorrowing"),
}
# What `none` means where it does not mean nothing at all.
_DEFAULTS: Mapping[Field, str] = {
    Field.STRATEGY: "BestEffortFIFO",
    Field.STOP_POLICY: "None",
    Field.WITHIN_CLUSTER_QUEUE: "Never",
    Field.RECLAIM_WITHIN_COHORT: "Never",
    Field.BORROW_WITHIN_COHORT: "Never",
    Field.WHEN_CAN_BORROW: "MayStopSearch",
    Field.WHEN_CAN_PREEMPT: "TryNextFlavor",
}
_INTEGERS = (Field.MAX_PRIORITY_THRESHOLD, Field.PRIORITY, Field.COUNT, Field.MIN_COUNT)
_NAMES = (Field.COHORT, Field.PARENT, Field.QUEUE, Field.CLUSTER_QUEUE, Field.PRIORITY_CLASS)
_NEEDED = (Field.NOMINAL, Field.QUEUE, Field.CLUSTER_QUEUE, Field.COUNT, Field.ACTIVE)


class Named(NamedTuple):
    """An object as a user named it; namespace "" where none was given."""

    kind: Kind
    namespace: str
    name: str


def named(text: str, among: tuple[Kind, ...], *, flag: str, form: str) -> Named:
    """The object of KIND/[NAMESPACE/]NAME; raises UsageError."""
    word, *rest = text.split("/")
    kind = kinds.find(word, among)
    if kind is None:
        names = ", ".join(sorted(kind.name.lower() for kind in among))
        raise UsageError(f"{flag}: unknown kind {word!r}", hint=f"use one of: {names}")
    if not rest or not all(rest) or len(rest) > (2 if kind.is_namespaced else 1):
        raise UsageError(f"{flag}: {text!r} names no {kind.name}", hint=form)
    return Named(kind, rest[0] if len(rest) == 2 else "", rest[-1])


def _reference(run: Run, found: Named, among: Mapping[str, object]) -> Ref:
    """The one object of that name: in the namespace that was given or chosen, or in any where none is."""
    if not found.kind.is_namespaced:
        return Ref(found.kind.name, found.name)
    if found.namespace:
        return Ref(found.kind.name, found.name, found.namespace)
    key = objects.key(run, Reference(found.kind, found.name), among)
    return Ref(found.kind.name, found.name, key.partition("/")[0])


def assign(run: Run, state: ClusterState, text: str) -> ClusterState:
    """The state with one `--set` done. Raises UsageError, NotFoundError, or what can't be changed."""
    target, colon, rest = text.partition(":")
    word, equals, value = rest.partition("=")
    if not colon or not equals:
        raise UsageError(f"--set: {text!r} is no change", hint=_FORM)
    found = named(target, EDITABLE, flag="--set", form=_FORM)
    field, part = _field(found.kind, word)
    edit_value = _value(field, part, value, text)
    held: Mapping[str, object] = state.workloads if found.kind is kinds.WORKLOAD else state.local_queues
    edit = Edit(_reference(run, found, held), field, edit_value, part)
    made = edits.apply(state, edit)
    if isinstance(made, Refused):
        raise _refusal(made, edit, found.kind)
    return made


def _field(kind: Kind, word: str) -> tuple[Field, tuple[str, ...]]:
    flavor, slash, rest = word.partition("/")
    if slash:
        resource, _, word = rest.rpartition(".")
        part: tuple[str, ...] = (flavor, resource)
    else:
        pod_set, _, word = word.rpartition(".")
        part = (pod_set,) if pod_set else ()
    plain = word.lower().replace("-", "").replace("_", "")
    known = {str(field).replace("-", ""): field for field in edits.FIELDS[kind.name]} | _ALIASES
    field = known.get(plain)
    if field is None or field not in edits.FIELDS[kind.name] or not _suits(field, part):
        raise UsageError(f"--set: {word!r} is no field of a {kind.name}", hint=f"use one of: {_known_fields(kind)}")
    return field, part


def _suits(field: Field, part: tuple[str, ...]) -> bool:
    """Whether the field stands behind what it belongs to."""
    if field in edits.QUOTA_FIELDS:
        return len(part) == 2 and all(part)
    return not part or (field in edits.POD_SET_FIELDS and len(part) == 1)


def _known_fields(kind: Kind) -> str:
    return ", ".join(
        f"FLAVOR/RESOURCE.{field}" if field in edits.QUOTA_FIELDS else str(field) for field in edits.FIELDS[kind.name]
    )


def _value(field: Field, part: tuple[str, ...], value: str, text: str) -> Value:
    if value.lower() == _NONE:
        if field in _NEEDED:
            raise UsageError(f"--set: {field} can't be none in {text!r}")
        return _DEFAULTS.get(field)
    try:
        if field in edits.QUOTA_FIELDS:
            return quantity.parse_amount(part[1], value)
        if field is Field.WEIGHT:
            return quantity.to_float(quantity.parse(value))
    except QuantityError as error:
        raise UsageError(f"--set: {error.problem} in {text!r}", hint=error.hint) from error
    if field in _INTEGERS:
        return _integer(value, text)
    if field is Field.ACTIVE:
        if value.lower() not in ("true", "false"):
            raise UsageError(f"--set: {value!r} is neither true nor false in {text!r}")
        return value.lower() == "true"
    if field in _NAMES:
        return value
    return _word(field, value, text)


def _integer(value: str, text: str) -> int:
    digits = value.removeprefix("-")
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 12:
        raise UsageError(f"--set: {value!r} is not a whole number in {text!r}")
    return int(value)


def _word(field: Field, value: str, text: str) -> str:
    words = _WORDS[field]
    found = {word.lower(): word for word in words}.get(value.lower())
    if found is None:
        raise UsageError(f"--set: {value!r} is none of {', '.join(words)} in {text!r}")
    return found


def _refusal(found: Refused, edit: Edit, kind: Kind) -> KueuectlError:
    known = ", ".join(found.known) or "none"
    match found.obstacle:
        case Obstacle.NO_OBJECT:
            return objects.not_found(Reference(kind, edit.target.key))
        case Obstacle.NO_QUOTA:
            where = "/".join(edit.part)
            return KueuectlError(
                f"{kind.name} {edit.target.key} has no quota {where}", hint=f"it has: {known}; add others with -f"
            )
        case Obstacle.NO_CLASS:
            return KueuectlError(f"there is no WorkloadPriorityClass {edit.value}", hint=f"known: {known}")
        case Obstacle.WHICH_POD_SET:
            return UsageError(f"{kind.name} {edit.target.key} has several pod sets", hint=f"PODSET.count of: {known}")
        case _:
            return UsageError(f"{kind.name} {edit.target.key} has no pod set {edit.part[0]}", hint=f"it has: {known}")


def deletion(run: Run, state: ClusterState, text: str) -> Named | Ref:
    """What `--delete` names: an object of the state, or the Named owner of workloads."""
    found = named(text, DELETABLE, flag="--delete", form="write it as KIND/[NAMESPACE/]NAME")
    if found.kind in kinds.OWNER_KINDS:
        return found
    held: dict[str, Mapping[str, object]] = {"LocalQueue": state.local_queues, "LimitRange": state.limit_ranges}
    return _reference(run, found, held.get(found.kind.name, state.workloads))
