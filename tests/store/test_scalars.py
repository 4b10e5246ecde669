"""Plain YAML scalars become what kubectl makes of them."""

from __future__ import annotations

import pytest

from kueuectl.store import scalars

SCALARS = [
    ("", None),
    ("~", None),
    ("null", None),
    ("NULL", None),
    ("nULL", "nULL"),
    ("true", True),
    ("Yes", True),
    ("ON", True),
    ("off", False),
    ("no", False),
    ("y", "y"),
    ("n", "n"),
    ("5", 5),
    ("-5", -5),
    ("+5", 5),
    ("1_000", 1000),
    ("0x1F", 31),
    ("017", 15),
    ("0o17", 15),
    ("0b11", 3),
    ("08", 8.0),
    ("0.5", 0.5),
    (".5", 0.5),
    ("1e3", 1000.0),
    ("1.", 1.0),
    ("18446744073709551615", 2**64 - 1),
    ("18446744073709551616", float(2**64)),
    ("500m", "500m"),
    ("1Gi", "1Gi"),
    ("2026-11-29", "2026-11-29"),
    ("2026-11-29T17:00:00Z", "2026-11-29T17:00:00Z"),
    ("12:30:45", "12:30:45"),
    (".inf", ".inf"),
    (".nan", ".nan"),
    ("1e999", "1e999"),
    ("-", "-"),
    (".", "."),
    ("1.2.3", "1.2.3"),
    ("0x", "0x"),
    ("text", "text"),
    ("9" * 200, "9" * 200),
]


@pytest.mark.parametrize(("text", "want"), SCALARS, ids=[repr(text[:24]) for text, _ in SCALARS])
def test_plain(text: str, want: scalars.Scalar) -> None:
    found = scalars.resolve(text)
    assert found == want
    assert type(found) is type(want)


TAGGED = [("str", "5", "5"), ("int", "5", 5), ("float", "5", 5.0), ("bool", "yes", True), ("null", "~", None)]


@pytest.mark.parametrize(("tag", "text", "want"), TAGGED)
def test_tagged(tag: str, text: str, want: scalars.Scalar) -> None:
    found = scalars.tagged(f"tag:yaml.org,2002:{tag}", text)
    assert found == want
    assert type(found) is type(want)


@pytest.mark.parametrize(("tag", "text"), [("int", "x"), ("bool", "5"), ("python/name:os.system", ""), ("set", "")])
def test_tags_that_do_not_fit(tag: str, text: str) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        scalars.tagged(f"tag:yaml.org,2002:{tag}", text)
