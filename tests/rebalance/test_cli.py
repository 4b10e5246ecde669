"""`kueuectl rebalance` as users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kueuectl.store import plans
from tests.cli.harness import Result, cli

EXAMPLE = "example:four-tenants"


def rebalance(*args: str) -> Result:
    return cli("rebalance", *args, "--from", EXAMPLE)


def test_the_answer_comes_first_then_steps_cost_nodes_and_proof() -> None:
    result = rebalance("--goal", "fit:data-preparation/embed-corpus")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[:2] == [
        "Goal fit:data-preparation/embed-corpus: the workload gets quota",
        "  2 evictions are enough, 2 plans that trade differently.",
    ]
    assert "Plan 1 of 2, fewest evictions: 2 evictions, 2 pods, 82.6 GPU-hours of work, highest priority 10" in lines
    steps = [line.split() for line in lines if line.split()[1:2] == ["evict"]]
    assert [step[2] for step in steps[:2]] == ["finetuning/lora-sweep-2", "finetuning/lora-sweep-1"]
    assert len(steps) == 2 + 4, "the other plan holds however its evictions land"
    assert any(line.split()[:2] == ["data-preparation", "a100"] and "0 -> 32" in line for line in lines)
    assert any(line.startswith("Proven: no other plan has fewer evictions") for line in lines)


def test_machine_formats_carry_the_same_facts() -> None:
    result = rebalance("--goal", "fit:data-preparation/embed-corpus", "-o", "json")
    found = json.loads(result.out)
    assert (found["kind"], found["goal"], found["reached"]) == ("Rebalance", "fit:data-preparation/embed-corpus", False)
    first, second = found["items"]
    assert (first["evictions"], first["gpuHoursLost"], first["proven"], first["atLeast"]) == (2, 82.596, True, 2)
    assert (first["oneByOne"], second["oneByOne"]) == (False, True)
    assert [row["workload"] for row in first["admitted"]] == ["data-preparation/embed-corpus"]
    names = rebalance("--goal", "fit:data-preparation/embed-corpus", "-o", "name")
    assert names.out == "workload.kueue.x-k8s.io/lora-sweep-2\nworkload.kueue.x-k8s.io/lora-sweep-1\n"


def test_plans_go_to_stdout_or_to_a_file(tmp_path: Path) -> None:
    path = str(tmp_path / "plan.json")
    goal = ("--goal", "fit:data-preparation/embed-corpus")
    shown = rebalance(*goal, "-o", "plan")
    written = rebalance(*goal, "-o", f"plan={path}")
    assert (written.out, written.err) == ("", f"Wrote a plan of 2 steps to {path}\n")
    assert plans.read(path) == plans.decode(shown.out.encode())
    other = plans.decode(rebalance(*goal, "-o", "plan", "--plan", "2").out.encode())
    assert [step.name for step in other.steps] == ["lora-sweep-2", "lora-sweep-1", "sft-code", "sft-chat"]


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("--goal fit:pretraining/moe-frontier", 1, "NEVER_FITS: It asks for 64 nvidia.com/gpu"),
        ("--protect-priority 0", 1, "No plan reaches it: nobody may be evicted; protected: 11 by priority."),
        ("--goal fit:pretraining/llama-pretrain --protect-priority 11", 1, "can reach it; protected: 8 by priority."),
        ("--max-evictions 0", 1, "No plan reaches it"),
        ("--goal within-quota", 0, "Nothing to do: it is reached."),
        ("--goal fit:finetuning/sft-chat", 0, "Nothing to do: it is reached."),
        ("--goal fit:embed-corpus --hold", 0, "hold     finetuning/"),
        ("platform --goal nominal", 1, "No plan reaches it: 3 candidates, 7 sets tried in the engine"),
    ],
)
def test_answers(line: str, code: int, want: str) -> None:
    result = rebalance(*line.split())
    assert (result.code, want in result.out) == (code, True), result.out


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("nope", 3, 'cohorts.kueue.x-k8s.io "nope" not found'),
        ("--goal better", 2, "unknown goal 'better'"),
        ("--goal nominal:x", 2, "goal nominal takes no name"),
        ("--goal fit:", 2, "goal fit needs a workload"),
        ("--goal fit:nope", 3, 'workloads.kueue.x-k8s.io "nope" not found'),
        ("fleet --goal fit:embed-corpus", 2, "goal fit takes no cohort"),
        ("--goal defrag", 1, "topology of nodes, which is not modelled yet"),
        ("--max-evictions -1", 2, "--max-evictions can't be below zero"),
        ("--max-lost-gpu-hours -1", 2, "--max-lost-gpu-hours has to be a number of hours"),
        ("--max-lost-gpu-hours nan", 2, "--max-lost-gpu-hours has to be a number of hours"),
        ("--protect-older-than 1x", 2, "invalid value '1x' for --protect-older-than"),
        ("--protect-younger-than -1h", 2, "--protect-younger-than can't be below zero"),
        ("--protect-selector ((", 2, "invalid value '((' for --protect-selector"),
        ("--goal within-quota --plan 2", 2, "there is no plan 2"),
        ("--goal within-quota --plan 0", 2, "there is no plan 0"),
        ("--goal within-quota -o plan=/none/plan.json", 1, "cannot be written: No such file"),
        ("--goal within-quota -o sarif", 2, "unknown output format 'sarif'"),
    ],
)
def test_errors(line: str, code: int, want: str) -> None:
    result = rebalance(*line.split())
    assert (result.code, want in result.err) == (code, True), result.err
    assert "Traceback" not in result.err


def test_nothing_to_do_is_a_plan_without_steps() -> None:
    made = plans.decode(rebalance("--goal", "within-quota", "-o", "plan").out.encode())
    assert (made.goal, made.steps) == ("within-quota", ())


def test_no_plan_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    result = rebalance("--protect-priority", "0", "-o", f"plan={path}")
    assert (result.code, result.out, path.exists()) == (1, "", False)
    assert result.err.startswith("Error: no plan reaches the goal\n")


def test_wide_shows_what_stays_as_it_is() -> None:
    goal = ("--goal", "fit:data-preparation/embed-corpus")
    assert len(rebalance(*goal, "-o", "wide").out.splitlines()) > len(rebalance(*goal).out.splitlines())
