"""Decisions of Kueue's own tests, as data, run against ours: `python -m tests.conformance DIR [SUITE...]`."""
