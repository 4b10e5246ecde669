"""Bring in what a command needs, from dumps or from a cluster, with one interface after that."""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from kueuectl.cli.frame import kinds
from kueuectl.cli.frame.kinds import Kind, Reference
from kueuectl.cli.frame.run import Run
from kueuectl.model.queues import MAX_COHORT_LEVELS
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState

if TYPE_CHECKING:
    from kueuectl.report.views.usage import NodeView
    from kueuectl.store.load import Loaded as Dump


_NO_CONFIGURATION = "the input has no Configuration"
# Python's own limit, and what a level may take at most (a nested YAML document takes the most).
_CALLS, _CALLS_A_LEVEL = 1000, 20


class Loaded(NamedTuple):
    """A state, the settings that it is judged by, and its time in nanoseconds."""

    state: ClusterState
    settings: Settings
    now: int


def namespace(run: Run) -> str | None:
    """The namespace to look at; None for all. A dump has no current namespace, so without -n it means all."""
    if run.flags.all_namespaces:
        return None
    if run.flags.namespace:
        return run.flags.namespace
    if run.is_offline:
        return None
    from kueuectl.cli.frame import live

    return live.current_namespace(run)


def load(run: Run, *wanted: Kind, with_settings: bool = False) -> Loaded:
    """The state with at least these kinds. The first one must be readable; of the others what can't be is a warning.

    A dump is read whole. Of a cluster only these kinds are listed, in the namespace that the flags choose, and its
    own configuration is only looked up `with_settings`.
    """
    if run.is_offline:
        return _offline(run, decides=False)
    from kueuectl.cli.frame import live

    return _with_room(live.load(run, wanted, with_settings=with_settings))


def load_all(run: Run, *, decides: bool = True) -> Loaded:
    """The whole state, with all that decisions depend on; without `decides` they are only shown, not worked out."""
    if run.is_offline:
        return _offline(run, decides=decides)
    from kueuectl.cli.frame import live

    return _with_room(live.load_all(run))


def trees(loaded: Loaded, cohort: str | None) -> tuple[NodeView, ...]:
    """Quota and usage of all cohort trees, or of one cohort; raises NotFoundError for one that nobody names."""
    from kueuectl.cli.frame import objects
    from kueuectl.report.views import usage

    if cohort is not None and not usage.is_cohort(loaded.state, cohort):
        raise objects.not_found(Reference(kinds.COHORT, cohort), usage.cohort_names(loaded.state))
    return usage.views(loaded.state, loaded.settings, cohort=cohort)


def dump(run: Run) -> Dump:
    """The dumps of --from, read once in a run."""
    found: Dump | None = run.cache.get("dump")
    if found is None:
        from kueuectl.store.load import load as load_dumps

        flags = run.flags
        found = load_dumps(
            flags.sources,
            stdin=stdin(run),
            kueue_config=flags.kueue_config,
            now=flags.now,
            clock=run.environment.clock,
        )
        run.cache["dump"] = found
    return found


def stdin(run: Run) -> BinaryIO:
    """Standard input as bytes. It can be read only once, so where raw objects follow it is kept in memory."""
    if "-" not in (*run.flags.sources, run.flags.kueue_config):
        return io.BytesIO()
    stream = run.environment.stdin_bytes
    if (run.format.is_table and not run.rereads_input) or run.flags.kueue_config == "-":
        return stream
    if "stdin" not in run.cache:
        run.cache["stdin"] = stream.read()
    return io.BytesIO(run.cache["stdin"])


def _offline(run: Run, *, decides: bool) -> Loaded:
    """The dumps; that defaults stand in for a Configuration is only worth a warning where something is decided."""
    found = dump(run)
    for warning in found.warnings:
        if decides or not warning.startswith(_NO_CONFIGURATION):
            run.warn(warning)
    return _with_room(Loaded(found.state, found.settings, found.now))


def _with_room(loaded: Loaded) -> Loaded:
    """What goes down a tree of cohorts calls itself for each level, so a deep one needs room for calls.

    Python's limit guards against text that is nested without end; it moves only once all text is read.
    """
    parents = {cohort.parent for cohort in loaded.state.cohorts.values() if cohort.parent}
    levels = min(len(parents), MAX_COHORT_LEVELS)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _CALLS + _CALLS_A_LEVEL * levels))
    return loaded


def raw(run: Run, kind: Kind, *, namespace: str | None) -> Iterator[dict[str, Any]]:
    """Raw objects of a kind as their source has them, in a namespace (None: in all)."""
    if run.is_offline:
        for item in raw_of_kinds(run, (kind.name,)):
            metadata = item.get("metadata")
            inside = metadata.get("namespace") if isinstance(metadata, dict) else None
            if namespace is None or not kind.is_namespaced or inside == namespace:
                yield item
        return
    from kueuectl.cli.frame import live

    yield from live.raw(run, kind, namespace=namespace)


def raw_of_kinds(run: Run, kinds: Collection[str]) -> Iterator[dict[str, Any]]:
    """Raw objects of some kinds in the dumps of --from, as they are there."""
    import gc

    from kueuectl.store.raw import iterate

    # Two thirds of the time to build that many dicts would go into looking at them again and again.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield from iterate(run.flags.sources, stdin=stdin(run), kinds=kinds)
    finally:
        if was_on:
            gc.enable()


def with_owner(run: Run, loaded: Loaded, reference: Reference, *, namespace: str | None) -> ClusterState:
    """The state with the named object among its owners, if the source has it."""
    if run.is_offline:
        return loaded.state
    from kueuectl.cli.frame import live

    return live.with_owner(run, loaded.state, reference, namespace=namespace)
