"""Choose the workloads that a command acts on: by names, by their jobs, or by what they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from kueuectl.cli.frame import kinds, loading, objects, selectors
from kueuectl.cli.frame.kinds import Reference
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.errors import UsageError
from kueuectl.model.workloads import Workload

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[WORKLOAD]...", help="Workloads by name, or as TYPE/NAME (job/train), or TYPE and names."),
]
Everything = Annotated[bool, typer.Option("--all", help="Take all Workloads of the namespace, or with -A of all.")]
For = Annotated[
    str | None, typer.Option("--for", metavar="TYPE/NAME", help="Keep what was made for this job, pod or owner.")
]
NoPreview = Annotated[
    bool,
    typer.Option(
        "--no-preview", help="Don't work out what comes of it: only workloads and their queues are read then."
    ),
]
_KINDS = (kinds.WORKLOAD, *kinds.OWNER_KINDS)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for: words or selectors, never both."""

    words: Sequence[str] = ()
    selector: str | None = None
    clusterqueue: str | None = None
    localqueue: str | None = None
    owner: str | None = None
    everything: bool = False

    @property
    def has_selectors(self) -> bool:
        """Whether workloads are chosen by what they have in common."""
        given = (self.selector, self.clusterqueue, self.localqueue, self.owner)
        return self.everything or any(value is not None for value in given)

    @property
    def names_namespaces(self) -> bool:
        """Whether a name says its namespace, so that one namespace is not enough to read."""
        firsts = [word.partition("/")[0] for word in self.words if "/" in word]
        return any(kinds.find(first, _KINDS) is None for first in firsts)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Keys of workloads, each once; `are_named` where the command line names them one by one."""

    keys: tuple[str, ...]
    are_named: bool


def check(wanted: Wanted) -> None:
    """Raise UsageError where nothing, or both names and selectors are given."""
    if wanted.words and wanted.has_selectors:
        raise UsageError("name cannot be provided when a selector is specified", hint="give names, or selectors")
    if not wanted.words and not wanted.has_selectors:
        raise UsageError("no workload named", hint="name Workloads, or give -l, -c, -q, --for or --all")


def choose(run: Run, loaded: Loaded, wanted: Wanted) -> Chosen:
    """The workloads that were asked for. Raises NotFoundError for a name that isn't there."""
    check(wanted)
    if wanted.words:
        keys = [key for word in _references(wanted.words) for key in _named(run, loaded, word)]
        return Chosen(tuple(dict.fromkeys(keys)), True)
    namespace = loading.namespace(run)
    among = [
        workload
        for workload in loaded.state.workloads.values()
        if (namespace is None or workload.namespace == namespace) and _is_kept(workload, loaded, wanted)
    ]
    if wanted.owner is not None:
        own = set(_of_owner(run, loaded, kinds.reference(wanted.owner, flag="--for")))
        among = [workload for workload in among if workload.key in own]
    return Chosen(tuple(sorted(workload.key for workload in among)), False)


def _is_kept(workload: Workload, loaded: Loaded, wanted: Wanted) -> bool:
    from kueuectl.report.views import workloads

    return (
        (wanted.localqueue is None or workload.queue_name == wanted.localqueue)
        and (
            wanted.clusterqueue is None
            or workloads.cluster_queue(workload, loaded.state.local_queues) == wanted.clusterqueue
        )
        and selectors.matches(selectors.parse(wanted.selector), dict(workload.labels))
    )


def _references(words: Sequence[str]) -> list[str | Reference]:
    """Names and references: `workload a b`, `job train`, `job/train`, `a b`, `team-a/a`."""
    kind = kinds.find(words[0], _KINDS)
    if kind is not None and "/" not in words[0]:
        return list(kinds.references(words, _KINDS))
    found: list[str | Reference] = []
    for word in words:
        first, slash, name = word.partition("/")
        known = kinds.find(first, _KINDS) if slash else None
        found.append(word if known is None else Reference(known, name))
    return found


def _named(run: Run, loaded: Loaded, word: str | Reference) -> list[str]:
    if isinstance(word, str):
        return [objects.workload(run, loaded.state, word)]
    if word.kind is kinds.WORKLOAD:
        return [objects.key(run, word, loaded.state.workloads)]
    return _of_owner(run, loaded, word)


def _of_owner(run: Run, loaded: Loaded, reference: Reference) -> list[str]:
    """Keys of the workloads of a job, those that are not finished first; raises NotFoundError where there are none."""
    from kueuectl.engine import workloads
    from kueuectl.report.views.owners import Ownership

    namespace = loading.namespace(run)
    state = loading.with_owner(run, loaded, reference, namespace=namespace)
    ownership = Ownership(
        state, kind=reference.kind.name, name=reference.name, group=reference.kind.group, namespace=namespace
    )
    found = [workload for workload in state.workloads.values() if ownership.owns_workload(workload)]
    if not found:
        error = objects.not_found(reference)
        if ownership.is_known:
            error.problem = f"{reference.kind.resource} {reference.name} has no Workload"
        raise error
    return [workload.key for workload in sorted(found, key=lambda w: (workloads.is_finished(w), w.key))]
