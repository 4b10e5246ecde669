"""Find the object that a user named, in the namespace that the flags choose."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

from kueuectl.cli.frame import kinds, loading
from kueuectl.cli.frame.kinds import Reference
from kueuectl.cli.frame.run import Run
from kueuectl.errors import KueuectlError, NotFoundError, UsageError
from kueuectl.model.state import ClusterState
from kueuectl.report import text

# Comparing is slow: a suggestion isn't worth seconds.
_MOST_COMPARED = 5000
# Namespaces that a message lists.
_MOST_PLACES = 5


def not_found(reference: Reference, among: Iterable[str] = ()) -> NotFoundError:
    """The error for an object that is not there, as the API server words it; `among` are names to suggest from."""
    from difflib import get_close_matches

    near = get_close_matches(reference.name, list(islice(among, _MOST_COMPARED)), n=1)
    hint = f"did you mean {near[0]!r}?" if near else ""
    return NotFoundError(f'{text.clean(reference.kind.resource)} "{text.clean(reference.name)}" not found', hint=hint)


def key(run: Run, reference: Reference, among: Collection[str]) -> str:
    """The one key (namespace/name) of that name: in the namespace, or in any where none is chosen."""
    namespace = loading.namespace(run)
    wanted = f"{namespace}/{reference.name}" if namespace is not None else f"/{reference.name}"
    found = [entry for entry in among if (entry == wanted if namespace is not None else entry.endswith(wanted))]
    if not found:
        raise _not_in(reference, among, namespace)
    if len(found) > 1:
        places = ", ".join(sorted(text.clean(entry.partition("/")[0]) for entry in found)[:_MOST_PLACES])
        raise UsageError(
            f'"{text.clean(reference.name)}" is in several namespaces: {places}', hint="choose one with -n"
        )
    return found[0]


def _not_in(reference: Reference, among: Collection[str], namespace: str | None) -> NotFoundError:
    """The error for what is not in the namespace, with where else there is one, or with a name that is like it."""
    elsewhere = sorted(entry.partition("/")[0] for entry in among if entry.endswith(f"/{reference.name}"))
    if namespace is None or not elsewhere:
        error = not_found(reference, [entry.rpartition("/")[2] for entry in among])
        if namespace is not None and not error.hint:
            error.hint = f"it was looked for in namespace {text.clean(namespace)}; -n chooses another"
        return error
    error = not_found(reference)
    more = ", ..." if len(elsewhere) > _MOST_PLACES else ""
    error.hint = f"there is one in namespace {text.clean(', '.join(elsewhere[:_MOST_PLACES]))}{more}"
    return error


def workload(run: Run, state: ClusterState, name: str, *, holding: bool = False) -> str:
    """The key of a workload named NAME or NAMESPACE/NAME or workload/NAME; with `holding` it must hold quota."""
    first, slash, rest = name.partition("/")
    if slash and kinds.find(first, (kinds.WORKLOAD,)) is not None:
        found = key(run, Reference(kinds.WORKLOAD, rest), state.workloads)
    elif slash:
        if name not in state.workloads:
            raise not_found(Reference(kinds.WORKLOAD, name))
        found = name
    else:
        found = key(run, Reference(kinds.WORKLOAD, name), state.workloads)
    if holding:
        from kueuectl.engine import workloads

        subject = state.workloads[found]
        admission = subject.admission
        if admission is None or not workloads.holds_quota(subject):
            raise KueuectlError(f"workload {text.clean(found)} holds no quota", hint="only such a one can be evicted")
        if admission.cluster_queue not in state.cluster_queues:
            raise KueuectlError(f"ClusterQueue {text.clean(admission.cluster_queue)} of {text.clean(found)} is unknown")
    return found
