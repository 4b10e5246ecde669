"""Quantities: Kubernetes' syntax, exact integers, saturation, and Kueue's way of writing amounts."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuectl import quantity
from kueuectl.errors import QuantityError
from kueuectl.quantity import INT64_MAX, INT64_MIN, NANO


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("0", 0),
        ("1", NANO),
        ("+1", NANO),
        ("-1", -NANO),
        ("100m", 100_000_000),
        ("1.5Gi", 1_610_612_736 * NANO),
        (".5", 500_000_000),
        ("5.", 5 * NANO),
        ("1e3", 1000 * NANO),
        ("1E3", 1000 * NANO),
        ("1E", 10**18 * NANO),
        ("1e-3", 1_000_000),
        ("3n", 3),
        ("2u", 2_000),
        ("7k", 7_000 * NANO),
        ("8Pi", 2**53 * NANO),
    ],
)
def test_reads_the_syntax_of_kubernetes(text: str, want: int) -> None:
    assert quantity.parse(text) == want


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        ("finer than a nano-unit is rounded away from zero", "0.1n", 1),
        ("a negative one as well", "-0.1n", -1),
        ("many digits keep their value", "1.0000000001", NANO + 1),
        ("a tiny exponent still leaves something", "1e-40", 1),
    ],
)
def test_keeps_nine_decimals(name: str, text: str, want: int) -> None:
    assert quantity.parse(text) == want, name


@pytest.mark.parametrize(
    "text", ["", " ", "1 ", "1GiB", "1g", "--1", "1e", "e3", "Gi", "1.2.3", "0x10", "1_000", "\u0661", "1" * 129, "1\n"]
)
def test_refuses_what_is_no_quantity(text: str) -> None:
    with pytest.raises(QuantityError):
        quantity.parse(text)


@pytest.mark.parametrize(
    ("name", "resource", "text", "want"),
    [
        ("cpu counts millicores", "cpu", "1500m", 1500),
        ("cpu below a millicore is rounded up", "cpu", "1n", 1),
        ("memory counts bytes", "memory", "1Ki", 1024),
        ("a part of a byte is a byte", "memory", "100m", 1),
        ("devices count as they are", "example.com/gpu", "8", 8),
        ("past 64 bits it stays at the edge", "memory", "100Ei", INT64_MAX),
        ("cpu reaches the edge earlier", "cpu", "10P", INT64_MAX),
        ("below zero there is an edge, too", "example.com/gpu", "-100000000000000000000", INT64_MIN),
    ],
)
def test_counts_amounts(name: str, resource: str, text: str, want: int) -> None:
    assert quantity.parse_amount(resource, text) == want, name


@pytest.mark.parametrize(
    ("name", "resource", "value", "want"),
    [
        ("whole cpus", "cpu", 8000, "8"),
        ("parts of a cpu", "cpu", 1500, "1500m"),
        ("cpus have no binary suffix", "cpu", 1024_000, "1024"),
        ("memory in the largest binary unit", "memory", 36 * 2**30, "36Gi"),
        ("memory that is no multiple of 1024 is decimal", "memory", 1_500_000, "1500k"),
        ("bytes", "memory", 1, "1"),
        ("huge pages are memory", "hugepages-2Mi", 4 * 2**20, "4Mi"),
        ("devices are decimal", "example.com/gpu", 1024, "1024"),
        ("thousands of devices", "example.com/gpu", 2000, "2k"),
        ("negative", "memory", -2048, "-2Ki"),
        ("nothing", "memory", 0, "0"),
    ],
)
def test_writes_amounts_as_kueue_does(name: str, resource: str, value: int, want: str) -> None:
    assert quantity.format_amount(resource, value) == want, name


def test_counters_of_devices_may_be_written_in_bytes() -> None:
    assert quantity.format_amount("example.com/memory", 9984 * 2**20, binary={"example.com/memory"}) == "9984Mi"


@given(
    resource=st.sampled_from(["cpu", "memory", "pods", "example.com/gpu", "hugepages-1Gi"]),
    value=st.integers(-(2**62), 2**62),
)
def test_what_is_written_reads_back_the_same(resource: str, value: int) -> None:
    assert quantity.parse_amount(resource, quantity.format_amount(resource, value)) == value


@given(st.integers(-(10**24), 10**24), st.booleans())
def test_nano_units_read_back_the_same(nano: int, binary: bool) -> None:
    assert quantity.parse(quantity.format_nano(nano, binary=binary)) == nano


@given(st.text(alphabet="0123456789+-.eEKMGimnuk ", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(QuantityError):
        assert isinstance(quantity.parse(text), int)


@pytest.mark.parametrize(
    ("name", "nano", "factor", "want"),
    [
        ("by zero", 5 * NANO, 0.0, 0),
        ("by one is lossless", 2**80, 1.0, 2**80),
        ("cut, not rounded", 2 * NANO, 0.00034376390587387284, 687_527),
        ("towards zero below it", -1, 0.5, 0),
        ("small factors come with an exponent", NANO, 1e-7, 100),
        ("large ones too", 3, 1e22, 3 * 10**22),
    ],
)
def test_multiplies_by_decimals(name: str, nano: int, factor: float, want: int) -> None:
    assert quantity.multiply(nano, factor) == want, name
