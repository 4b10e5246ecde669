"""Plan files: what is no plan, or one that can't be carried out safely, is refused with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kueuectl.errors import InputError
from kueuectl.store import plans

STEP = {"action": "evict", "namespace": "team-a", "name": "run", "uid": "u", "resourceVersion": "5"}
PLAN: dict[str, Any] = {
    "apiVersion": "kueuectl/v1alpha1",
    "kind": "Plan",
    "schemaVersion": 1,
    "madeAt": "2026-11-29T12:00:00Z",
    "toolVersion": "1",
    "kueueTarget": "v0.19.2",
    "goal": "named",
    "steps": [STEP],
}
DEEP = b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


def test_a_plan_comes_back_as_it_was_written() -> None:
    found = plans.decode(json.dumps(PLAN).encode())
    assert plans.decode(plans.encode(found)) == found


@pytest.mark.parametrize(
    ("raw", "want"),
    [
        (b"", "plan.json: is no plan: "),
        (b"[]", "plan.json: is no plan: "),
        (b'{"kind":"\xff"}', "plan.json: is no plan: "),
        (DEEP, "plan.json: is no plan: "),
        ({"kind": "List"}, "plan.json: is no plan of kueuectl"),
        ({"schemaVersion": 2}, "plan.json: is a plan that this version can't read"),
        ({"madeAt": "yesterday"}, "plan.json: madeAt: 'yesterday' is not a time"),
        ({"steps": [{**STEP, "action": "delete"}]}, "plan.json: steps[0].action: must be evict or hold"),
        ({"steps": [{**STEP, "uid": ""}]}, "plan.json: steps[0]: must name a workload with its uid"),
        (
            {"steps": [STEP, {**STEP, "action": "hold"}]},
            "plan.json: steps[1]: names a workload that an earlier step names",
        ),
        ({"steps": [{**STEP, "force": True}]}, "plan.json: steps[0]: Object contains unknown field `force`"),
    ],
)
def test_what_is_no_plan_is_refused(raw: bytes | dict[str, Any], want: str) -> None:
    with pytest.raises(InputError) as caught:
        plans.decode(raw if isinstance(raw, bytes) else json.dumps({**PLAN, **raw}).encode(), source="plan.json")
    assert str(caught.value).startswith(want)
