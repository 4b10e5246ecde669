"""The roles of docs/rbac against what the commands ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from kueuectl.cli.frame import kinds
from kueuectl.cluster import access
from kueuectl.cluster.kinds import STATE_KINDS

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "rbac"
ROLES = (access.VIEWER, access.OPERATOR, access.ADMIN)


def rules(role: str) -> list[dict[str, Any]]:
    """The rules of a ClusterRole."""
    documents = list(yaml.safe_load_all((FOLDER / f"{role}.yaml").read_text("utf-8")))
    (found,) = [one for one in documents if one["kind"] == "ClusterRole"]
    assert found["metadata"]["name"] == f"kueuectl-{role}"
    rows: list[dict[str, Any]] = found["rules"]
    return rows


def allows(role: str, verb: str, group: str, resource: str) -> bool:
    """Whether a role has a verb on a resource."""
    return any(
        verb in row["verbs"] and group in row["apiGroups"] and resource in row["resources"] for row in rules(role)
    )


@pytest.mark.parametrize("role", ROLES)
def test_every_role_reads_all_that_a_state_is_made_of(role: str) -> None:
    for kind in STATE_KINDS:
        assert allows(role, "list", kind.group, kind.plural), kind.plural
    for kind in kinds.OWNER_KINDS:
        assert allows(role, "get", kind.group, kind.plural), kind.plural


@pytest.mark.parametrize("need", access.WRITES, ids=lambda need: f"{need.verb} {need.resource}")
def test_a_write_is_allowed_from_its_role_on(need: access.Need) -> None:
    plural = f"{need.kind.plural}/{need.subresource}" if need.subresource else need.kind.plural
    least = ROLES.index(need.role)
    assert [allows(role, need.verb, need.kind.group, plural) for role in ROLES] == [
        place >= least for place in range(len(ROLES))
    ]


def test_a_viewer_writes_nothing() -> None:
    assert {verb for row in rules(access.VIEWER) for verb in row["verbs"]} == {"get", "list", "watch"}


def test_no_role_takes_everything() -> None:
    for role in ROLES:
        assert all("*" not in (*row["verbs"], *row["apiGroups"], *row["resources"]) for row in rules(role))
