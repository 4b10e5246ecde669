"""The changes that a command line asks for, done to a state: manifests, submitted jobs, fields, deletions, nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kueuectl.analysis import drain, dry_run, dry_run_changes, edits_delete, submit
from kueuectl.analysis.drain import Drained
from kueuectl.analysis.edits_delete import Note, NoteCode
from kueuectl.analysis.explanation import Ref
from kueuectl.api import jobs, manifests
from kueuectl.api.jobs import Defaults, Rendered
from kueuectl.cli.frame import edits, kinds, loading, objects, selectors
from kueuectl.cli.frame.edits import Named
from kueuectl.cli.frame.kinds import Reference
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.engine import workloads
from kueuectl.errors import InputError, NotFoundError, UsageError
from kueuectl.model.state import ClusterState
from kueuectl.report import text
from kueuectl.report.views.dry_run import Story
from kueuectl.report.views.owners import Ownership
from kueuectl.store import manifests as files

_SET = "--set"
# Label keys that a message lists.
_MOST_KEYS = 5


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for. `queue` and `priority_class` are for jobs that name none."""

    files: Sequence[str] = ()
    sets: Sequence[str] = ()
    deletes: Sequence[str] = ()
    submits: Sequence[str] = ()
    drains: Sequence[str] = ()
    queue: str = ""
    priority_class: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked for."""
        return not any((self.files, self.sets, self.deletes, self.submits, self.drains))


@dataclass(slots=True)
class Changed:
    """A state after all changes; `submitted` has the jobs of new workloads by key, in their order."""

    state: ClusterState
    notes: list[Note] = field(default_factory=list)
    submitted: dict[str, str] = field(default_factory=dict)
    # Those of `--submit`, not of `-f`.
    asked: set[str] = field(default_factory=set)
    # Where cohorts were read from, by name.
    sources: dict[str, str] = field(default_factory=dict)
    drained: Drained | None = None


def apply(run: Run, loaded: Loaded, wanted: Wanted) -> Changed:
    """The state with every change done, checked as a whole. Raises errors of input and usage."""
    if (wanted.queue or wanted.priority_class) and not (wanted.submits or wanted.files):
        raise UsageError("--queue and --priority-class are for jobs", hint="give --submit FILE")
    if [*run.flags.sources, *wanted.files, *wanted.submits].count("-") > 1:
        raise UsageError("standard input can be read only once")
    changed = Changed(loaded.state)
    _manifests(run, loaded, changed, wanted)
    before = changed.state
    for assignment in wanted.sets:
        changed.state = edits.assign(run, changed.state, assignment)
    manifests.check_changed(before, changed.state, settings=loaded.settings, source=_SET)
    source = _SET if wanted.sets else ""
    manifests.refuse_cycles(loaded.state, changed.state, sources=changed.sources, source=source)
    for name in wanted.deletes:
        _delete(run, loaded, changed, name)
    if wanted.drains:
        _drain(changed, wanted.drains)
    return changed


def story(loaded: Loaded, changed: Changed, wanted: Wanted, *, max_rounds: int | None) -> Story:
    """The dry run of the changes with everything that there is to tell about it."""
    state, settings, now = loaded.state, loaded.settings, loaded.now
    if wanted.is_empty:
        result = dry_run.settle(state, settings, now=now, max_rounds=max_rounds)
    else:
        result = dry_run.compare(state, changed.state, settings, now=now, max_rounds=max_rounds)
    changes = dry_run_changes.between(state, changed.state)
    simulated = result.before.held.keys() | result.before.waiting.keys()
    holding = frozenset(
        key for key in simulated if key in state.workloads and workloads.holds_quota(state.workloads[key])
    )
    return Story(
        result=result,
        changes=changes,
        notes=(*dry_run_changes.notes(state, changed.state, changes), *changed.notes),
        fates=submit.fates(changed.state, settings, result.after, now=now, jobs=changed.submitted),
        drained=changed.drained,
        holding=holding,
    )


def _manifests(run: Run, loaded: Loaded, changed: Changed, wanted: Wanted) -> None:
    docs = files.read(list(wanted.files), stdin=run.environment.stdin_bytes) if wanted.files else []
    given, waiting = [], []
    for source, doc in docs:
        if jobs.is_job(doc):
            waiting.append((source, doc))
        elif manifests.ignored(doc):
            run.warn(f"{source}: no decision depends on {text.clean(_name(doc))}; it is passed over")
        else:
            given.append((source, doc))
    _objects(run, loaded, changed, given)
    _submit(run, loaded, changed, waiting, wanted=wanted)
    if wanted.submits:
        known = set(changed.submitted)
        asked = files.read(list(wanted.submits), stdin=run.environment.stdin_bytes)
        _submit(run, loaded, changed, asked, wanted=wanted)
        changed.asked = set(changed.submitted) - known


def _name(doc: dict[str, Any]) -> str:
    metadata = doc.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else ""
    return f"{doc.get('kind')} {name}"


def _objects(run: Run, loaded: Loaded, changed: Changed, docs: Sequence[tuple[str, dict[str, Any]]]) -> None:
    namespace = run.flags.namespace or ""
    found = [
        manifests.read(doc, loaded.state, settings=loaded.settings, source=source, namespace=namespace)
        for source, doc in docs
    ]
    for given in manifests.names_of(found).values():
        is_new = given.kind == "Workload" and given.key not in changed.state.workloads
        changed.state = manifests.put(changed.state, given, now=loaded.now)
        if given.kind == "Cohort":
            changed.sources[given.key] = given.source
        if is_new:
            changed.submitted[given.key] = f"Workload {given.key}"


def _submit(
    run: Run, loaded: Loaded, changed: Changed, docs: Sequence[tuple[str, dict[str, Any]]], *, wanted: Wanted
) -> None:
    """Jobs become Workloads; Workloads are taken as they are."""
    namespace = run.flags.namespace or ""
    defaults = Defaults(wanted.queue, wanted.priority_class, namespace)
    whole = [(source, doc) for source, doc in docs if doc.get("kind") == "Workload"]
    rest = [(source, doc) for source, doc in docs if doc.get("kind") != "Workload"]
    _objects(run, loaded, changed, [(source, _with_queue(doc, defaults)) for source, doc in whole])
    for rendered in jobs.render(rest, changed.state, defaults=defaults):
        _add(run, loaded, changed, rendered)


def _with_queue(doc: dict[str, Any], defaults: Defaults) -> dict[str, Any]:
    spec = doc.get("spec")
    if not defaults.queue or not isinstance(spec, dict) or spec.get("queueName"):
        return doc
    return {**doc, "spec": {**spec, "queueName": defaults.queue}}


def _add(run: Run, loaded: Loaded, changed: Changed, rendered: Rendered) -> None:
    for note in rendered.notes:
        run.warn(f"{rendered.job}: {note}")
    try:
        given = manifests.read(rendered.doc, changed.state, settings=loaded.settings, source=rendered.source)
    except InputError as error:
        raise InputError(
            error.problem, source=error.source, obj=f"{rendered.job}, as {error.object}", path=error.path
        ) from error
    key = given.key
    number = 2
    while key in changed.state.workloads:
        key, number = f"{given.key}-{number}", number + 1
    if key != given.key:
        changed.notes.append(Note(NoteCode.EXISTS, (("name", given.key), ("job", rendered.job))))
        doc = {**rendered.doc, "metadata": {**rendered.doc["metadata"], "name": key.partition("/")[2]}}
        given = manifests.read(doc, changed.state, settings=loaded.settings, source=rendered.source)
    changed.state = manifests.put(changed.state, given, now=loaded.now)
    changed.submitted[key] = rendered.job


def _delete(run: Run, loaded: Loaded, changed: Changed, name: str) -> None:
    target = edits.deletion(run, changed.state, name)
    if isinstance(target, Named):
        _delete_owner(run, changed, target)
        return
    made = edits_delete.delete(changed.state, target, now=loaded.now)
    if made is None:
        kind = kinds.find(target.kind) or edits.named(name, edits.DELETABLE, flag="--delete", form="").kind
        raise objects.not_found(Reference(kind, target.key))
    changed.state = made.state
    changed.notes += made.notes


def _delete_owner(run: Run, changed: Changed, target: Named) -> None:
    """A job goes with its workloads."""
    namespace = target.namespace or loading.namespace(run)
    ownership = Ownership(
        changed.state, kind=target.kind.name, name=target.name, group=target.kind.group, namespace=namespace
    )
    keys = frozenset(key for key, workload in changed.state.workloads.items() if ownership.owns_workload(workload))
    if not keys:
        raise NotFoundError(f'no workload of {target.kind.resource} "{text.clean(target.name)}" found')
    places = sorted({key.partition("/")[0] for key in keys})
    if len(places) > 1:
        names = ", ".join(map(text.clean, places[:5]))
        raise UsageError(f'"{text.clean(target.name)}" is in several namespaces: {names}', hint="choose one with -n")
    changed.state = edits_delete.without_workloads(changed.state, keys)


def _drain(changed: Changed, wanted: Sequence[str]) -> None:
    names: list[str] = []
    for entry in wanted:
        names += _nodes(changed.state, entry)
    changed.drained = drain.drain(changed.state, names)
    changed.state = changed.drained.state


def _nodes(state: ClusterState, entry: str) -> list[str]:
    """Nodes by name, or by the labels of a selector."""
    if entry in state.nodes:
        return [entry]
    if any(char in entry for char in "=!,()/ "):
        terms = selectors.parse(entry, flag="--drain")
        found = sorted(name for name, node in state.nodes.items() if selectors.matches(terms, dict(node.labels)))
        if not found:
            keys = sorted({key for node in state.nodes.values() for key, _ in node.labels})[:_MOST_KEYS]
            hint = f"nodes have labels such as {text.clean(', '.join(keys))}" if keys else "no node was read"
            raise NotFoundError(f"no node has the labels {text.clean(entry)}", hint=hint)
        return found
    raise objects.not_found(Reference(edits.NODE, Ref("Node", entry).key))
