"""The wire format of Kueue's Configuration, v1beta1 and v1beta2."""

from __future__ import annotations

from typing import Annotated

from kueuectl.api import wire

DURATION = "duration"
Duration = Annotated[str, DURATION]


class RequeuingStrategy(wire.Wire):
    """waitForPodsReady.requeuingStrategy."""

    timestamp: str | None = None
    backoff_limit_count: wire.Int32 | None = None
    backoff_base_seconds: wire.Int32 | None = None
    backoff_max_seconds: wire.Int32 | None = None


class WaitForPodsReady(wire.Wire):
    """waitForPodsReady; enable is v1beta1's."""

    enable: bool | None = None
    timeout: Duration | None = None
    block_admission: bool | None = None
    recovery_timeout: Duration | None = None
    requeuing_strategy: RequeuingStrategy | None = None


class FairSharing(wire.Wire):
    """fairSharing; enable is v1beta1's."""

    enable: bool | None = None
    preemption_strategies: list[str] | None = None


class AdmissionFairSharing(wire.Wire):
    """admissionFairSharing."""

    usage_half_life_time: Duration | None = None
    usage_sampling_interval: Duration | None = None
    resource_weights: dict[str, float] | None = None


class Transformation(wire.Wire):
    """resources.transformations[]."""

    input: str | None = None
    strategy: str | None = None
    multiply_by: str | None = None
    outputs: wire.Quantities | None = None


class DeviceClassMapping(wire.Wire):
    """resources.deviceClassMappings[]."""

    name: str | None = None
    device_class_names: list[str] | None = None


class Resources(wire.Wire):
    """resources."""

    quota_check_strategy: str | None = None
    exclude_resource_prefixes: list[str] | None = None
    transformations: list[Transformation] | None = None
    device_class_mappings: list[DeviceClassMapping] | None = None


class Integrations(wire.Wire):
    """integrations."""

    frameworks: list[str] | None = None


class Configuration(wire.Wire):
    """A Configuration of config.kueue.x-k8s.io."""

    api_version: str | None = None
    kind: str | None = None
    manage_jobs_without_queue_name: bool | None = None
    wait_for_pods_ready: WaitForPodsReady | None = None
    integrations: Integrations | None = None
    fair_sharing: FairSharing | None = None
    admission_fair_sharing: AdmissionFairSharing | None = None
    resources: Resources | None = None
    feature_gates: dict[str, bool] | None = None
