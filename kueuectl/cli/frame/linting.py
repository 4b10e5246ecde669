"""What lint judges: a state, manifests put into one, or manifests alone; and where in files all of it stands."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kueuectl.analysis.explanation import Ref
from kueuectl.analysis.lint import run as lint
from kueuectl.analysis.lint.findings import Code, Finding, finding
from kueuectl.analysis.lint.run import Report
from kueuectl.analysis.lint.scene import Origin
from kueuectl.api import configuration, decoding, installation, jobs, manifests
from kueuectl.api.manifests import Checked, Given
from kueuectl.cli.frame import loading
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.errors import UnreachableError, UsageError
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.report.views.lint import Place, Places
from kueuectl.store import lines
from kueuectl.store import manifests as files
from kueuectl.store.load import load_settings, parse

if TYPE_CHECKING:
    from kueuectl.store.lines import Name

_STDIN = "-"


@dataclass(slots=True)
class _Manifests:
    """What files hold: objects, what is wrong with them, and Kueue's Configuration if it is among them."""

    given: dict[tuple[str, str], Given] = field(default_factory=dict)
    faults: list[Finding] = field(default_factory=list)
    unread: set[tuple[str, str]] = field(default_factory=set)
    settings: Settings | None = None
    jobs: int = 0


def judge(run: Run, paths: Sequence[str], *, alone: bool) -> tuple[Report, Places]:
    """The report, and where its findings stand as far as that is in files."""
    if not paths:
        if alone:
            raise UsageError("--alone is for files", hint="give them with -f")
        return _state_only(run)
    if [*run.flags.sources, *paths].count(_STDIN) > 1:
        raise UsageError("standard input can be read only once")
    piped = run.environment.stdin_bytes.read() if _STDIN in paths else b""
    around = None if alone else _around(run)
    docs = files.read(paths, stdin=io.BytesIO(piped))
    found = _read(
        docs, around.state if around is not None else ClusterState(), run=run, settings=_settings(run, around)
    )
    if found.jobs:
        several = found.jobs > 1
        words = f"{found.jobs} jobs are" if several else "1 job is"
        run.note(f"{words} passed over: dry-run --submit tells what becomes of {'them' if several else 'it'}.")
    report = _with_manifests(run, around, found)
    return report, _places(report, list(paths), stdin=piped)


def _state_only(run: Run) -> tuple[Report, Places]:
    loaded = loading.load_all(run)
    origin = Origin.DUMP if run.is_offline else Origin.CLUSTER
    report = lint.judge(loaded.state, loaded.settings, origin=origin)
    # Only tools need the lines of a dump, and reading it once more takes time.
    if run.is_offline and run.format.kind == "sarif" and _STDIN not in run.flags.sources:
        return report, _places(report, run.flags.sources, stdin=b"")
    return report, {}


def _around(run: Run) -> Loaded | None:
    """The state that the manifests will meet: dumps, else the cluster; None where no cluster is configured."""
    if not run.is_offline:
        from kueuectl.cli.frame import live
        from kueuectl.cluster import kubeconfig

        try:
            kubeconfig.resolve(live.options(run))
        except UnreachableError:
            run.note("No cluster is configured and no --from is given: the files are judged alone.")
            return None
    try:
        return loading.load_all(run)
    except UnreachableError as error:
        raise UnreachableError(error.problem, hint="--alone judges the files without a cluster") from error


def _settings(run: Run, around: Loaded | None) -> Settings:
    if around is not None:
        return around.settings
    if run.flags.kueue_config is not None:
        return load_settings(run.flags.kueue_config)
    return configuration.defaults().settings


def _read(
    docs: Sequence[tuple[str, dict[str, Any]]], state: ClusterState, *, run: Run, settings: Settings
) -> _Manifests:
    found = _Manifests()
    for source, doc in docs:
        made = _configuration(doc, source) if run.flags.kueue_config is None else None
        if made is not None:
            found.settings = made
    for source, doc in docs:
        if jobs.is_job(doc):
            found.jobs += 1
        elif not manifests.ignored(doc) and not _is_foreign(doc):
            namespace = run.flags.namespace or ""
            settings = found.settings or settings
            _take(found, manifests.check(doc, state, settings=settings, source=source, namespace=namespace))
    return found


def _configuration(doc: dict[str, Any], source: str) -> Settings | None:
    """The settings of a manifest that holds Kueue's Configuration."""
    texts: list[Any] = [doc] if doc.get("kind") == "Configuration" else []
    if doc.get("kind") == "ConfigMap":
        raw = decoding.encode(doc, source=source)
        texts = [parse(found.content, source=found.source) for found in installation.configurations(raw, source=source)]
    for text in texts:
        if isinstance(text, dict) and text.get("apiVersion") in (configuration.V1BETA1, configuration.V1BETA2):
            return configuration.read(text, source=source).settings
    return None


def _is_foreign(doc: dict[str, Any]) -> bool:
    """Whether the object is of a kind that is of no concern here; what does not say its kind is not."""
    group, _, version = str(doc.get("apiVersion") or "").rpartition("/")
    kind = doc.get("kind")
    if not version or not isinstance(kind, str) or kind == "Configuration":
        return bool(version and kind)
    return kind not in manifests.FIELDS or (group not in ("", "scheduling.k8s.io", "node.k8s.io", decoding.GROUP))


def _take(found: _Manifests, checked: Checked) -> None:
    """Objects with faults are taken too where they can be read: others may refer to them."""
    kind, key = checked.kind, checked.key
    for fault in checked.faults:
        found.faults.append(_fault(checked, fault.path, fault.problem))
    if checked.model is None:
        found.unread.add((kind, key))
        return
    given = Given(kind, key, checked.model, checked.source)
    before = found.given.setdefault((kind, key), given)
    if before.model != given.model:
        where = f" (first in {before.source})" if before.source != given.source else ""
        found.faults.append(_fault(checked, "", f"comes twice with different contents{where}"))


def _fault(checked: Checked, path: str, problem: str) -> Finding:
    namespace, slash, name = checked.key.rpartition("/")
    kind = checked.kind or checked.name.partition(" ")[0] or "object"
    subject = Ref(kind, name or checked.name.partition(" ")[2], namespace if slash else "")
    return finding(Code.INVALID_MANIFEST, subject, path, problem=problem)


def _with_manifests(run: Run, around: Loaded | None, found: _Manifests) -> Report:
    before = around.state if around is not None else ClusterState()
    settings = found.settings or _settings(run, around)
    now = around.now if around is not None else run.environment.clock()
    after = before
    for given in found.given.values():
        after = manifests.put(after, given, now=now)
    if around is None:
        report = lint.judge(after, settings, origin=Origin.FILES, unread=found.unread)
    else:
        report = lint.judge_changed(
            before,
            after,
            settings,
            origin=Origin.DUMP if run.is_offline else Origin.CLUSTER,
            given=frozenset(found.given) | found.unread,
            unread=found.unread,
        )
    return lint.with_faults(report, found.faults)


def _places(report: Report, paths: Sequence[str], *, stdin: bytes) -> Places:
    wanted: set[Name] = {_name(found.subject) for found in report.findings}
    if not wanted:
        return {}
    located = lines.find(paths, wanted, stdin=io.BytesIO(stdin))
    places = {}
    for found in report.findings:
        where = located.get(_name(found.subject))
        if where is not None:
            places[found] = Place(where.source, where.line(found.path))
    return places


def _name(subject: Ref) -> Name:
    return subject.kind, subject.namespace, subject.name
