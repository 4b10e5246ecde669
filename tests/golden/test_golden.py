"""Our own scenes: what Kueue's engine was seen to do in them, and what we say. Needs neither Go nor ../shared."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from kueuectl.analysis import explain, owned
from kueuectl.analysis.explanation import Code, WarningCode
from kueuectl.model.settings import WaitForPodsReady
from kueuectl.model.state import HiddenKind
from kueuectl.model.values import replace
from tests.golden import answers, recipes, small_scenes

PATHS = {path.stem: path for path in answers.paths()}
# Verdicts that need no evaluation.
SETTLED = {"ADMITTED", "FINISHED", "EVICTING", "HELD", "CHECKS", "BACKOFF", "NO_QUEUE", "NAMESPACE_DENIED"}
# Workloads whose evaluation was that of an equal one.
ALIKE = {"team/same-1", "team/same-2"}


@cache
def dump(name: str) -> answers.Dump:
    return answers.read(PATHS[name])


@cache
def golden(name: str) -> answers.Doc:
    return json.loads(dump(name).golden.read_text("utf-8"))  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", PATHS)
def test_the_engine_decides_as_kueue_was_seen_to(name: str) -> None:
    want = golden(name)["kueue"]
    got = answers.by_our_engine(dump(name))
    assert got == want


@pytest.mark.parametrize("name", PATHS)
def test_explain_says_what_was_recorded(name: str) -> None:
    assert answers.by_explain(dump(name)) == golden(name)["explain"]


@pytest.mark.parametrize("name", PATHS)
def test_explain_agrees_with_what_kueue_did(name: str) -> None:
    """The recorded parts against each other: verdict, flavors, victims and message are of the first evaluation."""
    first = golden(name)["kueue"]["first"]
    for key, told in golden(name)["explain"]["workloads"].items():
        code, seen = told["verdict"], first.get(key)
        if seen is None:
            assert code in SETTLED | {"BEHIND_HEAD"} or key in ALIKE, (key, code)
        elif "admitted" in seen:
            flavors = {f"{ps}/{r}": f for ps, row in seen["admitted"].items() for r, f in row["flavors"].items()}
            assert (code, told["flavors"]) == ("FITS", flavors), key
        elif code not in SETTLED:
            assert (
                told["message"] == seen["message"].partition(". Pending the preemption")[0] or code == "PREEMPTING"
            ), key
            assert (code == "PREEMPTING") == ("victims" in seen), key
            if "victims" in seen:
                assert told["victims"] == sorted(seen["victims"]), key


def test_every_verdict_that_is_due_has_a_scene() -> None:
    seen = {row["verdict"] for name in PATHS for row in golden(name)["explain"]["workloads"].values()}
    later = {Code.FRAGMENTED, Code.PODS_READY_BLOCK}
    of_queues = {Code.ACTIVE, Code.INACTIVE, Code.STOPPED}
    # Those that no dump of ours can have are tested below.
    assert {str(code) for code in Code} - seen == {
        str(code) for code in (*later, *of_queues, Code.UNKNOWN, Code.NO_WORKLOAD)
    }
    seen_of_queues = {code for name in PATHS for code in golden(name)["explain"]["queues"].values()}
    assert seen_of_queues == {str(code) for code in of_queues}


def test_a_kind_that_could_not_be_read_makes_the_verdict_unknown() -> None:
    scene = dump("quota")
    state = replace(scene.state, cohorts={}, hidden=(HiddenKind("Cohort", "forbidden"),))
    found, _ = explain.workload(state, scene.settings, now=scene.now, key="team/q2")
    assert found.verdict.code is Code.UNKNOWN
    assert dict(found.verdict.facts) == {"why": "Cohort", "would": "QUOTA"}
    assert [warning.code for warning in found.warnings] == [WarningCode.HIDDEN_KIND]


def test_pods_that_are_not_ready_make_what_would_fit_unknown_where_they_block_admission() -> None:
    scene = dump("alike")
    settings = replace(scene.settings, wait_for_pods_ready=WaitForPodsReady(block_admission=True))
    runs = scene.state.workloads["team/runs"]
    starting = replace(runs, conditions=tuple(row for row in runs.conditions if row.type != "PodsReady"))
    for workload, want in ((runs, Code.FITS), (starting, Code.UNKNOWN)):
        state = replace(scene.state, workloads={**scene.state.workloads, "team/runs": workload})
        found, _ = explain.workload(state, settings, now=scene.now, key="team/smaller")
        assert found.verdict.code is want


def test_a_job_without_a_workload_says_so() -> None:
    scene = dump("strict-head")
    workloads = {key: found for key, found in scene.state.workloads.items() if key != "media/thumbnails"}
    state = replace(scene.state, workloads=workloads)
    found = owned.without_workload(state, scene.settings, "Job", "thumbnails", "media")
    assert (found.verdict.code, dict(found.verdict.facts)["queue"]) == (Code.NO_WORKLOAD, "jobs")


def test_the_shipped_examples_are_the_composed_ones() -> None:
    assert recipes.texts() == {path.name: path.read_text("utf-8") for path in recipes.FOLDER.iterdir()}


def test_the_small_scenes_are_the_composed_ones() -> None:
    want = {path.name: path.read_text("utf-8") for path in small_scenes.FOLDER.iterdir()}
    assert small_scenes.texts() == want


def _is_example(path: Path) -> bool:
    return path.parent == recipes.FOLDER


@pytest.mark.parametrize("name", [name for name, path in PATHS.items() if _is_example(path)])
def test_what_examples_say_kueue_wrote_is_what_it_writes(name: str) -> None:
    """The condition of a refused workload has the message of its evaluation, unless it is older."""
    older = {"media/stitch"}
    found = dump(name)
    told = golden(name)["explain"]["workloads"]
    for key, workload in found.state.workloads.items():
        for condition in workload.conditions:
            if condition.type == "QuotaReserved" and condition.status == "False" and "message" in told[key]:
                assert key in older or condition.message == told[key]["message"], key
