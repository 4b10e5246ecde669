"""The table of contents: every command, with its module by its path. Data only: importing it imports no command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kueuectl.cli.frame.flags import OUTPUT, SCOPE, STATE


class Entry(NamedTuple):
    """A command or a group of commands. `groups` are the groups of global flags that its help shows.

    `formats` are those of `-o` that it takes beside the common ones.
    """

    name: str
    summary: str
    aliases: tuple[str, ...] = ()
    groups: tuple[str, ...] = (SCOPE, OUTPUT, STATE)
    children: tuple[Entry, ...] = ()
    examples: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()

    @property
    def is_group(self) -> bool:
        """Whether it only holds other commands."""
        return bool(self.children)

    def child(self, word: str) -> Entry | None:
        """The command that a word means here: its name, an alias, in any case, with or without an API group."""
        wanted = word.lower()
        for entry in self.children:
            if wanted == entry.name or wanted in entry.aliases:
                return entry
        short, dot, _ = wanted.partition(".")
        return self.child(short) if dot and short else None


_LIST = Entry(
    "list",
    "List queues, workloads and what belongs to them",
    groups=(),
    examples=("kueuectl list clusterqueue", "kueuectl list workload -A --status pending"),
    children=(
        Entry("admissioncheck", "List AdmissionChecks", ("admissionchecks", "ac")),
        Entry("clusterqueue", "List ClusterQueues", ("clusterqueues", "cq")),
        Entry("cohort", "List Cohorts, named ones without an object too", ("cohorts", "co")),
        Entry("localqueue", "List LocalQueues", ("localqueues", "lq", "queue", "queues")),
        Entry("pods", "List the pods of a job or pod group", ("pod", "po")),
        Entry("resourceflavor", "List ResourceFlavors", ("resourceflavors", "rf", "flavor", "flavors")),
        Entry("topology", "List Topologies with their levels", ("topologies", "topo")),
        Entry(
            "workload",
            "List Workloads with status and position",
            ("workloads", "wl", "kwl", "kueueworkload", "kueueworkloads"),
        ),
        Entry("workloadpriorityclass", "List WorkloadPriorityClasses", ("workloadpriorityclasses", "wpc")),
    ),
)

_CQ = ("clusterqueues", "cq")
_LQ = ("localqueues", "lq", "queue", "queues")
_RF = ("resourceflavors", "rf", "flavor", "flavors")
_WL = ("workloads", "wl", "kwl", "kueueworkload", "kueueworkloads")

_CREATE = Entry(
    "create",
    "Create queues, cohorts or flavors from flags",
    groups=(),
    examples=(
        'kueuectl create clusterqueue team-a --nominal-quota "default:cpu=9;memory=36Gi"',
        "kueuectl create localqueue main -c team-a -n ml-research",
    ),
    children=(
        Entry("clusterqueue", "Create a ClusterQueue", _CQ, groups=(OUTPUT,)),
        Entry("cohort", "Create a Cohort, with quota of its own if it has any", ("cohorts", "co"), groups=(OUTPUT,)),
        Entry("localqueue", "Create a LocalQueue in a namespace", _LQ, groups=(SCOPE, OUTPUT)),
        Entry("resourceflavor", "Create a ResourceFlavor", _RF, groups=(OUTPUT,)),
    ),
)

_DELETE = Entry(
    "delete",
    "Delete workloads with their jobs, and other objects of Kueue",
    groups=(),
    examples=("kueuectl delete workload job-train-a1b2c -n team-a", "kueuectl delete workload --all -n team-a"),
    children=(
        Entry("admissioncheck", "Delete AdmissionChecks", ("admissionchecks", "ac"), groups=()),
        Entry("clusterqueue", "Delete ClusterQueues", _CQ, groups=()),
        Entry("cohort", "Delete Cohorts", ("cohorts", "co"), groups=()),
        Entry("localqueue", "Delete LocalQueues", _LQ, groups=(SCOPE,)),
        Entry("resourceflavor", "Delete ResourceFlavors", _RF, groups=()),
        Entry("topology", "Delete Topologies", ("topologies", "topo"), groups=()),
        Entry("workload", "Delete Workloads and the jobs that they are of", _WL, groups=(SCOPE,)),
        Entry("workloadpriorityclass", "Delete WorkloadPriorityClasses", ("workloadpriorityclasses", "wpc"), groups=()),
    ),
)

_RESUME = Entry(
    "resume",
    "Resume what was stopped",
    groups=(),
    examples=("kueuectl resume clusterqueue team-a", "kueuectl resume localqueue main -n team-a"),
    children=(
        Entry("clusterqueue", "Resume a ClusterQueue: workloads are admitted again", _CQ, groups=(OUTPUT,)),
        Entry("localqueue", "Resume a LocalQueue: workloads are admitted again", _LQ, groups=(SCOPE, OUTPUT)),
        Entry("workload", "Resume a Workload: it queues again", _WL, groups=(SCOPE, OUTPUT)),
    ),
)

_STOP = Entry(
    "stop",
    "Stop queues or workloads",
    groups=(),
    examples=("kueuectl stop clusterqueue team-a --keep-already-running", "kueuectl stop localqueue main -n team-a"),
    children=(
        Entry("clusterqueue", "Stop a ClusterQueue: nobody is admitted any more", _CQ, groups=(OUTPUT,)),
        Entry("localqueue", "Stop a LocalQueue: nobody is admitted any more", _LQ, groups=(SCOPE, OUTPUT)),
        Entry("workload", "Stop a Workload: it is not admitted, or evicted", _WL, groups=(SCOPE, OUTPUT)),
    ),
)

_SNAPSHOT = Entry(
    "snapshot",
    "Save a cluster for offline use, or look into a dump",
    groups=(),
    examples=("kueuectl snapshot save cluster.json", "kueuectl snapshot show --from cluster.json"),
    children=(
        Entry("anonymize", "Save a dump that tells nothing about the cluster", groups=(STATE,)),
        Entry("diff", "Tell what became different between two dumps", groups=(OUTPUT, STATE)),
        Entry("save", "Save all that the engine needs to a file", groups=(STATE,)),
        Entry("show", "Summarize what a dump or a cluster holds", groups=(OUTPUT, STATE)),
    ),
)

ROOT = Entry(
    "",
    "Administer Kueue: see queues, quota and why jobs wait",
    examples=("kueuectl list workload -A", "kueuectl list clusterqueue --from example:four-tenants"),
    children=(
        Entry("apply", "Carry out a saved plan, or go on with it", groups=(OUTPUT,)),
        Entry("completion", "Print the completion script of a shell", groups=()),
        _CREATE,
        _DELETE,
        Entry("describe", "Print all fields of objects of Kueue, with their events", groups=(SCOPE, STATE)),
        Entry("doctor", "Check what can be read, known and modelled", groups=(OUTPUT, STATE)),
        Entry("dry-run", "Show what a change would bring, without making it"),
        Entry("edit", "Change an object of Kueue in an editor", groups=(SCOPE,)),
        Entry("explain", "Tell why an object waits, and what would help"),
        Entry("forecast", "Foretell when waiting workloads will start"),
        Entry("get", "Print objects of Kueue as the API server shows them"),
        Entry("hold", "Hold workloads: they are not admitted, or evicted", groups=(SCOPE, OUTPUT)),
        Entry(
            "lint", "Find mistakes in queues, quotas, flavors and cohorts", groups=(OUTPUT, STATE), formats=("sarif",)
        ),
        _LIST,
        Entry("move", "Move waiting workloads to another LocalQueue", groups=(SCOPE, OUTPUT)),
        Entry("options", "List the flags that all commands take", groups=()),
        Entry("patch", "Change fields of an object of Kueue", groups=(SCOPE, OUTPUT)),
        Entry("preempt", "Preview who would be preempted, or evict workloads", formats=("plan",)),
        Entry("prioritize", "Change the priority of workloads", groups=(SCOPE, OUTPUT)),
        Entry("queue", "Show who waits in a ClusterQueue, in order", groups=(OUTPUT, STATE)),
        Entry("rebalance", "Find the fewest preemptions that reach a goal", formats=("plan",)),
        Entry("release", "Release workloads that were held: they queue again", groups=(SCOPE, OUTPUT)),
        _RESUME,
        Entry("shares", "Show fair shares with their arithmetic", groups=(OUTPUT, STATE)),
        _SNAPSHOT,
        _STOP,
        Entry("top", "Show usage of quota with bars, the fullest first"),
        Entry("tree", "Show cohorts, ClusterQueues, quota and usage as a tree", groups=(OUTPUT, STATE)),
        Entry("version", "Print the versions of client, server and Kueue", groups=(OUTPUT, STATE)),
    ),
)


def walk(entry: Entry = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Every command and group with its path; the root is the first and has the empty path."""
    yield path, entry
    for child in entry.children:
        yield from walk(child, (*path, child.name))
