"""Saving and looking into dumps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kueuectl.store import examples
from tests.cli.harness import NOW, TEAMS, cli, teams
from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer


def test_a_saved_dump_gives_the_same_answers(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    result = teams("snapshot", "save", str(saved))
    assert (result.code, result.out) == (0, "")
    assert result.err.endswith(f"Saved 29 objects to {saved}.\n")
    # It says its time itself.
    for line in ("list workload -o wide", "tree", "queue training", "explain workload/job-big -n team-a"):
        again = cli(*line.split(), "--from", str(saved))
        assert again.out == teams(*line.split()).out
        assert "clock of this machine" not in again.err


def test_a_file_is_not_overwritten_by_accident(tmp_path: Path) -> None:
    there = tmp_path / "there.json"
    there.write_text("mine")
    result = teams("snapshot", "save", str(there))
    assert (result.code, there.read_text()) == (1, "mine")
    assert result.err == f"Error: {there} is there already\nHint: --force replaces it\n"
    assert teams("snapshot", "save", str(there), "--force").code == 0
    assert json.loads(there.read_text())["kind"] == "List"


def test_containers_lose_what_decides_nothing(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    teams("snapshot", "save", str(saved))
    assert "image" in TEAMS.read_text()
    assert "image" not in saved.read_text()


def test_standard_input_can_be_saved(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    result = cli("snapshot", "save", str(saved), "--from", "-", "--now", NOW, stdin=TEAMS.read_text("utf-8"))
    assert result.err.endswith(f"Saved 29 objects to {saved}.\n")


def test_a_cluster_is_saved_with_the_time_of_its_server(live: Live, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    result = live("snapshot", "save", str(saved))
    assert (result.code, result.out) == (0, ""), result.err
    for line in ("list workload -o wide", "tree --limits", "queue training"):
        assert cli(*line.split(), "--from", str(saved)).out == teams(*line.split()).out


def test_what_may_not_be_read_is_missing_in_the_dump_and_said(live: Live, fake: FakeServer, tmp_path: Path) -> None:
    fake.forbidden = {"nodes"}
    result = live("snapshot", "save", str(tmp_path / "saved.json"))
    assert result.code == 0
    assert "Warning: can't list nodes: free capacity and topology domains are unknown\n" in result.err


@pytest.mark.parametrize("name", examples.names())
@pytest.mark.parametrize("line", ["list wl -o wide", "list cq", "tree", "shares", "top", "doctor", "snapshot show"])
def test_every_example_can_be_looked_at(name: str, line: str) -> None:
    result = cli(*line.split(), "--from", f"example:{name}")
    assert result.code == 0, result.err
    assert len(result.out.splitlines()) > 1
    assert "clock of this machine" not in result.err
