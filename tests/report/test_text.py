"""Text of the cluster can't act on a terminal."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kueuectl.report import text


@dataclass(frozen=True)
class Case:
    name: str
    given: str
    want: str


CASES = [
    Case("plain text is unchanged", "team-a/train-1", "team-a/train-1"),
    Case("accents and other scripts are unchanged", "größe 数量", "größe 数量"),
    Case("an escape sequence loses its escape", "\x1b[31mred", "\\x1b[31mred"),
    Case("an operating system command too", "\x1b]0;title\x07", "\\x1b]0;title\\x07"),
    Case("the one-byte form of the same", "\x9b31m", "\\x9b31m"),
    Case("line breaks stay in the cell", "a\nb\r\nc\td", "a\\nb\\r\\nc\\td"),
    Case("bidirectional overrides are shown", "a\u202eb\u2066c", "a\\u202eb\\u2066c"),
    Case("zero width characters are shown", "a\u200bb\ufeff", "a\\u200bb\\ufeff"),
    Case("odd blanks are shown", "a\u00a0b\u2003c", "a\\xa0b\\u2003c"),
    Case("a lone surrogate is shown", "a\ud800", "a\\ud800"),
    Case("tags beyond the basic plane are shown", "a\U000e0041", "a\\U000e0041"),
    Case("markup is text", "[bold]cpu[/]", "[bold]cpu[/]"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_clean(case: Case) -> None:
    assert text.clean(case.given) == case.want


def test_lines_of_our_own_keep_their_breaks() -> None:
    assert text.clean_lines("a\tb\n\x1b[1mc") == "a\tb\n\\x1b[1mc"


@pytest.mark.parametrize(("given", "want"), [("abc", 3), ("数量", 4), ("e\u0301", 1), ("", 0)])
def test_width(given: str, want: int) -> None:
    assert text.width(given) == want
