"""One control plane for the whole session, with a small scene in it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.live import build, controlplane, scene
from tests.live.controlplane import ControlPlane

_ASKED = os.environ.get("KUEUECTL_TEST_LIVE", "")


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A running control plane; skips, with what to do, where there can be none."""
    if _ASKED == "off":
        pytest.skip("KUEUECTL_TEST_LIVE=off")
    missing = controlplane.what_is_missing()
    if missing:
        pytest.skip(missing)
    try:
        built = build.build() if _ASKED == "build" else build.find()
    except build.MissingError as error:
        pytest.skip(str(error))
    if built is None:
        pytest.skip(
            "not built yet: run python -m tests.live.build once (13 CPU minutes), or set KUEUECTL_TEST_LIVE=build"
        )
    running = ControlPlane(tmp_path_factory.mktemp("live") / "cluster", built)
    try:
        running.start()
        scene.write(running)
        yield running
    finally:
        running.stop()
