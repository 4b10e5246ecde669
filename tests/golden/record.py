"""Record golden files: `python -m tests.golden.record [--oracle PROGRAM] [NAME...]`.

With --oracle the `kueue` part is asked of Kueue's own engine; without, it stays as it is. The `explain` part is always
written anew: read what changed before it is committed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

from tests.golden import answers


def main(arguments: list[str]) -> int:
    """Write the files of the named scenes, of all without a name."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.record", description=__doc__)
    parser.add_argument("--oracle", metavar="PROGRAM", help="the program that runs Kueue's engine")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    for path in answers.paths():
        if options.names and path.stem not in options.names:
            continue
        dump = answers.read(path)
        old = json.loads(dump.golden.read_text("utf-8")) if dump.golden.is_file() else {}
        kueue = _ask(options.oracle, dump) if options.oracle else old["kueue"]
        text = json.dumps({"kueue": kueue, "explain": answers.by_explain(dump)}, indent=1)
        dump.golden.write_text(text + "\n", "utf-8")
        print(path.stem)
    return 0


def _ask(program: str, dump: answers.Dump) -> answers.Doc:
    line = json.dumps(dump.case())
    done = subprocess.run([program, "--backoff"], input=line, text=True, capture_output=True, check=True)
    return answers.digest(json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
