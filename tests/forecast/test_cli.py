"""`kueuectl forecast` as users run it."""

from __future__ import annotations

import json

import pytest

from tests.cli.harness import Result, cli

EXAMPLE = "example:four-tenants"


def forecast(*args: str) -> Result:
    return cli("forecast", *args, "--from", EXAMPLE)


def test_the_summary_comes_first_then_starts_then_assumptions() -> None:
    result = forecast("--assume-runtime", "12h")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "6 waiting: 2 now, 3 later, the last one in 60m, 1 never as things are."
    table = {line.split()[0]: line for line in lines if "/" in line.split("   ")[0]}
    assert "in 10m   2026-11-16T14:10:01Z   after 1 workload of its tree ends" in table["pretraining/llama-pretrain"]
    assert table["pretraining/moe-frontier"].endswith("does not start as things are: NEVER_FITS")
    assert "  17 run as assumed for all." in lines
    assert "  --assume-runtime 12h" in lines
    assert any(
        line.startswith("  Run for longer than expected already, so nobody knows when they end: inference-batch/")
        for line in lines
    )


def test_without_run_times_starts_are_unknown() -> None:
    result = forecast("pretraining/llama-pretrain")
    assert "unknown" in result.out
    assert "waits for what may run for ever: " in result.out
    assert "nothing tells how long they run: give --assume-runtime" in result.out


def test_ranges_show_percentiles_and_their_seed() -> None:
    args = ("--assume-runtime", "8h..24h", "--assume-runtime", "fine-tuning=10h..14h", "--seed", "3", "--runs", "20")
    first, second = forecast(*args), forecast(*args)
    assert first.out == second.out
    assert "P10" in first.out
    assert "P10, P50 and P90 come from 20 futures with drawn run times (seed 3)." in first.out
    assert "--assume-runtime fine-tuning=10h..14h" in first.out


def test_machine_formats_carry_the_same_facts() -> None:
    found = json.loads(forecast("--assume-runtime", "12h", "-o", "json").out)
    assert (found["kind"], found["runs"], found["cut"]) == ("Forecast", 0, False)
    rows = {row["workload"]: row for row in found["items"]}
    llama = rows["pretraining/llama-pretrain"]
    assert (llama["fate"], llama["start"], llama["startWithDrain"]) == (
        "starts",
        "2026-11-16T14:10:01Z",
        "2026-11-16T14:10:01Z",
    )
    assert (llama["runTime"], llama["after"]) == ({"source": "all", "seconds": 43200.0}, {"all": 1})
    assert rows["pretraining/moe-frontier"]["verdict"] == "NEVER_FITS"
    assert forecast("pretraining/llama-pretrain", "-o", "name").out == "workload.kueue.x-k8s.io/llama-pretrain\n"


def test_rows_of_one_queue_or_namespace() -> None:
    by_queue = json.loads(forecast("-c", "pre-training", "-o", "json").out)
    by_namespace = json.loads(forecast("-n", "pretraining", "-o", "json").out)
    assert {row["clusterQueue"] for row in by_queue["items"]} == {"pre-training"}
    assert by_queue["items"] == by_namespace["items"]


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("nope", 3, 'workloads.kueue.x-k8s.io "nope" not found'),
        ("--assume-runtime x", 2, "invalid value 'x' for --assume-runtime"),
        ("--assume-runtime 0s", 2, "invalid value '0s' for --assume-runtime"),
        ("--assume-runtime 3h..1h", 2, "invalid value '3h..1h' for --assume-runtime"),
        ("--assume-runtime =1h", 2, "invalid value '=1h' for --assume-runtime"),
        ("--assume-runtime nope=1h", 3, 'no ClusterQueue or LocalQueue "nope" found'),
        ("--assume-runtime 1h --assume-runtime 2h", 2, "--assume-runtime is given twice for all queues"),
        ("--runs 0", 2, "--runs has to be from 1 to 10000"),
        ("-c nope", 3, 'clusterqueues.kueue.x-k8s.io "nope" not found'),
    ],
)
def test_errors(line: str, code: int, want: str) -> None:
    result = forecast(*line.split())
    assert (result.code, want in result.err) == (code, True), result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(("runtime", "code"), [("2562047h", 0), ("2562048h", 2)])
def test_a_run_time_of_centuries_is_one(runtime: str, code: int) -> None:
    result = cli("forecast", "--assume-runtime", runtime, "--from", "example:preemption")
    assert result.code == code, result.err
    assert "internal error" not in result.err
