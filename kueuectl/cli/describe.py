"""`kueuectl describe`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kueuectl.cli.frame import getting, loading
from kueuectl.cli.frame.getting import Wanted
from kueuectl.cli.frame.kinds import Kind
from kueuectl.cli.frame.kubectl import PassedOn
from kueuectl.cli.frame.parameters import Selector
from kueuectl.cli.frame.run import Run
from kueuectl.errors import NotFoundError, UsageError
from kueuectl.report.views import described

PARSER = PassedOn
_EVENT = Kind("Event", "events", "")


def command(
    ctx: typer.Context,
    words: Annotated[
        list[str], typer.Argument(metavar="KIND/NAME...", help="A kind, or objects of it: KIND NAME or KIND/NAME.")
    ],
    selector: Selector = None,
    show_events: Annotated[
        str,
        typer.Option("--show-events", metavar="BOOL", help="Whether events are shown; only of one object by default."),
    ] = "",
) -> None:
    """Print all fields of objects of Kueue, with their events.

    kubectl answers where it is installed. Why an object waits, and what would help, is told by explain.

    \b
    Examples:
      kueuectl describe clusterqueue team-a
      kueuectl describe workload job-train-a1b2c -n team-a
    """
    run = ctx.obj
    if show_events not in ("", "true", "false"):
        raise UsageError(f"invalid value {show_events!r} for --show-events", hint="use true or false")
    chosen = getting.wanted(words, selector=selector)
    missing: list[NotFoundError] = []
    found = [item for one in chosen for item in _items(run, one, missing=missing)]
    named = {name for one in chosen for name in one.names}
    is_one = len(found) == 1 and (not named or found[0]["metadata"].get("name") in named)
    shows_events = show_events == "true" or (not show_events and is_one)
    for place, item in enumerate(found):
        events = _events(run, item) if shows_events else []
        now = loading.load(run).now
        run.write(["\n\n"] if place else [])
        run.write(line + "\n" for line in described.lines(item, events, now=now, shows_events=shows_events))
    if not found and not missing:
        run.note(getting.empty(run, chosen))
    getting.tell_missing(run, missing)


def _items(run: Run, one: Wanted, *, missing: list[NotFoundError]) -> list[dict[str, Any]]:
    """The objects; a name that isn't there may be the start of names, as in kubectl."""
    lost: list[NotFoundError] = []
    found = getting.items(run, one, missing=lost)
    if lost and len(one.names) == 1:
        every = getting.items(run, Wanted(one.kind), missing=[])
        found = [item for item in every if str(item["metadata"].get("name")).startswith(one.names[0])]
        lost = [] if found else lost
    missing += lost
    return found


def _events(run: Run, item: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The events about an object; a dump has none. None where they may not be read."""
    if run.is_offline:
        return []
    from kueuectl.cli.frame import live
    from kueuectl.cluster.failures import ForbiddenError
    from kueuectl.cluster.read import list_raw

    inside = str(item["metadata"].get("namespace") or "")
    try:
        return list(list_raw(live.client(run), _EVENT, namespace=inside, field_selector=described.event_selector(item)))
    except ForbiddenError as error:
        run.warn(f"no events are shown: {error}")
        return None
