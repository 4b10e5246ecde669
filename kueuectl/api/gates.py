"""Feature gates: which names Kueue knows, and what its Deployment's arguments say."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from kueuectl.errors import InputError
from kueuectl.model.settings import DEFAULT_GATES

FLAG = "--feature-gates"

# Gates of v0.19 that change no decision, so the model does not hold them.
WITHOUT_EFFECT = frozenset(
    {
        "AssignQueueLabelsForPods",
        "CleanupProvisioningRequestsOnEviction",
        "CustomMetricLabels",
        "DeferRayServiceFinalizationForRedisCleanup",
        "FailureRecoveryPolicy",
        "FastQuotaReleaseInPodIntegration",
        "FinishOrphanedWorkloads",
        "LWSImmutableGroupSize",
        "LocalQueueDefaulting",
        "LocalQueueMetrics",
        "ManagedJobsNamespaceSelectorAlwaysRespected",
        "MetricForWorkloadCreationLatency",
        "MetricsForCohorts",
        "MultiKueueAdaptersForCustomJobs",
        "MultiKueueAllowInsecureKubeconfigs",
        "MultiKueueClusterProfile",
        "MultiKueueIncrementalDispatcherConfig",
        "MultiKueueIncrementalDispatcherRespectConfigOrder",
        "MultiKueueKubeConfigPathValidation",
        "MultiKueueManagerQuotaAutomation",
        "MultiKueueRedoAdmissionOnEvictionInWorker",
        "MultiKueueRemoteSpecSync",
        "MultiKueueWaitForWorkloadAdmitted",
        "ObjectRetentionPolicies",
        "PodIntegrationValidateGroupOwner",
        "PropagateBatchJobLabelsToWorkload",
        "RejectUpdatesToCQWithInvalidOnFlavors",
        "RemoveFinalizersWithStrictPatch",
        "SchedulerLibraryIntegration",
        "ShortWorkloadNames",
        "SkipAncestorCheckForDeletedWorkloads",
        "SkipFinalizersForPodsSuspendedByParent",
        "SparkApplicationIntegration",
        "TASAssignmentsEncodingByHostnamePrefix",
        "TASCacheNodeMatchResults",
        "TASCacheTopologyTree",
        "TASCachingRemainingResources",
        "TASReplaceNodeDueToNotReadyOverFixedTime",
        "TASValidateWorkloadSliceSize",
        "TLSOptions",
        "ValidateRayAndSparkJobUpdates",
        "VectorizedResourceRequests",
        "VisibilityOnDemand",
        "WorkloadIdentifierAnnotations",
        "WorkloadRequestUseMergePatch",
        "WorkloadValidationForPodSetMetadata",
    }
)


def parse(text: str) -> dict[str, bool]:
    """Gates of a flag's text, `A=true,B=false`; raises InputError on anything else."""
    gates = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not name and not equals:
            continue
        if value.strip().lower() not in ("true", "false"):
            raise InputError(f"{part.strip()[:60]!r} is not a feature gate", hint="write it as Name=true or Name=false")
        gates[name.strip()] = value.strip().lower() == "true"
    return gates


def of_deployment(doc: dict[str, Any], *, source: str = "") -> dict[str, bool]:
    """Gates that the arguments of a Deployment's containers set; empty where it has none or has another shape."""
    at: Any = doc
    for key in ("spec", "template", "spec", "containers"):
        at = at.get(key) if isinstance(at, dict) else None
    gates: dict[str, bool] = {}
    for container in at if isinstance(at, list) else ():
        for text in _flags(container if isinstance(container, dict) else {}):
            try:
                gates.update(parse(text))
            except InputError as error:
                raise InputError(
                    error.problem,
                    source=source,
                    obj="Deployment",
                    path="spec.template.spec.containers",
                    hint=error.hint,
                ) from error
    return gates


def _flags(container: dict[str, Any]) -> list[str]:
    """The texts of the flag in the command and arguments, in both of its spellings."""
    words = []
    for key in ("command", "args"):
        found = container.get(key)
        words += [word for word in found if isinstance(word, str)] if isinstance(found, list) else []
    texts = [word[len(FLAG) + 1 :] for word in words if word.startswith(FLAG + "=")]
    texts += [after for word, after in itertools.pairwise(words) if word == FLAG]
    return texts


def merge(changed: Mapping[str, bool]) -> tuple[Mapping[str, bool], tuple[str, ...]]:
    """All gates with the changed ones, and a warning for each that Kueue v0.19 does not have."""
    known = {name: value for name, value in changed.items() if name not in WITHOUT_EFFECT}
    warnings = tuple(
        f"feature gate {name[:80]} is not known; what it changes is not modelled"
        for name in sorted(known)
        if name not in DEFAULT_GATES
    )
    return ({**DEFAULT_GATES, **known} if known else DEFAULT_GATES), warnings
