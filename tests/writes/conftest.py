"""The two teams behind a fake API server that stores what is written."""

import pytest

from tests.cli.two_teams import fake, live
from tests.cluster.fake import FakeServer
from tests.writes import teams as made

__all__ = ["fake", "live", "teams"]


@pytest.fixture
def teams(fake: FakeServer) -> FakeServer:
    """The two teams with the jobs behind their workloads."""
    return made.complete(fake)
