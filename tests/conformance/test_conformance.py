"""The suites of ../shared/conformance, where they are there, and the runner itself on small ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import registry, runner
from tests.conformance.__main__ import main
from tests.conformance.case import Case

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "conformance"
_SUITES = sorted(path.stem for path in SHARED.glob("*.jsonl"))


@pytest.mark.parametrize("name", _SUITES or ["none"])
def test_suite(name: str) -> None:
    if not _SUITES:
        pytest.skip("no conformance suites: ../shared/conformance is not there")
    outcome = runner.run_suite(SHARED / f"{name}.jsonl", runner.known_differences())
    if not outcome.due:
        pytest.skip(f"not due: needs {', '.join(sorted(outcome.not_due))}")
    assert not outcome.failed, "\n".join(f"{key}: {'; '.join(texts)}" for key, texts in outcome.failed.items())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one suite of three cases: the first passes, the second differs, the third is not due."""

    def handler(case: Case) -> list[str]:
        if case.given.get("needs"):
            raise registry.NotDue(case.given["needs"])
        return [] if case.given == case.expect else ["differs"]

    handlers: dict[str, Callable[[Case], list[str]]] = {"sample": handler}
    monkeypatch.setattr(registry, "_handlers", handlers)
    monkeypatch.setattr(registry, "load", lambda: handlers)
    cases = [
        {"id": "sample/1", "name": "one", "given": {"a": 1}, "expect": {"a": 1}},
        {"id": "sample/2", "name": "two", "given": {"a": 1}, "expect": {"a": 2}},
        {"id": "sample/3", "name": "three", "given": {"needs": "preemption"}},
    ]
    (tmp_path / "sample.jsonl").write_text("\n".join(map(json.dumps, cases)))
    return tmp_path


def test_a_difference_fails_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder)]) == 1
    assert capsys.readouterr().out.splitlines() == ["sample 1/2, 1 not due", "  sample/2", "1 passed, 1 failed"]


def test_verbose_says_what_differs_and_what_is_needed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(folder), "-v"])
    assert capsys.readouterr().out.splitlines() == [
        "sample 1/2, 1 not due",
        "  sample/2",
        "    (two)",
        "    differs",
        "  not due: 1 need preemption",
        "1 passed, 1 failed",
    ]


def test_a_known_difference_does_not_fail_the_run(folder: Path) -> None:
    outcome = next(runner.run(folder, known={"sample/2": "on purpose", "sample/9": "not in this folder"}))
    assert (outcome.line, outcome.failed) == ("sample 1/2, 1 known to differ, 1 not due", {})


def test_a_known_difference_that_passes_fails_the_run(folder: Path) -> None:
    outcome = next(runner.run(folder, known={"sample/1": "stale", "sample/2": "on purpose"}))
    assert list(outcome.failed) == ["sample/1"]


def test_a_suite_that_no_rule_covers_fails(folder: Path) -> None:
    (folder / "other.jsonl").write_text('{"id": "other/1", "given": {}, "expect": {}}\n')
    assert next(runner.run(folder, ["other"])).failed == {
        "other/1": ["no handler for this suite, and no rule that excuses it"]
    }


def test_a_suite_that_is_not_runnable_is_not_due(folder: Path) -> None:
    (folder / "reserve.jsonl").write_text('{"id": "reserve/1", "given": {}, "expect": {}}\n')
    assert next(runner.run(folder, ["reserve"])).line == "reserve not due"


def test_a_missing_suite_is_a_usage_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), "absent"]) == 2
    assert "no suite absent" in capsys.readouterr().err


def test_known_differences_need_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    path.write_text("# a comment\nsample/1\n")
    with pytest.raises(ValueError, match="has no reason"):
        runner.known_differences(path)


def test_no_suite_has_both_a_handler_and_an_excuse() -> None:
    assert not registry.load().keys() & registry.NOT_BUILT.keys()
    assert not registry.load().keys() & registry.NOT_RUNNABLE
