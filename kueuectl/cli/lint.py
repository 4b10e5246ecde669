"""`kueuectl lint`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl import __version__
from kueuectl.cli.frame import output
from kueuectl.errors import UsageError
from kueuectl.report import formats

_NEVER = "never"


def command(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Option(
            "-f", "--filename", metavar="FILE", help="Judge manifests of a file, folder or -; may be repeated."
        ),
    ] = None,
    alone: Annotated[bool, typer.Option("--alone", help="Judge the files without a cluster.")] = False,
    fail_on: Annotated[
        str,
        typer.Option("--fail-on", metavar="SEVERITY", help="Exit with 1 from this severity on, or never."),
    ] = "error",
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="CODE", help="Leave out findings with this code; may be repeated."),
    ] = None,
    codes: Annotated[bool, typer.Option("--codes", help="List all codes and what they mean.")] = False,
) -> None:
    """Find mistakes in queues, quotas, flavors and cohorts.

    Findings are errors (something can't work), warnings (probably not what was meant) and notes, each with why it
    matters and what to do. Manifests of -f are judged together with the cluster or the dumps of --from, and only what
    they bring is told; where there is no cluster, they are judged alone. What can't be judged since a kind was not read
    is said at the end. Also takes -o sarif.

    \b
    Examples:
      kueuectl lint --from example:four-tenants
      kueuectl lint -f queues/ --fail-on warning -o sarif
    """
    run = ctx.obj
    from kueuectl.analysis.lint.findings import Code, Severity
    from kueuectl.cli.frame import linting
    from kueuectl.report import sarif
    from kueuectl.report.views import lint as view

    if codes:
        output.table(run, view.codes())
        return
    severities = {severity.word: severity for severity in Severity}
    if fail_on != _NEVER and fail_on not in severities:
        raise UsageError(f"invalid value {fail_on!r} for --fail-on", hint="use error, warning, info or never")
    ignored = frozenset(code.upper() for code in ignore or ())
    for code in sorted(ignored - set(Code)):
        raise UsageError(f"unknown code {code!r} for --ignore", hint="--codes lists them")
    report, places = linting.judge(run, files or (), alone=alone)
    report = report.without(ignored)
    if run.format.kind == "sarif":
        run.write([formats.to_json(sarif.document(report, places, tool_version=__version__)), "\n"])
    else:
        output.document(
            run,
            lambda: view.document(report, places),
            shown=lambda: output.blocks(run, view.blocks(report, places, wide=run.format.is_wide)),
        )
    if report.fails(severities.get(fail_on)):
        raise typer.Exit(1)
