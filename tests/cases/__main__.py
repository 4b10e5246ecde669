"""Run the cases: `python -m tests.cases DIR [ID...]`; exit code 1 on an unexpected failure."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.cases import runner


def main(arguments: list[str] | None = None) -> int:
    """Print one line per case, and last how many passed and failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.cases", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder with the cases (*.expect.json)")
    parser.add_argument("ids", metavar="ID", nargs="*", help="ids of cases to run; all without any")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what differs, and what cases need")
    options = parser.parse_args(arguments)
    passed = failed = 0
    try:
        for outcome in runner.run(options.folder, options.ids):
            print(outcome.line)
            passed += outcome.is_passed
            failed += outcome.is_failed
            for text in outcome.texts if options.verbose else ():
                print(f"  {text}")
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
