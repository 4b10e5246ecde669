"""Every fault at every request of a command that writes: nothing happens twice, and what is said is what was stored."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.cli.harness import Result
from tests.cluster.fake import FakeServer
from tests.faults import proxy as faults
from tests.faults.conftest import Run
from tests.faults.proxy import Proxy

COMMANDS = (
    "stop clusterqueue training",
    "resume clusterqueue training",
    "stop workload job-small -n team-a",
    "hold -c training -A --yes",
    "hold job-small job-big -n team-a --yes --no-preview",
    "delete workload job-small -n team-a --yes",
    "move workload job-small --to other -n team-a --yes",
    "prioritize workload job-small job-big -n team-a --priority 5 --yes --no-preview",
    "create clusterqueue new --cohort x",
    "create cohort new",
)
QUEUES = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
UNSURE = "can't tell whether"


@dataclass
class Trial:
    """Runs one command against the same state again and again."""

    line: str
    run: Callable[[], Result]
    proxy: Proxy
    teams: FakeServer

    def __post_init__(self) -> None:
        if self.line.startswith("resume"):
            for queue in self.teams.objects[QUEUES]:
                queue["spec"]["stopPolicy"] = "HoldAndDrain"  # type: ignore[index]
        self._methods: list[str] = []
        self._objects = copy.deepcopy(self.teams.objects)

    def of(self, kind: str, at: int = 0, *, lasting: bool = False) -> tuple[Result, list[tuple[str, str]]]:
        """What was said, and what was stored."""
        self.teams.objects.clear()
        self.teams.objects.update(copy.deepcopy(self._objects))
        self.teams.store.done.clear()
        self.teams._encoded.clear()
        self.proxy.arm(kind, at, lasting=lasting)
        said = self.run()
        self._methods = [asked.method for asked in self.proxy.asked]
        self.proxy.arm("")
        return said, [(method, path) for method, path, _ in self.teams.store.done]

    def methods(self) -> list[str]:
        """The methods of the requests of the last run."""
        return self._methods


@pytest.fixture(params=COMMANDS)
def trial(request: pytest.FixtureRequest, through: Run, proxy: Proxy, teams: FakeServer) -> Trial:
    """One command."""
    return Trial(request.param, lambda: through(*request.param.split()), proxy, teams)


@pytest.mark.parametrize("kind", [kind for kind in (*faults.PASSING, faults.DENIED) if kind != faults.SLOW])
def test_what_is_said_is_what_was_stored(trial: Trial, kind: str) -> None:
    clean, want = trial.of("")
    assert clean.code == 0, clean.err
    assert want
    methods = trial.methods()
    for at, method in enumerate(methods):
        # Reading is looked at elsewhere: here now and then.
        if method not in faults.WRITING and at % 9:
            continue
        for lasting in (False, True):
            said, stored = trial.of(kind, at, lasting=lasting)
            where = f"{trial.line}: {kind} at request {at} of {len(methods)}{', and later ones' if lasting else ''}"
            check(said, stored, clean, want, where)
            if not lasting and kind != faults.DENIED:
                assert said.code == 0, f"{where}: {said.err}"


def check(said: Result, stored: list[tuple[str, str]], clean: Result, want: list[tuple[str, str]], where: str) -> None:
    """Nothing twice; success is whole; after a failure each line on stdout is of something that was stored."""
    assert "Traceback" not in said.err
    assert len(stored) == len(set(stored)), f"{where}: stored twice: {stored}"
    if said.code == 0:
        assert stored == want, where
        assert said.out == clean.out, where
        return
    assert said.code in (4, 5), f"{where}: {said.code} {said.err}"
    assert "Error: " in said.err, where
    lines = said.out.splitlines()
    assert set(lines) <= set(clean.out.splitlines()), where
    unsure = said.err.count(UNSURE)
    assert len(lines) <= len(stored) <= len(lines) + unsure, f"{where}: said {lines}, stored {stored}\n{said.err}"
