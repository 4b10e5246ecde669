"""`kueuectl forecast`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kueuectl.cli.frame import kinds, loading, objects, output
from kueuectl.cli.frame.kinds import Reference
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.errors import InputError, NotFoundError, UsageError
from kueuectl.report import text

if TYPE_CHECKING:
    from kueuectl.analysis.forecast import Forecast
    from kueuectl.analysis.runtimes import Assumed

_FLAG = "--assume-runtime"
_MOST_RUNS = 10_000


def command(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[WORKLOAD]...", help="Workloads to foretell; without any, all.")
    ] = None,
    assume: Annotated[
        list[str] | None,
        typer.Option(
            _FLAG, metavar="RUNTIME", help="Assume 1h, 1h..3h or QUEUE=1h as run time; may be repeated for queues."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="NUMBER",
            help="Draw run times from this seed, observed ones too; without it only ranges, from 0.",
        ),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", metavar="NUMBER", help="Draw so many futures for the spread.")] = 50,
    cluster_queue: Annotated[
        str | None,
        typer.Option("-c", "--clusterqueue", metavar="CLUSTERQUEUE", help="Show only workloads of this ClusterQueue."),
    ] = None,
) -> None:
    """Foretell when waiting workloads will start.

    The scheduler is played in virtual time: work ends after its run time limit, the run time of finished work of the
    same owner or queue, or what --assume-runtime says, and makes room. QUEUE is a ClusterQueue or NAMESPACE/LOCALQUEUE.
    What was assumed is printed; where something may run for ever, the start is unknown. With ranges, the spread of
    several drawn futures is shown.

    \b
    Examples:
      kueuectl forecast --assume-runtime 2h --from example:four-tenants
      kueuectl forecast train -n team-a --assume-runtime vision=1h..3h
    """
    run = ctx.obj
    if not 1 <= runs <= _MOST_RUNS:
        raise UsageError(f"--runs has to be from 1 to {_MOST_RUNS}")
    loaded = loading.load_all(run)
    keys = [objects.workload(run, loaded.state, name) for name in names or ()]
    rules = [_assumed(loaded, value) for value in assume or ()]
    _check(loaded, rules, cluster_queue)
    found = _find(run, loaded, keys=keys, rules=rules, seed=seed, runs=runs)
    shown = _kept(run, found, cluster_queue, is_named=bool(keys))
    from kueuectl.report.views import forecast as view

    output.document(
        run,
        lambda: view.document(shown),
        shown=lambda: output.blocks(run, view.blocks(shown, now=loaded.now)),
    )


def _find(run: Run, loaded: Loaded, *, keys: list[str], rules: list[Assumed], seed: int | None, runs: int) -> Forecast:
    from kueuectl.analysis import forecast
    from kueuectl.analysis.forecast import Request

    request = Request(frozenset(keys) if keys else None, tuple(rules), seed, runs)
    with run.progress("Playing") as show:
        return forecast.find(
            loaded.state,
            loaded.settings,
            now=loaded.now,
            request=request,
            on_run=None if show is None else lambda done, total: show("futures", done, total),
        )


def _kept(run: Run, found: Forecast, cluster_queue: str | None, *, is_named: bool) -> Forecast:
    """The forecast with the rows of the namespace and ClusterQueue that were chosen."""
    from kueuectl.model.values import replace

    namespace = None if is_named else loading.namespace(run)
    rows = (row for row in found.rows if namespace in (None, row.workload.partition("/")[0]))
    return replace(found, rows=tuple(row for row in rows if cluster_queue in (None, row.cluster_queue)))


def _assumed(loaded: Loaded, value: str) -> Assumed:
    from kueuectl.analysis.runtimes import Assumed

    queue, equals, span = value.rpartition("=")
    low, dots, high = span.partition("..")
    if equals and not queue:
        raise UsageError(f"invalid value {value!r} for {_FLAG}", hint="name a queue in front of the =")
    found = Assumed(_duration(value, low), _duration(value, high if dots else low), queue)
    if found.low > found.high or found.high <= 0:
        raise UsageError(f"invalid value {value!r} for {_FLAG}", hint="write it as 1h or, shortest first, 1h..3h")
    return found


def _duration(value: str, part: str) -> int:
    from kueuectl.api import durations

    try:
        return durations.parse(part)
    except InputError as error:
        raise UsageError(f"invalid value {value!r} for {_FLAG}", hint=error.hint) from error


def _check(loaded: Loaded, rules: list[Assumed], cluster_queue: str | None) -> None:
    """Refuse queues that are not there, and two assumptions for one queue."""
    state = loaded.state
    if cluster_queue is not None and cluster_queue not in state.cluster_queues:
        raise objects.not_found(Reference(kinds.CLUSTER_QUEUE, cluster_queue), state.cluster_queues)
    seen: set[str] = set()
    for rule in rules:
        if rule.queue in seen:
            raise UsageError(f"{_FLAG} is given twice for {rule.queue or 'all queues'}")
        seen.add(rule.queue)
        if rule.queue and rule.queue not in state.cluster_queues and rule.queue not in state.local_queues:
            raise NotFoundError(
                f'no ClusterQueue or LocalQueue "{text.clean(rule.queue)}" found',
                hint="a LocalQueue is written as NAMESPACE/NAME",
            )
