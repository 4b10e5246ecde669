"""Commands that kubectl has too: where it is installed it takes over, with the same arguments and streams.

Rules.
 1. Kinds are given to it by their full names: Kubernetes has a Workload of its own.
 2. What only this program knows is never handed on. With --from the answer is ours: kubectl reads no dumps.
 3. It takes the place of this process, so signals, the terminal and the exit code are its own.
 4. A kind that isn't one of Kueue's is refused before it is started.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

from kueuectl.cli.frame import kinds
from kueuectl.cli.frame.commands import Command
from kueuectl.cli.frame.flags import GLOBAL_FLAGS, STATE
from kueuectl.cli.frame.kinds import Kind
from kueuectl.cli.frame.run import Run
from kueuectl.errors import KueuectlError, UsageError

# Flags of kubectl that take a value, beside those that this program has too: what follows them is no kind.
_TAKES_VALUE = frozenset(
    [
        "-f",
        "--filename",
        "-k",
        "--kustomize",
        "-L",
        "--label-columns",
        "-l",
        "--selector",
        "-p",
        "--patch",
        "--patch-file",
        "-v",
        "--v",
        "--as-user-extra",
        "--cache-dir",
        "--chunk-size",
        "--field-manager",
        "--field-selector",
        "--grace-period",
        "--log-flush-frequency",
        "--password",
        "--profile",
        "--profile-output",
        "--raw",
        "--sort-by",
        "--subresource",
        "--timeout",
        "--type",
        "--username",
        "--vmodule",
    ]
)
# Flags whose value kubectl only takes behind an equals sign.
_JOINED = {
    "--dry-run": ("none", "client", "server"),
    "--cascade": ("background", "orphan", "foreground"),
    "--wait": ("true", "false"),
}
# Objects that are named by files or paths, not by a kind.
_ELSEWHERE = ("-f", "--filename", "-k", "--kustomize", "--raw")
# What kubectl doesn't know: it never asks.
_OURS = ("-y", "--yes")


class PassedOn(Command):
    """A command that kubectl carries out where it is installed. In `delete KIND` the kind is part of the command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep the arguments as they are for kubectl, or parse them."""
        run = ctx.find_object(Run)
        if run is not None and not ctx.resilient_parsing and _is_passed_on(run, args):
            ctx.meta["kueuectl.passed_on"] = list(args)
            return []
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Let kubectl take over, or run the command."""
        args = ctx.meta.get("kueuectl.passed_on")
        if args is None:
            return super().invoke(ctx)
        own = {name for param in self.params if not getattr(param, "is_flag", True) for name in param.opts}
        words = [word for word in joined(args) if word not in _OURS]
        if ctx.parent is not None and ctx.parent.parent is not None:
            verb = str(ctx.parent.info_name)
            kind = kinds.find(str(ctx.info_name), kinds.KUEUE_KINDS)
            assert kind is not None, "commands below a verb are named after kinds"
            words = [full_name(kind), *words]
        else:
            verb = str(ctx.info_name)
            words = with_full_names(words, takes_value=own)
        return take_over(ctx.find_object(Run), verb, words)


def find(run: Run) -> str | None:
    """The path of kubectl, None where it isn't installed."""
    return shutil.which("kubectl", path=run.environment.variables.get("PATH") or "")


def _is_passed_on(run: Run, args: Sequence[str]) -> bool:
    before = args[: args.index("--")] if "--" in args else args
    is_dump = run.is_offline or any(word == "--from" or word.startswith("--from=") for word in before)
    return not is_dump and not {"-h", "--help"} & set(before) and find(run) is not None


def joined(args: Sequence[str]) -> list[str]:
    """The arguments with `--dry-run server` as `--dry-run=server`: kubectl would take the value for a name."""
    found: list[str] = []
    for word in args:
        if found and word in _JOINED.get(found[-1], ()):
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


def with_full_names(args: Sequence[str], *, takes_value: set[str]) -> list[str]:
    """The arguments with kinds by their full names: `cq,lq`, `cq/a lq/b`, `cq a b`. Raises UsageError."""
    shared = {name for flag in GLOBAL_FLAGS if not (flag.is_switch or flag.stands_alone) for name in flag.names}
    valued = (shared | takes_value | _TAKES_VALUE) - set(_JOINED)
    found: list[str] = []
    has_kind, is_value, is_bare = False, False, False
    for word in args:
        if is_value:
            is_value = False
        elif word == "--" and not is_bare:
            is_bare = True
        elif word.startswith("-") and word != "-" and not is_bare:
            is_value = word in valued
        elif "/" in word or not has_kind:
            word = _full(word)
            has_kind = True
        found.append(word)
    if not has_kind and not any(word.partition("=")[0] in _ELSEWHERE for word in args):
        raise UsageError("no object named", hint="write KIND NAME or KIND/NAME")
    return found


def _full(word: str) -> str:
    listed, slash, name = word.partition("/")
    found = []
    for one in listed.split(","):
        kind = kinds.find(one, kinds.KUEUE_KINDS)
        if kind is None:
            names = ", ".join(sorted(kind.name.lower() for kind in kinds.KUEUE_KINDS))
            raise UsageError(f"unknown type {one!r}", hint=f"use one of: {names}; kubectl knows the others")
        found.append(full_name(kind))
    return ",".join(found) + slash + name


def full_name(kind: Kind) -> str:
    """plural.group, which means this kind alone."""
    return f"{kind.plural}.{kind.group}"


def take_over(run: Run, verb: str, words: Sequence[str]) -> Any:
    """Let kubectl take the place of this process. Returns only where it can't be started."""
    path = find(run)
    assert path is not None, "only what is found is passed on to"
    run.environment.stdout.flush()
    run.environment.stderr.flush()
    try:
        return run.environment.become(path, ["kubectl", *given_before(run), verb, *words])
    except OSError as error:
        raise KueuectlError(f"can't run {path}: {error.strerror}", hint="take it off the PATH") from None


def given_before(run: Run) -> list[str]:
    """Global flags that stood before the command, as kubectl takes them."""
    found: list[str] = []
    for flag in GLOBAL_FLAGS:
        value = getattr(run.flags, flag.field)
        if flag.group == STATE or value in (None, False, []):
            continue
        name = flag.names[-1]
        if flag.is_switch:
            found.append(name)
        else:
            found += [f"{name}={one}" for one in (value if flag.is_repeated else [value])]
    return found
