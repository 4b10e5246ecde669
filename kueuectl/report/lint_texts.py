"""The words of lint: for each code what was found, why it matters, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kueuectl import quantity
from kueuectl.analysis.lint.findings import Amount, Code, Finding, Value
from kueuectl.report import lint_sentences
from kueuectl.report.lint_sentences import Words, count, missing, say, some

_MEBI = 2**20


class Text(NamedTuple):
    """What a code means. `message` makes the sentence of one finding; the rest is the same for all of them."""

    title: str
    message: Callable[[Words], str]
    why: str
    fix: str


def message(found: Finding) -> str:
    """What was found, in one sentence without a full stop."""
    words = {name: _word(value) for name, value in found.facts}
    return TEXTS[found.code].message(words)


def _word(value: Value) -> str:
    match value:
        case Amount(resource, amount):
            # Counters of devices are bytes too; nobody can read those as plain numbers.
            binary = (resource,) if amount % _MEBI == 0 else ()
            return quantity.format_amount(resource, amount, binary=binary)
        case str() | int():
            return str(value)
        case _:
            return ", ".join(value)


TEXTS: Mapping[Code, Text] = {
    Code.INVALID_MANIFEST: Text(
        "The manifest is refused",
        say("{problem}"),
        "The API server or Kueue's webhook refuses such an object.",
        "Correct the field.",
    ),
    Code.COHORT_CYCLE: Text(
        "Cohorts form a cycle",
        say("the cohorts lead in a circle: {cycle}"),
        "Nothing is admitted in any ClusterQueue below a cycle.",
        "Take the parentName of one of them away.",
    ),
    Code.FLAVOR_MISSING: Text(
        "A ResourceFlavor is missing",
        missing('there is no ResourceFlavor "{flavor}"'),
        "A ClusterQueue with a missing flavor is inactive and admits nothing, not even with its other flavors.",
        "Create the ResourceFlavor, correct the name, or take the flavor out.",
    ),
    Code.TOPOLOGY_MISSING: Text(
        "A Topology is missing",
        lint_sentences.topology_missing,
        "ClusterQueues that use a flavor with a missing Topology are inactive.",
        "Create the Topology or correct topologyName.",
    ),
    Code.ADMISSION_CHECK_MISSING: Text(
        "An AdmissionCheck is missing",
        missing('there is no AdmissionCheck "{check}"'),
        "A ClusterQueue with a missing check is inactive and admits nothing.",
        "Create the AdmissionCheck, correct the name, or take the check out.",
    ),
    Code.ADMISSION_CHECK_INACTIVE: Text(
        "An AdmissionCheck is inactive",
        lint_sentences.inactive,
        "A ClusterQueue with an inactive check is inactive and admits nothing.",
        "See the conditions of the check: is its controller running, and are its parameters right?",
    ),
    Code.MULTIKUEUE_CHECK_MISUSED: Text(
        "A MultiKueue check is misused",
        lint_sentences.multikueue,
        "A ClusterQueue takes one MultiKueue check, for all of its flavors; otherwise it is inactive.",
        "Leave one MultiKueue check, without onFlavors.",
    ),
    Code.CLUSTER_QUEUE_MISSING: Text(
        "A LocalQueue leads nowhere",
        missing('there is no ClusterQueue "{queue}"'),
        "Workloads of this LocalQueue wait for ever.",
        "Create the ClusterQueue, or make the LocalQueue again with the right name: the field can't be changed.",
    ),
    Code.NAMESPACE_NOT_SELECTED: Text(
        "A LocalQueue is in a namespace that its ClusterQueue does not select",
        say("ClusterQueue {queue} does not select namespace {namespace}"),
        "Workloads of this LocalQueue are never admitted.",
        "Label the namespace, or widen spec.namespaceSelector of the ClusterQueue.",
    ),
    Code.LIMIT_WITHOUT_COHORT: Text(
        "A limit has nothing to limit",
        say("{limit} is {amount}, and there is no {above}"),
        "The API refuses limits on borrowing and lending where there is nobody to borrow from, or to lend to.",
        "Take the limit out, or name the cohort (cohortName, or parentName of a Cohort).",
    ),
    Code.LENDING_ABOVE_NOMINAL: Text(
        "A lending limit is above the quota",
        say("the lending limit {limit} is more than the nominal quota {nominal}"),
        "A queue can't lend more than it has; the API refuses this.",
        "Lower the lending limit, or take it out to lend everything.",
    ),
    Code.RESOURCE_UNCOVERED: Text(
        "Workloads ask for a resource that nobody counts",
        lint_sentences.uncovered,
        "A workload that asks for an uncovered resource is never admitted.",
        "Cover it in a resource group, exclude it (resources.excludeResourcePrefixes of Kueue's Configuration), or set "
        "resources.quotaCheckStrategy: IgnoreUndeclared.",
    ),
    Code.HEAD_BLOCKED: Text(
        "A StrictFIFO queue is blocked",
        lint_sentences.head,
        "In a StrictFIFO queue nothing is admitted before its head.",
        "Delete the workload, deactivate it (spec.active: false) or make it smaller; BestEffortFIFO would go past it.",
    ),
    Code.WORKLOAD_NEVER_FITS: Text(
        "A workload can never be admitted",
        lint_sentences.never,
        "It waits for ever, whatever finishes or is preempted.",
        "`kueuectl explain workload/NAME` shows the smallest change that would admit it.",
    ),
    Code.LOCAL_QUEUE_MISSING: Text(
        "Workloads name a LocalQueue that does not exist",
        lint_sentences.missing_queue,
        "They wait for ever.",
        "Create the LocalQueue, or correct the queue name of the jobs.",
    ),
    Code.NAMESPACE_SELECTOR_MISSING: Text(
        "A ClusterQueue has no namespace selector",
        say("without spec.namespaceSelector no namespace is selected"),
        "Nothing is admitted: a missing selector selects nothing, an empty one ({}) everything.",
        "Set namespaceSelector: {} or a selector.",
    ),
    Code.NAMESPACE_SELECTOR_EMPTY: Text(
        "A namespace selector matches nothing",
        lint_sentences.selector,
        "Nothing is admitted in this ClusterQueue.",
        "Correct the selector, or label the namespaces.",
    ),
    Code.RESOURCE_DEFAULT_UNCOVERED: Text(
        "A LimitRange adds a resource that nobody counts",
        say("it gives every container {resource}, which ClusterQueue {queue} (by LocalQueue {door}) does not cover"),
        "Workloads of the namespace are never admitted, though they don't ask for the resource themselves.",
        "Cover the resource, take the default out, or exclude it (resources.excludeResourcePrefixes).",
    ),
    Code.RESOURCE_EXCLUDED: Text(
        "There is quota of an excluded resource",
        say(
            "Kueue's Configuration leaves out resources that start with {prefix}, so quota of {resource} is never used"
        ),
        "The quota limits nothing.",
        "Take the resource out of the resource groups, or the prefix out of resources.excludeResourcePrefixes.",
    ),
    Code.RESOURCE_REPLACED: Text(
        "There is quota of a resource that is turned into others",
        say("Kueue's Configuration turns {resource} into {outputs}, so quota of {resource} is never used"),
        "The quota limits nothing; that of the outputs counts.",
        "Give quota of the outputs, or use the strategy Retain in resources.transformations.",
    ),
    Code.RESOURCE_OUTPUT_UNCOVERED: Text(
        "The outputs of a transformation are not covered",
        say("Kueue's Configuration makes {outputs} of {resource}, and no resource group covers that"),
        "Workloads that ask for the resource are never admitted here.",
        "Cover the outputs of the transformation.",
    ),
    Code.CHECK_FLAVOR_UNKNOWN: Text(
        "A check is set for a flavor that the queue does not have",
        missing('AdmissionCheck "{check}" is set for flavor "{flavor}", which this ClusterQueue does not have'),
        "The check is never asked for there.",
        "Correct the flavor in onFlavors.",
    ),
    Code.FLAVOR_WITHOUT_NODES: Text(
        "No node is of the flavor",
        lint_sentences.without_nodes,
        "What is admitted with this flavor never starts, unless an autoscaler makes such nodes.",
        "Correct spec.nodeLabels, or label the nodes.",
    ),
    Code.FLAVOR_TAINT_NOT_TOLERATED: Text(
        "The nodes of a flavor have a taint that it does not know",
        lint_sentences.strange_taints,
        "Kueue admits pods that don't tolerate the taint, and they stay pending with their quota.",
        "List the taint in spec.nodeTaints (then only pods that tolerate it get the flavor), or add a toleration to "
        "spec.tolerations (then all do).",
    ),
    Code.FLAVOR_TAINT_WITHOUT_NODES: Text(
        "A taint of a flavor is on no node",
        lint_sentences.idle_taint,
        "Pods have to tolerate a taint that their nodes don't have, or they don't get the flavor.",
        "Take the taint out of spec.nodeTaints, or taint the nodes.",
    ),
    Code.FLAVORS_SHARE_NODES: Text(
        "Two flavors count the same nodes",
        say("it has the same labels and taints as flavor {other}, and both have quota of {resources}"),
        "The same capacity is given out twice, and jobs that were admitted may not find room.",
        "Tell the flavors apart by labels, or make one of the two.",
    ),
    Code.FLAVOR_DEAD: Text(
        "A flavor can never be used",
        lint_sentences.dead,
        "No workload ever gets this flavor here; it is only tried in vain.",
        "Give it quota, or take it out.",
    ),
    Code.TOPOLOGY_LEVEL_WITHOUT_NODES: Text(
        "Nodes lack a level of their topology",
        lint_sentences.levels,
        "Nodes without all labels of the topology are left out of placement: their capacity can't be used.",
        "Label the nodes, or correct spec.levels.",
    ),
    Code.QUOTA_ABOVE_CAPACITY: Text(
        "Quota is above the capacity of the nodes",
        lint_sentences.above,
        "Kueue admits more than the nodes can hold: pods stay pending while they hold quota.",
        "Lower the quota or add nodes. It is meant to be so where an autoscaler adds nodes.",
    ),
    Code.QUOTA_WITHOUT_CAPACITY: Text(
        "No node offers the resource",
        say("no node offers {resource}, which there is quota of in flavor {flavor}"),
        "Pods that ask for it stay pending after they were admitted, unless something else than nodes provides it.",
        "Check the name of the resource, and the device plugin of the nodes.",
    ),
    Code.UNIT_SCALE: Text(
        "A quota seems to be in another unit",
        lint_sentences.unit,
        "Kueue compares plain numbers: a quota in another unit makes its queue borrow or lend next to everything.",
        'Write the unit: "64Gi" instead of "64".',
    ),
    Code.BORROWING_IMPOSSIBLE: Text(
        "There is nothing to borrow",
        lint_sentences.borrowing,
        "The borrowing limit promises what the cohort can't give.",
        "Take the limit out, correct the flavor or the cohort, or raise the lending limits of the others.",
    ),
    Code.COHORT_QUOTA_UNREACHABLE: Text(
        "Nobody may use a quota of a cohort",
        say("{quota} {resource} of flavor {flavor}: no ClusterQueue below it, or beside it, has quota of that"),
        "A ClusterQueue only borrows what it has a quota of itself, even one of 0.",
        "Add the flavor and resource with nominalQuota: 0 to the ClusterQueues that should use it.",
    ),
    Code.COHORT_ONE_MEMBER: Text(
        "A cohort has one member",
        missing('nobody else is in cohort "{cohort}"'),
        "It shares its quota with nobody.",
        "Correct the name of the cohort, if another one was meant.",
    ),
    Code.COHORT_EMPTY: Text(
        "A cohort has no member",
        lambda words: f"no ClusterQueue is in it, or in a cohort below it{lint_sentences.near(words)}",
        "Its quota and its place in the tree have no effect.",
        "Name it in spec.cohortName of ClusterQueues, or delete it.",
    ),
    Code.BORROW_POLICY_UNDER_FAIR_SHARING: Text(
        "A preemption policy is not looked at under fair sharing",
        say("{policy} does nothing: fair sharing is on"),
        "With fair sharing Kueue preempts by shares; borrowWithinCohort counts only without it.",
        "Take borrowWithinCohort out.",
    ),
    Code.POLICY_WITHOUT_COHORT: Text(
        "A preemption policy needs a cohort",
        say("{policy} does nothing: the ClusterQueue is in no cohort"),
        "There is nobody to reclaim quota from.",
        "Set spec.cohortName, or take the policy out.",
    ),
    Code.THRESHOLD_WITHOUT_POLICY: Text(
        "A priority threshold needs its policy",
        say("maxPriorityThreshold {threshold} does nothing: borrowWithinCohort.policy is Never"),
        "No workload is preempted for one that borrows.",
        "Set borrowWithinCohort.policy: LowerPriority, or take the threshold out.",
    ),
    Code.FUNGIBILITY_WITHOUT_CHOICE: Text(
        "A rule for choosing flavors has no choice",
        lint_sentences.fungibility,
        "The setting has no effect.",
        "Take it out, or add the flavor that was meant.",
    ),
    Code.WEIGHT_ZERO: Text(
        "A weight is zero",
        say("the weight in {how} is 0"),
        "As soon as it borrows, its share counts as infinite: it is served last, and preempted first.",
        "Set a weight above 0, unless it is meant to live on what is left over.",
    ),
    Code.WEIGHT_WITHOUT_FAIR_SHARING: Text(
        "A weight has no effect",
        say("the weight {weight} does nothing: {how} is off"),
        "Weights only count in fair sharing.",
        "Switch it on in Kueue's Configuration (fairSharing, or admissionFairSharing with the queue's admissionScope), "
        "or take the weight out.",
    ),
    Code.ADMISSION_SCOPE_OFF: Text(
        "Admission by past usage is off",
        say("{mode} does nothing: admissionFairSharing is not in Kueue's Configuration"),
        "Workloads are ordered by priority and time only.",
        "Add admissionFairSharing to Kueue's Configuration, or take admissionScope out.",
    ),
    Code.CONCURRENT_ADMISSION_OFF: Text(
        "Concurrent admission is off",
        say("{mode} does nothing: the feature gate ConcurrentAdmission is off"),
        "Workloads are tried with one flavor after the other, and don't migrate.",
        "Switch the feature gate on, or take concurrentAdmissionPolicy out.",
    ),
    Code.QUEUE_WITHOUT_QUOTA: Text(
        "A ClusterQueue has no quota",
        say("it has no resource groups"),
        "Nothing that asks for any resource is admitted.",
        "Add a resource group.",
    ),
    Code.QUEUE_STOPPED: Text(
        "A queue is stopped",
        lambda words: (
            f"it is stopped ({words['policy']}) while {count(words, 'workload')} wait in it"
            if words["count"] != "1"
            else f"it is stopped ({words['policy']}) while 1 workload waits in it"
        ),
        "Nothing of it is admitted until somebody resumes it.",
        "Set spec.stopPolicy: None when the reason is gone.",
    ),
    Code.QUEUE_WITHOUT_DOOR: Text(
        "No LocalQueue leads to a ClusterQueue",
        lint_sentences.door,
        "Nobody can submit a job to it.",
        "Create a LocalQueue for it in the namespaces that should use it.",
    ),
    Code.FLAVOR_UNUSED: Text(
        "A flavor is not used",
        say("neither a ClusterQueue nor a Cohort has quota of it"),
        "It has no effect.",
        "Give quota of it, or delete it.",
    ),
    Code.NODES_UNCLAIMED: Text(
        "Nodes are of no flavor",
        lambda words: (
            f"{count(words, 'node')} match no flavor that is in use: {some(words, 'nodes')}"
            if words["count"] != "1"
            else f"it matches no flavor that is in use: {words['nodes']}"
        ),
        "No quota counts their capacity.",
        "Label the nodes as a flavor says, or make a flavor for them.",
    ),
    Code.ADMISSION_CHECK_UNUSED: Text(
        "An AdmissionCheck is not used",
        say("no ClusterQueue asks for it"),
        "It has no effect.",
        "Name it in admissionChecksStrategy of a ClusterQueue, or delete it.",
    ),
    Code.TOPOLOGY_UNUSED: Text(
        "A Topology is not used",
        say("no ResourceFlavor names it"),
        "It has no effect.",
        "Name it in topologyName of a ResourceFlavor, or delete it.",
    ),
}
