"""Who would be preempted for a workload, and why. Pure, as the whole engine."""
