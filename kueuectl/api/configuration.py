"""Kueue's Configuration to Settings, with the defaults of its version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from kueuectl import times
from kueuectl.api import decoding, durations, faults, gates, wire_configuration
from kueuectl.api.pool import Pool
from kueuectl.errors import InputError, KueuectlError
from kueuectl.model.settings import (
    FAIR_SHARING_STRATEGIES,
    AdmissionFairSharing,
    DeviceClassMapping,
    Settings,
    Transformation,
    WaitForPodsReady,
)

V1BETA1 = "config.kueue.x-k8s.io/v1beta1"
V1BETA2 = "config.kueue.x-k8s.io/v1beta2"

# The key of Kueue's ConfigMap that holds the Configuration.
CONFIG_KEY = "controller_manager_config.yaml"

_DEFAULT_TIMEOUT = 30 * times.MINUTE
_OLD_DEFAULT_TIMEOUT = 5 * times.MINUTE
_DEFAULT_SAMPLING = 5 * times.MINUTE
_DEFAULT_FRAMEWORKS = ("batch/job",)
_DISABLE_GATE = "DisableWaitForPodsReady"
_STRATEGIES = (FAIR_SHARING_STRATEGIES, FAIR_SHARING_STRATEGIES[:1], FAIR_SHARING_STRATEGIES[1:])


class Read(NamedTuple):
    """Settings, and plain sentences about what is not modelled."""

    settings: Settings
    warnings: tuple[str, ...]


def defaults(*, flags: Mapping[str, bool] | None = None, source: str = "") -> Read:
    """The settings of Kueue v0.19 without a Configuration; flags are gates of its Deployment's arguments.

    `frameworks` stays empty: which integrations are on can't be known.
    """
    merged, warnings = gates.merge(flags or {})
    ready = None if merged.get(_DISABLE_GATE) else _ready(wire_configuration.WaitForPodsReady(), is_old=False)
    return Read(Settings(wait_for_pods_ready=ready, gates=merged, source=source), warnings)


def read(doc: Any, *, source: str = "", flags: Mapping[str, bool] | None = None) -> Read:
    """The settings that a parsed Configuration makes; flags are gates of the Deployment's arguments, and win.

    Raises InputError with the field path.
    """
    found = decode(doc, source=source)
    is_old = found.api_version == V1BETA1
    resources = found.resources or wire_configuration.Resources()
    try:
        merged, warnings = gates.merge({**(found.feature_gates or {}), **(flags or {})})
        ready = _ready(found.wait_for_pods_ready, is_old=is_old)
        settings = Settings(
            fair_sharing=_fair_sharing(found.fair_sharing, is_old=is_old),
            wait_for_pods_ready=None if merged.get(_DISABLE_GATE) else ready,
            admission_fair_sharing=_admission_fair_sharing(found.admission_fair_sharing),
            exclude_resource_prefixes=tuple(resources.exclude_resource_prefixes or ()),
            transformations=_transformations(resources),
            quota_check_strategy=_quota_check(resources),
            device_class_mappings=tuple(
                DeviceClassMapping(mapping.name or "", tuple(mapping.device_class_names or ()))
                for mapping in resources.device_class_mappings or ()
            ),
            manage_jobs_without_queue_name=bool(found.manage_jobs_without_queue_name),
            frameworks=tuple((found.integrations.frameworks if found.integrations else None) or _DEFAULT_FRAMEWORKS),
            gates=merged,
            source=source,
        )
    except KueuectlError as error:
        raise _place(error, doc, source) from error
    if found.feature_gates and flags:
        warnings += ("feature gates stand both in the Configuration and in arguments; Kueue takes only one of them",)
    return Read(settings, warnings)


def decode(doc: Any, *, source: str = "") -> wire_configuration.Configuration:
    """The wire form of a parsed Configuration. Raises InputError with the field path."""
    if not isinstance(doc, dict):
        raise InputError(f"expected a Configuration, found {faults.describe(doc)}", source=source)
    raw = decoding.encode(doc, source=source)
    try:
        found = msgspec.json.decode(raw, type=wire_configuration.Configuration)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _place(InputError(str(error)), doc, source) from error
    if found.kind != "Configuration":
        raise InputError(
            f"expected the kind Configuration, found {faults.describe(found.kind)}",
            source=source,
            path="kind",
            hint="give the text of Kueue's controller_manager_config.yaml",
        )
    if found.api_version not in (V1BETA1, V1BETA2):
        raise InputError(
            f"version {str(found.api_version)[:60]!r} of Configuration is not known",
            source=source,
            obj="Configuration",
            path="apiVersion",
            hint=f"known: {V1BETA2}, {V1BETA1}",
        )
    return found


def _place(error: KueuectlError, doc: Any, source: str) -> InputError:
    fault = None
    if not (isinstance(error, InputError) and error.path):
        fault = faults.find(doc, wire_configuration.Configuration)
    path = fault.path if fault else getattr(error, "path", "")
    problem = fault.problem if fault else error.problem
    return InputError(problem, source=source, obj="Configuration", path=path, hint=error.hint)


def _ready(found: wire_configuration.WaitForPodsReady | None, *, is_old: bool) -> WaitForPodsReady | None:
    """v1beta1 is off unless enabled, and blocks unless told otherwise; v1beta2 is on and does not block."""
    if is_old and not (found and found.enable):
        return None
    found = found or wire_configuration.WaitForPodsReady()
    timeout = durations.parse(found.timeout) if found.timeout else 0
    timeout = timeout or (_OLD_DEFAULT_TIMEOUT if is_old else _DEFAULT_TIMEOUT)
    strategy = found.requeuing_strategy or wire_configuration.RequeuingStrategy()
    timestamp = strategy.timestamp or "Eviction"
    if timestamp not in ("Eviction", "Creation"):
        _refuse(timestamp, "waitForPodsReady.requeuingStrategy.timestamp", "Eviction or Creation")
    return WaitForPodsReady(
        timeout=timeout,
        block_admission=is_old if found.block_admission is None else found.block_admission,
        recovery_timeout=durations.parse(found.recovery_timeout) if found.recovery_timeout else timeout,
        requeuing_timestamp=timestamp,
        backoff_limit_count=strategy.backoff_limit_count,
        backoff_base_seconds=60 if strategy.backoff_base_seconds is None else strategy.backoff_base_seconds,
        backoff_max_seconds=3600 if strategy.backoff_max_seconds is None else strategy.backoff_max_seconds,
    )


def _fair_sharing(found: wire_configuration.FairSharing | None, *, is_old: bool) -> tuple[str, ...] | None:
    if found is None or (is_old and not found.enable):
        return None
    strategies = tuple(found.preemption_strategies or ()) or FAIR_SHARING_STRATEGIES
    if strategies not in _STRATEGIES:
        allowed = "; ".join(", ".join(entry) for entry in _STRATEGIES)
        _refuse(", ".join(strategies), "fairSharing.preemptionStrategies", f"one of: {allowed}")
    return strategies


def _admission_fair_sharing(found: wire_configuration.AdmissionFairSharing | None) -> AdmissionFairSharing | None:
    if found is None:
        return None
    sampling = durations.parse(found.usage_sampling_interval) if found.usage_sampling_interval else 0
    return AdmissionFairSharing(
        usage_half_life_time=durations.parse(found.usage_half_life_time) if found.usage_half_life_time else 0,
        usage_sampling_interval=sampling or _DEFAULT_SAMPLING,
        resource_weights=tuple(sorted((found.resource_weights or {}).items())),
    )


def _transformations(resources: wire_configuration.Resources) -> tuple[Transformation, ...]:
    pool = Pool()
    found = []
    for index, entry in enumerate(resources.transformations or ()):
        strategy = entry.strategy or "Retain"
        if strategy not in ("Retain", "Replace"):
            _refuse(strategy, f"resources.transformations[{index}].strategy", "Retain or Replace")
        found.append(Transformation(entry.input or "", strategy, entry.multiply_by or "", pool.nanos(entry.outputs)))
    return tuple(found)


def _quota_check(resources: wire_configuration.Resources) -> str:
    strategy = resources.quota_check_strategy or "BlockUndeclared"
    if strategy not in ("BlockUndeclared", "IgnoreUndeclared"):
        _refuse(strategy, "resources.quotaCheckStrategy", "BlockUndeclared or IgnoreUndeclared")
    if strategy == "IgnoreUndeclared" and resources.exclude_resource_prefixes:
        raise InputError(
            "cannot be combined with quotaCheckStrategy IgnoreUndeclared", path="resources.excludeResourcePrefixes"
        )
    return strategy


def _refuse(value: str, path: str, allowed: str) -> None:
    raise InputError(f"{value[:60]!r} is not known", path=path, hint=f"allowed: {allowed}")
