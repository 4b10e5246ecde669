"""The page about lint lists every code as it is."""

from __future__ import annotations

from pathlib import Path

from kueuectl.analysis.lint.findings import SEVERITIES, Code
from kueuectl.report.lint_texts import TEXTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "lint.md"


def test_the_page_lists_all_codes() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    want = [
        f"| `{code}` | {SEVERITIES[code].word} | {TEXTS[code].title}. | {TEXTS[code].why} | {TEXTS[code].fix} |"
        for code in Code
    ]
    assert rows == want
