"""Run conformance suites: `python -m tests.conformance DIR [SUITE...]`; exit code 1 on an unexpected failure."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.conformance import runner

_CUT = 600


def main(arguments: list[str] | None = None) -> int:
    """Print one line per suite, and last how many cases passed and failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder with the suites (*.jsonl)")
    parser.add_argument("suites", metavar="SUITE", nargs="*", help="names of suites to run; all without any")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what differs, and why cases are not due")
    options = parser.parse_args(arguments)
    passed = failed = 0
    try:
        for outcome in runner.run(options.folder, options.suites):
            print(outcome.line)
            passed += outcome.passed
            failed += len(outcome.failed)
            for case_id, differences in outcome.failed.items():
                print(f"  {case_id}")
                for difference in differences if options.verbose else ():
                    print(f"    {difference if len(difference) <= _CUT else difference[:_CUT] + ' ...'}")
            for feature, count in sorted(outcome.not_due.items()) if options.verbose else ():
                print(f"  not due: {count} need {feature}")
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
