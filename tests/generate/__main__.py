"""Print clusters: python -m tests.generate --seed 7 --cases 100 [--recipe NAME] [--set NAME=VALUE]..."""

from __future__ import annotations

import argparse
import json
import sys

from tests.generate import cases
from tests.generate.recipes import RECIPES, changed


def main(argv: list[str]) -> int:
    """Print clusters."""
    parser = argparse.ArgumentParser(prog="python -m tests.generate", description="Print random clusters.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1)
    parser.add_argument("--recipe", choices=list(RECIPES), default="mixed")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    options = parser.parse_args(argv)
    for case in cases(options.seed, options.cases, changed(RECIPES[options.recipe], options.settings)):
        sys.stdout.write(json.dumps(case, separators=(",", ":")) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
