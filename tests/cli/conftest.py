"""The two teams behind a fake API server."""

from tests.cli.two_teams import fake, live

__all__ = ["fake", "live"]
