"""Our decisions against Kueue's, on clusters that nobody has seen: a new seed every day.

KUEUECTL_SEED repeats a day (the seed is in the output), KUEUECTL_CASES changes how many clusters there are. The oracle
is built when Go is there: minutes for the first time, at the lowest priority.
"""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime

import pytest

from tests.differential import oracle, runs


@pytest.fixture(scope="module")
def kueue() -> None:
    """The oracle, ready to run."""
    if shutil.which("go") is None and not oracle.path().exists():
        pytest.skip("needs Go, to build Kueue's scheduler (tests/oracle); recorded decisions are compared without it")
    try:
        oracle.build()
    except oracle.MissingError as error:
        pytest.skip(f"no oracle: {error}")


@pytest.mark.usefixtures("kueue")
def test_fresh_decisions() -> None:
    # Seeds up to 1,000 or so are the recorded ones.
    seed = int(os.environ.get("KUEUECTL_SEED") or datetime.now(UTC).strftime("%Y%m%d"))
    count = int(os.environ.get("KUEUECTL_CASES") or 300)
    print(f"python -m tests.differential --seed {seed} --cases {count}")
    failed = []
    for setup, each in runs.spread(count):
        for verdict in runs.fresh(setup, seed, each):
            failed += [f"{verdict.id}: {text}" for text in verdict.differences[:3]]
    assert not failed, f"KUEUECTL_SEED={seed} KUEUECTL_CASES={count}\n" + "\n".join(failed)
