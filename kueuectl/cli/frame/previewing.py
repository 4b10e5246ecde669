"""Show what writes will bring before they are done, on stderr: the answer on stdout stays as scripts read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kueuectl.analysis.edits import Edit
from kueuectl.cli.frame import kinds, loading
from kueuectl.cli.frame.choosing import Wanted
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.report import tables
from kueuectl.report.tables import Table

if TYPE_CHECKING:
    from kueuectl.analysis.intended import Preview


def load(run: Run, wanted: Wanted, *, with_preview: bool) -> Loaded:
    """All that decisions depend on; without a preview what names workloads, queues and priorities alone."""
    if with_preview or wanted.names_namespaces:
        return loading.load_all(run)
    return loading.load(run, kinds.WORKLOAD, kinds.LOCAL_QUEUE, kinds.WORKLOAD_PRIORITY_CLASS)


def tell(run: Run, parts: Iterable[str | Table]) -> None:
    """Lines and tables, beside the answer."""
    for part in parts:
        if not isinstance(part, Table):
            run.note(part)
            continue
        for line in tables.lines(part.narrowed(wide=run.format.is_wide)):
            run.note(line)


def show(
    run: Run, loaded: Loaded, keys: Sequence[str], *, wanted: Sequence[Edit], title: str, with_preview: bool
) -> Preview | None:
    """Tell which workloads are written, and with a preview what becomes of them and of everybody else."""
    from kueuectl.report.views import dry_run as dry_run_view
    from kueuectl.report.views import intended as view

    found = None
    wide = run.format.is_wide
    if with_preview:
        from kueuectl.analysis import intended

        found = intended.preview(loaded.state, loaded.settings, now=loaded.now, wanted=wanted)
        for warning in dry_run_view.warnings(found.result, loaded.state, loaded.settings):
            run.warn(warning)
    run.note(title)
    tell(run, view.subjects(loaded.state, loaded.settings, keys, found=found, wide=wide))
    if found is not None:
        tell(run, view.effects(found, now=loaded.now, wide=wide))
    return found
