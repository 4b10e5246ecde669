"""Predictions of dry-run against Kueue's own scheduler, on random changes to random clusters.

    python -m tests.dry_run.differential ORACLE [--seed 1] [--cases 100] [--changes 1] [--recipe NAME] [--write FILE]
                                        [--set NAME=VALUE]

ORACLE is the program of tests/oracle. It gets the changed objects and runs to its fixpoint; dry-run gets the objects as
they were, and the change. `--write` keeps small cases that agree, for tests/dry_run/test_predictions.py.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests import generate, scenes
from tests.dry_run import prediction, random_changes
from tests.generate import recipes

Doc = dict[str, Any]
MAX_BYTES = 12_000


def run_oracle(program: str, cases: list[Doc]) -> list[Doc]:
    """Its answers, a case a line."""
    lines = "\n".join(json.dumps(case) for case in cases)
    done = subprocess.run([program, "--backoff"], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main(argv: list[str]) -> int:
    """Compare; 1 when a prediction is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.dry_run.differential")
    parser.add_argument("oracle")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--changes", type=int, default=1)
    parser.add_argument("--recipe", choices=list(recipes.RECIPES), default="mixed")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args(argv)
    recipe = recipes.changed(recipes.RECIPES[options.recipe], options.settings)
    cases = list(generate.cases(options.seed, options.cases, recipe))
    changes = [random_changes.change(random.Random(f"change {c['id']}"), c, count=options.changes) for c in cases]
    changed = [{**case, "objects": change.objects} for case, change in zip(cases, changes, strict=True)]
    wrong, loops, kept = 0, 0, []
    for case, change, answer in zip(cases, changes, run_oracle(options.oracle, changed), strict=True):
        if not answer.get("cycles"):
            continue
        found = prediction.predict(case, change.arguments)
        want, got = prediction.decided(answer, found), prediction.predicted(found)
        if want["loop"] or got["loop"]:
            # The oracle looks at the whole cluster, dry-run at the touched trees.
            loops += 1
            problems = [] if want["loop"] else ["dry-run sees a loop, Kueue comes to rest"]
        else:
            problems = prediction.differences(want, got, reclaimable=_reclaimable(case))
        if problems:
            wrong += 1
            print(case["id"], " ".join(change.arguments))
            print("\n".join(f"    {problem}" for problem in problems[:6]))
        elif options.write and not want["loop"] and not found.is_empty and len(json.dumps(case)) < MAX_BYTES:
            kept.append({"case": case, "arguments": change.arguments, "want": want})
    print(f"{len(cases)} cases, {wrong} wrong, {loops} in a loop")
    if options.write:
        options.write.write_text("".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in kept), "utf-8")
    return 1 if wrong else 0


def _reclaimable(case: Doc) -> frozenset[str]:
    state = scenes.read(case).state
    return frozenset(key for key, workload in state.workloads.items() if workload.reclaimable_pods)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
