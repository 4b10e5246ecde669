"""A reader of stdout that goes away in the middle: what was agreed to is done all the same, and the exit code tells."""

from __future__ import annotations

import io
import os

import pytest

from kueuectl.cli.app import run
from kueuectl.cli.frame.environment import Environment
from tests.cluster.fake import FakeServer, Fault
from tests.writes.teams import WORKLOADS, stored

BATCH = ("hold", "job-run", "job-check", "-n", "team-a", "--no-preview", "--yes")


class Gone(io.StringIO):
    """A pipe whose reader leaves after some lines."""

    def __init__(self, lines: int) -> None:
        super().__init__()
        self.lines = lines

    def flush(self) -> None:
        """Hand on what there is, if somebody reads it."""
        if self.getvalue().count("\n") > self.lines:
            raise BrokenPipeError


def held(fake: FakeServer, *words: str, lines: int) -> tuple[int, str]:
    """The exit code and stderr of a batch whose results are read so far."""
    err = io.StringIO()
    environment = Environment(
        stdin=io.TextIOWrapper(io.BytesIO(b"")),
        stdout=Gone(lines),
        stderr=err,
        variables={"KUBECONFIG": os.devnull},
        program="kueuectl",
        clock=lambda: 0,
        sleep=lambda seconds: None,
    )
    return run([*BATCH, *words, "--server", fake.url], environment), err.getvalue()


@pytest.mark.parametrize("lines", [0, 1])
@pytest.mark.parametrize("words", [(), ("-o", "name"), ("-o", "json")])
def test_the_rest_is_done(teams: FakeServer, lines: int, words: tuple[str, ...]) -> None:
    code, _ = held(teams, *words, lines=lines)
    assert code == 0
    assert not any(stored(teams, WORKLOADS, name)["spec"]["active"] for name in ("job-run", "job-check"))


@pytest.mark.parametrize("words", [(), ("-o", "json"), ("--keep-going",)])
def test_a_failure_is_still_one(teams: FakeServer, words: tuple[str, ...]) -> None:
    teams.faults.append(Fault("job-run", method="PATCH", status=422, after=1))
    code, err = held(teams, *words, lines=0)
    assert code == 1, err
    assert len(teams.store.done) == 1
