"""Anonymized dumps: the same answers, names in the same order, and nothing that tells whose cluster it is."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kueuectl.analysis import dry_run, explain
from kueuectl.analysis.explanation import Explanation
from kueuectl.analysis.lint import run as lint
from kueuectl.analysis.lint.scene import Origin
from kueuectl.store import anonymize, examples, raw, save
from kueuectl.store.anonymous_names import Names
from kueuectl.store.load import Loaded, load
from tests.cases.compare import settle
from tests.cli.harness import NOW, cli

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "cases"
CASES = sorted(path.name.removesuffix(".expect.json") for path in SHARED.glob("*.expect.json"))
GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "scenes"


class Pair:
    """A dump and its anonymized form, both loaded, and how names of one lead to the other."""

    def __init__(self, sources: list[str], now: str | None = None, *, seed: int = 0) -> None:
        self.before = load(sources, stdin=io.BytesIO(), now=now, clock=lambda: 0)
        self.made = anonymize.anonymize(raw.iterate(sources), seed=seed)
        out = io.BytesIO()
        save.write(out, self.made.objects, saved_at=self.before.now, version="test")
        self.text = out.getvalue().decode()
        self.after = load(["-"], stdin=io.BytesIO(out.getvalue()), clock=lambda: 0)

    def name(self, category: str, text: str) -> str:
        return self.made.names[category][text] if text else ""

    def workload(self, key: str) -> str:
        """The new key of a workload; "" stays."""
        namespace, _, name = key.partition("/")
        return f"{self.name('namespace', namespace)}/{self.name('workload', name)}" if key else ""

    def flavors(self, found: Mapping[str, str]) -> dict[str, str]:
        """podset/resource to flavor."""
        made = {}
        for place, flavor in found.items():
            pod_set, _, resource = place.partition("/")
            made[f"{self.name('podSet', pod_set)}/{resource}"] = self.name("flavor", flavor)
        return made


def sources_of(case: str) -> tuple[list[str], str]:
    config = SHARED / f"{case}.config.yaml"
    found = [str(SHARED / f"{case}.yaml"), *([str(config)] if config.is_file() else [])]
    return found, json.loads((SHARED / f"{case}.expect.json").read_text())["now"]


def facts(found: Explanation, pair: Pair | None = None) -> dict[str, Any]:
    """What an explanation says, under the new names if there is a pair."""

    def workload(key: str) -> str:
        return key if pair is None else pair.workload(key)

    def named(category: str, text: str) -> str:
        return text if pair is None or not text else pair.name(category, text)

    rows = [
        (
            named("podSet", pod_set.name),
            pod_set.granted,
            named("flavor", flavor.name),
            flavor.mode,
            flavor.out,
            [(row.name, row.requested, row.available, row.missing, row.maximum) for row in flavor.resources],
        )
        for pod_set in found.pod_sets
        for flavor in pod_set.flavors
    ]
    return {
        "code": found.verdict.code,
        "behind": workload(found.verdict.behind),
        "deterministic": found.verdict.deterministic,
        "victims": [workload(key) for key in found.preemption.victims],
        "candidates": [(workload(row.workload), row.finding, row.reason) for row in found.preemption.candidates],
        "rows": rows,
        "uncovered": found.uncovered,
        "checks": [named("check", name) for name in found.open_checks],
        "until": found.until,
        "position": (found.queue.position, found.queue.waiting),
        "queue": named("clusterQueue", found.queue.cluster_queue),
        "steps": [(step.name, step.state) for step in found.steps],
        "proposals": [
            (proposal.kind, proposal.verdict, proposal.cost, [workload(key) for key in proposal.victims])
            for proposal in found.proposals
        ],
    }


def check_same_answers(pair: Pair) -> None:
    before, after = pair.before, pair.after
    assert len(before.state.workloads) == len(after.state.workloads)
    for key in before.state.workloads:
        one, _ = explain.workload(before.state, before.settings, now=before.now, key=key)
        other, _ = explain.workload(after.state, after.settings, now=after.now, key=pair.workload(key))
        assert facts(other) == facts(one, pair), key
    assert settled(after) == translated(settled(before), pair)
    assert dry_run_of(after) == {
        kind: [pair.workload(key) for key in keys] for kind, keys in dry_run_of(before).items()
    }
    assert codes(after) == codes(before)


def settled(found: Loaded) -> dict[str, Any]:
    return settle(found.state, found.settings, found.now)


def dry_run_of(found: Loaded) -> dict[str, list[str]]:
    """Who holds quota, is evicted and waits at the end of a dry run, in the order of keys, and of the queues."""
    end = dry_run.settle(found.state, found.settings, now=found.now).after
    waiting = sorted(end.waiting, key=lambda key: (end.waiting[key].cluster_queue, end.waiting[key].position, key))
    return {"held": sorted(end.held), "evicted": sorted(end.evictions), "waiting": waiting}


def translated(found: dict[str, Any], pair: Pair) -> dict[str, Any]:
    admitted = {
        pair.workload(key): {
            "flavors": pair.flavors(entry["flavors"]),
            "count": {pair.name("podSet", name): count for name, count in entry["count"].items()},
        }
        for key, entry in found["admitted"].items()
    }
    return {
        **found,
        "admitted": admitted,
        "evicted": {pair.workload(key): reason for key, reason in found["evicted"].items()},
        **{field: sorted(map(pair.workload, found[field])) for field in ("reserved", "pending", "finished")},
    }


def codes(found: Loaded) -> list[str]:
    report = lint.judge(found.state, found.settings, origin=Origin.DUMP)
    return [str(each.code) for each in report.findings]


@pytest.mark.parametrize("name", examples.names())
def test_examples_give_the_same_answers(name: str) -> None:
    check_same_answers(Pair([f"example:{name}"]))


@pytest.mark.parametrize("case", CASES or [None])
def test_cases_give_the_same_answers(case: str | None) -> None:
    if case is None:
        pytest.skip("no cases: ../shared/cases is not there")
    sources, now = sources_of(case)
    check_same_answers(Pair(sources, now))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_seed_gives_the_same_answers(seed: int) -> None:
    check_same_answers(Pair(["example:four-tenants"], seed=seed))


def test_the_same_seed_gives_the_same_dump() -> None:
    one, two, other = (Pair(["example:preempted"], seed=seed) for seed in (7, 7, 8))
    assert one.text == two.text
    assert one.text != other.text


@pytest.mark.parametrize("name", examples.names())
def test_names_stay_in_order_and_say_nothing(name: str) -> None:
    pair = Pair([f"example:{name}"])
    for category, names in pair.made.names.items():
        assert sorted(names.values()) == [names[old] for old in sorted(names)], category
        assert len(set(names.values())) == len(names), category
    keys = sorted(pair.before.state.workloads)
    assert sorted(pair.after.state.workloads) == [pair.workload(key) for key in keys]
    told = re.sub(r'"apiVersion":"[^"]*"|frameworks[^]]*]', "", pair.text)
    words = set(re.findall(r"[a-z][a-z0-9.-]*[a-z0-9]", told))
    for category, names in pair.made.names.items():
        assert {old for old, new in names.items() if old != new and len(old) > 4} & words == set(), category


NAME = st.from_regex(r"[a-z0-9]{1,3}(-[a-z0-9]{1,2}){0,2}", fullmatch=True)


@settings(max_examples=150, deadline=None)
@given(st.sets(st.tuples(NAME, NAME), min_size=1, max_size=30), st.integers(0, 99))
def test_keys_of_any_names_stay_in_order(keys: set[tuple[str, str]], seed: int) -> None:
    names = Names(seed=seed)
    for namespace, name in keys:
        names.text("namespace", namespace)
        names.text("workload", name)
    names.settle()

    def new(key: tuple[str, str]) -> str:
        return f"{names.text('namespace', key[0])}/{names.text('workload', key[1])}"

    assert sorted(map(new, keys)) == [new(key) for key in sorted(keys, key="/".join)]
    namespaces = {namespace for namespace, _ in keys}
    made = [names.text("namespace", namespace) for namespace in sorted(namespaces)]
    assert made == sorted(made)


@settings(max_examples=50, deadline=None)
@given(st.sets(NAME | st.just("default") | st.just("main"), min_size=1, max_size=20))
def test_names_with_a_meaning_stay_in_their_place(found: set[str]) -> None:
    for category, anchor in (("localQueue", "default"), ("podSet", "main"), ("workloadPriorityClass", "default")):
        names = Names(seed=0)
        for name in found:
            names.text(category, name)
        names.settle()
        made = [names.text(category, name) for name in sorted(found)]
        assert made == sorted(made)
        assert anchor not in found or names.text(category, anchor) == anchor


SECRET = "topsecret"
HIDDEN: dict[str, Any] = {
    "labels": {f"{SECRET}.com/team": SECRET, "app": SECRET},
    "annotations": {
        "note": SECRET,
        "kubectl.kubernetes.io/last-applied-configuration": SECRET,
        f"kueue.x-k8s.io/{SECRET}": SECRET,
    },
    "managedFields": [{"manager": SECRET}],
    "finalizers": [SECRET],
}
KUEUE = "kueue.x-k8s.io/v1beta2"


def hidden(kind: str, api: str = KUEUE, name: str = f"{SECRET}-a", **rest: Any) -> dict[str, Any]:
    metadata = {
        "name": name,
        "namespace": f"{SECRET}-ns",
        "uid": f"{SECRET}-uid-{kind}",
        "ownerReferences": [{"apiVersion": f"{SECRET}.com/v1", "kind": SECRET.title(), "name": SECRET, "uid": SECRET}],
        **HIDDEN,
    }
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


POD: dict[str, Any] = {
    "containers": [
        {
            "name": SECRET,
            "image": f"registry/{SECRET}",
            "env": [{"name": "TOKEN", "value": SECRET}],
            "args": [SECRET],
            "ports": [{"name": SECRET, "containerPort": 80}],
            "resources": {"requests": {"cpu": "1"}, "claims": [{"name": SECRET}]},
        }
    ],
    "volumes": [{"name": SECRET}],
    "serviceAccountName": SECRET,
    "nodeSelector": {f"{SECRET}.com/pool": SECRET},
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [{"key": SECRET, "operator": "In", "values": [SECRET]}],
                        "matchFields": [{"key": "metadata.name", "operator": "In", "values": [SECRET]}],
                    }
                ]
            }
        },
        "podAffinity": {"x": SECRET},
    },
    "tolerations": [{"key": SECRET, "operator": "Equal", "value": SECRET}],
    "priorityClassName": SECRET,
    "runtimeClassName": SECRET,
    "resourceClaims": [{"name": SECRET, "resourceClaimTemplateName": SECRET}],
    "topologySpreadConstraints": [{"topologyKey": SECRET}],
    "nodeName": SECRET,
    "schedulingGates": [{"name": f"{SECRET}.com/gate"}],
}
SPEC = {"podSets": [{"name": SECRET, "count": 1, "template": {"metadata": dict(HIDDEN), "spec": POD}}]}
CONDITION = {"type": "Evicted", "status": "True", "reason": f"{SECRET} x", "message": f"because of {SECRET}"}
PREEMPTED = (
    f"Preempted to accommodate a workload (UID: {SECRET}, JobUID: {SECRET}) due to prioritization in the ClusterQueue; "
    f"preemptor path: /{SECRET}/{SECRET}; preemptee path: /{SECRET}/{SECRET}-a"
)
GATES = "--feature-gates=PriorityBoost=true"
OBJECTS = [
    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SECRET}, "data": {"a": SECRET}},
    hidden("Namespace", "v1"),
    hidden("Node", "v1", spec={"taints": [{"key": SECRET, "value": SECRET, "effect": "NoSchedule"}], "x": SECRET}),
    hidden("ResourceFlavor", spec={"nodeLabels": {SECRET: SECRET}, "topologyName": SECRET}),
    hidden("Topology", spec={"levels": [{"nodeLabel": f"{SECRET}.com/rack"}]}),
    hidden("Cohort", spec={"parentName": SECRET}),
    hidden(
        "ClusterQueue",
        spec={
            "cohortName": SECRET,
            "namespaceSelector": {"matchLabels": {"app": SECRET}},
            "admissionChecksStrategy": {"admissionChecks": [{"name": SECRET, "onFlavors": [SECRET]}]},
            "resourceGroups": [
                {
                    "coveredResources": ["cpu"],
                    "flavors": [{"name": SECRET, "resources": [{"name": "cpu", "nominalQuota": "1"}]}],
                }
            ],
        },
        status={"conditions": [CONDITION]},
    ),
    hidden("LocalQueue", spec={"clusterQueue": SECRET}),
    hidden(
        "AdmissionCheck",
        spec={"controllerName": f"{SECRET}.com/c", "parameters": {"kind": "X", "name": SECRET}},
    ),
    hidden("WorkloadPriorityClass", value=1, description=SECRET),
    hidden("PriorityClass", "scheduling.k8s.io/v1", value=1, description=SECRET),
    hidden("LimitRange", "v1", spec={"limits": [{"type": "Container", "default": {"cpu": "1"}}]}),
    hidden("RuntimeClass", "node.k8s.io/v1", handler=SECRET, overhead={"podFixed": {"cpu": "1"}}),
    hidden(
        "Workload",
        spec={
            **SPEC,
            "queueName": SECRET,
            "priorityClassRef": {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": SECRET},
        },
        status={
            "conditions": [
                CONDITION,
                {
                    "type": "Preempted",
                    "status": "True",
                    "reason": "InClusterQueue",
                    "message": PREEMPTED,
                },
            ],
            "admissionChecks": [{"name": SECRET, "state": "Pending", "message": SECRET}],
            "clusterName": SECRET,
            "nominatedClusterNames": [SECRET],
        },
    ),
    hidden("Job", "batch/v1", spec={"suspend": True, "template": {"spec": POD}}, status={"conditions": [CONDITION]}),
    hidden("Pod", "v1", spec=POD, status={"phase": "Running", "message": SECRET, "conditions": [CONDITION]}),
    hidden(SECRET.title(), f"{SECRET}.com/v1", spec={"suspend": True, "x": SECRET}),
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config", "namespace": SECRET},
        "data": {
            "controller_manager_config.yaml": (
                "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
                f"integrations: {{frameworks: [batch/job, {SECRET}.com/job]}}\n"
                f"resources: {{deviceClassMappings: [{{name: gpu, deviceClassNames: [{SECRET}]}}]}}\n"
            )
        },
    },
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"kueue-{SECRET}", "namespace": SECRET, "labels": {"app.kubernetes.io/name": "kueue"}},
        "spec": {
            "template": {"spec": {"containers": [{"image": SECRET, "args": ["--feature-gates=PriorityBoost=true"]}]}}
        },
    },
]


def test_nothing_of_the_cluster_is_told() -> None:
    made = anonymize.anonymize(OBJECTS)
    text = b"\n".join(made.objects).decode()
    assert SECRET not in text.lower()
    assert "PriorityBoost=true" in text
    assert '"JobUID: ' not in text
    assert len(made.objects) == len(OBJECTS) - 1


def test_who_preempted_whom_can_still_be_told() -> None:
    made = anonymize.anonymize(OBJECTS)
    workload = next(json.loads(entry) for entry in made.objects if json.loads(entry)["kind"] == "Workload")
    names = made.names
    message = workload["status"]["conditions"][1]["message"]
    uid, root = names["uid"][SECRET], names["cohort"][SECRET]
    one, other = names["clusterQueue"][SECRET], names["clusterQueue"][f"{SECRET}-a"]
    assert message == (
        f"Preempted to accommodate a workload (UID: {uid}, JobUID: {uid}) due to prioritization in the ClusterQueue; "
        f"preemptor path: /{root}/{one}; preemptee path: /{root}/{other}"
    )


def test_equal_things_stay_equal() -> None:
    made = anonymize.anonymize(OBJECTS)
    docs = {doc["kind"]: doc for doc in map(json.loads, made.objects)}
    flavor, queue = docs["ResourceFlavor"], docs["ClusterQueue"]
    assert docs["Cohort"]["spec"]["parentName"] == queue["spec"]["cohortName"]
    assert queue["spec"]["resourceGroups"][0]["flavors"][0]["name"] == made.names["flavor"][SECRET]
    ((key, value),) = flavor["spec"]["nodeLabels"].items()
    taint = docs["Node"]["spec"]["taints"][0]
    assert (taint["key"], taint["value"]) == (key, value)
    selector = queue["spec"]["namespaceSelector"]["matchLabels"]
    assert docs["Namespace"]["metadata"]["labels"].items() >= selector.items()
    assert (
        docs["Workload"]["metadata"]["ownerReferences"][0]["kind"]
        == docs["Pod"]["metadata"]["ownerReferences"][0]["kind"]
    )


def test_numbers_that_are_compared_stay() -> None:
    selector = [{"matchExpressions": [{"key": "gen", "operator": "Gt", "values": ["3"]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": selector}}
    pod = {"containers": [{"name": "c"}], "affinity": {"nodeAffinity": required}}
    made = anonymize.anonymize(
        [
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"gen": "4", "x": "4"}}},
            hidden("Workload", spec={"podSets": [{"name": "main", "count": 1, "template": {"spec": pod}}]}),
        ]
    )
    node = json.loads(made.objects[0])
    assert list(node["metadata"]["labels"].values()) == ["4"]


def test_command(tmp_path: Path) -> None:
    out, names = tmp_path / "out.json", tmp_path / "names.json"
    result = cli("snapshot", "anonymize", str(out), "--names", str(names), "--from", "example:fair-weights")
    assert (result.code, result.out) == (0, "")
    assert re.fullmatch(rf"Saved \d+ objects to {re.escape(str(out))}\.\n", result.err)
    assert names.stat().st_mode & 0o077 == 0
    known = json.loads(names.read_text())["names"]
    tree = cli("tree", "--from", str(out), "-o", "json")
    want = cli("tree", "--from", "example:fair-weights", "-o", "json").out
    for category in ("clusterQueue", "cohort", "flavor"):
        for old, new in known[category].items():
            want = want.replace(f'"{old}"', f'"{new}"')
    assert tree.out == want
    again = cli("snapshot", "anonymize", str(out), "--from", "example:fair-weights")
    assert (again.code, again.err.splitlines()[1]) == (1, "Hint: --force replaces it")


def test_names_of_resources_stay_and_are_told(tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    covered = ["acme.io/widget", "nvidia.com/gpu"]
    quotas = [{"name": name, "nominalQuota": "1"} for name in covered]
    groups = [{"coveredResources": covered, "flavors": [{"name": "f", "resources": quotas}]}]
    queue = {"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": {"resourceGroups": groups}}
    dump.write_text(json.dumps(queue))
    result = cli("snapshot", "anonymize", str(tmp_path / "out.json"), "--from", str(dump), "--now", NOW)
    assert result.code == 0
    assert "Names of resources stay; these are not known everywhere: acme.io/widget." in result.err


def test_a_configuration_file_is_part_of_the_dump(tmp_path: Path) -> None:
    for command in ("anonymize", "save"):
        out = tmp_path / f"{command}.json"
        assert cli("snapshot", command, str(out), "--from", "example:fair-weights").code == 0
        assert cli("shares", "--from", str(out)).err == ""
        config = tmp_path / "config.yaml"
        config.write_text("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n")
        args = ("--force", "--from", "example:fair-weights", "--kueue-config", str(config))
        assert cli("snapshot", command, str(out), *args).code == 0
        assert "Fair sharing is off" in cli("shares", "--from", str(out)).err
