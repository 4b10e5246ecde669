"""Carry plans out on Kueue's scheduler: python -m tests.rebalance --seed S --cases N

    python -m tests.rebalance --seed 7 --cases 300   # fresh clusters; needs Go once, to build the oracle
    python -m tests.rebalance --record               # record golden.jsonl.xz anew

The last line is `N passed, M failed`; exit code 1 when something failed, 2 when there is no oracle.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tests.differential import oracle
from tests.rebalance import proofs
from tests.rebalance.proofs import Attempt


def main(argv: list[str]) -> int:
    """Parse, plan, ask Kueue, print."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.rebalance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=60, help="how many clusters, over all recipes")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args(argv)
    try:
        oracle.build()
    except oracle.MissingError as error:
        print(f"tests.rebalance: {error}", file=sys.stderr)
        return 2
    if options.record:
        return _record()
    found = [attempt for case in proofs.cases(options.seed, options.cases) for attempt in proofs.attempts(case)]
    passed = failed = 0
    for attempt, admitted in proofs.ask(found):
        if admitted is None:
            continue
        faults = proofs.faults(attempt, admitted)
        passed, failed = passed + (not faults), failed + bool(faults)
        if faults:
            print(f"{attempt.case['id']}, {attempt.goal.text}, {attempt.victims}: {'; '.join(faults)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _record() -> int:
    rows: list[dict[str, Any]] = []
    for name, count in proofs.RECORDED.items():
        found: list[Attempt] = []
        for case in proofs.SETUPS[name].cases(1, count):
            found += proofs.attempts(case, proofs.ONLY.get(name))
        for attempt, admitted in proofs.ask(found):
            if admitted is None or attempt.result.trials > proofs.MOST_TRIALS:
                continue
            assert not proofs.faults(attempt, admitted), attempt.case["id"]
            rows.append(
                {
                    "id": attempt.case["id"],
                    "setup": name,
                    "cluster": proofs.digest(attempt.case),
                    "goal": attempt.goal.text,
                    "victims": attempt.victims,
                    "bestIn": attempt.plan.best_in.name,
                    "admitted": proofs.assignments(admitted),
                }
            )
    proofs.write(rows)
    print(f"{len(rows)} plans, {proofs.GOLDEN.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
