"""`kueuectl options`: the flags of all commands."""

from __future__ import annotations

import typer

from kueuectl.cli.frame.flags import CONNECTION, GLOBAL_FLAGS, OUTPUT, SCOPE, STATE

_TITLES = {SCOPE: "Scope", OUTPUT: "Output", STATE: "State", CONNECTION: "Connection"}


def command(ctx: typer.Context) -> None:
    """List the flags that all commands take.

    They may stand before or after the name of a command.

    \b
    Examples:
      kueuectl options
      kueuectl list clusterqueue --context production
    """
    rows = [(_spelling(flag.names, flag.metavar), flag) for flag in GLOBAL_FLAGS]
    width = max(len(spelling) for spelling, _ in rows)
    for group, title in _TITLES.items():
        ctx.obj.print(f"{title}:")
        for spelling, flag in rows:
            if flag.group == group:
                ctx.obj.print(f"  {spelling:<{width}}  {flag.help}")
        if group != CONNECTION:
            ctx.obj.print()


def _spelling(names: tuple[str, ...], metavar: str) -> str:
    spelling = ", ".join(names) if len(names) > 1 else f"    {names[0]}"
    return f"{spelling} {metavar}".rstrip()
