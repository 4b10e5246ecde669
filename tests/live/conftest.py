"""One control plane for the whole session, with a small scene in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from tests.live import build, controlplane, scene
from tests.live.controlplane import ControlPlane

_ASKED = os.environ.get("KUEUECTL_TEST_LIVE", "")


@pytest.fixture(scope="session")
def built() -> build.Built:
    """The programs; skips, with what to do, where a control plane can't run."""
    if _ASKED == "off":
        pytest.skip("KUEUECTL_TEST_LIVE=off")
    missing = controlplane.what_is_missing()
    if missing:
        pytest.skip(missing)
    try:
        found = build.build() if _ASKED == "build" else build.find()
    except build.MissingError as error:
        pytest.skip(str(error))
    if found is None:
        pytest.skip(
            "not built yet: run python -m tests.live.build once (14 CPU minutes), or set KUEUECTL_TEST_LIVE=build"
        )
    return found


@pytest.fixture(scope="session")
def plane(built: build.Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A running control plane with fair sharing and the small scene, for the whole session."""
    running = ControlPlane(tmp_path_factory.mktemp("live") / "cluster", built)
    try:
        running.start()
        scene.write(running)
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def start_plane(built: build.Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., ControlPlane]]:
    """Starts control planes with nothing in them, which are stopped at the end of the module."""
    started: list[ControlPlane] = []

    def start(**options: bool) -> ControlPlane:
        started.append(ControlPlane(tmp_path_factory.mktemp("live") / "cluster", built, **options))
        started[-1].start()
        return started[-1]

    try:
        yield start
    finally:
        for one in started:
            one.stop()
