"""Carry out plans: show, ask, look again, try on the server, write one by one, follow.

Rules.
 1. Nothing is written before all of the state was read once more after the question, what the plan rests on is as it
    was, and the engine works out the same promise on it. Otherwise the exit code is 4.
 2. Every write is tried with dryRun=All before the first is sent, and is guarded by the version that was read.
 3. The journal says that a step is begun before its write is sent, and that it is done after it. A step that was begun
    and is not done is looked into on the server: an eviction of ours carries the plan's mark in its message.
 4. The first failure ends the writing, unless --keep-going; then a plan of what remains is written beside the plan.
 5. A victim that nobody owns is released by a second write of the same step, where nothing runs for it.
 6. Afterwards everything that was foretold is looked at until it came or the time is up. The exit code is 0 only where
    all of it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kueuectl import times
from kueuectl.cli.frame import kinds, loading, output, writing
from kueuectl.cli.frame.loading import Loaded
from kueuectl.cli.frame.run import Run
from kueuectl.cli.frame.wishes import Wishes
from kueuectl.cli.frame.writing import Mode
from kueuectl.errors import ConflictError, InputError, KueuectlError, NotFoundError, UnreachableError
from kueuectl.model import plan as plans
from kueuectl.model.plan import Plan
from kueuectl.model.writes import Target, Write

if TYPE_CHECKING:
    from kueuectl.analysis.applying import Doubt
    from kueuectl.analysis.following import Sight
    from kueuectl.store.journal import Journal

Item = dict[str, Any]

_RELEASES = 5
_STALE = "the plan is stale, nothing was written"


def new(run: Run, plan: Plan, *, wanted: Wishes, command: str) -> None:
    """Carry out a plan that was made in this run and is not in a file yet; `command` gives the file its name."""
    if not plan.steps:
        run.note("Nothing to do.")
        return
    if wanted.plan_file is not None and Path(wanted.plan_file).exists():
        raise KueuectlError(
            f"{wanted.plan_file} is there already", hint="carry it out with apply, or choose another file"
        )
    carrier = _Carrier(run, plan, wanted)
    todo = list(range(len(plan.steps)))
    if wanted.mode is Mode.CLIENT:
        carrier.tell(todo)
        return
    carrier.ask(todo)
    carrier.prepare(todo)
    if wanted.mode is Mode.SERVER:
        carrier.tell(todo)
        return
    from kueuectl.store import journal
    from kueuectl.store import plans as files

    path = wanted.plan_file or _named(plan, command)
    files.write(path, plan)
    run.note(f"The plan is in {path}, its journal in {journal.path_of(path)}")
    with journal.open_journal(path, digest=carrier.digest) as book:
        carrier.carry_out(book, path)


def saved(run: Run, path: str, wanted: Wishes) -> None:
    """Carry out the plan of a file, or go on with it."""
    from kueuectl.report.views import applying as view
    from kueuectl.store import journal
    from kueuectl.store import plans as files

    plan = files.read(path)
    _check_goal(plan, path)
    if not plan.steps:
        run.note("Nothing to do: the plan has no steps.")
        return
    carrier = _Carrier(run, plan, wanted)
    opened = journal.open_journal if wanted.mode is Mode.NONE else journal.look
    with opened(path, digest=carrier.digest) as book:
        if any(number >= len(plan.steps) for number in (*book.done, *book.begun)):
            raise InputError("names steps that the plan doesn't have", source=book.path)
        if len(book.done) == len(plan.steps) and book.end is not None:
            run.note(f"Nothing to do: all {len(plan.steps)} steps were done by {book.end.get('at')}.")
            return
        carrier.look_into(book)
        todo = [number for number in range(len(plan.steps)) if number not in book.done]
        if run.format.is_table:
            output.blocks(run, view.plan_blocks(plan, done=sorted(book.done)))
        if wanted.mode is Mode.CLIENT:
            carrier.tell(todo)
            return
        if todo:
            carrier.ask(todo)
            carrier.prepare(todo, book=book)
        if wanted.mode is Mode.SERVER:
            carrier.tell(todo)
            return
        carrier.carry_out(book, path)


def _check_goal(plan: Plan, path: str) -> None:
    from kueuectl.analysis import applying

    try:
        applying.goal_of(plan)
    except ValueError:
        raise InputError(f"{plan.goal!r} is no goal that this version knows", source=path, path="goal") from None


def _named(plan: Plan, command: str) -> str:
    """A name in the working directory that no other plan has."""
    from kueuectl.store import plans as files

    stamp = times.format_time(plan.made_at // times.SECOND * times.SECOND).replace("-", "").replace(":", "")
    return f"kueuectl-{command}-{stamp}-{files.digest(plan)[:8]}.json"


class _Carrier:
    """One plan that is carried out once."""

    def __init__(self, run: Run, plan: Plan, wanted: Wishes) -> None:
        from kueuectl.cli.frame import live
        from kueuectl.store import plans as files

        self.run = run
        self.plan = plan
        self.wanted = wanted
        self.hand = writing.writer(run)
        self.client = live.client(run)
        self.digest = files.digest(plan)
        # What an eviction of this plan is known by.
        self.mark = f"via kueuectl (plan {self.digest[:12]})"
        self.message = ""
        self.writes: dict[int, Write] = {}
        # Evictions of workloads that nobody owns, and steps of which only the release is missing.
        self.ownerless: set[int] = set()
        self.halves: set[int] = set()
        self.results: dict[int, str] = {}
        # How often workloads of the plan's trees were evicted before the first write.
        self.before: dict[str, int] = {}
        self.failures: list[KueuectlError] = []

    def target(self, number: int) -> Target:
        step = self.plan.steps[number]
        return writing.target(kinds.WORKLOAD, step.name, step.namespace)

    # -- before anything is written

    def ask(self, todo: Sequence[int]) -> None:
        """Ask once about all of it; raises KueuectlError for a no."""
        from kueuectl.report.views import applying as view

        for number in todo:
            self._warn_of_ownerless(number)
        question = view.question([self.plan.steps[number] for number in todo])
        is_trial = self.wanted.mode is not Mode.NONE
        if not is_trial and not writing.confirm(self.run, question, yes=self.wanted.yes):
            raise KueuectlError("canceled, nothing was written")

    def _warn_of_ownerless(self, number: int) -> None:
        step = self.plan.steps[number]
        try:
            item = self.hand.read(self.target(number))
        except NotFoundError:
            return
        if not (item.get("metadata") or {}).get("ownerReferences"):
            fate = "Kueue stops counting it" if step.action == plans.HOLD else "its quota is taken away at once"
            self.run.warn(f"workload {step.key} has no owner: nothing stops what may run for it, and {fate}")

    def tell(self, todo: Iterable[int]) -> None:
        """Print what a dry run would do."""
        for number in todo:
            self.results[number] = f"{_done(self.plan, number)}{self.wanted.mode.suffix}"
            self._print(number)
        self._report((), (), followed=False)

    def look_into(self, book: Journal) -> None:
        """Find out about steps that were begun: they are done, or they are not."""
        for number, line in sorted(book.begun.items()):
            try:
                item = self.hand.read(self.target(number))
            except NotFoundError:
                continue
            if not self._is_done(number, item):
                continue
            if self._has_to_be_released(number, item):
                self.halves.add(number)
                continue
            if self.wanted.mode is not Mode.NONE:
                book.done[number] = line
            else:
                book.finish(number, now=self.client.now, how="found", **_version(item))
                self.run.note(f"Step {number + 1} was begun at {line.get('at')} and is done")

    def prepare(self, todo: Sequence[int], *, book: Journal | None = None) -> None:
        """Read all again, judge the plan on it, and try every write; nothing is stored."""
        from kueuectl.analysis import applying, following
        from kueuectl.report.views import applying as view

        behind = {*self.halves, *(book.done if book is not None else ())}
        gone = {self.plan.steps[number].key for number in behind}
        self.run.forget_state()
        loaded = loading.load_all(self.run)
        found: Sequence[Doubt] = applying.unmet(self.plan, loaded.state, done=gone)
        if not found and len(behind) < len(self.plan.steps):
            found = applying.broken(self.plan, loaded.state, loaded.settings, now=loaded.now, done=gone)
        if found:
            raise ConflictError(f"{_STALE}: {view.doubts(found)}", hint="make a new plan on the present state")
        self._introduce(loaded)
        self.before = {
            row.key: following.count_of(loaded.state.workloads[row.key])
            for row in self.plan.preconditions
            if row.kind == "Workload" and row.key in loaded.state.workloads and row.key not in gone
        }
        for number in todo:
            if number not in self.halves:
                self._try(number)

    def _introduce(self, loaded: Loaded) -> None:
        """The message that evictions are written with: who it was, by which plan, for whom."""
        from kueuectl.cluster import identity

        who = identity.user_name(self.client) or "an unknown user"
        text = f"Preempted by {who} {self.mark}"
        gaining = [row for row in self.plan.preconditions if row.role == plans.BENEFICIARY]
        if len(gaining) == 1:
            workload = loaded.state.workloads.get(gaining[0].key)
            job = dict(workload.labels).get("kueue.x-k8s.io/job-uid") if workload is not None else None
            text += f" to accommodate a workload (UID: {gaining[0].uid}, JobUID: {job or 'UNKNOWN'})"
        if self.plan.goal != plans.NAMED:
            text += f" due to goal {self.plan.goal.partition(':')[0]}"
        self.message = text

    def _try(self, number: int) -> None:
        from kueuectl.api import evictions, patches

        step, target = self.plan.steps[number], self.target(number)
        try:
            item = self.hand.read(target)
            metadata = item.get("metadata") or {}
            if (metadata.get("uid"), metadata.get("resourceVersion")) != (step.uid, step.resource_version):
                raise ConflictError(f"{_STALE}: Workload {step.key} was changed", hint="make a new plan")
            if step.action == plans.HOLD:
                write = writing.patch(target, patches.active(False), item)
            else:
                if not metadata.get("ownerReferences"):
                    self.ownerless.add(number)
                why = evictions.why_not_released(item)
                if why and number in self.ownerless:
                    raise KueuectlError(
                        f"workload {step.key} has no owner that would stop it, and can't lose its quota safely: {why}",
                        hint="use --hold, which frees its quota at once, or delete it",
                    )
                reason = step.reason or _REASON
                backoff = evictions.backoff_of(item) if self.wanted.backoff is None else self.wanted.backoff
                body = evictions.preempted(
                    item, reason=reason, message=self.message, now=self.client.now, backoff=backoff
                )
                write = writing.patch(target, body, item, subresource="status")
            self.hand.check(write)
        except KueuectlError as error:
            if not self.wanted.keep_going or isinstance(error, ConflictError):
                raise
            self._failed(error)
            return
        self.writes[number] = write

    # -- writing

    def carry_out(self, book: Journal, path: str) -> None:
        """Write what is to be written, then follow it. Raises what failed, and KueuectlError where it did not come."""
        todo = [number for number in range(len(self.plan.steps)) if number not in book.done]
        self.results.update({number: _done(self.plan, number) for number in book.done})
        try:
            self._write(todo, book)
        except KeyboardInterrupt:
            count = len(book.done)
            self.run.note(f"Interrupted: {count} of {len(self.plan.steps)} steps are done. {self._go_on(path)}")
            raise
        if len(book.done) < len(self.plan.steps):
            self._fail(book, path)
        self._follow(book, path)

    def _go_on(self, path: str) -> str:
        return f"Go on with: {self.run.environment.program} apply {path}"

    def _write(self, todo: Sequence[int], book: Journal) -> None:
        for number in todo:
            write = self.writes.get(number)
            if write is None and number not in self.halves:
                continue  # its trial failed
            try:
                after = self._send(number, write, book) if write is not None else {}
                self._release(number)
            except KueuectlError as error:
                self._failed(error)
                if self.wanted.keep_going and not _is_cut_off(error):
                    continue
                return
            self.results[number] = _done(self.plan, number)
            self._print(number)
            book.finish(number, now=self.client.now, how="written", **_version(after))

    def _send(self, number: int, write: Write, book: Journal) -> Item:
        step = self.plan.steps[number]
        facts = {"action": step.action, "workload": step.key, "uid": step.uid}
        book.begin(number, now=self.client.now, **facts, resourceVersion=step.resource_version)
        try:
            return self.hand.send(write)
        except KueuectlError as error:
            # The answer may have been lost, and Kueue has gone on from what was written.
            found = self._written(number)
            if found is not None:
                return found
            if not _is_cut_off(error):
                book.fail(number, now=self.client.now, problem=str(error))
            raise

    def _written(self, number: int) -> Item | None:
        """The workload where it carries the mark of this step after all."""
        try:
            item = self.hand.read(self.target(number))
        except KueuectlError:
            return None
        return item if self._is_done(number, item) else None

    def _is_done(self, number: int, item: Mapping[str, Any]) -> bool:
        """Whether the workload is as this plan's step leaves it, or was and has gone on since."""
        from kueuectl.api import evictions

        step = self.plan.steps[number]
        if (item.get("metadata") or {}).get("uid") != step.uid:
            return False
        if step.action == plans.HOLD:
            return not evictions.is_active(item)
        return evictions.is_marked(item, self.mark)

    def _has_to_be_released(self, number: int, item: Mapping[str, Any]) -> bool:
        from kueuectl.api import evictions

        is_ours = self.plan.steps[number].action == plans.EVICT and evictions.holds_quota(item)
        is_evicted = evictions.condition(item, evictions.EVICTED).get("status") == "True"
        return is_ours and is_evicted and not (item.get("metadata") or {}).get("ownerReferences")

    def _release(self, number: int) -> None:
        """Take the quota of an evicted workload away that nobody owns; nothing to do for any other."""
        from kueuectl.api import evictions

        if number not in self.ownerless | self.halves:
            return
        for attempt in range(1, _RELEASES + 1):
            item = self.hand.read(self.target(number))
            if not self._is_done(number, item) or not self._has_to_be_released(number, item):
                return
            why = evictions.why_not_released(item)
            if why:
                raise KueuectlError(f"workload {self.plan.steps[number].key} is evicted but keeps its quota: {why}")
            message = str(evictions.condition(item, evictions.PREEMPTED).get("message"))
            body = evictions.released(item, message=message, now=self.client.now)
            try:
                self.hand.send(writing.patch(self.target(number), body, item, subresource="status"))
                return
            except ConflictError:
                if attempt == _RELEASES:
                    raise

    def _failed(self, error: KueuectlError) -> None:
        self.failures.append(error)
        self.run.note(f"Error: {error}")
        if error.hint:
            self.run.note(f"Hint: {error.hint}")

    def _fail(self, book: Journal, path: str) -> None:
        """Write the plan of what remains, and raise for the first failure."""
        from kueuectl.model.values import replace
        from kueuectl.store import plans as files

        left = [step for number, step in enumerate(self.plan.steps) if number not in book.done]
        done = {self.plan.steps[number].key for number in book.done}
        rest = f"{path.removesuffix('.json')}.rest.json"
        grounds = tuple(row for row in self.plan.preconditions if row.kind != "Workload" or row.key not in done)
        files.write(rest, replace(self.plan, steps=tuple(left), preconditions=grounds))
        self._report((), (), followed=False)
        raise _UnfinishedError(self.failures[0], len(left), len(self.plan.steps), hint=self._go_on(path), rest=rest)

    # -- afterwards

    def _follow(self, book: Journal, path: str) -> None:
        from kueuectl.cli.frame import following
        from kueuectl.report.views import applying as view

        if not self.wanted.timeout:
            book.conclude(now=self.client.now, outcome="not followed")
            self._report((), (), followed=False)
            return
        try:
            found, others = following.follow(
                self.run, self.plan, since=book.started, before=self.before, timeout=self.wanted.timeout
            )
        except KeyboardInterrupt:
            self.run.note(f"Interrupted: all steps are done. {self._go_on(path)} to follow them.")
            raise
        came = all(row.came for row in found) and not others
        book.conclude(now=self.client.now, outcome="as foretold" if came else "not as foretold")
        self._report(found, others, followed=True)
        if not came:
            raise KueuectlError(
                f"what came is not what was foretold: {view.summary(found, others)}",
                hint="ask explain about the workloads that are not as they should be",
            )

    def _print(self, number: int) -> None:
        if self.run.format.is_table:
            step = self.plan.steps[number]
            with writing.telling(self.run):
                self.run.print(f"{writing.named(self.target(number))} in {step.namespace} {self.results[number]}")

    def _report(self, found: Sequence[Sight], others: Sequence[str], *, followed: bool) -> None:
        from kueuectl.report.views import applying as view

        with writing.telling(self.run):
            output.document(
                self.run,
                lambda: view.document(self.plan, results=self.results, found=found, others=others, followed=followed),
                shown=lambda: output.blocks(self.run, view.sights(found, others) if followed else ()),
            )


class _UnfinishedError(KueuectlError):
    """Some steps were not done; the exit code is that of the first failure."""

    def __init__(self, first: KueuectlError, left: int, count: int, *, hint: str, rest: str) -> None:
        super().__init__(f"{left} of {count} steps are not done; what remains is in {rest}", hint=hint)
        self.exit_code = first.exit_code


def _done(plan: Plan, number: int) -> str:
    return "held" if plan.steps[number].action == plans.HOLD else "evicted"


def _version(item: Mapping[str, Any]) -> dict[str, str]:
    return {"resourceVersion": str((item.get("metadata") or {}).get("resourceVersion") or "")}


def _is_cut_off(error: KueuectlError) -> bool:
    """Whether the server could not be reached, so that nobody knows what came of a write; a refusal is known."""
    from kueuectl.cluster.failures import ForbiddenError

    return isinstance(error, UnreachableError) and not isinstance(error, ForbiddenError)


# The general reason for an eviction by an administrator: one of those that Kueue documents, and the one that the
# engine plays plans with.
_REASON = "InClusterQueue"
