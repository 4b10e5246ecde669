"""Writes and reads plan files: JSON with a schema version, strict about what it takes back.

A file of a newer schema is refused: what this version does not know could be what makes a step safe.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec

from kueuectl import times
from kueuectl.errors import InputError, KueuectlError
from kueuectl.model import plan as plans
from kueuectl.model import values
from kueuectl.model.plan import Plan, Precondition, Promise, Promised, Step

API_VERSION = "kueuectl/v1alpha1"
KIND = "Plan"
# Far above any plan; a file of this size is something else.
_MOST_BYTES = 256 * 2**20


class _Wire(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What every part has in common."""


class _Flavor(_Wire):
    pod_set: str
    resource: str
    flavor: str


class _Promised(_Wire):
    workload: str
    cluster_queue: str
    flavors: list[_Flavor] = []


class _Promise(_Wire):
    admitted: list[_Promised] = []
    preempted: list[str] = []
    returned: list[str] = []


class _Step(_Wire):
    action: str
    namespace: str
    name: str
    uid: str
    resource_version: str
    cluster_queue: str = ""
    priority: int = 0
    pods: int = 0
    gpus: int = 0
    running_seconds: int | None = None
    reason: str | msgspec.UnsetType = msgspec.UNSET


class _Precondition(_Wire):
    kind: str
    name: str
    uid: str
    resource_version: str
    role: str
    namespace: str = ""
    generation: int | msgspec.UnsetType = msgspec.UNSET


class _Plan(_Wire):
    api_version: str
    kind: str
    schema_version: int
    made_at: str
    tool_version: str
    kueue_target: str
    goal: str
    cohort: str = ""
    steps: list[_Step] = []
    promise: _Promise = msgspec.field(default_factory=_Promise)
    preconditions: list[_Precondition] = []


class _Head(msgspec.Struct, rename="camel"):
    """What is looked at first, whatever else is in the file."""

    api_version: str = ""
    kind: str = ""
    schema_version: int = 0


def encode(plan: Plan) -> bytes:
    """The plan as indented JSON with a line end; the same plan gives the same bytes."""
    raw = msgspec.json.encode(_to_wire(plan))
    return msgspec.json.format(raw, indent=2) + b"\n"


def digest(plan: Plan) -> str:
    """What tells a plan from every other one, however its file is laid out."""
    return hashlib.sha256(encode(plan)).hexdigest()


def decode(raw: bytes, *, source: str = "") -> Plan:
    """The plan of JSON; raises InputError with the field path on anything else."""
    try:
        head = msgspec.json.decode(raw, type=_Head)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"is no plan: {error}", source=source) from error
    if head.kind != KIND or head.api_version.partition("/")[0] != API_VERSION.partition("/")[0]:
        raise InputError("is no plan of kueuectl", source=source, hint="write one with -o plan=FILE")
    if head.api_version != API_VERSION or head.schema_version != plans.SCHEMA_VERSION:
        found = f"{head.api_version}, schema version {head.schema_version}"
        raise InputError(f"is a plan that this version can't read: {found}", source=source)
    try:
        wire = msgspec.json.decode(raw, type=_Plan)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at ")
        raise InputError(problem, source=source, path=path.strip("`").removeprefix("$.")) from error
    return _from_wire(wire, source=source)


def write(path: str, plan: Plan) -> None:
    """Write a plan to a file, which is there in whole or not at all, even when the machine stops."""
    target = Path(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as stream:
            stream.write(encode(plan))
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    except OSError as error:
        raise KueuectlError(f"{path}: cannot be written: {error.strerror or 'the system refuses'}") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def read(path: str) -> Plan:
    """The plan of a file; raises InputError where it can't be read or is no plan."""
    try:
        with Path(path).open("rb") as stream:
            raw = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or 'the system refuses'}", source=path) from error
    if len(raw) > _MOST_BYTES:
        raise InputError("is too large for a plan", source=path)
    return decode(raw, source=path)


def _to_wire(plan: Plan) -> _Plan:
    return _Plan(
        api_version=API_VERSION,
        kind=KIND,
        schema_version=plan.schema_version,
        made_at=times.format_time(plan.made_at),
        tool_version=plan.tool_version,
        kueue_target=plan.kueue_target,
        goal=plan.goal,
        cohort=plan.cohort,
        steps=[_Step(**_fields(step)) for step in plan.steps],
        promise=_Promise(
            admitted=[
                _Promised(row.workload, row.cluster_queue, [_Flavor(*flavor) for flavor in row.flavors])
                for row in plan.promise.admitted
            ],
            preempted=list(plan.promise.preempted),
            returned=list(plan.promise.returned),
        ),
        preconditions=[_Precondition(**_fields(found)) for found in plan.preconditions],
    )


def _fields(part: Step | Precondition) -> dict[str, Any]:
    """All fields, without those that most parts leave empty."""
    found = {name: getattr(part, name) for name in values.names(part)}
    return {name: value for name, value in found.items() if value or name not in _OPTIONAL}


# Left out of the file where they say nothing.
_OPTIONAL = ("reason", "generation")


def _given(part: _Step | _Precondition) -> dict[str, Any]:
    found = msgspec.structs.asdict(part)
    return {name: value for name, value in found.items() if value is not msgspec.UNSET}


def _from_wire(wire: _Plan, *, source: str) -> Plan:
    seen: set[tuple[str, str]] = set()
    for index, step in enumerate(wire.steps):
        if step.action not in plans.ACTIONS:
            known = " or ".join(plans.ACTIONS)
            raise InputError(f"must be {known}", source=source, path=f"steps[{index}].action")
        if not step.name or not step.uid:
            raise InputError("must name a workload with its uid", source=source, path=f"steps[{index}]")
        if (step.namespace, step.name) in seen:
            raise InputError("names a workload that an earlier step names", source=source, path=f"steps[{index}]")
        seen.add((step.namespace, step.name))
    try:
        made_at = times.parse(wire.made_at)
    except InputError as error:
        raise InputError(error.problem, source=source, path="madeAt", hint=error.hint) from None
    return Plan(
        made_at=made_at,
        tool_version=wire.tool_version,
        kueue_target=wire.kueue_target,
        goal=wire.goal,
        cohort=wire.cohort,
        steps=tuple(Step(**_given(step)) for step in wire.steps),
        promise=Promise(
            admitted=tuple(
                Promised(row.workload, row.cluster_queue, tuple((f.pod_set, f.resource, f.flavor) for f in row.flavors))
                for row in wire.promise.admitted
            ),
            preempted=tuple(wire.promise.preempted),
            returned=tuple(wire.promise.returned),
        ),
        preconditions=tuple(Precondition(**_given(found)) for found in wire.preconditions),
        schema_version=wire.schema_version,
    )
