"""The roles of docs/rbac on a real API server: what each lets its user do, told by doctor and by doing it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from kueuectl.cluster import access
from tests.cli.harness import Result, cli
from tests.live.controlplane import ControlPlane, create

ROLES = (access.VIEWER, access.OPERATOR, access.ADMIN)
RBAC = "/apis/rbac.authorization.k8s.io/v1"
FOLDER = Path(__file__).resolve().parents[2] / "docs" / "rbac"


@pytest.fixture(scope="module")
def roles(plane: ControlPlane) -> ControlPlane:
    """The three roles, each bound to a user named after it."""
    with plane.client() as client:
        for role in ROLES:
            for item in yaml.safe_load_all((FOLDER / f"{role}.yaml").read_text("utf-8")):
                inside = f"/namespaces/{item['metadata']['namespace']}" if "namespace" in item["metadata"] else ""
                create(client, f"{RBAC}{inside}/{item['kind'].lower()}s", item)
            name = f"kueuectl-{role}"
            subject = {"kind": "User", "name": f"user-{role}", "apiGroup": "rbac.authorization.k8s.io"}
            reference = {"kind": "ClusterRole", "name": name, "apiGroup": "rbac.authorization.k8s.io"}
            binding = {"metadata": {"name": name}, "subjects": [subject], "roleRef": reference}
            create(client, f"{RBAC}/clusterrolebindings", binding)
    return plane


def run(plane: ControlPlane, role: str, *words: str) -> Result:
    """The program as the user of a role."""
    return cli(*words, "--kubeconfig", plane.kubeconfig, "--context", "admin", "--as", f"user-{role}")


@pytest.mark.parametrize("role", ROLES)
def test_the_doctor_tells_what_a_role_lacks(role: str, roles: ControlPlane) -> None:
    found = json.loads(run(roles, role, "doctor", "-o", "json").out)["access"]
    refused = {(row["verb"], row["resource"]) for row in found if row["commands"] and not row["allowed"]}
    least = ROLES.index(role)
    assert refused == {(need.verb, need.resource) for need in access.WRITES if ROLES.index(need.role) > least}
    unread = {row["resource"] for row in found if not row["commands"] and not row["allowed"]}
    assert unread == {"configmaps"}, "Kueue's configuration takes a Role in its namespace"


@pytest.mark.parametrize("role", ROLES)
def test_every_role_gets_whole_answers(role: str, roles: ControlPlane) -> None:
    result = run(roles, role, "explain", "job", "train-9", "-n", "team-a")
    assert result.code == 0
    assert "not allowed to list" not in result.err


@pytest.mark.parametrize(
    ("words", "want"),
    [
        (("stop", "localqueue", "main", "-n", "team-a"), (5, 0, 0)),
        (("stop", "clusterqueue", "research"), (5, 5, 0)),
        (("create", "cohort", "made-by-a-role"), (5, 5, 0)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value[0], str) else None,
)
def test_writes_are_refused_below_their_role(
    words: tuple[str, ...], want: tuple[int, ...], roles: ControlPlane
) -> None:
    codes = tuple(run(roles, role, *words, "--dry-run=server").code for role in ROLES)
    assert codes == want
    assert "cannot" in run(roles, access.VIEWER, *words, "--dry-run=server").err
