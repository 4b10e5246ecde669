"""Sweeps: the file that names the variants, and running them.

grid:                                              # every combination of these
  clusterqueue/vision:a100/nvidia.com/gpu.nominal: [8, 16, 24]
  "clusterqueue/a:weight, clusterqueue/b:weight": [1, 2]      # the same value in two places
  fairSharing: [false, true]
  gate/PrioritizePreemptorWorkloads: [false, true]
variants:                                          # and these besides
  - name: merged
    set: [clusterqueue/a:cohort=all]
    delete: [cohort/team]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

from kueuectl.analysis import sweep
from kueuectl.analysis.dry_run_play import Readers
from kueuectl.analysis.sweep import Row
from kueuectl.cli.frame import changing, cores
from kueuectl.cli.frame.changing import Changed, Wanted
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.errors import InputError, KueuectlError
from kueuectl.model.settings import DEFAULT_GATES, FAIR_SHARING_STRATEGIES, Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.store import manifests as files

MAX_VARIANTS = 10_000
_GATE = "gate/"
_FAIR = "fairSharing"
_SHOWN = 60


class Variant(NamedTuple):
    """One row of the table: what it is called, and what is changed for it."""

    name: str
    values: tuple[tuple[str, str], ...] = ()
    sets: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    settings: tuple[tuple[str, Any], ...] = ()


class Swept(NamedTuple):
    """A variant with what came of it."""

    variant: Variant
    row: Row


def read(run: Run, path: str) -> list[Variant]:
    """The variants of a file, the first one unchanged; raises InputError with the place in the file."""
    docs = files.read_plain(path, stdin=run.environment.stdin_bytes)
    unknown = next((key for key in docs if key not in ("grid", "variants")), None)
    if unknown is not None:
        raise InputError("unknown field", source=path, path=str(unknown)[:_SHOWN], hint="use grid and variants")
    found = [Variant("as it is"), *_grid(docs.get("grid"), path), *_named(docs.get("variants"), path)]
    if len(found) < 2:
        raise InputError("names no variants", source=path, hint="give grid: {SET-PATH: [VALUES]} or variants: [...]")
    return found


def _grid(found: Any, path: str) -> Iterator[Variant]:
    if found is None:
        return
    if not isinstance(found, dict):
        raise InputError("expected a map of paths to lists of values", source=path, path="grid")
    axes: list[list[tuple[str, Any]]] = []
    total = 1
    for key, values in found.items():
        if not isinstance(values, list) or not values:
            raise InputError("expected a list of values", source=path, path=f"grid.{str(key)[:_SHOWN]}")
        axes.append([(str(key), value) for value in values])
        total *= len(values)
        if total > MAX_VARIANTS:
            raise InputError(f"has more than {MAX_VARIANTS} combinations", source=path, path="grid")
    for combination in itertools.product(*axes) if axes else ():
        yield _combined(combination, path)


def _combined(combination: tuple[tuple[str, Any], ...], path: str) -> Variant:
    sets, settings, values = [], [], []
    for key, value in combination:
        values.append((key, _text(value)))
        if key == _FAIR or key.startswith(_GATE):
            settings.append(_setting(key, value, path))
        else:
            sets += [f"{target.strip()}={_text(value)}" for target in key.split(",")]
    name = ", ".join(f"{key}={value}" for key, value in values)
    return Variant(name, tuple(values), tuple(sets), (), tuple(settings))


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _setting(key: str, value: Any, path: str) -> tuple[str, Any]:
    """(name, value) of a setting of Kueue's configuration; raises InputError."""
    where = f"grid.{key[:_SHOWN]}"
    if key == _FAIR:
        if value is True:
            return key, FAIR_SHARING_STRATEGIES
        if value is False or value is None:
            return key, None
        wanted = tuple(value) if isinstance(value, list) else (value,)
        if not wanted or not set(wanted) <= set(FAIR_SHARING_STRATEGIES):
            allowed = ", ".join(FAIR_SHARING_STRATEGIES)
            raise InputError(f"expected true, false, or of {allowed}", source=path, path=where)
        return key, wanted
    name = key.removeprefix(_GATE)
    if name not in DEFAULT_GATES or not isinstance(value, bool):
        problem = "expected true or false" if name in DEFAULT_GATES else "no gate of this name changes decisions"
        raise InputError(problem, source=path, path=where)
    return key, value


def _named(found: Any, path: str) -> Iterator[Variant]:
    if found is None:
        return
    if not isinstance(found, list):
        raise InputError("expected a list", source=path, path="variants")
    for index, entry in enumerate(found):
        where = f"variants[{index}]"
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise InputError("expected a map with a name", source=path, path=where)
        unknown = next((key for key in entry if key not in ("name", "set", "delete", _FAIR, "gates")), None)
        if unknown is not None:
            raise InputError("unknown field", source=path, path=f"{where}.{str(unknown)[:_SHOWN]}")
        gates = entry.get("gates") or {}
        if not isinstance(gates, dict):
            raise InputError("expected a map", source=path, path=f"{where}.gates")
        settings = [_setting(f"{_GATE}{name}", value, path) for name, value in gates.items()]
        if _FAIR in entry:
            settings.append(_setting(_FAIR, entry[_FAIR], path))
        yield Variant(
            entry["name"],
            sets=_texts(entry, "set", where, path),
            deletes=_texts(entry, "delete", where, path),
            settings=tuple(settings),
        )


def _texts(entry: dict[str, Any], key: str, where: str, path: str) -> tuple[str, ...]:
    found = entry.get(key) or []
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise InputError("expected a list of texts", source=path, path=f"{where}.{key}")
    return tuple(found)


def _settings(settings: Settings, variant: Variant) -> Settings:
    for name, value in variant.settings:
        if name == _FAIR:
            settings = replace(settings, fair_sharing=value)
        else:
            settings = replace(settings, gates={**settings.gates, name.removeprefix(_GATE): value})
    return settings


def _state(run: Run, loaded: Loaded, variant: Variant) -> ClusterState:
    wanted = Wanted(sets=variant.sets, deletes=variant.deletes)
    return changing.apply(run, loaded, wanted).state


def sweep_all(
    run: Run, loaded: Loaded, changed: Changed, variants: list[Variant], *, max_rounds: int | None
) -> list[Swept]:
    """What comes of each variant of a changed state, in their order. All are checked before the first one runs."""
    base = loaded._replace(state=changed.state)
    names: frozenset[str] = frozenset()
    everything = any(variant.settings for variant in variants)
    for variant in variants:
        try:
            state = _state(run, base, variant)
        except KueuectlError as error:
            raise InputError(f"variant {variant.name}: {error}", hint=error.hint) from error
        if not everything:
            names |= sweep.touched(base.state, state)
    if everything:
        names = sweep.ALL

    readers = Readers(base.state, loaded.settings)

    def work(number: int) -> Row:
        variant = variants[number]
        return sweep.measure(
            base.state,
            _state(run, base, variant),
            _settings(loaded.settings, variant),
            now=loaded.now,
            names=names,
            max_rounds=max_rounds,
            readers=readers,
        )

    rows: dict[int, Row] = {}
    with run.progress("running") as show:
        for number, row in cores.each(work, len(variants)):
            rows[number] = row
            if show is not None:
                show("variants", len(rows), len(variants))
    return [Swept(variant, rows[number]) for number, variant in enumerate(variants)]
