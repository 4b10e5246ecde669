"""Reads a saved state: sources to ClusterState, Settings and the time of it all."""

from __future__ import annotations

import gc
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from kueuectl import times
from kueuectl.api import configuration
from kueuectl.api.collect import Collector
from kueuectl.api.installation import Found
from kueuectl.errors import InputError, UsageError
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.store import sources

_NO_TIME = "the input does not say when it was saved, so the clock of this machine is used; --now TIME sets it"
_NO_CONFIG = "the input has no Configuration of Kueue, so the defaults of v0.19 are used; --kueue-config FILE sets it"
_CONFIG_GROUP = "config.kueue.x-k8s.io/"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A state that was read. now: nanoseconds; warnings: plain sentences, those of the state among them."""

    state: ClusterState
    settings: Settings
    now: int
    warnings: tuple[str, ...]
    # What was read, for the user: the arguments as they were given.
    origin: str


def load(
    arguments: Sequence[str],
    *,
    stdin: BinaryIO | None = None,
    kueue_config: str | None = None,
    now: str | None = None,
    clock: Callable[[], int],
) -> Loaded:
    """Read what `--from` names. clock is asked only when neither `--now` nor a dump says the time.

    Raises InputError with file, object and field path, and UsageError for arguments that make no sense. Nothing is
    taken of an input that has a fault somewhere.
    """
    if not arguments:
        raise UsageError("nothing to read", hint="give --from FILE")
    moment = _given_time(now)
    collector = Collector()
    with _collector_off():
        for source in sources.expand(arguments, stdin=stdin):
            sources.read(source, collector)
        state = collector.state()
    read, config_warnings = _settings(collector, kueue_config, stdin=stdin)
    warnings = [*state.warnings, *config_warnings]
    if moment is None:
        moment, time_warnings = _saved_time(collector, clock)
        warnings += time_warnings
    state = replace(state, warnings=tuple(warnings))
    return Loaded(state, read, moment, tuple(warnings), ", ".join(arguments))


@contextmanager
def _collector_off() -> Iterator[None]:
    """No garbage collection while millions of objects are made, and none of them looked at again afterwards."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def _given_time(now: str | None) -> int | None:
    if now is None:
        return None
    try:
        return times.parse(now)
    except InputError as error:
        raise UsageError(f"--now: {error.problem}", hint=error.hint) from error


def _saved_time(collector: Collector, clock: Callable[[], int]) -> tuple[int, list[str]]:
    if not collector.saved_at:
        return clock(), [_NO_TIME]
    latest = max(collector.saved_at)
    if min(collector.saved_at) == latest:
        return latest, []
    return latest, [f"the dumps were saved at different times; the latest is used: {times.format_time(latest)}"]


def _settings(
    collector: Collector, kueue_config: str | None, *, stdin: BinaryIO | None
) -> tuple[Settings, tuple[str, ...]]:
    """The given Configuration, else the one among the sources, else the defaults."""
    if kueue_config is not None:
        return _given_settings(kueue_config, stdin=stdin, flags=collector.flags)
    found = _configurations(collector)
    if not found:
        settings, warnings = configuration.defaults(flags=collector.flags)
        return settings, (*warnings, _NO_CONFIG)
    return _one_of(found, collector.flags)


def load_settings(kueue_config: str, *, stdin: BinaryIO | None = None) -> Settings:
    """The settings of a file that holds Kueue's Configuration, or its ConfigMap and Deployment."""
    return _given_settings(kueue_config, stdin=stdin, flags={})[0]


def _given_settings(
    kueue_config: str, *, stdin: BinaryIO | None, flags: dict[str, bool]
) -> tuple[Settings, tuple[str, ...]]:
    given = Collector(strict=False)
    for source in sources.expand([kueue_config], stdin=stdin):
        sources.read(source, given)
    found = _configurations(given)
    if not found:
        raise InputError("holds no Configuration of Kueue", source=kueue_config)
    return _one_of(found, {**flags, **given.flags})


def _one_of(found: list[Found], flags: dict[str, bool]) -> tuple[Settings, tuple[str, ...]]:
    (where, doc), *others = found
    for other in others:
        if other.content != doc:
            raise InputError(
                f"a second Configuration of Kueue, other than that of {where}",
                source=other.source,
                hint="say which one counts: --kueue-config FILE",
            )
    settings, warnings = configuration.read(doc, source=where, flags=flags)
    return settings, warnings


def _configurations(collector: Collector) -> list[Found]:
    """Kueue's Configurations; those of other controllers in ConfigMaps of the same kind are left out."""
    found = []
    for entry in collector.configurations:
        doc = parse(entry.content, source=entry.source) if isinstance(entry.content, str) else entry.content
        version = doc.get("apiVersion") if isinstance(doc, dict) else None
        if isinstance(version, str) and version.startswith(_CONFIG_GROUP):
            found.append(Found(entry.source, doc))
    return found


def parse(text: str, *, source: str) -> Any:
    """The first document of a YAML text; None when it has none."""
    from kueuectl.store.yaml_builder import Builder

    return Builder(io.BytesIO(text.encode()), source=source).next_document()[1]
