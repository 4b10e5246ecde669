"""The table of rules. A rule looks at a scene and yields findings, and what it could not look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kueuectl.analysis.lint import cohorts, demand, flavors, policies, queues, quotas, references
from kueuectl.analysis.lint.findings import Found
from kueuectl.analysis.lint.scene import Scene

Rule = Callable[[Scene], Iterator[Found]]

RULES: tuple[Rule, ...] = (
    references.cohort_cycle,
    references.flavor_missing,
    references.topology_missing,
    references.admission_checks,
    references.check_flavors,
    references.cluster_queue_missing,
    references.local_queue_missing,
    queues.selector_missing,
    queues.selector_empty,
    queues.not_selected,
    queues.without_quota,
    queues.without_door,
    queues.stopped,
    quotas.limits,
    quotas.above_capacity,
    quotas.unit_scale,
    quotas.borrowing_impossible,
    quotas.cohort_quota_unreachable,
    quotas.excluded,
    quotas.outputs_uncovered,
    flavors.without_nodes,
    flavors.taints,
    flavors.share_nodes,
    flavors.dead,
    flavors.topology_levels,
    flavors.unused,
    flavors.nodes_unclaimed,
    flavors.topology_unused,
    cohorts.one_member,
    cohorts.empty,
    policies.preemption,
    policies.fungibility,
    policies.weights,
    policies.admission_scope,
    policies.concurrent_admission,
    references.checks_unused,
    demand.uncovered,
    demand.defaults_uncovered,
    demand.never_fits,
)
