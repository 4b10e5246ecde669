"""Compare our engine with Kueue's scheduler on fresh clusters: python -m tests.differential --seed S --cases N

    python -m tests.differential --seed 7 --cases 300 [--setup NAME]...
    python -m tests.differential --golden            # against the recorded answers, without Go
    python -m tests.differential --record            # record them anew
    python -m tests.differential --build             # only build the oracle, print where it is

The last line is `N passed, M failed`; exit code 1 when something failed, 2 when there is no oracle.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

from tests.differential import golden, oracle, runs, setups
from tests.differential.runs import Verdict

_CUT = 400
_SHOWN = 5


def main(argv: list[str]) -> int:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.differential",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=1, help="the first seed; each setup starts there")
    parser.add_argument("--cases", type=int, default=len(setups.SETUPS), help="how many clusters, over all setups")
    names = [setups.TIES.name, *setups.SETUPS]
    parser.add_argument("--setup", action="append", choices=names, help="only these setups")
    parser.add_argument("--golden", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--build", action="store_true")
    options = parser.parse_args(argv)
    try:
        if options.build:
            print(oracle.build())
            return 0
        if options.record:
            return _record(options.setup)
        verdicts = _golden(options.setup) if options.golden else _fresh(options)
        return _report(verdicts)
    except (oracle.MissingError, golden.StaleError) as error:
        print(f"tests.differential: {error}", file=sys.stderr)
        return 2


def _fresh(options: argparse.Namespace) -> Iterator[Verdict]:
    oracle.build()
    for setup, count in runs.spread(options.cases, options.setup):
        yield from runs.fresh(setup, options.seed, count)


def _golden(names: list[str] | None) -> Iterator[Verdict]:
    for setup, count in setups.recorded():
        if not names or setup.name in names:
            for entry in golden.read(setup, setup.cases(setups.RECORDED_FROM, count)):
                yield runs.judge(setup, entry.case, entry.outcomes)


def _record(names: list[str] | None) -> int:
    for setup, count in setups.recorded():
        if names and setup.name not in names:
            continue
        entries = []
        for case in setup.cases(setups.RECORDED_FROM, count):
            entries.append(golden.Recorded(case, tuple(runs.answers(setup, case, setup.asked))))
        golden.write(setup, entries)
        several = sum(len(entry.outcomes) > 1 for entry in entries)
        size = golden.path(setup).stat().st_size
        print(f"{setup.name}: {len(entries)} clusters, {several} with several answers, {size} bytes")
    return 0


def _report(verdicts: Iterable[Verdict]) -> int:
    passed = failed = 0
    for verdict in verdicts:
        if not verdict.differences:
            passed += 1
            if verdict.answers > 1:
                print(f"{verdict.id}: Kueue itself gave {verdict.answers} answers, ours is one of them")
            continue
        failed += 1
        several = f" from all {verdict.answers} answers of Kueue" if verdict.answers > 1 else ""
        print(f"{verdict.id}: differs{several}")
        for text in verdict.differences[:_SHOWN]:
            print(f"    {text if len(text) <= _CUT else text[:_CUT] + ' ...'}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
