"""What is kept of each kind in an anonymized dump, field by field, and which fields hold names.

A field that is not listed is dropped: a new one can't leak. Amounts, times, counts and words of the API stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuectl.store.anonymous_names import HOSTNAME, NAMESPACE, NODE, UID, Names, is_public
from kueuectl.store.anonymous_rules import (
    GROUPS,
    Rule,
    api_version,
    condition,
    controller,
    each,
    field_requirement,
    fields,
    gate,
    keep,
    kind_of,
    label_key,
    named,
    opaque,
    owner_reference,
    quantities,
    requirement,
    selected,
    selecting,
    special,
    split,
    taint,
    toleration,
    word,
    workload_key,
)

_CONDITIONS = each(condition)
_LABELS = special(
    queue_name=named("localQueue"),
    priority_class=named("workloadPriorityClass"),
    job_uid=named(UID),
    pod_group_name=named("workload"),
    concurrent_admission_parent=keep,
)
_ANNOTATIONS = special(
    admission_gated_by=split(gate),
    workload_slice_replacement_for=workload_key,
    workload_allowed_resource_flavors=split(named("flavor")),
    priority_boost=keep,
    pod_group_total_count=keep,
    job_min_parallelism=keep,
)


def _meta(category: str, *, labels: Rule = _LABELS) -> Rule:
    return fields(
        name=named(category),
        namespace=named(NAMESPACE),
        uid=named(UID),
        creationTimestamp=keep,
        deletionTimestamp=keep,
        generation=keep,
        labels=labels,
        annotations=_ANNOTATIONS,
        ownerReferences=each(owner_reference),
    )


_SELECTOR = fields(matchLabels=selecting, matchExpressions=each(requirement))
_GROUP = fields(
    coveredResources=each(lambda value, names: names.resource(value)),
    flavors=each(
        fields(
            name=named("flavor"),
            resources=each(fields(name=keep, nominalQuota=keep, borrowingLimit=keep, lendingLimit=keep)),
        )
    ),
)
_USAGE = each(fields(name=named("flavor"), resources=each(fields(name=keep, total=keep, borrowed=keep))))
_QUEUE_STATUS = fields(
    conditions=_CONDITIONS,
    flavorsReservation=_USAGE,
    flavorsUsage=_USAGE,
    flavorUsage=_USAGE,
    pendingWorkloads=keep,
    reservingWorkloads=keep,
    admittedWorkloads=keep,
    fairSharing=keep,
)
_TERM = fields(matchExpressions=each(requirement), matchFields=each(field_requirement))
_RESOURCES = fields(requests=quantities, limits=quantities, claims=each(fields(name=named("claim"))))
_CONTAINERS = each(fields(resources=_RESOURCES, restartPolicy=keep, ports=opaque))
_POD_SPEC_FIELDS: Mapping[str, Rule] = {
    "containers": _CONTAINERS,
    "initContainers": _CONTAINERS,
    "overhead": quantities,
    "resources": _RESOURCES,
    "nodeSelector": selecting,
    "affinity": fields(
        nodeAffinity=fields(
            requiredDuringSchedulingIgnoredDuringExecution=fields(nodeSelectorTerms=each(_TERM)),
            preferredDuringSchedulingIgnoredDuringExecution=each(fields(weight=keep, preference=_TERM)),
        ),
        podAffinity=opaque,
        podAntiAffinity=opaque,
    ),
    "tolerations": each(toleration),
    "priorityClassName": named("priorityClass"),
    "runtimeClassName": named("runtimeClass"),
    "resourceClaims": each(
        fields(name=named("claim"), resourceClaimName=named("claim"), resourceClaimTemplateName=named("claim"))
    ),
    "topologySpreadConstraints": opaque,
    "priority": keep,
}
_POD_SET = fields(
    name=named("podSet"),
    count=keep,
    minCount=keep,
    template=fields(spec=fields(**_POD_SPEC_FIELDS)),
    topologyRequest=fields(
        required=label_key,
        preferred=label_key,
        unconstrained=keep,
        podIndexLabel=label_key,
        subGroupIndexLabel=label_key,
        subGroupCount=keep,
        podSetGroupName=named("podSet"),
        podSetSliceRequiredTopology=label_key,
        podSetSliceSize=keep,
        podsetSliceRequiredTopologyConstraints=each(fields(topology=label_key, size=keep)),
    ),
)


def _flavors(value: Any, names: Names) -> Any:
    return {names.resource(name): names.text("flavor", text) for name, text in value.items()}


def _topology_assignment(value: Any, names: Names) -> Any:
    levels = value.get("levels") or []
    for level in levels:
        names.use(level)
    made: dict[str, Any] = {"levels": [names.key(level) for level in levels]}
    if value.get("domains") is not None:
        made["domains"] = [
            {
                "values": [names.value(k, v) for k, v in zip(levels, domain.get("values") or (), strict=False)],
                "count": domain.get("count"),
            }
            for domain in value["domains"]
        ]
    if value.get("slices") is not None:
        made["slices"] = [_slice(entry, levels, names) for entry in value["slices"]]
    return made


def _slice(value: Any, levels: list[str], names: Names) -> Any:
    """Values are written out: what they have in common says something about them."""
    rows: list[dict[str, Any]] = []
    for level, found in zip(levels, value.get("valuesPerLevel") or (), strict=False):
        if found.get("universal") is not None:
            rows.append({"universal": names.value(level, found["universal"])})
            continue
        parts = found.get("individual") or {}
        whole = [f"{parts.get('prefix') or ''}{root}{parts.get('suffix') or ''}" for root in parts.get("roots") or ()]
        rows.append({"individual": {"roots": [names.value(level, text) for text in whole]}})
    made = {"domainCount": value.get("domainCount"), "valuesPerLevel": rows, "podCounts": value.get("podCounts")}
    return {key: inner for key, inner in made.items() if inner is not None}


_ASSIGNMENT = fields(
    name=named("podSet"),
    flavors=_flavors,
    resourceUsage=quantities,
    count=keep,
    topologyAssignment=_topology_assignment,
    delayedTopologyRequest=keep,
)
_CHECK_STATE = fields(
    name=named("check"),
    state=keep,
    lastTransitionTime=keep,
    requeueAfterSeconds=keep,
    retryCount=keep,
    podSetUpdates=each(fields(name=named("podSet"), nodeSelector=selecting, tolerations=each(toleration))),
)


def _workload_spec(value: Any, names: Names) -> Any:
    made = _WORKLOAD_SPEC(value, names)
    ref = value.get("priorityClassRef")
    if ref is not None:
        category = "priorityClass" if ref.get("kind") == "PriorityClass" else "workloadPriorityClass"
        made["priorityClassRef"] = fields(group=keep, kind=keep, name=named(category))(ref, names)
    if value.get("priorityClassName"):
        is_pods = str(value.get("priorityClassSource")).endswith("/priorityclass")
        category = "priorityClass" if is_pods else "workloadPriorityClass"
        made["priorityClassName"] = names.text(category, value["priorityClassName"])
    return made


_WORKLOAD_SPEC = fields(
    podSets=each(_POD_SET),
    queueName=named("localQueue"),
    priorityClassSource=keep,
    priority=keep,
    active=keep,
    maximumExecutionTimeSeconds=keep,
    preemptionGates=each(fields(name=gate)),
)
_WORKLOAD_STATUS = fields(
    conditions=_CONDITIONS,
    admission=fields(clusterQueue=named("clusterQueue"), podSetAssignments=each(_ASSIGNMENT)),
    requeueState=fields(count=keep, requeueAt=keep),
    reclaimablePods=each(fields(name=named("podSet"), count=keep)),
    admissionChecks=each(_CHECK_STATE),
    resourceRequests=each(fields(name=named("podSet"), resources=quantities)),
    accumulatedPastExecutionTimeSeconds=keep,
    accumulatedPastExexcutionTimeSeconds=keep,
    schedulingStats=fields(evictions=each(fields(reason=word, underlyingCause=word, count=keep))),
    nominatedClusterNames=each(named("cluster")),
    clusterName=named("cluster"),
    unhealthyNodes=each(fields(name=named(NODE))),
    preemptionGates=each(fields(name=gate, position=keep, lastTransitionTime=keep)),
)


def _object(category: str, *, labels: Rule = _LABELS, **rules: Rule) -> Rule:
    return fields(apiVersion=keep, kind=keep, metadata=_meta(category, labels=labels), **rules)


def _owner(value: Any, names: Names) -> Any:
    return {
        "apiVersion": api_version(value["apiVersion"], names),
        "kind": kind_of(value, names),
        **_OWNER(value, names),
    }


_OWNER = fields(
    metadata=_meta("owner"),
    spec=fields(
        suspend=keep,
        runPolicy=fields(suspend=keep),
        nodeName=named(NODE),
        schedulingGates=each(fields(name=gate)),
        **_POD_SPEC_FIELDS,
    ),
    status=fields(phase=word, conditions=each(fields(type=word, status=word, reason=word, lastTransitionTime=keep))),
)


def _node_labels(value: Any, names: Names) -> Any:
    names.use(HOSTNAME)
    return selected(value, names)


CONFIGURATION = fields(
    apiVersion=keep,
    kind=keep,
    manageJobsWithoutQueueName=keep,
    waitForPodsReady=keep,
    integrations=fields(frameworks=each(lambda text, names: text if _is_framework(text) else "example.com/job")),
    fairSharing=keep,
    admissionFairSharing=keep,
    resources=fields(
        quotaCheckStrategy=keep,
        excludeResourcePrefixes=keep,
        transformations=keep,
        deviceClassMappings=each(fields(name=keep, deviceClassNames=each(named("deviceClass")))),
    ),
    featureGates=keep,
)


def _is_framework(text: str) -> bool:
    group = text.rpartition("/")[0]
    return group in (*GROUPS, "pod", "deployment", "statefulset") or is_public(f"{group}/")


KINDS: Mapping[str, Rule] = {
    "Namespace": _object(NAMESPACE, labels=selected),
    "Node": _object(
        NODE,
        labels=_node_labels,
        spec=fields(taints=each(taint), unschedulable=keep),
        status=fields(allocatable=quantities, conditions=each(fields(type=word, status=word))),
    ),
    "ResourceFlavor": _object(
        "flavor",
        spec=fields(
            nodeLabels=selecting,
            nodeTaints=each(taint),
            tolerations=each(toleration),
            topologyName=named("topology"),
        ),
    ),
    "Topology": _object("topology", spec=fields(levels=each(fields(nodeLabel=label_key)))),
    "ClusterQueue": _object(
        "clusterQueue",
        spec=fields(
            resourceGroups=each(_GROUP),
            cohortName=named("cohort"),
            cohort=named("cohort"),
            queueingStrategy=keep,
            namespaceSelector=_SELECTOR,
            flavorFungibility=keep,
            preemption=keep,
            admissionChecksStrategy=fields(
                admissionChecks=each(fields(name=named("check"), onFlavors=each(named("flavor"))))
            ),
            admissionChecks=each(named("check")),
            stopPolicy=keep,
            fairSharing=keep,
            admissionScope=keep,
            concurrentAdmissionPolicy=fields(
                migration=fields(mode=keep, constraints=fields(lastAcceptableFlavorName=named("flavor")))
            ),
        ),
        status=_QUEUE_STATUS,
    ),
    "LocalQueue": _object(
        "localQueue",
        spec=fields(clusterQueue=named("clusterQueue"), stopPolicy=keep, fairSharing=keep),
        status=_QUEUE_STATUS,
    ),
    "Cohort": _object(
        "cohort",
        spec=fields(parentName=named("cohort"), parent=named("cohort"), resourceGroups=each(_GROUP), fairSharing=keep),
        status=fields(fairSharing=keep),
    ),
    "AdmissionCheck": _object(
        "check",
        spec=fields(controllerName=controller, parameters=fields(kind=word, name=named("parameters"))),
        status=fields(conditions=_CONDITIONS),
    ),
    "WorkloadPriorityClass": _object("workloadPriorityClass", value=keep),
    "PriorityClass": _object("priorityClass", value=keep, globalDefault=keep, preemptionPolicy=keep),
    "LimitRange": _object(
        "limitRange",
        spec=fields(
            limits=each(
                fields(
                    type=keep,
                    max=quantities,
                    min=quantities,
                    default=quantities,
                    defaultRequest=quantities,
                    maxLimitRequestRatio=quantities,
                )
            )
        ),
    ),
    "RuntimeClass": _object("runtimeClass", overhead=fields(podFixed=quantities)),
    "Workload": _object("workload", spec=_workload_spec, status=_WORKLOAD_STATUS),
    "": _owner,
}
