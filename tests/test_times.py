"""Times as Kubernetes writes them, and nothing else that Python would take for one."""

from __future__ import annotations

import pytest

from kueuectl import times
from kueuectl.errors import InputError

NOON = 1_795_953_600 * times.SECOND


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("2026-11-29T12:00:00Z", NOON),
        ("2026-11-29t12:00:00z", NOON),
        ("2026-11-29T13:30:00+01:30", NOON),
        ("2026-11-29T12:00:00.5Z", NOON + times.SECOND // 2),
        ("2026-11-29T12:00:00.123456789999Z", NOON + 123_456_789),
        ("0001-01-01T00:00:00Z", -62_135_596_800 * times.SECOND),
        ("9999-12-31T23:59:59Z", 253_402_300_799 * times.SECOND),
    ],
)
def test_times_are_read(text: str, want: int) -> None:
    assert times.parse(text) == want


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-11-29",
        "2026-11-29T12:00:00",
        "2026-13-01T00:00:00Z",
        "2026-11-29T24:00:00Z",
        "2026-W48-7T12:00:00Z",
        "20261129T120000.000000Z",
        "2026-11-29T12:00:00.\N{ARABIC-INDIC DIGIT THREE}Z",
        "2026-11-29T12:00:00+99:99",
        "1795953600",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"is not a time|has no time zone"):
        times.parse(text)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "2026-11-29T12:00:00.25Z", "9999-12-31T23:59:59Z"])
def test_times_are_written_as_they_are_read(text: str) -> None:
    assert times.format_time(times.parse(text)) == text


@pytest.mark.parametrize(
    ("when", "want"), [(10**40, "9999-12-31T23:59:59.999999999Z"), (-(10**40), "0001-01-01T00:00:00Z")]
)
def test_what_no_year_is_for_is_the_first_or_last_moment(when: int, want: str) -> None:
    assert times.format_time(when) == want
