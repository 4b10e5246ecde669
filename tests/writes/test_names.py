"""Names that lead elsewhere: nothing but the one object that was meant is ever read or written."""

from __future__ import annotations

import pytest

from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer

EMPTY = "resource name may not be empty"
EVERYWHERE = "a resource cannot be retrieved by name across all namespaces"
STOP = '{"spec":{"stopPolicy":"Hold"}}'


@pytest.mark.parametrize(
    ("line", "want"),
    [
        (("stop", "cq", ""), EMPTY),
        (("stop", "workload", "", "-n", "team-a"), EMPTY),
        (("resume", "lq", "", "-n", "team-a"), EMPTY),
        (("delete", "cq", "", "--yes"), EMPTY),
        (("delete", "workload", "", "--yes", "-n", "team-a"), EMPTY),
        (("patch", "cq", "", "-p", STOP), EMPTY),
        (("edit", "cq", ""), EMPTY),
        (("get", "cq", ""), EMPTY),
        (("describe", "cq", ""), EMPTY),
        (("delete", "cq", "."), "invalid name '.'"),
        (("stop", "workload", "..", "-n", "team-a"), "invalid name '..'"),
        (("delete", "workload", "--all", "--yes", "-n", ".."), "invalid name '..'"),
        (("delete", "lq", "--all", "--yes", "-n", ".."), "invalid name '..'"),
        (("hold", "--all", "--no-preview", "--yes", "-n", ".."), "invalid name '..'"),
        (("list", "workload", "-n", ".."), "invalid name '..'"),
    ],
)
def test_a_path_that_is_not_one_objects_is_never_asked_for(
    live: Live, teams: FakeServer, line: tuple[str, ...], want: str
) -> None:
    result = live(*line)
    assert (result.code, result.out) == (2, ""), result.err
    assert want in result.err
    assert {seen.method for seen in teams.seen} <= {"GET"}
    assert not [path for path in teams.paths() if path.endswith("v1beta2/workloads")]


@pytest.mark.parametrize(
    "line",
    [
        ("stop", "workload", "job-run"),
        ("resume", "workload", "job-run"),
        ("stop", "localqueue", "train"),
        ("patch", "wl", "job-run", "-p", '{"spec":{"active":false}}'),
        ("edit", "wl", "job-run"),
        ("delete", "workload", "job-run", "--yes"),
        ("delete", "lq", "train", "--yes"),
    ],
)
def test_a_name_in_all_namespaces_is_none_in_the_default_one(
    live: Live, teams: FakeServer, line: tuple[str, ...]
) -> None:
    for path in ("workloads", "localqueues"):
        for item in list(teams.objects[f"/apis/kueue.x-k8s.io/v1beta2/{path}"]):
            metadata = {**item["metadata"], "namespace": "default"}  # type: ignore[dict-item]
            teams.put(f"/apis/kueue.x-k8s.io/v1beta2/{path}", {**item, "metadata": metadata})
    result = live(*line, "-A", variables={"EDITOR": "sed -i 's/active: true/active: false/'"})
    assert (result.code, result.out) == (2, "")
    assert EVERYWHERE in result.err
    assert teams.store.done == []


def test_a_kind_without_namespaces_takes_no_offence(live: Live, teams: FakeServer) -> None:
    assert live("stop", "cq", "training", "-A").code == 0
    assert len(teams.store.done) == 1
