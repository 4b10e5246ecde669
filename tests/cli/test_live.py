"""Commands on a live cluster: the same answers as from a dump, few requests, clear refusals."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.harness import Result, cli, teams
from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer


@pytest.mark.parametrize(
    "line",
    [
        "list clusterqueue -o wide",
        "list localqueue -A -o wide",
        "list workload -A -o wide",
        "list workload -A --status pending -c training",
        "list workload -n team-a --for job/run",
        "list resourceflavor -o wide",
        "list cohort",
        "list topology",
        "list admissioncheck",
        "list workloadpriorityclass",
        "list pods --for job/run -n team-a",
        "list clusterqueue training -o yaml",
        "list workload -n team-b -o json",
        "tree",
        "shares -o json",
        "queue training",
        "top",
        "top workloads -n team-b",
    ],
)
def test_live_answers_are_those_of_the_dump(line: str, live: Live) -> None:
    result = live(*line.split())
    assert result.code == 0, result.err
    assert result.out == teams(*line.split()).out


def test_without_n_the_namespace_is_that_of_the_context(live: Live) -> None:
    assert live("list", "localqueue") == Result(0, "", "No resources found in default namespace.\n")


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("list cq", ["clusterqueues"]),
        ("list rf", ["resourceflavors"]),
        ("list lq -n team-a", ["namespaces/team-a/localqueues"]),
        ("list workload -n team-a", ["clusterqueues", "namespaces/team-a/localqueues", "namespaces/team-a/workloads"]),
        ("list workload -A", ["clusterqueues", "localqueues", "workloads"]),
    ],
)
def test_lists_ask_for_nothing_else(line: str, paths: list[str], live: Live, fake: FakeServer) -> None:
    assert live(*line.split()).code == 0
    root = "/apis/kueue.x-k8s.io/v1beta2/"
    asked = sorted(path.removeprefix(root) for path in fake.paths() if path.startswith(root))
    assert asked == paths


@pytest.mark.parametrize(
    ("given", "want"),
    [("", {"500"}), ("2", {"2"}), ("+7", {"7"}), ("0", {None}), ("-1", {None}), ("99999999999", {"99999999999"})],
)
def test_lists_come_in_pages_of_the_size_that_is_wanted(
    given: str, want: set[str | None], live: Live, fake: FakeServer
) -> None:
    variables = {"KUEUECTL_LIST_REQUEST_LIMIT": given}
    plain = live("list", "workload", "-A")
    for line in ("list workload -A", "get workload -A -o json"):
        fake.seen.clear()
        result = live(*line.split(), variables=variables)
        assert result.code == 0, result.err
        limits = {seen.query.get("limit") for seen in fake.seen if seen.path.endswith("/workloads")}
        assert limits == want
        assert line.startswith("get") or result == plain


@pytest.mark.parametrize("given", ["x", "1.5", " 2", "9223372036854775808", "1" * 5000])
def test_a_page_size_that_is_no_number_is_refused_by_lists_alone(given: str, live: Live) -> None:
    variables = {"KUEUECTL_LIST_REQUEST_LIMIT": given}
    for line in ("list workload -A", "list cq", "tree", "get cq"):
        result = live(*line.split(), variables=variables)
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith("Error: invalid list request limit '")
    assert live("stop", "cq", "training", "--dry-run=client", variables=variables).code == 0


def test_a_queue_without_conditions_is_not_active_unless_its_status_may_be_left_out(
    live: Live, fake: FakeServer, tmp_path: Path
) -> None:
    item = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "new"}, "spec": {}}
    fake.put("/apis/kueue.x-k8s.io/v1beta2/clusterqueues", item)
    dump = tmp_path / "new.json"
    dump.write_text(json.dumps(item))
    assert live("list", "cq", "new", "--no-headers").out.split()[:4] == ["new", "0", "0", "false"]
    shown = cli("list", "cq", "--no-headers", "--from", str(dump)).out
    assert shown.split()[:4] == ["new", "0", "0", "<unknown>"]


def test_a_missing_owner_is_not_found(live: Live) -> None:
    result = live("list", "workload", "-n", "team-a", "--for", "job/none")
    assert (result.code, result.out, result.err) == (3, "", 'Error: jobs.batch "none" not found\n')


def test_an_owner_without_workloads_is_found_in_any_namespace(live: Live) -> None:
    assert live("list", "workload", "-A", "--for", "job/idle") == Result(0, "", "No resources found\n")


def test_what_may_not_be_listed_is_an_error_for_the_list_itself(live: Live, fake: FakeServer) -> None:
    fake.forbidden = {"workloads"}
    result = live("list", "workload", "-A")
    assert (result.code, result.out) == (5, "")
    assert result.err.startswith("Error: ")
    assert "workloads" in result.err


def test_what_else_may_not_be_listed_is_a_warning(live: Live, fake: FakeServer) -> None:
    fake.forbidden = {"localqueues", "clusterqueues"}
    result = live("list", "workload", "-n", "team-b", "--no-headers")
    assert result.code == 0
    assert [line.split()[0] for line in result.out.splitlines()] == ["api", "api-next"]
    assert result.err.count("Warning: can't list ") == 2


def test_a_namespace_is_enough(live: Live, fake: FakeServer) -> None:
    fake.forbidden = {"all workloads", "all localqueues"}
    assert live("list", "workload", "-n", "team-b", "-o", "name").code == 0


def test_nobody_there() -> None:
    result = cli("list", "cq", "--server", "http://127.0.0.1:1", "--request-timeout", "1s")
    assert (result.code, result.out) == (5, "")
    assert result.err.splitlines()[-2].startswith("Error: ")
    assert result.err.splitlines()[-1].startswith("Hint: ")


def test_version(live: Live) -> None:
    want = {"server": "v1.36.3", "kueue": "v0.19.2", "kueueApiVersions": ["v1beta2", "v1beta1"]}
    assert json.loads(live("version", "-o", "json").out).items() >= want.items()
    assert live("version").out.splitlines()[2:] == [
        "Server Version: v1.36.3",
        "Kueue Version: v0.19.2",
        "Kueue Controller Manager Image: registry.example/kueue:v0.19.2",
        "Kueue API Versions: v1beta2, v1beta1",
    ]


def test_version_prints_what_it_knows_before_it_fails() -> None:
    result = cli("version", "--server", "http://127.0.0.1:1", "--request-timeout", "1s")
    assert result.code == 5
    assert result.out.startswith("Client Version: v")


def test_doctor(live: Live, fake: FakeServer) -> None:
    fake.forbidden = {"nodes"}
    result = live("doctor")
    assert result.code == 0, result.err
    assert re.search(r"server +v1\.36\.3 at http://127\.0\.0\.1", result.out)
    assert re.search(r"list +nodes +false +free capacity and topology domains are unknown", result.out)
    assert "Node  forbidden" in result.out
    found = json.loads(live("doctor", "-o", "json").out)
    assert [one["resource"] for one in found["access"] if not one["allowed"]] == ["nodes"]
    assert found["hidden"] == [{"kind": "Node", "reason": "forbidden", "detail": ""}]


def test_watching_appends_where_nothing_can_be_redrawn(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    def interrupt(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 2:
            raise KeyboardInterrupt

    result = live("top", "-w", "--interval", "3", sleep=interrupt)
    assert result.code == 130
    assert looks == [3.0, 3.0]
    assert result.out.count("NAME       FLAVOR") == 2
    assert "\x1b" not in result.out


def test_watching_redraws_a_terminal_and_leaves_it_as_it_was(live: Live) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    result = live("top", "--watch", is_tty=True, sleep=interrupt)
    assert result.out.startswith("\x1b[?1049h")
    assert result.out.endswith("\x1b[?1049l")
