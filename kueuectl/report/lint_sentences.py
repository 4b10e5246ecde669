"""The sentences of lint that need more than filling in: one or several, names that may have been meant, reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping

# The facts of a finding as text.
Words = Mapping[str, str]


def near(words: Words) -> str:
    """The name that may have been meant, if there is one."""
    return f'; did you mean "{words["near"]}"?' if words.get("near") else ""


def say(template: str) -> Callable[[Words], str]:
    """A sentence that only fills in facts."""
    return template.format_map


def missing(template: str) -> Callable[[Words], str]:
    """A sentence about a name that leads nowhere, with the name that may have been meant."""
    return lambda words: template.format_map(words) + near(words)


def count(words: Words, noun: str, *, more: str = "") -> str:
    """One or several: 1 workload, 3 workloads."""
    number = words["count"]
    return f"{number} {noun}{'' if number == '1' else 's'}{more}"


def some(words: Words, names: str) -> str:
    """The names, and whether there are more of them."""
    shown = words[names].count(", ") + 1
    return words[names] + (", ..." if int(words["count"]) > shown else "")


def missing_queue(words: Words) -> str:
    """Workloads without a LocalQueue."""
    verb = "waits" if words["count"] == "1" else "wait"
    return f'{count(words, "workload")} {verb} for LocalQueue "{words["queue"]}", which does not exist{near(words)}'


def topology_missing(words: Words) -> str:
    """A Topology that does not exist."""
    users = f" (in use by {words['queues']})" if words["queues"] else ""
    return f'there is no Topology "{words["topology"]}"{near(words)}{users}'


def inactive(words: Words) -> str:
    """An AdmissionCheck that is not active."""
    by = f" (controller {words['controller']})" if words["controller"] else ""
    return f'AdmissionCheck "{words["check"]}"{by} is not active'


def multikueue(words: Words) -> str:
    """MultiKueue checks that can't be used so."""
    if words["how"] == "several":
        return f"there is more than one MultiKueue check: {words['checks']}"
    return f"a MultiKueue check is set for single flavors: {words['checks']}"


def uncovered(words: Words) -> str:
    """A resource that workloads ask for."""
    verb = "asks" if words["count"] == "1" else "ask"
    return (
        f"no resource group covers {words['resource']}, and {count(words, 'waiting workload')} {verb} for it: "
        f"{some(words, 'workloads')}"
    )


def hopeless(words: Words, *, who: str = "it") -> str:
    """Why a workload can never be admitted; of several, what is true of all, and the numbers of the first."""
    queue = f"ClusterQueue {words['queue']}"
    match words["why"]:
        case "uncovered":
            return f"{who} asks for {words['resource']}, which {queue} does not cover"
        case "invalid":
            return f"{'its' if who == 'it' else 'their'} requests break their own limits or a LimitRange"
        case "no flavor":
            return f"taints, node selectors or affinity rule out every flavor of {queue}"
        case _:
            return f"{who} asks for {words['asked']} {words['resource']}, and {queue} can reach {words['most']} at most"


def head(words: Words) -> str:
    """The head of a StrictFIFO queue."""
    behind = words["behind"]
    others = "" if behind == "0" else f"; behind it {behind} workload{' waits' if behind == '1' else 's wait'}"
    return f"the head of StrictFIFO ClusterQueue {words['queue']} can never be admitted: {hopeless(words)}{others}"


def never(words: Words) -> str:
    """Workloads that wait for ever."""
    if words["count"] == "1":
        return f"it can never be admitted: {hopeless(words)}"
    several = f"{count(words, 'workload')} can never be admitted ({some(words, 'workloads')})"
    return f"{several}: {hopeless(words, who='the first')}"


def _nodes(words: Words, verbs: tuple[str, str], *, name: str = "nodes") -> str:
    """One or several: its only node has, all of its 3 nodes have."""
    number = words[name]
    return f"its only node {verbs[0]}" if number == "1" else f"all of its {number} nodes {verbs[1]}"


def selector(words: Words) -> str:
    """A selector that matches no namespace."""
    number = words["namespaces"]
    return "the only namespace does not match" if number == "1" else f"none of the {number} namespaces matches"


def strange_taints(words: Words) -> str:
    """Taints that a flavor does not know."""
    what = "taints" if ", " in words["taints"] else "a taint"
    return f"{_nodes(words, ('has', 'have'))} {what} that it neither lists nor tolerates: {words['taints']}"


def idle_taint(words: Words) -> str:
    """A taint of a flavor that its nodes don't have."""
    number = words["nodes"]
    nodes = "its only node does not have" if number == "1" else f"none of its {number} nodes has"
    return f"{nodes} the taint {words['taint']}"


def without_nodes(words: Words) -> str:
    """Labels that no node has."""
    what = "all of" if words["together"] == "1" else "the label" if ", " not in words["labels"] else "the labels"
    others = f"; nodes have {words['others']}" if words["others"] else ""
    number = words["nodes"]
    nodes = "the only node does not have" if number == "1" else f"none of the {number} nodes has"
    return f"{nodes} {what} {words['labels']}{others} (in use by {words['queues']})"


def levels(words: Words) -> str:
    """Nodes without the label of a level."""
    lacking, nodes = words["lacking"], words["nodes"]
    if lacking == nodes:
        which = "the only node of" if nodes == "1" else f"all {nodes} nodes of"
    else:
        which = f"{lacking} of the {nodes} nodes of"
    verb = "lacks" if lacking == "1" else "lack"
    return f"{which} flavor {words['flavor']} {verb} the label {words['level']}: {words['names']}"


def above(words: Words) -> str:
    """Quota above capacity."""
    number = words["nodes"]
    nodes = "the only node" if number == "1" else f"the {number} nodes"
    room = f"{nodes} of flavor {words['flavor']} {'has' if number == '1' else 'have'} {words['capacity']}"
    if "holders" not in words:
        return f"quota of {words['quota']} {words['resource']}, and {room}"
    more = f" and {words['more']} more" if words["more"] != "0" else ""
    return f"quota of {words['quota']} {words['resource']} in all ({words['holders']}{more}), and {room}"


def unit(words: Words) -> str:
    """A quota that is very small."""
    text = f"{words['quota']} {words['resource']} of flavor {words['flavor']} is very little"
    return f"{text}: {words['other']} of the same tree has {words['largest']}" if words["other"] else text


def borrowing(words: Words) -> str:
    """A borrowing limit in vain."""
    why = {
        "nobody has it": "no other member has any",
        "nobody lends it": "all others have a lending limit of 0",
        "limits above": "limits further up keep it out",
    }[words["reason"]]
    return (
        f"it may borrow {words['limit']} {words['resource']} of flavor {words['flavor']}, and in cohort "
        f"{words['cohort']} there is nothing to borrow: {why}"
    )


def dead(words: Words) -> str:
    """A flavor in vain."""
    where = f"nothing of it can be borrowed in cohort {words['cohort']}" if words["cohort"] else "there is no cohort"
    return f"flavor {words['flavor']} has no quota, and {where}"


def fungibility(words: Words) -> str:
    """A choice between one."""
    return f"{words['value']} changes nothing: there is " + (
        "only one flavor to choose" if words["why"] == "flavor" else "no cohort to borrow from"
    )


def door(words: Words) -> str:
    """A queue without LocalQueue."""
    return "no LocalQueue leads to it" + (", so it only lends" if words["lends"] == "1" else "")
