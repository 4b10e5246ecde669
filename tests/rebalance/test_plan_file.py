"""Plan files: written, read back, and refused when they are not what they should be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kueuectl.analysis import rebalance, rebalance_plan
from kueuectl.analysis.goals import Goal, GoalKind
from kueuectl.analysis.rebalance import Request
from kueuectl.errors import InputError, KueuectlError
from kueuectl.model.plan import Plan
from kueuectl.model.settings import Settings
from kueuectl.store import plans
from tests.rebalance.scene import NOW, cluster, holding, queue, waiting

STATE = cluster(
    [queue("a", 8), queue("b", 8), queue("elsewhere", 8, cohort=None)],
    [waiting("w", "a", 8), holding("big", "b", 16), holding("calm", "a", 0), holding("far", "elsewhere", 1)],
)


def plan(*, hold: bool = False) -> Plan:
    request = Request(Goal(GoalKind.NOMINAL), hold=hold)
    found = rebalance.find(STATE, Settings(), now=NOW, request=request)
    return rebalance_plan.of(STATE, found, found.plans[0], made_at=NOW, tool_version="1.2.3", kueue_target="v0.19.2")


def test_a_plan_names_everything_that_it_rests_on() -> None:
    made = plan()
    roles = {(entry.kind, entry.name): entry.role for entry in made.preconditions}
    assert roles == {
        ("ClusterQueue", "a"): "quota",
        ("ClusterQueue", "b"): "quota",
        ("ResourceFlavor", "default"): "quota",
        ("LocalQueue", "a"): "door",
        ("LocalQueue", "b"): "door",
        ("Workload", "w"): "beneficiary",
        ("Workload", "big"): "victim",
        ("Workload", "calm"): "holder",
    }
    assert all(entry.uid for entry in made.preconditions)
    [step] = made.steps
    assert (step.key, step.uid, step.resource_version, step.gpus) == ("b/big", "uid-big", "v-big", 16)
    assert [row.workload for row in made.promise.admitted] == ["a/w"]


def test_steps_say_whether_a_victim_is_held() -> None:
    assert {step.action for step in plan().steps} == {"evict"}
    assert {step.action for step in plan(hold=True).steps} == {"hold"}


def test_nothing_to_do_is_a_plan_without_steps() -> None:
    found = rebalance.find(STATE, Settings(), now=NOW, request=Request(Goal(GoalKind.WITHIN_QUOTA)))
    made = rebalance_plan.of(STATE, found, None, made_at=NOW, tool_version="1", kueue_target="v0.19.2")
    assert (made.steps, made.preconditions, made.goal) == ((), (), "within-quota")
    assert plans.decode(plans.encode(made)) == made


def test_a_file_gives_the_same_plan_back(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    plans.write(str(path), plan())
    assert plans.read(str(path)) == plan()
    assert path.read_bytes() == plans.encode(plan())
    assert [entry.name for entry in tmp_path.iterdir()] == ["plan.json"], "nothing half-written stays"


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    document = json.loads(plans.encode(plan()))
    change(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("raw", "want"),
    [
        (b"", "p: is no plan: Input data was truncated"),
        (b"[]", "p: is no plan: Expected `object`, got `array`"),
        (b"{}", "p: is no plan of kueuectl"),
        (changed(lambda d: d.update(schemaVersion=2)), "p: is a plan that this version can't read"),
        (changed(lambda d: d.update(apiVersion="kueuectl/v2")), "p: is a plan that this version can't read"),
        (changed(lambda d: d["steps"][0].update(action="delete")), "p: steps[0].action: must be evict or hold"),
        (changed(lambda d: d["steps"][0].update(uid="")), "p: steps[0]: must name a workload with its uid"),
        (changed(lambda d: d["steps"][0].update(force=True)), "p: steps[0]: Object contains unknown field `force`"),
        (changed(lambda d: d["steps"][0].pop("name")), "p: steps[0]: Object missing required field `name`"),
        (changed(lambda d: d["steps"][0].update(gpus="many")), "p: steps[0].gpus: Expected `int`, got `str`"),
        (changed(lambda d: d.update(madeAt="yesterday")), "p: madeAt: 'yesterday' is not a time"),
    ],
    ids=[
        "empty",
        "a list",
        "something else",
        "newer schema",
        "newer version",
        "unknown action",
        "no uid",
        "unknown field",
        "missing field",
        "wrong type",
        "no time",
    ],
)
def test_what_is_no_plan_is_refused(raw: bytes, want: str) -> None:
    with pytest.raises(InputError) as caught:
        plans.decode(raw, source="p")
    assert str(caught.value).startswith(want)


def test_files_that_can_t_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        plans.read(str(tmp_path / "none.json"))
    with pytest.raises(KueuectlError, match="cannot be written: No such file"):
        plans.write(str(tmp_path / "none" / "plan.json"), plan())
